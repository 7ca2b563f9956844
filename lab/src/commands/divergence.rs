//! `fusion divergence`

use std::path::PathBuf;

use fusion_game::CompleteGame;
use fusion_jobs::atomic;
use fusion_jobs::cluster;
use fusion_jobs::stop::Stop;
use fusion_print::table::{Fields, Table, Unit};
use fusion_registry::KnownGame;
use fusion_runner::divergence::{self, DivergenceConfig, DivergenceRow};
use fusion_runner::openings::Pool;
use fusion_study::{Searcher, check_budget, rule_sets};

use super::common::{Common, network_or, path_or, with_room};
use super::output::Output;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// The pool of openings, whose positions are searched [default: openings.csv in the study's
    /// folder]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Network file of the tree search [default: the study's best network]
    #[arg(long, value_name = "NETWORK")]
    network: Option<String>,
    /// A rule set; may be repeated [default: those that the study measures]
    #[arg(long)]
    rules: Vec<String>,
    /// Nodes of each search; with 1, the network's own policy is compared
    #[arg(long, value_name = "N", default_value_t = 400)]
    nodes: u32,
    /// Also write the table to this CSV file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

impl Args {
    /// Returns the game to play.
    pub fn game(&self) -> anyhow::Result<KnownGame> {
        self.common.game(&self.rules)
    }

    pub fn run<G: CompleteGame>(self) -> anyhow::Result<()> {
        let study = self.common.study::<G>()?;
        let study = study.as_ref();
        let measure = study.map(|study| study.measure.clone()).unwrap_or_default();
        let search = with_room(measure.search, study, self.nodes);
        check_budget("measure.search", &search, "--nodes", self.nodes)?;
        let openings = path_or(self.openings, study, "openings.csv", "--openings")?;
        let network = network_or(self.network, study, "--network")?;
        let rules = if self.rules.is_empty() { measure.arms::<G>()? } else { self.rules };
        let config = DivergenceConfig {
            player: Searcher::open::<G>(&network, &rule_sets::<G>(&rules)?)?,
            rules,
            nodes: self.nodes,
            search,
        };
        let pool = Pool::open::<G>(&openings)?;
        let threads = cluster::pool(self.common.threads)?;
        let stop = Stop::on_signals()?;
        let rows = threads.install(|| divergence::compare::<G>(&config, &pool, &stop))?;
        if let Some(out) = &self.out {
            atomic::write_bytes(out, &file(&rows).to_csv()?)?;
            self.output.remark(format_args!("results in {}", out.display()));
        }
        self.output.print_table(table(&rows));
        Ok(())
    }
}

fn fields() -> Fields<'static, DivergenceRow> {
    Fields::<DivergenceRow>::default()
        .text("first", ("First rule set", "first"), |row| row.first.clone())
        .text("second", ("Second rule set", "second"), |row| row.second.clone())
        .text("network", "Player", |row| row.network.clone())
        .count("nodes", ("Nodes", "nodes"), |row| u64::from(row.nodes))
        .count("openings", ("Openings", "openings"), |row| row.openings)
        .value("divergence", ("Divergence, bits", "bits"), Unit::Decimals(3), |row| row.divergence)
        .interval("divergence95", ("95% interval", "95%"), Unit::Decimals(3), |row| {
            row.divergence95
        })
        .share("other_choice", ("Another move first", "other move"), |row| row.other_choice)
        .share("only_first", ("On moves of the first only", "first only"), |row| row.only_first)
        .share("only_second", ("On moves of the second only", "second only"), |row| row.only_second)
}

fn table(rows: &[DivergenceRow]) -> Table {
    let keys = "first second openings divergence divergence95 other_choice only_first only_second";
    fields().table("divergence", "Divergence of policies", keys, rows).droppable_from(5)
}

fn file(rows: &[DivergenceRow]) -> Table {
    fields().whole_table("divergence", "Divergence of policies", rows)
}
