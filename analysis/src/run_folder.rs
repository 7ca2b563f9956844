//! What a run's folder holds for the report.

use crate::games::{self, GameRow};
use anyhow::Context;
use fusion_engine::cli::{Failure, NO_INPUT};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The files of a run, read and checked.
#[derive(Debug)]
pub struct RunFolder {
    /// Name of the folder.
    pub name: String,
    /// The games.
    pub games: Vec<GameRow>,
    /// SHA-256 of `games.csv`.
    pub games_hash: String,
    /// Settings of the measurement, flattened to `search.c_puct`-like keys.
    pub settings: Option<Vec<(String, String)>>,
    /// Result of the final match.
    pub strength: Option<Strength>,
    /// The opening pool.
    pub pool: Option<Pool>,
    /// The study's configuration, word for word.
    pub study: Option<String>,
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
        let bytes = read(&games_path)?;
        let games = games::parse(&games_path, &bytes).map_err(Failure::corrupt)?;
        let beside = games_path.parent().unwrap_or(dir);
        let either = |name: &str| find(&[dir.join(name), beside.join(name)]);
        let pool = either("openings.csv")?.map(|path| Pool::read(&path)).transpose()?;
        if let Some(pool) = &pool {
            pool.check(&games_path, &games)?;
        }
        Ok(Self {
            name: folder_name(dir),
            games,
            games_hash: sha256(&bytes),
            settings: find(&[beside.join("measure.json")])?
                .map(|path| settings(&path))
                .transpose()?,
            strength: either("strength.json")?.map(|path| Strength::read(&path)).transpose()?,
            pool,
            study: find(&[dir.join("study.toml")])?.map(|path| text(&path)).transpose()?,
        })
    }
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

/// The first of the paths that exists.
fn find(paths: &[PathBuf]) -> anyhow::Result<Option<PathBuf>> {
    for path in paths {
        if path.try_exists().with_context(|| path.display().to_string())? {
            return Ok(Some(path.clone()));
        }
    }
    Ok(None)
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| path.display().to_string())
}

fn text(path: &Path) -> anyhow::Result<String> {
    String::from_utf8(read(path)?).map_err(|_| corrupt(path, "is not UTF-8 text"))
}

fn corrupt(path: &Path, message: impl std::fmt::Display) -> anyhow::Error {
    Failure::corrupt(format!("{}: {message}", path.display())).into()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The folder's own name, also for `.` and `runs/quick/`.
fn folder_name(dir: &Path) -> String {
    let full = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    full.file_name().map_or_else(|| "run".into(), |name| name.to_string_lossy().into_owned())
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
        Ok(Self { hash: sha256(&bytes), openings })
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

    #[test]
    fn sha256_of_nothing() {
        assert!(sha256(b"").starts_with("e3b0c44298fc1c14"));
    }
}
