//! Training games.
//!
//! A game draws its rule set from a weighted mix and begins with a few uniformly random
//! plies. Then every ply is searched: some plies in full, which gives a policy to learn
//! from (playout-cap randomisation), the others fast, to get on with the game. Early moves
//! are drawn from the search's improved policy, later ones are its choice. Shards hold one
//! [`crate::records`] record a game.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use anyhow::Context;
use fusion_engine::evaluator::{Evaluator, Wdl};
use fusion_engine::game::Game;
use fusion_engine::search::{GumbelConfig, GumbelResult, Search};
use rand::RngExt;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::play;
use crate::progress::Progress;
use crate::records::{self, Ply, Record, RootWdl, Searched, Target};
use crate::runner::{self, Played, Run, Shard};
use crate::seeds;
use crate::stop::Stop;
use crate::study::SelfplayConfig;
use fusion_engine::model::Model;

/// Kind of the shards.
pub const KIND: &str = "games";
/// Openings that end the game are drawn anew so many times; then there is none.
const OPENING_ATTEMPTS: u32 = 100;

/// Settings in a shard's header.
#[derive(Clone, Debug, Serialize)]
struct Parameters {
    records: u32,
    scheme: &'static str,
    network: String,
    selfplay: SelfplayConfig,
}

/// What the shards of a run hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Finished games.
    pub games: u64,
    /// Plies in all games together.
    pub plies: u64,
    /// Plies with a search, each a sample for the value.
    pub searched: u64,
    /// Plies with a full search, each a sample for the policy too.
    pub targets: u64,
    /// Games by ending.
    pub endings: BTreeMap<&'static str, u64>,
    /// Shards that were not whole before.
    pub new_shards: u32,
}

impl Summary {
    fn add(&mut self, record: &Record) {
        let searches = || record.plies.iter().filter_map(|ply| ply.search.as_ref());
        self.games += 1;
        self.plies += record.plies.len() as u64;
        self.searched += searches().count() as u64;
        self.targets += searches().filter(|search| search.target.is_some()).count() as u64;
        *self.endings.entry(record.outcome.ending.name()).or_default() += 1;
    }

