//! `fusion random`

use std::fmt::Display;
use std::path::PathBuf;

use fusion_game::{CompleteGame, Description};
use fusion_jobs::cluster;
use fusion_jobs::exit::Failure;
use fusion_jobs::stop::Stop;
use fusion_registry::KnownGame;
use fusion_results::random::table;
use fusion_runner::random::{self, RandomGames};

use super::common::{Common, Joining, by_option, path_or};
use super::output::Output;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    joining: Joining,
    /// Folder of random.csv and the counts' shards [default: random in the study's folder]
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
        let out = path_or(self.out.clone(), study.as_ref(), random::KIND, "--out")?;
        let planned = study.as_ref().and_then(|study| study.random.as_ref());
        let shards = self.joining.shards().or(planned.map(|random| random.shards)).unwrap_or(1);
        let seed = self.common.seed(study.as_ref());
        let config = RandomGames { rules, games, shards, seed };
        let replaced = [
            ("--games", "random.games", self.games.is_some()),
            ("--shards", "random.shards", self.joining.shards().is_some()),
        ];
        by_option(config.check(), study.as_ref(), &replaced)?;
        let threads = cluster::pool(self.common.threads)?;
        let stop = Stop::on_signals()?;
        let remark = |line: &dyn Display| self.output.remark(line);
        let joins = self.joining.play(shards, &out, remark, |shards| {
            threads.install(|| random::run::<G>(&config, &out, shards, &stop))
        })?;
        if joins {
            let rows = random::merge::<G>(&config, &out)?;
            self.output.print_table(table(Description::of::<G>(), &rows));
        }
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
