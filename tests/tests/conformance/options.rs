//! Options: how they are listed, and how they are set.

use megatherium_board::Board;
use megatherium_tests::conversation::number;

use crate::subject::{Check, Done, Subject, parse_option, promise, protocol, quiet, quit, search};

pub const CHECKS: &[Check] = &[
    protocol("every option is listed with a type and a sensible default", listed_well),
    protocol("every listed default can be sent back", defaults_return),
    protocol("spin options can be set to their smallest value", smallest_values),
    protocol("names and values are compared without regard to case", any_case),
    protocol("names with spaces can be set", names_with_spaces),
    protocol("MultiPV shows that many lines, all different", several_lines),
    protocol("Hash and Threads can be changed between searches", resources_change),
    promise("a refused option is named in one error line and changes nothing", refused_by_name),
    promise("setoption during a search waits or counts for the next", during_a_search),
    promise("Threads 0 and 100000, Hash 0 and beyond all memory, are refused", beyond_bounds),
];

fn listed_well(subject: &Subject) -> Done {
    let mut engine = subject.start();
    engine.send("uci");
    let lines = engine.until("uciok");
    for line in lines.iter().filter(|line| line.starts_with("option")) {
        let option = parse_option(line).unwrap_or_else(|| panic!("unreadable: {line}"));
        let default = option.default.as_deref();
        match option.kind.as_str() {
            "check" => assert!(matches!(default, Some("true" | "false")), "{line}"),
            "spin" => {
                let default: i64 = default.and_then(|value| value.parse().ok()).expect(line);
                assert!(option.min.is_some_and(|min| min <= default), "{line}");
                assert!(option.max.is_some_and(|max| default <= max), "{line}");
            }
            "combo" => assert!(line.contains(" var "), "{line}"),
            "button" => assert_eq!(default, None, "{line}"),
            "string" => assert!(default.is_some(), "{line}"),
            kind => panic!("no such type as {kind}: {line}"),
        }
    }
    let mut names: Vec<_> = subject.options.iter().map(|option| option.name.to_lowercase()).collect();
    names.sort();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "a name is listed twice: {names:?}");
    quit(engine);
    Done::Passed
}

fn defaults_return(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    // What a GUI shows as a text about the engine is not for setting.
    for option in subject.options.iter().filter(|option| !option.name.starts_with("UCI_Engine")) {
        match &option.default {
            Some(value) => engine.send(&format!("setoption name {} value {value}", option.name)),
            None => engine.send(&format!("setoption name {}", option.name)),
        }
        let said = engine.ready();
        assert!(!said.iter().any(|line| line.contains("error")), "{}: {said:?}", option.name);
    }
    search(&mut engine, "go depth 4", &Board::startpos());
    quit(engine);
    Done::Passed
}

fn smallest_values(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    for option in subject.options.iter().filter(|option| option.kind == "spin") {
        engine.send(&format!("setoption name {} value {}", option.name, option.min.expect("a minimum")));
        quiet(&mut engine);
    }
    search(&mut engine, "go nodes 100", &Board::startpos());
    quit(engine);
    Done::Passed
}

fn lines_shown(said: &[String]) -> Option<i64> {
    said.iter().filter_map(|line| number(line, "multipv")).max()
}

fn any_case(subject: &Subject) -> Done {
    if subject.option("MultiPV").is_none() {
        return Done::Skipped("no option MultiPV");
    }
    let mut engine = subject.start_uci();
    for (name, lines) in [("multipv", 2), ("MULTIPV", 3), ("mUlTiPv", 2)] {
        engine.send(&format!("setoption name {name} value {lines}"));
        let said = search(&mut engine, "go depth 3", &Board::startpos());
        assert_eq!(lines_shown(&said), Some(lines), "{name}");
    }
    quit(engine);
    Done::Passed
}

fn names_with_spaces(subject: &Subject) -> Done {
    let Some(option) =
        subject.options.iter().find(|option| option.kind == "spin" && option.name.contains(' '))
    else {
        return Done::Skipped("no option with a space in its name");
    };
    let mut engine = subject.start_uci();
    engine.send(&format!("setoption name {} value {}", option.name, option.max.expect("a maximum")));
    let said = engine.ready();
    assert!(said.is_empty(), "{said:?}");
    search(&mut engine, "go nodes 100", &Board::startpos());
    quit(engine);
    Done::Passed
}

