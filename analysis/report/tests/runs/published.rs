//! Tests that the tables of the published studies follow from their games.

use fusion_report::{csv_files, html};
use fusion_results::pairs::Inference;
use fusion_results::report::{Options, Report};
use fusion_results::run_folder::RunFolder;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[test]
fn the_study_of_draws_by_many_players_is_reproduced_from_its_games() {
    is_reproduced("players");
}

#[test]
fn the_study_of_the_family_is_reproduced_from_its_games() {
    is_reproduced("family");
}

#[test]
fn the_studies_of_games_based_on_fusion_chess_are_reproduced_from_their_games() {
    for game in ["bedlam", "fusion-chessgi", "mini-thunder", "thunder"] {
        is_reproduced(&format!("fusion-family/{game}"));
    }
}

#[test]
fn the_study_of_the_changes_that_alphazero_played_is_reproduced_from_its_games() {
    is_reproduced("alphazero-variants");
}

#[test]
fn the_study_of_single_changes_is_reproduced_from_its_games() {
    is_reproduced("which-rule");
}

#[test]
fn the_study_of_placebo_toggles_is_reproduced_from_its_games() {
    is_reproduced("placebo");
}

#[test]
fn the_study_of_unfiltered_openings_is_reproduced_from_its_games() {
    is_reproduced("robust");
}

#[test]
fn the_study_of_one_sided_rules_is_reproduced_from_its_games() {
    is_reproduced("utility");
}

#[test]
fn the_study_of_freechess_is_reproduced_from_its_games() {
    is_reproduced("freechess");
}

#[test]
fn the_study_of_chesimal_is_reproduced_from_its_games() {
    is_reproduced("chesimal");
}

/// Rule sets of a file differ in options that are no toggles, such as which pieces may merge.
#[test]
fn a_report_has_all_options_in_which_games_of_a_file_differ() {
    let studies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/studies");
    let run = RunFolder::open(&studies.join("fusion-family/fusion-chessgi")).unwrap();
    let inference = Inference { resamples: 100, seed: 1, ..Inference::default() };
    let report =
        Report::new(run, Options { primary: None, inference, page_openings: None }).unwrap();
    let page = html::render(&report, html::Links::default()).unwrap();
    for option in ["fission", "fusionMovers", "fusionTargets", "startFen"] {
        assert!(page.contains(&format!("({option})")), "{option}");
    }
    assert!(!page.contains("(nMoveRule)"), "both have the same");
}

/// Returns the files that have checksums in the list.
fn listed(folder: &Path) -> BTreeSet<String> {
    let list = fs::read_to_string(folder.join("SHA256SUMS")).unwrap();
    list.lines().map(|line| line.split_once("  ").unwrap().1.to_owned()).collect()
}

/// Returns the files in a folder from which the report is made. The report's own files are left
/// out.
fn files(root: &Path, folder: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        if path.is_dir() && name != "report" {
            names.extend(files(root, &path));
        } else if !["README.md", "SHA256SUMS", "report", "report.html"].contains(&name.as_str()) {
            names.insert(name);
        }
    }
    names
}

fn is_reproduced(name: &str) {
    let studies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/studies");
    let folder = studies.join(name);
    // The configuration in the repository must be the one that was played.
    let study = fs::read_to_string(studies.join(name).with_extension("toml")).unwrap();
    assert_eq!(fs::read_to_string(folder.join("study.toml")).unwrap(), study);
    // These are the program's defaults.
    let inference = Inference { resamples: 10_000, seed: 2020, ..Inference::default() };
    assert_eq!(listed(&folder), files(&folder, &folder));
    let run = RunFolder::open(&folder).unwrap();
    let report =
        Report::new(run, Options { primary: None, inference, page_openings: None }).unwrap();
    let tables = csv_files::tables(&report).unwrap();
    for (name, bytes) in &tables {
        let published = fs::read_to_string(folder.join("report").join(name)).unwrap();
        let made = String::from_utf8(bytes.clone()).unwrap();
        for (line, (published, made)) in (1..).zip(published.lines().zip(made.lines())) {
            assert_eq!(published, made, "{name}, line {line}");
        }
        assert_eq!(published.len(), made.len(), "{name}");
    }
    let names: BTreeSet<String> = tables.iter().map(|(name, _)| name.clone()).collect();
    let files = fs::read_dir(folder.join("report")).unwrap();
    let published = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(names, published, "no table is left over");
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    for link in page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        let is_file = !link.starts_with('#') && !link.contains(':');
        assert!(!is_file || folder.join(link).exists(), "the page links to {link}");
    }
}
