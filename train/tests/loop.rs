//! The loop of generations as a user runs it, and as a machine kills it.

mod common;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{program, study, tree};
use fusion_engine::fusion::FusionGame;
use fusion_engine::network::{self, Network};
use fusion_selfplay::seeds;
use rand::RngExt;

/// What a program needs at least before it works.
const START: Duration = Duration::from_millis(250);

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

/// The files that must not depend on interruptions, without the processor time in them.
fn results(out: &Path) -> Vec<Vec<u8>> {
    let mut names = vec!["best.fnet".to_owned(), "loop.json".to_owned()];
    let mut results = vec![generations(out).into_bytes()];
    for generation in 0..3 {
        let folder = format!("generation-{generation:03}");
        let shard = "games/games-00000-of-00001.shard";
        for name in [shard, "fit/net.safetensors", "fit/metrics.csv", "gate/strength.json"] {
            names.push(format!("{folder}/{name}"));
        }
        let mut outcome = outcome(out, generation);
        outcome.as_object_mut().unwrap().remove("cpu").unwrap();
        results.push(outcome.to_string().into_bytes());
    }
    // Generation 0 may have been rejected by its gate; then there may be no best network.
    results.extend(names.iter().map(|name| std::fs::read(out.join(name)).unwrap_or_default()));
    results
}

fn outcome(out: &Path, generation: u32) -> serde_json::Value {
    let path = out.join(format!("generation-{generation:03}/generation.json"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The table of generations without its last columns, which are processor time.
fn generations(out: &Path) -> String {
    let table = std::fs::read_to_string(out.join("generations.csv")).unwrap();
    let (header, _) = table.split_once('\n').unwrap();
    assert!(header.ends_with(",selfplay_cpu_seconds,fit_cpu_seconds,gate_cpu_seconds"), "{header}");
    let cut = |line: &str| line.rsplitn(4, ',').last().unwrap_or_default().to_owned() + "\n";
    table.lines().map(cut).collect()
}

/// Kills in the test below.
const KILLS: u32 = 10;

#[test]
fn a_loop_killed_ten_times_comes_to_the_same_end() {
    let folder = tempfile::tempdir().unwrap();
    let study = study(folder.path(), "epochs = 3.0", "epochs = 15.0");
    let text = std::fs::read_to_string(&study).unwrap();
    std::fs::write(&study, text.replace("games = 12", "games = 40")).unwrap();
    let (straight, killed) = (folder.path().join("straight"), folder.path().join("killed"));
    let start = Instant::now();
    run(&study, &straight);
    let whole = start.elapsed();
    let cpu = &outcome(&straight, 0)["cpu"];
    // The games of this study take less than the clock can tell.
    let spent = ["selfplay", "fit", "gate"].map(|stage| cpu[stage].as_f64().unwrap());
    assert!(spent[0] >= 0.0 && spent[1] > 0.0 && spent[2] >= 0.0, "{cpu}");

    let mut rng = seeds::stream("moments of kills", &[1]);
    let mut kills = 0;
    for _ in 0..KILLS {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fusion-train"))
            .args(["loop", "--threads", "1"])
            .arg(&study)
            .arg("--out")
            .arg(&killed)
            .env("OMP_WAIT_POLICY", "passive")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let share = rng.random_range(0.0..0.9 / f64::from(KILLS));
        std::thread::sleep(START + whole.saturating_sub(START).mul_f64(share));
        // A machine that starts programs faster than this test thinks may be done early.
        if child.try_wait().unwrap().is_some() {
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
    let reached = std::fs::read_dir(&killed).unwrap().count();
    run(&study, &killed);
    assert!(kills > 2 && reached > 1, "no kill met the loop at work: {kills}");
    assert_eq!(results(&straight), results(&killed));

    // A finished loop has nothing to do, and changes nothing.
    let before = tree(&killed);
    run(&study, &killed);
    assert!(before == tree(&killed), "a finished loop changed files");
}

#[test]
fn another_configuration_is_refused_by_key() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("train");
    let first = study(folder.path(), "generations = 3", "generations = 1");
    run(&first, &out);
    let text = std::fs::read_to_string(&first).unwrap();
    std::fs::write(&first, text.replace("batch = 64", "batch = 65")).unwrap();
    let refused = program().arg("loop").arg(&first).arg("--out").arg(&out).assert().code(64);
    let message = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
    assert!(message.contains("`train.batch` was 64, now it is 65"), "{message}");

    // More generations continue the run.
    std::fs::write(&first, text.replace("generations = 1", "generations = 2")).unwrap();
    run(&first, &out);
    assert!(out.join("generation-001/generation.json").exists());

    std::fs::write(&first, text.replace("batch = 64", "btach = 64")).unwrap();
    let refused = program().arg("loop").arg(&first).arg("--out").arg(&out).assert().code(64);
    let message = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
    assert!(message.contains("btach") && message.contains("[train]"), "{message}");
}

#[test]
fn weights_to_begin_with_are_looked_at_before_any_game() {
    let folder = tempfile::tempdir().unwrap();
    let net = folder.path().join("wide.fnet");
    let floats = network::random::<FusionGame>(128, 1).unwrap();
    let quantised = Network::quantise::<FusionGame>(&floats).unwrap();
    quantised.save(&net).unwrap();
    let init = |path: &Path| format!("generations = 1\ninit = {:?}", path.display().to_string());
    for (path, code, part) in
        [(&net, 65, "is network.hidden another?"), (&folder.path().join("none"), 66, "none")]
    {
        let study = study(folder.path(), "generations = 3", &init(path));
        let out = folder.path().join("train");
        let refused = program().arg("loop").arg(&study).arg("--out").arg(&out).assert().code(code);
        let message = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
        assert!(message.contains("train.init") && message.contains(part), "{message}");
        assert!(!out.join("generation-000/games").exists());
        std::fs::remove_dir_all(&out).unwrap();
    }
    // One that fits is begun with.
    let text = common::STUDY.replace("hidden = 64", "hidden = 128");
    let path = folder.path().join("study.toml");
    std::fs::write(&path, text.replace("generations = 3", &init(&net))).unwrap();
    run(&path, &folder.path().join("train"));
}

/// Twelve games teach nothing: such a network does not even take a Queen.
#[test]
fn a_network_that_sees_nothing_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = study(folder.path(), "sanity = false", "sanity = true");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("generations = 3", "generations = 1")).unwrap();
    let out = folder.path().join("train");
    run(&path, &out);
    let outcome = outcome(&out, 0);
    assert_eq!(outcome["accepted"], false, "{outcome}");
    assert!(outcome["refused"].as_str().unwrap().contains(" instead of "), "{outcome}");
    assert!(outcome["gate"].is_null() && !out.join("best.fnet").exists());
}

#[test]
fn signals_end_the_loop_cleanly() {
    for (signal, code) in [("TERM", 75), ("INT", 130)] {
        let folder = tempfile::tempdir().unwrap();
        let study = study(folder.path(), "games = 12", "games = 4000");
        let child = Command::new(env!("CARGO_BIN_EXE_fusion-train"))
            .args(["loop", "--threads", "1"])
            .arg(&study)
            .arg("--out")
            .arg(folder.path().join("train"))
            .env("OMP_WAIT_POLICY", "passive")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let part = folder.path().join("train/generation-000/games/games-00000-of-00001.shard.part");
        for _ in 0..1000 {
            if part.exists() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let kill =
            Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        let output = child.wait_with_output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{message}");
        assert!(message.contains("run the same command to continue"), "{message}");
        assert!(part.exists());
    }
}
