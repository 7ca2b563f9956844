//! The loop of generations as a user runs it, and as a machine kills it.

mod common;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use common::{program, study, tree};

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
        for name in ["fit/net.safetensors", "fit/metrics.csv", "gate/strength.json"] {
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

#[test]
fn a_loop_killed_again_and_again_comes_to_the_same_end() {
    let folder = tempfile::tempdir().unwrap();
    let study = study(folder.path(), "seed = 5", "seed = 6");
    let (straight, killed) = (folder.path().join("straight"), folder.path().join("killed"));
    run(&study, &straight);
    let cpu = &outcome(&straight, 0)["cpu"];
    // The games of this study take less than the clock can tell.
    let spent = ["selfplay", "fit", "gate"].map(|stage| cpu[stage].as_f64().unwrap());
    assert!(spent[0] >= 0.0 && spent[1] > 0.0 && spent[2] >= 0.0, "{cpu}");

    let mut kills = 0;
    // Starting takes a third of a second; the deadlines creep through the whole run.
    for attempt in 0.. {
        assert!(attempt < 200, "the loop makes no progress");
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
        std::thread::sleep(Duration::from_millis(250 + 5 * attempt * attempt));
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{status}");
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
    assert!(kills >= 2, "the loop was too fast to be killed: {kills}");
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
