//! What a run's folder holds for the report.
//!
//! Large files may be compressed: for `games.csv` there may be `games.csv.zst`.

use crate::endgames::{recorded, summary};
use crate::games::{self, GameRow};
use anyhow::Context;
use fusion_engine::cli::{Failure, NO_INPUT};
use fusion_selfplay::random::RandomRow;
use fusion_selfplay::sums;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The files of a run, read and checked.
#[derive(Debug)]
pub struct RunFolder {
    /// Name of the folder.
    pub name: String,
    /// The games that the verdict is from.
    pub games: Vec<GameRow>,
    /// SHA-256 of `games.csv`, not compressed.
    pub games_hash: String,
    /// Settings of the measurement, flattened to `search.c_puct`-like keys.
    pub settings: Option<Vec<(String, String)>>,
    /// `games.pgn`, if it is there: the moves of `games`, in the same order.
    pub moves: Option<PathBuf>,
    /// The other measurements, by name.
    pub extras: Vec<Extra>,
    /// Counts of games of random movers.
    pub random: Vec<RandomRow>,
    /// The match of `strength.json` in the run's folder.
    pub strength: Option<Strength>,
    /// The other matches with their names.
    pub matches: Vec<(String, Strength)>,
    /// The opening pool.
    pub pool: Option<Pool>,
    /// What endgame tables say: `endgames.csv`.
    pub endgames: Option<Endgames>,
    /// The study's configuration, word for word.
    pub study: Option<String>,
    /// What was not done as planned: `deviations.txt`.
    pub deviations: Option<String>,
}

/// Another measurement of the study: a folder in `extra`.
#[derive(Debug)]
pub struct Extra {
    /// Name of the folder.
    pub name: String,
    /// Its games.
    pub games: Vec<GameRow>,
    /// SHA-256 of its `games.csv`.
    pub games_hash: String,
    /// Its settings.
    pub settings: Vec<(String, String)>,
    /// Its `games.pgn`, if it is there.
    pub moves: Option<PathBuf>,
}

impl RunFolder {
    /// The comparison that the study said would be judged, first minus second.
    #[must_use]
    pub fn recorded_primary(&self) -> Option<(String, String)> {
        let recorded = self.setting("primary")?;
        let (first, second) = recorded.split_once("; ")?;
        Some((first.to_owned(), second.to_owned()))
    }

    /// A setting of the main measurement by its flattened key.
    #[must_use]
    pub fn setting(&self, key: &str) -> Option<&str> {
        setting(self.settings.as_deref()?, key)
    }

    /// Whether games of the main measurement ended where endgame tables prove their result.
    #[must_use]
    pub fn adjudicated(&self) -> bool {
        self.setting("adjudicate") == Some("true")
    }
}

impl Extra {
    /// A setting by its flattened key.
    #[must_use]
    pub fn setting(&self, key: &str) -> Option<&str> {
        setting(&self.settings, key)
    }

    /// Whether every game began with plies of its own.
    #[must_use]
    pub fn own_openings(&self) -> bool {
        self.setting("own_plies").is_some_and(|plies| plies != "0")
    }
}

/// The value of a flattened key.
#[must_use]
pub fn setting<'a>(settings: &'a [(String, String)], key: &str) -> Option<&'a str> {
    settings.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
}

/// The summary of endgame tables.
#[derive(Debug)]
pub struct Endgames {
    /// SHA-256 of the file, not compressed.
    pub hash: String,
    /// Its rows.
    pub rows: Vec<summary::Row>,
}

/// The opening pool's file.
#[derive(Debug)]
pub struct Pool {
    /// SHA-256 of the file.
    pub hash: String,
    /// Its openings' numbers.
    pub openings: BTreeSet<u64>,
}

