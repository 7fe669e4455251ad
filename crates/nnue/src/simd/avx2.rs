//! 256-bit vectors: sixteen neurons to a register.

use super::{CEILING, Row};
use std::arch::x86_64::{
    __m256i, _mm_add_epi64, _mm_cvtsi128_si64, _mm_unpackhi_epi64, _mm256_add_epi16,
    _mm256_add_epi32, _mm256_add_epi64, _mm256_castsi256_si128, _mm256_cvtepi32_epi64,
    _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_max_epi16,
    _mm256_min_epi16, _mm256_mullo_epi16, _mm256_set1_epi16, _mm256_setzero_si256,
    _mm256_storeu_si256, _mm256_sub_epi16,
};

/// 16-bit lanes of one vector.
const LANES: usize = 16;

#[inline]
#[target_feature(enable = "avx2")]
fn load(lanes: &[i16; LANES]) -> __m256i {
    // SAFETY: the reference covers the 32 bytes that are read, and the instruction asks for no
    // alignment.
    unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(lanes: &mut [i16; LANES], vector: __m256i) {
    // SAFETY: the exclusive reference covers the 32 bytes that are written; no alignment is asked
    // for.
    unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), vector) }
}

/// The vectors of a row.
#[inline]
fn vectors<const N: usize>(row: &Row<N>) -> &[[i16; LANES]] {
    row.0.as_chunks().0
}

/// `to = from + Σ added − Σ removed`.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn apply<const N: usize, const A: usize, const R: usize>(
    from: &Row<N>,
    to: &mut Row<N>,
    added: [&Row<N>; A],
    removed: [&Row<N>; R],
) {
    for i in 0..N / LANES {
        let mut sum = load(&vectors(from)[i]);
        for row in added {
            sum = _mm256_add_epi16(sum, load(&vectors(row)[i]));
        }
        for row in removed {
            sum = _mm256_sub_epi16(sum, load(&vectors(row)[i]));
        }
        store(&mut to.0.as_chunks_mut().0[i], sum);
    }
}

/// Adds and subtracts the numbered rows of `weights`, two vectors of the sum at a time.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn accumulate<const N: usize>(
    values: &mut Row<N>,
    weights: &[Row<N>],
    added: &[u16],
    removed: &[u16],
) {
    for (number, block) in values.0.as_chunks_mut::<{ 2 * LANES }>().0.iter_mut().enumerate() {
        let [low, high] = block.as_chunks_mut::<LANES>().0 else { return };
        let (mut sum_low, mut sum_high) = (load(low), load(high));
        for &row in added {
            let row = vectors(&weights[row as usize]);
            sum_low = _mm256_add_epi16(sum_low, load(&row[2 * number]));
            sum_high = _mm256_add_epi16(sum_high, load(&row[2 * number + 1]));
        }
        for &row in removed {
            let row = vectors(&weights[row as usize]);
            sum_low = _mm256_sub_epi16(sum_low, load(&row[2 * number]));
            sum_high = _mm256_sub_epi16(sum_high, load(&row[2 * number + 1]));
        }
        store(low, sum_low);
        store(high, sum_high);
    }
}

/// `Σ clamp(value)² · weight`.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn screlu_dot<const N: usize>(values: &Row<N>, weights: &Row<N>) -> i64 {
    let floor = _mm256_setzero_si256();
    let ceiling = _mm256_set1_epi16(CEILING);
    let mut sum = _mm256_setzero_si256();
    for (value, weight) in vectors(values).iter().zip(vectors(weights)) {
        let clamped = _mm256_min_epi16(_mm256_max_epi16(load(value), floor), ceiling);
        let weighted = _mm256_mullo_epi16(clamped, load(weight));
        // Pairs of 32-bit products: at most 2 · 255 · 32385 each, and at most 128 of them meet in a
        // lane.
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(weighted, clamped));
    }
    // The lanes are widened before they meet: their total may need more than 32 bits.
    let low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(sum));
    let high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256::<1>(sum));
    let four = _mm256_add_epi64(low, high);
    let two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256::<1>(four));
    _mm_cvtsi128_si64(_mm_add_epi64(two, _mm_unpackhi_epi64(two, two)))
}
