//! `games.html`: every game of a run on one self-contained page, with filters, a board and the
//! text to copy.
//!
//! The page has no rules: it holds the games as the module `viewer` packs them. A table of the games
//! comes first.

mod read;
mod select;

use crate::html;
use crate::viewer::{self, Encoder, Table};
use anyhow::Context;
use fusion_game::BoardGame;
use fusion_print::format::{count, counted};
use fusion_print::progress::Progress;
use fusion_registry::for_game;
use fusion_results::run_folder::RunFolder;
use select::Measurement;
use serde::Serialize;

pub use crate::viewer::GAMES_PAGE as NAME;

/// Maximum number of games on a page; about six megabytes.
pub const MOST_GAMES: usize = 40_000;
/// Number of games in a block. The page can decode each block separately, so one game does not
/// require all others.
const BLOCK: usize = 64;

#[derive(Serialize)]
struct Page<'a> {
    study: &'a str,
    /// Address of the page on which people play.
    play_page: Option<&'a str>,
    version: &'static str,
    lead: String,
    notes: Vec<String>,
    model: String,
    players: [&'static str; 2],
    figures: &'static str,
    games_file: &'static str,
    styles: [&'a str; 3],
    scripts: [&'a str; 4],
}

/// Returns whether a run has any moves to show.
#[must_use]
pub fn has_moves(run: &RunFolder) -> bool {
    run.moves.is_some() || run.extras.iter().any(|extra| extra.moves.is_some())
}

/// Renders the page of a run's games from an opening on: all games, or as many as fit. The boards
/// link to the page on which people play, if its address is given.
///
/// # Errors
/// Fails if the moves cannot be read or are not those of the games.
pub fn render(
    run: &RunFolder,
    play_page: Option<&str>,
    first_opening: u64,
) -> anyhow::Result<String> {
    let measurements = select::select(&select::sources(run), first_opening, MOST_GAMES);
    let model = for_game!(run.game.known(), G => model::<G>(&measurements)?);
    page(run, play_page, &measurements, first_opening, model)
}

/// Reads the games of the measurements and packs them.
fn model<G: BoardGame>(measurements: &[Measurement]) -> anyhow::Result<String> {
    let shown: usize = measurements.iter().map(|measurement| measurement.wanted.len()).sum();
    let progress = Progress::new("reading the games for games.html", shown);
    let mut table = Table::new::<G>(BLOCK);
    let mut encoder = Encoder::default();
    for measurement in measurements {
        let Some(path) = measurement.moves else { continue };
        let mut games = read::read::<G>(path, measurement, &mut encoder, &progress)?;
        games.sort_by_key(|game| measurement.place(game.row));
        for read::PageGame { row, head, moves } in games {
            let row = &measurement.rows[row];
            table.push(measurement.name, row, row.plies, &moves, || encoder.lengths());
            table.push_head(&head);
            encoder.append(&moves);
        }
    }
    encoder.pack(&table)
}

fn page(
    run: &RunFolder,
    play_page: Option<&str>,
    measurements: &[Measurement],
    first_opening: u64,
    model: String,
) -> anyhow::Result<String> {
    let environment =
        html::environment([viewer::TEMPLATE, ("games.html.j2", include_str!("games.html.j2"))])?;
    let (style, board) = (html::style(run.game), viewer::board_script());
    let page = Page {
        study: &run.name,
        play_page,
        version: env!("CARGO_PKG_VERSION"),
        lead: lead(measurements),
        notes: notes(measurements, first_opening, run.game.games_file()),
        model,
        players: run.game.players(),
        figures: run.game.figures(),
        games_file: run.game.games_file(),
        styles: [&style, viewer::STYLE, include_str!("games.css")],
        scripts: [&board, viewer::DATA, include_str!("list.js"), include_str!("games.js")],
    };
    environment
        .get_template("games.html.j2")
        .and_then(|template| template.render(minijinja::value::Serde(page)))
        .context("rendering games.html")
}

/// Returns a sentence on the page's contents.
fn lead(measurements: &[Measurement]) -> String {
    let shown: usize = measurements.iter().map(|m| m.wanted.len()).sum();
    let all: usize = measurements.iter().map(|m| m.rows.len()).sum();
    let of = counted(measurements.len() as u64, "measurement");
    if shown == all {
        format!("All {} of this run, from {of}.", counted(all as u64, "game"))
    } else {
        format!(
            "{} of the {} games of this run, from {of}.",
            count(shown as u64),
            count(all as u64)
        )
    }
}

/// Returns which games are left out, why, and how to see them.
fn notes(measurements: &[Measurement], first_opening: u64, file: &str) -> Vec<String> {
    let games = |number: usize| counted(number as u64, "game");
    let without: Vec<String> = measurements
        .iter()
        .filter(|measurement| measurement.moves.is_none())
        .map(|measurement| format!("{} ({})", measurement.name, games(measurement.rows.len())))
        .collect();
    let mut notes = Vec::new();
    if !without.is_empty() {
        notes.push(format!("Without moves, for there is no {file}: {}.", without.join(", ")));
    }
    for measurement in measurements.iter().filter(|measurement| measurement.moves.is_some()) {
        let name = measurement.name;
        let all = measurement.rows.len();
        if measurement.before > 0 {
            notes.push(format!(
                "{name}: {} from openings below {first_opening} are left out, as asked for.",
                games(measurement.before)
            ));
        }
        if let Some(next) = measurement.next {
            notes.push(format!(
                "{name}: {} from opening {next} on are left out, for a page holds at most {} games. To see them: fusion games FOLDER --from {next}",
                games(all - measurement.before - measurement.wanted.len()),
                count(MOST_GAMES as u64)
            ));
        }
    }
    notes
}
