//! AVX-512 with VNNI: 32 sums or 64 products an instruction.

use super::{Change, ROOM};
use std::arch::x86_64::*;

/// Number of rows whose dot products are computed together.
const GROUP: usize = 8;
const _: () = assert!(ROOM.is_multiple_of(GROUP));

/// # Safety
/// The processor must have AVX-512 F and BW. Every feature must have a row of weights. `earlier`,
/// `sums` and `hidden` must have the same length, a multiple of 64.
#[target_feature(enable = "avx512f,avx512bw")]
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
            if width - block >= 256 {
                tile::<8>(weights, change, earlier, sums, hidden, block);
                block += 256;
            } else {
                tile::<2>(weights, change, earlier, sums, hidden, block);
                block += 64;
            }
        }
    }
}

/// Adds all rows to 32 N sums, which stay in N registers.
///
/// # Safety
/// The conditions of [`change`] hold, and 32 N sums begin at `block`.
#[target_feature(enable = "avx512f,avx512bw")]
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
    // SAFETY: block + 32 i + 32 is within both sums and within every feature's row.
    let load = |at: *const i16, i: usize| unsafe { _mm512_loadu_si512(at.add(32 * i).cast()) };
    // SAFETY: the caller guarantees a whole row for each feature.
    let row = |feature: u16| unsafe { weights.add(usize::from(feature) * width + block) };
    // SAFETY: as above.
    let (start, earlier) = unsafe { (sums.add(block), earlier.add(block)) };
    let mut tile: [__m512i; N] = std::array::from_fn(|i| load(earlier, i));
    for &feature in change.added {
        let row = row(feature);
        for (i, sum) in tile.iter_mut().enumerate() {
            *sum = _mm512_add_epi16(*sum, load(row, i));
        }
    }
    for &feature in change.removed {
        let row = row(feature);
        for (i, sum) in tile.iter_mut().enumerate() {
            *sum = _mm512_sub_epi16(*sum, load(row, i));
        }
    }
    let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(508));
    for (i, sum) in tile.into_iter().enumerate() {
        let clamped = _mm512_min_epi16(_mm512_max_epi16(sum, zero), one);
        let square = _mm512_mulhi_epu16(_mm512_slli_epi16(clamped, 5), clamped);
        // SAFETY: as above; `hidden` is as long as `sums`.
        unsafe {
            _mm512_storeu_si512(start.add(32 * i).cast(), sum);
            let bytes = _mm512_cvtepi16_epi8(square);
            _mm256_storeu_si256(hidden.as_mut_ptr().add(block + 32 * i).cast(), bytes);
        }
    }
}

/// Computes the dot products of the activations with the named rows.
///
/// # Safety
/// The processor must have AVX-512 F and VNNI. Every row must exist and be as long as `hidden`, a
/// multiple of 64. `out` must have room for whole groups.
#[target_feature(enable = "avx512f,avx512vnni")]
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
#[target_feature(enable = "avx512f,avx512vnni")]
unsafe fn dots_of_width<const WIDTH: usize>(
    hidden: &[u8],
    weights: &[i8],
    rows: &[u16],
    out: &mut [i32],
) {
    let width = if WIDTH > 0 { WIDTH } else { hidden.len() };
    let (hidden, weights) = (hidden.as_ptr(), weights.as_ptr());
    for (group, out) in rows.chunks(GROUP).zip(out.chunks_exact_mut(GROUP)) {
        let rows: [*const i8; GROUP] = std::array::from_fn(|i| {
            let row = usize::from(group[i.min(group.len() - 1)]);
            // SAFETY: the caller guarantees that the row exists.
            unsafe { weights.add(row * width) }
        });
        let mut sums = [_mm512_setzero_si512(); GROUP];
        for at in (0..width).step_by(64) {
            // SAFETY: at + 64 is within the activations.
            let h = unsafe { _mm512_loadu_si512(hidden.add(at).cast()) };
            for (sum, row) in sums.iter_mut().zip(rows) {
                // SAFETY: at + 64 is within the row.
                let w = unsafe { _mm512_loadu_si512(row.add(at).cast()) };
                *sum = _mm512_dpbusd_epi32(*sum, h, w);
            }
        }
        let [a, b, c, d, e, f, g, h] = sums;
        let (first, last) = (quarters([a, b, c, d]), quarters([e, f, g, h]));
        // Each 128 bits hold a part of four rows' sums. The parts are added: those of the first
        // four rows in the lower half, those of the last four in the upper half.
        let sums = _mm512_add_epi32(
            _mm512_shuffle_i64x2(first, last, 0b10_00_10_00),
            _mm512_shuffle_i64x2(first, last, 0b11_01_11_01),
        );
        let sums = _mm512_add_epi32(sums, _mm512_shuffle_i64x2(sums, sums, 0b11_11_01_01));
        let sums = _mm512_castsi512_si256(_mm512_shuffle_i64x2(sums, sums, 0b00_00_10_00));
        // SAFETY: a group is eight i32, 32 bytes.
        unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), sums) };
    }
}

/// Returns the sums of the four rows' 128 bits, in every 128 bits.
#[target_feature(enable = "avx512f")]
fn quarters([a, b, c, d]: [__m512i; 4]) -> __m512i {
    let pairs = |a, b| _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let (ab, cd) = (pairs(a, b), pairs(c, d));
    _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd))
}
