//! AVX2: 16 sums or 32 products an instruction.

use super::{Change, ROOM};
use std::arch::x86_64::*;

/// Number of rows whose dot products are computed together.
const GROUP: usize = 4;
const _: () = assert!(ROOM.is_multiple_of(GROUP));

/// # Safety
/// The processor must have AVX2. Every feature must have a row of weights. `earlier`, `sums`
/// and `hidden` must have the same length, a multiple of 64.
#[target_feature(enable = "avx2")]
pub unsafe fn change(
    weights: &[i16],
    change: &Change,
    earlier: Option<&[i16]>,
    sums: &mut [i16],
    hidden: &mut [u8],
) {
    let width = sums.len();
    let mut block = 0;
    while block < width {
        // SAFETY: each tile lies within the width; the caller guarantees the rest.
        unsafe {
            if width - block >= 128 {
                tile::<8>(weights, change, earlier, sums, hidden, block);
                block += 128;
            } else {
                tile::<4>(weights, change, earlier, sums, hidden, block);
                block += 64;
            }
        }
    }
}

/// Adds all rows to 16 N sums, which stay in N registers.
///
/// # Safety
/// The conditions of [`change`] hold, 16 N sums begin at `block`, and N is even.
#[target_feature(enable = "avx2")]
unsafe fn tile<const N: usize>(
    weights: &[i16],
    change: &Change,
    earlier: Option<&[i16]>,
    sums: &mut [i16],
    hidden: &mut [u8],
    block: usize,
) {
    let width = sums.len();
    let (weights, sums) = (weights.as_ptr(), sums.as_mut_ptr());
    let earlier = earlier.map_or(sums.cast_const(), <[i16]>::as_ptr);
    // SAFETY: block + 16 i + 16 is within both sums and within every feature's row.
    let load = |at: *const i16, i: usize| unsafe { _mm256_loadu_si256(at.add(16 * i).cast()) };
    // SAFETY: the caller guarantees a whole row for each feature.
    let row = |feature: u16| unsafe { weights.add(usize::from(feature) * width + block) };
    // SAFETY: as above.
    let (start, earlier) = unsafe { (sums.add(block), earlier.add(block)) };
    let mut tile: [__m256i; N] = std::array::from_fn(|i| load(earlier, i));
    for &feature in change.added {
        let row = row(feature);
        for (i, sum) in tile.iter_mut().enumerate() {
            *sum = _mm256_add_epi16(*sum, load(row, i));
        }
    }
    for &feature in change.removed {
        let row = row(feature);
        for (i, sum) in tile.iter_mut().enumerate() {
            *sum = _mm256_sub_epi16(*sum, load(row, i));
        }
    }
    let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(508));
    let square = |sum: __m256i| {
        let clamped = _mm256_min_epi16(_mm256_max_epi16(sum, zero), one);
        _mm256_mulhi_epu16(_mm256_slli_epi16(clamped, 5), clamped)
    };
    for i in (0..N).step_by(2) {
        let packed = _mm256_packus_epi16(square(tile[i]), square(tile[i + 1]));
        // Packing works within 128-bit lanes, so the quarters have to be reordered.
        let packed = _mm256_permute4x64_epi64(packed, 0b11_01_10_00);
        // SAFETY: as above; `hidden` is as long as `sums`.
        unsafe {
            _mm256_storeu_si256(start.add(16 * i).cast(), tile[i]);
            _mm256_storeu_si256(start.add(16 * i + 16).cast(), tile[i + 1]);
            _mm256_storeu_si256(hidden.as_mut_ptr().add(block + 16 * i).cast(), packed);
        }
    }
}

/// Computes the dot products of the activations with the named rows.
///
/// # Safety
/// The processor must have AVX2. Every row must exist and be as long as `hidden`, a multiple of 64.
/// `out` must have room for whole groups.
#[target_feature(enable = "avx2")]
pub unsafe fn dots(hidden: &[u8], weights: &[i8], rows: &[u16], out: &mut [i32]) {
    // SAFETY: the caller guarantees the conditions. The usual width has its own code, without loops
    // over a row.
    unsafe {
        match hidden.len() {
            256 => dots_of_width::<256>(hidden, weights, rows, out),
            _ => dots_of_width::<0>(hidden, weights, rows, out),
        }
    }
}

/// # Safety
/// The conditions of [`dots`] hold, and `WIDTH` is the width or zero.
#[target_feature(enable = "avx2")]
unsafe fn dots_of_width<const WIDTH: usize>(
    hidden: &[u8],
    weights: &[i8],
    rows: &[u16],
    out: &mut [i32],
) {
    let width = if WIDTH > 0 { WIDTH } else { hidden.len() };
    let (hidden, weights) = (hidden.as_ptr(), weights.as_ptr());
    let ones = _mm256_set1_epi16(1);
    for (group, out) in rows.chunks(GROUP).zip(out.chunks_exact_mut(GROUP)) {
        let rows: [*const i8; GROUP] = std::array::from_fn(|i| {
            let row = usize::from(group[i.min(group.len() - 1)]);
            // SAFETY: the caller guarantees that the row exists.
            unsafe { weights.add(row * width) }
        });
        let mut sums = [_mm256_setzero_si256(); GROUP];
        for at in (0..width).step_by(32) {
            // SAFETY: at + 32 is within the activations.
            let h = unsafe { _mm256_loadu_si256(hidden.add(at).cast()) };
            for (sum, row) in sums.iter_mut().zip(rows) {
                // SAFETY: at + 32 is within the row.
                let w = unsafe { _mm256_loadu_si256(row.add(at).cast()) };
                let pairs = _mm256_madd_epi16(_mm256_maddubs_epi16(h, w), ones);
                *sum = _mm256_add_epi32(*sum, pairs);
            }
        }
        let halves = group_sums(sums);
        let sums =
            _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
        // SAFETY: a group is four i32, 16 bytes.
        unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), sums) };
    }
}

/// Returns the sums of the four rows' 128 bits, in each half of 128 bits.
#[target_feature(enable = "avx2")]
fn group_sums([a, b, c, d]: [__m256i; GROUP]) -> __m256i {
    let pairs = |a, b| _mm256_add_epi32(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
    let (ab, cd) = (pairs(a, b), pairs(c, d));
    _mm256_add_epi32(_mm256_unpacklo_epi64(ab, cd), _mm256_unpackhi_epi64(ab, cd))
}
