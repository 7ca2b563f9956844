//! A measurement while its games are played: draws of the openings that are counted, and the last games.

use super::shards::Shards;
use fusion_jobs::shard::Header;
use fusion_print::format::{count, percent, percent_interval, points, points_interval};
use fusion_results::games::RowEnding;
use fusion_results::report_game::ReportGame;
use fusion_runner::measure::{Counted, Interim, MeasuredGame, Settings, Tally};
use fusion_statistics::proportion::wilson;
use fusion_statistics::{Confidence, Interval, Proportion};
use serde::Serialize;
use std::collections::VecDeque;

/// Number of games that the page lists.
const LISTED: usize = 24;
/// Number of points of a curve.
const POINTS: usize = 60;

/// What was read of a measurement.
#[derive(Default)]
pub(super) struct Measurement {
    /// The game of the rule sets, once the settings are read.
    game: ReportGame,
    tally: Option<Tally>,
    /// What was counted after each opening.
    history: Vec<Counted>,
    last: VecDeque<Game>,
    unreadable: u64,
}

/// A finished game, with what the page on which people play needs to show it.
#[derive(Clone, Serialize)]
pub(super) struct Game {
    rules: String,
    nodes: u64,
    opening: u64,
    result: &'static str,
    ending: &'static str,
    plies: u32,
    start: Option<String>,
    moves: Vec<String>,
}

/// A rule set at a number of nodes.
#[derive(Serialize)]
struct Arm {
    rules: String,
    nodes: u32,
    draws: u64,
    /// Share of draws, and the ends of its interval.
    share: [f64; 3],
    words: String,
    interval: String,
    /// Share and ends after some numbers of openings.
    curve: Vec<[f64; 4]>,
}

/// The difference of the primary comparison.
#[derive(Serialize)]
struct Primary {
    names: [String; 2],
    /// Difference in draws, and the ends of its interval.
    difference: [f64; 3],
    words: String,
    interval: String,
    /// Evidence, by how many of which one run would show it by chance; `None` below 20.
    evidence: Option<String>,
}

/// What the page shows of a measurement.
#[derive(Serialize)]
pub(super) struct State {
    openings: u64,
    arms: Vec<Arm>,
    primary: Option<Primary>,
    games: Vec<Game>,
    unreadable: u64,
}

/// Evidence from which a difference is reported as more than chance.
const SOME: f64 = 20.0;

impl Measurement {
    /// Reads the games that have come.
    pub(super) fn refresh(&mut self, shards: &mut Shards) {
        shards.refresh(|header, payload| self.add(header, payload));
    }

    fn add(&mut self, header: &Header, payload: &[u8]) {
        if self.tally.is_none() {
            let settings = serde_json::from_value::<Settings>(header.parameters.clone());
            if let Ok(settings) = settings {
                let rules = settings.rules.first().map_or("", String::as_str);
                self.game = ReportGame::of_rules(rules);
                self.tally = Some(Tally::of_shards(&settings, header.shards));
            }
        }
        let Ok(game) = MeasuredGame::parse(self.game.description(), payload) else {
            self.unreadable += 1;
            return;
        };
        if let Some(tally) = &self.tally {
            tally.add(&game.row);
            if self.history.last().map_or(0, |last| last.openings) < tally.openings() {
                self.history.push(tally.counted());
            }
        }
        self.last.push_front(Game::new(game));
        self.last.truncate(LISTED);
    }

    /// Returns what the page shows.
    pub(super) fn state(&self) -> State {
        let arms = self.tally.as_ref().map(Tally::arms).unwrap_or_default();
        let arms = arms.iter().enumerate();
        State {
            openings: self.history.last().map_or(0, |counted| counted.openings),
            arms: arms.filter_map(|(i, (rules, nodes))| self.arm(i, rules, *nodes)).collect(),
            primary: self.primary(),
            games: self.last.iter().cloned().collect(),
            unreadable: self.unreadable,
        }
    }

    fn arm(&self, index: usize, rules: &str, nodes: u32) -> Option<Arm> {
        let share = |counted: &Counted| {
            let share = Proportion::new(counted.draws[index], counted.openings).ok()?;
            Some((share.share(), wilson(share, Confidence::P95)))
        };
        let last = self.history.last()?;
        let (value, interval) = share(last)?;
        let point = |counted: &Counted| {
            let (value, Interval { low, high }) = share(counted)?;
            Some([counted.openings as f64, value, low, high])
        };
        Some(Arm {
            rules: rules.to_owned(),
            nodes,
            draws: last.draws[index],
            share: [value, interval.low, interval.high],
            words: percent(value),
            interval: percent_interval(interval),
            curve: thinned(&self.history).filter_map(point).collect(),
        })
    }

    fn primary(&self) -> Option<Primary> {
        let tally = self.tally.as_ref()?;
        let [first, second] = tally.primary()?;
        let Interim { difference, interval, evidence, .. } = self.history.last()?.difference()?;
        let bounded = evidence.min(1e6) as u64;
        Some(Primary {
            names: [first, second].map(|arm| tally.arms()[arm].0.clone()),
            difference: [difference, interval.low, interval.high],
            words: points(difference),
            interval: points_interval(interval),
            evidence: (evidence >= SOME).then(|| count(bounded)),
        })
    }
}

/// Returns at most [`POINTS`] elements, evenly spaced, with the last one.
fn thinned(history: &[Counted]) -> impl Iterator<Item = &Counted> {
    let step = history.len().div_ceil(POINTS).max(1);
    let offset = history.len().saturating_sub(1) % step;
    history.iter().skip(offset).step_by(step)
}

impl Game {
    fn new(game: MeasuredGame) -> Self {
        let MeasuredGame { row, start, opening, moves } = game;
        let ending = match row.ending {
            RowEnding::Game(ending) => ending.kind().words,
            RowEnding::Error => "the program failed",
        };
        let opening = opening.split_whitespace().map(str::to_owned);
        Self {
            nodes: row.nodes,
            opening: row.opening,
            result: row.result.text(),
            ending,
            plies: row.plies,
            start,
            moves: opening.chain(moves.into_iter().map(|mv| mv.0)).collect(),
            rules: row.rules,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_keep_their_last_point() {
        let counted = |openings| Counted { openings, draws: vec![0], discordant: [0, 0] };
        for length in [0, 1, 2, 59, 60, 61, 200, 1500] {
            let history: Vec<Counted> = (1..=length).map(counted).collect();
            let points: Vec<u64> = thinned(&history).map(|point| point.openings).collect();
            assert!(points.len() <= POINTS, "{length}");
            assert_eq!(points.last().copied().unwrap_or(0), length);
            let steps: Vec<u64> = points.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert!(steps.windows(2).all(|pair| pair[0] == pair[1]), "{steps:?}");
        }
    }
}
