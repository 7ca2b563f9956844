//! Settings and hashes, and how to recompute the report.

use super::*;
use fusion_results::run_folder::RunFolder;
use serde::Serialize;

/// Renders names and values, one pair a line.
pub(super) fn pairs<K: Serialize, V: Serialize>(pairs: &[(K, V)]) -> Block {
    list("pairs.html.j2", pairs)
}

/// Returns the SHA-256 of every input of the report.
fn hashes(run: &RunFolder) -> Vec<(String, &str)> {
    let mut hashes = vec![("games.csv".to_owned(), run.games_hash.as_str())];
    hashes.extend(run.pool.iter().map(|pool| ("openings.csv".to_owned(), pool.hash.as_str())));
    hashes.extend(run.endgames.iter().map(|of| ("endgames.csv".to_owned(), of.hash.as_str())));
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

pub(super) fn page(report: &Report) -> Section {
    let run = &report.run;
    let entries = run.measured.as_ref().map_or(&[][..], |measured| &measured.entries);
    let values = context! {
        hashes => Value::from(Serde(hashes(run))),
        settings => Value::from(Serde(entries)),
        study_file => run.study.as_deref(),
    };
    Section::new("settings", "Settings", "Settings and hashes")
        .folded()
        .with([Block::Template("settings.html.j2", values)])
}

pub(super) fn recompute_page(report: &Report) -> Section {
    let section = Section::unlisted("recompute", "Recompute it").folded();
    let values = context! {
        moves => report.run.game.games_file(),
    };
    section.with([Block::Template("recompute.html.j2", values)])
}
