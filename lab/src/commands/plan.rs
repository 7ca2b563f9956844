//! `fusion plan`

use super::output::Output;
use fusion_plan as plan;
use fusion_registry::for_game;
use fusion_study::Study;
use std::path::PathBuf;
use std::time::Duration;

/// Default of `--task-cores`.
const TASK_CORES: u64 = 16;

/// Arguments of `plan`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The study file
    #[arg(value_name = "FILE")]
    study: PathBuf,
    /// Games played at a time [default: the scheduler's cores, else all]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// How long to play a few games, from which the time of all is estimated
    #[arg(long, value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=3600))]
    calibration: u64,
    /// Play no games and estimate no time
    #[arg(long, conflicts_with = "calibration")]
    no_calibration: bool,
    /// Plan for a cluster with this many cores, too: what they do when, what limits them, which settings
    /// would help
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000), conflicts_with = "no_calibration")]
    cores: Option<u64>,
    /// With --cores: most cores of a task [default: 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024), requires = "cores")]
    task_cores: Option<u64>,
    /// With --cores: GPUs for learning, whose rate --learned gives
    #[arg(long, value_name = "N", requires = "cores", requires = "learned")]
    gpus: Option<u64>,
    /// With --cores: positions that the learner learns in a second, on a GPU if there is one
    /// [default: as measured on a CPU for the network's width and batch]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), requires = "cores")]
    learned: Option<u64>,
    /// Start the programs that the study's file names (uci:...) to estimate the time
    #[arg(long)]
    allow_programs: bool,
    #[command(flatten)]
    output: Output,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let calibration = (!self.no_calibration).then(|| Duration::from_secs(self.calibration));
        let Args { threads, allow_programs, .. } = self;
        let cluster = self.cores.map(|cores| plan::Cluster {
            cores,
            task_cores: self.task_cores.unwrap_or(TASK_CORES),
            gpus: self.gpus.unwrap_or(0),
            learned: self.learned.map(|rate| rate as f64),
        });
        let options = plan::Options { threads, calibration, cluster, allow_programs };
        let game = Study::read(&self.study)?.game();
        self.output.print(&for_game!(game, G => plan::run::<G>(&self.study, options))?);
        Ok(())
    }
}
