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

/// Returns the signature of move counts and of the tree search: sixteen hexadecimal digits.
pub fn signature<G: CompleteGame>(model: &Model) -> String {
    of_positions::<G>(|game, hasher| {
        hasher.update(game.perft(DEPTH).to_le_bytes());
        search(game, model, hasher);
        training_search(game, model, hasher);
    })
}

/// Returns the signature of the alpha-beta search with these models.
pub fn pvs<G: CompleteGame>(models: &[MoveModel]) -> String {
    of_positions::<G>(|game, hasher| {
        for model in models {
            let config = PvsConfig { table_mib: 1, ..PvsConfig::default() };
            let mut search = Pvs::new(config, model.evaluator::<G>(0));
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

/// Hashes the benchmark's positions under all presets, and what `each` adds for each of them.
fn of_positions<G: CompleteGame>(mut each: impl FnMut(&G, &mut Sha256)) -> String {
    let mut hasher = Sha256::new();
    for (name, rules) in G::Rules::presets() {
        let mut games = G::middle_games(&rules);
        games.push(G::new(&rules));
        let counts = G::BENCHMARK.counts.iter().skip(1);
        games.extend(counts.filter_map(|(_, text, _)| G::from_text(&rules, text).ok()));
        for game in games {
            hasher.update(format!("{name} {}\n", game.to_text()));
            each(&game, &mut hasher);
        }
    }
    fusion_game::hex(&hasher.finalize()[..8])
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
    use fusion_network::kernels::Kernel;
    use fusion_registry::FusionGame;
    use std::sync::Arc;

    #[test]
    fn every_kernel_gives_the_same_signature() {
        let of = |kernel| {
            let network = fusion_network::benchmark_network::<FusionGame>().unwrap();
            let views = view_network::<FusionGame>().unwrap().with_kernel(kernel);
            let views = MoveModel::Views(Arc::new(views));
            let tree = signature::<FusionGame>(&Model::of(network.with_kernel(kernel)));
            [tree, pvs::<FusionGame>(&[views])]
        };
        let portable = of(Kernel::PORTABLE);
        assert!(portable.iter().all(|text| text.len() == 16) && portable[0] != portable[1]);
        for kernel in Kernel::available() {
            assert_eq!(of(kernel), portable, "{kernel:?}");
        }
    }
}
