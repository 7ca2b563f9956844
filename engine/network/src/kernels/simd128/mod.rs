//! Vectors of 128 bits, of NEON and of WebAssembly: 8 sums or 16 products an instruction.

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "aarch64")]
use neon as lanes;
#[cfg(target_arch = "wasm32")]
mod wasm;
#[cfg(target_arch = "wasm32")]
use wasm as lanes;

use super::{Change, ROOM};
pub use lanes::NAME;
use lanes::{Sums, Totals};

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
    let load = |at: *const i16, i: usize| unsafe { lanes::load(at.add(8 * i)) };
    for block in (0..width).step_by(8 * TILE) {
        // SAFETY: the caller guarantees a whole row for each feature.
        let row = |feature: u16| unsafe { weights.add(usize::from(feature) * width + block) };
        // SAFETY: as above.
        let (start, earlier) = unsafe { (sums.add(block), earlier.add(block)) };
        let mut tile: [Sums; TILE] = std::array::from_fn(|i| load(earlier, i));
        for &feature in change.added {
            let row = row(feature);
            for (i, sum) in tile.iter_mut().enumerate() {
                *sum = lanes::add(*sum, load(row, i));
            }
        }
        for &feature in change.removed {
            let row = row(feature);
            for (i, sum) in tile.iter_mut().enumerate() {
                *sum = lanes::subtract(*sum, load(row, i));
            }
        }
        for i in (0..TILE).step_by(2) {
            let pair = [tile[i], tile[i + 1]];
            // SAFETY: as above; `hidden` is as long as the sums.
            unsafe {
                lanes::store(start.add(8 * i), pair);
                lanes::store_squares(hidden.as_mut_ptr().add(block + 8 * i), pair);
            }
        }
    }
}

/// Computes the dot products of the activations with the named rows.
///
/// # Safety
/// Every row must exist and be as long as `hidden`, a multiple of 64. `out` must have room for whole
/// groups. Activations are at most 126, so that they fit a signed byte and a pair of products 16 bits.
pub unsafe fn dots(hidden: &[u8], weights: &[i8], rows: &[u16], out: &mut [i32]) {
    let width = hidden.len();
    let (hidden, weights) = (hidden.as_ptr(), weights.as_ptr());
    for (group, out) in rows.chunks(GROUP).zip(out.chunks_exact_mut(GROUP)) {
        let rows: [*const i8; GROUP] = std::array::from_fn(|i| {
            let row = usize::from(group[i.min(group.len() - 1)]);
            // SAFETY: the caller guarantees that the row exists.
            unsafe { weights.add(row * width) }
        });
        let mut sums: [Totals; GROUP] = [lanes::zero(); GROUP];
        for at in (0..width).step_by(16) {
            // SAFETY: at + 16 is within the activations.
            let h = unsafe { lanes::load_bytes(hidden.add(at).cast()) };
            for (sum, row) in sums.iter_mut().zip(rows) {
                // SAFETY: at + 16 is within the row.
                let w = unsafe { lanes::load_bytes(row.add(at)) };
                *sum = lanes::add_products(*sum, h, w);
            }
        }
        for (sum, out) in sums.into_iter().zip(out) {
            *out = lanes::total(sum);
        }
    }
}
