//! How much memory is free.

/// Memory that can be had without swapping, in MiB; `None` where the system does not say.
pub fn available_mebibytes() -> Option<usize> {
    parse(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

fn parse(meminfo: &str) -> Option<usize> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: usize = line.split_ascii_whitespace().next()?.parse().ok()?;
    Some(kibibytes / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_line_it_needs() {
        assert_eq!(parse("MemTotal: 9 kB\nMemAvailable:   16384000 kB\nCached: 1 kB\n"), Some(16_000));
        assert_eq!(parse("MemTotal: 9 kB\n"), None);
        assert_eq!(parse("MemAvailable: much\n"), None);
    }
}
