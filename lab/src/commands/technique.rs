//! `fusion technique`

use std::fmt::Display;
use std::path::PathBuf;

use fusion_game::CompleteGame;
use fusion_jobs::cluster;
use fusion_jobs::exit::Failure;
use fusion_jobs::stop::Stop;
use fusion_print::table::{Fields, Table, Unit};
use fusion_registry::KnownGame;
use fusion_runner::technique::{self, RESULT, TechniqueConfig, TechniqueRow};
use fusion_study::{Searcher, check_budget, rule_sets};

use super::common::{Common, Joining, network_or, path_or, with_room};
use super::output::Output;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    joining: Joining,
    /// Folder of technique.csv and the games [default: technique in the study's folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Network file, or uniform, material or rollout, for both sides; with pvs: before it, the
    /// alpha-beta search plays [default: the study's best network]
    #[arg(long, value_name = "NETWORK")]
    network: Option<String>,
    /// An exercise by its name, which the game explains if it does not know one; may be repeated
    /// [default: the game's common ones, such as R, RB and R+R]
    #[arg(long, value_name = "NAME")]
    exercise: Vec<String>,
    /// A rule set; may be repeated [default: those that the study measures]
    #[arg(long)]
    rules: Vec<String>,
    /// Games of each exercise under each rule set, each from a random position [default: the study's,
    /// else 100]
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Nodes of each move [default: the study's, else 800]
    #[arg(long, value_name = "N")]
    nodes: Option<u32>,
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
        let replaced = self.out.is_some() || self.network.is_some();
        self.common.check_results::<G>(study, replaced)?;
        let measure = study.map(|study| study.measure.clone()).unwrap_or_default();
        let planned = study.and_then(|study| study.technique.clone()).unwrap_or_default();
        let games = self.games.unwrap_or(planned.games);
        let nodes = self.nodes.unwrap_or(planned.nodes);
        let search = with_room(measure.search, study, nodes);
        let network = network_or(self.network, study, "--network")?;
        if !Searcher::is_pvs(&network) {
            check_budget("measure.search", &search, "--nodes", nodes)?;
        }
        let out = path_or(self.out, study, "technique", "--out")?;
        let rules = if self.rules.is_empty() { measure.arms::<G>()? } else { self.rules };
        let sets = rule_sets::<G>(&rules)?;
        let names =
            if self.exercise.is_empty() { common::<G>(&sets) } else { self.exercise.clone() };
        let planned = study.is_some_and(|study| study.technique.is_some());
        if names.is_empty() && self.exercise.is_empty() && planned {
            technique::write_none(&out)?;
            self.output.remark("the rule sets have no exercises: nothing to play");
            return Ok(());
        }
        let exercises: Result<Vec<_>, String> =
            names.iter().map(|name| G::exercise(name)).collect();
        let config = TechniqueConfig {
            exercises: exercises.map_err(|error| Failure::usage(format!("--exercise: {error}")))?,
            games,
            shards: self.joining.shards().unwrap_or(1),
            player: Searcher::open::<G>(&network, &sets)?,
            rules,
            nodes,
            search,
            seed: self.common.seed(study),
        };
        let pool = cluster::pool(self.common.threads)?;
        let stop = Stop::on_signals()?;
        let remark = |line: &dyn Display| self.output.remark(line);
        let joins = self.joining.play(config.shards, &out, remark, |shards| {
            pool.install(|| technique::run::<G>(&config, &out, shards, &stop))
        })?;
        if joins {
            let rows = technique::merge::<G>(&config, &out, &stop)?;
            self.output.print_table(table(&rows));
            self.output.remark(format_args!("results in {}", out.join(RESULT).display()));
        }
        Ok(())
    }
}

/// Returns the exercises that all of these rule sets have.
fn common<G: CompleteGame>(rules: &[G::Rules]) -> Vec<String> {
    let mut names = rules.first().map_or_else(Vec::new, |first| G::exercises(first));
    let others: Vec<Vec<String>> = rules.iter().skip(1).map(|other| G::exercises(other)).collect();
    names.retain(|name| others.iter().all(|known| known.contains(name)));
    names
}

fn table(rows: &[TechniqueRow]) -> Table {
    let mut fields = Fields::<TechniqueRow>::default()
        .text("rules", "rules", |row| row.rules.clone())
        .text("pieces", "pieces", |row| row.exercise.clone())
        .count("games", "games", |row| row.games)
        .count("mates", "mates", |row| row.wins)
        .value("mean_plies", "mean plies", Unit::Decimals(1), |row| row.mean_plies)
        .count("longest_plies", "longest", |row| row.longest_plies.map(u64::from));
    let drawn = rows.first().into_iter().flat_map(|row| row.draws.iter().map(|drawn| drawn.0));
    for ending in drawn {
        fields = fields.count(ending.name(), ending.kind().short, move |row| {
            row.draws.iter().find(|(drawn, _)| *drawn == ending).map(|(_, games)| *games)
        });
    }
    fields.whole_table("technique", "Exercises", rows).droppable_from(5)
}
