//! Alpha-beta search: nodes per second with each kind of evaluator.

use super::Effort;
use super::table::{Table, commas};
use super::timing::{Work, medians, timed};
use fusion_game::Views;
use fusion_game::prelude::*;
use fusion_network::model::MoveModel;
use fusion_network::views::{self, ViewNetwork};
use fusion_search::pvs::{Limits, Pvs, PvsConfig};
use std::cell::Cell;
use std::io::Write;
use std::sync::Arc;

/// Number of nodes for each playout of the tree search's benchmark, which takes longer.
const NODES_OF_A_PLAYOUT: u64 = 5;
/// Width of the efficiently updatable network.
const WIDTH: usize = 256;

/// Returns an efficiently updatable network for a rule set, with random weights, always the same.
pub fn view_network<G: Views>(rules: &G::Rules) -> anyhow::Result<ViewNetwork> {
    let network = views::ViewFloats::random::<G>(rules, WIDTH, 1);
    let network = network.and_then(|network| ViewNetwork::quantise::<G>(rules, &network));
    network.map_err(anyhow::Error::msg)
}

/// Measures and prints the search's figures.
pub fn measure<G: CompleteGame>(
    table: &mut Table<impl Write>,
    effort: &Effort,
    rules: &G::Rules,
    shipped: Option<MoveModel>,
) -> anyhow::Result<()> {
    let nodes = NODES_OF_A_PLAYOUT * u64::from(effort.nodes);
    table.section(&format!("Alpha-beta search under {rules}, {} nodes", commas(nodes as f64)))?;
    let mut models = vec![("material", MoveModel::open::<G>("material", [])?)];
    models.extend(shipped.map(|model| ("shipped network", model)));
    let views = MoveModel::Views(Arc::new(view_network::<G>(rules)?));
    models.push(("efficiently updatable network", views));
    let middle_games = G::middle_games(rules);
    let sets = [
        ("start position".into(), vec![G::new(rules)]),
        (format!("{} middle games", middle_games.len()), middle_games),
    ];
    for (name, games) in &sets {
        table.part(name)?;
        let found: Vec<_> = models.iter().map(|_| Cell::new((0, 0))).collect();
        let mut work: Vec<Work> = Vec::new();
        for ((_, model), found) in models.iter().zip(&found) {
            work.push(Box::new(move || {
                let (seconds, counts) = search(games, model, nodes);
                found.set(counts);
                Ok(seconds)
            }));
        }
        for ((seconds, (label, _)), found) in
            medians(effort.runs, &mut work)?.into_iter().zip(&models).zip(&found)
        {
            let (nodes, depths) = found.get();
            let rate = format!("{}/s", commas(nodes as f64 / seconds));
            let depth = f64::from(depths) / games.len() as f64;
            table.row(label, &rate, &format!("nodes; depth {depth:.1} on average"))?;
        }
    }
    table.part(&format!("The efficiently updatable network is {WIDTH} wide, with random weights."))
}

/// Searches each game with a table of its own. Returns the seconds, the nodes and the sum of the
/// depths.
fn search<G: CompleteGame>(games: &[G], model: &MoveModel, nodes: u64) -> (f64, (u64, i32)) {
    let (mut seconds, mut counts) = (0.0, (0, 0));
    for game in games {
        let evaluator = model.evaluator::<G>(0);
        let mut search = Pvs::new(PvsConfig::default(), game.rules(), evaluator);
        let (found, time) = timed(|| search.search(game, Limits::nodes(nodes), &|| false));
        seconds += time;
        if let Some(found) = found {
            counts = (counts.0 + found.nodes, counts.1 + found.depth);
        }
    }
    (seconds, counts)
}
