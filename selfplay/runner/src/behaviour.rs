//! Signature of how this build plays.
//!
//! Two builds with the same version number may play different games, because one changed move in
//! one search is enough. The signature is part of every shard's header, so that a run begun by one
//! build is not continued by another that plays differently.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use fusion_game::RuleSet;
use fusion_game::prelude::*;
use fusion_network::model::Model;
use fusion_network::{self, Network};
use fusion_search::pvs::{Limits, Pvs, PvsConfig};
use fusion_search::{Search, SearchConfig, TrainingConfig};
use fusion_study::Searcher;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

use crate::play;
use fusion_jobs::seeds;
use fusion_jobs::stop::Stop;

/// Number of games, each under a random rule set.
const GAMES: u64 = 8;
/// Plies after which a game is abandoned.
const CAP: u32 = 160;
/// Nodes per move.
const NODES: u32 = 24;
/// Nodes per move of the alpha-beta search.
const PVS_NODES: u64 = 200;
/// Interval of training searches: one is made at every ply whose number is divisible by this.
const TRAINING_EVERY: u32 = 16;
/// Hidden width of the network. Its weights are random.
const HIDDEN: usize = 64;

/// Returns sixteen hexadecimal digits over the moves of a few games that this build plays. They are
/// equal for builds that play alike and different for others, as far as these games show.
///
/// The games are searched like measurement games, with a network of random weights under random
/// rule sets. They are played to their ends, since builds often differ only in how they treat
/// repetitions and other ends. Some plies also have a training search with noise. The games are
/// played once per process and take less than a second.
///
/// # Errors
/// Fails only if the network cannot be built, which cannot occur because its shape is fixed.
pub fn signature<G: CompleteGame>() -> anyhow::Result<String> {
    static KNOWN: Mutex<BTreeMap<&'static str, String>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(signature) = known.get(G::NAME) {
        return Ok(signature.clone());
    }
    let signature = signature_of::<G>(SearchConfig::default())?;
    known.insert(G::NAME, signature.clone());
    Ok(signature)
}

/// Returns [`signature`], and after it that of each alpha-beta search of selective depth among the
/// players.
///
/// # Errors
/// Fails only if the network cannot be built, which cannot occur because its shape is fixed.
pub fn of<'a, G: CompleteGame>(
    players: impl IntoIterator<Item = &'a Searcher>,
) -> anyhow::Result<String> {
    let mut whole = signature::<G>()?;
    for player in players {
        if let Searcher::Pvs(config, _) = player {
            whole = format!("{whole}-{}", pvs_signature::<G>(*config)?);
        }
    }
    Ok(whole)
}

/// Returns the same as [`signature`] for alpha-beta search of selective depth with these settings.
///
/// # Errors
/// Fails only if the network cannot be built, which cannot occur because its shape is fixed.
pub fn pvs_signature<G: CompleteGame>(config: PvsConfig) -> anyhow::Result<String> {
    let model = model::<G>()?;
    let mut rules = seeds::stream("behaviour", &[]);
    let mut hasher = Sha256::new();
    for number in 0..GAMES {
        let rules = G::Rules::random(&mut rules);
        let mut game = G::new(&rules);
        let evaluator = Box::new(model.evaluator::<G>(number));
        let mut search = Pvs::new(PvsConfig { table_mib: 1, ..config }, evaluator);
        for _ in 0..CAP {
            let limits = Limits::nodes(PVS_NODES);
            let Some(found) = search.search(&game, limits, &|| false) else { break };
            let line = &found.lines[0];
            hasher.update(format!(" {} {}", game.move_text(line.moves[0]), line.value));
            game.play(line.moves[0]);
        }
    }
    Ok(text(hasher))
}

fn model<G: CompleteGame>() -> anyhow::Result<Model> {
    let network =
        fusion_network::random::<G>(HIDDEN, 1).and_then(|net| Network::quantise::<G>(&net));
    Ok(Model::of(network.map_err(anyhow::Error::msg)?))
}

fn text(hasher: Sha256) -> String {
    hasher.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

fn signature_of<G: CompleteGame>(config: SearchConfig) -> anyhow::Result<String> {
    let model = model::<G>()?;
    let mut rules = seeds::stream("behaviour", &[]);
    let mut hasher = Sha256::new();
    for number in 0..GAMES {
        let rules = G::Rules::random(&mut rules);
        hasher.update(format!("\n{rules}"));
        play_game(G::new(&rules), config, &model, number, &mut hasher);
    }
    Ok(text(hasher))
}

/// Plays a game and hashes its moves.
fn play_game<G: CompleteGame>(
    start: G,
    config: SearchConfig,
    model: &Model,
    number: u64,
    hasher: &mut Sha256,
) {
    let mut ties = seeds::stream("behaviour", &[number]);
    let mut evaluator = model.evaluator::<G>(number);
    let mut search = Search::new(config, start);
    for ply in 0..CAP {
        if search.game().outcome_now().is_some() {
            break;
        }
        if ply % TRAINING_EVERY == 0 {
            training_search(&search, evaluator.as_mut(), &mut ties, hasher);
        }
        play::think(&mut search, evaluator.as_mut(), NODES, &Stop::new());
        let Some(mv) = search.best_move(&mut ties) else { break };
        hasher.update(format!(" {}", search.game().move_text(mv)));
        search.advance(mv);
    }
}

/// Makes a training search of the position and hashes its policy target.
fn training_search<G: CompleteGame>(
    search: &Search<G>,
    evaluator: &mut dyn fusion_game::evaluator::Evaluator<G>,
    rng: &mut ChaCha8Rng,
    hasher: &mut Sha256,
) {
    let config = TrainingConfig { simulations: NODES, noise: TrainingConfig::NOISE };
    let mut search = search.afresh(search.game().clone());
    if let Some(found) = search.training(evaluator, rng, &config) {
        for (mv, _) in found.policy.iter().filter(|(_, share)| *share > 0.0) {
            hasher.update(search.game().encode_move(*mv).to_le_bytes());
        }
    }
    for child in search.children() {
        hasher.update(child.visits.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_chess::FusionGame;

    #[test]
    fn a_signature_is_the_same_each_time_and_tells_searches_apart() {
        let of = |config| signature_of::<FusionGame>(config).unwrap();
        let ours = of(SearchConfig::default());
        assert_eq!(ours, of(SearchConfig::default()));
        assert_eq!(ours, signature::<FusionGame>().unwrap());
        assert_eq!(ours.len(), 16);
        for changed in [
            SearchConfig { c_puct: 0.51, ..SearchConfig::default() },
            SearchConfig { lcb: 0.9, ..SearchConfig::default() },
            SearchConfig { policy_temperature: 1.31, ..SearchConfig::default() },
        ] {
            assert_ne!(of(changed), ours, "{changed:?}");
        }
    }

    #[test]
    fn settings_of_the_alpha_beta_search_change_its_signature() {
        let of = |config| pvs_signature::<FusionGame>(config).unwrap();
        let ours = of(PvsConfig::default());
        assert_eq!(ours, of(PvsConfig::default()));
        assert_ne!(ours, of(PvsConfig { null_move: false, ..PvsConfig::default() }));
    }
}
