//! Distribution of work: shards, scheduler tasks, threads, and the status of a run.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::exit::{Failure, NO_INPUT};
use anyhow::Context;
use serde::Serialize;

use crate::shard::{self, Header, ShardError, ShardReader};

const HYPERQUEUE: &str = "HQ_TASK_ID";
/// Environment variables with a task's number, in the order of lookup. Each has the number of the
/// scheduler's first task: Grid Engine counts from 1, the others count from 0 or as the user
/// chooses.
const TASK_VARIABLES: [(&str, u32); 5] = [
    (HYPERQUEUE, 0),
    ("SLURM_ARRAY_TASK_ID", 0),
    ("JOB_COMPLETION_INDEX", 0),
    ("PBS_ARRAY_INDEX", 0),
    ("SGE_TASK_ID", 1),
];
/// Environment variables with the cores that a scheduler gives a task, in the order of lookup:
/// HyperQueue's list of their numbers, and the counts of Slurm, Grid Engine and PBS. HyperQueue comes
/// first, because its workers often run inside of Slurm's jobs.
const CORES_VARIABLES: [&str; 4] = ["HQ_CPUS", "SLURM_CPUS_PER_TASK", "NSLOTS", "NCPUS"];
/// Number of threads that is always allowed.
const FEW_THREADS: usize = 64;
/// Limit on the threads per core. More threads only wait for each other, and thousands of them take
/// half a minute to start.
const THREADS_PER_CORE: usize = 4;

/// Returns the value of a variable, or `None` if it is unset or empty. A value that is not UTF-8 is
/// converted lossily, so that the number parser rejects it and names it.
fn variable(name: &str) -> Option<String> {
    let value = std::env::var_os(name)?.to_string_lossy().into_owned();
    Some(value).filter(|text| !text.is_empty())
}

/// Returns the names of all scheduler variables that the programs read.
pub fn variables() -> impl Iterator<Item = &'static str> {
    TASK_VARIABLES.into_iter().map(|(name, _)| name).chain(CORES_VARIABLES)
}

/// The value of `--shard`.
///
/// # Examples
/// ```
/// use fusion_jobs::cluster::ShardChoice;
///
/// assert_eq!("auto".parse(), Ok(ShardChoice::Auto));
/// assert_eq!("3".parse(), Ok(ShardChoice::One(3)));
/// let error = "-1".parse::<ShardChoice>().unwrap_err();
/// assert_eq!(error, "must be `auto`, `all` or a number from 0");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShardChoice {
    /// The number that the scheduler gives this task; every shard in turn if there is none.
    #[default]
    Auto,
    /// Every shard in turn, whatever number the scheduler gives this task.
    All,
    /// This shard.
    One(u32),
}

impl FromStr for ShardChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(ShardChoice::Auto),
            "all" => Ok(ShardChoice::All),
            _ => text
                .parse()
                .map(ShardChoice::One)
                .map_err(|_| "must be `auto`, `all` or a number from 0".to_owned()),
        }
    }
}

impl ShardChoice {
    /// Returns the shards that this process makes.
    ///
    /// # Errors
    /// Fails if a number is not below `shards`, or if a scheduler's variable is not a number.
    ///
    /// # Examples
    /// ```
    /// use fusion_jobs::cluster::ShardChoice;
    ///
    /// assert_eq!(ShardChoice::All.resolve(8)?, 0..8);
    /// assert_eq!(ShardChoice::One(3).resolve(8)?, 3..4);
    /// let error = ShardChoice::One(8).resolve(8).unwrap_err().to_string();
    /// assert_eq!(error, "--shard asks for shard 8, but 8 shards are numbered 0 to 7");
    /// # Ok::<(), anyhow::Error>(())
    /// ```
    pub fn resolve(self, shards: u32) -> Result<Range<u32>, Failure> {
        self.resolve_with(shards, variable)
    }

