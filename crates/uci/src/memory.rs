//! How much memory is free.
//!
//! An overcommitted system hands out more memory than it has and kills the process that touches it,
//! so a successful allocation proves nothing. What can be used without risk is the smallest of:
//! what the machine has, what the process's control group may use (containers), and what is left of
//! its address space (`ulimit -v`) and of its data segment (`ulimit -d`).

use std::fs::read_to_string;

use megatherium_search::memory_of_threads;
use megatherium_search::smp::STACK_BYTES;

/// Memory that can be used without swapping or being killed, in MiB; `None` where the system does
/// not say.
pub fn available_mebibytes() -> Option<usize> {
    let machine = read_to_string("/proc/meminfo").ok().and_then(|text| machine(&text));
    [machine, group_mebibytes(), limited_mebibytes()].into_iter().flatten().min()
}

/// What is left under the limits of the process, in MiB; `None` if there are none.
fn limited_mebibytes() -> Option<usize> {
    let limits = read_to_string("/proc/self/limits").ok()?;
    let status = read_to_string("/proc/self/status").ok()?;
    // Private memory counts as data on Linux, whether it is mapped or on the heap.
    let left = [("Max address space", "VmSize:"), ("Max data size", "VmData:")];
    left.into_iter().filter_map(|(limit, used)| left_of(&limits, limit, &status, used)).min()
}

/// The shortage if a table of this size replaced one of size `old`; `None` if it fits.
pub fn too_large_table(mebibytes: usize, old: usize) -> Option<String> {
    let reach = available_mebibytes()?.saturating_add(old);
    (mebibytes > reach).then(|| format!("only {reach} MiB of memory are free"))
}

/// The shortage if this many bytes were allocated; `None` if they fit.
///
/// For allocations whose failure ends the process. Free memory may be fragmented, so a mebibyte
/// must be left over.
pub fn too_little_for(bytes: usize) -> Option<String> {
    let needed = (bytes >> 20) + 2;
    let free = available_mebibytes().filter(|&free| free < needed)?;
    Some(format!("it needs about {needed} MiB of memory, and {free} MiB are free"))
}

/// The shortage if this many search threads were started beside a new table; `None` if both fit.
///
/// A thread uses little of what it reserves, most of which is its stack. The reservation counts
/// against the limits of the process. What the program itself allocates meanwhile must fit too.
pub fn too_many_threads(threads: usize, table: usize) -> Option<String> {
    const SPARE: usize = 8;
    let shortage = |needed: usize, free: Option<usize>, what| {
        let needed = needed.saturating_add(table);
        let free = free.filter(|&free| free < needed)?;
        Some(format!("they need about {needed} MiB of {what}, and {free} MiB are free"))
    };
    let used = memory_of_threads(threads);
    let reserved = threads.saturating_mul(STACK_BYTES >> 20).saturating_add(used + SPARE);
    shortage(used, available_mebibytes(), "memory")
        .or_else(|| shortage(reserved, limited_mebibytes(), "address space"))
}

/// Memory of the whole machine that is free or can be freed.
fn machine(meminfo: &str) -> Option<usize> {
    Some(kibibytes(meminfo, "MemAvailable:")? / 1024)
}

/// What a limit leaves over what is used, in MiB; `None` if it is unlimited.
fn left_of(limits: &str, limit: &str, status: &str, used: &str) -> Option<usize> {
    let line = limits.lines().find_map(|line| line.strip_prefix(limit))?;
    // A number of bytes, or "unlimited".
    let limit: usize = line.split_ascii_whitespace().next()?.parse().ok()?;
    let used = kibibytes(status, used)?;
    Some((limit / 1024).saturating_sub(used) / 1024)
}

/// The number of kibibytes on the line that begins with `name`.
fn kibibytes(text: &str, name: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

/// What the control group of this process, and those around it, may still use.
fn group_mebibytes() -> Option<usize> {
    let groups = read_to_string("/proc/self/cgroup").ok()?;
    let folders = groups.lines().filter_map(group_folder);
    // A container sees its own group at the root, whatever the path says.
    let roots = ["/sys/fs/cgroup", "/sys/fs/cgroup/memory"].map(String::from);
    folders
        .flat_map(|folder| ancestors(&folder))
        .chain(roots)
        .filter_map(|folder| group_free(&folder))
        .min()
}

/// The folder of a line of `/proc/self/cgroup`, if it is about memory: `0::/path` in version 2,
/// `4:memory:/path` in 1.
fn group_folder(line: &str) -> Option<String> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (controllers, path) = (parts.next()?, parts.next()?.trim_end_matches('/'));
    if controllers.is_empty() {
        Some(format!("/sys/fs/cgroup{path}"))
    } else {
        controllers
            .split(',')
            .any(|name| name == "memory")
            .then(|| format!("/sys/fs/cgroup/memory{path}"))
    }
}

