//! The programs as processes: four kinds of work of a run, their inputs, and their results, which
//! must not depend on disturbances.

use fusion_jobs::cluster;
use fusion_jobs::shard::{self, EXTENSION, Opened, ShardWriter};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{LazyLock, OnceLock};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Contents of files, by path in a folder.
pub type Files = BTreeMap<PathBuf, Vec<u8>>;

/// A kind of work: a command that is repeated until it is done.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// Name of the job.
    pub name: &'static str,
    program: &'static str,
    line: &'static str,
    /// Folder of the results.
    pub out: &'static str,
}

/// The job of training games.
pub const GENERATE: Job = Job {
    name: "generate",
    program: "fusion",
    line: "generate --network material --games 1200 --shards 2 --rules fusion-2020 --rules metamorphin \
           --simulations 8 --fast-simulations 4 --cap 60 --out games",
    out: "games",
};
/// The job of measurement games.
pub const MEASURE: Job = Job {
    name: "measure",
    program: "fusion",
    line: "measure --network material --openings openings.csv --nodes 20,60 --shards 2 \
           --rules fusion-2020 --rules fusion-1999 --out measure",
    out: "measure",
};
/// The job of generations of games and training.
pub const LOOP: Job = Job {
    name: "loop",
    program: "fusion-train",
    line: "loop study.toml --out train",
    out: "train",
};
/// The job of endgame tables.
pub const ENDGAMES: Job = Job {
    name: "endgames build",
    program: "fusion",
    line: "endgames build --out tables --rules fusion-1999 --rules fusion-2020 --material KBvKN",
    out: "tables",
};

/// All jobs.
pub const JOBS: [Job; 4] = [GENERATE, MEASURE, LOOP, ENDGAMES];

/// The command that makes the openings that a measurement needs.
const OPENINGS: &str = "openings --network material --out openings.csv --count 24 --rules fusion-1999 --rules fusion-2020";

/// The study of the loop.
const STUDY: &str = r#"
[study]
name = "faults"

[network]
hidden = 64

[selfplay]
games = 60
simulations = 6
fast_simulations = 3
cap = 80

[train]
generations = 2
min_positions = 100
epochs = 2.0
batch = 128
checkpoint_steps = 7

[train.gate]
games = 8
nodes = 6
sanity = false
"#;

/// Environment variables with which `fusion-train` need not restart itself. A restart takes long
/// beside other work.
pub const SET: [(&str, &str); 4] = [
    ("OMP_WAIT_POLICY", "passive"),
    ("MALLOC_ARENA_MAX", "2"),
    ("MALLOC_MMAP_THRESHOLD_", "33554432"),
    ("MALLOC_TRIM_THRESHOLD_", "33554432"),
];

/// Returns the path of a program that was built beside the running one.
///
/// # Panics
/// Panics if the program does not exist: `cargo test --workspace` and `cargo build` make it.
#[must_use]
pub fn path(program: &str) -> PathBuf {
    let own = std::env::current_exe().expect("the path of this program");
    let folder = own.ancestors().nth(2).expect("the folder of the build");
    let path = folder.join(program);
    assert!(path.is_file(), "{} is missing: run cargo build --workspace first", path.display());
    path
}

/// Returns a command line of a program, in a folder.
#[must_use]
pub fn command(program: &str, line: &str, folder: &Path) -> Command {
    let mut command = Command::new(path(program));
    command.args(line.split_whitespace()).current_dir(folder);
    set_variables(&mut command);
    command
}

/// Sets the environment of a command to the one that the tests expect.
pub fn set_variables(command: &mut Command) {
    command.envs(SET);
    // A scheduler that runs the tests may have set its own variables.
    for name in cluster::variables() {
        command.env_remove(name);
    }
}

/// Runs a command to its end. Returns its exit code, `None` if it was killed, and its output.
///
/// # Panics
/// Panics if the program cannot be started.
pub fn finish(command: &mut Command) -> (Option<i32>, String) {
    said(command.output().expect("starting a program"))
}

/// Returns the exit code and the text of both streams.
fn said(output: Output) -> (Option<i32>, String) {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    (output.status.code(), format!("{out}{err}"))
}

/// Inputs of the jobs.
static INPUTS: LazyLock<Files> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("study.toml"), STUDY).expect("a temporary file");
    let (code, text) = finish(&mut command("fusion", OPENINGS, folder.path()));
    assert_eq!(code, Some(0), "{text}");
    tree(folder.path())
});

/// Returns a folder with the inputs of the jobs.
///
/// # Panics
/// Panics if the file system fails.
#[must_use]
pub fn prepared() -> TempDir {
    filled(&INPUTS)
}

impl Job {
    /// Returns the job's command in a folder.
    #[must_use]
    pub fn command(&self, folder: &Path) -> Command {
        command(self.program, self.line, folder)
    }

