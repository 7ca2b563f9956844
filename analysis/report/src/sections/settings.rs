//! Settings and hashes, and how to recompute the report.

use super::{Block, Section, list, template};
use crate::report::Report;
use crate::run_folder::RunFolder;
use serde::Serialize;

/// Names and values, one pair a line.
pub(super) fn pairs<K: Serialize, V: Serialize>(pairs: &[(K, V)]) -> Block {
    list("pairs.html.j2", pairs)
}

/// Everything that the report was made from, by SHA-256.
fn hashes(run: &RunFolder) -> Vec<(String, &str)> {
    let mut hashes = vec![("games.csv".to_owned(), run.games_hash.as_str())];
    hashes.extend(run.pool.iter().map(|pool| ("openings.csv".to_owned(), pool.hash.as_str())));
    let endgames = run.endgames.iter();
    hashes.extend(endgames.map(|file| ("endgames.csv".to_owned(), file.hash.as_str())));
    let mut networks: Vec<&str> = run.games.iter().map(|row| row.network.as_str()).collect();
    networks.sort_unstable();
    networks.dedup();
    hashes.extend(networks.into_iter().map(|network| ("network".to_owned(), network)));
    hashes.extend(
        run.extras
            .iter()
            .map(|extra| (format!("extra/{}/games.csv", extra.name), extra.games_hash.as_str())),
    );
    hashes
}

#[derive(Serialize)]
struct View<'a> {
    hashes: Vec<(String, &'a str)>,
    settings: &'a [(String, String)],
    study_file: Option<&'a str>,
}

pub(super) fn page(report: &Report) -> Section {
    let run = &report.run;
    let view = View {
        hashes: hashes(run),
        settings: run.settings.as_deref().unwrap_or_default(),
        study_file: run.study.as_deref(),
    };
    let section = Section::new("settings", "Settings", "Settings and hashes");
    section.with(template("settings.html.j2", view))
}

pub(super) fn recompute_page() -> Section {
    let section = Section::unlisted("recompute", "Recompute it");
    section.with(Block::Markup(include_str!("recompute.html")))
}
