//! The results of a measurement: `games.csv`, the games file, `measure.json` and their checksums.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use fusion_game::{CompleteGame, Description, RuleSet};
use fusion_jobs::exit::Failure;
use serde::{Deserialize, Serialize};

use super::stopping::Looks;
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
    /// The definitions of rule sets that files define, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub definitions: BTreeMap<String, String>,
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
    let game = Description::of::<G>();
    let shards = Shards { paths: shards, together: settings.stop.is_some() };
    let end = end(game, &shards, &settings, stop)?;
    let mut played = 0;
    let [games, moves] = [GAMES, G::GAMES_FILE].map(|name| folder.join(name));
    atomic::write_anew(&games, |out| {
        played = 0;
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(row::columns(game))?;
        shards.for_each_game(game, end, |game| {
            stop.check()?;
            played += 1;
            Ok(csv.write_record(game.row.cells())?)
        })?;
        Ok(csv.flush()?)
    })?;
    atomic::write_anew(&moves, |out| {
        shards.for_each_game(game, end, |game| {
            stop.check()?;
            text::write::<G>(&game, out)
        })
    })?;
    let description = MeasureFile {
        program: header.program,
        behaviour: Some(header.behaviour),
        seed: header.seed,
        games: header.games,
        played,
        definitions: definitions::<G>(&settings)?,
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

/// Returns the definitions of the rule sets, where files define them.
fn definitions<G: CompleteGame>(settings: &Settings) -> anyhow::Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for rules in &settings.rules {
        let rules = G::Rules::parse(rules).map_err(Failure::corrupt)?;
        found.extend(rules.definition_text());
    }
    Ok(found)
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

/// Returns the number of the first game that does not count: of those after the look at which the
/// stopping rule ended the measurement.
fn end(
    kind: Description,
    shards: &Shards<'_>,
    settings: &Settings,
    stop: &Stop,
) -> anyhow::Result<u64> {
    let Some(rule) = settings.stop else { return Ok(u64::MAX) };
    let mut looks = Looks::new(rule, settings);
    let mut decided = None;
    shards.for_each_game(kind, u64::MAX, |game| {
        stop.check()?;
        looks.tally().add(&game.row);
        decided = decided.or_else(|| looks.decided());
        Ok(())
    })?;
    Ok(decided.map_or(u64::MAX, |openings| openings * settings.games_of_opening()))
}

/// The finished shards of a measurement.
struct Shards<'a> {
    paths: &'a [PathBuf],
    /// Whether they have to be read together: each has games between those of the others.
    together: bool,
}

impl Shards<'_> {
    /// Passes the games before `end` in the order of their numbers.
    fn for_each_game(
        &self,
        kind: Description,
        end: u64,
        mut each: impl FnMut(MeasuredGame) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let width = if self.together { self.paths.len() } else { 1 };
        for paths in self.paths.chunks(width.max(1)) {
            let mut readers: Vec<ShardReader> =
                paths.iter().map(|path| ShardReader::open(path)).collect::<Result<_, _>>()?;
            // The next game of each shard, by its number and that of the shard.
            let mut next = BTreeMap::new();
            let read = |shard: usize, reader: &mut ShardReader| {
                let frame = reader.next().transpose()?;
                anyhow::Ok(frame.map(|(number, payload)| ((number, shard), payload)))
            };
            for (shard, reader) in readers.iter_mut().enumerate() {
                next.extend(read(shard, reader)?);
            }
            while let Some(((number, shard), payload)) =
                next.pop_first().filter(|next| next.0.0 < end)
            {
                let context = || format!("{}: game {number}", paths[shard].display());
                let game = MeasuredGame::parse(kind, &payload).map_err(Failure::corrupt);
                each(game.with_context(context)?).with_context(context)?;
                next.extend(read(shard, &mut readers[shard])?);
            }
        }
        Ok(())
    }
}
