//! The three operations that take nearly all the time, in several instruction sets.
//!
//! Every path computes the same integers: additions wrap at 16 bits like the hardware's, and the
//! output sum is exact, so the order of summation does not matter. The path is chosen once, when a
//! network is built, and each call runs a whole layer.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

use crate::layout::QA;

/// A row of `N` 16-bit values at the start of a cache line: an accumulator or a row of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Row<const N: usize>(pub [i16; N]);

impl<const N: usize> Row<N> {
    /// A row of zeros.
    pub const ZERO: Row<N> = Row([0; N]);
}

/// An instruction set this machine has: holding a value is the proof that its code may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simd(Path);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Path {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Path {
    /// Slowest first.
    const ALL: &[Path] = &[
        Path::Portable,
        #[cfg(target_arch = "x86_64")]
        Path::Avx2,
        #[cfg(target_arch = "x86_64")]
        Path::Avx512,
    ];

    /// Whether the processor has the instructions.
    fn is_supported(self) -> bool {
        match self {
            Path::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Path::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Path::Avx512 => {
                is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw")
            }
        }
    }
}

impl Simd {
    /// Plain Rust that the compiler vectorises for the target it was given.
    pub const PORTABLE: Simd = Simd(Path::Portable);

    /// The fastest path of this machine.
    pub fn best() -> Simd {
        *Simd::available().last().unwrap_or(&Simd::PORTABLE)
    }

    /// Every path of this machine, slowest first.
    pub fn available() -> Vec<Simd> {
        Path::ALL.iter().copied().filter(|path| path.is_supported()).map(Simd).collect()
    }

    /// `portable`, `AVX2` or `AVX-512`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Path::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Path::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Path::Avx512 => "AVX-512",
        }
    }

    /// `to = from + Σ added − Σ removed`, in one pass.
    #[inline]
    pub fn apply<const N: usize, const A: usize, const R: usize>(
        self,
        from: &Row<N>,
        to: &mut Row<N>,
        added: [&Row<N>; A],
        removed: [&Row<N>; R],
    ) {
        match self.0 {
            Path::Portable => portable::apply(from, to, added, removed),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a `Simd` of this kind is only made after the processor reported AVX2.
            Path::Avx2 => unsafe { avx2::apply(from, to, added, removed) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a `Simd` of this kind is only made after the processor reported AVX-512 F and
            // BW.
            Path::Avx512 => unsafe { avx512::apply(from, to, added, removed) },
        }
    }

    /// Adds the rows of `weights` numbered in `added` to `values` and subtracts those in `removed`.
    #[inline]
    pub fn accumulate<const N: usize>(
        self,
        values: &mut Row<N>,
        weights: &[Row<N>],
        added: &[u16],
        removed: &[u16],
    ) {
        match self.0 {
            Path::Portable => portable::accumulate(values, weights, added, removed),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a `Simd` of this kind is only made after the processor reported AVX2.
            Path::Avx2 => unsafe { avx2::accumulate(values, weights, added, removed) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a `Simd` of this kind is only made after the processor reported AVX-512 F and
            // BW.
            Path::Avx512 => unsafe { avx512::accumulate(values, weights, added, removed) },
        }
    }

    /// `Σ clamp(value, 0, QA)² · weight`, exact for weights within ±127.
    ///
    /// Squaring first would need 32 bits. Instead `clamped · weight` is formed in 16 bits, where it
    /// fits (255 · 127 = 32 385), and one multiply-and-add instruction multiplies it by `clamped`
    /// again.
    #[inline]
    pub fn screlu_dot<const N: usize>(self, values: &Row<N>, weights: &Row<N>) -> i64 {
        match self.0 {
            Path::Portable => portable::screlu_dot(values, weights),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a `Simd` of this kind is only made after the processor reported AVX2.
            Path::Avx2 => unsafe { avx2::screlu_dot(values, weights) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a `Simd` of this kind is only made after the processor reported AVX-512 F and
            // BW.
            Path::Avx512 => unsafe { avx512::screlu_dot(values, weights) },
        }
    }
}

/// The upper end of the activation, as the vector code wants it.
const CEILING: i16 = QA as i16;

#[cfg(test)]
mod tests {
    use super::*;

    fn random_row<const N: usize>(random: &mut fastrand::Rng, limit: i16) -> Row<N> {
        Row(std::array::from_fn(|_| random.i16(-limit..=limit)))
    }

    /// Every path against arithmetic written out with wide integers.
    fn check<const N: usize>() {
        let random = &mut fastrand::Rng::with_seed(N as u64);
        let rows: Vec<Row<N>> = (0..40).map(|_| random_row(random, 990)).collect();
        // Values to the ends of the 16-bit range: wrapping must agree as well.
        let start: Row<N> = random_row(random, i16::MAX);
        let weights: Row<N> = random_row(random, 127);
        let extreme = (Row([i16::MAX; N]), Row([127; N]), Row([-127; N]));
        for simd in Simd::available() {
            let mut to = Row::ZERO;
            simd.apply(&start, &mut to, [&rows[1], &rows[2]], [&rows[3]]);
            let added = [5, 0, 39, 7, 7];
            let removed = [1, 2, 38];
            let mut accumulated = start;
            simd.accumulate(&mut accumulated, &rows, &added, &removed);
            let mut dot = 0_i64;
            for i in 0..N {
                let row = |number: u16| i64::from(rows[number as usize].0[i]);
                let applied = i64::from(start.0[i]) + row(1) + row(2) - row(3);
                assert_eq!(to.0[i], applied as i16, "{} {N}", simd.name());
                let sum = i64::from(start.0[i]) + added.into_iter().map(row).sum::<i64>()
                    - removed.into_iter().map(row).sum::<i64>();
                assert_eq!(accumulated.0[i], sum as i16, "{} {N}", simd.name());
                let clamped = i64::from(start.0[i]).clamp(0, 255);
                dot += clamped * clamped * i64::from(weights.0[i]);
            }
            assert_eq!(simd.screlu_dot(&start, &weights), dot, "{} {N}", simd.name());
            let largest = 255 * 255 * 127 * N as i64;
            assert_eq!(simd.screlu_dot(&extreme.0, &extreme.1), largest, "{} {N}", simd.name());
            assert_eq!(simd.screlu_dot(&extreme.0, &extreme.2), -largest, "{} {N}", simd.name());
        }
    }

    #[test]
    fn every_path_computes_the_same_integers() {
        let names: Vec<_> = Simd::available().iter().map(|simd| simd.name()).collect();
        println!("paths of this machine: {}", names.join(", "));
        check::<32>();
        check::<96>();
        check::<128>();
        check::<256>();
        check::<512>();
        check::<2048>();
    }

    #[test]
    fn the_best_path_is_an_available_one() {
        assert!(Simd::available().contains(&Simd::best()));
    }
}
