//! Pins the node count of the bench.

use megatherium_tests::binary;

/// Nodes of `megatherium bench`. Any change of the search, the evaluation or the net changes it: a
/// commit that does so on purpose updates this number and ends with `Bench: N`.
const BENCH: u64 = 766_370;

#[test]
fn bench_counts_the_same_nodes_on_every_machine() {
    let output = binary::command().arg("bench").output().expect("the engine can be started");
    let said = String::from_utf8(output.stdout).expect("text");
    let last = said.lines().last().unwrap_or_default();
    let nodes: u64 = last.split(' ').next().and_then(|nodes| nodes.parse().ok()).expect(last);
    assert_eq!(
        nodes, BENCH,
        "the search has changed: if that was the intention, see CONTRIBUTING.md"
    );
}
