//! `fusion plan`

use super::common::game_of;
use super::output::Output;
use fusion_registry::for_game;
use fusion_report::plan;
use fusion_study::Study;
use std::path::PathBuf;
use std::time::Duration;

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
        let options = plan::Options { threads, calibration, allow_programs };
        let game = game_of(&Study::read(&self.study)?);
        self.output.print(&for_game!(game, G => plan::run::<G>(&self.study, options))?);
        Ok(())
    }
}
