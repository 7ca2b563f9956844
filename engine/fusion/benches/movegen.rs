//! Move generation: counts with and without making the moves of the last ply.

#[path = "../../../lab/src/commands/bench/cozy.rs"]
#[allow(unused_imports)] // by its tests, which run in the lab
mod cozy;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fusion_chess::FusionGame;
use fusion_chess::board::{Position, perft};
use fusion_chess::rules::RuleSet;
use fusion_game::Benchmark;

const DEPTH: u32 = 4;

fn counts(criterion: &mut Criterion) {
    for &(name, fen, _) in FusionGame::BENCHMARK.counts {
        let mut group = criterion.benchmark_group(format!("{name}, depth {DEPTH}"));
        group.sample_size(20);
        for preset in ["orthodox", "fusion-2020"] {
            let rules = RuleSet::preset(preset).unwrap();
            let position = Position::from_fen(&rules, fen).unwrap();
            group.throughput(Throughput::Elements(perft::perft(&position, &rules, DEPTH)));
            group.bench_function(format!("{preset}, counted in bulk"), |bencher| {
                bencher.iter(|| perft::perft(&position, &rules, DEPTH));
            });
            group.bench_function(format!("{preset}, every move made"), |bencher| {
                bencher.iter(|| perft::perft_making_every_move(&position, &rules, DEPTH));
            });
        }
        {
            let board = cozy::board(fen).unwrap();
            group.throughput(Throughput::Elements(cozy::perft(&board, DEPTH)));
            group.bench_function("cozy-chess, counted in bulk", |bencher| {
                bencher.iter(|| cozy::perft(&board, DEPTH));
            });
            group.bench_function("cozy-chess, every move made", |bencher| {
                bencher.iter(|| cozy::perft_making_every_move(&board, DEPTH));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, counts);
criterion_main!(benches);
