//! A fingerprint of behaviour. It stays equal under a change that is only meant to be faster.
//!
//! That of the tree search covers move counts, 1,000-node searches and training searches of the
//! benchmark's positions under all presets: visits of the root's moves, sizes and values of the
//! trees. Inference is exact on integers, so it is the same for every kernel. Logarithms are the C
//! library's, so another C library may give another fingerprint.
//!
//! That of the alpha-beta search covers 1,000-node searches of the same positions with each kind of
//! evaluator: nodes, depths, values and lines.

use fusion_game::prelude::*;
use fusion_network::model::{Model, MoveModel};
use fusion_search::TrainingConfig;
use fusion_search::pvs::{Limits, Pvs, PvsConfig};
use fusion_search::{Search, SearchConfig};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

const DEPTH: u32 = 3;
const NODES: u32 = 1_000;
const SIMULATIONS: u32 = 64;

/// Returns the signature of move counts and of the tree search: sixteen hexadecimal digits. `model`
/// returns the network for a rule set.
///
/// # Errors
/// Fails as `model` does.
pub fn signature<G: CompleteGame>(
    model: impl Fn(&G::Rules) -> anyhow::Result<Model>,
) -> anyhow::Result<String> {
    of_positions::<G, _>(model, |game, model, hasher| {
        hasher.update(game.perft(DEPTH).to_le_bytes());
        search(game, model, hasher);
        training_search(game, model, hasher);
    })
}

/// Returns the signature of the alpha-beta search. `models` returns the models for a rule set.
///
/// # Errors
/// Fails as `models` does.
pub fn pvs<G: CompleteGame>(
    models: impl Fn(&G::Rules) -> anyhow::Result<Vec<MoveModel>>,
) -> anyhow::Result<String> {
    of_positions::<G, _>(models, |game, models, hasher| {
        for model in models {
            let config = PvsConfig { table_mib: 1, ..PvsConfig::default() };
            let mut search = Pvs::new(config, game.rules(), model.evaluator::<G>(0));
            let limits = Limits::nodes(NODES.into());
            let Some(found) = search.search(game, limits, &|| false) else { continue };
            hasher.update(found.nodes.to_le_bytes());
            hasher.update(found.depth.to_le_bytes());
            for line in found.lines {
                let mut game = game.clone();
                hasher.update(line.value.to_le_bytes());
                for mv in line.moves {
                    hasher.update(game.encode_move(mv).to_le_bytes());
                    game.play(mv);
                }
            }
        }
    })
}

/// Hashes the benchmark's positions under all presets, and what `each` adds for each of them with the
/// models for its rule set. Successive rule sets with the same inputs and outputs have the same models.
fn of_positions<G: CompleteGame, M>(
    models: impl Fn(&G::Rules) -> anyhow::Result<M>,
    mut each: impl FnMut(&G, &M, &mut Sha256),
) -> anyhow::Result<String> {
    let mut hasher = Sha256::new();
    let mut made = None;
    for (name, rules) in G::Rules::presets() {
        let shapes = (G::encoding(&rules), G::views(&rules));
        let (_, models) = match made.take_if(|(known, _)| *known == shapes) {
            Some(known) => made.insert(known),
            None => made.insert((shapes, models(&rules)?)),
        };
        let mut games = G::middle_games(&rules);
        games.push(G::new(&rules));
        let counts = G::BENCHMARK.counts.iter().skip(1);
        games.extend(counts.filter_map(|(_, text, _)| G::from_text(&rules, text).ok()));
        for game in games {
            hasher.update(format!("{name} {}\n", game.to_text()));
            each(&game, models, &mut hasher);
        }
    }
    Ok(fusion_game::hex(&hasher.finalize()[..8]))
}

/// Hashes the visits of the root's moves, in the order of the policy.
fn search<G: CompleteGame>(game: &G, model: &Model, hasher: &mut Sha256) {
    let mut search = Search::new(SearchConfig::default(), game.clone());
    search.run(model.evaluator(0).as_mut(), NODES);
    update(&search, hasher);
}

fn training_search<G: CompleteGame>(game: &G, model: &Model, hasher: &mut Sha256) {
    let mut search = Search::new(SearchConfig::default(), game.clone());
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let config = TrainingConfig::full(SIMULATIONS);
    if let Some(found) = search.training(model.evaluator(0).as_mut(), &mut rng, &config) {
        hasher.update(game.encode_move(found.best).to_le_bytes());
    }
    update(&search, hasher);
}

fn update<G: CompleteGame>(search: &Search<G>, hasher: &mut Sha256) {
    hasher.update((search.nodes() as u64).to_le_bytes());
    for child in search.children() {
        hasher.update(search.game().encode_move(child.mv).to_le_bytes());
        hasher.update(child.visits.to_le_bytes());
        hasher.update(child.wdl.score().to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::super::pvs::view_network;
    use super::*;
    use fusion_game::toy::TicTacToe;
    use fusion_network::kernels::Kernel;
    use fusion_registry::FusionGame;
    use std::sync::Arc;

    /// Double turns have an input more.
    #[test]
    fn presets_of_other_inputs_have_networks_of_their_own() {
        let made = std::cell::RefCell::new(Vec::new());
        let text = pvs::<TicTacToe>(|rules| {
            made.borrow_mut().push(rules.to_string());
            Ok(vec![MoveModel::Views(Arc::new(view_network::<TicTacToe>(rules)?))])
        });
        assert_eq!(text.unwrap().len(), 16);
        assert_eq!(made.into_inner(), ["normal", "double"]);
    }

    #[test]
    fn every_kernel_gives_the_same_signature() {
        let of = |kernel| {
            let tree = signature::<FusionGame>(|rules| {
                let network = fusion_network::benchmark_network::<FusionGame>(rules).unwrap();
                Ok(Model::of(network.with_kernel(kernel)))
            });
            let moves = pvs::<FusionGame>(|rules| {
                let views = view_network::<FusionGame>(rules)?.with_kernel(kernel);
                Ok(vec![MoveModel::Views(Arc::new(views))])
            });
            [tree.unwrap(), moves.unwrap()]
        };
        let portable = of(Kernel::PORTABLE);
        assert!(portable.iter().all(|text| text.len() == 16) && portable[0] != portable[1]);
        for kernel in Kernel::available() {
            assert_eq!(of(kernel), portable, "{kernel:?}");
        }
    }
}
