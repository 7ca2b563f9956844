//! Counts the training games in shards, by rule set: `training_games FILE...`.
//!
//! A row has the games, plies and quiet positions of a rule set, and how many of its searched plies
//! come after the game was decided, that is after five searches in a row that gave the same side at
//! least 840. The last lines say how often that side won where such games were played on, and how
//! many values of all quiet positions are so large that shares in 1/255 would not tell them apart.

use std::collections::BTreeMap;
use std::path::Path;

use fusion_chess::FusionGame;
use fusion_game::prelude::*;
use fusion_game::{Ending, Side};
use fusion_runner::records::{self, Record, Root};
use fusion_runner::samples;
use fusion_study::SampleOptions;

/// Value from which a search calls a game decided, and searches in a row.
const DECIDED: (i32, u32) = (840, 5);

#[derive(Clone, Copy, Default)]
struct Counts {
    games: u64,
    plies: u64,
    searched: u64,
    quiet: u64,
    late: u64,
    adjudicated: u64,
    /// Decided games that were played on, and those of them that the leader won.
    control: [u64; 2],
    saturated: u64,
}

impl Counts {
    fn add(&mut self, record: &Record) -> anyhow::Result<()> {
        let (late, leader) = after_decision(record)?;
        let samples = samples::views_of_record::<FusionGame>(record, &SampleOptions::default())?;
        self.games += 1;
        self.plies += record.plies.len() as u64;
        self.searched += record.plies.iter().filter(|ply| ply.search.is_some()).count() as u64;
        self.quiet += samples.len() as u64;
        self.late += late;
        let is_full = |share: f32| (share * 255.0).round() == 255.0;
        let saturated =
            |sample: &&samples::ViewSample| is_full(sample.root[0]) || is_full(sample.root[2]);
        self.saturated += samples.iter().filter(saturated).count() as u64;
        match leader {
            _ if record.outcome.ending == Ending::VALUE => self.adjudicated += 1,
            Some(leader) => {
                self.control[0] += 1;
                self.control[1] += u64::from(record.outcome.winner == Some(leader));
            }
            None => {}
        }
        Ok(())
    }

    fn sum(all: impl Iterator<Item = Self>) -> Self {
        all.fold(Self::default(), |a, b| Self {
            games: a.games + b.games,
            plies: a.plies + b.plies,
            searched: a.searched + b.searched,
            quiet: a.quiet + b.quiet,
            late: a.late + b.late,
            adjudicated: a.adjudicated + b.adjudicated,
            control: [a.control[0] + b.control[0], a.control[1] + b.control[1]],
            saturated: a.saturated + b.saturated,
        })
    }
}

/// Returns the number of searched plies after the game was decided, and the side that led then.
fn after_decision(record: &Record) -> anyhow::Result<(u64, Option<Side>)> {
    let rules = RuleSet::parse(&record.rules).map_err(anyhow::Error::msg)?;
    let mut game = FusionGame::from_text(&rules, &record.start).map_err(anyhow::Error::msg)?;
    let (mut leader, mut row, mut decided, mut late) = (None, 0, None, 0);
    for ply in &record.plies {
        if let Some(Root::Value(root)) = ply.search.as_ref().map(|search| search.root) {
            late += u64::from(decided.is_some());
            let side = game.side_to_move();
            let ahead = if root.value() < 0 { side.other() } else { side };
            let now = (root.value().abs() >= DECIDED.0).then_some(ahead);
            row = if now.is_some() && now == leader { row + 1 } else { u32::from(now.is_some()) };
            leader = now;
            if row >= DECIDED.1 {
                decided = decided.or(leader);
            }
        }
        let mv = game.decode_move(ply.code).ok_or_else(|| anyhow::anyhow!("an illegal move"))?;
        game.play(mv);
    }
    Ok((late, decided))
}

fn main() -> anyhow::Result<()> {
    let mut all = BTreeMap::<String, Counts>::new();
    let mut bytes = 0;
    for path in std::env::args().skip(1) {
        bytes += std::fs::metadata(&path)?.len();
        records::read_shard::<FusionGame>(Path::new(&path), |record| {
            all.entry(record.rules.clone()).or_default().add(&record)
        })?;
    }
    let total = Counts::sum(all.values().copied());
    let share = |part: u64, of: u64| 100.0 * part as f64 / of.max(1) as f64;
    println!(
        "rules: games, plies, quiet positions, share of the quiet positions, after a decision"
    );
    for (rules, found) in &all {
        // Mixes are many: those with hardly any games are in the sums only.
        if found.games * 1000 >= total.games {
            println!(
                "{rules}: {}, {}, {}, {:.2}%, {:.1}%",
                found.games,
                found.plies,
                found.quiet,
                share(found.quiet, total.quiet),
                share(found.late, found.searched)
            );
        }
    }
    println!(
        "all {} rule sets: {} games, {} plies, {} searched, {} quiet, {:.2} bytes for each of these",
        all.len(),
        total.games,
        total.plies,
        total.searched,
        total.quiet,
        bytes as f64 / total.quiet.max(1) as f64
    );
    println!(
        "{:.1}% adjudicated; {:.2}% of the searches after a decision; of {} decided games that were \
         played on the leader won {}",
        share(total.adjudicated, total.games),
        share(total.late, total.searched),
        total.control[0],
        total.control[1]
    );
    println!("{:.2}% of the quiet values saturated in bytes", share(total.saturated, total.quiet));
    Ok(())
}
