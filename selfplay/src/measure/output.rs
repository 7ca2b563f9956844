//! The results of a measurement: `games.csv`, `games.pgn`, `measure.json`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use fusion_engine::cli::Failure;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{KIND, MeasuredGame, Settings};
use crate::atomic;
use crate::cluster::whole_run;
use crate::shard::{Header, ShardReader};

/// `measure.json`.
#[derive(Debug, Serialize)]
struct Description<'a> {
    program: &'a str,
    seed: u64,
    /// Games planned.
    games: u64,
    /// Games played: fewer where the stopping rule ended the measurement.
    played: u64,
    /// SHA-256 of `games.csv`, by which its readers know that it is whole.
    games_sha256: String,
    #[serde(flatten)]
    settings: &'a Settings,
}

/// Writes a game as PGN. A function of the game that is played: [`super::write_pgn`] for
/// Fusion Chess.
pub type PgnWriter = fn(&MeasuredGame, &mut dyn Write) -> anyhow::Result<()>;

/// Writes the results into the folder of the shards, one game in memory at a time.
/// `measure.json` comes last: where it is, the others are.
///
/// # Errors
/// A shard that is missing, damaged or of another kind (exit code 65), or an error of the
/// file system.
pub fn assemble(folder: &Path, write_pgn: PgnWriter) -> anyhow::Result<()> {
    let shards = whole_run(folder)?;
    let header = header_of(&shards)?;
    let settings: Settings = serde_json::from_value(header.parameters.clone()).map_err(|e| {
        Failure::corrupt(format!("{}: the settings are not understood: {e}", folder.display()))
    })?;
    let mut played = 0;
    let games = folder.join("games.csv");
    write(&games, |out| {
        let mut csv = csv::Writer::from_writer(out);
        for_each_game(&shards, |game| {
            played += 1;
            Ok(csv.serialize(game.row)?)
        })?;
        Ok(csv.flush()?)
    })?;
    write(&folder.join("games.pgn"), |out| for_each_game(&shards, |game| write_pgn(&game, out)))?;
    let description = Description {
        program: &header.program,
        seed: header.seed,
        games: header.games,
        played,
        games_sha256: sha256(&games)?,
        settings: &settings,
    };
    let mut json = serde_json::to_vec_pretty(&description)?;
    json.push(b'\n');
    atomic::write_bytes(&folder.join("measure.json"), &json)
}

fn sha256(path: &Path) -> anyhow::Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    Ok(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

fn header_of(shards: &[PathBuf]) -> anyhow::Result<Header> {
    let path = shards.first().context("a run without a shard")?;
    let header = ShardReader::open(path)?.header().clone();
    if header.kind != KIND {
        let message = format!("{}: this is no shard of measurement games", path.display());
        return Err(Failure::corrupt(message).into());
    }
    Ok(header)
}

fn for_each_game(
    shards: &[PathBuf],
    mut each: impl FnMut(MeasuredGame) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    for path in shards {
        for frame in ShardReader::open(path)? {
            let (number, payload) = frame?;
            let context = || format!("{}: game {number}", path.display());
            let game = serde_json::from_slice(&payload).map_err(Failure::corrupt);
            each(game.with_context(context)?).with_context(context)?;
        }
    }
    Ok(())
}

/// [`atomic::write`] for a writer with richer errors, which pass through unharmed.
fn write(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut failed = None;
    let written = atomic::write(path, |out| {
        fill(out).map_err(|error| {
            failed = Some(error);
            io::Error::other("not written")
        })
    });
    match failed {
        Some(error) => Err(error),
        None => written.with_context(|| format!("writing {}", path.display())),
    }
}
