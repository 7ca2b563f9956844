//! A loop whose length is a time: what each of its generations does.
//!
//! A generation takes a share of the time spent before it, so that early networks, which play weak games,
//! are replaced soon. Early games have few nodes a move: many weak games teach the values of the pieces
//! sooner than a few better ones. The last generation takes what is left, and learns from all games of the window
//! anew, from random weights. Its plan is written when a generation begins, so that an
//! interrupted one goes on as planned.
//!
//! The number of games depends on the speed of the machine. All else is a function of the seed.

use std::path::Path;

use fusion_game::CompleteGame;
use fusion_runner::generate;
use fusion_study::{Searcher, SelfplayConfig, Study, is_time_over};
use serde::{Deserialize, Serialize};

use super::{Loop, Outcome};
use crate::runs;

/// File with the plan, in the folder of a generation.
const FILE: &str = "plan.json";
/// Share of the time for generation 0, whose games are of a player that learnt nothing.
const FIRST: f64 = 0.04;
/// Time of a later generation, as a share of the time spent before it.
const GROWTH: f64 = 0.4;
/// Least time of a last generation, as a share of the time of an ordinary one. If less were left after a
/// generation, it takes that time, too.
const LEAST: f64 = 0.6;
/// Share of the time that is spent when games have all of their nodes. Before, they have nodes in proportion.
const FULL: f64 = 0.3;
/// Least share of the nodes.
const FEWEST: f64 = 1.0 / 4.0;
/// Games on each thread by which a player's speed is measured.
const TRIED: u64 = 10;

/// What a generation of a loop with a time does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Plan {
    /// Games.
    pub games: u64,
    /// Share of the study's nodes of a move.
    pub nodes: f64,
    /// Whether it ends the time: it learns from the whole window again.
    pub last: bool,
}

impl Plan {
    /// Returns the plan in the folder of a generation, if it has one.
    ///
    /// # Errors
    /// The file is damaged (exit code 65).
    pub(super) fn read(folder: &Path) -> anyhow::Result<Option<Self>> {
        runs::read_json(&folder.join(FILE), runs::REMOVE)
    }

    /// Writes the plan into the folder of a generation.
    ///
    /// # Errors
    /// Failures of the file system.
    pub(super) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        runs::write_json(&folder.join(FILE), self)
    }

    /// Returns the share of the nodes of a generation after others.
    fn nodes(before: &[Outcome], minutes: f64) -> f64 {
        let share = spent(before) / (FULL * 60.0 * minutes);
        // Halves, so that it is the same number in every file.
        2.0_f64.powf(share.clamp(FEWEST, 1.0).log2().floor())
    }

    /// Returns the settings of the games of a generation.
    fn of_games(nodes: f64, selfplay: &SelfplayConfig) -> SelfplayConfig {
        let scaled = |simulations: u32| ((f64::from(simulations) * nodes) as u32).max(1);
        SelfplayConfig {
            simulations: scaled(selfplay.simulations),
            fast_simulations: scaled(selfplay.fast_simulations),
            ..selfplay.clone()
        }
    }

    /// Plans a generation after others, of which each game takes `game` seconds.
    fn after(before: &[Outcome], minutes: f64, game: f64, study: &Study) -> Self {
        let (total, spent) = (60.0 * minutes, spent(before));
        let rest = (total - spent).max(0.0);
        let usual = if before.is_empty() { FIRST * total } else { GROWTH * spent };
        let last = !before.is_empty() && rest < (1.0 + LEAST) * usual;
        // Learning takes time in proportion to the positions.
        let fit = before.last().map_or(0.0, |of| of.clock.fit / of.games.max(1) as f64);
        let window = study.train.window.saturating_sub(1) as usize;
        let again: u64 = before.iter().rev().take(window).map(|of| of.games).sum();
        let time = if last { rest - fit * again as f64 } else { usual };
        let games = (time / (game + fit).max(1e-9)) as u64;
        Self { games: games.max(study.selfplay.games), nodes: Self::nodes(before, minutes), last }
    }
}

