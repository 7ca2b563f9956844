//! Move generation: counts with and without making the moves of the last ply.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fusion_engine::benchmark::PERFT_POSITIONS;
use fusion_engine::board::{Position, perft};
use fusion_engine::rules::RuleSet;

const DEPTH: u32 = 4;

fn counts(criterion: &mut Criterion) {
    for (name, fen) in PERFT_POSITIONS {
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
        #[cfg(feature = "peers")]
        {
            use fusion_engine::benchmark::cozy;
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
