//! NEON, which all 64-bit ARM processors have.

use std::arch::aarch64::*;

/// Name in tables.
pub const NAME: &str = "NEON";

/// 8 sums.
pub(super) type Sums = int16x8_t;
/// 16 activations or weights.
type Bytes = int8x16_t;
/// 4 sums of products.
pub(super) type Totals = int32x4_t;

/// # Safety
/// 8 sums can be read at the address.
#[inline(always)]
pub(super) unsafe fn load(at: *const i16) -> Sums {
    // SAFETY: the caller guarantees it.
    unsafe { vld1q_s16(at) }
}

/// # Safety
/// 16 sums can be written at the address.
#[inline(always)]
pub(super) unsafe fn store(at: *mut i16, [first, second]: [Sums; 2]) {
    // SAFETY: the caller guarantees it.
    unsafe {
        vst1q_s16(at, first);
        vst1q_s16(at.add(8), second);
    }
}

/// Stores the [activations](super::super::activate) of 16 sums.
///
/// # Safety
/// 16 bytes can be written at the address.
#[inline(always)]
pub(super) unsafe fn store_squares(at: *mut u8, [first, second]: [Sums; 2]) {
    // SAFETY: the processor has NEON; the caller guarantees the rest.
    unsafe { vst1q_u8(at, vcombine_u8(square(first), square(second))) };
}

#[inline(always)]
fn square(sums: Sums) -> uint8x8_t {
    // SAFETY: the processor has NEON.
    unsafe {
        let clamped = vminq_s16(vmaxq_s16(sums, vdupq_n_s16(0)), vdupq_n_s16(508));
        let clamped = vreinterpretq_u16_s16(clamped);
        let (low, high) = (vget_low_u16(clamped), vget_high_u16(clamped));
        let low = vshrn_n_u32::<11>(vmull_u16(low, low));
        let high = vshrn_n_u32::<11>(vmull_u16(high, high));
        vmovn_u16(vcombine_u16(low, high))
    }
}

#[inline(always)]
pub(super) fn add(a: Sums, b: Sums) -> Sums {
    // SAFETY: the processor has NEON.
    unsafe { vaddq_s16(a, b) }
}

#[inline(always)]
pub(super) fn subtract(a: Sums, b: Sums) -> Sums {
    // SAFETY: the processor has NEON.
    unsafe { vsubq_s16(a, b) }
}

#[inline(always)]
pub(super) fn zero() -> Totals {
    // SAFETY: the processor has NEON.
    unsafe { vdupq_n_s32(0) }
}

/// # Safety
/// 16 bytes can be read at the address.
#[inline(always)]
pub(super) unsafe fn load_bytes(at: *const i8) -> Bytes {
    // SAFETY: the caller guarantees it.
    unsafe { vld1q_s8(at) }
}

/// Adds the products of activations and weights.
#[inline(always)]
pub(super) fn add_products(totals: Totals, h: Bytes, w: Bytes) -> Totals {
    // SAFETY: the processor has NEON.
    unsafe {
        let pairs = vmlal_high_s8(vmull_s8(vget_low_s8(h), vget_low_s8(w)), h, w);
        vpadalq_s16(totals, pairs)
    }
}

#[inline(always)]
pub(super) fn total(totals: Totals) -> i32 {
    // SAFETY: the processor has NEON.
    unsafe { vaddvq_s32(totals) }
}
