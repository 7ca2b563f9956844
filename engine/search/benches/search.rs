//! Search: 10,000 nodes from the start position, and one move of a training game.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use fusion_chess::FusionGame;
use fusion_chess::rules::RuleSet;
use fusion_game::prelude::*;
use fusion_network::model::Model;
use fusion_search::{Search, SearchConfig, TrainingConfig};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const NODES: u32 = 10_000;

fn search(criterion: &mut Criterion) {
    let rules = RuleSet::preset("fusion-2020").unwrap();
    let model = Model::of(fusion_network::benchmark_network::<FusionGame>(&rules).unwrap());
    let mut evaluator = model.evaluator::<FusionGame>(0);
    let game = FusionGame::new(&rules);
    let fresh = || Search::new(SearchConfig::default(), game.clone());

    let mut group = criterion.benchmark_group("search");
    group.sample_size(10).throughput(Throughput::Elements(NODES.into()));
    group.bench_function(format!("{NODES} nodes"), |bencher| {
        bencher.iter_batched_ref(
            fresh,
            |search| search.run(evaluator.as_mut(), NODES),
            BatchSize::PerIteration,
        );
    });
    group.throughput(Throughput::Elements(1)).sample_size(50);
    for simulations in [32, 64] {
        let config = TrainingConfig::full(simulations);
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        group.bench_function(format!("training move, {simulations} simulations"), |bencher| {
            bencher.iter_batched_ref(
                fresh,
                |search| search.training(evaluator.as_mut(), &mut rng, &config),
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, search);
criterion_main!(benches);
