//! Engines side by side.

use super::{ideal, over_threads, percent, series};
use crate::ceiling;
use crate::report::{Cell, Chart, Dots, Section, Series, Table};
use crate::rivals::{Point, Results, summary};
use crate::stats::Estimate;

/// Nodes per second and time to depth of every engine.
pub fn rivals(results: &Results) -> Vec<Section> {
    let points = summary(results);
    let mut table = Table::new(&[
        "engine",
        "threads",
        "positions",
        "depth",
        "kn/s",
        "NPS ratio",
        "node overhead",
        "time-to-depth speed-up",
    ]);
    for point in &points {
        table.rows.push(vec![
            Cell::Text(results.names[point.engine].clone()),
            Cell::Count(point.threads as u64),
            Cell::Count(point.positions as u64),
            Cell::Number(point.depth, 1),
            Cell::Number(point.nps / 1e3, 0),
            Cell::Estimate(point.nps_ratio, 3),
            Cell::Estimate(point.overhead, 3),
            Cell::Estimate(point.speed_up, 3),
        ]);
    }
    let curves = |value: fn(&Point) -> Estimate| {
        let mut all = vec![ideal(unique(points.iter().map(|point| point.threads)))];
        all.extend(results.names.iter().enumerate().map(|(engine, name)| {
            let own: Vec<&Point> = points.iter().filter(|point| point.engine == engine).collect();
            series(name, &own, |point| (point.threads, value(point)))
        }));
        all
    };
    let without_ideal = |all: Vec<Series>| all.into_iter().filter(|one| !one.ideal).collect();
    let charts = vec![
        over_threads("Time to depth", "×", true, curves(|point| point.speed_up)),
        over_threads("Nodes per second", "×", true, curves(|point| point.nps_ratio)),
        over_threads(
            "Node overhead",
            "nodes to depth, × one thread",
            false,
            without_ideal(curves(|point| point.overhead)),
        ),
    ];
    let mut raw =
        Table::new(&["engine", "position", "repeat", "threads", "depth", "nodes", "seconds"]);
    for sample in &results.samples {
        raw.rows.push(vec![
            Cell::Text(results.names[sample.engine].clone()),
            Cell::Count(sample.position as u64 + 1),
            Cell::Count(sample.repeat as u64 + 1),
            Cell::Count(sample.threads as u64),
            Cell::Count(u64::from(sample.depth)),
            Cell::Count(sample.mark.nodes),
            Cell::Number(sample.mark.seconds, 6),
        ]);
    }
    vec![
        Section {
            name: "engines".to_owned(),
            title: "Engines side by side".to_owned(),
            text: "Every engine searches the same positions, each to the depth its own single thread reaches within the nodes given, in alternating order. \
                   Ratios are against the engine's own single thread: engines count nodes and depths differently."
                .to_owned(),
            table,
            charts,
            notes: Vec::new(),
            raw: false,
        },
        Section {
            name: "engine-samples".to_owned(),
            title: "Every search of every engine".to_owned(),
            table: raw,
            raw: true,
            ..Section::default()
        },
    ]
}

fn unique(threads: impl Iterator<Item = usize>) -> impl Iterator<Item = usize> {
    let mut threads: Vec<usize> = threads.collect();
    threads.sort_unstable();
    threads.dedup();
    threads.into_iter()
}

/// Threads against processes, engine by engine.
pub fn rival_ceilings(engines: &[(String, Vec<ceiling::Block>)]) -> Section {
    let mut table = Table::new(&[
        "engine",
        "threads",
        "blocks",
        "machine: N processes ÷ 1",
        "engine: N threads ÷ N processes",
        "steal, %",
    ]);
    let mut rows = Vec::new();
    for (name, blocks) in engines {
        for point in ceiling::summary(blocks) {
            table.rows.push(vec![
                Cell::Text(name.clone()),
                Cell::Count(point.threads as u64),
                Cell::Count(point.blocks as u64),
                Cell::Estimate(point.machine, 3),
                Cell::Estimate(point.engine, 3),
                percent(point.steal),
            ]);
            rows.push((format!("{name}, {} threads", point.threads), point.engine));
        }
    }
    Section {
        name: "engine-ceilings".to_owned(),
        title: "Threads against processes".to_owned(),
        text: "Nodes per second of N threads in one process over those of N processes with one thread each: what sharing costs an engine. Medians over blocks \
               in the order 1 N P P N 1."
            .to_owned(),
        table,
        charts: vec![Chart::Dots(Dots {
            title: "N threads against N processes".to_owned(),
            x_label: "nodes per second, 1 = nothing lost".to_owned(),
            baseline: 1.0,
            rows,
        })],
        notes: Vec::new(),
        raw: false,
    }
}
