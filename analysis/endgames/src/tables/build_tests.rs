use super::build::{Built, Request, Task, build, distinct};
use super::files::{self, Files};
use crate::graph::{Ending, SolvedTables};
use crate::solve::Solver;
use fusion_chess::endgame::Value;
use fusion_chess::rules::RuleSet;
use fusion_jobs::exit::{CORRUPT, exit_code};
use fusion_jobs::stop::Stop;
use std::path::Path;

fn task() -> Task {
    ("fusion-1999".parse().unwrap(), "KRvK".parse().unwrap())
}

fn request(folder: &Path) -> Request {
    Request { out: folder.into(), tasks: vec![task()], keep: 5, verify: true }
}

fn paths(folder: &Path) -> Files {
    let (rules, material) = task();
    Files::new(folder, &material, &rules)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder.join("KRvK")).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Returns the bytes of a table that was built without interruption.
fn whole() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let built = build(&request(folder.path()), &Stop::new()).unwrap();
    assert_eq!(built, Built { present: 0, fresh: 1 });
    std::fs::read(paths(folder.path()).table).unwrap()
}

/// Leaves the file of a build that was interrupted after `plies` plies, changed by `change`.
fn interrupt(folder: &Path, plies: usize, change: impl Fn(&mut Vec<u16>)) {
    let (rules, material) = task();
    let ending = Ending::new(material, rules, &SolvedTables::new()).unwrap();
    let mut solver = Solver::begin(&ending, &Stop::new()).unwrap();
    for _ in 0..plies {
        solver.step(&Stop::new()).unwrap();
    }
    let mut codes = solver.codes();
    change(&mut codes);
    std::fs::create_dir(folder.join("KRvK")).unwrap();
    files::write_codes(&paths(folder).part, &ending.layout, &rules, &codes, false).unwrap();
}

#[test]
fn an_interrupted_build_goes_on() {
    let whole = whole();
    for plies in [0, 7, 20] {
        let folder = tempfile::tempdir().unwrap();
        interrupt(folder.path(), plies, |_| ());
        build(&request(folder.path()), &Stop::new()).unwrap();
        assert!(std::fs::read(paths(folder.path()).table).unwrap() == whole, "{plies}");
        assert_eq!(names(folder.path()), ["fusion-1999.csv", "fusion-1999.fet"]);
    }
}

#[test]
fn what_leads_to_a_contradiction_is_thrown_away() {
    let folder = tempfile::tempdir().unwrap();
    interrupt(folder.path(), 9, |codes| {
        let drawn = codes.iter().position(|&code| code == Value::DRAW).unwrap();
        codes[drawn] = Value::Win(3).code();
    });
    build(&request(folder.path()), &Stop::new()).unwrap();
    assert!(std::fs::read(paths(folder.path()).table).unwrap() == whole());
    assert_eq!(names(folder.path()), ["fusion-1999.csv", "fusion-1999.fet"]);
}

#[test]
fn a_stop_leaves_what_was_saved() {
    let folder = tempfile::tempdir().unwrap();
    interrupt(folder.path(), 5, |_| ());
    let before = std::fs::read(paths(folder.path()).part).unwrap();
    let stop = Stop::new();
    stop.request();
    assert_eq!(exit_code(&build(&request(folder.path()), &stop).unwrap_err()), 75);
    assert!(std::fs::read(paths(folder.path()).part).unwrap() == before);
    assert_eq!(names(folder.path()), ["fusion-1999.fet.part"]);
}

#[test]
fn what_is_not_finished_is_no_table() {
    let folder = tempfile::tempdir().unwrap();
    interrupt(folder.path(), 5, |_| ());
    let Files { table, part, .. } = paths(folder.path());
    std::fs::rename(part, &table).unwrap();
    let (rules, material) = task();
    let error = files::read_table(&table, &material, &rules).unwrap_err();
    assert_eq!(exit_code(&error), CORRUPT);
    assert!(error.to_string().contains("it is not finished"), "{error}");
}

/// The file is as large as the expected one. Only its header identifies it.
#[test]
fn a_part_of_another_ending_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    interrupt(folder.path(), 5, |_| ());
    let Files { part, .. } = paths(folder.path());
    let other: RuleSet = "fusion-2020".parse().unwrap();
    let (rules, material) = task();
    let table = files::read_part(&part, &material, &rules).unwrap().unwrap();
    files::write_codes(&part, &table.layout, &other, &table.codes, false).unwrap();
    let error = build(&request(folder.path()), &Stop::new()).unwrap_err();
    assert_eq!(exit_code(&error), CORRUPT);
    assert!(error.to_string().contains("under fusion-2020, not what its name"), "{error}");
}

#[test]
fn a_summary_in_a_wrong_place_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    build(&request(folder.path()), &Stop::new()).unwrap();
    let Files { summary, .. } = paths(folder.path());
    let text = std::fs::read_to_string(&summary).unwrap();
    std::fs::write(&summary, text.replace("fusion-1999", "fusion-2006")).unwrap();
    let error = build(&request(folder.path()), &Stop::new()).unwrap_err();
    assert_eq!(exit_code(&error), CORRUPT);
    assert!(error.to_string().contains("KRvK under fusion-2006, not what its name"), "{error}");
}

#[test]
fn only_summaries_are_kept_of_large_tables() {
    let folder = tempfile::tempdir().unwrap();
    let request = Request { keep: 2, ..request(folder.path()) };
    build(&request, &Stop::new()).unwrap();
    assert_eq!(names(folder.path()), ["fusion-1999.csv"]);
    assert_eq!(build(&request, &Stop::new()).unwrap(), Built { present: 1, fresh: 0 });
}

#[test]
fn tasks_that_share_a_table_are_one() {
    let tasks = ["orthodox", "no-fusion", "fusion-2020", "fusion-2020,castling=no"]
        .map(|rules| (rules.parse().unwrap(), "KRvK".parse().unwrap()));
    assert_eq!(distinct(&tasks).len(), 2);
}
