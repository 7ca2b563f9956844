//! Tests `plan`: its output before anything runs, and its rejections.
//!
//! After an intended change, `INSTA_UPDATE=always cargo test -p fusion-lab` writes the new
//! expectation: read its difference before committing it.

use assert_cmd::Command;
use fusion_chess::FusionGame;
use fusion_plan as plan;
use fusion_print::text::Text;
use fusion_study::Study;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Returns the command that plans a study, in the folder where paths in studies begin.
fn command(study: &Path) -> Command {
    let mut command = Command::cargo_bin("fusion").unwrap();
    command.current_dir(root()).arg("plan").arg(study);
    command
}

/// A study of two small measurements that need no network.
const STUDY: &str = r#"
    [study]
    name = "small"
    out = "OUT"
    [network]
    file = "material"
    [openings]
    count = 20
    [measure]
    rules = ["fusion-2020", "orthodox"]
    nodes = [4, 2]
    stop = { alpha = 0.05, every = 10 }
    [extra.toggles]
    factorial = ["castling", "king-fuses", "attacked-split"]
    games = 10
    [extra.own]
    own_plies = 6
    ablate = "fusion-2020"
    [random]
    games = 50
    [strength]
    opponent = "uniform"
    games = 20
    nodes = 4
"#;

fn written(text: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let text = text.replace("OUT", &out.to_string_lossy());
    fs::write(folder.path().join("study.toml"), text).unwrap();
    folder
}

/// Runs a plan that must succeed, and returns its output.
fn printed(folder: &TempDir, arguments: &[&str]) -> String {
    let study = folder.path().join("study.toml");
    let output = command(&study).args(arguments).assert().success();
    String::from_utf8(output.get_output().stdout.clone()).unwrap()
}

fn rejected(mut command: Command, code: i32, parts: &[&str]) {
    let output = command.assert().failure().code(code).get_output().clone();
    let message = String::from_utf8(output.stderr).unwrap();
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in: {message}");
    }
    assert!(!message.contains("panicked"), "{message}");
}

#[test]
fn text_of_a_study() {
    let study = Study::parse(&STUDY.replace("count = 20", "count = 3800")).unwrap();
    let mut text = Text::default();
    plan::write::<FusionGame>(&mut text, &study).unwrap();
    let text = text.render(80);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let here = std::env::current_dir().unwrap().display().to_string() + "/";
    insta::assert_snapshot!(text.replace(&here, ""));
}

#[test]
fn shipped_studies_can_be_planned() {
    for name in
        ["quick", "robust", "smoke", "ablation", "anneal", "train-base", "family", "train-family"]
    {
        let study = Path::new("data/studies").join(format!("{name}.toml"));
        command(&study).arg("--no-calibration").assert().success();
    }
}

#[test]
fn a_plan_writes_nothing_and_without_calibration_says_the_same_each_time() {
    let folder = written(STUDY);
    let text = printed(&folder, &["--no-calibration"]);
    assert_eq!(text, printed(&folder, &["--no-calibration"]));
    assert!(!text.contains("machine"));
    assert!(!folder.path().join("run").exists());
}

#[test]
fn calibration_adds_the_times_of_all_games() {
    let folder = written(STUDY);
    let plain = printed(&folder, &["--no-calibration"]);
    let text = printed(&folder, &["--threads", "2", "--calibration", "1"]);
    let (first, rest) = text.split_once("\n\n").unwrap();
    let (summary, plain) = plain.split_once("\n\n").unwrap();
    assert!(first.starts_with("About ") && first.contains(" second"), "{first}");
    assert!(first.replace('\n', " ").ends_with(&summary.replace('\n', " ")), "{first}");
    let words = "1,480 games; too few to show any difference.";
    assert_eq!(summary.get(..words.len()), Some(words));
    let times = rest.strip_prefix(plain).unwrap();
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(times.contains("Time on 2 threads of this machine"), "{times}");
    for (name, games) in [("strength", 20), ("measure", 80), ("toggles", 160), ("random", 100)] {
        let row = times.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
        assert!(row.split_whitespace().any(|cell| cell == games.to_string()), "{row}");
    }
    assert!(times.contains("In all about ") && times.contains("This is an estimate"), "{times}");
    assert!(!folder.path().join("run").exists());
}

