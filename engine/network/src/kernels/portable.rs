//! Plain Rust: the reference for the other paths.

use super::{Change, activate};

pub fn change(
    weights: &[i16],
    change: &Change,
    earlier: Option<&[i16]>,
    sums: &mut [i16],
    hidden: &mut [u8],
) {
    let width = sums.len();
    if let Some(earlier) = earlier {
        sums.copy_from_slice(earlier);
    }
    let row = |feature: u16| &weights[usize::from(feature) * width..][..width];
    // Wrapping arithmetic gives the same bits in any order.
    for &feature in change.added {
        sums.iter_mut().zip(row(feature)).for_each(|(sum, w)| *sum = sum.wrapping_add(*w));
    }
    for &feature in change.removed {
        sums.iter_mut().zip(row(feature)).for_each(|(sum, w)| *sum = sum.wrapping_sub(*w));
    }
    hidden.iter_mut().zip(sums).for_each(|(hidden, sum)| *hidden = activate((*sum).into()));
}

pub fn dots(hidden: &[u8], weights: &[i8], rows: &[u16], out: &mut [i32]) {
    let width = hidden.len();
    for (&row, out) in rows.iter().zip(out) {
        let row = &weights[usize::from(row) * width..][..width];
        *out = hidden.iter().zip(row).map(|(&h, &w)| i32::from(h) * i32::from(w)).sum();
    }
}
