//! Base reductions of late moves: the product of two logarithms, computed once.

use std::sync::LazyLock;

use crate::params;

/// Reductions in 1/1024 ply by kind of move, depth and move number.
pub struct Reductions {
    quiet: [[i32; 64]; 64],
    noisy: [[i32; 64]; 64],
}

static REDUCTIONS: LazyLock<Reductions> = LazyLock::new(|| {
    let table = |base: f64, divisor: f64| {
        let mut table = [[0; 64]; 64];
        for (depth, row) in table.iter_mut().enumerate().skip(1) {
            for (number, entry) in row.iter_mut().enumerate().skip(1) {
                let product = (depth as f64).ln() * (number as f64).ln();
                *entry = (base + 1024.0 * product / divisor) as i32;
            }
        }
        table
    };
    Reductions {
        quiet: table(params::LMR_QUIET_BASE, params::LMR_QUIET_DIVISOR),
        noisy: table(params::LMR_NOISY_BASE, params::LMR_NOISY_DIVISOR),
    }
});

impl Reductions {
    /// The table.
    pub fn get() -> &'static Reductions {
        &REDUCTIONS
    }

    /// Reduction of the `number`th move at `depth`.
    #[inline]
    pub fn base(&self, quiet: bool, depth: i32, number: usize) -> i32 {
        let table = if quiet { &self.quiet } else { &self.noisy };
        table[depth.clamp(0, 63) as usize][number.min(63)]
    }
}
