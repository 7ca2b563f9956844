//! Tests the content of folders: one kind of run, and runs that grow.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use fusion_chess::FusionGame;
use fusion_jobs::growth;
use fusion_jobs::runner::{Played, Run};
use fusion_jobs::shard::{Opened, part_path};
use fusion_jobs::stop::Stop;
use fusion_runner::openings;
use fusion_study::OpeningsConfig;
use serde_json::{Value, json};

use super::command::{fail, succeed};

/// Returns all files in a folder and its subfolders, by path.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            let below = contents(&path).into_iter();
            files.extend(below.map(|(below, bytes)| (format!("{name}/{below}"), bytes)));
        } else if name != ".lock" {
            files.insert(name, fs::read(&path).unwrap());
        }
    }
    files
}

#[test]
fn a_folder_holds_one_kind_of_run() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    succeed(at, "openings --network none --out openings.csv --count 2 --rules fusion-2020");
    let kinds = [
        ("generate --network uniform --games 1 --cap 20", "training games"),
        (
            "measure --network uniform --openings openings.csv --nodes 4 --rules fusion-2020 --cap 101",
            "a measurement",
        ),
        (
            "match --first uniform --second uniform --nodes 4 --games 2 --rules fusion-2020 --cap 20",
            "a match",
        ),
        ("random --rules orthodox --games 5", "games of random movers"),
        (
            "technique --network uniform --nodes 4 --games 1 --rules fusion-2020 --exercise R",
            "a test of technique",
        ),
    ];
    for (first, holds) in kinds {
        let word = first.split(' ').next().unwrap();
        succeed(at, &format!("{first} --out {word}"));
        let before = contents(&at.join(word));
        for (second, _) in kinds.iter().filter(|(_, other)| *other != holds) {
            fail(at, &format!("{second} --out {word}"), 64, &format!("{word} holds {holds} ("));
        }
        assert!(contents(&at.join(word)) == before, "{word} was changed");
        succeed(at, &format!("{first} --out {word}"));
    }
    // A file without a shard's name would be rejected when the games are played.
    fs::write(at.join("random/notes.shard"), "mine").unwrap();
    fail(at, "random --rules orthodox --games 5 --out random", 64, "notes.shard");
}

fn run(folder: &Path, shards: u32, games: u64) -> Run<Value> {
    let parameters = json!({ "nodes": 5 });
    let behaviour = "plays".to_owned();
    Run { kind: "test", behaviour, folder: folder.to_owned(), seed: 1, shards, games, parameters }
}

