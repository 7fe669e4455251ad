//! The checker for payload layouts finds what it is for.

use megatherium_tt::{Layout, LayoutError, Packed, Payload, check_layout};

/// Nine bits of information, `SHIFT` bits up.
#[derive(Clone, Copy, PartialEq)]
struct Shifted<const SHIFT: u32>(u16);

impl<const SHIFT: u32> Payload for Shifted<SHIFT> {
    fn pack(self) -> Packed {
        Packed::new((u64::from(self.0) + 1) << SHIFT)
    }
    fn unpack(packed: Packed) -> Self {
        Shifted((packed.bits() >> SHIFT) as u16 - 1)
    }
}

fn samples<const SHIFT: u32>() -> Vec<Shifted<SHIFT>> {
    (0..500).map(Shifted).collect()
}

#[test]
fn bits_on_top_are_sound_and_bits_at_the_bottom_are_weak() {
    let clusters = 16 << 14;
    let top = check_layout(&samples::<48>(), clusters);
    assert_eq!(top, Ok(Layout { pairs: 500 * 16, alive: 0 }));
    let bottom = check_layout(&samples::<0>(), clusters).unwrap_err();
    assert_eq!(bottom, LayoutError::Weak(Layout { pairs: 500 * 16, alive: 500 * 16 }));
    assert_eq!(bottom.to_string(), "8000 of 8000 torn pairs stay in their cluster, not 1 in 100");
}

/// In a table of one cluster nothing can be dead; with more clusters more bits choose.
#[test]
fn the_size_of_the_table_matters() {
    assert!(matches!(check_layout(&samples::<40>(), 1), Err(LayoutError::Weak(_))));
    assert!(check_layout(&samples::<40>(), 1 << 18).is_ok());
    assert!(matches!(check_layout(&samples::<40>(), 1 << 9), Err(LayoutError::Weak(_))));
}

#[test]
fn one_pair_in_a_hundred_is_the_limit() {
    /// A value that differs on top, except for the first few.
    #[derive(Clone, Copy, PartialEq)]
    struct Mixed(u32);
    impl Payload for Mixed {
        fn pack(self) -> Packed {
            let (high, low) = if self.0 < 1000 { (0, self.0 + 1) } else { (self.0, 1) };
            Packed::new(u64::from(high) << 38 | u64::from(low))
        }
        fn unpack(packed: Packed) -> Self {
            let (high, low) = ((packed.bits() >> 38) as u32, packed.bits() as u32);
            Mixed(if high == 0 { low - 1 } else { high })
        }
    }
    let of = |alike: u32| (0..100_000).map(move |n| Mixed(if n < alike { n } else { n + 1000 }));
    assert!(check_layout(&of(500).collect::<Vec<_>>(), 1 << 20).is_ok());
    let weak = check_layout(&of(1000).chain(of(1000)).collect::<Vec<_>>()[..50_000], 1 << 20);
    assert!(matches!(weak, Err(LayoutError::Weak(_))), "{weak:?}");
}

/// Exactly one pair in a hundred is still sound. Of a hundred samples, each torn with sixteen
/// others, `alike` neighbours differ at the bottom alone.
#[test]
fn the_limit_itself_is_sound() {
    #[derive(Clone, Copy, PartialEq)]
    struct Coupled(u64);
    impl Payload for Coupled {
        fn pack(self) -> Packed {
            Packed::new(self.0)
        }
        fn unpack(packed: Packed) -> Self {
            Coupled(packed.bits())
        }
    }
    let check = |alike: u64| {
        let value = |n: u64| {
            let couple = n % 2 == 1 && n / 2 < alike;
            Coupled((n - u64::from(couple)) << 51 | (1 + u64::from(couple)))
        };
        check_layout(&(0..100).map(value).collect::<Vec<_>>(), 1 << 20)
    };
    assert_eq!(check(16), Ok(Layout { pairs: 1600, alive: 16 }));
    assert_eq!(check(17), Err(LayoutError::Weak(Layout { pairs: 1600, alive: 17 })));
}

#[test]
fn what_does_not_survive_is_named() {
    /// Keeps four bits of eight.
    #[derive(Clone, Copy, PartialEq)]
    struct Cut(u8);
    impl Payload for Cut {
        fn pack(self) -> Packed {
            Packed::new(u64::from(self.0 & 15) << 50 | 1)
        }
        fn unpack(packed: Packed) -> Self {
            Cut((packed.bits() >> 50) as u8)
        }
    }
    let error = check_layout(&[Cut(3), Cut(19), Cut(20)], 1 << 20).unwrap_err();
    assert_eq!(error, LayoutError::Changed(1));
    assert_eq!(error.to_string(), "sample 1 is not the same when unpacked");
}

#[test]
fn values_that_differ_must_have_different_bits() {
    /// Equal by half of what it holds only if it says so.
    #[derive(Clone, Copy)]
    struct Lax(u8);
    impl PartialEq for Lax {
        fn eq(&self, other: &Self) -> bool {
            self.0 == other.0 || self.0 == 0 || other.0 == 0
        }
    }
    impl Payload for Lax {
        fn pack(self) -> Packed {
            Packed::new(1)
        }
        fn unpack(_: Packed) -> Self {
            Lax(0)
        }
    }
    let error = check_layout(&[Lax(1), Lax(2)], 1 << 20).unwrap_err();
    assert_eq!(error, LayoutError::Alike(0, 1));
    assert_eq!(error.to_string(), "samples 0 and 1 differ but have the same bits");
}

#[test]
fn without_pairs_there_is_nothing_to_say() {
    for samples in [vec![], vec![Shifted::<48>(3)], vec![Shifted::<48>(3); 9]] {
        let error = check_layout(&samples, 1 << 20).unwrap_err();
        assert_eq!(error, LayoutError::NoPairs);
        assert_eq!(error.to_string(), "no two samples are different");
    }
}
