//! `fusion forced`

use std::path::PathBuf;

use fusion_game::CompleteGame;
use fusion_jobs::cluster;
use fusion_jobs::exit::Failure;
use fusion_jobs::stop::Stop;
use fusion_print::table::{Fields, Table};
use fusion_registry::KnownGame;
use fusion_runner::forced::{self, ForcedRow};
use fusion_study::{Searcher, rule_sets};

use super::common::{Common, network_or, path_or};
use super::output::Output;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Folder of forced.csv [default: the study's folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Evaluator of the alpha-beta search: pvs: and a network file or material. The network of a tree search
    /// is replaced by pvs:material [default: the study's network]
    #[arg(long, value_name = "NETWORK")]
    network: Option<String>,
    /// A rule set; may be repeated [default: those that the study measures]
    #[arg(long)]
    rules: Vec<String>,
    /// Positions that the search of each initial position visits [default: the study's, else 5,000,000]
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    #[command(flatten)]
    output: Output,
}

impl Args {
    /// Returns the game to play.
    pub fn game(&self) -> anyhow::Result<KnownGame> {
        self.common.game(&self.rules)
    }

    /// Searches the initial positions and writes the table.
    pub fn run<G: CompleteGame>(self) -> anyhow::Result<()> {
        let study = self.common.study::<G>()?;
        let study = study.as_ref();
        let replaced = self.out.is_some() || self.network.is_some();
        self.common.check_results::<G>(study, replaced)?;
        let planned = study.and_then(|study| study.forced.clone()).unwrap_or_default();
        let nodes = self.nodes.unwrap_or(planned.nodes);
        if nodes == 0 {
            return Err(Failure::usage("--nodes must be at least 1").into());
        }
        let network = network_or(self.network, study, "--network")?;
        let out = path_or(self.out, study, "", "--out")?;
        let rules = match study {
            Some(study) if self.rules.is_empty() => study.measure.arms::<G>()?,
            None if self.rules.is_empty() => {
                return Err(Failure::usage("give --rules or --study").into());
            }
            _ => self.rules,
        };
        let player = Searcher::open::<G>(&network, &rule_sets::<G>(&rules)?)?;
        let pool = cluster::pool(self.common.threads)?;
        let stop = Stop::on_signals()?;
        let rows = pool.install(|| forced::run::<G>(&rules, &player, nodes, &stop))?;
        std::fs::create_dir_all(&out)?;
        forced::write(&out.join(forced::file_name()), &rows)?;
        self.output.print_table(table(&rows));
        Ok(())
    }
}

fn table(rows: &[ForcedRow]) -> Table {
    Fields::<ForcedRow>::default()
        .text("rules", "rules", |row| row.rules.clone())
        .count("start", "start", |row| row.start)
        .count("nodes", "nodes", |row| row.nodes)
        .count("depth", "depth", |row| u64::try_from(row.depth).unwrap_or_default())
        .text("winner", "forced win", |row| {
            row.winner.clone().unwrap_or_else(|| "none found".into())
        })
        .count("plies", "plies", |row| row.plies.and_then(|plies| u64::try_from(plies).ok()))
        .text("line", "best line", |row| row.line.clone())
        .whole_table("forced", "Forced wins from the initial position", rows)
        .droppable("line depth start")
}
