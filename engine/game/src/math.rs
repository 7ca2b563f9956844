//! Functions whose bits are the same on every machine: ordinary IEEE arithmetic in a fixed order.

/// Returns e to the power of `x`, which is at most 0. The relative error is at most 3e-7.
#[inline]
#[must_use]
pub fn exp(x: f32) -> f32 {
    // e^x = 2^(x log2 e) = 2^n 2^f with n a whole number and |f| <= 1/2. Adding 1.5 x 2^23 rounds
    // to a whole number and leaves it in the low bits. From there it is moved into the exponent of
    // 2^f. Below -87 the result would be subnormal.
    const ROUND: f32 = 12_582_912.0;
    let t = x.max(-87.0) * std::f32::consts::LOG2_E;
    let rounded = t + ROUND;
    let f = t - (rounded - ROUND);
    // Taylor's series of 2^f = e^(f ln 2), up to the sixth power.
    let f = f * std::f32::consts::LN_2;
    let mut power = 1.0 / 720.0;
    for term in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        power = power * f + term;
    }
    f32::from_bits(power.to_bits().wrapping_add(rounded.to_bits() << 23))
}

/// Returns the natural logarithm of a positive normal number. The absolute error is at most 1e-6
/// near 1, and the relative error at most 1e-6 elsewhere.
#[inline]
#[must_use]
pub fn ln(x: f32) -> f32 {
    // x = 2^n m with m from sqrt(1/2) to sqrt(2). ln m = 2 artanh((m - 1) / (m + 1)).
    const HALF_ROOT: u32 = 0x3f35_04f3;
    let bits = x.to_bits().wrapping_sub(HALF_ROOT);
    let exponent = (bits as i32 >> 23) as f32;
    let m = f32::from_bits((bits & 0x007f_ffff).wrapping_add(HALF_ROOT));
    let z = (m - 1.0) / (m + 1.0);
    let square = z * z;
    let mut sum = 1.0 / 9.0;
    for term in [1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0, 1.0] {
        sum = sum * square + term;
    }
    exponent * std::f32::consts::LN_2 + 2.0 * z * sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn exp_is_accurate(x in -87f32..=0.0) {
            let exact = f64::from(x).exp();
            prop_assert!((f64::from(exp(x)) / exact - 1.0).abs() < 3e-7 + 1.2e-7 * f64::from(x.abs()));
        }
    }

    proptest! {
        #[test]
        fn ln_is_accurate(power in -80f32..80.0) {
            let x = power.exp();
            let exact = f64::from(x).ln();
            prop_assert!((f64::from(ln(x)) - exact).abs() < 1e-6 * exact.abs().max(1.0), "{x}");
        }
    }

    #[test]
    fn exp_at_its_ends() {
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(-1e9) < 1e-36 && exp(-1e9) > 0.0);
        assert!(exp(f32::NEG_INFINITY) < 1e-36);
    }
}