    /// Returns the job's command line, for a shell.
    #[must_use]
    pub fn shell(&self) -> String {
        format!("{} {}", path(self.program).display(), self.line)
    }

    /// Starts the job.
    ///
    /// # Panics
    /// Panics if the program cannot be started.
    #[must_use]
    pub fn start(&self, folder: &Path) -> Child {
        let mut command = self.command(folder);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().expect("starting a program")
    }

    /// Runs the job to its end.
    #[must_use]
    pub fn finish(&self, folder: &Path) -> (Option<i32>, String) {
        finish(&mut self.command(folder))
    }

    /// Returns the folder of an undisturbed run, and the time that it took. The process runs it
    /// only once, and every caller gets a copy.
    ///
    /// # Panics
    /// Panics if the run fails.
    #[must_use]
    pub fn undisturbed(&self) -> (TempDir, Duration) {
        static RUNS: [OnceLock<(Files, Duration)>; JOBS.len()] =
            [const { OnceLock::new() }; JOBS.len()];
        let place = JOBS.iter().position(|job| job.name == self.name).expect("a job");
        let (files, took) = RUNS[place].get_or_init(|| self.run_undisturbed());
        (filled(files), *took)
    }

    fn run_undisturbed(&self) -> (Files, Duration) {
        let folder = prepared();
        let started = Instant::now();
        let (code, text) = self.finish(folder.path());
        assert_eq!(code, Some(0), "{}: {text}", self.name);
        let took = started.elapsed();
        let left = leftovers(folder.path());
        assert!(left.is_empty(), "{}: {left:?}", self.name);
        (tree(folder.path()), took)
    }

    /// Returns the job's results in a folder, by path. These are all of its files except those that
    /// depend on the time spent, or on the place of an interruption.
    #[must_use]
    pub fn results(&self, folder: &Path) -> Files {
        const OTHER: [&str; 7] = [
            ".lock",
            "checkpoint.safetensors",
            "cpu.json",
            "generation.json",
            "generations.csv",
            "generations.svg",
            "metrics.svg",
        ];
        let mut files = tree(&folder.join(self.out));
        files.retain(|path, _| !OTHER.iter().any(|name| path.ends_with(name)));
        files
    }
}

/// Returns the files in a folder and its subfolders, by path in the folder. The result is empty if
/// the folder does not exist.
#[must_use]
pub fn tree(folder: &Path) -> Files {
    let mut files = Files::new();
    for path in paths(folder) {
        let bytes = fs::read(&path).expect("reading a file");
        let name = path.strip_prefix(folder).expect("a path in the folder").to_owned();
        files.insert(name, bytes);
    }
    files
}

/// Creates a folder with these files.
///
/// # Panics
/// Panics if the file system fails.
#[must_use]
pub fn filled(files: &Files) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder");
        fs::write(path, bytes).expect("a temporary file");
    }
    folder
}

/// Returns the files in a folder and its subfolders. The result is empty if the folder does not
/// exist.
#[must_use]
pub fn paths(folder: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return paths };
    for entry in entries {
        let path = entry.expect("reading a folder").path();
        if path.is_dir() { paths.extend(self::paths(&path)) } else { paths.push(path) }
    }
    paths.sort();
    paths
}

/// Returns the files that only a running or a disturbed run has.
#[must_use]
pub fn leftovers(folder: &Path) -> Vec<PathBuf> {
    let mut paths = paths(folder);
    paths.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.contains(".tmp") || name.ends_with(".part")
    });
    paths
}

/// Returns the games that are safely on disk while no process writes: those of every shard, by its
/// finished name.
///
/// # Panics
/// Panics if a shard cannot be read: only this project's programs wrote it.
#[must_use]
pub fn games_on_disk(folder: &Path) -> BTreeMap<PathBuf, BTreeSet<u64>> {
    let mut games = BTreeMap::new();
    for path in paths(folder) {
        let Some(finished) = unfinished(&path) else { continue };
        let header = shard::read_part_header(&path).expect("a part of a shard");
        // A part without a complete header has no games.
        let Some(header) = header else { continue };
        match ShardWriter::open(&finished, &header).expect("a shard that nobody writes") {
            Opened::Unfinished(writer) => drop(games.insert(finished, writer.games().collect())),
            Opened::Complete => {}
        }
    }
    games
}

/// Returns the name that an unfinished shard will have.
fn unfinished(path: &Path) -> Option<PathBuf> {
    let name = path.to_str()?.strip_suffix(".part")?;
    name.ends_with(EXTENSION).then(|| name.into())
}

/// Returns the number of disturbances for each kind of work: `FAULTS` if it is set, else `few`.
///
/// # Panics
/// Panics if `FAULTS` is not a number.
#[must_use]
pub fn faults(few: u32) -> u32 {
    std::env::var("FAULTS").map_or(few, |text| text.parse().expect("FAULTS is a number"))
}
