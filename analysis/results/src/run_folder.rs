//! Reader of a run's folder for the report.
//!
//! Large files may be compressed, such as `games.csv.zst` instead of `games.csv`.

pub mod files;
mod measured;
mod provenance;
mod strength;

use crate::games::{self, GameRow};
use crate::report_game::{self, ReportGame};
use anyhow::Context;
pub use files::open;
use files::{Rows, SMALL, TABLE, check_inside, corrupt, failed, find, read, text};
use fusion_endgames::summary;
use fusion_endgames::tables::recorded;
use fusion_jobs::checksums::{self, Listed};
use fusion_jobs::exit::{Failure, NO_INPUT};
use fusion_runner::forced::{self, ForcedRow};
use fusion_runner::matches::MatchReport;
use fusion_runner::measure::MeasureFile;
use fusion_runner::random::{self, RandomRow};
use fusion_runner::technique::{self, TechniqueResult};
use fusion_statistics::evalue::Looks;
use fusion_study::{PROGRAM, STUDY_FILE, Study, check_name};
pub use measured::Measured;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Name of the main measurement.
pub const MAIN: &str = "measure";

/// The files of a run, read and checked.
#[derive(Debug)]
pub struct RunFolder {
    /// Name of the folder.
    pub name: String,
    /// The game of its rule sets.
    pub game: ReportGame,
    /// The games of the main measurement, which the verdict uses.
    pub games: Vec<GameRow>,
    /// SHA-256 of the uncompressed `games.csv`.
    pub games_hash: String,
    /// Description of the main measurement.
    pub measured: Option<Measured>,
    /// Path of the file with the moves of `games`, in the same order, if it exists.
    pub moves: Option<PathBuf>,
    /// The other measurements, by name.
    pub extras: Vec<Extra>,
    /// Numbers of games of random movers.
    pub random: Vec<RandomRow>,
    /// Searches of the initial positions for a forced win, from `forced.csv`.
    pub forced: Vec<ForcedRow>,
    /// Games from positions that should be won, from `technique/technique.csv`.
    pub technique: Vec<TechniqueResult>,
    /// The match of `strength.json` in the run's folder.
    pub strength: Option<MatchReport>,
    /// The other matches, with their names.
    pub matches: Vec<(String, MatchReport)>,
    /// The opening pool.
    pub pool: Option<Pool>,
    /// Summary of endgame tables from `endgames.csv`.
    pub endgames: Option<Endgames>,
    /// The text of the study's configuration.
    pub study: Option<String>,
    /// Deviations from the plan, from `deviations.txt`.
    pub deviations: Option<String>,
    /// The study that replaces this one, and the reason, from `superseded.txt`.
    pub superseded: Option<String>,
}

/// Another measurement of the study, which is a folder in `extra`.
#[derive(Debug)]
pub struct Extra {
    /// Name of the folder.
    pub name: String,
    /// Games of the measurement.
    pub games: Vec<GameRow>,
    /// SHA-256 of the uncompressed `games.csv`.
    pub games_hash: String,
    /// Description of the measurement.
    pub measured: Option<Measured>,
    /// Path of the file with the moves, if it exists.
    pub moves: Option<PathBuf>,
}

impl RunFolder {
    /// Returns the description of the main measurement as the program wrote it.
    #[must_use]
    pub fn measure_file(&self) -> Option<&MeasureFile> {
        self.measured.as_ref().map(|measured| &measured.file)
    }

    /// Returns the comparison that the study declared as primary, first minus second.
    #[must_use]
    pub fn recorded_primary(&self) -> Option<(String, String)> {
        self.measure_file()?.settings.primary.clone().map(Into::into)
    }

    /// Returns whether the number of openings was fixed before the games, as the study says. Otherwise, or with
    /// a stopping rule, it may depend on the results.
    #[must_use]
    pub fn looks(&self) -> Looks {
        let study = self.study.as_deref().and_then(|text| Study::parse(text).ok());
        study.map_or(Looks::Any, |study| study.looks())
    }

    /// Returns whether the main measurement adjudicates games by endgame tables.
    #[must_use]
    pub fn adjudicated(&self) -> bool {
        self.measure_file().is_some_and(|file| file.settings.adjudicate)
    }

