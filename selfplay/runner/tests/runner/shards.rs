//! Tests shards under crashes, damage and competing processes.

use std::fs;
use std::path::{Path, PathBuf};

use fusion_jobs::cluster::{self, Status};
use fusion_jobs::exit::{CORRUPT, NO_INPUT, USAGE, exit_code};
use fusion_jobs::runner::{Played, Run, Shard};
use fusion_jobs::shard::{Opened, ShardReader, ShardWriter, part_path};
use fusion_jobs::stop::Stop;
use proptest::prelude::*;
use serde_json::json;
use tempfile::TempDir;

fn run(folder: &Path, seed: u64) -> Run<serde_json::Value> {
    Run {
        kind: "test",
        behaviour: "plays".to_owned(),
        folder: folder.to_owned(),
        seed,
        shards: 3,
        games: 30,
        parameters: json!({"nodes": 5, "rules": ["a", "b"]}),
    }
}

/// Returns a game's bytes, of varying length. Some compress, and some do not.
fn payload(game: u64) -> Vec<u8> {
    let noise = (0..game * 7 % 50).map(|i| (i * i * 31 + game * 17) as u8);
    noise.chain([7; 40]).collect()
}

fn play(run: &Run<serde_json::Value>, shard: u32) -> anyhow::Result<Shard> {
    run.play_shard(shard, "test", &Stop::new(), |game, _| {
        Ok(Some(Played { payload: payload(game), drawn: 0 }))
    })
}

/// Returns a folder with a finished shard 1, and the shard's path.
fn finished() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let run = run(folder.path(), 1);
    assert_eq!(play(&run, 1).unwrap(), Shard::Finished);
    let path = run.path(1);
    (folder, path)
}

fn verify(path: &Path) -> anyhow::Result<u64> {
    Ok(ShardReader::open(path)?.verify()?)
}

#[test]
fn a_finished_shard_holds_its_games_in_order_and_is_done() {
    let (folder, path) = finished();
    let games: Vec<_> = ShardReader::open(&path).unwrap().map(Result::unwrap).collect();
    let wanted: Vec<_> = (10..20).map(|game| (game, payload(game))).collect();
    assert_eq!(games, wanted);
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(names.len(), 1, "neither part nor temporary file is left: {names:?}");
    assert_eq!(play(&run(folder.path(), 1), 1).unwrap(), Shard::AlreadyComplete);
}

#[test]
fn every_flipped_byte_is_found() {
    let (_folder, path) = finished();
    let good = fs::read(&path).unwrap();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        fs::write(&path, bad).unwrap();
        let error = verify(&path).expect_err(&format!("byte {at} of {}", good.len()));
        assert_eq!(exit_code(&error), CORRUPT, "byte {at}: {error:#}");
    }
}

#[test]
fn every_truncation_and_extension_is_found() {
    let (_folder, path) = finished();
    let good = fs::read(&path).unwrap();
    for length in 0..good.len() {
        fs::write(&path, &good[..length]).unwrap();
        let error = verify(&path).unwrap_err();
        assert_eq!(exit_code(&error), CORRUPT, "{length} bytes: {error:#}");
    }
    fs::write(&path, [&good[..], &[0]].concat()).unwrap();
    assert_eq!(exit_code(&verify(&path).unwrap_err()), CORRUPT);
    fs::remove_file(&path).unwrap();
    assert_eq!(exit_code(&verify(&path).unwrap_err()), NO_INPUT);
}

#[test]
fn a_part_that_was_not_removed_is_removed_later() {
    let (folder, path) = finished();
    fs::write(part_path(&path), "a process was killed before it removed this").unwrap();
    assert_eq!(play(&run(folder.path(), 1), 1).unwrap(), Shard::AlreadyComplete);
    assert!(!part_path(&path).exists());
}

#[test]
fn no_run_has_more_shards_than_names() {
    let folder = tempfile::tempdir().unwrap();
    for (shard, shards) in [(1, u32::MAX), (0, 0), (3, 3)] {
        let run = Run { shards, ..run(folder.path(), 1) };
        drop(run.open(shard).unwrap());
        let error = Status::of(folder.path()).map(|status| status.corrupt);
        let reasons = error.unwrap();
        assert!(reasons[0].1.contains(&format!("no shard {shard} of {shards}")), "{reasons:?}");
        fs::remove_file(part_path(&run.path(shard))).unwrap();
    }
}

