//! Options: how they are listed, and how they are set.

use megatherium_board::Board;
use megatherium_tests::conversation::number;

use crate::subject::{Check, Done, Subject, check, parse_option, quiet, quit, search};

pub const CHECKS: &[Check] = &[
    check("every option is listed with a type and a sensible default", listed_well),
    check("every listed default can be sent back", defaults_return),
    check("spin options can be set to their smallest value", smallest_values),
    check("names and values are compared without regard to case", any_case),
    check("names with spaces can be set", names_with_spaces),
    check("MultiPV shows that many lines, all different", several_lines),
    check("Hash and Threads can be changed between searches", resources_change),
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
    let mut names: Vec<_> =
        subject.options.iter().map(|option| option.name.to_lowercase()).collect();
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
        engine.send(&format!(
            "setoption name {} value {}",
            option.name,
            option.min.expect("a minimum")
        ));
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
    engine.send(&format!(
        "setoption name {} value {}",
        option.name,
        option.max.expect("a maximum")
    ));
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
        engine.send(&format!(
            "setoption name Hash value {hash}\nsetoption name Threads value {threads}"
        ));
        search(&mut engine, "go depth 4", &Board::startpos());
        engine.send("ucinewgame");
        quiet(&mut engine);
    }
    quit(engine);
    Done::Passed
}