/// A factorial estimates the effects of its toggles from all arms, not from one arm against
/// another.
#[test]
fn a_factorial_is_planned_for_its_effects() {
    let toggles = "factorial = [\"castling\", \"king-fuses\", \"attacked-split\"]";
    let folder = written(
        &STUDY
            .replacen("rules = [\"fusion-2020\", \"orthodox\"]", toggles, 1)
            .replace("stop = { alpha = 0.05, every = 10 }", ""),
    );
    let text = printed(&folder, &["--no-calibration"]);
    assert!(text.contains("will show differences of ±36.1"), "{text}");
    assert!(text.contains("The verdict is on the effects of the rule changes."), "{text}");
    assert!(!text.contains("fusion-1999"), "{text}");
}

/// Paths in a study begin in the study's checkout, whatever the current folder.
#[test]
fn a_study_is_planned_from_any_folder() {
    let elsewhere = tempfile::tempdir().unwrap();
    let mut plan = Command::cargo_bin("fusion").unwrap();
    let study = root().canonicalize().unwrap().join("data/studies/quick.toml");
    plan.current_dir(elsewhere.path()).arg("plan").arg(study).args(["--calibration", "1"]);
    let output = plan.output().unwrap();
    let [text, error] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    // The study's network is `data/nets/family.fnet`.
    assert!(output.status.success() && text.starts_with("About "), "{text}{error}");
}

#[test]
fn endgame_tables_are_counted() {
    let solved = "[endgames]\ncomponents = 3\nendings = ['KRRvKR']\nrules = ['orthodox']\n[random]";
    let folder = written(&STUDY.replace("[random]", solved));
    // The tables are KRvK, KBvK and KNvK; KRRvK and KRvKR.
    let line = "they need: 3 tables of 3 components, 2 tables of 4 components, \
                1 table of 5 components. On two cores this takes roughly 2 min:";
    let text = printed(&folder, &["--threads", "1", "--calibration", "1"]);
    assert!(text.replace('\n', " ").contains(line), "{text}");
    let row = text.lines().find(|line| line.contains("(endgame tables)"));
    assert!(row.unwrap().trim_end().ends_with("4 min  4 min"), "{text}");
    // An existing table is subtracted.
    let there = folder.path().join("run/endgames/KRRvKR");
    fs::create_dir_all(&there).unwrap();
    fs::write(there.join("orthodox.csv"), "").unwrap();
    let text = printed(&folder, &["--threads", "1", "--calibration", "1"]);
    let row = text.lines().find(|line| line.contains("(endgame tables)")).unwrap();
    assert!(row.contains("16.7%") && row.trim_end().ends_with("8 s"), "{row}");
    assert!(!printed(&written(STUDY), &["--no-calibration"]).contains("Endgame tables"));
}

#[test]
fn finished_games_are_taken_off() {
    let folder = written(STUDY);
    let measure = folder.path().join("run/measure");
    fs::create_dir_all(&measure).unwrap();
    let json = include_str!("../../../analysis/report/tests/data/run/measure/measure.json");
    let json = json.replace("\"games\": 160", "\"games\": 80");
    fs::write(measure.join("measure.json"), json).unwrap();
    let text = printed(&folder, &["--calibration", "1"]);
    let row = text.lines().rfind(|line| line.trim_start().starts_with("measure ")).unwrap();
    assert!(row.contains("100.0%") && row.trim_end().ends_with("0 s"), "{row}");
}

#[test]
fn what_is_missing_is_named() {
    rejected(command(Path::new("/no/such/study.toml")), 66, &["/no/such/study.toml"]);
    let folder = written(&STUDY.replace("\"material\"", "\"no/such/net.fnet\""));
    let study = folder.path().join("study.toml");
    rejected(command(&study), 66, &["no/such/net.fnet", "strength", "--no-calibration"]);
    assert!(printed(&folder, &["--no-calibration", "--json"]).contains("net.fnet"));
    let folder = written(&STUDY.replace("own_plies = 6", "own_plies = 6\nnetwork = \"nobody\""));
    rejected(command(&folder.path().join("study.toml")), 66, &["opening what plays own", "nobody"]);
}

