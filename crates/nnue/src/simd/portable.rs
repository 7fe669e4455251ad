//! Plain loops over fixed-size arrays, in the shape the compiler turns into vector code on any
//! machine.

use super::{CEILING, Row};

/// Lanes worked on together: enough to fill the widest vectors, few enough to stay in registers.
const LANES: usize = 32;

/// `to = from + Σ added − Σ removed`.
#[inline]
pub(super) fn apply<const N: usize, const A: usize, const R: usize>(
    from: &Row<N>,
    to: &mut Row<N>,
    added: [&Row<N>; A],
    removed: [&Row<N>; R],
) {
    for i in 0..N {
        let mut value = from.0[i];
        for row in added {
            value = value.wrapping_add(row.0[i]);
        }
        for row in removed {
            value = value.wrapping_sub(row.0[i]);
        }
        to.0[i] = value;
    }
}

/// Adds and subtracts the numbered rows of `weights`.
#[inline]
pub(super) fn accumulate<const N: usize>(
    values: &mut Row<N>,
    weights: &[Row<N>],
    added: &[u16],
    removed: &[u16],
) {
    // Block by block, so that a block of the sum stays in registers while the rows pass by.
    for (number, block) in values.0.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let mut sum = *block;
        for &row in added {
            let row = &weights[row as usize].0.as_chunks::<LANES>().0[number];
            for (value, &weight) in sum.iter_mut().zip(row) {
                *value = value.wrapping_add(weight);
            }
        }
        for &row in removed {
            let row = &weights[row as usize].0.as_chunks::<LANES>().0[number];
            for (value, &weight) in sum.iter_mut().zip(row) {
                *value = value.wrapping_sub(weight);
            }
        }
        *block = sum;
    }
}

/// `Σ clamp(value)² · weight`.
#[inline]
pub(super) fn screlu_dot<const N: usize>(values: &Row<N>, weights: &Row<N>) -> i64 {
    let mut lanes = [0_i32; LANES];
    let blocks = values.0.as_chunks::<LANES>().0.iter().zip(weights.0.as_chunks::<LANES>().0);
    for (values, weights) in blocks {
        for ((lane, &value), &weight) in lanes.iter_mut().zip(values).zip(weights) {
            let clamped = value.clamp(0, CEILING);
            *lane += i32::from(clamped.wrapping_mul(weight)) * i32::from(clamped);
        }
    }
    lanes.iter().map(|&lane| i64::from(lane)).sum()
}
