//! Tests `compare`: two runs made from the test data, and its rejections.
//!
//! After an intended change, `INSTA_UPDATE=always cargo test -p fusion-lab` writes the new
//! expectation: read its difference before committing it.

use assert_cmd::Command;
use fusion_results::compare::{Comparison, Options};
use fusion_results::pairs::Inference;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../analysis/report/tests/data/run")
}

/// The columns of a game that tests change.
struct Game<'a> {
    rules: &'a str,
    opening: u64,
    network: &'a mut String,
    result: &'a mut String,
    ending: &'a mut String,
    drama: &'a mut String,
    moves_hash: &'a mut String,
}

impl Game<'_> {
    fn draw(&mut self) {
        *self.result = "1/2-1/2".into();
        *self.ending = "threefold".into();
        // Only won games have a value in this column.
        self.drama.clear();
        *self.moves_hash = format!("{:016x}", self.opening);
    }
}

/// Returns a run with the test data, changed by `edit`. Games for which `edit` returns `false` are
/// left out.
fn edited(mut edit: impl FnMut(&mut Game<'_>) -> bool) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut reader = csv::Reader::from_path(data().join("measure/games.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let index = |name: &str| header.iter().position(|column| column == name).unwrap();
    let columns =
        ["rules", "opening", "network", "result", "ending", "drama", "moves_hash"].map(index);
    fs::create_dir(dir.path().join("measure")).unwrap();
    let mut writer = csv::Writer::from_path(dir.path().join("measure/games.csv")).unwrap();
    writer.write_record(&header).unwrap();
    for record in reader.records() {
        let mut cells: Vec<String> = record.unwrap().iter().map(str::to_owned).collect();
        let (rules, opening) = (cells[columns[0]].clone(), cells[columns[1]].parse().unwrap());
        let [_, _, network, result, ending, drama, moves_hash] =
            cells.get_disjoint_mut(columns).unwrap();
        let mut game = Game { rules: &rules, opening, network, result, ending, drama, moves_hash };
        if edit(&mut game) {
            writer.write_record(&cells).unwrap();
        }
    }
    writer.flush().unwrap();
    for name in ["openings.csv", "study.toml", "measure/measure.json"] {
        fs::copy(data().join(name), dir.path().join(name)).unwrap();
    }
    dir
}

/// Returns a run of another network, with more draws under fusion-2020 and without orthodox games.
fn other_network() -> TempDir {
    let run = edited(|game| {
        *game.network = "ab".repeat(32);
        if game.rules == "fusion-2020" && game.opening % 3 == 0 {
            game.draw();
        }
        game.rules != "orthodox"
    });
    let path = run.path().join("measure/measure.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("\"c_puct\": 1.5", "\"c_puct\": 0.5")).unwrap();
    run
}

fn options() -> Options {
    let inference = Inference { resamples: 2_000, seed: 2020, ..Inference::default() };
    Options { primary: None, inference, out: None }
}

/// Returns the comparison's text without the folders' names, which change.
fn text(a: &Path, b: &Path) -> String {
    let text = Comparison::new(a, b, &options()).unwrap().text().render(80);
    let fits = |line: &&str| {
        line.chars().count() <= 80 || line.starts_with("A: ") || line.starts_with("B: ")
    };
    assert!(text.lines().all(|line| fits(&line)), "{text}");
    [a, b].iter().fold(text, |text, path| text.replace(&*path.to_string_lossy(), "FOLDER"))
}

fn compare(a: &Path, b: &Path) -> Command {
    let mut command = Command::cargo_bin("fusion").unwrap();
    command.arg("compare").args([a, b]);
    command
}

fn rejected(command: &mut Command, code: i32, parts: &[&str]) {
    let output = command.assert().failure().code(code).get_output().clone();
    let message = String::from_utf8(output.stderr).unwrap();
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in: {message}");
    }
    assert!(!message.contains("panicked"), "{message}");
}

#[test]
fn text_of_two_networks_on_one_pool() {
    insta::assert_snapshot!(text(&data(), other_network().path()));
}

#[test]
fn text_of_two_pools() {
    let other = other_network();
    let path = other.path().join("measure/measure.json");
    let json = fs::read_to_string(&path).unwrap();
    fs::write(&path, json.replace("0527f9f3", "34ba3550")).unwrap();
    insta::assert_snapshot!(text(&data(), other.path()));
}

#[test]
fn text_of_a_run_and_itself() {
    insta::assert_snapshot!(text(&data(), &data()));
}

#[test]
fn the_table_holds_every_comparison() {
    let (other, out) = (other_network(), tempfile::tempdir().unwrap());
    let folder = out.path().join("new");
    compare(&data(), other.path())
        .args(["--resamples", "2000", "--out"])
        .arg(&folder)
        .assert()
        .success();
    insta::assert_snapshot!(fs::read_to_string(folder.join("compare.csv")).unwrap());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}