fn several_lines(subject: &Subject) -> Done {
    if subject.option("MultiPV").is_none() {
        return Done::Skipped("no option MultiPV");
    }
    let mut engine = subject.start_uci();
    engine.send("setoption name MultiPV value 4");
    let said = search(&mut engine, "go depth 5", &Board::startpos());
    let last = |rank| {
        let line = said.iter().rev().find(|line| number(line, "multipv") == Some(rank));
        let line = line.unwrap_or_else(|| panic!("no line {rank} in {said:?}"));
        megatherium_tests::conversation::pv(line)[0].to_owned()
    };
    let mut first_moves: Vec<_> = (1..=4).map(last).collect();
    first_moves.sort();
    first_moves.dedup();
    assert_eq!(first_moves.len(), 4, "{said:?}");
    // More lines than there are moves.
    engine.send("position fen 7k/8/8/8/8/8/r7/7K w - - 0 1");
    search(&mut engine, "go depth 3", &crate::subject::board("7k/8/8/8/8/8/r7/7K w - - 0 1"));
    quit(engine);
    Done::Passed
}

fn resources_change(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    for (hash, threads) in [(16, 1), (1, 2), (32, 4), (4, 1), (64, 2), (16, 1)] {
        engine.send(&format!("setoption name Hash value {hash}\nsetoption name Threads value {threads}"));
        search(&mut engine, "go depth 4", &Board::startpos());
        engine.send("ucinewgame");
        quiet(&mut engine);
    }
    quit(engine);
    Done::Passed
}

fn refused_by_name(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    for (line, named) in [
        ("setoption name Nonsense value 1", "Nonsense"),
        ("setoption name", "name"),
        ("setoption", "name"),
        ("setoption name Threads value two", "two"),
        ("setoption name Threads", "Threads"),
        ("setoption name Ponder value maybe", "maybe"),
        ("setoption Hash 16", "Hash"),
    ] {
        let error = engine.error(line);
        assert!(error.contains(named), "{line}: {error}");
        search(&mut engine, "go nodes 100", &Board::startpos());
    }
    quit(engine);
    Done::Passed
}

fn during_a_search(subject: &Subject) -> Done {
    let mut engine = subject.start_uci();
    for _ in 0..subject.times(10) {
        engine.send("go infinite");
        engine.send("setoption name Hash value 2\nsetoption name Threads value 2\nsetoption name Clear Hash");
        engine.send("setoption name MultiPV value 2\nucinewgame");
        assert_eq!(crate::subject::answers(&engine.ready()), 0);
        engine.send("setoption name Hash value 16\nsetoption name Threads value 1\nstop");
        engine.until("bestmove");
        let said = search(&mut engine, "go depth 3", &Board::startpos());
        assert_eq!(lines_shown(&said), Some(2));
        engine.send("setoption name MultiPV value 1");
    }
    quit(engine);
    Done::Passed
}

fn beyond_bounds(subject: &Subject) -> Done {
    // Where the system promises all the memory one asks for, an engine that believes it takes the machine down.
    let promises_all =
        std::fs::read_to_string("/proc/sys/vm/overcommit_memory").is_ok_and(|text| text.trim() == "1");
    if promises_all && !subject.own {
        return Done::Skipped("dangerous on this machine");
    }
    let mut engine = subject.start_uci();
    for line in [
        "setoption name Threads value 0",
        "setoption name Threads value 100000",
        "setoption name Threads value -1",
        "setoption name Hash value 0",
        "setoption name Hash value 33554432",
        "setoption name Hash value 99999999999999999999",
    ] {
        let error = engine.error(line);
        let value = line.rsplit(' ').next().expect("a value");
        assert!(error.contains(value), "{line}: {error}");
        search(&mut engine, "go depth 3", &Board::startpos());
    }
    quit(engine);
    Done::Passed
}