    fn resolve_with(
        self,
        shards: u32,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Range<u32>, Failure> {
        let (source, shard) = match self {
            ShardChoice::All => return Ok(0..shards),
            ShardChoice::One(shard) => ("--shard", shard),
            ShardChoice::Auto => match task_number(variable)? {
                // HyperQueue numbers all its tasks, also those that belong to no array.
                Some((HYPERQUEUE, _)) | None if shards == 1 => return Ok(0..1),
                Some(found) => found,
                None => return Ok(0..shards),
            },
        };
        if shard >= shards {
            return Err(Failure::usage(format!(
                "{source} asks for shard {shard}, but {shards} shards are numbered 0 to {}",
                shards.saturating_sub(1)
            )));
        }
        Ok(shard..shard + 1)
    }
}

/// Returns the number that the scheduler gives this task, and the variable with that number.
fn task_number(
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<(&'static str, u32)>, Failure> {
    for (name, first) in TASK_VARIABLES {
        // Grid Engine sets `undefined` outside of array jobs.
        let Some(text) = variable(name).filter(|text| text != "undefined") else { continue };
        let number = text.trim().parse::<u32>().ok().and_then(|n| n.checked_sub(first));
        return number.map(|number| Some((name, number))).ok_or_else(|| {
            Failure::usage(format!("the variable {name} is `{text}`, not a number from {first}"))
        });
    }
    Ok(None)
}

/// Returns the number of threads: the argument, else the cores that a scheduler gives the task, else
/// one for each core.
///
/// # Errors
/// Fails for zero threads, or for more than both 64 and four for each core (exit code 64).
///
/// # Examples
/// ```
/// use fusion_jobs::{cluster, exit};
///
/// assert_eq!(cluster::threads(Some(4))?, 4);
/// let error = cluster::threads(Some(0)).unwrap_err();
/// assert_eq!(exit::exit_code(&error.into()), exit::USAGE);
/// # Ok::<(), anyhow::Error>(())
/// ```
pub fn threads(asked: Option<usize>) -> Result<usize, Failure> {
    threads_with(asked, variable)
}

fn threads_with(
    asked: Option<usize>,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<usize, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let given = || CORES_VARIABLES.into_iter().find_map(|name| Some((name, variable(name)?)));
    let (source, text) = match (asked, given()) {
        (Some(threads), _) => ("--threads", threads.to_string()),
        (None, Some(given)) => given,
        (None, None) => return Ok(cores),
    };
    let most = most_threads(cores);
    let number = match source {
        "HQ_CPUS" => Some(text.split(',').count()),
        _ => text.trim().parse().ok(),
    };
    number.filter(|threads| (1..=most).contains(threads)).ok_or_else(|| {
        Failure::usage(format!(
            "{source} is `{text}`, not a number from 1 to {most}; this process may use {cores} \
             cores"
        ))
    })
}

/// Returns the most threads that a process may start on a machine with `cores` cores.
pub(crate) fn most_threads(cores: usize) -> usize {
    FEW_THREADS.max(cores.saturating_mul(THREADS_PER_CORE))
}

/// Builds a thread pool for games.
///
/// # Errors
/// Fails as [`threads`] does, or if threads cannot be started.
pub fn pool(asked: Option<usize>) -> anyhow::Result<rayon::ThreadPool> {
    let threads = threads(asked)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.with_context(|| format!("starting {threads} threads"))
}

/// The shards of a run in a folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Number of shards of the run.
    pub shards: u32,
    /// Shards that are finished and valid.
    pub complete: BTreeMap<u32, PathBuf>,
    /// Shards that were begun and not finished.
    pub unfinished: Vec<u32>,
    /// Damaged shards, each with the reason. The number is `None` if the file's name has none.
    pub corrupt: Vec<(Option<u32>, String)>,
}

impl Status {
    /// Scans a folder and reads every finished shard to its end.
    ///
    /// # Errors
    /// Fails if the folder cannot be read, has no shard (exit code 66), or mixes runs (64).
    ///
    /// # Examples
    /// ```
    /// use fusion_jobs::cluster::{self, Status};
    /// use fusion_jobs::runner::{Played, Run};
    /// use fusion_jobs::stop::Stop;
    ///
    /// // Only the last of three shards is played.
    /// let folder = tempfile::tempdir()?;
    /// let run = Run {
    ///     kind: "games",
    ///     behaviour: "1".to_owned(),
    ///     folder: folder.path().to_owned(),
    ///     seed: 7,
    ///     shards: 3,
    ///     games: 6,
    ///     parameters: (),
    /// };
    /// let play = |_, _: &_| Ok(Some(Played { payload: b"e4".to_vec(), drawn: 1 }));
    /// run.play_shard(2, "games", &Stop::new(), play)?;
    /// let status = Status::of(folder.path())?;
    /// assert_eq!(cluster::ranges(&status.missing()), "0-1");
    /// assert!(cluster::whole_run(folder.path()).is_err());
    /// # Ok::<(), anyhow::Error>(())
    /// ```
    pub fn of(folder: &Path) -> anyhow::Result<Self> {
        let mut status = Status::default();
        let mut run: Option<(PathBuf, Header)> = None;
        for path in files(folder)? {
            let part = path.extension().is_some_and(|extension| extension == "part");
            let header = match read_header(&path) {
                Ok(Some(header)) => header,
                Ok(None) => continue,
                // Another process has just finished this shard and removed its part.
                Err(ShardError::Io { cause, .. })
                    if part && cause.kind() == std::io::ErrorKind::NotFound =>
                {
                    continue;
                }
                Err(error) => {
                    status.note_damage(&path, error)?;
                    continue;
                }
            };
            reject_mixture(run.as_ref(), &path, &header)?;
            status.shards = header.shards;
            if part {
                status.unfinished.push(header.shard);
            } else {
                match ShardReader::open(&path).and_then(ShardReader::verify) {
                    Ok(_) => drop(status.complete.insert(header.shard, path.clone())),
                    Err(error) => status.note_damage(&path, error)?,
                }
            }
            run.get_or_insert((path, header));
        }
        // The process was killed after finishing the shard and before removing its part.
        let Status { complete, unfinished, .. } = &mut status;
        unfinished.retain(|shard| !complete.contains_key(shard));
        if run.is_none() && status.corrupt.is_empty() {
            let message = format!("{} holds no shard", folder.display());
            return Err(Failure::new(NO_INPUT, message).into());
        }
        Ok(status)
    }

