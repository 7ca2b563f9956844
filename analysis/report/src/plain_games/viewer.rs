//! Games to play through on a board, turn by turn.
//!
//! The games are replayed here, so that the page's script needs no rules. For each turn the script
//! gets its notation and the spaces that changed.

use crate::figures::data::json_in_script;
use crate::section::{Block, Section};
use anyhow::Context;
use fusion_game::{BoardGame, Side, Space};
use fusion_registry::for_game;
use fusion_results::games::display;
use fusion_results::plain_games::ShownGame;
use fusion_results::report::Report;
use minijinja::context;
use serde::Serialize;
use std::collections::BTreeMap;

/// The template of the board.
pub(crate) const TEMPLATE: (&str, &str) = ("plain-games.html.j2", include_str!("viewer.html.j2"));
const STYLE: &str = include_str!("viewer.css");
const SCRIPT: &str = include_str!("viewer.js");

/// What stands on spaces by name: `1RN` is a piece of the first player with these figures; empty if
/// nothing does.
type Changes = BTreeMap<String, String>;

/// A turn of a game.
#[derive(Debug, Serialize)]
struct TurnView {
    side: Side,
    words: String,
    changes: Changes,
}

/// A game for the script.
#[derive(Debug, Serialize)]
struct GameView {
    title: String,
    about: String,
    columns: u16,
    rows: u16,
    spaces: Vec<Space>,
    players: [&'static str; 2],
    start: Changes,
    turns: Vec<TurnView>,
}

/// Returns the section. There is none without games to show.
///
/// # Errors
/// Fails if the rules of a game do not allow its moves.
pub(crate) fn page(report: &Report) -> anyhow::Result<Option<Section>> {
    if report.shown.is_empty() {
        return Ok(None);
    }
    let game = report.run.game.known();
    let (views, figures) = for_game!(game, G => (views::<G>(report)?, <G as BoardGame>::FIGURES));
    let values = context! {
        games => json_in_script(&serde_json::to_string(&views)?),
        figures => figures,
        style => STYLE,
        script => SCRIPT,
    };
    let section = Section::new("games", "Games", "Games to play through");
    Ok(Some(section.with([Block::Template(TEMPLATE.0, values)])))
}

fn views<G: BoardGame>(report: &Report) -> anyhow::Result<Vec<GameView>> {
    let view = |shown: &ShownGame| {
        let row = &report.run.games[shown.row];
        let about = format!(
            "{}, opening {}, {} nodes: {}, {}, {} plies",
            row.rules,
            row.opening,
            row.nodes,
            row.result.text(),
            display(row.ending),
            row.plies
        );
        replay::<G>(shown, about).with_context(|| format!("the game of {} shown", row.rules))
    };
    report.shown.iter().map(view).collect()
}

fn replay<G: BoardGame>(shown: &ShownGame, about: String) -> anyhow::Result<GameView> {
    let read = G::read_game(&shown.text).map_err(anyhow::Error::msg)?;
    let rules = G::parse_rules(&read.rules).map_err(anyhow::Error::msg)?;
    let mut game = match &read.start {
        None => G::new(&rules),
        Some(text) => G::from_text(&rules, text).map_err(anyhow::Error::msg)?,
    };
    let shape = G::shape(&rules);
    let start = placed(&game);
    let mut before = start.clone();
    let mut turns = Vec::new();
    let moves = read.moves();
    let mut texts = moves.iter().peekable();
    while texts.peek().is_some() {
        let (begin, side) = (game.clone(), game.side_to_move());
        let mut moves = Vec::new();
        while let Some(text) = texts.next_if(|_| game.side_to_move() == side) {
            moves.push(fusion_game::play_text(&mut game, text)?);
        }
        let after = placed(&game);
        turns.push(TurnView {
            side,
            words: begin.turn_words(&moves),
            changes: changes(&before, &after),
        });
        before = after;
    }
    Ok(GameView {
        title: shown.title.to_owned(),
        about,
        columns: shape.columns,
        rows: shape.rows,
        spaces: shape.spaces,
        players: G::PLAYERS,
        start,
        turns,
    })
}

fn placed<G: BoardGame>(game: &G) -> Changes {
    let pieces = game.pieces().into_iter().map(|placed| {
        let side = if placed.piece.side == Side::First { 1 } else { 2 };
        (placed.space, format!("{side}{}", placed.piece.figure))
    });
    pieces.collect()
}

/// Returns what stands afterwards on the spaces that differ.
fn changes(before: &Changes, after: &Changes) -> Changes {
    let gone = before.keys().filter(|space| !after.contains_key(*space));
    let gone = gone.map(|space| (space.clone(), String::new()));
    let new = after.iter().filter(|(space, piece)| before.get(*space) != Some(piece));
    gone.chain(new.map(|(space, piece)| (space.clone(), piece.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_game::toy::TicTacToe;

    #[test]
    fn changes_lead_from_one_position_to_the_next() {
        let of = |pieces: &[(&str, &str)]| -> Changes {
            pieces.iter().map(|(space, piece)| ((*space).into(), (*piece).into())).collect()
        };
        let (before, after) =
            (of(&[("a1", "1X"), ("b1", "2O")]), of(&[("b1", "1X"), ("c1", "2O")]));
        assert_eq!(changes(&before, &after), of(&[("a1", ""), ("b1", "1X"), ("c1", "2O")]));
        assert!(changes(&after, &after).is_empty());
    }

    #[test]
    fn a_game_that_cannot_be_read_is_an_error() {
        let shown = ShownGame { row: 0, title: "x", text: "no game".into() };
        assert!(replay::<TicTacToe>(&shown, String::new()).is_err());
    }
}
