//! From measurements to tables and charts.

mod rivals;

use crate::ceiling;
use crate::equal_strength::{EqualStrength, Match};
use crate::experiments::{Outcome, Question};
use crate::pentanomial::Pentanomial;
use crate::real;
use crate::report::{Cell, Chart, Column, Curves, Dots, Heat, Section, Series, Table};
use crate::stats::Estimate;
use crate::table_map::{self, TableMap};
use crate::virtual_smp;

pub use rivals::rivals;

fn percent(share: Option<f64>) -> Cell {
    Cell::number(share.map(|share| 100.0 * share), 1)
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
        // Shares begin at zero, ratios need not.
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
    let table = Table::of(
        &curve,
        &[
            ("threads", &|point| point.threads.into()),
            ("positions", &|point| point.positions.into()),
            ("kn/s", &|point| Cell::Number(point.nps / 1e3, 0)),
            ("NPS ratio", &|point| Cell::Estimate(point.nps_ratio, 2)),
            ("node overhead", &|point| Cell::Estimate(point.overhead, 2)),
            ("time-to-depth speed-up", &|point| Cell::Estimate(point.speed_up, 2)),
            ("table in use, %", &|point| Cell::Number(point.hashfull / 10.0, 1)),
            ("CPU, %", &|point| percent(point.share)),
            ("kn/CPU s", &|point| Cell::number(point.per_processor.map(|nodes| nodes / 1e3), 0)),
            ("steal, %", &|point| percent(point.steal)),
        ],
    );
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
            "The machine was not idle: some searches got only {:.0} % of their processors, which distorts NPS and times.",
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
    let text = "The same positions to the same depth, one thread and several in alternating order. Geometric means over positions with 95 % bootstrap \
                intervals; each position averages its last three depths. The identity: time-to-depth speed-up = NPS ratio ÷ node overhead.";
    let raw = Table::of(
        samples,
        &[
            ("position", &|sample| (sample.position + 1).into()),
            ("repeat", &|sample| (sample.repeat + 1).into()),
            ("threads", &|sample| sample.threads.into()),
            ("depth", &|sample| Cell::Count(sample.depth.into())),
            ("nodes", &|sample| Cell::Count(sample.nodes)),
            ("seconds", &|sample| Cell::Number(sample.seconds, 6)),
            ("hashfull", &|sample| Cell::Count(sample.hashfull.into())),
            ("processor share", &|sample| Cell::number(sample.share, 4)),
            ("busy", &|sample| Cell::number(sample.usage.map(|usage| usage.busy), 4)),
            ("steal", &|sample| Cell::number(sample.usage.map(|usage| usage.steal), 4)),
        ],
    );
    vec![
        Section { table, charts, notes, ..Section::new("real-threads", "Real threads", text) },
        raw_section("real-samples", "Every search of real threads", raw),
    ]
}

fn raw_section(name: &str, title: &str, table: Table) -> Section {
    Section { table, raw: true, ..Section::new(name, title, "") }
}

/// Threads against processes, for one engine or for several.
pub fn ceilings(engines: &[(String, Vec<ceiling::Block>)]) -> Section {
    let alone = engines.len() == 1;
    let rows: Vec<(&String, ceiling::Point)> = engines
        .iter()
        .flat_map(|(name, blocks)| {
            ceiling::summary(blocks).into_iter().map(move |point| (name, point))
        })
        .collect();
    let columns: &[Column<'_, &(&String, ceiling::Point)>] = &[
        ("engine", &|(name, _)| Cell::Text((*name).clone())),
        ("threads", &|(_, point)| point.threads.into()),
        ("blocks", &|(_, point)| point.blocks.into()),
        ("machine: N processes ÷ 1", &|(_, point)| Cell::Estimate(point.machine, 3)),
        ("engine: N threads ÷ N processes", &|(_, point)| Cell::Estimate(point.engine, 3)),
        ("steal, %", &|(_, point)| percent(point.steal)),
        ("blocks with steal > 1 %", &|(_, point)| point.stolen_blocks.into()),
    ];
    let label = |(name, point): &(&String, ceiling::Point)| {
        let threads = point.threads;
        let own = format!("{threads} threads ÷ {threads} processes");
        if alone { own } else { format!("{name}, {threads} threads") }
    };
    let dots = Dots {
        title: "N threads against N processes".to_owned(),
        x_label: "nodes per second, 1 = nothing lost".to_owned(),
        baseline: 1.0,
        rows: rows.iter().map(|row| (label(row), row.1.engine)).collect(),
    };
    let (name, title) = if alone {
        ("ceiling", "The machine's own ceiling")
    } else {
        ("engine-ceilings", "Threads against processes")
    };
    let text = "Nodes per second of N threads in one process, of N processes with one thread each, and of one alone, in blocks of the order 1 N P P N 1. \
                Medians over blocks. The machine column says what no engine can exceed here; the engine column what sharing a table costs.";
    Section {
        table: Table::of(&rows, &columns[usize::from(alone)..]),
        charts: vec![Chart::Dots(dots)],
        ..Section::new(name, title, text)
    }
}

