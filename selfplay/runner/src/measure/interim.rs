//! Interim results while the games are played: draw shares and the evidence so far.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fusion_jobs::deal::games_of_shard;
use fusion_statistics::evalue::{Evidence, PRIOR, e_value};
use fusion_statistics::proportion::wilson;
use fusion_statistics::rounding::{fixed, signed};
use fusion_statistics::{Confidence, Interval, Proportion};

use super::{GameRow, Settings};

/// Largest number of arms that have lines in the table. With more arms, none has a line.
const MAX_LINES: usize = 16;
/// Evidence from which a difference is reported as more than chance. Without a difference, at most
/// one run in `SOME` shows this much.
const SOME: f64 = 20.0;
/// Limit of the evidence shown. Stronger evidence is shown as this.
const BEYOND: f64 = 1e6;

/// Counts of finished games. Threads share it.
///
/// It counts openings that all arms have finished, in each shard up to the first one that an arm has not
/// finished. Drawn games take longer, so counting all finished games would underestimate draws.
#[derive(Debug)]
pub struct Tally {
    /// Rule sets by budgets, in the order of the games' numbers.
    arms: Vec<(String, u32)>,
    /// Indices of the arms of the primary comparison at the largest budget.
    primary: Option<[usize; 2]>,
    state: Mutex<State>,
}

/// Draws of the openings that a [`Tally`] has counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Number of openings, which is that of games of each arm.
    pub openings: u64,
    /// Draws of each arm.
    pub draws: Vec<u64>,
    /// Openings drawn only in the first arm of the primary comparison, and only in the second.
    pub discordant: [u64; 2],
}

/// The difference of the primary comparison so far.
#[derive(Clone, Copy, Debug)]
pub struct Interim {
    /// Number of openings.
    pub openings: u64,
    /// Share of draws in the first arm less that in the second.
    pub difference: f64,
    /// Anytime-valid 95% interval of the difference.
    pub interval: Interval,
    /// E-value against equal shares.
    pub evidence: f64,
}

impl Counted {
    /// Returns the difference of the primary comparison. `None` before the first opening.
    #[must_use]
    pub fn difference(&self) -> Option<Interim> {
        let Counted { openings, discordant: [first, second], .. } = *self;
        let interval = Evidence::new(first, second, openings).ok()?.interval(Confidence::P95);
        let difference = (first as f64 - second as f64) / openings as f64;
        Some(Interim {
            openings,
            difference,
            interval,
            evidence: e_value(first, second, PRIOR).ok()?,
        })
    }
}

#[derive(Debug)]
struct State {
    /// Openings that are played one after the other: the next one to count, and the end.
    stretches: Vec<Range<u32>>,
    /// Openings that are not counted. Each entry is whether the arm's game was drawn, or `None` if it is
    /// not finished.
    waiting: BTreeMap<u32, Vec<Option<bool>>>,
    openings: u64,
    /// Draws of each arm.
    draws: Vec<u64>,
    /// Whether the first and the second arm of the primary comparison were drawn, by opening counted.
    pairs: BTreeMap<u32, [bool; 2]>,
}

impl Tally {
    /// Returns a tally that counts from this opening on.
    pub(super) fn new(settings: &Settings, first: u32) -> Self {
        Self::of_stretches(settings, std::iter::once(first..u32::MAX))
    }

    /// Returns a tally of all shards of a measurement.
    #[must_use]
    pub fn of_shards(settings: &Settings, shards: u32) -> Self {
        if settings.stop.is_some() {
            // All shards together play the openings one after the other.
            return Self::new(settings, 0);
        }
        // An opening that two shards share is counted with those of the first one.
        let first = |shard| {
            let games = games_of_shard(shard, shards, settings.games());
            games.start.div_ceil(settings.games_of_opening().max(1)) as u32
        };
        let stretches = (0..shards).map(|shard| {
            let last = shard + 1 == shards;
            first(shard)..if last { u32::MAX } else { first(shard + 1) }
        });
        Self::of_stretches(settings, stretches)
    }

    fn of_stretches(settings: &Settings, stretches: impl Iterator<Item = Range<u32>>) -> Self {
        let of_rules = |rules: &String| {
            let arm = |&nodes: &u32| (rules.clone(), nodes);
            settings.nodes.iter().map(arm).collect::<Vec<_>>()
        };
        let arms: Vec<(String, u32)> = settings.rules.iter().flat_map(of_rules).collect();
        let largest = settings.nodes.last().copied().unwrap_or_default();
        let index = |rules: &String| arms.iter().position(|arm| *arm == (rules.clone(), largest));
        let primary = settings.primary.as_ref();
        let primary = primary.and_then(|[a, b]| Some([index(a)?, index(b)?]));
        let state = State {
            stretches: stretches.collect(),
            waiting: BTreeMap::new(),
            openings: 0,
            draws: vec![0; arms.len()],
            pairs: BTreeMap::new(),
        };
        Self { arms, primary, state: Mutex::new(state) }
    }

