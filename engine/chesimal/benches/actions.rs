//! Counts of actions with and without making the last ones, over middle games.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fusion_chesimal::ChesimalGame;
use fusion_chesimal::rules::RuleSet;
use fusion_game::Benchmark;

const DEPTH: u32 = 3;

fn counts(criterion: &mut Criterion) {
    for text in ["chesimal", "chesimal,setup=lines", "chesimal-restricted", "chesimal-small"] {
        let rules: RuleSet = text.parse().unwrap();
        let games = ChesimalGame::middle_games(&rules);
        let total = games.iter().map(|game| game.perft(DEPTH)).sum();
        let mut group = criterion.benchmark_group(format!("{text}, depth {DEPTH}"));
        group.sample_size(10).throughput(Throughput::Elements(total));
        group.bench_function("counted in bulk", |bencher| {
            bencher.iter(|| games.iter().map(|game| game.perft(DEPTH)).sum::<u64>());
        });
        group.bench_function("every action made", |bencher| {
            let made = |game: &ChesimalGame| game.perft_making_every_move(DEPTH);
            bencher.iter(|| games.iter().map(made).sum::<u64>());
        });
        group.finish();
    }
}

criterion_group!(benches, counts);
criterion_main!(benches);
