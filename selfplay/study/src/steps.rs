//! The steps of a study, from training to the report: one list for this machine and for schedulers.
//!
//! A step is a command. Its tasks are independent of one another and may run at the same time on
//! several machines. Files say what is done, so the list can be made anywhere at any time.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use fusion_game::CompleteGame;
use fusion_jobs::cluster;
use fusion_jobs::exit::Failure;
use fusion_jobs::plain;
use fusion_jobs::shard;
use serde::Serialize;

use super::{
    EvaluatorKind, FORCED, Measurement, PROGRAM, RANDOM, RandomConfig, Study, TECHNIQUE,
    is_time_over, seconds_trained,
};

/// The program that trains, beside the program `fusion`.
pub const TRAINER: &str = "fusion-train";
/// File with the outcome of a generation, its last one.
pub const OUTCOME: &str = "generation.json";
/// Folder of the training loop in the study's folder.
pub const TRAIN: &str = "train";
/// Most cores that a learner can use. Its steps hardly use a second one; the games of its gate use all.
const LEARNER_CORES: u64 = 16;
/// Most cores that a step can use whose number of games is not known here.
const MANY_CORES: u64 = 64;

/// A step of a study.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// Name, such as `measure` or `generation-003/games`.
    pub name: String,
    /// What it does, for people.
    pub title: String,
    /// Program and arguments. A task with a scheduler's number does its part, without one all parts.
    pub command: Vec<String>,
    /// Names of the steps that must be done before.
    pub after: Vec<String>,
    /// Number of tasks.
    pub tasks: u32,
    /// Most cores that a task can use.
    pub cores: u64,
    /// Whether it uses a GPU if there is one.
    pub gpu: bool,
    /// File or folder of the result.
    pub result: PathBuf,
    /// Whether the command takes `--shard`.
    #[serde(skip)]
    pub sharded: bool,
    #[serde(skip)]
    done: Done,
}

/// How files show that a step is done.
#[derive(Clone, Debug)]
enum Done {
    /// All of these exist.
    Exist(Vec<PathBuf>),
    /// All shards of a run of this many games exist, and its results if this process writes them.
    /// If the `instead` file exists, its step has used them up.
    Shards {
        folder: PathBuf,
        kind: &'static str,
        games: u64,
        results: Option<PathBuf>,
        instead: Option<PathBuf>,
    },
    /// A `measure.json` is of this many games.
    Measured(PathBuf, u64),
    /// A training loop has used its minutes.
    Trained(PathBuf, f64),
    /// A CSV file has at least this many rows.
    Rows(PathBuf, u64),
    /// A file exists and is not older than these, of which the missing ones do not count.
    Newer(PathBuf, Vec<PathBuf>),
}

impl Step {
    /// Returns the numbers of the tasks that are not done.
    #[must_use]
    pub fn missing(&self) -> Vec<u32> {
        let whole = |done: bool| if done { Vec::new() } else { (0..self.tasks).collect() };
        match &self.done {
            Done::Exist(files) => whole(files.iter().all(|file| file.exists())),
            Done::Rows(file, rows) => whole(has_rows(file, *rows)),
            Done::Newer(file, sources) => {
                let latest = sources.iter().filter_map(|path| modified(path)).max();
                whole(modified(file).is_some_and(|made| latest.is_none_or(|latest| latest <= made)))
            }
            Done::Measured(file, games) => whole(is_measured(file, *games)),
            Done::Trained(loop_folder, minutes) => {
                whole(is_time_over(*minutes, seconds_trained(loop_folder)))
            }
            Done::Shards { instead: Some(file), .. } if file.exists() => Vec::new(),
            Done::Shards { folder, kind, games, results, .. } => {
                let path = |&number: &u32| folder.join(shard::file_name(kind, number, self.tasks));
                let is_missing = |number: &u32| !is_of_run(&path(number), *games);
                let missing: Vec<u32> = (0..self.tasks).filter(is_missing).collect();
                match results {
                    Some(file) if missing.is_empty() => whole(is_measured(file, *games)),
                    _ => missing,
                }
            }
        }
    }

    /// Returns the files that show that the step is done.
    fn results(&self) -> Vec<PathBuf> {
        match &self.done {
            Done::Exist(files) => files.clone(),
            Done::Rows(file, _)
            | Done::Newer(file, _)
            | Done::Measured(file, _)
            | Done::Trained(file, _) => vec![file.clone()],
            Done::Shards { results, .. } => results.iter().cloned().collect(),
        }
    }

    /// Returns whether the step belongs to the training of a network, the ladder included.
    #[must_use]
    pub fn is_training(&self) -> bool {
        self.command.first().is_some_and(|program| program == TRAINER)
    }

