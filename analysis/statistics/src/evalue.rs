//! Sequential evidence on discordant pairs.

use super::{Result, StatisticsError};
use statrs::function::beta::ln_beta;

/// Parameter of the protocol's prior, which has most of its mass near one half, where small effects
/// are.
pub const PRIOR: f64 = 20.0;

/// Returns the e-value of `b` against `c` discordant pairs. It is the Bayes factor of a
/// Beta(a, a) prior on the chance of the first kind against ½,
/// `E = 2^(b+c) B(b+a, c+a) / B(a, a)`.
///
/// It is a test martingale: stopping at the first look with `E >= 1/α` errs with probability
/// at most α, for any number of looks. Beyond the range of `f64` it is infinite.
///
/// Source: J. Ville (1939); G. Shafer, *Testing by betting*, JRSS A 184 (2021).
///
/// # Errors
/// Fails if the prior parameter is not positive and finite.
///
/// # Examples
/// ```
/// use fusion_statistics::evalue::{PRIOR, e_value};
///
/// // Ten of ten pairs, under a uniform prior: 2¹⁰ B(11, 1) / B(1, 1) = 2¹⁰ / 11.
/// assert!((e_value(10, 0, 1.0)? - 1024.0 / 11.0).abs() < 1e-9);
/// // No pairs are no evidence.
/// assert!((e_value(0, 0, PRIOR)? - 1.0).abs() < 1e-12);
/// # Ok::<(), fusion_statistics::StatisticsError>(())
/// ```
pub fn e_value(b: u64, c: u64, a: f64) -> Result<f64> {
    if !(a.is_finite() && a > 0.0) {
        return Err(StatisticsError::OutOfRange {
            name: "prior parameter a",
            value: a,
            range: "(0, ∞)",
        });
    }
    let (b, c) = (b as f64, c as f64);
    let ln = (b + c) * std::f64::consts::LN_2 + ln_beta(b + a, c + a) - ln_beta(a, a);
    Ok(ln.exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn golden_values() {
        for (a, expected) in [(1.0, 0.9130), (20.0, 2.2546)] {
            let e = e_value(60, 40, a).unwrap();
            assert!((e - expected).abs() < 5.1e-5, "{e} {expected}");
        }
        assert!((e_value(0, 0, PRIOR).unwrap() - 1.0).abs() < 1e-12);
        assert!(e_value(1, 2, 0.0).is_err());
        assert!(e_value(1, 2, f64::NAN).is_err());
    }

    proptest! {
        #[test]
        fn positive_symmetric_and_fair(b in 0u64..500, c in 0u64..500) {
            let e = e_value(b, c, PRIOR).unwrap();
            prop_assert!(e > 0.0 && e.is_finite());
            prop_assert!((e / e_value(c, b, PRIOR).unwrap() - 1.0).abs() < 1e-9);
            // A martingale: the mean over the next pair, at even odds, is the current value.
            let next = f64::midpoint(e_value(b + 1, c, PRIOR).unwrap(), e_value(b, c + 1, PRIOR).unwrap());
            prop_assert!((next / e - 1.0).abs() < 1e-8, "{} {}", next, e);
        }
    }
}
