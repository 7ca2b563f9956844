//! Upper limits of the core's performance, to which a benchmark's figures are compared.
//!
//! The limits are measured, not looked up: clock rates change with load, and other processes share
//! caches.

use super::kernels::Kernel;
use std::hint::black_box;
use std::time::Instant;

/// Returns the multiply-adds a second that one thread can do with a kernel's instructions: bytes
/// multiplied into 32-bit sums, with all operands in registers.
///
/// `None` for kernels whose instructions the compiler chooses, and outside of x86-64.
#[must_use]
pub fn multiply_adds_per_second(kernel: Kernel) -> Option<f64> {
    #[cfg(target_arch = "x86_64")]
    return x86::multiply_adds_per_second(kernel);
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = kernel;
        None
    }
}

/// Size of the buffer in bytes: larger than the first-level cache, but no larger than most
/// second-level caches.
const L2_BUFFER: usize = 512 << 10;

/// Returns the bytes a second that one thread reads from the second-level cache. The benchmark sums
/// a buffer of 512 KiB with the widest registers of the processor.
#[must_use]
pub fn l2_bytes_per_second() -> f64 {
    const PASSES: usize = 200;
    let buffer = vec![1u64; L2_BUFFER / 8];
    black_box(sum(&buffer));
    let start = Instant::now();
    for _ in 0..PASSES {
        black_box(sum(black_box(&buffer)));
    }
    (PASSES * L2_BUFFER) as f64 / start.elapsed().as_secs_f64()
}

fn sum(buffer: &[u64]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the processor has AVX-512 F.
        return unsafe { x86::sum_avx512(buffer) };
    } else if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { x86::sum_avx2(buffer) };
    }
    buffer.iter().sum()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::super::kernels::{Kernel, Path};
    use std::arch::asm;
    use std::arch::x86_64::*;
    use std::hint::black_box;
    use std::time::Instant;

    /// Number of independent sums, enough to hide the latency of an instruction.
    const SUMS: usize = 10;

    pub fn multiply_adds_per_second(kernel: Kernel) -> Option<f64> {
        const ROUNDS: u64 = 2_000_000;
        let start = Instant::now();
        let done = match kernel.path() {
            Path::Portable => return None,
            // SAFETY: such a kernel exists only where the processor has AVX2.
            Path::Avx2 => unsafe { multiply_adds_avx2(ROUNDS) },
            // SAFETY: such a kernel exists only where the processor has AVX-512 F and VNNI.
            Path::Avx512Vnni => unsafe { multiply_adds_vnni(ROUNDS) },
        };
        Some(done as f64 / start.elapsed().as_secs_f64())
    }

    /// Returns the number of multiply-adds done: 32 for each `maddubs`, `madd` and `add`,
    /// the sequence of the kernel.
    #[target_feature(enable = "avx2")]
    pub fn multiply_adds_avx2(rounds: u64) -> u64 {
        let (mut bytes, weights) = (_mm256_set1_epi8(3), _mm256_set1_epi8(5));
        let ones = _mm256_set1_epi16(1);
        let mut sums = [_mm256_setzero_si256(); SUMS];
        for _ in 0..rounds {
            for sum in &mut sums {
                // SAFETY: the assembly has no instruction. It hides from the compiler that the
                // operand is always the same, so that the multiplication stays in the loop.
                unsafe {
                    asm!("/* {0} */", inout(ymm_reg) bytes, options(nomem, nostack, preserves_flags))
                };
                let pairs = _mm256_maddubs_epi16(bytes, weights);
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
            }
        }
        black_box(sums);
        rounds * SUMS as u64 * 32
    }

    /// Returns the number of multiply-adds done: 64 for each `vpdpbusd`.
    #[target_feature(enable = "avx512f,avx512vnni")]
    pub fn multiply_adds_vnni(rounds: u64) -> u64 {
        let (bytes, weights) = (black_box(_mm512_set1_epi8(3)), black_box(_mm512_set1_epi8(5)));
        let mut sums = [_mm512_setzero_si512(); SUMS];
        for _ in 0..rounds {
            for sum in &mut sums {
                *sum = _mm512_dpbusd_epi32(*sum, bytes, weights);
            }
        }
        black_box(sums);
        rounds * SUMS as u64 * 64
    }

    #[target_feature(enable = "avx2")]
    pub fn sum_avx2(buffer: &[u64]) -> u64 {
        let mut sums = [_mm256_setzero_si256(); 8];
        let (blocks, rest) = buffer.as_chunks::<32>();
        for block in blocks {
            for (i, sum) in sums.iter_mut().enumerate() {
                // SAFETY: 4 i + 4 <= 32, the length of the block.
                let words = unsafe { _mm256_loadu_si256(block.as_ptr().add(4 * i).cast()) };
                *sum = _mm256_add_epi64(*sum, words);
            }
        }
        let sum = sums.into_iter().reduce(|a, b| _mm256_add_epi64(a, b));
        let mut words = [0u64; 4];
        if let Some(sum) = sum {
            // SAFETY: the array is as wide as the register.
            unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), sum) };
        }
        words.iter().chain(rest).sum()
    }

    #[target_feature(enable = "avx512f")]
    pub fn sum_avx512(buffer: &[u64]) -> u64 {
        let mut sums = [_mm512_setzero_si512(); 8];
        let (blocks, rest) = buffer.as_chunks::<64>();
        for block in blocks {
            for (i, sum) in sums.iter_mut().enumerate() {
                // SAFETY: 8 i + 8 <= 64, the length of the block.
                let words = unsafe { _mm512_loadu_si512(block.as_ptr().add(8 * i).cast()) };
                *sum = _mm512_add_epi64(*sum, words);
            }
        }
        let total: i64 = sums.into_iter().map(|sum| _mm512_reduce_add_epi64(sum)).sum();
        total as u64 + rest.iter().sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Ceilings of other processors are not measured.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn every_kernel_but_the_portable_one_has_a_ceiling() {
        for kernel in Kernel::available() {
            let rate = multiply_adds_per_second(kernel);
            assert_eq!(rate.is_some(), kernel != Kernel::PORTABLE, "{kernel:?}");
            // Every processor with these instructions does more than a billion a second.
            assert!(rate.is_none_or(|rate| rate > 1e9), "{kernel:?}: {rate:?}");
        }
        assert!(l2_bytes_per_second() > 1e9);
    }

    #[test]
    fn sums_are_right() {
        let buffer: Vec<u64> = (0..1000).collect();
        assert_eq!(sum(&buffer), 499_500);
    }
}