    /// Returns the size in bytes of what unfinished tasks have saved.
    #[must_use]
    pub fn saved(&self) -> u64 {
        let Done::Shards { folder, kind, .. } = &self.done else { return 0 };
        let part = |number| {
            let finished = folder.join(shard::file_name(kind, number, self.tasks));
            fs::metadata(shard::part_path(&finished)).map_or(0, |data| data.len())
        };
        (0..self.tasks).map(part).sum()
    }
}

/// Returns whether a file is the `measure.json` of a measurement with this many games.
fn is_measured(path: &Path, games: u64) -> bool {
    let value =
        plain::read(path, plain::SMALL).ok().and_then(|text| serde_json::from_slice(&text).ok());
    value.is_some_and(|value: serde_json::Value| value["games"] == games)
}

/// Returns whether a finished shard is one of a run with this many games: the same run with fewer
/// games is another one. Whether it is undamaged is left to the step that reads it.
fn is_of_run(path: &Path, games: u64) -> bool {
    matches!(cluster::read_header(path), Ok(Some(header)) if header.games == games)
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|data| data.modified()).ok()
}

fn has_rows(path: &Path, rows: u64) -> bool {
    let Ok(file) = plain::open(path) else { return false };
    // One line is the header.
    BufReader::new(file).lines().map_while(Result::ok).count() as u64 > rows
}

/// Returns the folder of a generation in the folder of its loop.
///
/// ```
/// use std::path::Path;
///
/// let folder = fusion_study::generation_folder(Path::new("runs/castling/train"), 3);
/// assert_eq!(folder, Path::new("runs/castling/train/generation-003"));
/// ```
#[must_use]
pub fn generation_folder(training: &Path, number: u32) -> PathBuf {
    training.join(format!("generation-{number:03}"))
}

impl Study {
    /// Returns the steps in an order in which they can be done. `file` is the study's file for the
    /// commands. With `programs`, these may start the programs that the study names.
    ///
    /// # Errors
    /// Fails if the game does not define a rule set (exit codes 64 to 66).
    ///
    /// # Examples
    /// ```
    /// use fusion_registry::{KnownGame, for_game};
    /// use fusion_study::Study;
    /// use std::path::Path;
    ///
    /// let study = Study::parse("study.name = \"castling\"\nmeasure.shards = 4")?;
    /// let game = KnownGame::of_rules(study.measure.first_rules());
    /// let steps = for_game!(game, G => study.steps::<G>(Path::new("castling.toml"), false))?;
    /// let names: Vec<&str> = steps.iter().map(|step| &*step.name).collect();
    /// assert_eq!(names, ["match", "openings", "measure", "measure/merge", "report"]);
    /// let measure = &steps[2];
    /// assert_eq!(measure.tasks, 4);
    /// assert_eq!(measure.command.join(" "), "fusion measure --study castling.toml --only measure");
    /// assert_eq!(measure.after, ["openings"]);
    /// assert_eq!(measure.missing(), [0, 1, 2, 3]);
    /// # Ok::<(), fusion_jobs::exit::Failure>(())
    /// ```
    pub fn steps<G: CompleteGame>(
        &self,
        file: &Path,
        programs: bool,
    ) -> Result<Vec<Step>, Failure> {
        let out = self.out();
        let file = file.to_string_lossy().into_owned();
        let mut list = List { study: self, out, file, programs, steps: Vec::new() };
        list.training();
        let trained = list.last_name();
        list.matches::<G>(&trained)?;
        list.endgames();
        list.openings(&trained);
        list.measurements::<G>()?;
        list.random::<G>()?;
        list.facts::<G>(&trained)?;
        list.report();
        Ok(list.steps)
    }
}

/// The list while it is made.
struct List<'a> {
    study: &'a Study,
    out: PathBuf,
    file: String,
    programs: bool,
    steps: Vec<Step>,
}

