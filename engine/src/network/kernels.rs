//! The two hot loops of inference, on integers: exact, so every path gives the same bits.
//!
//! The portable path is the reference. Faster paths are chosen at run time by what the
//! processor has and are compared with it in tests.

/// Units of the input layer that stand for an activation of 1.
pub const INPUT_SCALE: f32 = 508.0;

/// Units of the hidden activations that stand for 1: `508² >> 11`, see `activate`.
pub const HIDDEN_SCALE: f32 = 508.0 * 508.0 / 2048.0;

/// Rows of `width` weights that are added up, and the sum's activation.
pub struct InputLayer<'a> {
    /// Weights, one row of `bias.len()` for each feature.
    pub weights: &'a [i16],
    /// Start of every sum.
    pub bias: &'a [i16],
}

/// An implementation that this processor can run: only [`Kernel::available`] makes one, so
/// that no safe code can reach instructions that the processor lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(Path);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Path {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
}

impl Kernel {
    /// Plain Rust, the reference.
    pub const PORTABLE: Self = Self(Path::Portable);

    /// Every implementation that this processor can run, the fastest last.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let mut kernels = vec![Self::PORTABLE];
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

    /// The fastest implementation that this processor can run.
    #[must_use]
    pub fn fastest() -> Self {
        Self::available().pop().unwrap_or(Self::PORTABLE)
    }

    /// The name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Path::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Path::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Path::Avx512Vnni => "AVX-512 VNNI",
        }
    }

    /// Writes the activations of the sum of the active features' rows.
    ///
    /// # Panics
    /// If `out` is not as wide as the bias, the width is no multiple of 64, or a feature
    /// has no row.
    pub fn hidden(self, layer: &InputLayer, features: &[u16], out: &mut [u8]) {
        let width = layer.bias.len();
        assert!(out.len() == width && width.is_multiple_of(64));
        assert!(features.iter().all(|&f| (usize::from(f) + 1) * width <= layer.weights.len()));
        match self.0 {
            Path::Portable => portable::hidden(layer, features, out),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `available` found the features; the bounds were checked above.
            Path::Avx2 => unsafe { avx2::hidden(layer, features, out) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `available` found the features; the bounds were checked above.
            Path::Avx512Vnni => unsafe { avx512::hidden(layer, features, out) },
        }
    }

    /// Replaces `out` by the dot products of the activations with the named rows. The
    /// activations are those of [`Kernel::hidden`], at most 126.
    ///
    /// # Panics
    /// If the width is no multiple of 64, or a row is missing.
    pub fn dots(self, hidden: &[u8], weights: &[i8], rows: &[u16], out: &mut Vec<i32>) {
        let width = hidden.len();
        assert!(width.is_multiple_of(64));
        assert!(rows.iter().all(|&r| (usize::from(r) + 1) * width <= weights.len()));
        let row = |&row: &u16| &weights[usize::from(row) * width..][..width];
        out.clear();
        match self.0 {
            Path::Portable => out.extend(rows.iter().map(|r| portable::dot(hidden, row(r)))),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `available` found the features; both slices are `width` long.
            Path::Avx2 => out.extend(rows.iter().map(|r| unsafe { avx2::dot(hidden, row(r)) })),
            #[cfg(target_arch = "x86_64")]
            Path::Avx512Vnni => {
                // SAFETY: `available` found the features; both slices are `width` long.
                out.extend(rows.iter().map(|r| unsafe { avx512::dot(hidden, row(r)) }));
            }
        }
    }
}

/// Clipped square: the sum is clamped to 0..=508 and squared into 0..=126.
///
/// At most 126 keeps a pair of products within 16 bits (2 x 126 x 127 < 2¹⁵), so that
/// AVX2's saturating multiply-add is exact.
fn activate(sum: i16) -> u8 {
    let clamped = u32::from(sum.clamp(0, 508) as u16);
    ((clamped * clamped) >> 11) as u8
}

