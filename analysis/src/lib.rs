//! From the games of a measurement run to an answer: tables, plots and the report. The
//! formulas are in `fusion_statistics`.
//!
//! [`run`] does it all. The steps: [`run_folder`] reads and checks the files, [`arms`]
//! and [`pairs`] compute, [`verdict`] and [`checks`] judge, [`report`] holds the whole,
//! and [`terminal`], [`csv_files`] and [`html`] give it form.
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
pub mod format;
pub mod games;
mod gates;
pub mod html;
pub mod inert;
pub mod null_checks;
pub mod output;
pub mod pairs;
pub mod plan;
pub mod positions;
pub mod publish;
pub mod report;
mod rows;
pub mod run_folder;
pub mod terminal;
pub mod text;
pub mod toggles;
pub mod trends;
pub mod values;
pub mod verdict;
pub mod white;

use fusion_selfplay::stop::Stop;
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
    // Everything is made before anything is written.
    let (tables, page) = (csv_files::tables(&report)?, html::render(&report)?);
    Stop::of_process().check_unsaved()?;
    let csv_dir = out.join("report");
    output::create_folder(&csv_dir)?;
    for (name, bytes) in &tables {
        output::write_atomically(&csv_dir.join(name), bytes)?;
    }
    // An earlier report may have had more tables.
    for name in csv_files::NAMES {
        if tables.iter().all(|(written, _)| *written != name) {
            output::remove(&csv_dir.join(name))?;
        }
    }
    let page_path = out.join("report.html");
    output::write_atomically(&page_path, page.as_bytes())?;
    write!(terminal, "{}", terminal::render(&report, text::width()))?;
    write!(terminal, "{}", terminal::where_it_is(&page_path))?;
    Ok(terminal.flush()?)
}
