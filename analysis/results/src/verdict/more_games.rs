//! Advice on playing more games: the keys of the study that set the number of openings.

use super::MATERIAL;
use crate::run_folder::RunFolder;
use fusion_print::format::{count, whole_percent};
use fusion_runner::measure::MeasureFile;
use fusion_statistics::Confidence;
use fusion_statistics::evalue::Looks;
use fusion_statistics::power::Power;
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
    /// The number that a page asks for.
    Page {
        /// The most openings that it plays.
        most: u64,
    },
    /// No study: the run was measured from a pool by hand.
    ByHand,
    /// A stopping rule, which ended the games before the planned number.
    Stopped,
}

impl Openings {
    /// Reads the source from a run, which is one of a page if this plays `page_openings` at most.
    #[must_use]
    pub fn of(run: &RunFolder, page_openings: Option<u64>) -> Self {
        let ended_early = |file: &MeasureFile| {
            file.settings.stop.is_some() && (run.games.len() as u64) < file.games
        };
        if run.measure_file().is_some_and(ended_early) {
            return Openings::Stopped;
        }
        if let Some(most) = page_openings {
            return Openings::Page { most };
        }
        let study = run.study.as_deref().and_then(|text| Study::parse(text).ok());
        study.map_or(Openings::ByHand, |study| Openings::Study {
            count: study.openings.count.into(),
            games: study.measure.games.map(u64::from),
        })
    }

    /// Returns how many openings would show no material change where there is no difference, and how to
    /// play them. Returns `None` if as many were `played`, or if a stopping rule ends the games.
    #[must_use]
    pub fn advice(
        self,
        variance: f64,
        played: u64,
        (level, looks): (Confidence, Looks),
    ) -> Option<String> {
        let needed = needed(variance, (level, looks)).filter(|needed| *needed > played)?;
        let how = match self {
            Openings::Stopped => return None,
            _ if looks == Looks::Once => {
                "The number of openings of this study is `fixed`: write another study, with another seed.".to_owned()
            }
            Openings::Page { most } if needed <= most => format!(
                "Set the number of openings to {} and start again: the games that are there stay.",
                count(needed)
            ),
            Openings::Page { .. } => format!(
                "Those are more than a page plays: save the study, set `count = {needed}` under [openings] in its file, and run it with the program."
            ),
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
            "About {} openings settle it in {} of the studies of rules that are drawn equally often. {how}",
            count(needed),
            whole_percent(Power::default().power)
        ))
    }
}

/// Returns how many openings show no material change in 80% of the studies without a difference, as the study's
/// plan says.
///
/// `variance` is that of one opening's difference; `level` and `looks` are those of the interval that
/// shows it.
pub(super) fn needed(variance: f64, (confidence, looks): (Confidence, Looks)) -> Option<u64> {
    let power = Power { confidence, looks, ..Power::default() };
    Some(power.alike(MATERIAL, variance).ok()?.next_multiple_of(STEP))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_that_set_the_number_are_named() {
        let study = |count, games| Openings::Study { count, games };
        // With arms that are drawn in half of their games, 10,464 openings are needed.
        let advice =
            |openings: Openings| openings.advice(0.5, 1_000, (Confidence::P90, Looks::Any));
        let said = advice(study(1_000, None)).unwrap();
        assert!(said.starts_with("About 10,500 openings settle it in 80% of the studies of rules"));
        assert!(
            said.contains("Set `count = 10500` under [openings] in") && !said.contains("games =")
        );
        let said = advice(study(1_000, Some(1_000))).unwrap();
        let keys = "`count = 10500` under [openings] and `games = 10500` under [measure]";
        assert!(said.contains(keys), "{said}");
        // The pool is large enough, but only a part of it is played.
        let said = advice(study(20_000, Some(1_000))).unwrap();
        assert!(said.contains("Set `games = 10500` under [measure] in"), "{said}");
        let page = |most| advice(Openings::Page { most }).unwrap();
        let said = page(20_000);
        assert!(said.contains("Set the number of openings to 10,500 and start again"), "{said}");
        let said = page(2_000);
        assert!(said.contains("save the study, set `count = 10500` under [openings]"), "{said}");
        let said = advice(Openings::ByHand).unwrap();
        assert!(said.contains("openings --count 10500") && !said.contains("study"), "{said}");
    }

    #[test]
    fn no_advice_where_more_games_are_not_the_answer() {
        let once = (Confidence::P90, Looks::Once);
        assert_eq!(Openings::Stopped.advice(0.5, 100, once), None);
        let study = Openings::Study { count: 4_800, games: None };
        assert_eq!(study.advice(0.5, 4_800, once), None, "as planned");
        let said = study.advice(0.5, 4_000, once).unwrap();
        assert!(said.contains("is `fixed`: write another study"), "{said}");
    }
}