/// `strength.json`: the match of the last network against the first.
#[derive(Clone, Debug, Deserialize)]
pub struct Strength {
    /// The agent whose wins count.
    pub first: Player,
    /// Its opponent.
    pub second: Player,
    /// Rule sets played.
    pub rules: Vec<String>,
    /// Number of games.
    pub games: u64,
    /// Games won by the first.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost by the first.
    pub losses: u64,
    /// The first's score; absent without games, as is all that follows.
    pub score: Option<f64>,
    /// Elo difference; null if a side scored everything.
    pub elo: Option<f64>,
    /// Lower 95% limit.
    pub elo_low: Option<f64>,
    /// Upper 95% limit.
    pub elo_high: Option<f64>,
    /// Likelihood of superiority.
    pub los: Option<f64>,
    /// The same under each rule set.
    #[serde(default)]
    pub per_rules: Vec<RulesStrength>,
}

/// The part of a match that was played under one rule set.
#[derive(Clone, Debug, Deserialize)]
pub struct RulesStrength {
    /// Rule set.
    pub rules: String,
    /// Games played.
    pub games: u64,
    /// The first's score; absent without games, as is all that follows.
    pub score: Option<f64>,
    /// Elo difference; null if a side scored everything.
    pub elo: Option<f64>,
    /// Lower 95% limit.
    pub elo_low: Option<f64>,
    /// Upper 95% limit.
    pub elo_high: Option<f64>,
}

/// One side of the match.
#[derive(Clone, Debug, Deserialize)]
pub struct Player {
    /// Network hash, or an evaluator's, searcher's or program's name.
    pub network: String,
    /// Nodes per move; absent for a player that does not count them.
    pub nodes: Option<u64>,
}

impl RunFolder {
    /// Reads `DIR/measure/games.csv`, else `DIR/games.csv`, and what lies beside it.
    ///
    /// # Errors
    /// A missing or damaged file; the message names it and says what to do.
    pub fn open(dir: &Path) -> anyhow::Result<Self> {
        let games_path = find(&[dir.join("measure/games.csv"), dir.join("games.csv")])?
            .ok_or_else(|| no_games(dir))?;
        let published = sums::check(dir)?;
        let beside = games_path.parent().unwrap_or(dir);
        check_measurement(beside, published.as_ref())?;
        let (games, games_hash) = read_games(&games_path)?;
        let settings = read_settings(beside)?;
        let either = |name: &str| find(&[dir.join(name), beside.join(name)]);
        let pool = either("openings.csv")?.map(|path| Pool::read(&path)).transpose()?;
        if let Some(pool) = &pool {
            pool.check(&games_path, &games)?;
        }
        let optional = |name: &str| find(&[dir.join(name)])?.map(|path| text(&path)).transpose();
        Ok(Self {
            name: folder_name(dir),
            games,
            games_hash,
            settings,
            moves: find(&[beside.join("games.pgn")])?,
            extras: folders(&dir.join("extra"))?
                .iter()
                .map(|path| Extra::read(path, published.as_ref()))
                .collect::<anyhow::Result<_>>()?,
            random: find(&[dir.join("random/random.csv")])?
                .map(|path| read_random(&path))
                .transpose()?
                .unwrap_or_default(),
            strength: either("strength.json")?.map(|path| Strength::read(&path)).transpose()?,
            matches: read_matches(&dir.join("matches"))?,
            pool,
            endgames: find(&[dir.join("endgames.csv")])?
                .map(|path| Endgames::read(&path))
                .transpose()?,
            study: optional("study.toml")?,
            deviations: optional("deviations.txt")?,
        })
    }
}

impl Extra {
    fn read(dir: &Path, published: Option<&BTreeSet<PathBuf>>) -> anyhow::Result<Self> {
        let name = folder_name(dir);
        let path = find(&[dir.join("games.csv")])?.ok_or_else(|| {
            let message = format!(
                "{} has no games.csv: finish it with `fusion-selfplay measure`, or move the folder away",
                dir.display()
            );
            Failure::new(NO_INPUT, message)
        })?;
        check_measurement(dir, published)?;
        let (games, games_hash) = read_games(&path)?;
        let settings = read_settings(dir)?.unwrap_or_default();
        let moves = find(&[dir.join("games.pgn")])?;
        Ok(Self { name, games, games_hash, settings, moves })
    }
}

