//! What the parts of a study take, as measured by trials or taken from constants.

use super::Cluster;
use fusion_study::{
    Measurement, NetworkConfig, RANDOM, SelfplayConfig, Step, Study, TRAIN, TrainConfig,
};
use std::collections::BTreeMap;
use std::ops::Range;

/// Seconds between the starts of two tasks: Slurm with two nodes, on one machine of two cores, started
/// a task every 0.24 seconds.
pub(super) const START: f64 = 0.24;
/// Seconds in which a merge reads a game and writes its row, measured with 10,000 games of chess in 200
/// shards on one machine.
pub(super) const MERGED_GAME: f64 = 7e-4;
/// Seconds in which a merge opens a shard on a file system of many nodes: an assumption.
pub(super) const OPENED_SHARD: f64 = 5e-3;
/// Seconds of a learner's step, however large its batch: a part for every network, and one for each
/// unit of its width. Measured on one core with chess and networks of the tree search, and taken for those
/// of the alpha-beta search, too: docs/training.md. A second core saved little.
const STEP: (f64, f64) = (3e-3, 5.9e-5);
/// Seconds of a position in a step, in the same two parts.
const POSITION: (f64, f64) = (3.4e-6, 3.6e-8);
/// Seconds of a report, and for each game in it, measured with the same games.
const REPORT: (f64, f64) = (3.0, 1.3e-3);
/// Openings that are searched for each one that is kept: an assumption.
const CANDIDATES: f64 = 2.0;
/// The longest of many games, in multiples of the mean.
const LONGEST: f64 = 3.0;

/// The measured rates of a study's games.
#[derive(Clone, Debug)]
pub struct Rates {
    /// Number of games and core seconds of each, by the name of the kind of games.
    pub games: BTreeMap<String, (u64, f64)>,
    /// Rates of training games.
    pub training: Option<Training>,
    /// Core seconds of a ply and node in the measurement.
    pub node: f64,
    /// Core seconds of the endgame tables.
    pub tables: f64,
    /// Positions that a CPU learns in a second, counting each as often as it is learnt.
    pub learned: f64,
    /// Positions that a GPU learns in a second.
    pub learned_by_gpu: Option<f64>,
}

/// Rates of training games.
#[derive(Clone, Copy, Debug)]
pub struct Training {
    /// Plies of a game.
    pub plies: f64,
    /// Core seconds of a ply and node.
    pub node: f64,
}

/// The work of a step, in all its tasks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Load {
    /// Games, and core seconds of each. They are divided among tasks and cores.
    Games(f64, f64),
    /// Core seconds that are divided among the cores of the step's only task.
    Parallel(f64),
    /// Seconds of one core.
    Serial(f64),
    /// Seconds of learning with a GPU.
    Gpu(f64),
}

impl Load {
    /// Returns the seconds of one of several tasks with this number of cores, and the core seconds in
    /// which it computes.
    ///
    /// No core is idle in a task until its last games: the bound of list scheduling (Graham, "Bounds
    /// on multiprocessing timing anomalies", 1969).
    pub(super) fn of_task(self, tasks: u64, cores: u64) -> (f64, f64) {
        match self {
            Self::Games(games, seconds) => {
                let games = (games / tasks as f64).ceil();
                let busy = games * seconds;
                let longest = seconds * games.min(LONGEST);
                ((busy - longest) / cores as f64 + longest, busy)
            }
            Self::Parallel(busy) => (busy / cores as f64, busy),
            Self::Serial(seconds) | Self::Gpu(seconds) => (seconds, seconds),
        }
    }
}

impl Rates {
    /// Returns the work of a step. A ladder is not estimated and has none.
    pub(super) fn of(&self, study: &Study, step: &Step) -> Load {
        if let Some((generation, part)) = generation(&step.name) {
            return self.of_generation(study, generation, part, step.cores);
        }
        let of_games = |name: &str| self.games.get(name).copied().unwrap_or_default();
        let name = &*step.name;
        if let Some(of) = name.strip_suffix("/merge") {
            let (games, _) = of_games(&kind_of(study, of));
            return Load::Serial(merge_seconds(games, shards(study, of)));
        }
        match name {
            "match" => {
                let matches = self.games.iter().filter(|(name, _)| is_match(name));
                let (games, seconds) =
                    matches.fold((0.0, 0.0), |(all, busy), (_, &(games, each))| {
                        (all + games as f64, busy + games as f64 * each)
                    });
                Load::Games(games, seconds / games.max(1.0))
            }
            "openings" => {
                let config = &study.openings;
                let candidates = CANDIDATES * f64::from(config.count);
                Load::Games(candidates, f64::from(config.nodes) * self.node)
            }
            "endgames" => Load::Parallel(self.tables),
            TRAIN => Load::Serial(60.0 * study.train.minutes.unwrap_or_default()),
            "report" => {
                // Of random movers it reads the counts only.
                let read = self.games.iter().filter(|(name, _)| *name != RANDOM);
                let games: u64 = read.map(|(_, &(games, _))| games).sum();
                Load::Serial(REPORT.0 + REPORT.1 * games as f64)
            }
            _ => {
                let (games, seconds) = of_games(&kind_of(study, name));
                Load::Games(games as f64, seconds)
            }
        }
    }

