//! Games to play through on the board.

use super::games_page::NAME;
use super::viewer::{self, SampledGame};
use crate::section::{Block, Section};
use fusion_results::chess::positions::ShownGame;
use fusion_results::games::display;
use fusion_results::report::Report;
use minijinja::context;

/// The templates of the section.
pub(crate) const TEMPLATES: [(&str, &str); 3] = [
    ("games.html.j2", include_str!("games.html.j2")),
    viewer::FIGURES,
    ("viewer.html.j2", include_str!("viewer/viewer.html.j2")),
];

/// Returns the section; `all_games` adds a link to the page of all games.
///
/// # Errors
/// Fails if the rules of a game do not allow its moves.
pub(crate) fn page(report: &Report, all_games: bool) -> anyhow::Result<Option<Section>> {
    let games: Vec<SampledGame> =
        report.chess.shown.iter().map(|shown| game(report, shown)).collect();
    let games = (!games.is_empty()).then(|| viewer::model(&games)).transpose()?;
    if games.is_none() && !all_games {
        return Ok(None);
    }
    let section = match games {
        Some(_) => Section::new("games", "Games", "Games to play through"),
        None => Section::unlisted("", ""),
    };
    let values = context! { games => games, all_games => all_games.then_some(NAME) };
    Ok(Some(section.with([Block::Template("games.html.j2", values)])))
}

fn game(report: &Report, shown: &ShownGame) -> SampledGame {
    let row = &report.run.games[shown.row];
    SampledGame {
        title: shown.reason.title.clone(),
        why: shown.reason.why.clone(),
        rules: row.rules.clone(),
        nodes: row.nodes,
        opening: row.opening,
        start: Some(shown.start.clone()),
        result: row.result.text().to_owned(),
        ending: display(row.ending).to_lowercase(),
        opening_plies: row.opening_plies as usize,
        moves: shown.moves.clone(),
    }
}
