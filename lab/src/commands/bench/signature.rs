//! A fingerprint of behaviour. It stays equal under a change that is only meant to be faster.
//!
//! It covers move counts, 1,000-node searches and training searches of the benchmark's positions
//! under all presets: visits of the root's moves, sizes and values of the trees. Inference is exact
//! on integers, so it is the same for every kernel. Logarithms are the C library's, so another C
//! library may give another fingerprint.

use fusion_game::prelude::*;
use fusion_network::model::Model;
use fusion_search::TrainingConfig;
use fusion_search::{Search, SearchConfig};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

const DEPTH: u32 = 3;
const NODES: u32 = 1_000;
const SIMULATIONS: u32 = 64;

/// Returns the signature: sixteen hexadecimal digits.
pub fn signature<G: CompleteGame>(model: &Model) -> String {
    let mut hasher = Sha256::new();
    for (name, rules) in G::Rules::presets() {
        let mut games = G::middle_games(&rules);
        games.push(G::new(&rules));
        let counts = G::BENCHMARK.counts.iter().skip(1);
        games.extend(counts.filter_map(|(_, text, _)| G::from_text(&rules, text).ok()));
        for game in games {
            hasher.update(format!("{name} {}\n", game.to_text()));
            hasher.update(game.perft(DEPTH).to_le_bytes());
            search(&game, model, &mut hasher);
            training_search(&game, model, &mut hasher);
        }
    }
    hasher.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
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
    use super::*;
    use fusion_network::kernels::Kernel;
    use fusion_registry::FusionGame;

    #[test]
    fn every_kernel_gives_the_same_signature() {
        let of = |kernel| {
            signature::<FusionGame>(&Model::of(
                fusion_network::benchmark_network::<FusionGame>().unwrap().with_kernel(kernel),
            ))
        };
        let portable = of(Kernel::PORTABLE);
        assert_eq!(portable.len(), 16);
        for kernel in Kernel::available() {
            assert_eq!(of(kernel), portable, "{kernel:?}");
        }
    }
}
