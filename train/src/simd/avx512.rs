//! AVX-512: a group is one register.

use std::arch::x86_64::*;

use super::{Kernel, Lanes, Line};

/// Runs a kernel.
#[target_feature(enable = "avx512f")]
pub(super) fn run(kernel: impl Kernel) {
    kernel.run::<Numbers>();
}

/// A group of numbers. Only [`run`] uses it.
#[derive(Clone, Copy)]
struct Numbers(__m512);

impl Lanes for Numbers {
    #[inline(always)]
    fn splat(number: f32) -> Self {
        // SAFETY: only `run` uses this type, on a processor with the instructions.
        unsafe { Self(_mm512_set1_ps(number)) }
    }

    #[inline(always)]
    fn load(line: &Line) -> Self {
        // SAFETY: as for `splat`; a register has as many numbers as a line.
        unsafe { Self(_mm512_loadu_ps(line.as_ptr())) }
    }

    #[inline(always)]
    fn store(self, line: &mut Line) {
        // SAFETY: as for `load`.
        unsafe { _mm512_storeu_ps(line.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        // SAFETY: as for `splat`.
        unsafe { Self(_mm512_add_ps(self.0, other.0)) }
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        // SAFETY: as for `splat`.
        unsafe { Self(_mm512_sub_ps(self.0, other.0)) }
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        // SAFETY: as for `splat`.
        unsafe { Self(_mm512_mul_ps(self.0, other.0)) }
    }

    #[inline(always)]
    fn over(self, other: Self) -> Self {
        // SAFETY: as for `splat`.
        unsafe { Self(_mm512_div_ps(self.0, other.0)) }
    }

    #[inline(always)]
    fn times_plus(self, factor: Self, summand: Self) -> Self {
        // SAFETY: as for `splat`.
        unsafe { Self(_mm512_fmadd_ps(self.0, factor.0, summand.0)) }
    }

    #[inline(always)]
    fn root(self) -> Self {
        // SAFETY: as for `splat`.
        unsafe { Self(_mm512_sqrt_ps(self.0)) }
    }

    #[inline(always)]
    fn clamped(self, low: Self, high: Self) -> Self {
        // Of a NaN and a number, the instructions return the second operand.
        // SAFETY: as for `splat`.
        unsafe { Self(_mm512_min_ps(high.0, _mm512_max_ps(low.0, self.0))) }
    }

    #[inline(always)]
    fn where_below(self, bound: Self, value: Self) -> Self {
        // SAFETY: as for `splat`.
        unsafe {
            let below = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, bound.0);
            Self(_mm512_maskz_mov_ps(below, value.0))
        }
    }
}
