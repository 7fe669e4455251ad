//! 512-bit vectors: thirty-two neurons to a register.

use super::{CEILING, Row};
use std::arch::x86_64::{
    __m512i, _mm512_add_epi16, _mm512_add_epi32, _mm512_add_epi64, _mm512_castsi512_si256,
    _mm512_cvtepi32_epi64, _mm512_extracti64x4_epi64, _mm512_loadu_si512, _mm512_madd_epi16,
    _mm512_max_epi16, _mm512_min_epi16, _mm512_mullo_epi16, _mm512_reduce_add_epi64,
    _mm512_set1_epi16, _mm512_setzero_si512, _mm512_storeu_si512, _mm512_sub_epi16,
};

/// 16-bit lanes of one vector.
const LANES: usize = 32;

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load(lanes: &[i16; LANES]) -> __m512i {
    // SAFETY: the reference covers the 64 bytes that are read, and the instruction asks for no
    // alignment.
    unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store(lanes: &mut [i16; LANES], vector: __m512i) {
    // SAFETY: the exclusive reference covers the 64 bytes that are written; no alignment is asked
    // for.
    unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), vector) }
}

/// The vectors of a row.
#[inline]
fn vectors<const N: usize>(row: &Row<N>) -> &[[i16; LANES]] {
    row.0.as_chunks().0
}

/// `to = from + Σ added − Σ removed`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn apply<const N: usize, const A: usize, const R: usize>(
    from: &Row<N>,
    to: &mut Row<N>,
    added: [&Row<N>; A],
    removed: [&Row<N>; R],
) {
    for i in 0..N / LANES {
        let mut sum = load(&vectors(from)[i]);
        for row in added {
            sum = _mm512_add_epi16(sum, load(&vectors(row)[i]));
        }
        for row in removed {
            sum = _mm512_sub_epi16(sum, load(&vectors(row)[i]));
        }
        store(&mut to.0.as_chunks_mut().0[i], sum);
    }
}

/// Adds and subtracts the numbered rows of `weights`, one vector of the sum at a time.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn accumulate<const N: usize>(
    values: &mut Row<N>,
    weights: &[Row<N>],
    added: &[u16],
    removed: &[u16],
) {
    for (number, block) in values.0.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let mut sum = load(block);
        for &row in added {
            sum = _mm512_add_epi16(sum, load(&vectors(&weights[row as usize])[number]));
        }
        for &row in removed {
            sum = _mm512_sub_epi16(sum, load(&vectors(&weights[row as usize])[number]));
        }
        store(block, sum);
    }
}

/// `Σ clamp(value)² · weight`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn screlu_dot<const N: usize>(values: &Row<N>, weights: &Row<N>) -> i64 {
    let floor = _mm512_setzero_si512();
    let ceiling = _mm512_set1_epi16(CEILING);
    let mut sum = _mm512_setzero_si512();
    for (value, weight) in vectors(values).iter().zip(vectors(weights)) {
        let clamped = _mm512_min_epi16(_mm512_max_epi16(load(value), floor), ceiling);
        let weighted = _mm512_mullo_epi16(clamped, load(weight));
        // Pairs of 32-bit products: at most 2 · 255 · 32385 each, and at most 64 of them meet in a
        // lane.
        sum = _mm512_add_epi32(sum, _mm512_madd_epi16(weighted, clamped));
    }
    // The lanes are widened before they meet: their total may need more than 32 bits.
    let low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(sum));
    let high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64::<1>(sum));
    _mm512_reduce_add_epi64(_mm512_add_epi64(low, high))
}
