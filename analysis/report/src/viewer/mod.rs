//! Games to play through on a board, for every game.
//!
//! The games are replayed here ([`replay`]) and packed ([`encode`]), so that the page's script needs no
//! rules: `data.js` reads them, `viewer.js` shows them. The board and its pieces are what the game's
//! [`BoardGame`](fusion_game::BoardGame) says about them.

mod encode;
mod replay;
mod table;

pub(crate) use encode::{Encoded, Encoder};
pub(crate) use replay::{Replayed, replay};
pub(crate) use table::Table;

use crate::section::{Block, Section};
use anyhow::Context;
use fusion_game::{BoardGame, DRAWING, RuleSet};
use fusion_registry::for_game;
use fusion_results::part::part;
use fusion_results::report::Report;
use minijinja::context;
use table::Shown;

/// Name of the file of the page of all games.
pub const GAMES_PAGE: &str = "games.html";
/// The board's template.
pub(crate) const TEMPLATE: (&str, &str) = ("viewer.html.j2", include_str!("viewer.html.j2"));
/// The template of the section in a report.
pub(crate) const SECTION: (&str, &str) = ("games-section.html.j2", include_str!("section.html.j2"));
/// The board's styles.
pub(crate) const STYLE: &str = include_str!("viewer.css");
/// The script that reads packed games.
pub(crate) const DATA: &str = include_str!("data.js");
/// The script of the section in a report.
const REPORT: &str = include_str!("report.js");

/// Returns the script of the board, with the functions that draw.
pub(crate) fn board_script() -> String {
    let drawing = DRAWING.replace("\nexport ", "\n");
    format!("(() => {{\n\"use strict\";\n{drawing}\n{}}})();\n", include_str!("viewer.js"))
}

/// Returns the script of the section in a report.
pub(crate) fn report_script() -> String {
    board_script() + DATA + REPORT
}

/// Returns the section. `all_games` adds a link to the page of all games.
///
/// # Errors
/// Fails if the rules of a shown game do not allow its moves. The message names game and ply.
pub(crate) fn page(report: &Report, all_games: bool) -> anyhow::Result<Option<Section>> {
    let game = report.run.game;
    let model = match &report.shown[..] {
        [] if !all_games => return Ok(None),
        [] => None,
        _ => Some(for_game!(game.known(), G => model::<G>(report)?)),
    };
    let section = match model {
        Some(_) => Section::new("games", "Games", "Games to play through"),
        None => Section::unlisted("", ""),
    };
    let values = context! {
        model => model,
        criteria => part(game).criteria(),
        all_games => all_games.then_some(GAMES_PAGE),
        games_file => game.games_file(),
        figures => game.figures(),
        players => game.players(),
    };
    Ok(Some(section.with([Block::Template(SECTION.0, values)])))
}

/// Returns the shown games for the page's script, safe inside a script element.
fn model<G: BoardGame>(report: &Report) -> anyhow::Result<String> {
    let mut table = Table::new::<G>(report.shown.len());
    let mut encoder = Encoder::default();
    for (number, shown) in (1..).zip(&report.shown) {
        let row = &report.run.games[shown.row];
        let game = || format!("sampled game {number} ({})", row.rules);
        let rules = G::Rules::parse(&row.rules).map_err(anyhow::Error::msg).with_context(game)?;
        let moves = shown.moves.iter().map(|(text, _)| text.as_str());
        let replayed = replay::<G>(&rules, shown.start.as_deref(), moves, 1).with_context(game)?;
        let encoded = encoder.encode(replayed);
        table.push("measure", row, shown.moves.len() as u32, &encoded, || encoder.lengths());
        table.push_shown(Shown {
            title: &shown.reason.title,
            why: &shown.reason.why,
            wdl: shown.moves.iter().map(|(_, wdl)| *wdl).collect(),
        });
        encoder.append(&encoded);
    }
    encoder.pack(&table)
}