impl Loop<'_> {
    /// Returns how a generation plays its games, and whether it learns from its whole window.
    pub(super) fn planned<G: CompleteGame>(
        &self,
        number: u32,
        before: &[Outcome],
        player: &Searcher,
    ) -> anyhow::Result<(SelfplayConfig, bool)> {
        let selfplay = self.study.selfplay_of(number);
        let Some(minutes) = self.study.train.minutes else { return Ok((selfplay, false)) };
        let folder = self.folder(number);
        let plan = match Plan::read(&folder)? {
            Some(plan) => plan,
            None => {
                let nodes = Plan::nodes(before, minutes);
                let config = Plan::of_games(nodes, &selfplay);
                let game = self.seconds_of_a_game::<G>(number, &config, player)?;
                let plan = Plan::after(before, minutes, game, self.study);
                plan.write(&folder)?;
                plan
            }
        };
        let config = Plan::of_games(plan.nodes, &selfplay);
        Ok((SelfplayConfig { games: plan.games, ..config }, plan.last))
    }

    /// Returns how long all threads together take for a game: for a few that are tried.
    fn seconds_of_a_game<G: CompleteGame>(
        &self,
        number: u32,
        config: &SelfplayConfig,
        player: &Searcher,
    ) -> anyhow::Result<f64> {
        let threads = self.pool.current_num_threads() as u64;
        let numbers: Vec<u64> = (0..TRIED * threads).collect();
        let seed = self.seed("games of a generation", number);
        let trial = || generate::trial::<G>(config, player, seed, &numbers);
        let tried = self.pool.install(trial)?;
        Ok(tried.time.as_secs_f64() / (tried.games.max(1) * threads) as f64)
    }
}

/// Returns the seconds by the clock of all these generations.
pub(super) fn spent(outcomes: &[Outcome]) -> f64 {
    outcomes.iter().map(|outcome| outcome.clock.total()).sum()
}

/// Returns whether a loop ends after these generations.
pub(super) fn is_over(study: &Study, outcomes: &[Outcome]) -> bool {
    match (study.train.number_of_generations(), study.train.minutes) {
        (Some(number), _) => outcomes.len() >= number as usize,
        (None, minutes) => is_time_over(minutes.unwrap_or_default(), spent(outcomes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::Report;
    use crate::generations::Seconds;
    use crate::metrics::Row;

    fn outcome(games: u64, selfplay: f64, fit: f64) -> Outcome {
        Outcome {
            generation: 0,
            accepted: true,
            player: String::new(),
            games,
            plies: 0,
            endings: std::collections::BTreeMap::new(),
            fit: Report { games, positions: 0, held_out: 0, last: Row::default() },
            rejected: None,
            gate: None,
            cpu: Seconds::default(),
            clock: Seconds { selfplay, fit, gate: 0.0 },
        }
    }

    /// Ten minutes, in which a game takes a tenth of a second.
    #[test]
    fn generations_grow_from_the_second_on_and_the_last_takes_what_is_left() {
        let text = "study.name = 'x'\n[selfplay]\ngames = 50\n[train]\nminutes = 10\nwindow = 2";
        let study = Study::parse(text).unwrap();
        let mut before = Vec::new();
        let mut plans = Vec::new();
        while !is_over(&study, &before) {
            let plan = Plan::after(&before, 10.0, 0.1, &study);
            let fits = if plan.last { before.last().map_or(0, |of: &Outcome| of.games) } else { 0 };
            let (games, learnt) = (plan.games as f64, (plan.games + fits) as f64);
            before.push(outcome(plan.games, 0.1 * games, 0.01 * learnt));
            plans.push(plan);
        }
        assert!((plans[0].games as f64 - FIRST * 600.0 / 0.1).abs() <= 1.0, "{plans:?}");
        // The second takes 40% of the time of the first.
        assert!(plans[1].games < plans[0].games, "{plans:?}");
        assert!(plans[1..].is_sorted_by_key(|plan| plan.games) && plans.len() > 5, "{plans:?}");
        assert!(plans.is_sorted_by_key(|plan| (plan.nodes * 64.0) as u64), "{plans:?}");
        assert_eq!((plans[0].nodes, plans.last().unwrap().nodes), (FEWEST, 1.0));
        assert_eq!(plans.iter().filter(|plan| plan.last).count(), 1);
        let time = spent(&before);
        assert!((540.0..640.0).contains(&time), "{time}");
        // A game that takes too long is played all the same.
        assert_eq!(Plan::after(&[], 0.1, 60.0, &study).games, 50);
    }
}