/// Checks numbers that a reader can recompute by hand.
#[test]
fn differences_follow_from_the_rows() {
    let mut more = 0;
    let other = edited(|game| {
        if game.rules == "fusion-2020" && game.opening < 20 {
            more += i32::from(game.result != "1/2-1/2");
            game.draw();
        }
        true
    });
    let out = tempfile::tempdir().unwrap();
    compare(&data(), other.path()).arg("--out").arg(out.path()).assert().success();
    let mut reader = csv::Reader::from_path(out.path().join("compare.csv")).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let header = reader.headers().unwrap().clone();
    let cell = |quantity: &str, rules: &str, minus: &str, column: &str| {
        let row = rows.iter().find(|row| row.iter().take(3).eq([quantity, rules, minus])).unwrap();
        row[header.iter().position(|name| name == column).unwrap()].to_owned()
    };
    let expected = format!("{:.6}", -f64::from(more) / 40.0);
    assert!(more > 5, "{more}");
    assert_eq!(cell("draws", "fusion-2020", "", "difference"), expected);
    assert_eq!(cell("draws", "fusion-2020", "", "same_games"), "20");
    assert_eq!(cell("draws", "orthodox", "", "difference"), "0.000000");
    assert_eq!(cell("draws", "orthodox", "", "same_games"), "40");
    // The whole change is in fusion-2020, so both effects change by it.
    for (first, second) in [("fusion-2020", "fusion-1999"), ("fusion-2020", "fusion-2006")] {
        assert_eq!(cell("effect", first, second, "difference"), expected);
    }
    assert_eq!(cell("effect", "orthodox", "fusion-1999", "difference"), "0.000000");
}

#[test]
fn swapped_runs_give_the_opposite() {
    let other = other_network();
    let sentence =
        |a: &Path, b: &Path| text(a, b).rsplit("\n\n").next().unwrap().replace('\n', " ");
    let (one, two) = (sentence(&data(), other.path()), sentence(other.path(), &data()));
    assert!(one.contains("it is not the same in both") && two.contains("it is not the same"));
    let of =
        |text: &str| text.split("differ by ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    assert_eq!(of(&one).replace('−', ""), of(&two).replace('+', ""));
    assert!(of(&one).starts_with('−') && of(&two).starts_with('+'), "{one} {two}");
}

#[test]
fn a_run_without_settings_is_compared_and_said_so() {
    let bare = edited(|_| true);
    fs::remove_file(bare.path().join("measure/measure.json")).unwrap();
    let with_pool = text(&data(), bare.path());
    assert!(with_pool.contains("B has no measure.json") && with_pool.contains("same games"));
    assert!(with_pool.contains("every difference is 0"), "{with_pool}");
    fs::remove_file(bare.path().join("openings.csv")).unwrap();
    let without = text(&data(), bare.path());
    assert!(without.contains("not paired") && without.contains("unknown"), "{without}");
}

/// Runs without a pool have the same openings if network, seed and plies are the same.
#[test]
fn own_openings_pair_by_their_seed() {
    let run = |seed: u32| {
        let run = edited(|_| true);
        fs::remove_file(run.path().join("openings.csv")).unwrap();
        let path = run.path().join("measure/measure.json");
        let mut json: serde_json::Value =
            serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        json["network"] = "material".into();
        json["pool"] = "own".into();
        json["own_plies"] = 20.into();
        json["seed"] = seed.into();
        fs::write(&path, json.to_string()).unwrap();
        run
    };
    let (one, two) = (run(1), run(2));
    assert!(text(one.path(), run(1).path()).contains("every difference is 0"));
    let other = text(one.path(), two.path());
    // The texts of both runs stand side by side, so that that of the second is broken.
    assert!(other.contains("not paired") && other.contains("20 own plies"), "{other}");
    assert!(other.lines().any(|line| line.trim() == "seed 2"), "{other}");
}

#[test]
fn missing_folders_are_66_and_damaged_ones_65() {
    rejected(&mut compare(&data(), Path::new("/no/such/run")), 66, &["/no/such/run"]);
    let empty = tempfile::tempdir().unwrap();
    rejected(&mut compare(empty.path(), &data()), 66, &["no games in"]);
    fs::write(empty.path().join("games.csv"), "a,b\n1,2\n").unwrap();
    rejected(&mut compare(&data(), empty.path()), 65, &["games.csv"]);
    rejected(Command::cargo_bin("fusion").unwrap().arg("compare").arg(data()), 64, &["<B>"]);
}

#[test]
fn nothing_in_common_says_what_each_has() {
    let new = edited(|game| game.rules == "fusion-2020");
    let old = edited(|game| game.rules != "fusion-2020");
    let parts = [
        "no rule set at the same number of nodes in common",
        "holds fusion-2020 at 64 nodes",
        "holds fusion-1999; fusion-2006; orthodox at 64 nodes",
    ];
    rejected(&mut compare(new.path(), old.path()), 64, &parts);
}

#[test]
fn readers_choose_the_primary_comparison() {
    let other = other_network();
    let mut command = compare(&data(), other.path());
    let chosen = command.args(["--primary", "fusion-1999", "fusion-2006"]).assert().success();
    let chosen = String::from_utf8(chosen.get_output().stdout.clone()).unwrap();
    let chosen = chosen.replace('\n', " ");
    assert!(chosen.contains("the effect of fusion-1999 against fusion-2006 is "), "{chosen}");
    let mut command = compare(&data(), other.path());
    let parts = ["--primary", "fusion-1999; fusion-2006; fusion-2020"];
    rejected(command.args(["--primary", "orthodox", "fusion-2006"]), 64, &parts);
}

#[test]
fn what_weakens_a_comparison_is_said() {
    let other = edited(|game| {
        if game.rules == "fusion-2006" {
            game.draw();
            *game.moves_hash = "00000000000000aa".into();
        }
        if game.rules == "orthodox" && game.opening == 3 {
            (*game.result, *game.ending) = ("*".into(), "error".into());
        }
        true
    });
    let text = text(&data(), other.path()).replace('\n', " ");
    let repeats = "those of fusion-2006 at 64 nodes in B: 1 different of 40, worth 1.0";
    assert!(text.contains(repeats) && text.contains("1 game failed"), "{text}");
    assert!(text.contains("An interval without width"), "{text}");
}