/// Until the network is trained, one of the same width stands in for it.
#[test]
fn training_is_planned_before_it_begins() {
    let training = "[selfplay]\ngames = 30\n[train]\ngenerations = 3\n[random]";
    let folder =
        written(&STUDY.replace("file = \"material\"", "hidden = 64").replace("[random]", training));
    let text = printed(&folder, &["--threads", "1", "--calibration", "1"]);
    let row = |name: &str| text.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
    assert!(row("training").split_whitespace().any(|cell| cell == "90"), "{text}");
    assert!(row("(learning)").trim_end().ends_with(" s"), "{text}");
    let init = "[train]\nstart = \"no/such/start.fnet\"";
    let folder = written(&STUDY.replace("file = \"material\"", init));
    rejected(
        command(&folder.path().join("study.toml")),
        66,
        &["train.start", "no/such/start.fnet"],
    );
}

#[test]
fn many_cores_are_planned_besides() {
    let folder = written(STUDY);
    let text = printed(&folder, &["--calibration", "1", "--cores", "1000"]);
    let (first, rest) = text.split_once("\n\n").unwrap();
    assert!(first.starts_with("About ") && first.contains(" on 1,000 cores; "), "{first}");
    let (_, cores) = rest.split_once("Steps on 1,000 cores").unwrap();
    for step in ["match", "openings", "measure", "extra/toggles", "extra/own", "random", "report"] {
        assert!(cores.lines().any(|line| line.trim_start().starts_with(step)), "{step}: {cores}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let study = folder.path().join("study.toml");
    for (arguments, part) in [
        (&["--cores", "64", "--no-calibration"][..], "--no-calibration"),
        (&["--cores", "64", "--gpus", "1"], "--learned"),
        (&["--learned", "1000"], "--cores"),
        (&["--cores", "0"], "--cores"),
    ] {
        let mut plan = command(&study);
        plan.args(arguments);
        rejected(plan, 64, &[part]);
    }
}

#[test]
fn what_is_wrong_is_named() {
    let folder = written(&STUDY.replace("games = 10", "games = 21"));
    rejected(command(&folder.path().join("study.toml")), 64, &["extra.toggles.games"]);
    let folder = written(STUDY);
    let study = folder.path().join("study.toml");
    let mut threads = command(&study);
    threads.args(["--threads", "0"]);
    rejected(threads, 64, &["--threads"]);
    fs::create_dir_all(folder.path().join("run")).unwrap();
    fs::write(folder.path().join("run/openings.csv"), "a,b\n1,2\n").unwrap();
    rejected(command(&study), 65, &["openings.csv"]);
}

#[test]
fn programs_of_a_study_are_started_only_with_leave() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let (program, mark) = (folder.path().join("program"), folder.path().join("started"));
    fs::write(&program, format!("#!/bin/sh\n: >'{}'\n", mark.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let study = folder.path().join("study.toml");
    let text = STUDY.replace("OUT", &folder.path().join("run").to_string_lossy());
    let text =
        text.replace("opponent = \"uniform\"", "opponent = \"uci:PROGRAM\"\nrules = ['orthodox']");
    fs::write(&study, text.replace("PROGRAM", &program.to_string_lossy())).unwrap();
    let run = |arguments: &[&str]| {
        let output = command(&study).args(arguments).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), text)
    };
    let (code, text) = run(&["--calibration", "1"]);
    assert!(code == Some(64) && text.contains("give --allow-programs"), "{code:?}: {text}");
    assert!(text.contains("strength.opponent"), "{text}");
    let (code, text) = run(&["--no-calibration"]);
    assert!(code == Some(0) && !mark.exists(), "{code:?}: {text}");
    run(&["--calibration", "1", "--allow-programs"]);
    assert!(mark.exists());
}
