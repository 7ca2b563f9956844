//! From the games of a measurement run to an answer: tables, plots and the report. The
//! formulas are in `fusion_statistics`.
//!
//! [`run`] does it all. The steps: [`run_folder`] reads and checks the files, [`arms`]
//! and [`pairs`] compute, [`verdict`] and [`checks`] judge, [`report`] holds the whole,
//! and the sections make its tables, figures and prose, which [`terminal`], [`csv_files`] and
//! [`html`] give form. [`table`] is the model of a table.
//!
//! [`plan`] looks ahead instead, at a study that has not been played yet, and [`compare`] puts
//! two runs side by side.

pub mod ablations;
pub mod arms;
pub mod calibration;
pub mod checks;
pub mod compare;
pub mod csv_files;
pub mod curves;
pub mod elsewhere;
pub mod endgames;
mod figures;
pub mod format;
pub mod games;
pub mod games_page;
mod gates;
pub mod html;
pub mod inert;
mod many;
pub mod null_checks;
pub mod output;
pub mod pairs;
pub mod plan;
pub mod positions;
pub mod progress;
pub mod publish;
pub mod registry;
pub mod report;
pub mod run_folder;
mod sections;
pub mod table;
pub mod telling;
pub mod terminal;
pub mod text;
pub mod toggles;
pub mod trends;
pub mod values;
pub mod verdict;
pub mod white;

use fusion_jobs::stop::Stop;
use std::io::Write;
use std::path::Path;

/// Analyses the run in `run_dir`, writes `report/*.csv` and `report.html` into `out`, and
/// prints the tables. Tables that an earlier report had and this one has not are removed.
///
/// # Errors
/// Missing or damaged input, an `out` that cannot be written, or a request to stop.
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

/// [`run`], and `games.html`, the page of all games, from an opening on; none where there are no
/// moves.
///
/// # Errors
/// As [`run`], and moves that are not those of the games.
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
    // Everything is made before anything is written.
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
    for name in csv_files::NAMES.split(' ').map(csv_files::file_name) {
        if tables.iter().all(|(written, _)| *written != name) {
            output::remove(&csv_dir.join(name))?;
        }
    }
    let games_path = out.join(games_page::NAME);
    match games {
        Some(games) => output::write_atomically(&games_path, games.as_bytes())?,
        // An earlier report's page would be of other games.
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
