//! Analysis of a measurement run: tables, plots and the report. The formulas are in
//! `fusion_statistics`.
//!
//! [`run`] does all steps. [`run_folder`] reads and checks the files. [`arms`] and [`pairs`]
//! compute the statistics. [`verdict`] and [`checks`] judge them. [`report`] holds all results. The
//! sections make tables, figures and prose from it, which [`terminal`], [`csv_files`] and [`html`]
//! render. [`table`] is the model of a table.
//!
//! [`plan`] describes a study before it is played. [`compare`] compares two runs. [`chess`] has all
//! that only chess games have, and [`registry`] what a report needs from its game.

pub mod ablations;
pub mod arms;
pub mod calibration;
pub mod checks;
pub mod chess;
pub mod compare;
pub mod csv_files;
pub mod curves;
pub mod elsewhere;
mod figures;
pub mod format;
pub mod games;
mod gates;
pub mod html;
mod many;
pub mod null_checks;
pub mod output;
pub mod pairs;
pub mod plan;
pub mod progress;
pub mod publish;
pub mod registry;
pub mod report;
pub mod run_folder;
mod sections;
pub mod table;
pub mod terminal;
pub mod text;
pub mod toggles;
pub mod trends;
pub mod verdict;
pub mod white;

use chess::games_page;
use fusion_jobs::stop::Stop;
use std::io::Write;
use std::path::Path;

/// Analyses the run in `run_dir`, writes `report/*.csv` and `report.html` into `out`, and prints
/// the tables.
///
/// Tables of an earlier report that this report lacks are removed.
///
/// # Errors
/// Fails if input is missing or damaged, if `out` cannot be written, or on a request to stop.
pub fn run(
    run_dir: &Path,
    out: &Path,
    options: report::Options,
    terminal: &mut impl Write,
) -> anyhow::Result<()> {
    let folder = run_folder::RunFolder::open(run_dir)?;
    let report = report::Report::new(folder, options)?;
    write(out, &report, None, terminal)
}

/// Does the same as [`run`] and writes `games.html`, the page of all games from a given opening on.
///
/// The page is not written if there are no moves.
///
/// # Errors
/// Fails if [`run`] would fail, or if the moves do not belong to the games.
pub fn run_with_games(
    run_dir: &Path,
    out: &Path,
    options: report::Options,
    first_opening: u64,
    terminal: &mut impl Write,
) -> anyhow::Result<()> {
    let folder = run_folder::RunFolder::open(run_dir)?;
    let report = report::Report::new(folder, options)?;
    let games = games_page::has_moves(&report.run)
        .then(|| games_page::render(&report.run, first_opening))
        .transpose()?;
    write(out, &report, games.as_deref(), terminal)
}

fn write(
    out: &Path,
    report: &report::Report,
    games: Option<&str>,
    terminal: &mut impl Write,
) -> anyhow::Result<()> {
    // All outputs are rendered before the first is written.
    let tables = csv_files::tables(report)?;
    let page = match games {
        Some(_) => html::render_beside_games(report)?,
        None => html::render(report)?,
    };
    Stop::of_process().check_unsaved()?;
    let csv_dir = out.join("report");
    output::create_folder(&csv_dir)?;
    for (name, bytes) in &tables {
        output::write_atomically(&csv_dir.join(name), bytes)?;
    }
    // An earlier report may have had more tables.
    for name in csv_files::names().map(csv_files::file_name) {
        if tables.iter().all(|(written, _)| *written != name) {
            output::remove(&csv_dir.join(name))?;
        }
    }
    let games_path = out.join(games_page::NAME);
    match games {
        Some(games) => output::write_atomically(&games_path, games.as_bytes())?,
        // The page of an earlier report would show other games.
        None => output::remove(&games_path)?,
    }
    let page_path = out.join("report.html");
    output::write_atomically(&page_path, page.as_bytes())?;
    write!(terminal, "{}", terminal::render(report, text::width()))?;
    if games.is_some() {
        writeln!(terminal, "All games: {}", text::file_link(&games_path))?;
    }
    write!(terminal, "{}", terminal::where_it_is(&page_path))?;
    Ok(terminal.flush()?)
}
