//! `fusion budget`

use fusion_game::CompleteGame;
use fusion_jobs::exit::Failure;
use fusion_jobs::stop::Stop;
use fusion_print::table::{Fields, Unit};
use fusion_registry::KnownGame;
use fusion_runner::matches::{self, Player, TimedNodes};
use fusion_study::{Study, rule_sets};
use std::path::PathBuf;

use super::common::{network_or, with_room};
use super::output::Output;

/// Room in the tree, in nodes, where no study sets its size: some seconds of search.
const ROOM: u32 = 4_000_000;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Study file with the network, the rule sets and the settings of the search
    #[arg(long, value_name = "FILE")]
    study: Option<PathBuf>,
    /// Network file, or uniform, material or rollout; with pvs: before it, the alpha-beta search
    /// [default: the study's best network]
    #[arg(long, value_name = "NETWORK")]
    network: Option<String>,
    /// Time of a move; may be repeated
    #[arg(long, value_name = "MILLISECONDS", required = true)]
    time: Vec<f64>,
    /// A rule set; may be repeated [default: those that the study measures]
    #[arg(long)]
    rules: Vec<String>,
    /// Seed of the positions that are searched
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    output: Output,
}

impl Args {
    /// Returns the game to play.
    pub fn game(&self) -> anyhow::Result<KnownGame> {
        match (self.rules.first(), &self.study) {
            (Some(rules), _) => Ok(KnownGame::of_rules(rules)),
            (None, Some(study)) => Ok(Study::read(study)?.game()),
            (None, None) => Err(Failure::usage("give --rules or --study").into()),
        }
    }

    /// Prints the nodes for each time and rule set, and for all rule sets together.
    pub fn run<G: CompleteGame>(self) -> anyhow::Result<()> {
        let wrong = |time: &&f64| !(time.is_finite() && (0.01..=60_000.0).contains(*time));
        if let Some(time) = self.time.iter().find(wrong) {
            let message = format!("--time: {time} ms: a move takes from 0.01 to 60000 ms");
            return Err(Failure::usage(message).into());
        }
        let study = self.study.as_deref().map(Study::open::<G>).transpose()?;
        let measure = study.as_ref().map(|study| study.measure.clone()).unwrap_or_default();
        let search = with_room(measure.search, study.as_ref(), ROOM);
        let network = network_or(self.network, study.as_ref(), "--network")?;
        let rules = if self.rules.is_empty() { measure.arms::<G>()? } else { self.rules };
        let player = Player::open::<G>(&network, 1, &rule_sets::<G>(&rules)?)?;
        let mut sets: Vec<(&str, &[String])> =
            rules.iter().map(|one| (one.as_str(), std::slice::from_ref(one))).collect();
        if rules.len() > 1 {
            sets.push(("all", &rules));
        }
        let stop = Stop::on_signals()?;
        let mut rows = Vec::new();
        for &time in &self.time {
            for &(name, set) in &sets {
                let seconds = time / 1e3;
                let found =
                    matches::nodes_in_time::<G>(&player, seconds, set, search, self.seed, &stop)?;
                rows.push((name, time, found));
            }
        }
        let table = Fields::<(&str, f64, TimedNodes)>::default()
            .text("rules", "rules", |(rules, ..)| *rules)
            .value("time_ms", "time, ms", Unit::Magnitude, |(_, time, _)| *time)
            .count("nodes", "nodes", |(.., found)| u64::from(found.nodes))
            .value("measured_ms", "median time, ms", Unit::Magnitude, |(.., found)| {
                1e3 * found.seconds
            })
            .whole_table("budget", &format!("{} on this machine", player.name().network), &rows);
        self.output.print_table(table);
        Ok(())
    }
}
