//! The kinds of games that a study plays, each with a function that plays trials.

use super::{finished, schedule};
use anyhow::Context;
use fusion_game::CompleteGame;
use fusion_jobs::exit::Failure;
use fusion_jobs::stop::Stop;
use fusion_jobs::timing::TimedSample;
use fusion_network::Network;
use fusion_network::model::{Model, MoveModel};
use fusion_network::views::{self, ViewNetwork};
use fusion_runner::matches::{self, MatchConfig, Player};
use fusion_runner::openings::{self, Pool};
use fusion_runner::{generate, measure, random};
use fusion_search::pvs::PvsConfig;
use fusion_study::{
    MeasureConfig, Measurement, OpeningsConfig, PROGRAM, SearchKind, Searcher, SelfplayConfig,
    StrengthConfig, Study, common_rules, rule_sets,
};
use std::path::Path;
use std::sync::Arc;

/// Number of openings for trials.
const OPENINGS: u32 = 16;
/// Name of the training games of all generations.
pub(super) const TRAINING: &str = "training";

/// A kind of games of a study.
pub(super) struct Task<'a> {
    pub(super) name: String,
    /// Number of games at each node budget.
    pub(super) games: u64,
    /// Node budgets. Games without a search have a single budget of 1.
    pub(super) budgets: Vec<u32>,
    /// Number of finished games.
    pub(super) finished: u64,
    /// Plays a round of games.
    pub(super) play: Box<dyn Fn(Round) -> anyhow::Result<TimedSample> + Sync + 'a>,
}

/// Games that are played together.
#[derive(Clone, Copy)]
pub(super) struct Round {
    pub(super) nodes: u32,
    pub(super) number: u64,
    pub(super) games: u64,
}

impl Task<'_> {
    /// Returns the number of games at all budgets together.
    pub(super) fn all_games(&self) -> u64 {
        self.games * self.budgets.len() as u64
    }

    /// Returns the share of the games that are not finished.
    pub(super) fn left(&self) -> f64 {
        1.0 - self.finished as f64 / self.all_games().max(1) as f64
    }
}

/// Returns all kinds of games of a study, in the order in which it is played.
///
/// # Errors
/// Fails if a network, evaluator or program is missing (exit code 66) or rejected (65), or if a
/// pool of openings is rejected or cannot be made.
pub(super) fn all<G: CompleteGame>(study: &Study) -> anyhow::Result<Vec<Task<'_>>> {
    let mut tasks = Vec::new();
    for (name, config) in schedule::matches::<G>(study)? {
        tasks.push(match_task::<G>(study, name, &config)?);
    }
    tasks.extend(training_task::<G>(study)?);
    let pool = pool::<G>(study)?;
    for Measurement { name, folder, config } in study.measurements() {
        let planned = schedule::games::<G>(study, &config)?;
        let finished = finished::measured(&study.out().join(folder), planned);
        tasks.push(measurement_task::<G>(study, name, config, finished, pool.as_ref())?);
    }
    tasks.extend(random_task::<G>(study)?);
    Ok(tasks)
}

/// Returns the first openings of the study's pool. If there is no pool yet, returns a few openings
/// of the same kind that were not evaluated.
///
/// Returns `None` if the study needs no openings.
fn pool<G: CompleteGame>(study: &Study) -> anyhow::Result<Option<Pool>> {
    let rules = study.pool_rules::<G>()?;
    if rules.is_empty() {
        return Ok(None);
    }
    let path = study.out().join("openings.csv");
    if path.exists() {
        return Pool::open::<G>(&path).map(Some);
    }
    let config =
        OpeningsConfig { count: study.openings.count.min(OPENINGS), ..study.openings.clone() };
    let (search, seed) = (&study.measure.search, study.study.seed);
    openings::make::<G>(&config, &rules, search, None, seed, &Stop::of_process()).map(Some)
}

