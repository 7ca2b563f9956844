//! The results of a measurement: `games.csv`, the games file, `measure.json` and their checksums.

use std::collections::BTreeMap;
use std::io::Write;
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

/// Passes the games that count to a function, in the order of their numbers.
type Games<'a> =
    dyn Fn(&mut dyn FnMut(&MeasuredGame) -> anyhow::Result<()>) -> anyhow::Result<()> + 'a;

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
    let settings: Settings = serde_json::from_value(header.parameters.clone()).map_err(|e| {
        Failure::corrupt(format!("{}: the settings are not understood: {e}", folder.display()))
    })?;
    let game = Description::of::<G>();
    let shards = Shards { paths: shards, together: settings.stop.is_some() };
    let end = end(game, &shards, &settings, stop)?;
    let all = |each: &mut dyn FnMut(&MeasuredGame) -> anyhow::Result<()>| {
        shards.for_each_game(game, end, |game| {
            stop.check()?;
            each(&game)
        })
    };
    let mut played = 0;
    let [games, moves] = [GAMES, G::GAMES_FILE].map(|name| folder.join(name));
    atomic::write_anew(&games, |out| {
        played = write_table(game, &all, out)?;
        Ok(())
    })?;
    atomic::write_anew(&moves, |out| write_moves::<G>(&all, out))?;
    let sums = [checksums::of_file(&games)?, checksums::of_file(&moves)?];
    let [json, list] = describe::<G, _>(header, settings, played, sums)?;
    atomic::write_bytes(&folder.join(checksums::NAME), &list)?;
    atomic::write_bytes(&folder.join(DESCRIPTION), &json)
}

/// Returns the results of games in memory as files: names and contents. They are those that [`assemble`] writes for
/// shards with these games.
///
/// # Errors
/// Fails if a game is not legal.
pub(super) fn files<G: CompleteGame>(
    header: Header<Settings>,
    games: &[MeasuredGame],
) -> anyhow::Result<[(&'static str, Vec<u8>); 4]> {
    let all =
        |each: &mut dyn FnMut(&MeasuredGame) -> anyhow::Result<()>| games.iter().try_for_each(each);
    let (mut table, mut moves) = (Vec::new(), Vec::new());
    let played = write_table(Description::of::<G>(), &all, &mut table)?;
    write_moves::<G>(&all, &mut moves)?;
    let settings = header.parameters.clone();
    let sums = [checksums::of(&table), checksums::of(&moves)];
    let [json, list] = describe::<G, _>(header, settings, played, sums)?;
    Ok([(GAMES, table), (G::GAMES_FILE, moves), (DESCRIPTION, json), (checksums::NAME, list)])
}

/// Writes `games.csv`, and returns the number of games.
fn write_table(kind: Description, games: &Games<'_>, out: &mut dyn Write) -> anyhow::Result<u64> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(row::columns(kind))?;
    let mut played = 0;
    games(&mut |game| {
        played += 1;
        Ok(csv.write_record(game.row.cells())?)
    })?;
    csv.flush()?;
    Ok(played)
}

/// Writes the games file.
fn write_moves<G: CompleteGame>(games: &Games<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    games(&mut |game| text::write::<G>(game, out))
}

/// Returns `measure.json`, and the list of the checksums of all files. Those of `games.csv` and of the games file
/// are given.
fn describe<G: CompleteGame, P>(
    header: Header<P>,
    settings: Settings,
    played: u64,
    [games, moves]: [String; 2],
) -> anyhow::Result<[Vec<u8>; 2]> {
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
    let files = [(GAMES, games), (G::GAMES_FILE, moves), (DESCRIPTION, checksums::of(&json))];
    let list = checksums::list(files).into_bytes();
    Ok([json, list])
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
