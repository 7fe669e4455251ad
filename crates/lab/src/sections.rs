//! From measurements to tables and charts.

mod rivals;

use crate::ceiling;
use crate::equal_strength::{EqualStrength, Match};
use crate::experiments::{Outcome, Question};
use crate::real;
use crate::report::{Cell, Chart, Curves, Dots, Heat, Section, Series, Table};
use crate::stats::Estimate;
use crate::table_map::{self, TableMap};
use crate::virtual_smp;

pub use rivals::{rival_ceilings, rivals};

fn percent(share: Option<f64>) -> Cell {
    share.map_or(Cell::Missing, |share| Cell::Number(100.0 * share, 1))
}

/// The line on which N threads are N times as fast.
fn ideal(threads: impl Iterator<Item = usize>) -> Series {
    let points = threads.map(|threads| (threads as f64, Estimate::exact(threads as f64))).collect();
    Series { name: "ideal".to_owned(), points, ideal: true }
}

fn series<T>(name: &str, points: &[T], point: impl Fn(&T) -> (usize, Estimate)) -> Series {
    let points = points.iter().map(|entry| {
        let (threads, estimate) = point(entry);
        (threads as f64, estimate)
    });
    Series { name: name.to_owned(), points: points.collect(), ideal: false }
}

/// A chart over numbers of threads.
fn over_threads(title: &str, y_label: &str, log_y: bool, series: Vec<Series>) -> Chart {
    Chart::Curves(Curves {
        title: title.to_owned(),
        x_label: "threads".to_owned(),
        y_label: y_label.to_owned(),
        log_x: true,
        log_y,
        // Shares and counts begin at nothing; ratios at one.
        from_zero: y_label == "%",
        series,
    })
}

fn fill_chart<T>(points: &[T], fill: impl Fn(&T) -> (usize, f64)) -> Chart {
    let filled = series("table in use", points, |point| {
        let (threads, permille) = fill(point);
        (threads, Estimate::exact(permille / 10.0))
    });
    over_threads("Table in use at the end", "%", false, vec![filled])
}

/// Real threads: the curve and the samples.
pub fn real(samples: &[real::Sample]) -> Vec<Section> {
    let curve = real::curve(samples);
    let mut table = Table::new(&[
        "threads",
        "positions",
        "kn/s",
        "NPS ratio",
        "node overhead",
        "time-to-depth speed-up",
        "table in use, %",
        "CPU, %",
        "kn/CPU s",
        "steal, %",
    ]);
    for point in &curve {
        table.rows.push(vec![
            Cell::Count(point.threads as u64),
            Cell::Count(point.positions as u64),
            Cell::Number(point.nps / 1e3, 0),
            Cell::Estimate(point.nps_ratio, 2),
            Cell::Estimate(point.overhead, 2),
            Cell::Estimate(point.speed_up, 2),
            Cell::Number(point.hashfull / 10.0, 1),
            percent(point.share),
            point.per_processor.map_or(Cell::Missing, |nodes| Cell::Number(nodes / 1e3, 0)),
            percent(point.steal),
        ]);
    }
    let mut notes = Vec::new();
    for point in curve.iter().filter(|point| point.threads > 1) {
        notes.push(format!(
            "{} threads: NPS ratio {:.3} ÷ node overhead {:.3} = {:.3}; time-to-depth speed-up measured {:.3}.",
            point.threads,
            point.nps_ratio.value,
            point.overhead.value,
            point.nps_ratio.value / point.overhead.value,
            point.speed_up.value
        ));
    }
    let busy = curve.iter().filter_map(|point| point.share).fold(1.0, f64::min);
    if busy < 0.97 {
        notes.push(format!(
            "The machine was not idle: some searches got only {:.0} % of their processors, and NPS and times suffer from that.",
            100.0 * busy
        ));
    }
    let charts = vec![
        over_threads(
            "Speed-up",
            "×",
            true,
            vec![
                ideal(curve.iter().map(|point| point.threads)),
                series("nodes per second", &curve, |point| (point.threads, point.nps_ratio)),
                series("time to depth", &curve, |point| (point.threads, point.speed_up)),
            ],
        ),
        over_threads(
            "Node overhead",
            "nodes to depth, × one thread",
            false,
            vec![series("overhead", &curve, |point| (point.threads, point.overhead))],
        ),
        fill_chart(&curve, |point| (point.threads, point.hashfull)),
    ];
    vec![
        Section {
            name: "real-threads".to_owned(),
            title: "Real threads".to_owned(),
            text: "The same positions to the same depth, one thread and several in alternating order. Geometric means over positions with 95 % bootstrap \
                   intervals; each position averages its last three depths. The identity: time-to-depth speed-up = NPS ratio ÷ node overhead."
                .to_owned(),
            table,
            charts,
            notes,
            raw: false,
        },
        real_samples(samples),
    ]
}