    /// Returns the names of the other programs that played the measurements, each once.
    #[must_use]
    pub fn programs(&self) -> Vec<String> {
        let extras = self.extras.iter().map(|extra| &extra.measured);
        let files = std::iter::once(&self.measured).chain(extras).flatten();
        let mut names: Vec<String> = files
            .filter_map(|measured| measured.file.settings.network.strip_prefix(PROGRAM))
            .map(str::to_owned)
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl Extra {
    /// Returns whether each game began with plies of its own.
    #[must_use]
    pub fn own_openings(&self) -> bool {
        self.measured.as_ref().is_some_and(|measured| measured.file.settings.own_plies > 0)
    }
}

/// The summary of endgame tables.
#[derive(Debug)]
pub struct Endgames {
    /// SHA-256 of the uncompressed file.
    pub hash: String,
    /// Rows of the summary.
    pub rows: Vec<summary::Row>,
}

/// The opening pool's file.
#[derive(Debug)]
pub struct Pool {
    /// SHA-256 of the file.
    pub hash: String,
    /// Numbers of the openings.
    pub openings: BTreeSet<u64>,
    /// The file.
    csv: Vec<u8>,
}

/// A run's folder and, for a publication, the list of the files that the report may read.
struct Source<'a> {
    /// The run's folder, which no file may be outside of.
    root: &'a Path,
    dir: &'a Path,
    listed: Option<&'a Listed>,
}

impl Source<'_> {
    /// Returns the first of the files that exists, by name in the folder.
    ///
    /// # Errors
    /// Fails if the file is outside of the run's folder, or if the publication's list lacks it, since the
    /// report would differ.
    fn find(&self, names: &[&str]) -> anyhow::Result<Option<PathBuf>> {
        let paths: Vec<PathBuf> = names.iter().map(|name| self.dir.join(name)).collect();
        let found = find(&paths)?;
        if let Some(path) = &found {
            check_inside(self.root, path)?;
        }
        match (&found, self.listed) {
            (Some(path), Some(listed)) if !listed.contains(path) => Err(unlisted(path)),
            _ => Ok(found),
        }
    }

    /// Returns the source of a subfolder with this path.
    fn inside<'a>(&'a self, dir: &'a Path) -> Source<'a> {
        Source { root: self.root, dir, listed: self.listed }
    }

    /// Rejects a measurement whose files do not match its own list of checksums, if it has one.
    fn check_measurement(&self, own: Option<&Listed>) -> anyhow::Result<()> {
        let names = ["games.csv", "measure.json"].into_iter().chain(report_game::games_files());
        for name in names {
            if let (Some(path), Some(own)) = (self.find(&[name])?, own)
                && !own.contains(&path)
            {
                return Err(unlisted(&path));
            }
        }
        Ok(())
    }

    /// Reads the description of the folder's games.
    fn measured(&self) -> anyhow::Result<Option<Measured>> {
        self.find(&["measure.json"])?.map(|path| Measured::read(&path)).transpose()
    }

    fn text(&self, name: &str) -> anyhow::Result<Option<String>> {
        self.find(&[name])?.map(|path| text(&path, SMALL)).transpose()
    }

    /// Reads the rows of a small table, which need not be there.
    fn table<T>(
        &self,
        name: &str,
        parse: fn(&[u8]) -> Result<Vec<T>, String>,
    ) -> anyhow::Result<Vec<T>> {
        let Some(path) = self.find(&[name])? else { return Ok(Vec::new()) };
        parse(&read(&path, SMALL)?).map_err(|error| corrupt(&path, error))
    }

    fn matches(&self) -> anyhow::Result<Vec<(String, MatchReport)>> {
        let mut matches = Vec::new();
        for folder in folders(&self.dir.join("matches"))? {
            if let Some(path) = self.inside(&folder).find(&["strength.json"])? {
                matches.push((folder_name(&folder), strength::read(&path)?));
            }
        }
        Ok(matches)
    }
}

fn unlisted(path: &Path) -> anyhow::Error {
    let name = checksums::NAME;
    corrupt(
        path,
        format!(
            "is not in the list of checksums ({name}): it was added, or the list was cut. Move it away, or fetch the folder again"
        ),
    )
}