/// Refuses a measurement whose files are not as its list of checksums says, or else that of the
/// publication, if there is either.
fn check_measurement(dir: &Path, published: Option<&BTreeSet<PathBuf>>) -> anyhow::Result<()> {
    let own = sums::check(dir)?;
    let Some(listed) = own.as_ref().or(published) else { return Ok(()) };
    for name in ["games.csv", "games.pgn", "measure.json"] {
        if let Some(path) = find(&[dir.join(name)])?
            && !listed.contains(&path)
        {
            let what =
                format!("is not in the list of checksums ({}): one is not whole", sums::NAME);
            return Err(corrupt(&path, what));
        }
    }
    Ok(())
}

fn read_games(path: &Path) -> anyhow::Result<(Vec<GameRow>, String)> {
    let bytes = read(path)?;
    let games = games::parse(path, &bytes).map_err(Failure::corrupt)?;
    Ok((games, sums::of(&bytes)))
}

/// The settings of the games in a folder.
fn read_settings(dir: &Path) -> anyhow::Result<Option<Vec<(String, String)>>> {
    find(&[dir.join("measure.json")])?.map(|path| settings(&path)).transpose()
}

fn read_random(path: &Path) -> anyhow::Result<Vec<RandomRow>> {
    let bytes = read(path)?;
    if !bytes.ends_with(b"\n") {
        let again = "`fusion-selfplay random` writes it again from the shards";
        return Err(corrupt(path, format!("is truncated: {again}")));
    }
    let rows = csv::Reader::from_reader(bytes.as_slice()).into_deserialize();
    let rows: Vec<RandomRow> =
        rows.collect::<Result<_, _>>().map_err(|error| corrupt(path, error))?;
    let adds_up = |row: &RandomRow| {
        let endings = [row.white_wins, row.black_wins].into_iter().chain(row.drawn());
        row.games > 0 && endings.map(u128::from).sum::<u128>() == u128::from(row.games)
    };
    match rows.iter().find(|row| !adds_up(row)) {
        None => Ok(rows),
        Some(row) => Err(corrupt(path, format!("the endings of {} are not its games", row.rules))),
    }
}

fn read_matches(dir: &Path) -> anyhow::Result<Vec<(String, Strength)>> {
    let mut matches = Vec::new();
    for folder in folders(dir)? {
        if let Some(path) = find(&[folder.join("strength.json")])? {
            matches.push((folder_name(&folder), Strength::read(&path)?));
        }
    }
    Ok(matches)
}

/// The folders in a folder by name; none if there is no such folder.
fn folders(dir: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let context = || format!("reading the folder {}", dir.display());
    if !dir.is_dir() {
        return Ok(Vec::new());
    }
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(dir).with_context(context)? {
        let path = entry.with_context(context)?.path();
        if path.is_dir() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn no_games(dir: &Path) -> Failure {
    let message = if dir.is_dir() {
        format!(
            "no games in {0}: neither {0}/measure/games.csv nor {0}/games.csv exists. Run `fusion-selfplay measure` first, or name another folder",
            dir.display()
        )
    } else {
        format!("no such folder: {}", dir.display())
    };
    Failure::new(NO_INPUT, message)
}

/// More bytes than a published file that is read as a whole may have: some ten million games. A
/// few kilobytes of compressed zeros would fill all memory.
const LONGEST: u64 = 4 << 30;
/// Ending of a compressed file's name.
pub const COMPRESSED: &str = "zst";

/// The first of the paths that exists, as it is or compressed.
pub(crate) fn find(paths: &[PathBuf]) -> anyhow::Result<Option<PathBuf>> {
    for path in paths {
        for path in [path.clone(), path.with_added_extension(COMPRESSED)] {
            if path.try_exists().with_context(|| path.display().to_string())? {
                return Ok(Some(path));
            }
        }
    }
    Ok(None)
}

/// A file's bytes, decompressed.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = if is_compressed(path) { LONGEST + 1 } else { u64::MAX };
    match open(path)?.take(limit).read_to_end(&mut bytes) {
        Ok(read) if is_compressed(path) && read as u64 > LONGEST => {
            let advice = "decompress it yourself if you trust it";
            Err(corrupt(path, format!("holds more than {LONGEST} bytes: {advice}")))
        }
        Ok(_) => Ok(bytes),
        Err(error) if is_compressed(path) => Err(corrupt(path, format!("is damaged: {error}"))),
        Err(error) => Err(error).with_context(|| path.display().to_string()),
    }
}

fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == COMPRESSED)
}

