//! Options that several commands share.

use std::fmt::Display;
use std::ops::Range;
use std::path::{Path, PathBuf};

use fusion_game::CompleteGame;
use fusion_jobs::cluster::{self, ShardChoice};
use fusion_jobs::exit::Failure;
use fusion_jobs::runner::{Shard, already_complete};
use fusion_registry::KnownGame;
use fusion_runner::provenance;
use fusion_search::SearchConfig;
use fusion_study::{Study, room_for};

/// Options of every command that plays.
#[derive(Debug, clap::Args)]
pub(super) struct Common {
    /// Study file with the settings
    #[arg(long, value_name = "FILE")]
    pub(super) study: Option<PathBuf>,
    /// Seed of everything random [default: the study's, else 1]
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// Games played at a time [default: the scheduler's cores, else all]
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
}

/// Options of runs that are split into shards.
#[derive(Debug, clap::Args)]
pub(super) struct Sharding {
    /// Shard to make: a number from 0, or auto for the number that a scheduler gives this
    /// task (HQ_TASK_ID, SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX, PBS_ARRAY_INDEX,
    /// SGE_TASK_ID) and, without one, for all shards in turn, or all for all shards
    #[arg(long, value_name = "N|auto", default_value = "auto")]
    pub(super) shard: ShardChoice,
    /// Number of shards of the run [default: the study's, else 1]
    #[arg(long, value_name = "N")]
    pub(super) shards: Option<u32>,
}

/// Options of runs whose shards are joined to results.
#[derive(Debug, clap::Args)]
pub(super) struct Joining {
    #[command(flatten)]
    sharding: Sharding,
    /// Play nothing: write the results of shards that are all finished, as a task that plays one of
    /// several shards does not
    #[arg(long, conflicts_with_all = ["shard", "threads"])]
    merge: bool,
}

impl Joining {
    /// Returns the number of shards of the run, if it is given.
    pub(super) fn shards(&self) -> Option<u32> {
        self.sharding.shards
    }

    /// Plays the shards of this process by `play`, unless it only merges. Returns whether the results
    /// are to be written: by a merge, and by a process that plays all shards.
    pub(super) fn play(
        &self,
        shards: u32,
        out: &Path,
        say: impl Fn(&dyn Display),
        play: impl FnOnce(Range<u32>) -> anyhow::Result<Vec<(u32, Shard)>>,
    ) -> anyhow::Result<bool> {
        if self.merge {
            return Ok(true);
        }
        let mine = self.sharding.shard.resolve(shards)?;
        let all = mine == (0..shards);
        let outcomes = play(mine)?;
        if outcomes.iter().all(|(_, shard)| *shard == Shard::AlreadyComplete) {
            say(&already_complete(out));
        }
        if !all {
            let numbers: Vec<u32> = outcomes.iter().map(|(number, _)| *number).collect();
            let numbers = cluster::ranges(&numbers);
            say(&format_args!("shard {numbers} of {shards} is whole; --merge joins all"));
        }
        Ok(all)
    }
}

impl Common {
    pub(super) fn study<G: CompleteGame>(&self) -> anyhow::Result<Option<Study>> {
        self.study.as_deref().map(Study::open::<G>).transpose()
    }

    /// Returns the game to play: that of the first of these rule sets, else that of the study.
    pub(super) fn game(&self, rules: &[String]) -> anyhow::Result<KnownGame> {
        match (rules.first(), &self.study) {
            (Some(rules), _) => Ok(KnownGame::of_rules(rules)),
            (None, Some(study)) => Ok(Study::read(study)?.game()),
            (None, None) => Ok(KnownGame::default()),
        }
    }

    /// Checks that earlier results in the study's folder were made with what the study names now, unless
    /// options replace some of it.
    ///
    /// # Errors
    /// Fails if they were not, and names the keys (exit code 64).
    pub(super) fn check_results<G: CompleteGame>(
        &self,
        study: Option<&Study>,
        replaced: bool,
    ) -> anyhow::Result<()> {
        match study.filter(|_| !replaced && self.seed.is_none()) {
            Some(study) => provenance::check::<G>(study),
            None => Ok(()),
        }
    }

    pub(super) fn seed(&self, study: Option<&Study>) -> u64 {
        self.seed.or(study.map(|study| study.study.seed)).unwrap_or(1)
    }
}

/// Returns the path from an option, else one inside the study's folder.
pub(super) fn path_or(
    given: Option<PathBuf>,
    study: Option<&Study>,
    inside: &str,
    option: &str,
) -> Result<PathBuf, Failure> {
    given
        .or_else(|| study.map(|study| study.out().join(inside)))
        .ok_or_else(|| Failure::usage(format!("give {option} or --study")))
}

/// Returns the network or evaluator from an option, else the study's best network.
pub(super) fn network_or(
    given: Option<String>,
    study: Option<&Study>,
    option: &str,
) -> Result<String, Failure> {
    let best = |study: &Study| path_text(&study.network());
    given.or_else(|| study.map(best)).ok_or_else(|| {
        Failure::usage(format!(
            "give {option} or --study: uniform, material, rollout or a network file, or pvs: and one \
             of these"
        ))
    })
}

pub(super) fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Returns the search with room in its tree for `nodes` nodes, unless a study sets the size of the
/// tree.
pub(super) fn with_room(search: SearchConfig, study: Option<&Study>, nodes: u32) -> SearchConfig {
    if study.is_some() {
        return search;
    }
    SearchConfig { max_nodes: search.max_nodes.max(room_for(nodes)), ..search }
}

/// An option, the key of a study that it replaces, and whether the option was given.
pub(super) type Replaced = (&'static str, &'static str, bool);

/// Names an error's key by its option, if that was given or there is no study.
pub(super) fn by_option<T>(
    checked: Result<T, Failure>,
    study: Option<&Study>,
    options: &[Replaced],
) -> Result<T, Failure> {
    checked.map_err(|error| {
        let named = options
            .iter()
            .find(|(_, key, given)| (*given || study.is_none()) && error.key() == *key);
        match named {
            Some((option, ..)) => error.with_key(option),
            None => error,
        }
    })
}

/// Replaces a setting if its option was given.
pub(super) fn set<T>(setting: &mut T, option: Option<T>) {
    if let Some(value) = option {
        *setting = value;
    }
}

/// Parses `FROM-TO` or a single number of plies.
pub(super) fn parse_plies(text: &str) -> Result<(u32, u32), String> {
    let number =
        |text: &str| text.trim().parse().map_err(|_| format!("`{text}` is no number of plies"));
    match text.split_once('-') {
        Some((from, to)) => Ok((number(from)?, number(to)?)),
        None => number(text).map(|plies| (plies, plies)),
    }
}
