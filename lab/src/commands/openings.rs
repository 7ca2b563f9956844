//! `fusion openings`

use std::path::PathBuf;

use fusion_game::CompleteGame;
use fusion_jobs::cluster;
use fusion_jobs::exit::say;
use fusion_jobs::stop::Stop;
use fusion_registry::KnownGame;
use fusion_runner::openings;
use fusion_study::{Searcher, check_budget, rule_sets};

use super::common::{Common, by_option, network_or, parse_plies, path_or, set, with_room};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// The pool's file [default: openings.csv in the study's folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// A rule set in which every opening must be legal; may be repeated
    #[arg(long)]
    rules: Vec<String>,
    /// Number of openings
    #[arg(long, value_name = "N")]
    count: Option<u32>,
    /// Plies of an opening
    #[arg(long, value_name = "FROM-TO", value_parser = parse_plies)]
    plies: Option<(u32, u32)>,
    /// Network file or evaluator that judges whether a side is winning, with pvs: before it by the
    /// alpha-beta search; or none [default: the study's best network]
    #[arg(long, value_name = "NETWORK")]
    network: Option<String>,
    /// An opening is left out if win and loss differ by more than this share
    #[arg(long, value_name = "SHARE")]
    max_advantage: Option<f32>,
    /// Nodes of the search that judges an opening
    #[arg(long, value_name = "N")]
    nodes: Option<u32>,
}

impl Args {
    /// Returns the game to play.
    pub fn game(&self) -> anyhow::Result<KnownGame> {
        self.common.game(&self.rules)
    }

    pub fn run<G: CompleteGame>(self) -> anyhow::Result<()> {
        let study = self.common.study::<G>()?;
        let study = study.as_ref();
        let mut config = study.map(|study| study.openings.clone()).unwrap_or_default();
        set(&mut config.count, self.count);
        set(&mut config.plies, self.plies);
        set(&mut config.max_advantage, self.max_advantage);
        set(&mut config.nodes, self.nodes);
        let replaced = [
            ("--count", "openings.count", self.count.is_some()),
            ("--plies", "openings.plies", self.plies.is_some()),
            ("--max-advantage", "openings.max_advantage", self.max_advantage.is_some()),
            ("--nodes", "openings.nodes", self.nodes.is_some()),
        ];
        let measure = study.map(|study| study.measure.clone()).unwrap_or_default();
        let search = with_room(measure.search, study, config.nodes);
        let checked = config
            .check()
            .and_then(|()| check_budget("measure.search", &search, "openings.nodes", config.nodes));
        by_option(checked, study, &replaced)?;
        let given = self.out.is_some() || self.network.is_some() || !self.rules.is_empty();
        let given = given || replaced.iter().any(|(.., given)| *given);
        self.common.check_results::<G>(study, given)?;
        let rules = match study {
            _ if !self.rules.is_empty() => self.rules,
            Some(study) => study.pool_rules::<G>()?,
            None => measure.arms::<G>()?,
        };
        let out = path_or(self.out, study, "openings.csv", "--out")?;
        let player = match network_or(self.network, study, "--network")?.as_str() {
            "none" => None,
            spec => Some(Searcher::open::<G>(spec, &rule_sets::<G>(&rules)?)?),
        };
        let seed = self.common.seed(study);
        let threads = cluster::pool(self.common.threads)?;
        let stop = Stop::on_signals()?;
        let pool = threads.install(|| {
            openings::make::<G>(&config, &rules, &search, player.as_ref(), seed, &stop)
        })?;
        pool.save(&out)?;
        say(format_args!("{} openings in {}", pool.openings().len(), out.display()));
        say(format_args!("sha256 {}", pool.hash()));
        Ok(())
    }
}