fn real_samples(samples: &[real::Sample]) -> Section {
    let mut table = Table::new(&[
        "position",
        "repeat",
        "threads",
        "depth",
        "nodes",
        "seconds",
        "hashfull",
        "processor share",
        "busy",
        "steal",
    ]);
    for sample in samples {
        let share =
            |share: Option<f64>| share.map_or(Cell::Missing, |share| Cell::Number(share, 4));
        table.rows.push(vec![
            Cell::Count(sample.position as u64 + 1),
            Cell::Count(sample.repeat as u64 + 1),
            Cell::Count(sample.threads as u64),
            Cell::Count(u64::from(sample.depth)),
            Cell::Count(sample.nodes),
            Cell::Number(sample.seconds, 6),
            Cell::Count(u64::from(sample.hashfull)),
            share(sample.share),
            share(sample.usage.map(|usage| usage.busy)),
            share(sample.usage.map(|usage| usage.steal)),
        ]);
    }
    let (name, title) = ("real-samples".to_owned(), "Every search of real threads".to_owned());
    Section { name, title, table, raw: true, ..Section::default() }
}

/// Threads against processes.
pub fn ceiling(blocks: &[ceiling::Block]) -> Section {
    let points = ceiling::summary(blocks);
    let mut table = Table::new(&[
        "threads",
        "blocks",
        "machine: N processes ÷ 1",
        "engine: N threads ÷ N processes",
        "steal, %",
        "blocks with steal > 1 %",
    ]);
    for point in &points {
        table.rows.push(vec![
            Cell::Count(point.threads as u64),
            Cell::Count(point.blocks as u64),
            Cell::Estimate(point.machine, 3),
            Cell::Estimate(point.engine, 3),
            percent(point.steal),
            Cell::Count(point.stolen_blocks as u64),
        ]);
    }
    let rows = points.iter().map(|point| {
        (format!("{} threads ÷ {} processes", point.threads, point.threads), point.engine)
    });
    let dots = Dots {
        title: "N threads against N processes".to_owned(),
        x_label: "nodes per second, 1 = nothing lost".to_owned(),
        baseline: 1.0,
        rows: rows.collect(),
    };
    Section {
        name: "ceiling".to_owned(),
        title: "The machine's own ceiling".to_owned(),
        text: "Nodes per second of N threads in one process, of N processes with one thread each, and of one alone, in blocks of the order 1 N P P N 1. \
               Medians over blocks. The machine column says what no engine can exceed here; the engine column what sharing a table costs."
            .to_owned(),
        table,
        charts: vec![Chart::Dots(dots)],
        notes: Vec::new(),
        raw: false,
    }
}

/// Virtual threads: the curve and the samples.
pub fn virtual_smp(samples: &[virtual_smp::Sample]) -> Vec<Section> {
    let curve = virtual_smp::curve(samples);
    let mut table = Table::new(&[
        "threads",
        "positions",
        "node overhead",
        "effective speed-up",
        "efficiency, %",
        "table in use, %",
    ]);
    for point in &curve {
        table.rows.push(vec![
            Cell::Count(point.threads as u64),
            Cell::Count(point.positions as u64),
            Cell::Estimate(point.overhead, 3),
            Cell::Estimate(point.speed_up(), 2),
            Cell::Number(100.0 * point.speed_up().value / point.threads as f64, 0),
            Cell::Number(point.hashfull / 10.0, 1),
        ]);
    }
    let charts = vec![
        over_threads(
            "Effective speed-up by time to depth",
            "×",
            true,
            vec![
                ideal(curve.iter().map(|point| point.threads)),
                series("virtual threads", &curve, |point| (point.threads, point.speed_up())),
            ],
        ),
        over_threads(
            "Node overhead",
            "nodes to depth, × one thread",
            true,
            vec![
                Series {
                    name: "no sharing at all".to_owned(),
                    ..ideal(curve.iter().map(|point| point.threads))
                },
                series("virtual threads", &curve, |point| (point.threads, point.overhead)),
            ],
        ),
        fill_chart(&curve, |point| (point.threads, point.hashfull)),
    ];
    let mut raw = Table::new(&["position", "threads", "depth", "nodes", "hashfull", "ln overhead"]);
    for sample in samples {
        raw.rows.push(vec![
            Cell::Count(sample.position as u64 + 1),
            Cell::Count(sample.threads as u64),
            Cell::Count(u64::from(sample.depth)),
            Cell::Count(sample.nodes),
            Cell::Count(u64::from(sample.hashfull)),
            Cell::Number(sample.factors.overhead, 4),
        ]);
    }
    vec![
        Section {
            name: "virtual-threads".to_owned(),
            title: "Virtual threads".to_owned(),
            text: "Threads that take turns under a seeded baton. Nodes to the same depth, all threads together, over those of one thread; the effective \
                   speed-up is N ÷ overhead, on a machine where every thread is as fast as one alone. The same command gives the same numbers on every machine."
                .to_owned(),
            table,
            charts,
            notes: vec![
                "Time to depth understates Lazy SMP: part of the extra nodes make the tree wider, which wins games without completing depths sooner."
                    .to_owned(),
            ],
            raw: false,
        },
        Section {
            name: "virtual-samples".to_owned(),
            title: "Every search of virtual threads".to_owned(),
            table: raw,
            raw: true,
            ..Section::default()
        },
    ]
}