/// The folder and those above it, as far as control groups go.
fn ancestors(folder: &str) -> Vec<String> {
    let ends = folder.match_indices('/').map(|(at, _)| at).chain([folder.len()]);
    ends.map(|end| folder[..end].to_owned())
        .filter(|folder| folder.starts_with("/sys/fs/cgroup"))
        .collect()
}

fn group_free(folder: &str) -> Option<usize> {
    let read = |name: &str| read_to_string(format!("{folder}/{name}")).ok();
    let limit = read("memory.max").or_else(|| read("memory.limit_in_bytes"))?;
    let used = read("memory.current").or_else(|| read("memory.usage_in_bytes"))?;
    group_left(&limit, &used, &read("memory.stat").unwrap_or_default())
}

/// The limit minus the usage. The page cache counts as usage, but the kernel reclaims it.
fn group_left(limit: &str, used: &str, stat: &str) -> Option<usize> {
    let limit: usize = limit.trim().parse().ok()?; // "max" where there is none
    let used: usize = used.trim().parse().ok()?;
    let files = kibibytes(stat, "inactive_file ").unwrap_or(0); // in bytes here
    Some(limit.saturating_sub(used.saturating_sub(files)) >> 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_line_it_needs() {
        assert_eq!(
            machine("MemTotal: 9 kB\nMemAvailable:   16384000 kB\nCached: 1 kB\n"),
            Some(16_000)
        );
        assert_eq!(machine("MemTotal: 9 kB\n"), None);
        assert_eq!(machine("MemAvailable: much\n"), None);
    }

    #[test]
    fn address_space_and_data_may_be_limited() {
        let status = "Name:\tmegatherium\nVmSize:\t  524288 kB\nVmData:\t  102400 kB\n";
        let limits = "Limit  Soft Limit  Hard Limit  Units\n\
                      Max data size  1073741824  unlimited  bytes\n\
                      Max address space  1073741824  unlimited  bytes\n";
        let space = |limits| left_of(limits, "Max address space", status, "VmSize:");
        assert_eq!(space(limits), Some(512));
        assert_eq!(left_of(limits, "Max data size", status, "VmData:"), Some(924));
        assert_eq!(space("Max address space  unlimited  unlimited  bytes\n"), None);
        assert_eq!(space("Max address space  1024  1024  bytes\n"), Some(0));
    }

    #[test]
    fn control_groups_are_found_in_both_versions() {
        assert_eq!(group_folder("0::/user/app"), Some("/sys/fs/cgroup/user/app".into()));
        assert_eq!(group_folder("4:memory:/app"), Some("/sys/fs/cgroup/memory/app".into()));
        assert_eq!(group_folder("4:cpu,memory:/"), Some("/sys/fs/cgroup/memory".into()));
        assert_eq!(group_folder("5:devices:/"), None);
        assert_eq!(group_folder("nonsense"), None);
        assert_eq!(
            ancestors("/sys/fs/cgroup/a/b"),
            ["/sys/fs/cgroup", "/sys/fs/cgroup/a", "/sys/fs/cgroup/a/b"]
        );
    }

    #[test]
    fn a_group_has_left_what_is_neither_used_nor_read_from_files() {
        let mebibytes = |count: usize| (count << 20).to_string();
        let stat = format!("anon 5\ninactive_file {}\n", 10 << 20);
        assert_eq!(group_left(&mebibytes(100), &mebibytes(60), &stat), Some(50));
        assert_eq!(group_left(&mebibytes(100), &mebibytes(60), ""), Some(40));
        assert_eq!(group_left(&mebibytes(100), &mebibytes(600), ""), Some(0));
        assert_eq!(group_left("max\n", &mebibytes(60), ""), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_machine_has_memory() {
        assert!(available_mebibytes().is_some_and(|free| free > 0));
        assert_eq!(too_little_for(0), None);
        assert!(too_little_for(usize::MAX).is_some_and(|shortage| shortage.contains("are free")));
    }
}
