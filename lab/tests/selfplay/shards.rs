//! Tests shards of random movers and of technique, as schedulers run them: their results are those of
//! one shard.

use std::fs;
use std::path::Path;

use super::command::{code, fail, program, succeed, text};

/// Plays a run in one shard, and in three by tasks, and compares the result files.
fn compare(line: &str, results: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let first = succeed(at, &format!("{line} --out one"));
    assert!(succeed(at, &format!("{line} --out one")).contains("one: already complete"));
    let line = format!("{line} --out three --shards 3");
    let parts = |folder: &Path| results.iter().any(|name| folder.join("three").join(name).exists());
    for shard in [2, 0] {
        let said = succeed(at, &format!("{line} --shard {shard} --threads 2"));
        assert!(
            said.contains(&format!("shard {shard} of 3 is whole; --merge joins all")),
            "{said}"
        );
    }
    assert!(succeed(at, "status three").starts_with("1\n"));
    fail(at, &format!("{line} --merge"), 65, "three: shards 1 of 3 are missing: run them first");
    let task = program()
        .current_dir(at)
        .args(line.split_whitespace())
        .env("SLURM_ARRAY_TASK_ID", "1")
        .output()
        .unwrap();
    assert_eq!(code(&task), 0, "{}", text(&task));
    assert!(!parts(at), "a task writes no results, also if it is the last");
    let again = succeed(at, &format!("{line} --shard 1"));
    assert!(again.contains("three: already complete"), "{again}");
    // Other settings are another run, for tasks and for the merge.
    for line in [line.replace("--shards 3", "--shards 2"), format!("{line} --seed 2")] {
        fail(at, &format!("{line} --shard 0"), 64, "settings");
        fail(at, &format!("{line} --merge"), 64, "settings");
    }
    fail(at, &format!("{line} --shard 3"), 64, "numbered 0 to 2");
    fail(at, &format!("{line} --merge --shard 0"), 64, "--merge");
    fail(at, &line.replace("--shards 3", "--shards 0"), 64, "--shards must lie between 1 and");
    assert!(!parts(at));
    // All prints but the files' names are those of one shard.
    let joined = succeed(at, &format!("{line} --merge"));
    assert_eq!(joined.replace("three/", "one/"), first);
    succeed(at, &format!("{} --shard all", line.replace("three", "all")));
    for name in results {
        let read = |folder: &str| fs::read(at.join(folder).join(name)).unwrap();
        assert!(read("one") == read("three") && read("one") == read("all"), "{name}");
    }
}

#[test]
fn random_movers_of_several_shards_are_those_of_one() {
    // Four blocks of games: every second one has a single game.
    compare("random --rules orthodox --rules fusion-2020 --games 10001", &["random.csv"]);
}

#[test]
fn technique_of_several_shards_is_that_of_one() {
    compare(
        "technique --network material --nodes 30 --games 3 --rules fusion-2020 --rules orthodox",
        &["technique.csv", "games.pgn"],
    );
}