/// How the speed-up depends on how long turns last.
pub fn quanta(threads: usize, points: &[(u32, virtual_smp::Point)]) -> Section {
    let mut table =
        Table::new(&["nodes per turn", "positions", "node overhead", "effective speed-up"]);
    for (quantum, point) in points {
        table.rows.push(vec![
            Cell::Count(u64::from(*quantum)),
            Cell::Count(point.positions as u64),
            Cell::Estimate(point.overhead, 3),
            Cell::Estimate(point.speed_up(), 2),
        ]);
    }
    let chart = Chart::Curves(Curves {
        title: format!("Effective speed-up of {threads} threads by length of turn"),
        x_label: "nodes per turn".to_owned(),
        y_label: "×".to_owned(),
        log_x: true,
        log_y: false,
        from_zero: false,
        series: vec![series("virtual threads", points, |(quantum, point)| {
            (*quantum as usize, point.speed_up())
        })],
    });
    Section {
        name: "quanta".to_owned(),
        title: "Does the length of a turn matter?".to_owned(),
        text: "Long turns let a thread find whole subtrees of another ready in the table, where real threads would have searched them at the same time; turns \
               of a single node keep identical threads in step. Between the two there should be a plateau."
            .to_owned(),
        table,
        charts: vec![chart],
        notes: Vec::new(),
        raw: false,
    }
}

/// Maps of the table.
pub fn table_maps(maps: &[TableMap], about: &str) -> Section {
    let mut table = Table::new(&["threads", "depth", "age", "permille of slots"]);
    let mut charts = Vec::new();
    for map in maps {
        let rows: Vec<String> = (0..map.cells.len()).map(table_map::row_name).collect();
        for (row, cells) in rows.iter().zip(&map.cells) {
            for (age, &value) in cells.iter().enumerate() {
                table.rows.push(vec![
                    Cell::Count(map.threads as u64),
                    Cell::Text(row.clone()),
                    Cell::Count(age as u64),
                    Cell::Number(value, 2),
                ]);
            }
        }
        charts.push(Chart::Heat(Heat {
            title: format!(
                "{} thread{}: {:.0} ‰ of the slots in use",
                map.threads,
                if map.threads == 1 { "" } else { "s" },
                map.occupied
            ),
            x_label: "age in searches".to_owned(),
            y_label: "depth".to_owned(),
            columns: (0..table_map::AGES).map(|age| age.to_string()).collect(),
            rows,
            values: map.cells.clone(),
        }));
    }
    Section {
        name: "table-map".to_owned(),
        title: "What is in the table".to_owned(),
        text: format!(
            "Permille of all slots, by depth and by how many searches ago an entry was stored or last found. {about}"
        ),
        table,
        charts,
        notes: Vec::new(),
        raw: true,
    }
}

