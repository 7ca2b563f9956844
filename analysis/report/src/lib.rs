//! The report of a run: sections with tables, figures and prose, as a page, as text and as CSV
//! files. The numbers are in `fusion_results`, the formulas in `fusion_statistics`.
//!
//! [`run`] does all steps. The sections describe what the report says, which [`terminal`],
//! [`csv_files`] and [`html`] render. [`games_page`] has all games of a run. [`publish`] writes a
//! run for publication, and [`watch`] shows one that is being played.

mod chess;
pub mod csv_files;
mod figures;
mod game_sections;
pub mod games_page;
pub mod html;
mod labels;
mod many;
pub mod publish;
mod section;
mod sections;
pub mod terminal;
mod viewer;
pub mod watch;

use fusion_jobs::exit::Failure;
use fusion_jobs::stop::Stop;
use fusion_print::{output, text};
use fusion_results::report::{Options, Report};
use fusion_results::run_folder::RunFolder;
use html::Links;
use std::path::Path;

/// Name of the page on which people play, if it lies beside a report.
const PLAY_PAGE: &str = "play.html";

/// What is written beside the report, and linked from it.
#[derive(Clone, Debug, Default)]
pub struct Pages {
    /// First opening of `games.html`; `None` writes no such page.
    pub first_opening: Option<u64>,
    /// Address of the page on which people play. Without one, boards link to `play.html` if it lies in the
    /// folder of the report.
    pub play_page: Option<String>,
}

impl Pages {
    /// Returns the address to which the boards of a report in this folder link.
    fn play_page(&self, out: &Path) -> Result<Option<String>, Failure> {
        let Some(address) = &self.play_page else {
            return Ok(out.join(PLAY_PAGE).exists().then(|| PLAY_PAGE.to_owned()));
        };
        // Any other scheme, such as `javascript:`, would make the link run something.
        let scheme = address.split(['/', '?', '#']).next().is_some_and(|first| first.contains(':'));
        let is_web = ["http://", "https://", "file://"].iter().any(|web| address.starts_with(web));
        if address.is_empty() || address.contains('#') || (scheme && !is_web) {
            let expected = "expected a path or an address of http, https or file, without `#`";
            return Err(Failure::usage(format!("--play-page \"{address}\": {expected}")));
        }
        Ok(Some(address.clone()))
    }
}

/// Analyses the run in `run_dir` and writes `report/*.csv` and `report.html` into `out`. Returns
/// the report with the names and links of the written pages.
///
/// With the number of an opening, [`Pages::first_opening`], it also writes `games.html`, the page of all games from this
/// opening on, unless there are no moves. Tables of an earlier report that this report lacks are
/// removed.
///
/// # Errors
/// Fails if input is missing or damaged, if the moves do not belong to the games, if `out` cannot
/// be written, or on a request to stop.
pub fn run(
    run_dir: &Path,
    out: &Path,
    options: Options,
    pages: &Pages,
) -> anyhow::Result<(Report, Vec<String>)> {
    let report = Report::new(RunFolder::open(run_dir)?, options)?;
    let play_page = pages.play_page(out)?;
    let first_opening = pages.first_opening.filter(|_| games_page::has_moves(&report.run));
    let games = first_opening
        .map(|first| games_page::render(&report.run, play_page.as_deref(), first))
        .transpose()?;
    let links = write(out, &report, play_page.as_deref(), games.as_deref())?;
    Ok((report, links))
}

/// Writes `games.html`, the page of a run's games from an opening on, into `out`, without a report.
/// Returns its name and link. `pages` is as for [`run`]; without a first opening it begins with the
/// first of the run.
///
/// # Errors
/// Fails if the run has no moves (exit code 64), if input is missing or
/// damaged, if `out` cannot be written, or on a request to stop.
pub fn write_games(run_dir: &Path, out: &Path, pages: &Pages) -> anyhow::Result<String> {
    let run = RunFolder::open(run_dir)?;
    if !games_page::has_moves(&run) {
        let reason = "has no moves: publications may leave them out";
        return Err(Failure::usage(format!("{} {reason}", run_dir.display())).into());
    }
    let play_page = pages.play_page(out)?;
    let first = pages.first_opening.unwrap_or_default();
    let page = games_page::render(&run, play_page.as_deref(), first)?;
    Stop::of_process().check_unsaved()?;
    output::create_folder(out)?;
    let path = out.join(games_page::NAME);
    output::write_atomically(&path, page.as_bytes())?;
    Ok(format!("All games: {}", text::file_link(&path)))
}

fn write(
    out: &Path,
    report: &Report,
    play_page: Option<&str>,
    games: Option<&str>,
) -> anyhow::Result<Vec<String>> {
    // All outputs are rendered before the first is written.
    let tables = csv_files::tables(report)?;
    let links = Links { play_page, all_games: games.is_some() };
    let page = html::render(report, links)?;
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
    let mut links = Vec::new();
    let games_path = out.join(games_page::NAME);
    match games {
        Some(games) => {
            output::write_atomically(&games_path, games.as_bytes())?;
            links.push(format!("All games: {}", text::file_link(&games_path)));
        }
        // The page of an earlier report would show other games.
        None => output::remove(&games_path)?,
    }
    let page_path = out.join("report.html");
    output::write_atomically(&page_path, page.as_bytes())?;
    links.push(format!("Report: {}", text::file_link(&page_path)));
    Ok(links)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_link_to_a_page_that_exists_or_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let page = |name: Option<&str>| {
            let pages = Pages { play_page: name.map(str::to_owned), ..Pages::default() };
            pages.play_page(folder.path()).map_err(|failure| failure.to_string())
        };
        assert_eq!(page(None), Ok(None));
        std::fs::write(folder.path().join("play.html"), "").unwrap();
        assert_eq!(page(None), Ok(Some("play.html".into())));
        for good in ["../play.html", "https://example.org/play", "file:///tmp/play.html", "a/b:c"] {
            assert_eq!(page(Some(good)), Ok(Some(good.into())));
        }
        for bad in ["javascript:alert(1)", "data:text/html,x", "", "play.html#rules=orthodox"] {
            assert!(page(Some(bad)).unwrap_err().contains("expected a path"), "{bad}");
        }
    }
}