    fn note_damage(&mut self, path: &Path, error: ShardError) -> anyhow::Result<()> {
        if !matches!(error, ShardError::Corrupt { .. }) {
            return Err(error.into());
        }
        let (shard, shards) = numbers_in_name(path).unzip();
        self.shards = self.shards.max(shards.unwrap_or_default());
        self.corrupt.push((shard, format!("{:#}", anyhow::Error::new(error))));
        Ok(())
    }

    /// Returns the numbers of the shards that are missing, unfinished or damaged.
    #[must_use]
    pub fn missing(&self) -> Vec<u32> {
        (0..self.shards).filter(|shard| !self.complete.contains_key(shard)).collect()
    }
}

/// Returns the paths of all shards of a complete run, in order.
///
/// # Errors
/// Fails as [`Status::of`] does, or if shards are missing or damaged (exit code 65). The error has
/// their numbers.
pub fn whole_run(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let status = Status::of(folder)?;
    if let Some((_, reason)) = status.corrupt.first() {
        return Err(Failure::corrupt(reason).into());
    }
    let missing = status.missing();
    if missing.is_empty() {
        return Ok(status.complete.into_values().collect());
    }
    Err(Failure::corrupt(format!(
        "{}: shards {} of {} are missing: run them first",
        folder.display(),
        ranges(&missing),
        status.shards
    ))
    .into())
}

/// Returns a shard's number by its file's name. Returns `None` for another name.
///
/// # Examples
/// ```
/// use fusion_jobs::cluster::number_of;
/// use std::path::Path;
///
/// assert_eq!(number_of(Path::new("run/games-00003-of-00128.shard.part")), Some(3));
/// assert_eq!(number_of(Path::new("run/games.csv")), None);
/// ```
#[must_use]
pub fn number_of(path: &Path) -> Option<u32> {
    numbers_in_name(path).map(|(number, _)| number)
}

/// Parses a shard's numbers from its file's name, their only source if the header is damaged.
fn numbers_in_name(path: &Path) -> Option<(u32, u32)> {
    let name = path.file_name()?.to_str()?;
    let stem = name.split('.').next()?;
    let (rest, shards) = stem.rsplit_once("-of-")?;
    let (_, number) = rest.rsplit_once('-')?;
    let (number, shards) = (number.parse().ok()?, shards.parse().ok()?);
    (number < shards && shards <= shard::MAX_SHARDS).then_some((number, shards))
}

/// Returns the finished and unfinished shards in a folder, sorted by name.
///
/// # Errors
/// Fails if the folder cannot be read.
pub fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let context = || format!("reading the folder {}", folder.display());
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(context)? {
        let path = entry.with_context(context)?.path();
        let name = path.to_string_lossy();
        let finished = format!(".{}", shard::EXTENSION);
        if name.ends_with(&finished) || name.ends_with(&format!("{finished}.part")) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Rejects a folder that holds shards of another kind, or of another run of the same kind, before
/// any game is played.
///
/// For the same kind, the function reads the header of one other shard, preferably one whose name
/// has another number of shards. A damaged shard is left to the process that needs it.
///
/// # Errors
/// Fails if the folder has shards of another run (exit code 64), or cannot be read.
pub fn reject_others<P: Serialize>(folder: &Path, header: &Header<P>) -> anyhow::Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    let mut others = files(folder)?;
    let other = others.iter().find(|path| kind_of(path) != Some(&header.kind));
    if let Some(other) = other {
        return Err(another_kind(folder, other, &header.kind).into());
    }
    let own = shard::file_name(&header.kind, header.shard, header.shards);
    let own = folder.join(own);
    // Opening a shard of this name reports the difference in detail.
    if own.exists() || shard::part_path(&own).exists() {
        return Ok(());
    }
    others.sort_by_key(|path| {
        numbers_in_name(path).is_none_or(|(_, shards)| shards == header.shards)
    });
    let read = |path: PathBuf| Some((read_header(&path).ok()??, path));
    let Some((found, path)) = others.into_iter().find_map(read) else { return Ok(()) };
    reject_other_run(&path, found, header)
}

/// Rejects a shard of a run with other settings than those of this header, whatever its number.
///
/// # Errors
/// Fails for such a shard (exit code 64).
pub fn reject_other_run<P: Serialize>(
    path: &Path,
    found: Header,
    header: &Header<P>,
) -> anyhow::Result<()> {
    let found = Header { shard: header.shard, ..found };
    let difference = shard::difference(&serde_json::to_vec(&found)?, &serde_json::to_vec(header)?);
    difference.map_or(Ok(()), |difference| {
        Err(Failure::usage(format!(
            "{} is of a run with other settings: {difference}; use another folder",
            path.display()
        ))
        .into())
    })
}

/// Returns a shard's kind by its file's name. Returns `None` for another name.
#[must_use]
pub fn kind_of(path: &Path) -> Option<&str> {
    numbers_in_name(path)?;
    let (rest, _) = path.file_name()?.to_str()?.rsplit_once("-of-")?;
    rest.rsplit_once('-').map(|(kind, _)| kind)
}

/// Returns the error for a folder with another run's shard.
fn another_kind(folder: &Path, other: &Path, kind: &str) -> Failure {
    let name = other.file_name().unwrap_or_default().to_string_lossy();
    let holds = match kind_of(other) {
        Some("games") => "training games",
        Some("measure") => "a measurement",
        Some("match") => "a match",
        Some("random") => "games of random movers",
        Some("technique") => "a test of technique",
        _ => "a file that is no shard of this run",
    };
    Failure::usage(format!(
        "{} holds {holds} ({name}), and shards of kind `{kind}` would be written: give each run a \
         folder of its own",
        folder.display()
    ))
}

/// Rejects a folder that has this file of results but no shards: the run would overwrite it. Shards
/// of another run are rejected when a shard is opened.
///
/// # Errors
/// Fails for such a folder (exit code 64), or if the folder cannot be read.
pub fn reject_other_results(folder: &Path, file: &str) -> anyhow::Result<()> {
    let results = folder.join(file);
    if !results.exists() || !files(folder)?.is_empty() {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{} is not of this run: give the run a folder of its own",
        results.display()
    ))
    .into())
}

