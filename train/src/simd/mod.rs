//! Kernels of training: loops over floats, compiled for several sets of instructions.
//!
//! A kernel is written once, over groups of [`LANES`] numbers. It fixes the order of all sums, and all
//! operations are rounded as IEEE 754 says. So every path gives the same bits, on any processor.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

/// Numbers that a kernel processes together: one register of AVX-512.
pub(crate) const LANES: usize = 16;

/// Numbers in a row of memory that are processed together.
pub(crate) type Line = [f32; LANES];

/// A loop with its operands.
pub(crate) trait Kernel {
    /// Runs the loop. Whatever it calls must be inlined.
    fn run<V: Lanes>(self);
}

/// A group of [`LANES`] numbers. Operations apply to each of them.
pub(crate) trait Lanes: Copy {
    /// Repeats a number.
    fn splat(number: f32) -> Self;
    /// Reads numbers.
    fn load(line: &Line) -> Self;
    /// Writes the numbers.
    fn store(self, line: &mut Line);
    /// Adds.
    fn plus(self, other: Self) -> Self;
    /// Subtracts.
    fn minus(self, other: Self) -> Self;
    /// Multiplies.
    fn times(self, other: Self) -> Self;
    /// Divides.
    fn over(self, other: Self) -> Self;
    /// Multiplies and adds, rounded once.
    fn times_plus(self, factor: Self, summand: Self) -> Self;
    /// Returns the square root.
    fn root(self) -> Self;
    /// Returns the nearest number within the bounds; NaN stays NaN.
    fn clamped(self, low: Self, high: Self) -> Self;
    /// Returns `value` where this is below a bound, else zero.
    fn where_below(self, bound: Self, value: Self) -> Self;
}

/// The instructions that a kernel uses. Only [`Path::available`] creates a path other than the
/// portable one, so safe code cannot reach instructions that the processor lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Path(Instructions);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instructions {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Path {
    /// The reference in plain Rust.
    pub(crate) const PORTABLE: Self = Self(Instructions::Portable);

    /// Returns every path that this processor can run, the fastest last.
    pub(crate) fn available() -> Vec<Self> {
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut, reason = "there is no choice"))]
        let mut paths = vec![Self::PORTABLE];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                paths.push(Self(Instructions::Avx2));
            }
            if is_x86_feature_detected!("avx512f") {
                paths.push(Self(Instructions::Avx512));
            }
        }
        paths
    }

    /// Returns the fastest path that this processor can run.
    pub(crate) fn fastest() -> Self {
        Self::available().pop().unwrap_or(Self::PORTABLE)
    }

    /// Runs a kernel.
    #[inline]
    pub(crate) fn run(self, kernel: impl Kernel) {
        match self.0 {
            Instructions::Portable => kernel.run::<Line>(),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `available` found the features.
            Instructions::Avx2 => unsafe { avx2::run(kernel) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `available` found the feature.
            Instructions::Avx512 => unsafe { avx512::run(kernel) },
        }
    }
}
