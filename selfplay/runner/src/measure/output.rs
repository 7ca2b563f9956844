//! The results of a measurement: `games.csv`, the games file, `measure.json` and their checksums.

use std::path::{Path, PathBuf};

use anyhow::Context;
use fusion_game::{CompleteGame, Description};
use fusion_jobs::exit::Failure;
use serde::{Deserialize, Serialize};

use super::{KIND, MeasuredGame, Settings, row, text};
use fusion_jobs::atomic;
use fusion_jobs::checksums;
use fusion_jobs::shard::{Header, ShardReader};
use fusion_jobs::stop::Stop;

/// File with one row per game.
const GAMES: &str = "games.csv";
/// File that describes the measurement, a [`MeasureFile`].
const DESCRIPTION: &str = "measure.json";

/// What was measured, and how: `measure.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasureFile {
    /// Name and version of the program.
    pub program: String,
    /// Signature of how the build plays: see [`crate::behaviour`]. Absent in files of early
    /// versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behaviour: Option<String>,
    /// Seed of the games.
    pub seed: u64,
    /// Games planned.
    pub games: u64,
    /// Games played. It is less than planned if the stopping rule ended the measurement.
    pub played: u64,
    /// What the games depend on besides the seed.
    #[serde(flatten)]
    pub settings: Settings,
}

/// Writes the results into the folder of the shards, which must be complete, with one game in
/// memory at a time. `measure.json` is written last, so its presence proves that the other files
/// exist.
///
/// # Errors
/// Fails on a shard that is damaged or of another kind (exit code 65), a request to stop (75 or
/// 130), or an error of the file system.
pub(super) fn assemble<G: CompleteGame>(
    folder: &Path,
    shards: &[PathBuf],
    stop: &Stop,
) -> anyhow::Result<()> {
    let header = header_of(shards)?;
    let settings: Settings = serde_json::from_value(header.parameters).map_err(|e| {
        Failure::corrupt(format!("{}: the settings are not understood: {e}", folder.display()))
    })?;
    let mut played = 0;
    let game = Description::of::<G>();
    let [games, moves] = [GAMES, G::GAMES_FILE].map(|name| folder.join(name));
    atomic::write_anew(&games, |out| {
        played = 0;
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(row::columns(game))?;
        for_each_game(game, shards, |game| {
            stop.check()?;
            played += 1;
            Ok(csv.write_record(game.row.cells())?)
        })?;
        Ok(csv.flush()?)
    })?;
    atomic::write_anew(&moves, |out| {
        for_each_game(game, shards, |game| {
            stop.check()?;
            text::write::<G>(&game, out)
        })
    })?;
    let description = MeasureFile {
        program: header.program,
        behaviour: header.behaviour,
        seed: header.seed,
        games: header.games,
        played,
        settings,
    };
    let mut json = serde_json::to_vec_pretty(&description)?;
    json.push(b'\n');
    let files = [
        (GAMES, checksums::of_file(&games)?),
        (G::GAMES_FILE, checksums::of_file(&moves)?),
        (DESCRIPTION, checksums::of(&json)),
    ];
    atomic::write_bytes(&folder.join(checksums::NAME), checksums::list(files).as_bytes())?;
    atomic::write_bytes(&folder.join(DESCRIPTION), &json)
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
    kind: Description,
    shards: &[PathBuf],
    mut each: impl FnMut(MeasuredGame) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    for path in shards {
        for frame in ShardReader::open(path)? {
            let (number, payload) = frame?;
            let context = || format!("{}: game {number}", path.display());
            let game = MeasuredGame::parse(kind, &payload).map_err(Failure::corrupt);
            each(game.with_context(context)?).with_context(context)?;
        }
    }
    Ok(())
}
