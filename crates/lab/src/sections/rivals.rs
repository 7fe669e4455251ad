//! Engines side by side.

use super::{ideal, over_threads, raw_section, series};
use crate::report::{Cell, Section, Series, Table};
use crate::rivals::{Point, Results, summary};
use crate::stats::{Estimate, distinct};

/// Nodes per second and time to depth of every engine.
pub fn rivals(results: &Results) -> Vec<Section> {
    let points = summary(results);
    let name = |engine: usize| Cell::Text(results.names[engine].clone());
    let table = Table::of(
        &points,
        &[
            ("engine", &|point| name(point.engine)),
            ("threads", &|point| point.threads.into()),
            ("positions", &|point| point.positions.into()),
            ("depth", &|point| Cell::Number(point.depth, 1)),
            ("kn/s", &|point| Cell::Number(point.nps / 1e3, 0)),
            ("NPS ratio", &|point| Cell::Estimate(point.nps_ratio, 3)),
            ("node overhead", &|point| Cell::Estimate(point.overhead, 3)),
            ("time-to-depth speed-up", &|point| Cell::Estimate(point.speed_up, 3)),
        ],
    );
    let curves = |value: fn(&Point) -> Estimate| -> Vec<Series> {
        let of = |(engine, name): (usize, &String)| {
            let own: Vec<&Point> = points.iter().filter(|point| point.engine == engine).collect();
            series(name, &own, |point| (point.threads, value(point)))
        };
        results.names.iter().enumerate().map(of).collect()
    };
    let counts = distinct(points.iter().map(|point| point.threads));
    let with_ideal = |mut all: Vec<Series>| {
        all.insert(0, ideal(counts.iter().copied()));
        all
    };
    let overhead = curves(|point| point.overhead);
    let charts = vec![
        over_threads("Time to depth", "×", true, with_ideal(curves(|point| point.speed_up))),
        over_threads("Nodes per second", "×", true, with_ideal(curves(|point| point.nps_ratio))),
        over_threads("Node overhead", "nodes to depth, × one thread", false, overhead),
    ];
    let raw = Table::of(
        &results.samples,
        &[
            ("engine", &|sample| name(sample.engine)),
            ("position", &|sample| (sample.position + 1).into()),
            ("repeat", &|sample| (sample.repeat + 1).into()),
            ("threads", &|sample| sample.threads.into()),
            ("depth", &|sample| Cell::Count(sample.depth.into())),
            ("nodes", &|sample| Cell::Count(sample.mark.nodes)),
            ("seconds", &|sample| Cell::Number(sample.mark.seconds, 6)),
        ],
    );
    let text = "Every engine searches the same positions, each to the depth its own single thread reaches within the nodes given, in alternating order. \
                Ratios are against the engine's own single thread: engines count nodes and depths differently.";
    vec![
        Section { table, charts, ..Section::new("engines", "Engines side by side", text) },
        raw_section("engine-samples", "Every search of every engine", raw),
    ]
}