#[test]
fn settings_that_could_not_be_read_again_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let long = Run { parameters: json!("x".repeat(1 << 20)), ..run(folder.path(), 1) };
    let error = play(&long, 1).unwrap_err();
    assert_eq!(exit_code(&error), USAGE);
    assert!(format!("{error:#}").contains("more than a mebibyte"), "{error:#}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_damaged_finished_shard_is_not_overwritten() {
    let (folder, path) = finished();
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, &bytes).unwrap();
    let error = play(&run(folder.path(), 1), 1).unwrap_err();
    assert_eq!(exit_code(&error), CORRUPT);
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn another_header_is_rejected_with_its_first_difference() {
    let (folder, _) = finished();
    let error = play(&run(folder.path(), 2), 1).unwrap_err();
    assert_eq!(exit_code(&error), USAGE);
    assert!(format!("{error:#}").contains("its seed is 1, now it would be 2"), "{error:#}");
    let mut other = run(folder.path(), 1);
    other.parameters["nodes"] = json!(6);
    let error = play(&other, 1).unwrap_err();
    assert!(format!("{error:#}").contains("parameters.nodes is 5, now it would be 6"), "{error:#}");
}

/// Plays some of shard 1's games and stops, which leaves a `.part`.
fn interrupted(folder: &Path) -> PathBuf {
    let run = run(folder, 1);
    let stop = Stop::new();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let error = pool.install(|| {
        run.play_shard(1, "test", &stop, |game, _| {
            if game == 15 {
                stop.request();
                return Ok(None);
            }
            Ok(Some(Played { payload: payload(game), drawn: 0 }))
        })
    });
    assert_eq!(exit_code(&error.unwrap_err()), 75);
    part_path(&run.path(1))
}

/// The finished shard is that of an undisturbed run, wherever the write was torn and whichever byte
/// of the tail was lost.
#[test]
fn resuming_after_any_tear_gives_the_undisturbed_bytes() {
    let (_keep, whole) = finished();
    let wanted = fs::read(whole).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let part = interrupted(folder.path());
    let torn = fs::read(&part).unwrap();
    let run = run(folder.path(), 1);
    for length in (0..=torn.len()).rev() {
        fs::write(&part, &torn[..length]).unwrap();
        assert_eq!(play(&run, 1).unwrap(), Shard::Finished, "cut to {length}");
        assert_eq!(fs::read(run.path(1)).unwrap(), wanted, "cut to {length}");
        fs::remove_file(run.path(1)).unwrap();
    }
}

#[test]
fn a_flipped_byte_in_a_part_costs_games_and_never_the_result() {
    let (_keep, whole) = finished();
    let wanted = fs::read(whole).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let part = interrupted(folder.path());
    let good = fs::read(&part).unwrap();
    let run = run(folder.path(), 1);
    let header = 20 + usize::from(good[12]) + 256 * usize::from(good[13]);
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        fs::write(&part, bad).unwrap();
        match play(&run, 1) {
            Ok(_) => {
                assert!(at >= header, "byte {at} of the header passed");
                assert_eq!(fs::read(run.path(1)).unwrap(), wanted, "byte {at}");
                fs::remove_file(run.path(1)).unwrap();
            }
            Err(error) => {
                assert!(at < header, "byte {at}: {error:#}");
                assert_eq!(exit_code(&error), CORRUPT, "byte {at}: {error:#}");
            }
        }
    }
}

#[test]
fn a_part_with_another_header_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let part = interrupted(folder.path());
    let before = fs::read(&part).unwrap();
    let error = play(&run(folder.path(), 2), 1).unwrap_err();
    assert_eq!(exit_code(&error), USAGE);
    assert_eq!(fs::read(&part).unwrap(), before);
}

#[test]
fn two_writers_of_one_shard_are_kept_apart() {
    let folder = tempfile::tempdir().unwrap();
    let run = run(folder.path(), 1);
    let Opened::Unfinished(first) = run.open(1).unwrap() else { panic!("nothing is finished") };
    let error = run.open(1).map(drop).unwrap_err();
    assert!(format!("{error:#}").contains("another process"), "{error:#}");
    drop::<ShardWriter>(first);
    assert_eq!(play(&run, 1).unwrap(), Shard::Finished);
}

#[test]
fn bytes_do_not_depend_on_threads() {
    let shard = |threads| {
        let folder = tempfile::tempdir().unwrap();
        let run = run(folder.path(), 1);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| play(&run, 0)).unwrap();
        fs::read(run.path(0)).unwrap()
    };
    assert_eq!(shard(1), shard(4));
}