/// Reads the header of a shard, finished or not. Returns `None` if there is none yet.
///
/// # Errors
/// Fails if the file cannot be read, or is not a shard of this version.
pub fn read_header(path: &Path) -> Result<Option<Header>, ShardError> {
    if path.extension().is_some_and(|extension| extension == "part") {
        shard::read_part_header(path)
    } else {
        ShardReader::open(path).map(|reader| Some(reader.header().clone()))
    }
}

/// Rejects a shard whose header differs from the first shard's in more than the shard's number.
fn reject_mixture(
    run: Option<&(PathBuf, Header)>,
    path: &Path,
    header: &Header,
) -> Result<(), Failure> {
    let Some((first, run)) = run else {
        return Ok(());
    };
    let same = Header { shard: header.shard, ..run.clone() } == *header;
    if same {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{} and {} come from runs with different settings: keep one run to a folder",
        first.display(),
        path.display()
    )))
}

/// Formats ascending numbers as schedulers parse them: `3,7-9`.
///
/// # Examples
/// ```
/// use fusion_jobs::cluster::ranges;
///
/// assert_eq!(ranges(&[3, 7, 8, 9]), "3,7-9");
/// ```
#[must_use]
pub fn ranges(numbers: &[u32]) -> String {
    let mut text = String::new();
    for run in numbers.chunk_by(|a, b| a.checked_add(1) == Some(*b)) {
        let comma = if text.is_empty() { "" } else { "," };
        // Writing to a string cannot fail.
        let _ = match run {
            [only] => write!(text, "{comma}{only}"),
            [first, .., last] => write!(text, "{comma}{first}-{last}"),
            [] => Ok(()),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_what_schedulers_read() {
        assert_eq!(ranges(&[]), "");
        assert_eq!(ranges(&[3, 7, 8, 9]), "3,7-9");
        assert_eq!(ranges(&[0, 1, 3, 5, 6]), "0-1,3,5-6");
    }

    #[test]
    fn threads_are_the_cores_that_a_scheduler_gives() {
        let with = |asked, pairs: &'static [(&str, &str)]| {
            threads_with(asked, |name| {
                pairs.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned())
            })
        };
        // HyperQueue lists cores, and its workers may run inside of a job of Slurm.
        assert_eq!(with(None, &[("SLURM_CPUS_PER_TASK", "16"), ("HQ_CPUS", "3")]).unwrap(), 1);
        assert_eq!(with(None, &[("HQ_CPUS", "0,2,7")]).unwrap(), 3);
        assert_eq!(with(None, &[("NSLOTS", "5"), ("NCPUS", "6")]).unwrap(), 5);
        assert_eq!(with(Some(2), &[("NCPUS", "6")]).unwrap(), 2);
        for bad in ["0", "x", "100000"] {
            let error = threads_with(None, |name| (name == "NCPUS").then(|| bad.to_owned()));
            assert!(error.unwrap_err().to_string().starts_with(&format!("NCPUS is `{bad}`")));
        }
    }

    #[test]
    fn the_first_scheduler_that_speaks_is_heard() {
        let with = |pairs: &'static [(&str, &str)]| {
            ShardChoice::Auto.resolve_with(10, |name| {
                pairs.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned())
            })
        };
        assert_eq!(with(&[]).unwrap(), 0..10);
        assert_eq!(with(&[("SGE_TASK_ID", "undefined")]).unwrap(), 0..10);
        assert_eq!(with(&[("SGE_TASK_ID", "10")]).unwrap(), 9..10);
        assert_eq!(with(&[("PBS_ARRAY_INDEX", "2"), ("SLURM_ARRAY_TASK_ID", "4")]).unwrap(), 4..5);
        assert_eq!(with(&[("SLURM_ARRAY_TASK_ID", "4"), ("HQ_TASK_ID", "0")]).unwrap(), 0..1);
        // A task of HyperQueue may have any number if there is one shard, others may not.
        let one = |name| {
            let number = |asked: &str| (asked == name).then(|| "7".to_owned());
            ShardChoice::Auto.resolve_with(1, number)
        };
        assert_eq!(one("HQ_TASK_ID").unwrap(), 0..1);
        assert!(one("SLURM_ARRAY_TASK_ID").is_err());
        for bad in ["10", "-1", "x"] {
            let error = ShardChoice::Auto.resolve_with(10, |_| Some(bad.to_owned())).unwrap_err();
            assert!(error.to_string().contains("HQ_TASK_ID"), "{error}");
        }
        assert!(ShardChoice::One(10).resolve(10).is_err());
    }
}