impl List<'_> {
    /// Returns the name of the last step, if there is one: what needs the trained network comes
    /// after it.
    fn last_name(&self) -> Vec<String> {
        self.steps.last().map(|step| step.name.clone()).into_iter().collect()
    }

    /// Adds a step with one task of one core, after these steps.
    fn add(&mut self, name: &str, title: String, words: &[&str], after: &[String], done: Done) {
        let mut command: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        if self.programs && ["match", "ladder"].contains(&name) {
            command.push("--allow-programs".to_owned());
        }
        let result = match &done {
            Done::Exist(files) => files.first().cloned().unwrap_or_default(),
            Done::Rows(file, _)
            | Done::Newer(file, _)
            | Done::Measured(file, _)
            | Done::Trained(file, _) => file.clone(),
            Done::Shards { folder, results, .. } => {
                results.clone().unwrap_or_else(|| folder.clone())
            }
        };
        self.steps.push(Step {
            name: name.to_owned(),
            title,
            command,
            after: after.to_vec(),
            tasks: 1,
            cores: 1,
            gpu: false,
            result,
            sharded: false,
            done,
        });
    }

    /// Changes the step that was added last.
    fn change_last(&mut self, change: impl FnOnce(&mut Step)) {
        if let Some(step) = self.steps.last_mut() {
            change(step);
        }
    }

    fn training(&mut self) {
        if self.study.network.file.is_some() {
            return;
        }
        match self.study.train.number_of_generations() {
            Some(number) => self.generations(number),
            None => self.timed_training(),
        }
        if self.study.ladder.is_some() {
            let done = Done::Exist(vec![self.out.join(TRAIN).join("ladder.csv")]);
            let file = self.file.clone();
            let (words, before) = ([TRAINER, "ladder", &file], self.last_name());
            self.add("ladder", "the generations on one scale".into(), &words, &before, done);
            self.change_last(|step| step.cores = MANY_CORES);
        }
    }

    /// Adds the loop as one step, since only the loop says how many generations there are.
    fn timed_training(&mut self) {
        let minutes = self.study.train.minutes.unwrap_or_default();
        let done = Done::Trained(self.out.join(TRAIN), minutes);
        let (title, file) = (format!("training for {minutes} minutes"), self.file.clone());
        self.add(TRAIN, title, &[TRAINER, "loop", &file], &[], done);
        self.change_last(|step| {
            step.cores = MANY_CORES;
            step.gpu = true;
        });
    }

    fn generations(&mut self, generations: u32) {
        let (file, training) = (self.file.clone(), self.out.join(TRAIN));
        let learning = |number: u32| format!("generation-{number:03}/learn");
        for number in 0..generations {
            let folder = generation_folder(&training, number);
            let text = number.to_string();
            let name = |part: &str| format!("generation-{number:03}/{part}");
            let selfplay = self.study.selfplay_of(number);
            let words = [TRAINER, "generate", &file, "--generation", &text];
            let games = Done::Shards {
                folder: folder.join("games"),
                kind: "games",
                games: selfplay.games,
                results: None,
                instead: Some(folder.join(OUTCOME)),
            };
            let learnt = number.checked_sub(1 + self.study.train.lag);
            let before: Vec<String> = learnt.map(learning).into_iter().collect();
            self.add(&name("games"), format!("generation {number}: games"), &words, &before, games);
            self.change_last(|step| {
                step.tasks = selfplay.shards;
                step.cores = selfplay.games.div_ceil(u64::from(selfplay.shards.max(1)));
                // What plays generation 0 was not trained by libtorch.
                step.gpu = learnt.is_some() && selfplay.evaluator == EvaluatorKind::Torch;
                step.sharded = true;
            });
            let words = [TRAINER, "learn", &file, "--generation", &text];
            let mut before = vec![name("games")];
            if self.study.train.lag > 0 {
                before.extend(number.checked_sub(1).map(learning));
            }
            let done = Done::Exist(vec![folder.join(OUTCOME)]);
            self.add(
                &learning(number),
                format!("generation {number}: learning"),
                &words,
                &before,
                done,
            );
            self.change_last(|step| {
                step.cores = LEARNER_CORES;
                step.gpu = true;
            });
        }
    }

    fn matches<G: CompleteGame>(&mut self, after: &[String]) -> Result<(), Failure> {
        let matches = self.study.all_matches::<G>()?;
        let games = matches.iter().map(|(_, config)| config.games).max().unwrap_or(1);
        let result = |(folder, _): &(PathBuf, _)| self.out.join(folder).join("strength.json");
        let done = Done::Exist(matches.iter().map(result).collect());
        let file = self.file.clone();
        let words = ["fusion", "match", "--study", &file];
        self.add("match", "how strong the network is: matches".into(), &words, after, done);
        self.change_last(|step| step.cores = games);
        Ok(())
    }

    fn endgames(&mut self) {
        let endings = self.study.endgames.as_ref();
        // Endings of two components need no table.
        if !endings.is_some_and(|list| list.components > 2 || !list.endings.is_empty()) {
            return;
        }
        let done = Done::Exist(vec![self.out.join("endgames.csv")]);
        let file = self.file.clone();
        let words = ["fusion", "endgames", "build", "--study", &file];
        self.add("endgames", "exact endgames".into(), &words, &[], done);
        self.change_last(|step| {
            step.cores = MANY_CORES;
            step.sharded = true;
        });
    }

    fn openings(&mut self, after: &[String]) {
        let count = self.study.openings.count;
        let done = Done::Rows(self.out.join("openings.csv"), u64::from(count));
        let title = "openings that are legal in every rule set".to_owned();
        let file = self.file.clone();
        self.add("openings", title, &["fusion", "openings", "--study", &file], after, done);
        self.change_last(|step| step.cores = u64::from(count));
    }

    fn measurements<G: CompleteGame>(&mut self) -> Result<(), Failure> {
        let file = self.file.clone();
        for Measurement { name, folder, config } in self.study.measurements() {
            let label = folder.to_string_lossy().into_owned();
            let folder = self.out.join(&folder);
            let openings = config.games.unwrap_or(self.study.openings.count);
            let arms = config.arms::<G>()?.len() as u64;
            let games = arms * config.nodes.len() as u64 * u64::from(openings);
            let results = folder.join("measure.json");
            let merges = config.shards > 1;
            let done = Done::Shards {
                folder,
                kind: "measure",
                games,
                results: (!merges).then(|| results.clone()),
                instead: None,
            };
            let words = ["fusion", "measure", "--study", &file, "--only", &name];
            let mut after = vec!["openings".to_owned()];
            // The tables that it probes may be the study's own.
            let endgames = "endgames".to_owned();
            if config.tables().is_some() && self.steps.iter().any(|step| step.name == endgames) {
                after.push(endgames);
            }
            self.add(&label, format!("measurement games: {name}"), &words, &after, done);
            let starts = config.network.is_some_and(|text| text.starts_with(PROGRAM));
            let allowed = self.programs && starts;
            self.change_last(|step| {
                step.command.extend(allowed.then(|| "--allow-programs".to_owned()));
                step.tasks = config.shards;
                step.cores = games.div_ceil(u64::from(config.shards.max(1)));
                step.sharded = true;
            });
            if merges {
                let done = Done::Measured(results, games);
                let words = [&words[..], &["--merge"]].concat();
                let title = format!("results of the measurement: {name}");
                self.add(
                    &format!("{label}/merge"),
                    title,
                    &words,
                    std::slice::from_ref(&label),
                    done,
                );
            }
        }
        Ok(())
    }

    /// Adds what is measured of a game itself.
    fn facts<G: CompleteGame>(&mut self, after: &[String]) -> Result<(), Failure> {
        let (study, file) = (self.study, self.file.clone());
        if study.forced.is_some() {
            let done = Done::Exist(vec![self.out.join(FORCED).with_extension("csv")]);
            let title = "forced wins from the start".to_owned();
            self.add(FORCED, title, &["fusion", FORCED, "--study", &file], after, done);
            let arms = study.measure.arms::<G>()?.len();
            self.change_last(|step| step.cores = arms as u64);
        }
        if study.technique.is_some() {
            let folder = self.out.join(TECHNIQUE);
            let done = Done::Exist(vec![folder.join("technique.csv")]);
            let words = ["fusion", TECHNIQUE, "--study", &file];
            self.add(TECHNIQUE, "what small forces win".into(), &words, after, done);
            self.change_last(|step| {
                step.cores = MANY_CORES;
                step.sharded = true;
            });
        }
        Ok(())
    }

    fn random<G: CompleteGame>(&mut self) -> Result<(), Failure> {
        let (study, file) = (self.study, self.file.clone());
        let Some((config, planned)) = study.random.as_ref().zip(study.random_rules::<G>()?) else {
            return Ok(());
        };
        let name = RANDOM;
        let folder = self.out.join(name);
        // A shard consists of blocks of games.
        let blocks = planned.0.len() as u64 * planned.1.div_ceil(RandomConfig::BLOCK);
        let joined = Done::Exist(vec![folder.join("random.csv")]);
        let shards =
            Done::Shards { folder, kind: name, games: blocks, results: None, instead: None };
        let words = ["fusion", "random", "--study", &file];
        let merges = config.shards > 1;
        let done = if merges { shards } else { joined.clone() };
        self.add(name, "random movers".into(), &words, &[], done);
        self.change_last(|step| {
            step.tasks = config.shards;
            step.cores = blocks.div_ceil(u64::from(config.shards.max(1)));
            step.sharded = true;
        });
        if merges {
            let words = [&words[..], &["--merge"]].concat();
            let title = "results of the random movers".to_owned();
            self.add(&format!("{name}/merge"), title, &words, &[name.to_owned()], joined);
        }
        Ok(())
    }

    fn report(&mut self) {
        let followed: BTreeSet<String> =
            self.steps.iter().flat_map(|step| step.after.clone()).collect();
        let names = self.steps.iter().map(|step| step.name.clone());
        let after: Vec<String> = names.filter(|name| !followed.contains(name)).collect();
        let mut results: Vec<PathBuf> = self.steps.iter().flat_map(Step::results).collect();
        results.push(self.out.join("study.toml"));
        let done = Done::Newer(self.out.join("report.html"), results);
        let folder = self.out.to_string_lossy().into_owned();
        self.add("report", "report".into(), &["fusion", "report", &folder], &after, done);
    }
}