    /// Reads finished shards.
    ///
    /// # Errors
    /// A shard that is missing or damaged.
    pub fn of(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> anyhow::Result<Self> {
        let mut summary = Self::default();
        for path in paths {
            records::read_shard(path.as_ref(), |record| {
                summary.add(&record);
                Ok(())
            })?;
        }
        Ok(summary)
    }
}

/// Plays the games of some shards of a run, on the current thread pool, and sums the
/// shards up. Shards that are complete stay as they are; begun ones are continued.
///
/// # Errors
/// A bad configuration or a shard with other settings (exit code 64), a damaged shard (65),
/// a request to stop (75 or 130), or an error of the file system.
pub fn run<G: Game>(
    config: &SelfplayConfig,
    model: &Model,
    seed: u64,
    folder: &Path,
    shards: Range<u32>,
    stop: &Stop,
) -> anyhow::Result<Summary> {
    config.check::<G>()?;
    let mix = Mix::<G>::new(config)?;
    let run = Run {
        kind: KIND,
        folder: folder.to_owned(),
        seed,
        shards: config.shards,
        games: config.games,
        parameters: Parameters {
            records: records::VERSION,
            scheme: G::SCHEME,
            network: model.hash().to_owned(),
            selfplay: config.clone(),
        },
    };
    let mut new_shards = 0;
    for shard in shards.clone() {
        let label = runner::label("training games", shard, config.shards);
        let made = run.play_shard(shard, &label, stop, |game, progress| {
            let numbers = [seed, u64::from(shard), game];
            let Some(record) = play_game(config, &mix, model, &numbers, stop, progress) else {
                return Ok(None);
            };
            Ok(Some(Played {
                payload: records::encode(&record),
                drawn: play::is_draw(record.outcome),
            }))
        })?;
        new_shards += u32::from(made == Shard::Finished);
    }
    let summary = Summary::of(shards.map(|shard| run.path(shard)))?;
    Ok(Summary { new_shards, ..summary })
}

/// The rule sets of a run with their weights.
struct Mix<G: Game> {
    rules: Vec<G::Rules>,
    weights: WeightedIndex<f64>,
}

impl<G: Game> Mix<G> {
    fn new(config: &SelfplayConfig) -> anyhow::Result<Self> {
        let parse = |text: &String| G::parse_rules(text).map_err(anyhow::Error::msg);
        Ok(Self {
            rules: config.rules.keys().map(parse).collect::<Result<_, _>>()?,
            weights: WeightedIndex::new(config.rules.values()).context("selfplay.rules")?,
        })
    }
}

/// Plays one game; `None` if stopped.
fn play_game<G: Game>(
    config: &SelfplayConfig,
    mix: &Mix<G>,
    model: &Model,
    numbers: &[u64],
    stop: &Stop,
    progress: &Progress,
) -> Option<Record> {
    let mut rng = seeds::stream("training game", numbers);
    let rules = &mix.rules[mix.weights.sample(&mut rng)];
    let start = G::new(rules);
    let (game, mut plies) = random_opening(&start, config.random_plies, &mut rng);
    let mut evaluator = model.evaluator::<G>(seeds::number("training evaluator", numbers));
    let mut search = Search::new(config.search, game);
    let mut moves = Vec::new();
    let temperature_ends = (plies.len() as u32).saturating_add(config.temperature_plies);
    loop {
        if stop.requested() {
            return None;
        }
        moves.clear();
        search.game().legal_moves(&mut moves);
        let ply = plies.len() as u32;
        if let Some(outcome) = play::outcome(search.game(), &moves, ply, config.cap) {
            return Some(Record {
                rules: rules.to_string(),
                start: start.to_text(),
                outcome,
                plies,
            });
        }
        let full = rng.random_bool(config.full_share);
        let found = run_search(config, full, &mut search, evaluator.as_mut(), &mut rng)?;
        let mv = if ply < temperature_ends {
            draw_move(&found, config.temperature, &mut rng)
        } else {
            found.best
        };
        plies.push(Ply {
            code: search.game().encode_move(mv),
            search: Some(searched(&search, &found, full)),
        });
        search.advance(mv);
        progress.count_move();
    }
}

/// The position after up to `most` uniformly random plies, and those plies.
fn random_opening<G: Game>(start: &G, most: u32, rng: &mut ChaCha8Rng) -> (G, Vec<Ply>) {
    let count = rng.random_range(0..=most);
    (0..OPENING_ATTEMPTS)
        .find_map(|_| random_walk(start, count, rng))
        .unwrap_or_else(|| (start.clone(), Vec::new()))
}

/// Uniformly random plies; `None` if they end the game.
fn random_walk<G: Game>(start: &G, count: u32, rng: &mut ChaCha8Rng) -> Option<(G, Vec<Ply>)> {
    let mut game = start.clone();
    let mut plies = Vec::with_capacity(count as usize);
    let mut moves = Vec::new();
    loop {
        moves.clear();
        game.legal_moves(&mut moves);
        if game.outcome(&moves).is_some() {
            return None;
        }
        if plies.len() as u32 == count {
            return Some((game, plies));
        }
        let mv = *moves.choose(rng)?;
        let code = game.encode_move(mv);
        plies.push(Ply { code, search: None });
        game.play(mv);
    }
}

/// A full search explores with noise; a fast one just plays well.
fn run_search<G: Game>(
    config: &SelfplayConfig,
    full: bool,
    search: &mut Search<G>,
    evaluator: &mut dyn Evaluator<G>,
    rng: &mut ChaCha8Rng,
) -> Option<GumbelResult<G::Move>> {
    let (simulations, gumbel_scale) = if full {
        (config.simulations, config.gumbel_scale)
    } else {
        (config.fast_simulations, 0.0)
    };
    let SelfplayConfig { considered, c_visit, c_scale, .. } = *config;
    let gumbel = GumbelConfig { simulations, considered, gumbel_scale, c_visit, c_scale };
    search.gumbel(evaluator, rng, &gumbel)
}

/// Draws a move from the improved policy sharpened or flattened by the temperature.
fn draw_move<M: Copy>(found: &GumbelResult<M>, temperature: f32, rng: &mut ChaCha8Rng) -> M {
    let weight = |&(_, share): &(M, f32)| share.max(0.0).powf(1.0 / temperature);
    // All weights vanish only if a low temperature rounds them to nothing.
    match WeightedIndex::new(found.policy.iter().map(weight)) {
        Ok(weights) => found.policy[weights.sample(rng)].0,
        Err(_) => found.best,
    }
}

fn searched<G: Game>(search: &Search<G>, found: &GumbelResult<G::Move>, full: bool) -> Searched {
    let Wdl { win, draw, loss } = found.wdl;
    let game = search.game();
    let target = || {
        let codes = found.policy.iter().map(|&(mv, share)| (game.encode_move(mv), share));
        Target::new(&codes.collect::<Vec<_>>(), surprise(search, found))
    };
    Searched { root: RootWdl::new([win, draw, loss]), target: full.then(target).flatten() }
}

/// Kullback-Leibler divergence of the improved policy from the network's own, in nats.
fn surprise<G: Game>(search: &Search<G>, found: &GumbelResult<G::Move>) -> f32 {
    let children = search.children();
    let terms = found.policy.iter().filter_map(|&(mv, share)| {
        let child = children.iter().find(|child| child.mv == mv)?;
        (share > 0.0).then(|| share * (share / child.prior.max(1e-9)).ln())
    });
    terms.sum()
}
