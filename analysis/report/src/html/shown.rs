//! Which rule sets a figure shows where there are more than anyone can read. The tables
//! have them all.

use super::series::STYLES;
use crate::arms::Arm;
use crate::many;
use crate::report::Report;

/// Most rows of a figure.
const ROWS: usize = 12;
/// Most pairs in a figure; the primary one comes first.
pub(super) const PAIRS: usize = 12;

/// The arms at the main budget that figures show.
pub(super) fn arms(report: &Report) -> Vec<&Arm> {
    let arms: Vec<&Arm> = report.main_arms().collect();
    let names: Vec<&str> = arms.iter().map(|arm| arm.rules.as_str()).collect();
    chosen(&names, report, ROWS).into_iter().map(|i| arms[i]).collect()
}

/// How many arms at the main budget no figure shows.
pub(super) fn left_out(report: &Report) -> usize {
    report.main_arms().count().saturating_sub(ROWS)
}

/// The rule sets that have a line of their own where colours must differ.
pub(super) fn lines(report: &Report) -> Vec<&str> {
    let mut names: Vec<&str> = report.arms.iter().map(|arm| arm.rules.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    chosen(&names, report, STYLES).into_iter().map(|i| names[i]).collect()
}

/// A name with as many of its characters as fit, from its beginning and its end: mixes of
/// toggles differ at the end. The full name is in the tooltip and in the tables.
pub(super) fn shortened(name: &str, most: usize) -> String {
    let characters: Vec<char> = name.chars().collect();
    if characters.len() <= most {
        return name.to_owned();
    }
    let head = most / 3;
    let tail = characters.len() - (most - head - 1);
    characters[..head].iter().chain(&['…']).chain(&characters[tail..]).collect()
}

/// At most so many of the names, in their order.
fn chosen(names: &[&str], report: &Report, most: usize) -> Vec<usize> {
    many::chosen(names, report.primary_names(), most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(shortened("fusion-2020", 11), "fusion-2020");
        let name = "fusion-2020,castling=no,attacked-split=yes";
        assert_eq!(shortened(name, 30), "fusion-202…,attacked-split=yes");
    }
}
