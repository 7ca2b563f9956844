//! The two hot loops of inference. They work on integers and are exact, so every path gives the
//! same bits.
//!
//! The portable path is the reference. The fastest path that the processor supports is chosen at
//! run time; on ARM and in WebAssembly there is no choice. Tests compare every path with the reference.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(any(target_arch = "aarch64", target_feature = "simd128"))]
mod simd128;

/// Number of units of the input layer that represent an activation of 1.
pub const INPUT_SCALE: f32 = 508.0;

/// Number of units of the hidden activations that represent 1: `508² >> 11`, see `activate`.
pub const HIDDEN_SCALE: f32 = 508.0 * 508.0 / 2048.0;

/// The output has room for a multiple of this number of rows, so that paths may compute whole
/// groups.
const ROOM: usize = 8;

/// The difference in features between a position and one with known sums.
pub struct Change<'a> {
    added: &'a [u16],
    removed: &'a [u16],
    /// Every feature is below this number.
    rows: usize,
}

impl<'a> Change<'a> {
    /// Names the features that the known position lacks, and those that only the known position
    /// has. Returns with them the sum of their largest weights, of which `largest` has one for each
    /// feature.
    ///
    /// # Panics
    /// Panics if a feature has no largest weight.
    #[inline]
    #[must_use]
    pub fn new(added: &'a [u16], removed: &'a [u16], largest: &[u16]) -> (Self, u32) {
        let sum = |features: &[u16]| -> u32 {
            features.iter().map(|&feature| u32::from(largest[usize::from(feature)])).sum()
        };
        (Self { added, removed, rows: largest.len() }, sum(added) + sum(removed))
    }
}

/// An implementation that this processor can run. Only [`Kernel::available`] creates one besides
/// the portable one, so safe code cannot reach instructions that the processor lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(Path);

/// The instructions that a kernel uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Path {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
    #[cfg(any(target_arch = "aarch64", target_feature = "simd128"))]
    Simd128,
}

impl Kernel {
    /// The reference in plain Rust.
    pub const PORTABLE: Self = Self(Path::Portable);