mod portable {
    use super::{InputLayer, activate};

    pub fn hidden(layer: &InputLayer, features: &[u16], out: &mut [u8]) {
        let width = layer.bias.len();
        let mut sums = layer.bias.to_vec();
        for &feature in features {
            let row = &layer.weights[usize::from(feature) * width..][..width];
            // Wrapping addition gives the same bits in any order.
            sums.iter_mut().zip(row).for_each(|(sum, w)| *sum = sum.wrapping_add(*w));
        }
        out.iter_mut().zip(sums).for_each(|(out, sum)| *out = activate(sum));
    }

    pub fn dot(hidden: &[u8], row: &[i8]) -> i32 {
        hidden.iter().zip(row).map(|(&h, &w)| i32::from(h) * i32::from(w)).sum()
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::InputLayer;
    use std::arch::x86_64::*;

    /// # Safety
    /// Needs AVX2; every feature has a row; the width is a multiple of 64 and `out`'s length.
    #[target_feature(enable = "avx2")]
    pub unsafe fn hidden(layer: &InputLayer, features: &[u16], out: &mut [u8]) {
        let width = layer.bias.len();
        let (weights, bias) = (layer.weights.as_ptr(), layer.bias.as_ptr());
        let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(508));
        // 64 sums at a time stay in four registers while all rows are added.
        for block in (0..width).step_by(64) {
            let mut sums = [zero; 4];
            for (i, sum) in sums.iter_mut().enumerate() {
                // SAFETY: block + 16 i + 16 <= width, the length of the bias.
                *sum = unsafe { _mm256_loadu_si256(bias.add(block + 16 * i).cast()) };
            }
            for &feature in features {
                let row = usize::from(feature) * width + block;
                for (i, sum) in sums.iter_mut().enumerate() {
                    // SAFETY: the caller promises a whole row for each feature.
                    let w = unsafe { _mm256_loadu_si256(weights.add(row + 16 * i).cast()) };
                    *sum = _mm256_add_epi16(*sum, w);
                }
            }
            let squares = sums.map(|sum| {
                let clamped = _mm256_min_epi16(_mm256_max_epi16(sum, zero), one);
                _mm256_mulhi_epu16(_mm256_slli_epi16(clamped, 5), clamped)
            });
            for half in 0..2 {
                let packed = _mm256_packus_epi16(squares[2 * half], squares[2 * half + 1]);
                // Packing works within 128-bit lanes: put the quarters in order.
                let packed = _mm256_permute4x64_epi64(packed, 0b11_01_10_00);
                // SAFETY: block + 32 half + 32 <= width, the length of `out`.
                unsafe {
                    _mm256_storeu_si256(out.as_mut_ptr().add(block + 32 * half).cast(), packed);
                }
            }
        }
    }

