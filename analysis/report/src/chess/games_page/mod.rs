//! `games.html`: every game of a run on one self-contained page, with filters, a board and the
//! PGN to copy.
//!
//! The page has no rules. It holds the engine's moves as squares and pieces that change,
//! compressed, in the few bytes that `moves` describes. A table of the games comes first.

mod moves;
mod read;
mod select;
mod table;

use super::viewer;
use crate::html::{self, json_in_script};
use anyhow::Context;
use base64ct::{Base64, Encoding};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use fusion_print::format::{count, counted};
use fusion_print::progress::Progress;
use fusion_results::run_folder::RunFolder;
use select::Measurement;
use serde::Serialize;
use std::io::Write;

/// Name of the page's file.
pub const NAME: &str = "games.html";
/// Maximum number of games on a page; about six megabytes.
pub const MOST_GAMES: usize = 40_000;
/// Number of games in a block. The page can decode each block separately, so one game does not
/// require all others.
const BLOCK: usize = 64;

/// Input of the page's script.
#[derive(Serialize)]
struct Model {
    /// Number of bytes of the table, which comes first.
    table: usize,
    /// Number of bytes of each stream of moves, in order.
    streams: Vec<usize>,
    block: usize,
    /// Table and streams: `deflate` without a header, in Base64.
    data: String,
}

#[derive(Serialize)]
struct Page<'a> {
    study: &'a str,
    /// Address of the page on which people play.
    play_page: Option<&'a str>,
    version: &'static str,
    lead: String,
    notes: Vec<String>,
    model: String,
    styles: [&'a str; 3],
    scripts: [&'static str; 4],
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
    let shown: usize = measurements.iter().map(|measurement| measurement.wanted.len()).sum();
    let progress = Progress::new("reading the games for games.html", shown);
    let mut table = table::Table::default();
    let mut encoder = moves::Encoder::default();
    for measurement in &measurements {
        let Some(path) = measurement.moves else { continue };
        let mut games = read::read(path, measurement, &progress)?;
        games.sort_by_key(|game| measurement.place(game.row));
        for game in games {
            if table.games() % BLOCK == 0 {
                table.begin_block(encoder.lengths());
            }
            table.push(measurement, &game);
            encoder.append(&game.moves);
        }
    }
    drop(progress);
    let model = model(&table, &encoder)?;
    page(run, play_page, &measurements, first_opening, &model)
}

fn model(table: &table::Table, encoder: &moves::Encoder) -> anyhow::Result<String> {
    let table = serde_json::to_vec(table)?;
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::best());
    deflate.write_all(&table)?;
    deflate.write_all(&encoder.bytes())?;
    let data = Base64::encode_string(&deflate.finish()?);
    let model = Model { table: table.len(), streams: encoder.lengths(), block: BLOCK, data };
    Ok(json_in_script(&serde_json::to_string(&model)?))
}

fn page(
    run: &RunFolder,
    play_page: Option<&str>,
    measurements: &[Measurement],
    first_opening: u64,
    model: &str,
) -> anyhow::Result<String> {
    let environment = html::environment([
        viewer::FIGURES,
        ("viewer.html.j2", include_str!("../viewer/viewer.html.j2")),
        ("games.html.j2", include_str!("games.html.j2")),
    ])?;
    let style = html::style(run.game);
    let page = Page {
        study: &run.name,
        play_page,
        version: env!("CARGO_PKG_VERSION"),
        lead: lead(measurements),
        notes: notes(measurements, first_opening),
        model: model.to_owned(),
        styles: [&style, viewer::STYLE, include_str!("games.css")],
        scripts: [
            viewer::BOARD,
            include_str!("replay.js"),
            include_str!("list.js"),
            include_str!("games.js"),
        ],
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
fn notes(measurements: &[Measurement], first_opening: u64) -> Vec<String> {
    let mut notes = Vec::new();
    for measurement in measurements {
        let name = measurement.name;
        let games = |number: usize| counted(number as u64, "game");
        let all = measurement.rows.len();
        if measurement.moves.is_none() {
            notes.push(format!("{name}: {} without moves, for there is no games.pgn.", games(all)));
            continue;
        }
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
