//! Rounding of numbers that people read.

/// Distance from a half, in units of the last decimal, below which a number is taken for the half.
///
/// A share of counts below 10⁸ that is no half is farther away, and floating-point errors are smaller.
const HALF: f64 = 1e-9;

/// Rounds a number to some decimals. Halves are rounded away from zero.
///
/// A half is a half of the decimal number: 77 of 400 are 19.25%, and so 19.3%. The nearest binary numbers of
/// halves lie on either side of them, so that the formatting of the standard library gives 19.2% here and 3.3% for
/// 3.25%, or the other way round.
///
/// # Examples
/// ```
/// use fusion_statistics::rounding::rounded;
///
/// assert_eq!(rounded(100.0 * 77.0 / 400.0, 1), 19.3);
/// assert_eq!(rounded(-54.05, 1), -54.1);
/// assert_eq!(rounded(1.005, 2), 1.01);
/// assert_eq!(rounded(19.249, 1), 19.2);
/// ```
#[must_use]
pub fn rounded(value: f64, decimals: usize) -> f64 {
    let unit = 10f64.powi(decimals as i32);
    let scaled = value.abs() * unit;
    // Beyond 2⁵² there are no halves.
    if !scaled.is_finite() || scaled >= 4.5e15 {
        return value;
    }
    ((scaled + 0.5 + HALF).floor() / unit).copysign(value)
}

/// Formats a number with some decimals, [`rounded`]. Zero has no sign.
///
/// # Examples
/// ```
/// use fusion_statistics::rounding::fixed;
///
/// assert_eq!(fixed(100.0 * 13.0 / 400.0, 1), "3.3");
/// assert_eq!(fixed(2.5, 0), "3");
/// assert_eq!(fixed(-0.04, 1), "0.0");
/// ```
#[must_use]
pub fn fixed(value: f64, decimals: usize) -> String {
    let rounded = rounded(value, decimals);
    let rounded = if rounded == 0.0 { 0.0 } else { rounded };
    format!("{rounded:.decimals$}")
}

/// Formats a number with its sign: a plus, or the minus sign of typeset numbers, U+2212. A number that is zero after
/// rounding has no sign.
///
/// # Examples
/// ```
/// use fusion_statistics::rounding::signed;
///
/// assert_eq!([signed(-54.05, 1), signed(1.9, 0), signed(-0.04, 1)], ["−54.1", "+2", "0.0"]);
/// ```
#[must_use]
pub fn signed(value: f64, decimals: usize) -> String {
    let rounded = rounded(value, decimals);
    let text = fixed(rounded.abs(), decimals);
    match rounded {
        0.0 => text,
        rounded if rounded < 0.0 => format!("\u{2212}{text}"),
        _ => format!("+{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with whole numbers: every share of up to 400 games, in tenths of a percent.
    #[test]
    fn shares_of_counts_are_rounded_as_the_counts_say() {
        for whole in 1..=400_u64 {
            for part in 0..=whole {
                let tenths = (2_000 * part + whole) / (2 * whole);
                let expected = format!("{}.{}", tenths / 10, tenths % 10);
                let share = part as f64 / whole as f64;
                assert_eq!(fixed(100.0 * share, 1), expected, "{part} of {whole}");
                let negative = fixed(-100.0 * share, 1);
                assert_eq!(negative.trim_start_matches('-'), expected, "{part} of {whole}");
            }
        }
    }

    #[test]
    fn numbers_near_a_half_are_not_halves() {
        let (part, whole) = (19_249_999_u64, 100_000_000_u64);
        assert_eq!(fixed(100.0 * part as f64 / whole as f64, 1), "19.2");
        assert_eq!(fixed(f64::NAN, 1), "NaN");
        assert_eq!(fixed(1e300, 0).len(), 301);
    }
}