/// Plays all shards, or only the first games of each. Returns the number of games played.
fn play(run: &Run<Value>, most: u64) -> u64 {
    growth::carry(run, u64::MAX, |old, new| old == new).unwrap();
    let played = AtomicU64::new(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for shard in 0..run.shards {
        let here = AtomicU64::new(0);
        let stop = Stop::new();
        let outcome = pool.install(|| {
            run.play_shard(shard, "test", &stop, |game, _| {
                if here.fetch_add(1, Ordering::Relaxed) == most {
                    stop.request();
                    return Ok(None);
                }
                played.fetch_add(1, Ordering::Relaxed);
                Ok(Some(Played { payload: vec![game as u8; 30], drawn: 0 }))
            })
        });
        assert_eq!(outcome.is_err(), stop.requested());
    }
    played.into_inner()
}

#[test]
fn a_larger_run_keeps_the_games_of_a_smaller_one() {
    for (shards, few, many) in [(1, 10, 15), (3, 30, 45), (4, 7, 100), (3, 10, 10), (5, 2, 3)] {
        let fresh = tempfile::tempdir().unwrap();
        play(&run(fresh.path(), shards, many), u64::MAX);
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(play(&run(folder.path(), shards, few), u64::MAX), few);
        // The shards of the smaller run's games come before the shards that have the games in the
        // larger run.
        assert_eq!(play(&run(folder.path(), shards, many), u64::MAX), many - few);
        assert!(contents(folder.path()) == contents(fresh.path()), "{shards}, {few}, {many}");
    }
}

#[test]
fn games_of_unfinished_shards_are_kept_too() {
    let fresh = tempfile::tempdir().unwrap();
    play(&run(fresh.path(), 3, 60), u64::MAX);
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(play(&run(folder.path(), 3, 30), 4), 12);
    assert_eq!(play(&run(folder.path(), 3, 60), u64::MAX), 48);
    assert!(contents(folder.path()) == contents(fresh.path()));
}

#[test]
fn growth_that_was_interrupted_is_finished() {
    let fresh = tempfile::tempdir().unwrap();
    play(&run(fresh.path(), 3, 60), u64::MAX);
    for missing in 0..3 {
        let folder = tempfile::tempdir().unwrap();
        play(&run(folder.path(), 3, 30), u64::MAX);
        let old = contents(folder.path());
        let larger = run(folder.path(), 3, 60);
        growth::carry(&larger, u64::MAX, |old, new| old == new).unwrap();
        // The state is that of a process that ended before it wrote the last parts and removed the
        // old shards.
        for (name, bytes) in &old {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        for shard in missing..3 {
            fs::remove_file(part_path(&larger.path(shard))).unwrap();
        }
        assert_eq!(play(&larger, u64::MAX), 30);
        assert!(contents(folder.path()) == contents(fresh.path()));
    }
}

#[test]
fn a_smaller_run_and_one_of_other_settings_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    play(&run(folder.path(), 2, 30), u64::MAX);
    let rejected = |run: Run<Value>| {
        growth::carry(&run, u64::MAX, |old, new| old == new).unwrap();
        format!("{:#}", run.open(0).unwrap_err())
    };
    let message = rejected(run(folder.path(), 2, 20));
    assert!(message.contains("it is of 30 games, now it would be of 20"), "{message}");
    let other = Run { parameters: json!({ "nodes": 6 }), ..run(folder.path(), 2, 40) };
    assert!(rejected(other).contains("settings"));
    assert!(rejected(Run { seed: 2, ..run(folder.path(), 2, 40) }).contains("settings"));
    // A process that plays the smaller run keeps its shard.
    let folder = tempfile::tempdir().unwrap();
    let Opened::Unfinished(_writer) = run(folder.path(), 1, 30).open(0).unwrap() else { panic!() };
    let busy =
        growth::carry(&run(folder.path(), 1, 40), u64::MAX, |old, new| old == new).unwrap_err();
    assert!(format!("{busy:#}").contains("another process"), "{busy:#}");
}

#[test]
fn a_larger_pool_begins_with_the_smaller_one() {
    let pool = |count| {
        let config = OpeningsConfig { count, ..OpeningsConfig::default() };
        let rules = ["fusion-1999".to_owned(), "fusion-2020".to_owned()];
        let search = fusion_search::SearchConfig::default();
        let stop = Stop::new();
        openings::make::<FusionGame>(&config, &rules, &search, None, 7, &stop).unwrap()
    };
    // The pools take more than one batch of candidates.
    let (small, large) = (pool(9), pool(150));
    assert_eq!(small.openings(), &large.openings()[..9]);
    assert!(large.begins_with(&small.hash()) && large.begins_with(&large.hash()));
    assert!(!small.begins_with(&large.hash()));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("openings.csv");
    small.save(&path).unwrap();
    large.save(&path).unwrap();
    assert!(format!("{:#}", small.save(&path).unwrap_err()).contains("other openings"));
}

#[test]
fn a_study_grows_to_what_it_would_have_been() {
    let study = |folder: &Path, shards: u32, count: u32, rest: &str| {
        let text = format!(
            "[study]\nname = 'x'\nout = 'run'\n[network]\nfile = 'material'\n[openings]\ncount = \
             {count}\nnodes = 4\n[measure]\nrules = ['fusion-2020', 'fusion-1999']\nnodes = [4, 8]\n\
             cap = 101\nshards = {shards}\n{rest}[extra.own]\nown_plies = 2\n"
        );
        fs::write(folder.join("study.toml"), text).unwrap();
    };
    let play = |folder: &Path| {
        succeed(folder, "openings --study study.toml --network material");
        succeed(folder, "measure --study study.toml --network material");
        succeed(folder, "measure --study study.toml --network material --only own");
    };
    for shards in [1, 3] {
        let (grown, fresh) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        study(grown.path(), shards, 3, "");
        play(grown.path());
        study(grown.path(), shards, 7, "");
        fail(grown.path(), "measure --study study.toml --network material", 65, "add the others");
        play(grown.path());
        study(fresh.path(), shards, 7, "");
        play(fresh.path());
        let [grown, fresh] = [&grown, &fresh].map(|folder| contents(&folder.path().join("run")));
        let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&grown), names(&fresh));
        assert!(grown.contains_key("measure/games.csv") && grown == fresh);
    }
    // The measurement uses only the first openings of a pool.
    let folder = tempfile::tempdir().unwrap();
    study(folder.path(), 1, 5, "games = 2\n");
    play(folder.path());
    study(folder.path(), 1, 6, "games = 4\n");
    play(folder.path());
    let csv = fs::read_to_string(folder.path().join("run/measure/games.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 4 * 4);
}
