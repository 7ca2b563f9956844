//! Advice on playing more games: the keys of the study that set the number of openings.

use super::MATERIAL;
use crate::run_folder::RunFolder;
use fusion_print::format::{count, fixed};
use fusion_runner::measure::MeasureFile;
use fusion_statistics::Confidence;
use fusion_study::Study;

/// Numbers of openings are rounded up to multiples of this step.
const STEP: u64 = 100;

/// The source of the number of openings of a run's main measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Openings {
    /// A study's `[openings] count` and, if given, its `[measure] games`.
    Study {
        /// Number of openings of the pool.
        count: u64,
        /// Number of openings that are played, if not all.
        games: Option<u64>,
    },
    /// No study: the run was measured from a pool by hand.
    ByHand,
    /// A stopping rule, which ended the games before the planned number.
    Stopped,
}

impl Openings {
    /// Reads the source from a run.
    #[must_use]
    pub fn of(run: &RunFolder) -> Self {
        let ended_early = |file: &MeasureFile| {
            file.settings.stop.is_some() && (run.games.len() as u64) < file.games
        };
        if run.measure_file().is_some_and(ended_early) {
            return Openings::Stopped;
        }
        let study = run.study.as_deref().and_then(|text| Study::parse(text).ok());
        study.map_or(Openings::ByHand, |study| Openings::Study {
            count: study.openings.count.into(),
            games: study.measure.games.map(u64::from),
        })
    }

    /// Returns how many openings would narrow an interval to ±3 points, and how to play them.
    ///
    /// `error` is the standard error with the `played` openings. Returns `None` if the interval is
    /// already as narrow, or if a stopping rule ends the games.
    #[must_use]
    pub fn advice(self, error: f64, played: u64) -> Option<String> {
        let half = Confidence::P95.z() * error;
        let needed = (played as f64 * (half / MATERIAL).powi(2)).ceil() as u64;
        let needed = needed.next_multiple_of(STEP);
        if half <= MATERIAL || needed <= played {
            return None;
        }
        let how = match self {
            Openings::Stopped => return None,
            Openings::ByHand => format!(
                "Make a pool of them with `fusion openings --count {needed}`, and measure from it into a new folder."
            ),
            Openings::Study { count: pool, games } => {
                let pool = (pool < needed).then(|| format!("`count = {needed}` under [openings]"));
                let games = games.map(|_| format!("`games = {needed}` under [measure]"));
                let keys: Vec<String> = pool.into_iter().chain(games).collect();
                format!(
                    "Set {} in the study’s file and run it again (`./scripts/study FILE`): the games that are there stay.",
                    keys.join(" and ")
                )
            }
        };
        Some(format!(
            "About {} openings would narrow the 95% interval from ±{} to ±{} points. {how}",
            count(needed),
            fixed(100.0 * half, 1),
            fixed(100.0 * MATERIAL, 0)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_that_set_the_number_are_named() {
        let study = |count, games| Openings::Study { count, games };
        // With a deviation of 0.7 over 1,000 openings, 2,092 openings are needed.
        let advice = |openings: Openings| openings.advice(0.7 / 1_000f64.sqrt(), 1_000);
        let said = advice(study(1_000, None)).unwrap();
        assert!(
            said.starts_with("About 2,100 openings would narrow the 95% interval from ±4.3 to ±3")
        );
        assert!(
            said.contains("Set `count = 2100` under [openings] in") && !said.contains("games =")
        );
        let said = advice(study(1_000, Some(1_000))).unwrap();
        let keys = "`count = 2100` under [openings] and `games = 2100` under [measure]";
        assert!(said.contains(keys), "{said}");
        // The pool is large enough, but only a part of it is played.
        let said = advice(study(4_000, Some(1_000))).unwrap();
        assert!(said.contains("Set `games = 2100` under [measure] in"), "{said}");
        let said = advice(Openings::ByHand).unwrap();
        assert!(said.contains("openings --count 2100") && !said.contains("study"), "{said}");
    }

    #[test]
    fn no_advice_where_more_games_are_not_the_answer() {
        assert_eq!(Openings::Stopped.advice(0.1, 100), None);
        let study = Openings::Study { count: 4_000, games: None };
        assert_eq!(study.advice(0.01, 4_000), None, "±2 points already");
    }
}
