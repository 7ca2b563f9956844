//! The vectors of WebAssembly.

use std::arch::wasm32::*;

/// Name in tables.
pub const NAME: &str = "WebAssembly SIMD";

/// 8 sums.
pub(super) type Sums = v128;
/// 16 activations or weights.
type Bytes = v128;
/// 4 sums of products.
pub(super) type Totals = v128;

/// # Safety
/// 8 sums can be read at the address.
#[inline(always)]
pub(super) unsafe fn load(at: *const i16) -> Sums {
    // SAFETY: the caller guarantees it.
    unsafe { v128_load(at.cast()) }
}

/// # Safety
/// 16 sums can be written at the address.
#[inline(always)]
pub(super) unsafe fn store(at: *mut i16, [first, second]: [Sums; 2]) {
    // SAFETY: the caller guarantees it.
    unsafe {
        v128_store(at.cast(), first);
        v128_store(at.add(8).cast(), second);
    }
}

/// Stores the [activations](super::super::activate) of 16 sums.
///
/// # Safety
/// 16 bytes can be written at the address.
#[inline(always)]
pub(super) unsafe fn store_squares(at: *mut u8, [first, second]: [Sums; 2]) {
    let squares = u8x16_narrow_i16x8(square(first), square(second));
    // SAFETY: the caller guarantees it.
    unsafe { v128_store(at.cast(), squares) };
}

#[inline(always)]
fn square(sums: Sums) -> v128 {
    let clamped = i16x8_min(i16x8_max(sums, i16x8_splat(0)), i16x8_splat(508));
    let low = u32x4_shr(u32x4_extmul_low_u16x8(clamped, clamped), 11);
    let high = u32x4_shr(u32x4_extmul_high_u16x8(clamped, clamped), 11);
    i16x8_narrow_i32x4(low, high)
}

#[inline(always)]
pub(super) fn add(a: Sums, b: Sums) -> Sums {
    i16x8_add(a, b)
}

#[inline(always)]
pub(super) fn subtract(a: Sums, b: Sums) -> Sums {
    i16x8_sub(a, b)
}

#[inline(always)]
pub(super) fn zero() -> Totals {
    i32x4_splat(0)
}

/// # Safety
/// 16 bytes can be read at the address.
#[inline(always)]
pub(super) unsafe fn load_bytes(at: *const i8) -> Bytes {
    // SAFETY: the caller guarantees it.
    unsafe { v128_load(at.cast()) }
}

/// Adds the products of activations and weights.
#[inline(always)]
pub(super) fn add_products(totals: Totals, h: Bytes, w: Bytes) -> Totals {
    let pairs = i16x8_add(i16x8_extmul_low_i8x16(h, w), i16x8_extmul_high_i8x16(h, w));
    i32x4_add(totals, i32x4_extadd_pairwise_i16x8(pairs))
}

#[inline(always)]
pub(super) fn total(totals: Totals) -> i32 {
    i32x4_extract_lane::<0>(totals)
        + i32x4_extract_lane::<1>(totals)
        + i32x4_extract_lane::<2>(totals)
        + i32x4_extract_lane::<3>(totals)
}
