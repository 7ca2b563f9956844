//! The published studies: their tables are what their games give.

use fusion_analysis::csv_files;
use fusion_analysis::pairs::Resampling;
use fusion_analysis::report::{Options, Report};
use fusion_analysis::run_folder::RunFolder;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[test]
fn the_2020_study_is_reproduced_from_its_games() {
    is_reproduced("rules-2020");
}

#[test]
fn the_study_of_the_family_is_reproduced_from_its_games() {
    is_reproduced("family");
}

fn is_reproduced(name: &str) {
    let studies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/studies");
    let folder = studies.join(name);
    // The configuration that the repository shows is the one that was played.
    let study = fs::read_to_string(studies.join(name).with_extension("toml")).unwrap();
    assert_eq!(fs::read_to_string(folder.join("study.toml")).unwrap(), study);
    // As the program's own defaults are.
    let resampling = Resampling { resamples: 10_000, seed: 2020 };
    assert!(folder.join("SHA256SUMS").is_file());
    let run = RunFolder::open(&folder).unwrap();
    let report = Report::new(run, Options { primary: None, resampling }).unwrap();
    let tables = csv_files::tables(&report).unwrap();
    for (name, bytes) in &tables {
        let published = fs::read_to_string(folder.join("report").join(name)).unwrap();
        let made = String::from_utf8(bytes.clone()).unwrap();
        for (line, (published, made)) in (1..).zip(published.lines().zip(made.lines())) {
            assert_eq!(published, made, "{name}, line {line}");
        }
        assert_eq!(published.len(), made.len(), "{name}");
    }
    let names: BTreeSet<String> = tables.iter().map(|(name, _)| (*name).to_owned()).collect();
    let files = fs::read_dir(folder.join("report")).unwrap();
    let published = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(names, published, "no table is left over");
}
