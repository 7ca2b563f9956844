//! `fusion random`

use std::path::PathBuf;

use fusion_game::{CompleteGame, Description};
use fusion_jobs::cluster;
use fusion_jobs::exit::Failure;
use fusion_jobs::stop::Stop;
use fusion_registry::KnownGame;
use fusion_report::random::table;
use fusion_runner::random;

use super::common::{Common, path_or};
use super::output::Output;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Folder of random.csv and the counts' shard [default: random in the study's folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// A rule set; may be repeated [default: those of the study's [random]]
    #[arg(long)]
    rules: Vec<String>,
    /// Games of each rule set [default: the study's]
    #[arg(long, value_name = "N")]
    games: Option<u64>,
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
        let planned = study.as_ref().map(|study| study.random_rules::<G>()).transpose()?;
        let Some((rules, games)) = self.wanted(planned.flatten())? else {
            self.output.remark("the study has no [random] section: nothing to play");
            return Ok(());
        };
        let out = path_or(self.out, study.as_ref(), random::KIND, "--out")?;
        let seed = self.common.seed(study.as_ref());
        let threads = cluster::pool(self.common.threads)?;
        let stop = Stop::on_signals()?;
        let rows = threads.install(|| random::run::<G>(&rules, games, seed, &out, &stop))?;
        self.output.print_table(table(Description::of::<G>(), &rows));
        Ok(())
    }

    fn wanted(
        &self,
        planned: Option<(Vec<String>, u64)>,
    ) -> Result<Option<(Vec<String>, u64)>, Failure> {
        let rules = (!self.rules.is_empty()).then(|| self.rules.clone());
        let wanted = match (rules, self.games, planned) {
            (None, None, planned) => return Ok(planned),
            (rules, games, Some(planned)) => {
                (rules.unwrap_or(planned.0), games.unwrap_or(planned.1))
            }
            (Some(rules), Some(games), None) => (rules, games),
            _ => return Err(Failure::usage("give both --rules and --games, or --study")),
        };
        Ok(Some(wanted))
    }
}
