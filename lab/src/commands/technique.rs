//! `fusion technique`

use std::path::PathBuf;
use std::sync::Arc;

use comfy_table::Table;
use fusion_chess::FusionGame;
use fusion_game::{CompleteGame, Description, Ending, Exercise};
use fusion_jobs::cluster;
use fusion_jobs::exit::say;
use fusion_jobs::stop::Stop;
use fusion_runner::technique::{self, RESULT, TechniqueConfig, TechniqueRow};
use fusion_study::check_budget;
use fusion_study::open_model;

use super::common::{Common, network_or, path_or, with_room};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Folder of technique.csv and games.pgn [default: technique in the study's folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Network file, or uniform, material or rollout, for both sides [default: the study's
    /// best network]
    #[arg(long)]
    network: Option<String>,
    /// What White has besides its King against the bare King: R, B, N and compounds of two of
    /// them, joined by +; may be repeated
    #[arg(long, value_name = "PIECES", value_parser = FusionGame::exercise, default_values = FusionGame::EXERCISES)]
    pieces: Vec<Arc<dyn Exercise<FusionGame>>>,
    /// A rule set; may be repeated [default: those that the study measures]
    #[arg(long)]
    rules: Vec<String>,
    /// Games of each material under each rule set, each from a random position
    #[arg(long, default_value_t = 100)]
    games: u64,
    /// Nodes of each move
    #[arg(long, default_value_t = 800)]
    nodes: u32,
}

impl Args {
    pub fn run(self) -> anyhow::Result<()> {
        let study = self.common.study()?;
        let study = study.as_ref();
        let measure = study.map(|study| study.measure.clone()).unwrap_or_default();
        let search = with_room(measure.search, study, self.nodes);
        check_budget("measure.search", &search, "--nodes", self.nodes)?;
        let out = path_or(self.out, study, "technique", "--out")?;
        let config = TechniqueConfig {
            rules: if self.rules.is_empty() { measure.arms::<FusionGame>()? } else { self.rules },
            exercises: self.pieces,
            games: self.games,
            model: open_model::<FusionGame>(&network_or(self.network, study, "--network")?)?,
            nodes: self.nodes,
            search,
            seed: self.common.seed(study),
        };
        let pool = cluster::pool(self.common.threads)?;
        let stop = Stop::on_signals()?;
        let rows = pool.install(|| technique::run::<FusionGame>(&config, &out, &stop))?;
        say(table(&rows));
        say(format_args!("results in {}", out.join(RESULT).display()));
        Ok(())
    }
}

fn table(rows: &[TechniqueRow]) -> Table {
    let mut table = Table::new();
    let draws = Description::of::<FusionGame>().drawn_endings();
    let draws = draws.map(Ending::name);
    let head = ["rules", "pieces", "games", "mates", "mean plies", "longest"];
    table.set_header(head.into_iter().chain(draws));
    for row in rows {
        let mut cells = vec![
            row.rules.clone(),
            row.exercise.clone(),
            row.games.to_string(),
            row.wins.to_string(),
            row.mean_plies.map_or_else(String::new, |plies| format!("{plies:.1}")),
            row.longest_plies.map_or_else(String::new, |plies| plies.to_string()),
        ];
        cells.extend(row.draws.iter().map(|(_, games)| games.to_string()));
        table.add_row(cells);
    }
    table
}
