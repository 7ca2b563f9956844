//! `fusion random`

use std::path::PathBuf;

use comfy_table::Table;
use fusion_chess::FusionGame;
use fusion_game::{Description, Ending};
use fusion_jobs::cluster;
use fusion_jobs::exit::{Failure, say};
use fusion_jobs::stop::Stop;
use fusion_runner::random::{self, RandomRow};

use super::common::{Common, path_or};

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
    #[arg(long)]
    games: Option<u64>,
}

impl Args {
    pub fn run(self) -> anyhow::Result<()> {
        let study = self.common.study()?;
        let planned = study.as_ref().map(|study| study.random_rules::<FusionGame>()).transpose()?;
        let Some((rules, games)) = self.wanted(planned.flatten())? else {
            say("the study has no [random] section: nothing to play");
            return Ok(());
        };
        let out = path_or(self.out, study.as_ref(), random::KIND, "--out")?;
        let seed = self.common.seed(study.as_ref());
        let threads = cluster::pool(self.common.threads)?;
        let stop = Stop::on_signals()?;
        let rows =
            threads.install(|| random::run::<FusionGame>(&rules, games, seed, &out, &stop))?;
        print(&rows)
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

fn print(rows: &[RandomRow]) -> anyhow::Result<()> {
    let mut table = Table::new();
    let draws = Description::of::<FusionGame>().drawn_endings();
    let draws = draws.map(Ending::name);
    table.set_header(
        ["rules", "games", "checkmate"].into_iter().chain(draws).chain(["plies a game"]),
    );
    for row in rows {
        let games = row.games.max(1) as f64;
        let share = |count: u64| format!("{:.2}%", 100.0 * count as f64 / games);
        let mut cells = vec![row.rules.clone(), row.games.to_string(), share(row.won())];
        cells.extend(row.draws.iter().map(|&(_, games)| share(games)));
        cells.push(format!("{:.1}", row.plies as f64 / games));
        table.add_row(cells);
    }
    say(table);
    Ok(())
}