impl RunFolder {
    /// Reads `DIR/measure/games.csv`, else `DIR/games.csv`, and the files beside it.
    ///
    /// Of a publication only the files in its list of checksums are read.
    ///
    /// # Errors
    /// Fails if a file is missing or damaged. The message names the file and the remedy.
    pub fn open(dir: &Path) -> anyhow::Result<Self> {
        let games_path = find(&[dir.join("measure/games.csv"), dir.join("games.csv")])?
            .ok_or_else(|| no_games(dir))?;
        let root = checksums::check(dir)?;
        // Rule sets of the games may name start positions that lie where the study's paths lead.
        let _ = Study::read(&dir.join(STUDY_FILE));
        let beside = games_path.parent().unwrap_or(dir);
        let listed = root.as_ref().filter(|list| !list.is_of_measurement());
        let source = Source { root: dir, dir, listed };
        check_inside(dir, &games_path)?;
        let measurement = source.inside(beside);
        let own = if beside == dir { root.clone() } else { checksums::check(beside)? };
        measurement.check_measurement(own.as_ref())?;
        let measured = measurement.measured()?;
        let (games, games_hash) = read_games(&games_path, measured.as_ref())?;
        let either = |name: &str| match source.find(&[name])? {
            None => measurement.find(&[name]),
            found => Ok(found),
        };
        let pool = either("openings.csv")?.map(|path| Pool::read(&path)).transpose()?;
        if let Some(pool) = &pool {
            pool.check(&games_path, &games)?;
        }
        let game = ReportGame::of_rules(games.first().map_or("", |row| row.rules.as_str()));
        let run = Self {
            name: folder_name(dir),
            game,
            games,
            games_hash,
            measured,
            moves: measurement.find(&[game.games_file()])?,
            extras: folders(&dir.join("extra"))?
                .iter()
                .map(|path| Extra::read(&source.inside(path)))
                .collect::<anyhow::Result<_>>()?,
            random: source
                .find(&["random/random.csv"])?
                .map(|path| read_random(game, &path))
                .transpose()?
                .unwrap_or_default(),
            forced: source.table("forced.csv", forced::read)?,
            technique: source.table("technique/technique.csv", technique::read_results)?,
            strength: either("strength.json")?.map(|path| strength::read(&path)).transpose()?,
            matches: source.matches()?,
            pool,
            endgames: source
                .find(&["endgames.csv"])?
                .map(|path| Endgames::read(&path))
                .transpose()?,
            study: source.find(&["study.toml"])?.map(|path| read_study(&path)).transpose()?,
            deviations: source.text("deviations.txt")?,
            superseded: read_superseded(&source)?,
        };
        provenance::check(dir, &run)?;
        Ok(run)
    }
}

impl Extra {
    fn read(source: &Source<'_>) -> anyhow::Result<Self> {
        let dir = source.dir;
        let path = source.find(&["games.csv"])?.ok_or_else(|| {
            let message = format!(
                "{} has no games.csv: finish it with `fusion measure`, or move the folder away",
                dir.display()
            );
            Failure::new(NO_INPUT, message)
        })?;
        source.check_measurement(checksums::check(dir)?.as_ref())?;
        let measured = source.measured()?;
        let (games, games_hash) = read_games(&path, measured.as_ref())?;
        let game = ReportGame::of_rules(games.first().map_or("", |row| row.rules.as_str()));
        let moves = source.find(&[game.games_file()])?;
        Ok(Self { name: folder_name(dir), games, games_hash, measured, moves })
    }
}

/// Reads the games, up to the number in their description.
fn read_games(path: &Path, measured: Option<&Measured>) -> anyhow::Result<(Vec<GameRow>, String)> {
    let promised = measured.map(|measured| measured.file.played);
    let mut rows = Rows::new(open(path)?);
    let games = games::read(path, &mut rows, promised);
    if let Some(error) = rows.take_failure() {
        return Err(failed(path, error));
    }
    Ok((games.map_err(Failure::corrupt)?, rows.hash()))
}