#[test]
fn status_knows_missing_unfinished_and_damaged_shards() {
    let (folder, path) = finished();
    let status = Status::of(folder.path()).unwrap();
    assert_eq!(cluster::ranges(&status.missing()), "0,2");
    let error = cluster::whole_run(folder.path()).unwrap_err();
    assert_eq!(exit_code(&error), CORRUPT);
    assert!(error.to_string().contains("shards 0,2 of 3"), "{error}");

    let run = run(folder.path(), 1);
    play(&run, 0).unwrap();
    drop(run.open(2).unwrap());
    let status = Status::of(folder.path()).unwrap();
    assert_eq!((status.missing(), status.unfinished.clone()), (vec![2], vec![2]));
    play(&run, 2).unwrap();
    assert_eq!(cluster::whole_run(folder.path()).unwrap().len(), 3);

    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let status = Status::of(folder.path()).unwrap();
    assert_eq!((status.missing(), status.corrupt[0].0), (vec![1], Some(1)));
    fs::write(&path, b"no shard at all").unwrap();
    assert_eq!(Status::of(folder.path()).unwrap().missing(), vec![1]);
    assert_eq!(exit_code(&cluster::whole_run(folder.path()).unwrap_err()), CORRUPT);
}

#[test]
fn a_part_left_behind_by_a_finished_shard_counts_for_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let run = run(folder.path(), 1);
    drop(run.open(0).unwrap());
    let part = fs::read(part_path(&run.path(0))).unwrap();
    play(&run, 0).unwrap();
    fs::write(part_path(&run.path(0)), part).unwrap();
    let status = Status::of(folder.path()).unwrap();
    assert_eq!((status.missing(), status.unfinished), (vec![1, 2], vec![]));
}

/// Tests a part that disappears because another process finishes its shard.
#[test]
fn a_part_that_vanishes_is_no_error() {
    let (folder, path) = finished();
    let gone = folder.path().join("gone");
    std::os::unix::fs::symlink(gone, part_path(&path.with_file_name("x.shard"))).unwrap();
    let status = Status::of(folder.path()).unwrap();
    assert_eq!((status.missing(), status.unfinished), (vec![0, 2], vec![]));
}

#[test]
fn a_folder_with_two_runs_or_none_is_rejected() {
    let (folder, _) = finished();
    // A second run cannot be begun in the folder. Only a copied shard can mix runs.
    assert_eq!(exit_code(&play(&run(folder.path(), 2), 0).unwrap_err()), USAGE);
    let elsewhere = tempfile::tempdir().unwrap();
    let other = run(elsewhere.path(), 2);
    play(&other, 0).unwrap();
    fs::copy(other.path(0), run(folder.path(), 2).path(0)).unwrap();
    assert_eq!(exit_code(&Status::of(folder.path()).unwrap_err()), USAGE);
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(exit_code(&Status::of(empty.path()).unwrap_err()), NO_INPUT);
    let nowhere = empty.path().join("nowhere");
    assert_eq!(exit_code(&Status::of(&nowhere).unwrap_err()), NO_INPUT);
}

#[test]
fn a_failing_game_keeps_the_finished_ones() {
    let folder = tempfile::tempdir().unwrap();
    let run = run(folder.path(), 1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let failed = pool.install(|| {
        run.play_shard(1, "test", &Stop::new(), |game, _| {
            anyhow::ensure!(game < 17, "broken game");
            Ok(Some(Played { payload: payload(game), drawn: 0 }))
        })
    });
    assert_eq!(failed.unwrap_err().to_string(), "broken game");
    let Opened::Unfinished(writer) = run.open(1).unwrap() else { panic!("it cannot be finished") };
    assert_eq!(writer.games().collect::<Vec<_>>(), (10..17).collect::<Vec<_>>());
    assert_eq!(writer.payload(12).unwrap().unwrap(), payload(12));
    assert_eq!(writer.payload(18).unwrap(), None);
}

proptest! {
    /// Bytes with any lengths cause neither a panic nor exhaustion of memory.
    #[test]
    fn hostile_files_are_rejected(tail in prop::collection::vec(any::<u8>(), 0..300), keep in 0usize..400) {
        let (_folder, path) = finished();
        let mut bytes = fs::read(&path).unwrap();
        bytes.truncate(keep);
        bytes.extend(tail);
        fs::write(&path, bytes).unwrap();
        prop_assert_eq!(exit_code(&verify(&path).unwrap_err()), CORRUPT);
    }
}