    /// Counts a finished game.
    pub fn add(&self, row: &GameRow) {
        let is_arm =
            |(rules, nodes): &(String, u32)| *rules == row.rules && u64::from(*nodes) == row.nodes;
        let Some(arm) = self.arms.iter().position(is_arm) else { return };
        let mut state = self.lock();
        let Ok(opening) = u32::try_from(row.opening) else { return };
        let Some(stretch) = state.stretches.iter().position(|range| range.contains(&opening))
        else {
            return;
        };
        let none = || vec![None; self.arms.len()];
        let games = state.waiting.entry(opening).or_insert_with(none);
        games[arm] = Some(row.drawn());
        self.count_complete(&mut state, stretch);
    }

    fn count_complete(&self, state: &mut State, stretch: usize) {
        while !state.stretches[stretch].is_empty() {
            let next = state.stretches[stretch].start;
            let whole = |games: &Vec<Option<bool>>| games.iter().copied().collect();
            let Some(drawn): Option<Vec<bool>> = state.waiting.get(&next).and_then(whole) else {
                return;
            };
            state.waiting.remove(&next);
            state.stretches[stretch].start += 1;
            state.openings += 1;
            for (count, drawn) in state.draws.iter_mut().zip(&drawn) {
                *count += u64::from(*drawn);
            }
            if let Some([first, second]) = self.primary {
                state.pairs.insert(next, [drawn[first], drawn[second]]);
            }
        }
    }

    /// Returns the rule set and the node budget of each arm, in the order of [`Counted::draws`].
    #[must_use]
    pub fn arms(&self) -> &[(String, u32)] {
        &self.arms
    }

    /// Returns the arms of the primary comparison at the largest budget, as indices.
    #[must_use]
    pub fn primary(&self) -> Option<[usize; 2]> {
        self.primary
    }

    /// Returns the number of openings that are counted so far.
    #[must_use]
    pub fn openings(&self) -> u64 {
        self.lock().openings
    }

    /// Returns what is counted so far.
    #[must_use]
    pub fn counted(&self) -> Counted {
        let state = self.lock();
        let discordant = discordant(state.pairs.values());
        Counted { openings: state.openings, draws: state.draws.clone(), discordant }
    }

    /// Returns the e-value of the primary comparison at the largest budget, from the first
    /// `openings` openings; 1 without a comparison.
    ///
    /// Later openings that were finished before an interruption are ignored. A continued run must
    /// come to the same decision as one that was never interrupted.
    pub(super) fn evidence(&self, openings: u64) -> f64 {
        let state = self.lock();
        let [first, second] = discordant(state.pairs.values().take(openings as usize));
        e_value(first, second, PRIOR).unwrap_or(1.0)
    }

    /// Describes the primary comparison at the largest budget. Empty without a comparison, or without openings.
    fn so_far(&self) -> String {
        let Some(primary) = self.primary else { return String::new() };
        let names = primary.map(|arm| &self.arms[arm].0);
        self.counted().difference().map_or_else(String::new, |found| so_far(names, &found))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Counting cannot fail halfway, so a poisoned lock is safe to use.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts the openings drawn only in the first arm, and those drawn only in the second.
fn discordant<'a>(pairs: impl Iterator<Item = &'a [bool; 2]>) -> [u64; 2] {
    pairs.fold([0, 0], |[first, second], &pair| match pair {
        [true, false] => [first + 1, second],
        [false, true] => [first, second + 1],
        _ => [first, second],
    })
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let so_far = self.so_far();
        let state = self.lock();
        write!(f, "{} openings finished under all rules and budgets", state.openings)?;
        let width = self.arms.iter().map(|(rules, _)| rules.len()).max().unwrap_or(0);
        let lines = if self.arms.len() > MAX_LINES { 0 } else { self.arms.len() };
        for ((rules, nodes), &draws) in self.arms[..lines].iter().zip(&state.draws) {
            let Ok(share) = Proportion::new(draws, state.openings) else { continue };
            let interval = wilson(share, Confidence::P95);
            write!(
                f,
                "\n  {rules:width$} {nodes:>6} nodes  {:>5}% drawn (95%: {} to {}%)",
                fixed(100.0 * share.share(), 1),
                fixed(100.0 * interval.low, 1),
                fixed(100.0 * interval.high, 1)
            )?;
        }
        if so_far.is_empty() { Ok(()) } else { write!(f, "\n  {so_far}") }
    }
}

/// Describes the primary comparison in plain words. If both arms are drawn equally often, the
/// evidence reaches E at any time in at most one of E runs.
fn so_far([first, second]: [&String; 2], found: &Interim) -> String {
    let Interim { openings, difference, interval, evidence } = *found;
    let points = fixed(100.0 * difference.abs(), 1);
    let [low, high] = [interval.low, interval.high].map(|limit| signed(100.0 * limit, 1));
    let how = match difference {
        d if d < 0.0 => format!("{first} is drawn {points} points less often than {second}"),
        d if d > 0.0 => format!("{first} is drawn {points} points more often than {second}"),
        _ => format!("{first} and {second} are drawn equally often"),
    };
    let chance = if evidence < SOME {
        "this may still be chance".to_owned()
    } else if evidence < BEYOND {
        format!("if chance did it, only 1 run in {} would ever look so clear", fixed(evidence, 0))
    } else {
        format!("if chance did it, fewer than 1 run in {BEYOND:.0} would ever look so clear")
    };
    format!(
        "After {openings} openings {how};\n  anytime-valid 95% interval {low} to {high};\n  {chance}."
    )
}