    /// Returns the rates with the learner of a cluster.
    pub fn on(&self, cluster: &Cluster) -> Self {
        let mut rates = self.clone();
        match cluster.learned {
            Some(rate) if cluster.gpus > 0 => rates.learned_by_gpu = Some(rate),
            Some(rate) => rates.learned = rate,
            None => {}
        }
        rates
    }

    /// Returns the number of positions that some generations learn, each counted as often as it is
    /// learnt; `None` if the study trains no network.
    pub fn positions(&self, study: &Study, generations: Range<u32>) -> Option<f64> {
        let plies = self.training?.plies;
        let games: u64 = generations.map(|number| study.selfplay_of(number).games).sum();
        Some(games as f64 * plies * study.train.epochs)
    }

    fn of_generation(&self, study: &Study, generation: u32, part: &str, cores: u64) -> Load {
        let Some(training) = self.training else { return Load::Serial(0.0) };
        let selfplay = study.selfplay_of(generation);
        let games = selfplay.games as f64;
        let game = training.plies * training.node * mean_nodes(&selfplay);
        if part == "games" {
            return Load::Games(games, game);
        }
        let positions = self.positions(study, generation..generation + 1).unwrap_or(0.0);
        let gate = &study.train.gate;
        let gate = gate.games as f64 * training.plies * training.node * f64::from(gate.nodes);
        match self.learned_by_gpu {
            Some(rate) => Load::Gpu(positions / rate + gate / cores.max(1) as f64),
            None => Load::Serial(positions / self.learned + gate / cores.max(1) as f64),
        }
    }
}

/// Returns the generation and the part of it that a step's name has, as `generation-003/games` does.
pub(super) fn generation(step: &str) -> Option<(u32, &str)> {
    let (generation, part) = step.strip_prefix("generation-")?.split_once('/')?;
    Some((generation.parse().ok()?, part))
}

/// Returns the seconds of a merge.
pub(super) fn merge_seconds(games: u64, shards: u32) -> f64 {
    games as f64 * MERGED_GAME + f64::from(shards) * OPENED_SHARD
}

/// Returns the number of shards of a step.
fn shards(study: &Study, step: &str) -> u32 {
    if let Some(random) = study.random.as_ref().filter(|_| step == RANDOM) {
        return random.shards;
    }
    let parts = study.measurements();
    let part = parts.into_iter().find(|part| part.folder.to_string_lossy() == step);
    part.map_or(1, |part| part.config.shards)
}

/// Returns whether a kind of games is a match.
fn is_match(name: &str) -> bool {
    name == "strength" || name.starts_with("matches/")
}

/// Returns the name of a step's kind of games.
fn kind_of(study: &Study, step: &str) -> String {
    let parts = study.measurements();
    let part = parts.into_iter().find(|part| part.folder.to_string_lossy() == step);
    part.map_or_else(|| step.to_owned(), |Measurement { name, .. }| name)
}

/// Returns the positions that a CPU learns in a second.
pub fn learned(network: &NetworkConfig, train: &TrainConfig) -> f64 {
    let (width, batch) = (f64::from(network.hidden), f64::from(train.batch));
    let seconds = |(each, unit): (f64, f64)| each + unit * width;
    batch / (seconds(STEP) + batch * seconds(POSITION))
}

/// Returns the mean number of simulations of a ply.
pub fn mean_nodes(selfplay: &SelfplayConfig) -> f64 {
    let (full, fast) = (f64::from(selfplay.simulations), f64::from(selfplay.fast_simulations));
    selfplay.full_share * full + (1.0 - selfplay.full_share) * fast
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_waits_for_its_longest_game() {
        let games = Load::Games(1_600.0, 10.0);
        assert_eq!(games.of_task(10, 1), (1_600.0, 1_600.0));
        // 160 games of 10 seconds on 16 cores: at most 30 seconds for the last one.
        assert_eq!(games.of_task(10, 16), (1_570.0 / 16.0 + 30.0, 1_600.0));
        assert_eq!(Load::Games(3.0, 10.0).of_task(8, 16), (10.0, 10.0));
        assert_eq!(Load::Parallel(320.0).of_task(1, 16), (20.0, 320.0));
    }
    #[test]
    fn learners_are_as_fast_as_measured() {
        for (width, batch, measured) in [
            (64, 512, 50_940.0),
            (64, 2048, 108_731.0),
            (256, 512, 21_438.0),
            (256, 2048, 50_201.0),
            (512, 512, 11_422.0),
            (512, 2048, 25_603.0),
        ] {
            let text = format!("network.hidden = {width}\ntrain.batch = {batch}");
            let study = Study::parse(&format!("study.name = \"a\"\n{text}")).unwrap();
            let rate = learned(&study.network, &study.train);
            assert!((rate / measured - 1.0).abs() < 0.1, "{text}: {rate}");
        }
    }
}
