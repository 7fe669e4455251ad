//! What the client of OpenBench asks of an engine, as it asks.

mod common;

use std::io::Write as _;
use std::process::{Command, Stdio};

use common::{engine, failure, success};

/// The openings of a call like the client's, its words as one argument and `quit` as another.
fn genfens(words: &str) -> Vec<String> {
    let output = success(&[words, "quit"]);
    let fens = output.lines().map(|line| {
        let fen = line.strip_prefix("info string genfens ").expect("only openings");
        // The client takes six fields, the last two of them numbers.
        let fields: Vec<&str> = fen.split(' ').collect();
        assert_eq!(fields.len(), 6, "{fen}");
        assert!(fields[4..].iter().all(|field| field.parse::<u32>().is_ok()), "{fen}");
        success(&["d", fen]);
        fen.to_owned()
    });
    fens.collect()
}

#[test]
fn openings_depend_on_the_seed() {
    let first = genfens("genfens 4 seed 1 book None ");
    assert_eq!(first.len(), 4);
    assert_eq!(genfens("genfens 4 seed 1 book None "), first);
    let other = genfens("genfens 4 seed 2 book None ");
    assert!(other.iter().all(|fen| !first.contains(fen)), "{first:?} {other:?}");
    let sides: Vec<_> = genfens("genfens 12 seed 3 book None")
        .iter()
        .map(|fen| fen.split(' ').nth(1).expect("a side").to_owned())
        .collect();
    assert!(sides.contains(&"w".to_owned()) && sides.contains(&"b".to_owned()), "{sides:?}");
}

#[test]
fn openings_start_from_a_book() {
    let folder = tempfile::tempdir().expect("a folder");
    let book = folder.path().join("book.epd");
    std::fs::write(&book, "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - id \"pawns\";\n")
        .expect("a file");
    let words = format!("genfens 3 seed 9 book {} plies 1", book.display());
    for fen in genfens(&words) {
        assert!(
            fen.chars().all(|letter| !"nbrqNBRQ".contains(letter) || fen.contains(" b ")),
            "{fen}"
        );
        let placement = fen.split(' ').next().expect("a placement");
        assert!(!placement.contains(['q', 'Q', 'r', 'R']), "{fen}");
    }
    assert!(failure(&["genfens 3 seed 9 book /nowhere", "quit"]).contains("/nowhere"));
    assert!(failure(&["genfens 3 speed 9", "quit"]).contains("speed"));
    assert!(failure(&["genfens many", "quit"]).contains("many"));
}

/// The variables that the client gives to `make` have their effect.
#[test]
fn its_build_finds_name_net_and_tuning() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let make = |variables: &[&str]| {
        let mut command = Command::new("make");
        let output = command.args(["-n", "-C", folder]).args(variables).output().ok()?;
        assert!(output.status.success(), "{output:?}");
        Some(String::from_utf8(output.stdout).expect("text"))
    };
    let Some(plain) = make(&["-j", "EXE=../megatherium-01234567"]) else {
        println!("skipped: no make");
        return;
    };
    assert!(plain.contains("megatherium ../megatherium-01234567"), "{plain}");
    assert!(!plain.contains("tune") && !plain.contains(".nnue"), "{plain}");
    let all = make(&["EXE=x", "EVALFILE=/nets/a.nnue", "TUNE=1"]).expect("make");
    assert!(all.contains("cp /nets/a.nnue crates/nnue/net/megatherium.nnue\n"), "{all}");
    assert!(all.contains("--features tune"), "{all}");
}

/// The tuning page takes a line per parameter, and the match runner sets them as UCI options.
#[test]
fn parameters_for_its_tuning_page_can_be_set() {
    let listing = success(&["spsa"]);
    let mut conversation = Vec::new();
    for line in listing.lines() {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let [name, "int", value, min, max, c_end, r_end] = fields[..] else { panic!("{line}") };
        let [value, min, max] =
            [value, min, max].map(|text| text.parse::<i32>().expect("a number"));
        assert!(min <= value && value <= max && min < max, "{line}");
        // Less than half a step would round to none.
        assert!(c_end.parse::<f64>().expect("a number") >= 0.5, "{line}");
        assert!(r_end.parse::<f64>().expect("a number") > 0.0, "{line}");
        conversation.push(format!("setoption name {name} value {value}\n"));
    }
    let listed = success(&["params"]).lines().count() - 1;
    assert_eq!(listing.lines().count(), listed, "every parameter");
    let nodes = |options: &str| {
        let mut child =
            engine().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("an engine");
        let text = format!("{options}position startpos\ngo depth 8\n");
        child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it listens");
        let output = child.wait_with_output().expect("an end");
        let output = String::from_utf8(output.stdout).expect("text");
        assert!(!output.contains("error"), "{output}");
        let (_, rest) = output.rsplit_once(" nodes ").expect("a count");
        rest.split(' ').next().expect("a number").to_owned()
    };
    let plain = nodes("");
    assert_eq!(nodes(&conversation.concat()), plain, "the defaults change nothing");
    let changed =
        nodes("setoption name lmr-depth value 128\nsetoption name null_depth value 128\n");
    assert_ne!(changed, plain, "a parameter that is set changes the search");
    let one = success(&["spsa", "razor-depth"]);
    assert!(one.starts_with("razor-depth, int, ") && one.lines().count() == 1, "{one}");
    assert!(failure(&["spsa", "razor-dept"]).contains("razor-depth"));
}