    /// Returns the instructions that the kernel uses. This processor has them.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn path(self) -> Path {
        self.0
    }

    /// Returns the name used in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Path::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Path::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Path::Avx512Vnni => "AVX-512 VNNI",
            #[cfg(any(target_arch = "aarch64", target_feature = "simd128"))]
            Path::Simd128 => simd128::NAME,
        }
    }

    /// Returns every implementation that this processor can run, the fastest last.
    #[must_use]
    pub fn available() -> Vec<Self> {
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut, reason = "there is no choice"))]
        let mut kernels = vec![
            Self::PORTABLE,
            #[cfg(any(target_arch = "aarch64", target_feature = "simd128"))]
            Self(Path::Simd128),
        ];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                kernels.push(Self(Path::Avx2));
            }
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vnni")
            {
                kernels.push(Self(Path::Avx512Vnni));
            }
        }
        kernels
    }

    /// Returns the fastest implementation that this processor can run.
    #[must_use]
    pub fn fastest() -> Self {
        Self::available().pop().unwrap_or(Self::PORTABLE)
    }

    /// Adds the rows of added features to the sums, subtracts those of removed features, and writes
    /// the sums' activations. If there are earlier sums, they are changed instead and stay as they are.
    /// Sums wrap; the caller makes sure that they do not overflow.
    ///
    /// # Panics
    /// Panics if `hidden` or `earlier` is not as wide as `sums`, if the width is not a multiple of 64, or
    /// if there may be a feature without a row.
    pub fn change(
        self,
        weights: &[i16],
        change: &Change,
        earlier: Option<&[i16]>,
        sums: &mut [i16],
        hidden: &mut [u8],
    ) {
        let width = sums.len();
        assert!(hidden.len() == width && width.is_multiple_of(64) && width > 0);
        assert!(earlier.is_none_or(|earlier| earlier.len() == width));
        assert!(change.rows <= weights.len() / width);
        match self.0 {
            Path::Portable => portable::change(weights, change, earlier, sums, hidden),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `available` found the features; `Change::new` checked the rows.
            Path::Avx2 => unsafe { avx2::change(weights, change, earlier, sums, hidden) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `available` found the features; `Change::new` checked the rows.
            Path::Avx512Vnni => unsafe { avx512::change(weights, change, earlier, sums, hidden) },
            #[cfg(any(target_arch = "aarch64", target_feature = "simd128"))]
            // SAFETY: the program is built for such vectors; `Change::new` checked the rows.
            Path::Simd128 => unsafe { simd128::change(weights, change, earlier, sums, hidden) },
        }
    }

    /// Replaces `out` by the dot products of the activations with the named rows. The activations
    /// are those of [`Kernel::change`], at most 126.
    ///
    /// # Panics
    /// Panics if the width is not a multiple of 64, or if a row is missing.
    pub fn dots(self, hidden: &[u8], weights: &[i8], rows: &[u16], out: &mut Vec<i32>) {
        let width = hidden.len();
        assert!(width.is_multiple_of(64) && width > 0);
        let count = weights.len() / width;
        assert!(rows.iter().all(|&row| usize::from(row) < count));
        // A short last group repeats its last row; the extra results are cut off again.
        out.clear();
        out.resize(rows.len().next_multiple_of(ROOM), 0);
        match self.0 {
            Path::Portable => portable::dots(hidden, weights, rows, out),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `available` found the features; rows and room were checked above.
            Path::Avx2 => unsafe { avx2::dots(hidden, weights, rows, out) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `available` found the features; rows and room were checked above.
            Path::Avx512Vnni => unsafe { avx512::dots(hidden, weights, rows, out) },
            #[cfg(any(target_arch = "aarch64", target_feature = "simd128"))]
            // SAFETY: the program is built for such vectors; rows and room were checked above.
            Path::Simd128 => unsafe { simd128::dots(hidden, weights, rows, out) },
        }
        out.truncate(rows.len());
    }
}

/// Returns the clipped square: the sum is clamped to 0..=508 and squared into 0..=126.
///
/// The limit of 126 keeps a pair of products within 16 bits (2 x 126 x 127 < 2¹⁵), so that AVX2's
/// saturating multiply-add is exact.
pub(crate) fn activate(sum: i32) -> u8 {
    let clamped = sum.clamp(0, 508) as u32;
    ((clamped * clamped) >> 11) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_path_gives_the_same_bits(
            blocks in 1usize..8,
            seed: u64,
            added in prop::collection::vec(0u16..20, 0..90),
            removed in prop::collection::vec(0u16..20, 0..9),
            named in prop::collection::vec(0u16..9, 0..20),
        ) {
            use rand::{Rng, SeedableRng};
            let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
            let width = 64 * blocks;
            // The full range of i16, because sums must wrap the same way on every path.
            let weights: Vec<i16> = (0..20 * width).map(|_| rng.next_u32() as i16).collect();
            let bias: Vec<i16> = (0..width).map(|_| rng.next_u32() as i16 >> 4).collect();
            let rows: Vec<i8> = (0..9 * width).map(|_| rng.next_u32() as i8).collect();
            let (change, _) = Change::new(&added, &removed, &[0; 20]);
            let run = |kernel: Kernel| {
                let (mut sums, mut hidden) = (bias.clone(), vec![0; width]);
                kernel.change(&weights, &change, None, &mut sums, &mut hidden);
                let (mut others, mut again) = (vec![7; width], vec![7; width]);
                kernel.change(&weights, &change, Some(&bias), &mut others, &mut again);
                assert_eq!((&others, &again), (&sums, &hidden));
                let mut dots = Vec::new();
                kernel.dots(&hidden, &rows, &named, &mut dots);
                (sums, hidden, dots)
            };
            let expected = run(Kernel::PORTABLE);
            prop_assert!(expected.1.iter().all(|&h| h <= 126));
            for kernel in Kernel::available() {
                prop_assert_eq!(&run(kernel), &expected, "{:?}", kernel);
            }
        }
    }

    #[test]
    fn extreme_activations_do_not_saturate() {
        let (hidden, rows) = ([126u8; 64], [[-128i8; 64], [127; 64]].concat());
        for kernel in Kernel::available() {
            let mut out = Vec::new();
            kernel.dots(&hidden, &rows, &[0, 1], &mut out);
            assert_eq!(out, [-128 * 126 * 64, 127 * 126 * 64], "{kernel:?}");
        }
    }
}
