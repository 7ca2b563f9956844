//! Tests the loop of generations as a user runs it.

mod common;

use std::path::{Path, PathBuf};

use common::{STUDY, program, study, tree};
use fusion_chess::FusionGame;
use fusion_network::views::ViewNetwork;
use fusion_network::{self, Network};

fn run(study: &Path, out: &Path) {
    program()
        .arg("loop")
        .arg(study)
        .arg("--out")
        .arg(out)
        .args(["--threads", "1"])
        .assert()
        .success();
}

fn outcome(out: &Path, generation: u32) -> serde_json::Value {
    let path = out.join(format!("generation-{generation:03}/generation.json"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_finished_loop_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let study = study(folder.path(), "epochs = 3.0", "epochs = 2.0");
    let out = folder.path().join("train");
    run(&study, &out);
    let cpu = &outcome(&out, 0)["cpu"];
    // The games of this study take less time than the clock can measure.
    let spent = ["selfplay", "fit", "gate"].map(|stage| cpu[stage].as_f64().unwrap());
    assert!(spent[0] >= 0.0 && spent[1] > 0.0 && spent[2] >= 0.0, "{cpu}");
    let table = std::fs::read_to_string(out.join("generations.csv")).unwrap();
    let (header, _) = table.split_once('\n').unwrap();
    assert!(header.ends_with(",selfplay_cpu_seconds,fit_cpu_seconds,gate_cpu_seconds"), "{header}");
    let before = tree(&out);
    run(&study, &out);
    assert!(before == tree(&out));
}

/// A loop's folder, made by one process, and that of tasks with the same study.
struct Twins {
    folder: tempfile::TempDir,
    changes: Vec<[&'static str; 2]>,
}

impl Twins {
    /// Plays the whole loop of the test study with these changes of its text.
    fn new(changes: &[[&'static str; 2]]) -> Self {
        let twins = Self { folder: tempfile::tempdir().unwrap(), changes: changes.to_vec() };
        twins.whole();
        twins
    }

    fn whole(&self) {
        let study = self.study("whole");
        program().arg("loop").arg(&study).args(["--threads", "1"]).assert().success();
    }

    fn study(&self, name: &str) -> PathBuf {
        let out = self.folder.path().join(name);
        let text = STUDY.replace("seed = 5", &format!("seed = 5\nout = {out:?}"));
        let mut text = text.replace("games = 12", "games = 12\nshards = 3");
        for [from, to] in &self.changes {
            assert!(text.contains(from), "{from}");
            text = text.replace(from, to);
        }
        let path = self.folder.path().join(format!("{name}.toml"));
        std::fs::write(&path, text).unwrap();
        path
    }

    fn train(&self, name: &str) -> PathBuf {
        self.folder.path().join(name).join("train")
    }

    /// Runs a task and returns its messages.
    fn task(&self, command: &str, generation: u32, more: &[&str], code: i32) -> String {
        let number = generation.to_string();
        let mut line = program();
        line.arg(command).arg(self.study("parts"));
        line.args(["--generation", &number, "--threads", "1"]).args(more);
        let output = line.assert().code(code).get_output().stderr.clone();
        String::from_utf8(output).unwrap()
    }

    fn check_equal(&self) {
        let (loops, tasks) = (self.train("whole"), self.train("parts"));
        for generation in 0..3 {
            let folder = |out: &Path| out.join(format!("generation-{generation:03}"));
            let games =
                |out: &Path| tree(&folder(out).join("games")).into_iter().map(|file| file.1);
            assert!(games(&loops).eq(games(&tasks)));
            let network =
                |out: &Path| std::fs::read(folder(out).join("fit/net.safetensors")).unwrap();
            assert!(network(&loops) == network(&tasks));
            for key in ["accepted", "player", "gate"] {
                let value = |out: &Path| outcome(out, generation)[key].clone();
                assert_eq!(value(&loops), value(&tasks));
            }
        }
    }
}

/// Tasks play the shards of each generation in any order, and a learner follows.
#[test]
fn tasks_and_learners_make_the_networks_of_the_loop() {
    let twins = Twins::new(&[]);
    let early = twins.task("generate", 1, &["--shard", "0"], 66);
    assert!(early.contains("generation 0 is not learnt yet"), "{early}");
    for generation in 0..3 {
        twins.task("generate", generation, &["--shard", "2"], 0);
        twins.task("generate", generation, &["--shard", "0"], 0);
        let missing = twins.task("learn", generation, &[], 65);
        assert!(missing.contains("shards 1 of 3 are missing"), "{missing}");
        twins.task("generate", generation, &["--shard", "1"], 0);
        twins.task("learn", generation, &[], 0);
    }
    let none = twins.task("learn", 3, &[], 64);
    assert!(none.contains("numbered 0 to 2"), "{none}");
    twins.check_equal();
}

/// With a lag, the games of a generation are played before the generation before it is learnt.
#[test]
fn with_a_lag_games_are_played_ahead_of_the_learner() {
    // Without gate, every network is accepted, so that each generation has another player.
    let twins = Twins::new(&[["window = 2", "window = 2\nlag = 1"], ["games = 8", "games = 0"]]);
    let players: Vec<_> =
        (0..3).map(|number| outcome(&twins.train("whole"), number)["player"].clone()).collect();
    assert_eq!(players, ["material", "material", "the network of generation 0"]);
    twins.task("generate", 0, &[], 0);
    twins.task("generate", 1, &[], 0);
    let early = twins.task("generate", 2, &[], 66);
    assert!(early.contains("generation 0 is not learnt yet"), "{early}");
    let early = twins.task("learn", 1, &[], 66);
    assert!(early.contains("generation 0 is not learnt yet"), "{early}");
    twins.task("learn", 0, &[], 0);
    twins.task("generate", 2, &[], 0);
    twins.task("learn", 1, &[], 0);
    twins.task("learn", 2, &[], 0);
    twins.check_equal();

    // A loop that was interrupted reads its window anew.
    let part = twins.train("whole").join("generation-002");
    std::fs::remove_dir_all(part.join("fit")).unwrap();
    std::fs::remove_file(part.join("generation.json")).unwrap();
    twins.whole();
    twins.check_equal();
    let changed = Twins { changes: vec![["games = 8", "games = 0"]], ..twins };
    let line = changed.task("learn", 2, &[], 64);
    assert!(line.contains("`train.lag` was 1, now it is 0"), "{line}");
}

/// The gate's opponent is the best network before, also where that has not played the games.
#[test]
fn with_a_lag_the_gate_is_against_the_best_network() {
    let folder = tempfile::tempdir().unwrap();
    let study = study(folder.path(), "generations = 3", "generations = 2\nlag = 1");
    // All scores are accepted.
    let text = std::fs::read_to_string(&study).unwrap();
    std::fs::write(
        &study,
        text.replace("games = 8", "games = 2\nsprt = { elo0 = -900.0, elo1 = -800.0 }"),
    )
    .unwrap();
    let out = folder.path().join("train");
    run(&study, &out);
    let opponents = [0, 1].map(|number| outcome(&out, number)["gate"]["opponent"].clone());
    let accepted = outcome(&out, 0)["accepted"].as_bool().unwrap();
    let second = if accepted { "the network of generation 0" } else { "material" };
    assert_eq!(opponents, ["material", second]);
    assert_eq!(outcome(&out, 1)["player"], "material");
}

#[test]
fn another_configuration_is_rejected_by_key() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("train");
    let first = study(folder.path(), "generations = 3", "generations = 1");
    run(&first, &out);
    let text = std::fs::read_to_string(&first).unwrap();
    std::fs::write(&first, text.replace("batch = 64", "batch = 65")).unwrap();
    let rejected = program().arg("loop").arg(&first).arg("--out").arg(&out).assert().code(64);
    let message = String::from_utf8(rejected.get_output().stderr.clone()).unwrap();
    assert!(message.contains("`train.batch` was 64, now it is 65"), "{message}");

    // More generations continue the run.
    std::fs::write(&first, text.replace("generations = 1", "generations = 2")).unwrap();
    run(&first, &out);
    assert!(out.join("generation-001/generation.json").exists());

    // Fewer end it earlier.
    std::fs::write(&first, &text).unwrap();
    run(&first, &out);
    assert!(out.join("generation-001/generation.json").exists());

    std::fs::write(&first, text.replace("batch = 64", "btach = 64")).unwrap();
    let rejected = program().arg("loop").arg(&first).arg("--out").arg(&out).assert().code(64);
    let message = String::from_utf8(rejected.get_output().stderr.clone()).unwrap();
    assert!(message.contains("btach") && message.contains("[train]"), "{message}");
}

/// The number of generations may change with stages as without them, if the stages stay that were used.
#[test]
fn stages_that_were_used_stay_and_others_may_change() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("train");
    let write = |generations: u32, stages: &str| {
        let train = format!("generations = {generations}\nstages = [{stages}]");
        study(folder.path(), "generations = 3", &train)
    };
    let rows = || std::fs::read_to_string(out.join("generations.csv")).unwrap().lines().count() - 1;
    let [used, later] = ["{ from = 1, games = 9 }", "{ from = 2, games = 7 }"];
    let both = format!("{used}, {later}");
    run(&write(2, &both), &out);
    let games = |generation| outcome(&out, generation)["games"].as_u64().unwrap();
    assert_eq!((rows(), games(0), games(1)), (2, 12, 9));
    // Lower, also below the stages; the generation that is there stays.
    run(&write(1, &both), &out);
    assert_eq!((rows(), games(1)), (1, 9));
    run(&write(1, used), &out);
    // The stage of generation 1 was used.
    for other in ["", "{ from = 1, games = 10 }"] {
        let path = write(1, other);
        let rejected = program().arg("loop").arg(&path).arg("--out").arg(&out).assert().code(64);
        let message = String::from_utf8(rejected.get_output().stderr.clone()).unwrap();
        assert!(message.contains("2 generations with other stages"), "{message}");
    }
    // Higher, with a stage that no generation used.
    run(&write(3, &both), &out);
    assert_eq!((rows(), games(1), games(2)), (3, 9, 7));
}

#[test]
fn weights_to_begin_with_are_looked_at_before_any_game() {
    let folder = tempfile::tempdir().unwrap();
    let net = folder.path().join("wide.fnet");
    let rules = "fusion-2020".parse().unwrap();
    let floats = fusion_network::FloatNetwork::random::<FusionGame>(&rules, 128, 1).unwrap();
    let quantised = Network::quantise::<FusionGame>(&rules, &floats).unwrap();
    std::fs::write(&net, quantised.bytes()).unwrap();
    let init = |path: &Path| format!("generations = 1\ninit = {:?}", path.display().to_string());
    for (path, code, part) in
        [(&net, 65, "is network.hidden another?"), (&folder.path().join("none"), 66, "none")]
    {
        let study = study(folder.path(), "generations = 3", &init(path));
        let out = folder.path().join("train");
        let rejected = program().arg("loop").arg(&study).arg("--out").arg(&out).assert().code(code);
        let message = String::from_utf8(rejected.get_output().stderr.clone()).unwrap();
        assert!(message.contains("train.init") && message.contains(part), "{message}");
        assert!(!out.join("generation-000/games").exists());
        std::fs::remove_dir_all(&out).unwrap();
    }
    // A network of the right width is accepted as the start.
    let text = common::STUDY.replace("hidden = 64", "hidden = 128");
    let path = folder.path().join("study.toml");
    std::fs::write(&path, text.replace("generations = 3", &init(&net))).unwrap();
    run(&path, &folder.path().join("train"));
}

/// The first games are the tree search's, the next ones those of the new network.
#[test]
fn networks_of_the_alpha_beta_search_are_trained_and_play_on() {
    let folder = tempfile::tempdir().unwrap();
    let changed = "hidden = 64\nsearch = \"pvs\"";
    let path = study(folder.path(), "hidden = 64", changed);
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text.replace("generations = 3", "generations = 2").replace("games = 8", "games = 0");
    std::fs::write(&path, &text).unwrap();
    let out = folder.path().join("train");
    run(&path, &out);
    let best = std::fs::read(out.join("best.fnet")).unwrap();
    assert!(ViewNetwork::from_bytes::<FusionGame>(&"fusion-2020".parse().unwrap(), &best).is_ok());
    let last = outcome(&out, 1);
    assert_eq!(last["player"], "the network of generation 0", "{last}");
    assert!(last["fit"]["value_loss"].is_f64() && last["fit"]["policy_loss"].is_null(), "{last}");
    let games = out.join("generation-001/games");
    let header = std::fs::read(games.join("games-00000-of-00001.shard")).unwrap();
    assert!(header[..2_000].windows(4).any(|part| part == b"pvs:"));
    let before = tree(&out);
    run(&path, &out);
    assert!(before == tree(&out));

    std::fs::write(&path, text.replace("search = \"pvs\"", "search = \"tree\"")).unwrap();
    let rejected = program().arg("loop").arg(&path).arg("--out").arg(&out).assert().code(64);
    let message = String::from_utf8(rejected.get_output().stderr.clone()).unwrap();
    assert!(message.contains("network.search"), "{message}");
}

/// Training on twelve games has no effect: such a network does not even take a Queen.
#[test]
fn a_network_that_sees_nothing_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let path = study(folder.path(), "sanity = false", "sanity = true");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("generations = 3", "generations = 1")).unwrap();
    let out = folder.path().join("train");
    run(&path, &out);
    let outcome = outcome(&out, 0);
    assert_eq!(outcome["accepted"], false, "{outcome}");
    assert!(outcome["rejected"].as_str().unwrap().contains(" instead of "), "{outcome}");
    assert!(outcome["gate"].is_null() && !out.join("best.fnet").exists());
}

/// With a time instead of a number, the loop plans its generations, ends, and goes on when it gets more time.
#[test]
fn a_loop_lasts_a_given_time_and_goes_on_with_more() {
    let folder = tempfile::tempdir().unwrap();
    let path = study(folder.path(), "generations = 3", "minutes = 0.02");
    let out = folder.path().join("train");
    run(&path, &out);
    let plan = |generation: u32| -> Option<serde_json::Value> {
        let file = out.join(format!("generation-{generation:03}/plan.json"));
        Some(serde_json::from_slice(&std::fs::read(file).ok()?).unwrap())
    };
    let plans: Vec<_> = (0..).map_while(plan).collect();
    assert!(plans.iter().all(|plan| plan["games"].as_u64() >= Some(12)), "{plans:?}");
    assert!(plans[0]["nodes"].as_f64() < Some(1.0) && plans[0]["last"] == false, "{plans:?}");
    let minutes: f64 = (0..plans.len() as u32)
        .flat_map(|number| outcome(&out, number)["clock"].as_object().unwrap().clone())
        .map(|(_, seconds)| seconds.as_f64().unwrap() / 60.0)
        .sum();
    assert!(minutes > 0.01, "{minutes}");
    let before = tree(&out);
    run(&path, &out);
    assert!(before == tree(&out));

    // How many generations fit depends on the machine, but one always fits into twice the time of those before.
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("minutes = 0.02", &format!("minutes = {}", 2.0 * minutes)))
        .unwrap();
    run(&path, &out);
    assert!(plan(plans.len() as u32).is_some());
    let kept = |files: &[(PathBuf, Vec<u8>)]| -> Vec<(PathBuf, Vec<u8>)> {
        let of_first = |file: &&(PathBuf, _)| file.0.starts_with(out.join("generation-000"));
        files.iter().filter(of_first).cloned().collect()
    };
    assert!(kept(&before) == kept(&tree(&out)));

    let single = program().arg("generate").arg(&path).args(["--generation", "0"]).assert().code(64);
    let message = String::from_utf8(single.get_output().stderr.clone()).unwrap();
    assert!(message.contains("only the whole loop knows"), "{message}");
    for more in ["generations = 2", "lag = 1"] {
        let both = text.replace("minutes = 0.02", &format!("minutes = 0.02\n{more}"));
        std::fs::write(&path, both).unwrap();
        let rejected = program().arg("loop").arg(&path).arg("--out").arg(&out).assert().code(64);
        let message = String::from_utf8(rejected.get_output().stderr.clone()).unwrap();
        assert!(message.contains("leave one of them out"), "{message}");
    }
}