fn measurement_task<'a, G: CompleteGame>(
    study: &Study,
    name: String,
    config: MeasureConfig,
    finished: u64,
    pool: Option<&Pool>,
) -> anyhow::Result<Task<'a>> {
    let player = study.player(&config);
    let rules = rule_sets::<G>(&config.arms::<G>()?)?;
    let player = if player.starts_with(PROGRAM) {
        Player::of_measurement::<G>(&player, &rules)
    } else {
        open::<G>(study, &player, &rules).map(Player::from)
    };
    let player = player.with_context(|| format!("opening what plays {name}"))?;
    let pool = match pool {
        Some(pool) if config.own_plies == 0 => pool.clone(),
        _ => Pool::without_plies(OPENINGS),
    };
    let arms = rules.len() as u64;
    let openings = (pool.openings().len() as u32).min(OPENINGS);
    let seed = study.study.seed;
    let (games, budgets) = (arms * schedule::openings(study, &config), config.nodes.clone());
    let play = move |round: Round| {
        let config =
            MeasureConfig { nodes: vec![round.nodes], games: Some(openings), ..config.clone() };
        let numbers = numbers(round, arms, openings.into());
        measure::trial::<G>(&config, &pool, &player, seed, &numbers)
    };
    Ok(Task { name, games, budgets, finished, play: Box::new(play) })
}

/// Returns the numbers of a round's games in a measurement.
///
/// Openings follow each other. Every arm occurs before an arm is repeated, and successive arms are
/// far apart.
fn numbers(round: Round, arms: u64, openings: u64) -> Vec<u64> {
    let stride = stride(arms);
    let game = |game: u64| {
        // In each pass through the openings, every opening gets its next arm.
        let (pass, opening) = (game / openings, game % openings);
        opening * arms + (opening * stride + pass) % arms
    };
    let first = round.number * round.games;
    (first..first + round.games).map(game).collect()
}

/// Returns a step that visits all arms and spreads the first few over the list.
///
/// It is close to the golden section of their number and has no common divisor with it.
fn stride(arms: u64) -> u64 {
    fn divisor(a: u64, b: u64) -> u64 {
        if b == 0 { a } else { divisor(b, a % b) }
    }
    let golden = (0.618 * arms as f64).round() as u64;
    (golden..arms).find(|&step| divisor(arms, step) == 1).unwrap_or(1)
}

fn match_task<'a, G: CompleteGame>(
    study: &Study,
    name: String,
    config: &StrengthConfig,
) -> anyhow::Result<Task<'a>> {
    let opening = || format!("opening the players of {name}");
    let folder = if name == "strength" { study.out() } else { study.out().join(&name) };
    let second_nodes = config.opponent_nodes.unwrap_or(config.nodes);
    // Both players are opened before the first game, so that a missing file is found early.
    let first = study.network().to_string_lossy().into_owned();
    let second = study.opponent(config);
    let rules = rule_sets::<G>(&config.rules)?;
    let open = |player: &str, nodes| {
        if player == first {
            return Ok(Player::searching(open::<G>(study, player, &rules)?, nodes));
        }
        Player::open::<G>(player, nodes, &rules)
    };
    let players = [
        open(&first, config.nodes).with_context(opening)?,
        open(&second, second_nodes).with_context(opening)?,
    ];
    let nodes = [config.nodes, second_nodes];
    let config = MatchConfig {
        first: players[0].clone(),
        second: players[1].clone(),
        rules: config.rules.clone(),
        games: config.games,
        plies: config.plies,
        cap: config.cap,
        search: study.measure.search,
        sprt: config.sprt,
        seed: study.study.seed,
    };
    let (games, finished) = (config.games, finished::matched(&folder, config.games));
    let play = move |round: Round| {
        let scaled = scaled(nodes, round.nodes);
        let config = MatchConfig {
            first: players[0].with_nodes(scaled[0]),
            second: players[1].with_nodes(scaled[1]),
            ..config.clone()
        };
        let pairs = round.games / 2;
        let first = round.number * pairs;
        matches::trial::<G>(&config, &(first..first + pairs).collect::<Vec<_>>())
    };
    Ok(Task { name, games, budgets: vec![nodes[0]], finished, play: Box::new(play) })
}

/// Returns both players' nodes: the given number for the first, and one in proportion for the
/// second.
fn scaled([first, second]: [u32; 2], nodes: u32) -> [u32; 2] {
    let other = u64::from(second) * u64::from(nodes) / u64::from(first.max(1));
    [nodes, u32::try_from(other).unwrap_or(u32::MAX).max(1)]
}