/// Opens a file for reading, decompressed.
pub(crate) fn open(path: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    let file = File::open(path).with_context(|| path.display().to_string())?;
    if is_compressed(path) {
        let decoder = zstd::Decoder::new(file).with_context(|| path.display().to_string())?;
        return Ok(Box::new(BufReader::new(decoder)));
    }
    Ok(Box::new(BufReader::new(file)))
}

fn text(path: &Path) -> anyhow::Result<String> {
    String::from_utf8(read(path)?).map_err(|_| corrupt(path, "is not UTF-8 text"))
}

fn corrupt(path: &Path, message: impl std::fmt::Display) -> anyhow::Error {
    Failure::corrupt(format!("{}: {message}", path.display())).into()
}

/// The folder's own name, also for `.` and `runs/quick/`.
fn folder_name(dir: &Path) -> String {
    let full = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    full.file_name().map_or_else(|| "run".into(), |name| name.to_string_lossy().into_owned())
}

impl Endgames {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let bytes = read(path)?;
        let rows = recorded::parse(&bytes).map_err(|message| {
            let again = "write it again with `fusion-analysis endgames summary --csv`";
            corrupt(path, format!("{message}: {again}"))
        })?;
        Ok(Self { hash: sums::of(&bytes), rows })
    }
}

impl Pool {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let bytes = read(path)?;
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let mut openings = BTreeSet::new();
        for record in reader.deserialize::<PoolRow>() {
            let row = record.map_err(|error| corrupt(path, error))?;
            if !openings.insert(row.id) {
                return Err(corrupt(path, format!("opening {} occurs twice", row.id)));
            }
        }
        Ok(Self { hash: sums::of(&bytes), openings })
    }

    fn check(&self, games_path: &Path, games: &[GameRow]) -> Result<(), Failure> {
        match games.iter().find(|row| !self.openings.contains(&row.opening)) {
            None => Ok(()),
            Some(row) => Err(Failure::corrupt(format!(
                "{}, line {}, column opening: opening {} is not in openings.csv: the pool was changed after the games",
                games_path.display(),
                row.line,
                row.opening
            ))),
        }
    }
}

#[derive(Deserialize)]
struct PoolRow {
    id: u64,
}

impl Strength {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let strength: Strength =
            serde_json::from_slice(&read(path)?).map_err(|error| corrupt(path, error))?;
        let sum = strength
            .wins
            .checked_add(strength.draws)
            .and_then(|sum| sum.checked_add(strength.losses));
        if sum != Some(strength.games) {
            return Err(corrupt(path, "wins, draws and losses do not add up to games"));
        }
        Ok(strength)
    }
}

fn settings(path: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let value: Value =
        serde_json::from_slice(&read(path)?).map_err(|error| corrupt(path, error))?;
    let mut flat = Vec::new();
    flatten(String::new(), &value, &mut flat);
    Ok(flat)
}

/// Objects become dotted keys; lists of plain values one line.
fn flatten(key: String, value: &Value, flat: &mut Vec<(String, String)>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                flatten(key, value, flat);
            }
        }
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            for (i, item) in items.iter().enumerate() {
                flatten(format!("{key}[{i}]"), item, flat);
            }
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(plain).collect();
            flat.push((key, items.join("; ")));
        }
        _ => flat.push((key, plain(value))),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_flattened() {
        let value = serde_json::json!({
            "seed": 7, "search": {"c_puct": 1.5}, "nodes": [16, 64], "arms": [{"rules": "a"}], "cap": null
        });
        let mut flat = Vec::new();
        flatten(String::new(), &value, &mut flat);
        let has = |key: &str, value: &str| flat.contains(&(key.into(), value.into()));
        assert!(has("seed", "7") && has("search.c_puct", "1.5") && has("nodes", "16; 64"));
        assert!(has("arms[0].rules", "a") && has("cap", "null"), "{flat:?}");
    }
}
