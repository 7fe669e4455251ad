//! `NumaPolicy`: threads run where the option says, and a policy that makes no sense is refused.

use megatherium_tests::Conversation;

/// The processors each search thread may use, by number of the thread, as Linux tells it. A thread
/// that has just been joined may be listed a moment longer, before the one that took its place.
#[cfg(target_os = "linux")]
fn allowed(engine: &Conversation) -> std::collections::BTreeMap<String, String> {
    let folder = format!("/proc/{}/task", engine.process_id());
    let tasks = std::fs::read_dir(folder).expect("the threads of the engine");
    let read = |path| std::fs::read_to_string(path).ok();
    tasks
        .map(|task| task.expect("a thread").path())
        .filter_map(|task| {
            let name = read(task.join("comm"))?;
            Some((name.trim().to_owned(), read(task.join("status"))?))
        })
        .filter(|(name, _)| name.starts_with("search-"))
        .map(|(name, status)| {
            let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
            (name, list.expect("a list of processors").trim().to_owned())
        })
        .collect()
}

#[cfg(target_os = "linux")]
#[test]
fn threads_run_where_they_are_told() {
    let mut engine = Conversation::start_uci();
    let free = allowed(&engine)["search-0"].clone();
    let (Some(first), true) = (
        free.split(['-', ',']).next(),
        std::thread::available_parallelism().is_ok_and(|count| count.get() > 1) && free != "0",
    ) else {
        println!("skipped: one processor only");
        engine.quit();
        return;
    };
    let second = free.split(['-', ',']).next_back().expect("a number");
    engine.send("setoption name Threads value 3");
    let said = engine.ask(&format!("setoption name NumaPolicy value {first}:{second}"));
    assert_eq!(
        said,
        [format!("info string 2 threads on processors {first}; 1 thread on processors {second}")]
    );
    let bound: Vec<String> = allowed(&engine).into_values().collect();
    assert_eq!(bound, [first, second, first]);
    engine.send("position startpos");
    let lines = engine.go("go nodes 20000");
    assert!(lines.iter().any(|line| line.starts_with("bestmove")), "{lines:?}");
    // More threads are placed by the same policy; without one they are free again.
    engine.send("setoption name Threads value 4");
    engine.ready();
    assert_eq!(allowed(&engine)["search-3"], second);
    let said = engine.ask("setoption name NumaPolicy value none");
    assert_eq!(said, ["info string threads are not bound"]);
    assert!(allowed(&engine).values().all(|list| *list == free));
    engine.quit();
}

#[test]
fn nonsense_is_refused_and_the_old_policy_stays() {
    let mut engine = Conversation::start_uci();
    for (policy, named) in [
        ("everywhere", "everywhere"),
        ("0:0", "processor 0 is in two nodes"),
        ("3-1", "3-1"),
        ("0-70000", "0-70000"),
    ] {
        let error = engine.error(&format!("setoption name NumaPolicy value {policy}"));
        assert!(error.contains(named), "{policy}: {error}");
    }
    #[cfg(target_os = "linux")]
    {
        let error = engine.error("setoption name NumaPolicy value 1023");
        assert!(error.contains("processor 1023 is not available"), "{error}");
    }
    let lines = engine.go("go nodes 1000");
    assert!(lines.iter().any(|line| line.starts_with("bestmove")), "{lines:?}");
    engine.quit();
}
