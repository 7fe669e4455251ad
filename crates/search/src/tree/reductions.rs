//! Base reductions of late moves: the product of two logarithms.

use std::sync::LazyLock;

use crate::params::Params;

/// Natural logarithms in 1/1024, up to the depths and move numbers beyond which nothing changes.
static LOGARITHMS: LazyLock<[i32; 64]> =
    LazyLock::new(|| std::array::from_fn(|n| (1024.0 * (n.max(1) as f64).ln()) as i32));

/// The logarithms, looked up once per search.
#[derive(Clone, Copy, Debug)]
pub struct Reductions(&'static [i32; 64]);

impl Default for Reductions {
    fn default() -> Self {
        Reductions(&LOGARITHMS)
    }
}

impl Reductions {
    /// Reduction of the `number`th move at `depth`, in 1/1024 ply.
    #[inline]
    pub fn base(self, params: &Params, quiet: bool, depth: i32, number: usize) -> i32 {
        let (base, slope) = if quiet {
            (params.lmr_quiet_base, params.lmr_quiet_slope)
        } else {
            (params.lmr_noisy_base, params.lmr_noisy_slope)
        };
        let product = self.0[depth.clamp(0, 63) as usize] * self.0[number.min(63)];
        base + (product >> 10) * slope / 1024
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reductions_grow_with_depth_and_number() {
        let (reductions, params) = (Reductions::default(), Params::default());
        let base = |depth, number| reductions.base(&params, true, depth, number);
        assert_eq!(base(1, 1), params.lmr_quiet_base);
        assert!(base(5, 5) < base(5, 10) && base(5, 10) < base(10, 10));
        assert_eq!(base(200, 200), base(63, 63));
    }
}
