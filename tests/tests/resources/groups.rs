//! The memory of a control group, as a container has it. Where none can be made, the test says so.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use megatherium_tests::{Conversation, binary};

use crate::running::{Files, conversations, run, verdict};

/// A control group inside the one this process is in; removed when it is dropped.
struct Group(PathBuf);

impl Group {
    /// A group that may use so many mebibytes, in whichever version the system has.
    fn make(mebibytes: u64) -> Option<Group> {
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        groups.lines().find_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            let (controllers, own) = (parts.next()?, parts.next()?.trim_start_matches('/'));
            let (root, limit) = match controllers {
                "" => ("/sys/fs/cgroup", "memory.max"),
                "memory" => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
                _ => return None,
            };
            let name = format!("megatherium-{mebibytes}-{}", std::process::id());
            let folder = Path::new(root).join(own).join(name);
            fs::create_dir(&folder).ok()?;
            let group = Group(folder);
            // Without the controller there is no such file, and the group is of no use.
            let limited = group.0.join(limit).exists();
            (limited && fs::write(group.0.join(limit), (mebibytes << 20).to_string()).is_ok())
                .then_some(group)
        })
    }

    /// The engine in this group.
    fn engine(&self) -> Command {
        let mut command = Command::new("sh");
        let script = "echo $$ > \"$0/cgroup.procs\" && exec \"$1\"";
        command.args(["-c", script]).arg(&self.0).arg(binary::engine());
        command
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Its processes have ended, but the system may take a moment to notice.
        for _ in 0..100 {
            if fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        println!("{} is left behind", self.0.display());
    }
}

/// Every command gets an answer or one error line, and the system never has to kill the engine.
#[test]
fn short_memory_in_a_group() {
    let files = Files::make();
    for mebibytes in [64, 128, 400] {
        let Some(group) = Group::make(mebibytes) else {
            println!("skipped: no control group with a limit of memory can be made");
            return;
        };
        let (input, searches) = conversations(&files).swap_remove(0);
        let ended = run(&mut group.engine(), &input);
        if let Err(error) = verdict(&ended, searches) {
            panic!("in a group of {mebibytes} MiB: {error}");
        }
        println!("{searches} commands in a group of {mebibytes} MiB");
    }
}

/// What does not fit into the group is refused by name, although the machine has it.
#[test]
fn a_group_limits_table_and_threads() {
    let Some(group) = Group::make(256) else {
        println!("skipped: no control group with a limit of memory can be made");
        return;
    };
    let mut engine = Conversation::start_command(&mut group.engine());
    for line in ["setoption name Hash value 400", "setoption name Threads value 100"] {
        let error = engine.error(line);
        assert!(error.contains(line.rsplit(' ').next().unwrap_or_default()), "{error}");
    }
    assert!(engine.ask("setoption name Hash value 100").is_empty());
    // Clearing touches every page: the table is there.
    assert!(engine.ask("setoption name Clear Hash").is_empty());
    engine.go("go depth 4");
    engine.quit();
}