/// Virtual threads: the curve and the samples.
pub fn virtual_smp(samples: &[virtual_smp::Sample]) -> Vec<Section> {
    let curve = virtual_smp::curve(samples);
    let efficiency =
        |point: &virtual_smp::Point| 100.0 * point.speed_up().value / point.threads as f64;
    let table = Table::of(
        &curve,
        &[
            ("threads", &|point| point.threads.into()),
            ("positions", &|point| point.positions.into()),
            ("node overhead", &|point| Cell::Estimate(point.overhead, 3)),
            ("effective speed-up", &|point| Cell::Estimate(point.speed_up(), 2)),
            ("efficiency, %", &|point| Cell::Number(efficiency(point), 0)),
            ("table in use, %", &|point| Cell::Number(point.hashfull / 10.0, 1)),
        ],
    );
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
    let raw = Table::of(
        samples,
        &[
            ("position", &|sample| (sample.position + 1).into()),
            ("threads", &|sample| sample.threads.into()),
            ("depth", &|sample| Cell::Count(sample.depth.into())),
            ("nodes", &|sample| Cell::Count(sample.nodes)),
            ("hashfull", &|sample| Cell::Count(sample.hashfull.into())),
            ("ln overhead", &|sample| Cell::Number(sample.factors.overhead, 4)),
        ],
    );
    let text = "Threads that take turns under a seeded baton. Nodes to the same depth, all threads together, over those of one thread; the effective \
                speed-up is N ÷ overhead, on a machine where every thread is as fast as one alone. The same command gives the same numbers on every machine.";
    let note = "Time to depth understates Lazy SMP: part of the extra nodes make the tree wider, which wins games without completing depths sooner.";
    vec![
        Section {
            table,
            charts,
            notes: vec![note.to_owned()],
            ..Section::new("virtual-threads", "Virtual threads", text)
        },
        raw_section("virtual-samples", "Every search of virtual threads", raw),
    ]
}

/// How the speed-up depends on how long turns last.
pub fn quanta(threads: usize, points: &[(u32, virtual_smp::Point)]) -> Section {
    let table = Table::of(
        points,
        &[
            ("nodes per turn", &|(quantum, _)| Cell::Count((*quantum).into())),
            ("positions", &|(_, point)| point.positions.into()),
            ("node overhead", &|(_, point)| Cell::Estimate(point.overhead, 3)),
            ("effective speed-up", &|(_, point)| Cell::Estimate(point.speed_up(), 2)),
        ],
    );
    let chart = Chart::Curves(Curves {
        title: format!("Effective speed-up of {threads} threads by length of turn"),
        x_label: "nodes per turn".to_owned(),
        y_label: "×".to_owned(),
        log_x: true,
        series: vec![series("virtual threads", points, |(quantum, point)| {
            (*quantum as usize, point.speed_up())
        })],
        ..Curves::default()
    });
    let text = "With long turns a thread finds whole subtrees of another in the table, where real threads would have searched them at the same time; turns \
                of a single node keep identical threads in step. Between the two there should be a plateau.";
    Section {
        table,
        charts: vec![chart],
        ..Section::new("quanta", "Does the length of a turn matter?", text)
    }
}

