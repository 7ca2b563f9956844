//! `fusion-selfplay measure`

use std::io::{Write, stdout};
use std::path::PathBuf;

use clap::Args;
use fusion_engine::fusion::FusionGame;
use fusion_engine::model::Model;
use fusion_selfplay::cluster;
use fusion_selfplay::measure;
use fusion_selfplay::openings::Pool;
use fusion_selfplay::runner::{Shard, already_complete};
use fusion_selfplay::stop::Stop;

use super::{Common, Sharding, network_or, path_or, set};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    sharding: Sharding,
    /// Folder of the shards and results [default: measure in the study's folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The pool of openings [default: openings.csv in the study's folder]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Network file, or uniform, material or rollout [default: the study's best network]
    #[arg(long)]
    network: Option<String>,
    /// A rule set to measure; may be repeated
    #[arg(long)]
    rules: Vec<String>,
    /// Nodes of each move; several budgets are joined by commas
    #[arg(long, value_delimiter = ',')]
    nodes: Vec<u32>,
    /// Plies after which a game is stopped without a result
    #[arg(long)]
    cap: Option<u32>,
}

impl Arguments {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let study = self.common.study()?;
        let study = study.as_ref();
        let mut config = study.map(|study| study.measure.clone()).unwrap_or_default();
        set(&mut config.shards, self.sharding.shards);
        set(&mut config.cap, self.cap);
        if !self.rules.is_empty() {
            config.rules = self.rules;
        }
        if !self.nodes.is_empty() {
            config.nodes = self.nodes;
        }
        config.check::<FusionGame>()?;
        let out = path_or(self.out, study, "measure", "--out")?;
        let pool = Pool::open(&path_or(self.openings, study, "openings.csv", "--openings")?)?;
        let model = Model::open::<FusionGame>(&network_or(self.network, study, "--network")?)?;
        let shards = self.sharding.shard.resolve(config.shards)?;
        let seed = self.common.seed(study);
        let threads = cluster::pool(self.common.threads)?;
        let stop = Stop::on_signals()?;
        let outcomes = threads.install(|| {
            measure::run::<FusionGame>(&config, &pool, &model, seed, &out, shards, &stop)
        })?;
        if outcomes.iter().all(|(_, shard)| *shard == Shard::AlreadyComplete) {
            writeln!(stdout(), "{}", already_complete(&out))?;
        }
        let missing = measure::assemble_if_whole(&out, measure::write_pgn)?;
        if missing.is_empty() {
            writeln!(stdout(), "results in {}", out.join("games.csv").display())?;
        } else {
            writeln!(stdout(), "shards still missing: {}", cluster::ranges(&missing))?;
        }
        Ok(())
    }
}
