//! `fusion generate`

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fusion_game::CompleteGame;
use fusion_jobs::cluster;
use fusion_jobs::exit::{Failure, say};
use fusion_jobs::runner::already_complete;
use fusion_jobs::stop::Stop;
use fusion_registry::KnownGame;
use fusion_runner::generate;
use fusion_study::{EvaluatorKind, Searcher, rule_sets};

use super::common::{Common, Sharding, by_option, path_or, set, with_room};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    sharding: Sharding,
    /// Folder of the shards [default: games in the study's folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Network file, or uniform, material or rollout; pvs: before it plays by alpha-beta search [default: train.start of the study, else material]
    #[arg(long, value_name = "NETWORK")]
    network: Option<String>,
    /// Number of games in all shards together
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// A rule set, with a weight after a colon if it is not 1; may be repeated
    #[arg(long, value_name = "RULES[:WEIGHT]", value_parser = parse_weighted)]
    rules: Vec<(String, f64)>,
    /// Simulations of a full search
    #[arg(long, value_name = "N")]
    simulations: Option<u32>,
    /// Simulations of a fast search
    #[arg(long, value_name = "N")]
    fast_simulations: Option<u32>,
    /// Turns, of both sides together, after which a game is stopped without a result
    #[arg(long, value_name = "N")]
    cap: Option<u32>,
}

impl Args {
    /// Returns the game to play.
    pub fn game(&self) -> anyhow::Result<KnownGame> {
        let rules: Vec<String> = self.rules.iter().map(|(rules, _)| rules.clone()).collect();
        self.common.game(&rules)
    }

    pub fn run<G: CompleteGame>(self) -> anyhow::Result<()> {
        let study = self.common.study::<G>()?;
        let study = study.as_ref();
        let replaced = [
            ("--games", "selfplay.games", self.games.is_some()),
            ("--shards", "selfplay.shards", self.sharding.shards.is_some()),
            ("--simulations", "selfplay.simulations", self.simulations.is_some()),
            ("--fast-simulations", "selfplay.fast_simulations", self.fast_simulations.is_some()),
            ("--cap", "selfplay.cap", self.cap.is_some()),
            ("--rules", "selfplay.rules", !self.rules.is_empty()),
        ];
        let file = self.common.study.as_deref().unwrap_or(Path::new(""));
        let own = study.map(|study| study.selfplay_without_stages(file)).transpose()?;
        let mut config = own.cloned().unwrap_or_default();
        set(&mut config.games, self.games);
        set(&mut config.shards, self.sharding.shards);
        set(&mut config.simulations, self.simulations);
        set(&mut config.fast_simulations, self.fast_simulations);
        set(&mut config.cap, self.cap);
        if !self.rules.is_empty() {
            let given = self.rules.len();
            config.rules = BTreeMap::from_iter(self.rules);
            if config.rules.len() < given {
                return Err(Failure::usage("--rules names a rule set twice").into());
            }
        }
        let most = config.simulations.max(config.fast_simulations);
        config.search = with_room(config.search, study, most);
        by_option(config.check::<G>(), study, &replaced)?;
        if config.evaluator == EvaluatorKind::Torch {
            let message = "the study asks for selfplay.evaluator = \"torch\", and this program \
                           is built without libtorch: use fusion-train generate, or \
                           fusion-train loop for whole generations";
            return Err(Failure::usage(message).into());
        }
        let out = path_or(self.out, study, "games", "--out")?;
        let start = study.map_or_else(|| "material".to_owned(), |study| study.start());
        let rules = rule_sets::<G>(config.rules.keys())?;
        let player = Searcher::open::<G>(self.network.as_deref().unwrap_or(&start), &rules)?;
        let shards = self.sharding.shard.resolve(config.shards)?;
        let seed = self.common.seed(study);
        let pool = cluster::pool(self.common.threads)?;
        let stop = Stop::on_signals()?;
        let play = || generate::run::<G>(&config, &player, seed, &out, shards, &stop);
        let summary = pool.install(play)?;
        if summary.new_shards == 0 {
            say(already_complete(&out));
        }
        say(summary);
        Ok(())
    }
}

/// Parses `RULES` or `RULES:WEIGHT`.
fn parse_weighted(text: &str) -> Result<(String, f64), String> {
    match text.rsplit_once(':') {
        None => Ok((text.to_owned(), 1.0)),
        Some((rules, weight)) => {
            let weight = weight.parse().map_err(|_| format!("`{weight}` is no weight"))?;
            Ok((rules.to_owned(), weight))
        }
    }
}
