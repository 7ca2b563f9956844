//! Inference: the features, the input layer, and both heads, by each kernel.
//!
//! One iteration goes over all leaves: the middle games and what follows them.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fusion_engine::benchmark;
use fusion_engine::fusion::FusionGame;
use fusion_engine::game::Game;
use fusion_engine::model::Model;
use fusion_engine::network::kernels::Kernel;
use fusion_engine::rules::RuleSet;
use std::hint::black_box;

fn inference(criterion: &mut Criterion) {
    let rules = RuleSet::preset("fusion-2020").unwrap();
    let leaves = benchmark::leaves(&benchmark::middle_games(&rules));
    let features: Vec<Vec<u16>> = leaves.iter().map(|leaf| read(leaf, Game::features)).collect();
    let moves: Vec<_> = leaves.iter().map(|leaf| read(leaf, Game::legal_moves)).collect();

    let mut group = criterion.benchmark_group("inference");
    group.sample_size(20).throughput(Throughput::Elements(leaves.len() as u64));
    group.bench_function("features", |bencher| {
        let mut scratch = Vec::new();
        bencher.iter(|| {
            for leaf in &leaves {
                scratch.clear();
                leaf.features(&mut scratch);
                black_box(&scratch);
            }
        });
    });
    for kernel in Kernel::available() {
        let name = kernel.name();
        let network = benchmark::network().unwrap().with_kernel(kernel);
        let mut hidden = vec![0; network.shape().hidden];
        group.bench_function(format!("{name}, input layer"), |bencher| {
            bencher.iter(|| {
                for features in &features {
                    network.hidden(features, &mut hidden);
                    black_box(&hidden);
                }
            });
        });
        let mut evaluator = Model::of(network).evaluator::<FusionGame>(0);
        group.bench_function(format!("{name}, value of a leaf"), |bencher| {
            bencher.iter(|| {
                for leaf in &leaves {
                    black_box(evaluator.value(leaf));
                }
            });
        });
        let mut logits = Vec::new();
        group.bench_function(format!("{name}, policy of a leaf"), |bencher| {
            bencher.iter(|| {
                for (leaf, moves) in leaves.iter().zip(&moves) {
                    evaluator.policy(leaf, moves, &mut logits);
                    black_box(&logits);
                }
            });
        });
    }
    group.finish();
}

fn read<T>(leaf: &FusionGame, of: impl Fn(&FusionGame, &mut Vec<T>)) -> Vec<T> {
    let mut list = Vec::new();
    of(leaf, &mut list);
    list
}

criterion_group!(benches, inference);
criterion_main!(benches);