/// Returns the training games of all generations, if the study trains a network. Their budget is that
/// of a full search. They are tried with the network that stands in for those that will be trained.
fn training_task<G: CompleteGame>(study: &Study) -> anyhow::Result<Option<Task<'_>>> {
    let generations = study.train.number_of_generations();
    let Some(generations) = generations.filter(|_| study.network.file.is_none()) else {
        return Ok(None);
    };
    let player = stand_in::<G>(study, &study.selfplay.rule_sets::<G>()?)?;
    let games = (0..generations).map(|number| study.selfplay_of(number).games).sum();
    let (config, seed) = (study.selfplay.clone(), study.study.seed);
    let full = config.simulations;
    let play = move |round: Round| {
        let [simulations, fast_simulations] = scaled([full, config.fast_simulations], round.nodes);
        let config = SelfplayConfig { simulations, fast_simulations, ..config.clone() };
        let first = round.number * round.games;
        let numbers: Vec<u64> = (first..first + round.games).collect();
        generate::trial::<G>(&config, &player, seed, &numbers)
    };
    let name = TRAINING.to_owned();
    Ok(Some(Task { name, games, budgets: vec![full], finished: 0, play: Box::new(play) }))
}

/// Opens a player of games under these rule sets. In place of the network that the study trains, until
/// there is one, it is the network that the training starts from or, if it starts from none, a random one
/// of the same width.
fn open<G: CompleteGame>(
    study: &Study,
    player: &str,
    rules: &[G::Rules],
) -> anyhow::Result<Searcher> {
    let network = study.network();
    if study.network.file.is_none()
        && Path::new(player) == network
        && !study.trained_network().exists()
    {
        return stand_in::<G>(study, rules);
    }
    Ok(Searcher::open::<G>(player, rules)?)
}

fn stand_in<G: CompleteGame>(study: &Study, rules: &[G::Rules]) -> anyhow::Result<Searcher> {
    let (start, network) = (&study.train.start, &study.network);
    if !Model::BUILT_IN.contains(&&**start) {
        return Searcher::open::<G>(&study.start(), rules).context("train.start");
    }
    let width = network.hidden as usize;
    let wrong = |error| Failure::usage(format!("network.hidden: {error}"));
    let rules = common_rules::<G>(rules).map_err(Failure::usage)?;
    Ok(match network.search {
        SearchKind::Tree => {
            let weights = fusion_network::FloatNetwork::random::<G>(rules, width, 1);
            let network = weights.and_then(|weights| Network::quantise::<G>(rules, &weights));
            Model::of(network.map_err(wrong)?).into()
        }
        SearchKind::Pvs => {
            let weights = views::ViewFloats::random::<G>(rules, width, 1);
            let network = weights.and_then(|weights| ViewNetwork::quantise::<G>(rules, &weights));
            let model = MoveModel::Views(Arc::new(network.map_err(wrong)?));
            Searcher::Pvs(PvsConfig::default(), model)
        }
    })
}

fn random_task<'a, G: CompleteGame>(study: &Study) -> anyhow::Result<Option<Task<'a>>> {
    let Some((rules, each)) = study.random_rules::<G>()? else { return Ok(None) };
    let games = each * rules.len() as u64;
    let finished = finished::randomly_moved(&study.out().join(random::KIND), games);
    let seed = study.study.seed;
    let play = move |round: Round| {
        let first = round.number * round.games;
        let numbers: Vec<u64> = (first..first + round.games).collect();
        random::trial::<G>(&rules, seed, &numbers)
    };
    let name = random::KIND.to_owned();
    Ok(Some(Task { name, games, budgets: vec![1], finished, play: Box::new(play) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_round_takes_arms_from_all_of_the_list() {
        for arms in 1..=65 {
            let round = |number| numbers(Round { nodes: 4, number, games: 8 }, arms, 16);
            let of = |rounds: std::ops::Range<u64>| -> BTreeSet<u64> {
                rounds.flat_map(round).map(|number| number % arms).collect()
            };
            assert_eq!(of(0..1).len() as u64, arms.min(8), "{arms}");
            assert_eq!(of(0..2).len() as u64, arms.min(16), "{arms}");
            let games: BTreeSet<u64> = (0..4).flat_map(round).collect();
            assert_eq!(games.len() as u64, 32.min(16 * arms), "{arms}: no game twice");
            assert!(games.iter().all(|&number| number < 16 * arms));
        }
    }

    #[test]
    fn opponents_nodes_stay_in_proportion() {
        assert_eq!(scaled([400, 200], 16), [16, 8]);
        assert_eq!(scaled([400, 20], 4), [4, 1]);
        assert_eq!(scaled([100, 400], 100), [100, 400]);
    }
}