/// Matches, and the factor of equal strength if there is one.
pub fn elo(
    (threads, against): (usize, usize),
    matches: &[Match],
    equal: Option<EqualStrength>,
) -> Section {
    let mut table = Table::new(&[
        "factor k",
        "pairs",
        "0 · ½ · 1 · 1½ · 2",
        "score, %",
        "Elo",
        "normalised Elo",
        "chance to be stronger, %",
    ]);
    for games in matches.iter().filter(|games| !games.pairs.is_empty()) {
        let result = games.result();
        let pairs: Vec<String> = result.pairs.iter().map(ToString::to_string).collect();
        table.rows.push(vec![
            Cell::Number(games.factor, 2),
            Cell::Count(result.count()),
            Cell::Text(pairs.join(" · ")),
            Cell::Number(100.0 * result.score(), 1),
            Cell::Estimate(result.elo(), 1),
            Cell::Estimate(result.normalised_elo(), 1),
            Cell::Number(100.0 * result.superiority(), 1),
        ]);
    }
    let played: Vec<&Match> = matches.iter().filter(|games| !games.pairs.is_empty()).collect();
    let points = played.iter().map(|games| (games.factor, games.result().elo())).collect();
    let zero = played.iter().map(|games| (games.factor, Estimate::exact(0.0))).collect();
    let chart = Chart::Curves(Curves {
        title: format!("Elo of {threads} threads against {against} with k times the nodes of each"),
        x_label: "k".to_owned(),
        y_label: "Elo".to_owned(),
        log_x: true,
        log_y: false,
        from_zero: false,
        series: vec![
            Series { name: "equal".to_owned(), points: zero, ideal: true },
            Series { name: format!("{threads} threads"), points, ideal: false },
        ],
    });
    let note = match equal {
        Some(equal) => {
            let end = |end: Option<f64>| end.map_or("open".to_owned(), |end| format!("{end:.2}"));
            format!(
                "Equal strength at k* = {:.2} [{}, {}]: {:.0} % of {}. A doubling of nodes is worth {:.0} Elo here.{}",
                equal.factor,
                end(equal.low),
                end(equal.high),
                100.0 * equal.factor * against as f64 / threads as f64,
                threads as f64 / against as f64,
                equal.elo_per_doubling,
                if equal.within_range {
                    ""
                } else {
                    " k* lies outside the factors played and rests on the line alone."
                }
            )
        }
        None if played.len() < 2 => "Equal strength needs at least two factors.".to_owned(),
        None => {
            "The results do not fall with the factor: too few games for a factor of equal strength."
                .to_owned()
        }
    };
    Section {
        name: "elo".to_owned(),
        title: format!("Strength of {threads} threads"),
        text: "Games in pairs, each opening with both colours, by nodes instead of clocks: every thread of the one side searches B nodes per move, every \
               thread of the other (one as a rule) k·B. Pentanomial error margins, 95 %."
            .to_owned(),
        table,
        charts: vec![chart],
        notes: vec![note],
        raw: false,
    }
}

/// The answer to a question.
pub fn experiment(question: &Question, rows: &[Outcome]) -> Section {
    let unit = if question.is_timed { "kn per processor second" } else { "nodes to depth" };
    let first = rows.first().map_or("the first", |row| row.arm.as_str()).to_owned();
    let mut table = Table::new(&[
        "threads",
        "arm",
        "positions",
        unit,
        &format!("against {first}"),
        "against one thread",
    ]);
    for row in rows {
        table.rows.push(vec![
            Cell::Count(row.threads as u64),
            Cell::Text(row.arm.clone()),
            Cell::Count(row.positions as u64),
            if question.is_timed {
                Cell::Number(row.value / 1e3, 0)
            } else {
                Cell::Count(row.value as u64)
            },
            Cell::Estimate(row.against_first, 3),
            Cell::Estimate(row.against_single, 3),
        ]);
    }
    let mut counts: Vec<usize> = rows.iter().map(|row| row.threads).collect();
    counts.dedup();
    let dots = counts.into_iter().map(|threads| {
        let of = rows.iter().filter(|row| row.threads == threads && row.arm != first);
        Chart::Dots(Dots {
            title: format!(
                "{threads} thread{}: {unit} against {first}",
                if threads == 1 { "" } else { "s" }
            ),
            x_label: if question.is_timed {
                "ratio, more is better"
            } else {
                "ratio, less is better"
            }
            .to_owned(),
            baseline: 1.0,
            rows: of.map(|row| (row.arm.clone(), row.against_first)).collect(),
        })
    });
    let work = "Virtual threads: the same command gives the same numbers on every machine.";
    Section {
        name: format!("experiment-{}", question.name),
        title: question.title.to_owned(),
        text: question.text.to_owned(),
        table,
        charts: dots.collect(),
        notes: if question.is_timed { Vec::new() } else { vec![work.to_owned()] },
        raw: false,
    }
}