/// Maps of the table.
pub fn table_maps(maps: &[TableMap], about: &str) -> Section {
    let mut entries = Vec::new();
    let mut charts = Vec::new();
    for map in maps {
        let rows: Vec<String> = (0..map.cells.len()).map(table_map::row_name).collect();
        for (row, cells) in rows.iter().zip(&map.cells) {
            let ages = cells.iter().enumerate();
            entries.extend(ages.map(|(age, &value)| (map.threads, row.clone(), age, value)));
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
    let table = Table::of(
        entries,
        &[
            ("threads", &|entry| entry.0.into()),
            ("depth", &|entry| Cell::Text(entry.1.clone())),
            ("age", &|entry| entry.2.into()),
            ("permille of slots", &|entry| Cell::Number(entry.3, 2)),
        ],
    );
    let text = format!(
        "Permille of all slots, by depth and by how many searches ago an entry was stored or last found. {about}"
    );
    Section { table, charts, raw: true, ..Section::new("table-map", "What is in the table", text) }
}

/// Matches, and the factor of equal strength if there is one.
pub fn elo(
    (threads, against): (usize, usize),
    matches: &[Match],
    equal: Option<EqualStrength>,
) -> Section {
    let played: Vec<_> = matches
        .iter()
        .filter(|games| !games.pairs.is_empty())
        .map(|games| (games.factor, games.result()))
        .collect();
    let known =
        |result: Pentanomial, cell| if result.has_interval() { cell } else { Cell::Missing };
    let table = Table::of(
        &played,
        &[
            ("factor k", &|(factor, _)| Cell::Number(*factor, 2)),
            ("pairs", &|(_, result)| Cell::Count(result.count())),
            ("0 · ½ · 1 · 1½ · 2", &|(_, result)| {
                Cell::Text(result.pairs.map(|count| count.to_string()).join(" · "))
            }),
            ("score, %", &|(_, result)| Cell::Number(100.0 * result.score(), 1)),
            ("Elo", &|(_, result)| Cell::Estimate(result.elo(), 1)),
            ("normalised Elo", &|(_, result)| {
                known(*result, Cell::Estimate(result.normalised_elo(), 1))
            }),
            ("chance to be stronger, %", &|(_, result)| {
                known(*result, Cell::Number(100.0 * result.superiority(), 1))
            }),
        ],
    );
    let points = played.iter().map(|(factor, result)| (*factor, result.elo())).collect();
    let zero = played.iter().map(|(factor, _)| (*factor, Estimate::exact(0.0))).collect();
    let chart = Chart::Curves(Curves {
        title: format!("Elo of {threads} threads against {against} with k times the nodes of each"),
        x_label: "k".to_owned(),
        y_label: "Elo".to_owned(),
        log_x: true,
        series: vec![
            Series { name: "equal".to_owned(), points: zero, ideal: true },
            Series { name: format!("{threads} threads"), points, ideal: false },
        ],
        ..Curves::default()
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
                    " k* lies outside the factors played: it is extrapolated."
                }
            )
        }
        None if played.len() < 2 => "Equal strength needs at least two factors.".to_owned(),
        None => {
            "The results do not fall with the factor: too few games for a factor of equal strength."
                .to_owned()
        }
    };
    let text = "Games in pairs, each opening with both colours, by nodes instead of clocks: every thread of the one side searches B nodes per move, every \
                thread of the other (one as a rule) k·B. Pentanomial error margins, 95 %.";
    Section {
        table,
        charts: vec![chart],
        notes: vec![note],
        ..Section::new("elo", format!("Strength of {threads} threads"), text)
    }
}

/// The answer to a question.
pub fn experiment(question: &Question, rows: &[Outcome]) -> Section {
    let timed = question.is_timed;
    let (unit, better) =
        if timed { ("kn per processor second", "more") } else { ("nodes to depth", "less") };
    let first = rows.first().map_or("the first", |row| row.arm.as_str()).to_owned();
    let table = Table::of(
        rows,
        &[
            ("threads", &|row| row.threads.into()),
            ("arm", &|row| Cell::Text(row.arm.clone())),
            ("positions", &|row| row.positions.into()),
            (unit, &|row| {
                if timed { Cell::Number(row.value / 1e3, 0) } else { Cell::Count(row.value as u64) }
            }),
            (&format!("against {first}"), &|row| Cell::Estimate(row.against_first, 3)),
            ("against one thread", &|row| Cell::Estimate(row.against_single, 3)),
        ],
    );
    let mut counts: Vec<usize> = rows.iter().map(|row| row.threads).collect();
    counts.dedup();
    let dots = counts.into_iter().map(|threads| {
        let of = rows.iter().filter(|row| row.threads == threads && row.arm != first);
        let plural = if threads == 1 { "" } else { "s" };
        Chart::Dots(Dots {
            title: format!("{threads} thread{plural}: {unit} against {first}"),
            x_label: format!("ratio, {better} is better"),
            baseline: 1.0,
            rows: of.map(|row| (row.arm.clone(), row.against_first)).collect(),
        })
    });
    let work = "Virtual threads: the same command gives the same numbers on every machine.";
    let name = format!("experiment-{}", question.name);
    Section {
        table,
        charts: dots.collect(),
        notes: if timed { Vec::new() } else { vec![work.to_owned()] },
        ..Section::new(&name, question.title, question.text)
    }
}
