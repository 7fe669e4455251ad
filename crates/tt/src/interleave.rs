//! NUMA on Linux: interleaving a table over memory nodes.
//!
//! On a machine with several memory nodes the system puts a page on the node of the thread that
//! first touches it. A table that one thread has cleared is then on one node, which serves all
//! threads. Interleaved, its pages come from all nodes in turn.

/// Nodes that can be named.
#[cfg(all(target_os = "linux", target_pointer_width = "64", feature = "std", not(miri)))]
const NODES: usize = 1024;

/// The nodes as the kernel takes them, a bit each; `None` if one cannot be named.
#[cfg(all(target_os = "linux", target_pointer_width = "64", feature = "std", not(miri)))]
fn mask_of(nodes: &[usize]) -> Option<[core::ffi::c_ulong; NODES / 64]> {
    let mut mask = [0; NODES / 64];
    for &node in nodes {
        *mask.get_mut(node / 64)? |= 1 << (node % 64);
    }
    Some(mask)
}

/// Asks the system to take the pages of this memory from these nodes in turn, and to move those
/// that are elsewhere already; returns whether it accepted. The memory must be page-aligned.
#[cfg(all(target_os = "linux", target_pointer_width = "64", feature = "std", not(miri)))]
pub(crate) fn interleave<T>(table: &[T], nodes: &[usize]) -> bool {
    use core::ffi::{c_int, c_long, c_uint, c_ulong};
    // The C library does not wrap `mbind`; only libnuma does.
    unsafe extern "C" {
        fn syscall(number: c_long, ...) -> c_long;
    }
    const MPOL_INTERLEAVE: c_int = 3;
    const MPOL_MF_MOVE: c_uint = 2;
    // The kernel's number of `mbind`.
    let number: c_long = if cfg!(target_arch = "x86_64") {
        237
    } else if cfg!(target_arch = "aarch64") {
        235
    } else {
        return false;
    };
    let Some(mask) = mask_of(nodes) else { return false };
    // SAFETY: the range is exactly that of a live slice and the mask is as long as the call is
    // told (it counts one more). Where pages lie does not change what is in them.
    let result = unsafe {
        syscall(
            number,
            table.as_ptr(),
            size_of_val(table) as c_ulong,
            MPOL_INTERLEAVE,
            mask.as_ptr(),
            (NODES + 1) as c_ulong,
            MPOL_MF_MOVE,
        )
    };
    result == 0
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64", feature = "std", not(miri))))]
pub(crate) fn interleave<T>(_: &[T], _: &[usize]) -> bool {
    false
}

#[cfg(all(target_os = "linux", target_pointer_width = "64", feature = "std", not(miri)))]
#[cfg(test)]
mod tests {
    use crate::Table;
    use crate::samples::Nothing;

    /// Whether the system says that memory at this address is interleaved.
    fn is_interleaved(address: usize) -> bool {
        let maps = std::fs::read_to_string("/proc/self/numa_maps").unwrap_or_default();
        maps.lines().any(|line| {
            let mut fields = line.split_ascii_whitespace();
            let start = fields.next().and_then(|start| usize::from_str_radix(start, 16).ok());
            start == Some(address) && fields.next().is_some_and(|mode| mode == "interleave:0")
        })
    }

    /// Every machine has a node 0. What a system without memory nodes refuses, it does not report.
    #[test]
    fn the_system_is_asked_about_the_whole_table() {
        let table = Table::<Nothing>::new(4).unwrap();
        let start = table.address_range().start;
        assert!(!is_interleaved(start));
        assert_eq!(table.interleave(&[0]), is_interleaved(start));
        let is_asked = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
        let knows_nodes = std::path::Path::new("/sys/devices/system/node/node0").exists();
        assert!(is_interleaved(start) || !knows_nodes || !is_asked);
    }

    #[test]
    fn every_node_is_a_bit_of_the_mask() {
        let mut expected = [0; 16];
        (expected[0], expected[1], expected[2], expected[15]) = (1 << 63 | 3, 1, 4, 1 << 63);
        assert_eq!(super::mask_of(&[0, 1, 63, 64, 130, 1023]), Some(expected));
        assert_eq!(super::mask_of(&[]), Some([0; 16]));
        assert_eq!(super::mask_of(&[1024]), None);
    }

    #[test]
    fn nodes_that_are_not_there_are_refused() {
        let table = Table::<Nothing>::new(4).unwrap();
        assert!(!table.interleave(&[1023]) && !table.interleave(&[1024]));
        assert!(!table.interleave(&[]), "nothing to choose from");
        let small = Table::<Nothing>::new(1).unwrap();
        assert!(!small.interleave(&[0]), "too small to be worth it");
    }
}
