//! From shards of self-play games to a window of positions.

use std::path::{Path, PathBuf};

use anyhow::Context;
use fusion_game::CompleteGame;
use fusion_jobs::exit::Failure;
use fusion_jobs::shard::ShardReader;
use fusion_jobs::stop::Stop;
use fusion_jobs::{cluster, seeds};
use fusion_runner::records;
use fusion_study::TrainConfig;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::architecture::{Architecture, TrainingWindow as _};
use crate::checkpoint::hex;

/// Records read at a time: enough for all cores, few enough to bound memory.
const CHUNK: usize = 256;

/// A window and its source.
#[derive(Debug)]
pub struct Positions<W> {
    /// The positions.
    pub window: W,
    /// Number of games, with or without positions.
    pub games: u64,
    /// Number of training positions in the newest folders.
    pub newest: usize,
    /// Hash over the headers of all shards, which determine their games.
    pub fingerprint: String,
}

/// Reads the runs in these folders, each of which must be complete. The positions of the last
/// `newest` folders are counted separately.
///
/// # Errors
/// A shard is missing or damaged (exit code 65), a record is not a legal game, or a stop is
/// requested.
pub fn read<G: CompleteGame, A: Architecture>(
    folders: &[PathBuf],
    newest: usize,
    config: &TrainConfig,
    stop: &Stop,
) -> anyhow::Result<Positions<A::Window>> {
    let mut window = A::window::<G>(config);
    let mut games = 0;
    let mut old = 0;
    let mut hasher = Sha256::new();
    for (index, folder) in folders.iter().enumerate() {
        if index + newest == folders.len() {
            old = window.train().len();
        }
        for path in cluster::whole_run(folder)? {
            let reader = ShardReader::open(&path)?;
            hasher.update(reader.header_json());
            games += read_shard::<G, A>(&path, reader, config, &mut window, stop)?;
        }
    }
    let newest = window.train().len() - old;
    Ok(Positions { window, games, newest, fingerprint: hex(&hasher.finalize()) })
}

fn read_shard<G: CompleteGame, A: Architecture>(
    path: &Path,
    mut reader: ShardReader,
    config: &TrainConfig,
    window: &mut A::Window,
    stop: &Stop,
) -> anyhow::Result<u64> {
    let seed = reader.header().seed;
    let mut games = 0;
    loop {
        stop.check()?;
        let chunk = reader.by_ref().take(CHUNK).collect::<Result<Vec<_>, _>>()?;
        if chunk.is_empty() {
            return Ok(games);
        }
        games += chunk.len() as u64;
        let parse = |(game, payload): (u64, Vec<u8>)| -> anyhow::Result<(u64, Vec<A::Sample>)> {
            let bad = || format!("{}, game {game}", path.display());
            let record =
                records::decode::<G>(&payload).map_err(Failure::corrupt).with_context(bad)?;
            let samples = A::samples::<G>(&record, &config.samples);
            Ok((game, samples.map_err(Failure::corrupt).with_context(bad)?))
        };
        let parsed = chunk.into_par_iter().map(parse).collect::<anyhow::Result<Vec<_>>>()?;
        for (game, samples) in parsed {
            let held_out = held_out(seed, game, config.validation);
            for sample in samples {
                let pushed = window.push(&sample, held_out);
                pushed.map_err(Failure::corrupt).with_context(|| {
                    format!("{}, game {game}: a position is unusable", path.display())
                })?;
            }
        }
    }
}

/// Returns whether a game is held out. The answer is the same in every window with the game, and
/// for all its positions, which are too similar to be split.
fn held_out(seed: u64, game: u64, share: f64) -> bool {
    let draw = seeds::number("held out", &[seed, game]);
    (draw >> 11) as f64 / ((1u64 << 53) as f64) < share
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_the_asked_share_of_games_is_held_out() {
        let count = |share| (0..10_000).filter(|&game| held_out(3, game, share)).count();
        assert_eq!(count(0.0), 0);
        assert!((400..600).contains(&count(0.05)), "{}", count(0.05));
        assert!(held_out(3, 17, 1.0));
    }
}
