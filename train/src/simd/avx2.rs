//! AVX2 with FMA: a group is two registers.

use std::arch::x86_64::*;

use super::{Kernel, LANES, Lanes, Line};

/// Runs a kernel.
#[target_feature(enable = "avx2,fma")]
pub(super) fn run(kernel: impl Kernel) {
    kernel.run::<Numbers>();
}

/// A group of numbers. Only [`run`] uses it.
#[derive(Clone, Copy)]
struct Numbers(__m256, __m256);

impl Lanes for Numbers {
    #[inline(always)]
    fn splat(number: f32) -> Self {
        // SAFETY: only `run` uses this type, on a processor with the instructions.
        unsafe { Self(_mm256_set1_ps(number), _mm256_set1_ps(number)) }
    }

    #[inline(always)]
    fn load(line: &Line) -> Self {
        let (first, last) = line.split_at(LANES / 2);
        // SAFETY: as for `splat`; a register has as many numbers as half a line.
        unsafe { Self(_mm256_loadu_ps(first.as_ptr()), _mm256_loadu_ps(last.as_ptr())) }
    }

    #[inline(always)]
    fn store(self, line: &mut Line) {
        let (first, last) = line.split_at_mut(LANES / 2);
        // SAFETY: as for `load`.
        unsafe {
            _mm256_storeu_ps(first.as_mut_ptr(), self.0);
            _mm256_storeu_ps(last.as_mut_ptr(), self.1);
        }
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        // SAFETY: as for `splat`.
        unsafe { Self(_mm256_add_ps(self.0, other.0), _mm256_add_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        // SAFETY: as for `splat`.
        unsafe { Self(_mm256_sub_ps(self.0, other.0), _mm256_sub_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        // SAFETY: as for `splat`.
        unsafe { Self(_mm256_mul_ps(self.0, other.0), _mm256_mul_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn over(self, other: Self) -> Self {
        // SAFETY: as for `splat`.
        unsafe { Self(_mm256_div_ps(self.0, other.0), _mm256_div_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn times_plus(self, factor: Self, summand: Self) -> Self {
        // SAFETY: as for `splat`.
        unsafe {
            Self(
                _mm256_fmadd_ps(self.0, factor.0, summand.0),
                _mm256_fmadd_ps(self.1, factor.1, summand.1),
            )
        }
    }

    #[inline(always)]
    fn root(self) -> Self {
        // SAFETY: as for `splat`.
        unsafe { Self(_mm256_sqrt_ps(self.0), _mm256_sqrt_ps(self.1)) }
    }

    #[inline(always)]
    fn clamped(self, low: Self, high: Self) -> Self {
        // Of a NaN and a number, the instructions return the second operand.
        // SAFETY: as for `splat`.
        unsafe {
            Self(
                _mm256_min_ps(high.0, _mm256_max_ps(low.0, self.0)),
                _mm256_min_ps(high.1, _mm256_max_ps(low.1, self.1)),
            )
        }
    }

    #[inline(always)]
    fn where_below(self, bound: Self, value: Self) -> Self {
        // SAFETY: as for `splat`.
        unsafe {
            Self(
                _mm256_and_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(self.0, bound.0), value.0),
                _mm256_and_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(self.1, bound.1), value.1),
            )
        }
    }
}
