//! Inference: the features, then values and policies of leaves by each kernel.
//!
//! One iteration goes over all leaves: the middle games and what follows them.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fusion_chess::FusionGame;
use fusion_chess::board::Move;
use fusion_chess::rules::RuleSet;
use fusion_game::{Benchmark, Encoding, FeatureSet, Game};
use fusion_network::kernels::Kernel;
use fusion_network::model::Model;
use std::hint::black_box;

fn inference(criterion: &mut Criterion) {
    let rules = RuleSet::preset("fusion-2020").unwrap();
    let leaves = fusion_game::leaves(&FusionGame::middle_games(&rules));
    let moves: Vec<_> = leaves.iter().map(legal_moves).collect();

    let mut group = criterion.benchmark_group("inference");
    group.sample_size(20).throughput(Throughput::Elements(leaves.len() as u64));
    group.bench_function("features", |bencher| {
        let mut features = FeatureSet::new::<FusionGame>(&rules);
        bencher.iter(|| {
            for leaf in &leaves {
                leaf.features(&mut features);
                black_box(&features);
            }
        });
    });
    for kernel in Kernel::available() {
        let name = kernel.name();
        let network =
            fusion_network::benchmark_network::<FusionGame>(&rules).unwrap().with_kernel(kernel);
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

fn legal_moves(leaf: &FusionGame) -> Vec<Move> {
    let mut moves = Vec::new();
    leaf.legal_moves(&mut moves);
    moves
}

criterion_group!(benches, inference);
criterion_main!(benches);
