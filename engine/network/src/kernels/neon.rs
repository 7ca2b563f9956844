//! NEON: 8 sums or 16 products an instruction. All 64-bit ARM processors have it.

use super::{Change, ROOM};
use std::arch::aarch64::*;

/// Number of rows whose dot products are computed together.
const GROUP: usize = 4;
const _: () = assert!(ROOM.is_multiple_of(GROUP));

/// Number of vectors of 8 sums that stay in registers.
const TILE: usize = 8;

/// # Safety
/// Every feature must have a row of weights. `earlier`, `sums` and `hidden` must have the same length, a
/// multiple of 64.
#[target_feature(enable = "neon")]
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
    let load = |at: *const i16, i: usize| unsafe { vld1q_s16(at.add(8 * i)) };
    for block in (0..width).step_by(8 * TILE) {
        // SAFETY: the caller guarantees a whole row for each feature.
        let row = |feature: u16| unsafe { weights.add(usize::from(feature) * width + block) };
        // SAFETY: as above.
        let (start, earlier) = unsafe { (sums.add(block), earlier.add(block)) };
        let mut tile: [int16x8_t; TILE] = std::array::from_fn(|i| load(earlier, i));
        for &feature in change.added {
            let row = row(feature);
            for (i, sum) in tile.iter_mut().enumerate() {
                *sum = vaddq_s16(*sum, load(row, i));
            }
        }
        for &feature in change.removed {
            let row = row(feature);
            for (i, sum) in tile.iter_mut().enumerate() {
                *sum = vsubq_s16(*sum, load(row, i));
            }
        }
        for i in (0..TILE).step_by(2) {
            let packed = vcombine_u8(square(tile[i]), square(tile[i + 1]));
            // SAFETY: as above; `hidden` is as long as the sums.
            unsafe {
                vst1q_s16(start.add(8 * i), tile[i]);
                vst1q_s16(start.add(8 * i + 8), tile[i + 1]);
                vst1q_u8(hidden.as_mut_ptr().add(block + 8 * i), packed);
            }
        }
    }
}

/// Returns the clipped squares of 8 sums: see [`activate`](super::activate).
#[inline]
#[target_feature(enable = "neon")]
fn square(sums: int16x8_t) -> uint8x8_t {
    let clamped = vminq_s16(vmaxq_s16(sums, vdupq_n_s16(0)), vdupq_n_s16(508));
    let clamped = vreinterpretq_u16_s16(clamped);
    let (low, high) = (vget_low_u16(clamped), vget_high_u16(clamped));
    let low = vshrn_n_u32::<11>(vmull_u16(low, low));
    let high = vshrn_n_u32::<11>(vmull_u16(high, high));
    vmovn_u16(vcombine_u16(low, high))
}

/// Computes the dot products of the activations with the named rows.
///
/// # Safety
/// Every row must exist and be as long as `hidden`, a multiple of 64. `out` must have room for whole
/// groups. Activations are at most 126, so they fit a signed byte and a pair of products 16 bits.
#[target_feature(enable = "neon")]
pub unsafe fn dots(hidden: &[u8], weights: &[i8], rows: &[u16], out: &mut [i32]) {
    let width = hidden.len();
    let (hidden, weights) = (hidden.as_ptr(), weights.as_ptr());
    for (group, out) in rows.chunks(GROUP).zip(out.chunks_exact_mut(GROUP)) {
        let rows: [*const i8; GROUP] = std::array::from_fn(|i| {
            let row = usize::from(group[i.min(group.len() - 1)]);
            // SAFETY: the caller guarantees that the row exists.
            unsafe { weights.add(row * width) }
        });
        let mut sums = [vdupq_n_s32(0); GROUP];
        for at in (0..width).step_by(16) {
            // SAFETY: at + 16 is within the activations.
            let h = unsafe { vld1q_s8(hidden.add(at).cast()) };
            for (sum, row) in sums.iter_mut().zip(rows) {
                // SAFETY: at + 16 is within the row.
                let w = unsafe { vld1q_s8(row.add(at)) };
                let pairs = vmlal_high_s8(vmull_s8(vget_low_s8(h), vget_low_s8(w)), h, w);
                *sum = vpadalq_s16(*sum, pairs);
            }
        }
        for (sum, out) in sums.into_iter().zip(out) {
            *out = vaddvq_s32(sum);
        }
    }
}