/// Reads the text of the study, which must be one.
fn read_study(path: &Path) -> anyhow::Result<String> {
    let text = text(path, SMALL)?;
    let advice = "fetch the file again, or put back the study that made the run";
    Study::parse(&text).map_err(|error| corrupt(path, format!("{error}: {advice}")))?;
    Ok(text)
}

/// Largest size in bytes of `superseded.txt`, which is shown in full before the verdict.
const NOTE: usize = 4096;

/// Reads and checks the note of a superseded study.
fn read_superseded(source: &Source<'_>) -> anyhow::Result<Option<String>> {
    let text = source.text("superseded.txt")?;
    let wrong = match text.as_deref() {
        Some(text) if text.trim().is_empty() => "is empty",
        Some(text) if text.len() > NOTE => "is longer than 4,096 bytes",
        _ => return Ok(text),
    };
    let advice = "say in a few sentences why another study replaces this one, and which";
    Err(corrupt(&source.dir.join("superseded.txt"), format!("{wrong}: {advice}")))
}

/// What is wrong with a table of one line.
const NO_ROWS: &str = "has no rows: make it again, or move it away";

fn read_random(game: ReportGame, path: &Path) -> anyhow::Result<Vec<RandomRow>> {
    let bytes = read(path, SMALL)?;
    if !bytes.ends_with(b"\n") {
        let again = "`fusion random` writes it again from the shards";
        return Err(corrupt(path, format!("is truncated: {again}")));
    }
    let rows = random::read_rows(game.description(), bytes.as_slice())
        .map_err(|error| corrupt(path, error))?;
    if rows.is_empty() {
        return Err(corrupt(path, NO_ROWS));
    }
    let adds_up =
        |row: &RandomRow| row.games > 0 && row.won().checked_add(row.drawn()) == Some(row.games);
    match rows.iter().find(|row| !adds_up(row)) {
        None => Ok(rows),
        Some(row) => Err(corrupt(path, format!("the endings of {} are not its games", row.rules))),
    }
}

/// Returns the subfolders of a folder, sorted by name. Returns an empty list if the folder does not
/// exist.
///
/// # Errors
/// Fails if a subfolder has a name that no study gives to one.
pub fn folders(dir: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let context = || format!("reading the folder {}", dir.display());
    if !dir.is_dir() {
        return Ok(Vec::new());
    }
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(dir).with_context(context)? {
        let path = entry.with_context(context)?.path();
        if path.is_dir() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            check_name("the name of a folder", &name)
                .map_err(|error| corrupt(dir, format!("{error}: rename it, or move it away")))?;
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn no_games(dir: &Path) -> Failure {
    let message = if dir.is_dir() {
        format!(
            "no games in {0}: neither {0}/measure/games.csv nor {0}/games.csv exists. Run `fusion measure` first, or name another folder",
            dir.display()
        )
    } else {
        format!("no such folder: {}", dir.display())
    };
    Failure::new(NO_INPUT, message)
}

/// Returns the folder's own name, also for `.` and `runs/quick/`.
fn folder_name(dir: &Path) -> String {
    let full = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    full.file_name().map_or_else(|| "run".into(), |name| name.to_string_lossy().into_owned())
}

impl Endgames {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let bytes = read(path, TABLE)?;
        let rows = recorded::parse(&bytes).map_err(|message| {
            let again = "write it again with `fusion endgames summary --csv`";
            corrupt(path, format!("{message}: {again}"))
        })?;
        if rows.is_empty() {
            return Err(corrupt(path, NO_ROWS));
        }
        Ok(Self { hash: checksums::of(&bytes), rows })
    }
}

impl Pool {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let csv = text(path, TABLE)?;
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let mut openings = BTreeSet::new();
        for record in reader.deserialize::<PoolRow>() {
            let row = record.map_err(|error| corrupt(path, error))?;
            if !openings.insert(row.id) {
                return Err(corrupt(path, format!("opening {} occurs twice", row.id)));
            }
        }
        if openings.is_empty() {
            return Err(corrupt(path, NO_ROWS));
        }
        Ok(Self { hash: checksums::of(csv.as_bytes()), openings, csv: csv.into_bytes() })
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
