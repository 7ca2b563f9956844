//! Tests where the results of a study go, and where its relative paths lead.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::command::{fail, succeed};

const STUDY: &str = "[study]\nname = 'places'\n[network]\nfile = 'nets/mine.fnet'\n[openings]\n\
                     count = 2\nplies = [2, 2]\nnodes = 1\n[measure]\nrules = ['orthodox', \
                     'orthodox,start=mine.fen']\nnodes = [1]\ncap = 120\n[strength]\ngames = 2\nnodes = \
                     1\ncap = 120\n";
const FEN: &str = "rnbmkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBMKBNR w KQkq -\n";
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Makes a folder with a study, its network and its start position, and an empty folder beside.
fn folders(study: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("mine/nets")).unwrap();
    fs::create_dir(at("here")).unwrap();
    fs::write(at("mine/study.toml"), study).unwrap();
    fs::write(at("mine/mine.fen"), FEN).unwrap();
    fs::copy(Path::new(ROOT).join("data/nets/family.fnet"), at("mine/nets/mine.fnet")).unwrap();
    folder
}

#[test]
fn results_are_below_the_current_folder_and_paths_beside_the_study() {
    let folder = folders(STUDY);
    let here = folder.path().join("here").canonicalize().unwrap();
    let out = here.join("runs/places").display().to_string();
    let checked = succeed(&here, "check ../mine/study.toml");
    assert_eq!(checked.lines().next(), Some(&*out));
    let planned = succeed(&here, "plan ../mine/study.toml --no-calibration");
    assert!(planned.replace('\n', "").contains(&out), "{planned}");
    let said = succeed(&here, "study ../mine/study.toml");
    assert!(said.contains(&format!("results go to {out}\n")), "{said}");
    assert!(here.join("runs/places/report.html").is_file());
    // The copy in the run stands for the run, wherever it is read.
    let copy = here.join("runs/places/study.toml");
    let text = fs::read_to_string(&copy).unwrap();
    assert!(text.starts_with("[study]\nrelative_to = \""), "{text}");
    for line in ["steps", "study"] {
        let said = succeed(folder.path(), &format!("{line} {}", copy.display()));
        assert!(!said.contains("measure 0"), "{said}");
    }
    assert!(!folder.path().join("runs").exists());
    assert_eq!(fs::read_to_string(&copy).unwrap(), text);
    // A report reads the rule sets of the games, whose start position lies beside the study.
    succeed(folder.path(), "report here/runs/places");
    // The same command continues, and finds everything done.
    succeed(&here, "study ../mine/study.toml");
    succeed(&here, "measure --study ../mine/study.toml");
}

#[test]
fn a_study_may_name_its_folder() {
    let named = STUDY.replace("'places'\n", "'places'\nout = '../results'\n");
    let folder = folders(&named);
    let here = folder.path().join("here");
    let said = succeed(&here, "study ../mine/study.toml");
    assert!(
        said.contains(&format!("results go to {}/results\n", folder.path().display())),
        "{said}"
    );
    assert!(folder.path().join("results/report.html").is_file());
    assert!(!here.join("runs").exists() && !folder.path().join("mine/runs").exists());
    let missing = succeed(&here, "status ../results");
    assert!(missing.contains("measure"), "{missing}");
    fs::remove_file(folder.path().join("mine/nets/mine.fnet")).unwrap();
    fail(&here, "check ../mine/study.toml", 66, "network.file: network file ");
}

#[test]
fn shipped_files_are_found_from_everywhere() {
    let rules = "[measure]\nrules = ['orthodox', 'orthodox,start=data/starts/shuffled.fen']\n";
    let named = format!("[study]\nname = 'a'\n[network]\nfile = 'data/nets/family.fnet'\n{rules}");
    for text in [&named, &format!("[study]\nname = 'a'\n{rules}")] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.toml"), text).unwrap();
        let said = succeed(folder.path(), "check a.toml");
        assert!(said.trim_end().ends_with("/data/nets/family.fnet"), "{said}");
    }
    let family = format!("check {ROOT}/data/studies/family.toml");
    let said = succeed(tempfile::tempdir().unwrap().path(), &family);
    assert!(said.contains("/runs/family\n") && said.contains("/data/nets/family.fnet"), "{said}");
}

/// Blanks in the folder of the study and in the name of a program.
#[test]
fn programs_beside_the_study_are_found_in_quotes() {
    let folder = folders(STUDY);
    let here = folder.path().join("here");
    let studies = folder.path().join("my studies");
    fs::rename(folder.path().join("mine"), &studies).unwrap();
    for name in ["engine", "my engine"] {
        fs::write(studies.join(name), "").unwrap();
    }
    let write = |program: &str| {
        let text = STUDY.replace("'places'\n", "'places'\nrelative_to = '../my studies'\n");
        let text = format!("{text}[matches.y]\nopponent = \"uci:{program}\"\n");
        fs::write(here.join("study.toml"), text).unwrap();
    };
    for program in ["./engine -x?nodes=3", "'./my engine' -x?nodes=3", "./my\\\\ engine"] {
        write(program);
        succeed(&here, "check study.toml");
    }
    write("'./no engine'");
    fail(&here, "check study.toml", 66, "no engine");
}

/// A program that was copied from a checkout has the shipped networks and studies in itself.
#[test]
fn a_copied_program_needs_no_checkout() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::copy(env!("CARGO_BIN_EXE_fusion"), at("fusion")).unwrap();
    let study = STUDY.replace("[network]\nfile = 'nets/mine.fnet'\n", "");
    fs::create_dir(at("elsewhere")).unwrap();
    fs::write(at("elsewhere/small.toml"), study.replace(",start=mine.fen", ",castling=no"))
        .unwrap();
    let run = |line: &str| {
        let mut program = Command::new(at("fusion"));
        let done = program.args(line.split(' ')).current_dir(folder.path()).output().unwrap();
        assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
    };
    run("study elsewhere/small.toml");
    assert!(at("runs/places/report.html").is_file());
    run("report runs/places");
    run("plan --no-calibration data/studies/quick.toml");
    run("check data/studies/reference.toml");
    run(
        "match --rules orthodox --first pvs:data/nets/family-pvs.fnet --second data/nets/family.fnet --games 2 --nodes 1 --cap 20 --out m",
    );
}