#[cfg(test)]
mod tests {
    use super::super::{EventCounts, GameResult, RowEnding};
    use super::*;
    use fusion_game::toy::TicTacToe;
    use fusion_game::{Describe, Description};
    use fusion_search::SearchConfig;

    fn settings() -> Settings {
        Settings {
            scheme: String::new(),
            network: String::new(),
            pool: String::new(),
            openings: 9,
            own_plies: 0,
            rules: vec!["a".into(), "b".into()],
            nodes: vec![8],
            primary: Some(["b".into(), "a".into()]),
            stop: None,
            cap: 600,
            search: SearchConfig::default(),
            tables: None,
            adjudicate: false,
        }
    }

    fn row(rules: &str, opening: u32, drawn: bool) -> GameRow {
        let result = if drawn { GameResult::Draw } else { GameResult::White };
        GameRow {
            line: 0,
            game: Description::of::<TicTacToe>(),
            rules: rules.into(),
            opening: opening.into(),
            opening_plies: 0,
            seed: 0,
            network: "uniform".into(),
            nodes: 8,
            result,
            ending: RowEnding::Error,
            plies: 0,
            events: EventCounts::new(TicTacToe::EVENTS),
            lead_changes: 0,
            drama: None,
            opening_entropy: None,
            start: String::new(),
            moves_hash: 0,
        }
    }

    #[test]
    fn openings_count_in_order_and_whole() {
        let tally = Tally::new(&settings(), 3);
        for game in [row("a", 4, false), row("b", 4, true), row("b", 3, true)] {
            tally.add(&game);
        }
        assert_eq!(tally.lock().openings, 0, "opening 3 waits for a, and 4 for opening 3");
        tally.add(&row("a", 3, false));
        assert_eq!(tally.lock().openings, 2);
        assert_eq!(discordant(tally.lock().pairs.values()), [2, 0]);
        assert_eq!(tally.evidence(9), e_value(2, 0, PRIOR).unwrap());
        assert_eq!(tally.evidence(1), e_value(1, 0, PRIOR).unwrap());
        let shown = tally.to_string();
        assert!(shown.contains("b      8 nodes  100.0% drawn"), "{shown}");
        let said = "After 2 openings b is drawn 100.0 points more often than a;\n  anytime-valid 95% \
            interval −100.0 to +100.0;\n  this may still be chance.";
        assert!(shown.contains(said), "{shown}");
        assert!(!shown.contains("e-value"), "{shown}");
    }

    #[test]
    fn shards_count_their_openings_side_by_side() {
        // Nine openings of two games in four shards: opening 4 has a game in shards 1 and 2.
        let tally = Tally::of_shards(&settings(), 4);
        let counted = |opening| {
            for rules in ["a", "b"] {
                tally.add(&row(rules, opening, rules == "b"));
            }
            tally.counted().openings
        };
        assert_eq!([0, 3, 2, 5, 6].map(counted), [1, 1, 3, 4, 5]);
        tally.add(&row("a", 4, true));
        assert_eq!(tally.counted().openings, 5);
        assert_eq!([4, 8, 1, 7].map(counted), [6, 6, 7, 9]);
        // The first game of opening 4 under a was drawn; the one that came later replaced it.
        assert_eq!(tally.counted(), Counted { openings: 9, draws: vec![0, 9], discordant: [9, 0] });
        assert_eq!(counted(7), 9, "a game that is read again is not counted again");
    }

    #[test]
    fn evidence_is_told_in_plain_words() {
        let names = ["a", "b"].map(str::to_owned);
        let said = |difference, evidence| {
            let interval = Interval { low: difference - 0.01, high: difference + 0.01 };
            so_far(
                [&names[0], &names[1]],
                &Interim { openings: 400, difference, interval, evidence },
            )
        };
        assert_eq!(
            said(-0.0525, 19.9),
            "After 400 openings a is drawn 5.3 points less often than b;\n  anytime-valid 95% interval −6.3 to −4.3;\n  \
             this may still be chance."
        );
        let clear = said(0.1, 48.2);
        assert!(
            clear.contains("more often") && clear.contains("only 1 run in 48 would"),
            "{clear}"
        );
        assert!(!clear.contains("may still"), "{clear}");
        assert!(said(0.1, 1e9).contains("fewer than 1 run in 1000000 would"));
        assert!(said(0.0, 0.5).contains("equally often;\n  anytime-valid 95% interval"));
        let long = ["fusion-2020", "fusion-1999"].map(str::to_owned);
        let interval = Interval { low: -0.4, high: -0.3 };
        let found = Interim { openings: 400, difference: -0.326, interval, evidence: 1e9 };
        let text = so_far([&long[0], &long[1]], &found);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}