    /// # Safety
    /// Needs AVX2; both slices have the same length, a multiple of 64.
    #[target_feature(enable = "avx2")]
    pub unsafe fn dot(hidden: &[u8], row: &[i8]) -> i32 {
        let ones = _mm256_set1_epi16(1);
        let mut sums = [_mm256_setzero_si256(); 2];
        for block in (0..hidden.len()).step_by(64) {
            for (i, sum) in sums.iter_mut().enumerate() {
                let at = block + 32 * i;
                // SAFETY: at + 32 is within both slices.
                let (h, w) = unsafe {
                    (
                        _mm256_loadu_si256(hidden.as_ptr().add(at).cast()),
                        _mm256_loadu_si256(row.as_ptr().add(at).cast()),
                    )
                };
                let pairs = _mm256_maddubs_epi16(h, w);
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
            }
        }
        let sum = _mm256_add_epi32(sums[0], sums[1]);
        let sum = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
        let sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0b01_00_11_10));
        let sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0b10_11_00_01));
        _mm_cvtsi128_si32(sum)
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::InputLayer;
    use std::arch::x86_64::*;

    /// # Safety
    /// Needs AVX-512 F and BW; every feature has a row; the width is a multiple of 64 and
    /// `out`'s length.
    #[target_feature(enable = "avx512f,avx512bw")]
    pub unsafe fn hidden(layer: &InputLayer, features: &[u16], out: &mut [u8]) {
        let width = layer.bias.len();
        let (weights, bias) = (layer.weights.as_ptr(), layer.bias.as_ptr());
        let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(508));
        for block in (0..width).step_by(64) {
            // SAFETY: block + 64 <= width, the length of the bias.
            let mut sums = unsafe {
                [
                    _mm512_loadu_si512(bias.add(block).cast()),
                    _mm512_loadu_si512(bias.add(block + 32).cast()),
                ]
            };
            for &feature in features {
                let row = usize::from(feature) * width + block;
                for (i, sum) in sums.iter_mut().enumerate() {
                    // SAFETY: the caller promises a whole row for each feature.
                    let w = unsafe { _mm512_loadu_si512(weights.add(row + 32 * i).cast()) };
                    *sum = _mm512_add_epi16(*sum, w);
                }
            }
            for (i, sum) in sums.into_iter().enumerate() {
                let clamped = _mm512_min_epi16(_mm512_max_epi16(sum, zero), one);
                let square = _mm512_mulhi_epu16(_mm512_slli_epi16(clamped, 5), clamped);
                let bytes = _mm512_cvtepi16_epi8(square);
                // SAFETY: block + 32 i + 32 <= width, the length of `out`.
                unsafe {
                    _mm256_storeu_si256(out.as_mut_ptr().add(block + 32 * i).cast(), bytes);
                }
            }
        }
    }

    /// # Safety
    /// Needs AVX-512 F and VNNI; both slices have the same length, a multiple of 64.
    #[target_feature(enable = "avx512f,avx512vnni")]
    pub unsafe fn dot(hidden: &[u8], row: &[i8]) -> i32 {
        let mut sum = _mm512_setzero_si512();
        for at in (0..hidden.len()).step_by(64) {
            // SAFETY: at + 64 is within both slices.
            let (h, w) = unsafe {
                (
                    _mm512_loadu_si512(hidden.as_ptr().add(at).cast()),
                    _mm512_loadu_si512(row.as_ptr().add(at).cast()),
                )
            };
            sum = _mm512_dpbusd_epi32(sum, h, w);
        }
        _mm512_reduce_add_epi32(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_path_gives_the_same_bits(
            blocks in 1usize..6,
            seed: u64,
            features in prop::collection::vec(0u16..20, 0..90),
        ) {
            use rand::{Rng, SeedableRng};
            let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
            let width = 64 * blocks;
            // The full range of i16: sums wrap the same way everywhere.
            let weights: Vec<i16> = (0..20 * width).map(|_| rng.next_u32() as i16).collect();
            let bias: Vec<i16> = (0..width).map(|_| rng.next_u32() as i16 >> 4).collect();
            let rows: Vec<i8> = (0..9 * width).map(|_| rng.next_u32() as i8).collect();
            let layer = InputLayer { weights: &weights, bias: &bias };
            let mut expected = vec![0; width];
            Kernel::PORTABLE.hidden(&layer, &features, &mut expected);
            prop_assert!(expected.iter().all(|&h| h <= 126));
            let named = [8, 0, 3, 3];
            let mut dots = Vec::new();
            Kernel::PORTABLE.dots(&expected, &rows, &named, &mut dots);
            for kernel in Kernel::available() {
                let mut hidden = vec![0; width];
                kernel.hidden(&layer, &features, &mut hidden);
                prop_assert_eq!(&hidden, &expected, "{:?}", kernel);
                let mut fast = Vec::new();
                kernel.dots(&hidden, &rows, &named, &mut fast);
                prop_assert_eq!(&fast, &dots, "{:?}", kernel);
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
