//! A/A tests: whether the methods find a difference between an arm and itself.

use crate::arms::Arm;
use crate::games::GameRow;
use fusion_statistics::StatisticsError;
use fusion_statistics::null_checks::{Relabelled, SplitHalves, relabelled, split_halves};
use std::collections::BTreeMap;

/// Number of comparisons of the same games.
const STUDIES: u32 = 2_000;

/// A/A tests on the games of a run.
#[derive(Clone, Debug)]
pub struct NullChecks {
    /// The primary comparison, with the labels of the two games of each opening swapped at random.
    pub relabelled: Option<Relabelled>,
    /// Comparisons of two random halves of each arm's openings.
    pub halves: Vec<(String, SplitHalves)>,
}

impl NullChecks {
    /// Tests the primary comparison and the arms at one budget.
    ///
    /// A comparison or arm with fewer than two openings is left out.
    ///
    /// # Errors
    /// Rows that were read and checked cause no error.
    pub fn of<'a>(
        rows: &[GameRow],
        arms: impl Iterator<Item = &'a Arm>,
        primary: Option<(&str, &str)>,
        nodes: u64,
        seed: u64,
    ) -> Result<Self, StatisticsError> {
        let mut drawn: BTreeMap<&str, BTreeMap<u64, bool>> = BTreeMap::new();
        for row in rows.iter().filter(|row| row.nodes == nodes && !row.failed()) {
            drawn.entry(&row.rules).or_default().insert(row.opening, row.drawn());
        }
        let none = BTreeMap::new();
        let of = |rules: &str| drawn.get(rules).unwrap_or(&none);
        let (first, second) =
            primary.map_or((&none, &none), |(first, second)| (of(first), of(second)));
        let differences: Vec<i8> = first
            .iter()
            .filter_map(|(opening, a)| Some(i8::from(*a) - i8::from(*second.get(opening)?)))
            .collect();
        let mut halves = Vec::new();
        for arm in arms {
            let drawn: Vec<bool> = of(&arm.rules).values().copied().collect();
            if drawn.len() > 1 {
                halves.push((arm.rules.clone(), split_halves(&drawn, STUDIES, seed)?));
            }
        }
        let enough = differences.len() > 1;
        let relabelled = enough.then(|| relabelled(&differences, STUDIES, seed)).transpose()?;
        Ok(Self { relabelled, halves })
    }
}
