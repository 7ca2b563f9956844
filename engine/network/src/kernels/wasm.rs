//! WebAssembly SIMD: 8 sums or 16 products an instruction.

use super::{Change, ROOM};
use std::arch::wasm32::*;

/// Number of rows whose dot products are computed together.
const GROUP: usize = 4;
const _: () = assert!(ROOM.is_multiple_of(GROUP));

/// Number of vectors of 8 sums that stay in registers.
const TILE: usize = 8;

/// # Safety
/// Every feature must have a row of weights. `earlier`, `sums` and `hidden` must have the same length, a
/// multiple of 64.
pub unsafe fn change(
    weights: &[i16],
    change: &Change,
    earlier: Option<&[i16]>,
    sums: &mut [i16],
    hidden: &mut [u8],
) {
    let width = sums.len();
    let (weights, sums) = (weights.as_ptr(), sums.as_mut_ptr());
    let earlier = earlier.map_or(sums.cast_const(), <[i16]>::as_ptr);
    // SAFETY: block + 8 i + 8 is within both sums and within every feature's row.
    let load = |at: *const i16, i: usize| unsafe { v128_load(at.add(8 * i).cast()) };
    for block in (0..width).step_by(8 * TILE) {
        // SAFETY: the caller guarantees a whole row for each feature.
        let row = |feature: u16| unsafe { weights.add(usize::from(feature) * width + block) };
        // SAFETY: as above.
        let (start, earlier) = unsafe { (sums.add(block), earlier.add(block)) };
        let mut tile: [v128; TILE] = std::array::from_fn(|i| load(earlier, i));
        for &feature in change.added {
            let row = row(feature);
            for (i, sum) in tile.iter_mut().enumerate() {
                *sum = i16x8_add(*sum, load(row, i));
            }
        }
        for &feature in change.removed {
            let row = row(feature);
            for (i, sum) in tile.iter_mut().enumerate() {
                *sum = i16x8_sub(*sum, load(row, i));
            }
        }
        for i in (0..TILE).step_by(2) {
            let packed = u8x16_narrow_i16x8(square(tile[i]), square(tile[i + 1]));
            // SAFETY: as above; `hidden` is as long as the sums.
            unsafe {
                v128_store(start.add(8 * i).cast(), tile[i]);
                v128_store(start.add(8 * i + 8).cast(), tile[i + 1]);
                v128_store(hidden.as_mut_ptr().add(block + 8 * i).cast(), packed);
            }
        }
    }
}

/// Returns the clipped squares of 8 sums: see [`activate`](super::activate).
fn square(sums: v128) -> v128 {
    let clamped = i16x8_min(i16x8_max(sums, i16x8_splat(0)), i16x8_splat(508));
    let low = u32x4_shr(u32x4_extmul_low_u16x8(clamped, clamped), 11);
    let high = u32x4_shr(u32x4_extmul_high_u16x8(clamped, clamped), 11);
    i16x8_narrow_i32x4(low, high)
}

/// Computes the dot products of the activations with the named rows.
///
/// # Safety
/// Every row must exist and be as long as `hidden`, a multiple of 64. `out` must have room for whole
/// groups. Activations are at most 126, so a pair of products fits 16 bits.
pub unsafe fn dots(hidden: &[u8], weights: &[i8], rows: &[u16], out: &mut [i32]) {
    let width = hidden.len();
    let (hidden, weights) = (hidden.as_ptr(), weights.as_ptr());
    for (group, out) in rows.chunks(GROUP).zip(out.chunks_exact_mut(GROUP)) {
        let rows: [*const i8; GROUP] = std::array::from_fn(|i| {
            let row = usize::from(group[i.min(group.len() - 1)]);
            // SAFETY: the caller guarantees that the row exists.
            unsafe { weights.add(row * width) }
        });
        let mut sums = [i32x4_splat(0); GROUP];
        for at in (0..width).step_by(16) {
            // SAFETY: at + 16 is within the activations.
            let h = unsafe { v128_load(hidden.add(at).cast()) };
            for (sum, row) in sums.iter_mut().zip(rows) {
                // SAFETY: at + 16 is within the row.
                let w = unsafe { v128_load(row.add(at).cast()) };
                let pairs = i16x8_add(i16x8_extmul_low_i8x16(h, w), i16x8_extmul_high_i8x16(h, w));
                *sum = i32x4_add(*sum, i32x4_extadd_pairwise_i16x8(pairs));
            }
        }
        for (sum, out) in sums.into_iter().zip(out) {
            *out = i32x4_extract_lane::<0>(sum)
                + i32x4_extract_lane::<1>(sum)
                + i32x4_extract_lane::<2>(sum)
                + i32x4_extract_lane::<3>(sum);
        }
    }
}
