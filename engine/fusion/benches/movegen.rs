//! Move generation: counts with and without making the moves of the last ply, beside `cozy-chess`.

use cozy_chess::Board;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fusion_chess::FusionGame;
use fusion_chess::board::{Position, perft};
use fusion_chess::rules::RuleSet;
use fusion_game::Benchmark;
use std::hint::black_box;

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
            let board = Board::from_fen(fen, false).unwrap();
            let rules = RuleSet::preset("orthodox").unwrap();
            let ours = perft::perft(&Position::from_fen(&rules, fen).unwrap(), &rules, DEPTH);
            let theirs = [cozy(&board, DEPTH), cozy_making_every_move(&board, DEPTH)];
            assert_eq!(theirs, [ours; 2]);
            group.throughput(Throughput::Elements(ours));
            group.bench_function("cozy-chess, counted in bulk", |bencher| {
                bencher.iter(|| cozy(&board, DEPTH));
            });
            group.bench_function("cozy-chess, every move made", |bencher| {
                bencher.iter(|| cozy_making_every_move(&board, DEPTH));
            });
        }
        group.finish();
    }
}

/// Returns `cozy-chess`'s number of legal move sequences of length `depth`. The last ply is counted, not made.
fn cozy(board: &Board, depth: u32) -> u64 {
    let mut nodes = 0;
    match depth {
        0 => return 1,
        1 => board.generate_moves(|moves| {
            nodes += moves.len() as u64;
            false
        }),
        _ => board.generate_moves(|moves| {
            for mv in moves {
                let mut next = board.clone();
                next.play_unchecked(mv);
                nodes += cozy(&next, depth - 1);
            }
            false
        }),
    };
    nodes
}

/// Returns the same count as [`cozy`], but makes every move, including those of the last ply.
fn cozy_making_every_move(board: &Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut nodes = 0;
    board.generate_moves(|moves| {
        for mv in moves {
            let mut next = board.clone();
            next.play_unchecked(mv);
            nodes += if depth == 1 {
                black_box(&next);
                1
            } else {
                cozy_making_every_move(&next, depth - 1)
            };
        }
        false
    });
    nodes
}

criterion_group!(benches, counts);
criterion_main!(benches);
