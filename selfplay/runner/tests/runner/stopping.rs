//! Tests the stopping rule of measurements in several shards: the results are those of one shard.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use fusion_game::toy::TicTacToe;
use fusion_jobs::shard::ShardReader;
use fusion_jobs::stop::Stop;
use fusion_network::model::Model;
use fusion_runner::measure;
use fusion_runner::openings::Pool;
use fusion_study::{MeasureConfig, StopRule};
use tempfile::TempDir;

/// More openings than the rule needs.
const OPENINGS: u32 = 300;
/// Games of three shards if the rule ends nothing: of each block of 20 games they have 6, 7 and 7.
const SHARES: [u64; 3] = [180, 210, 210];

fn config(shards: u32) -> MeasureConfig {
    let rules = ["normal", "misere"].map(str::to_owned);
    MeasureConfig {
        primary: Some(rules.clone()),
        rules: rules.to_vec(),
        nodes: vec![60],
        own_plies: 5,
        shards,
        stop: Some(StopRule { alpha: 0.2, every: 10 }),
        ..MeasureConfig::default()
    }
}

/// Plays some shards of a measurement of this many openings, until it is done or stopped.
fn play(folder: &Path, openings: u32, shards: u32, mine: Range<u32>, stop: &Stop) -> bool {
    let pool = Pool::without_plies(openings);
    let model = Model::open::<TicTacToe>("uniform", []).unwrap().into();
    let threads = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let config = config(shards);
    let run = || measure::run::<TicTacToe>(&config, &pool, &model, 5, folder, mine, stop);
    let played = threads.install(run);
    assert!(played.is_ok() || stop.requested(), "{played:?}");
    played.is_ok()
}

/// Writes the results and returns them.
fn results(folder: &TempDir) -> [Vec<u8>; 3] {
    let folder = folder.path();
    assert!(measure::assemble_if_whole::<TicTacToe>(folder, &Stop::new()).unwrap().is_empty());
    ["games.csv", "games.txt", "measure.json"].map(|name| fs::read(folder.join(name)).unwrap())
}

fn rows([games, ..]: &[Vec<u8>; 3]) -> u64 {
    games.iter().filter(|&&byte| byte == b'\n').count() as u64 - 1
}

/// Returns the number of games in a shard.
fn saved(folder: &TempDir, shards: u32, shard: u32) -> u64 {
    let path = folder.path().join(format!("measure-{shard:05}-of-{shards:05}.shard"));
    ShardReader::open(&path).unwrap().verify().unwrap()
}

/// Plays a whole measurement of one shard.
fn one_shard(openings: u32) -> [Vec<u8>; 3] {
    let folder = tempfile::tempdir().unwrap();
    play(folder.path(), openings, 1, 0..1, &Stop::new());
    results(&folder)
}

#[test]
fn one_process_plays_only_the_games_up_to_the_look() {
    let one = one_shard(OPENINGS);
    assert!(rows(&one) < 2 * u64::from(OPENINGS), "{} games", rows(&one));
    for shards in [2, 7] {
        let folder = tempfile::tempdir().unwrap();
        play(folder.path(), OPENINGS, shards, 0..shards, &Stop::new());
        assert!(results(&folder) == one, "{shards} shards");
        let games: u64 = (0..shards).map(|shard| saved(&folder, shards, shard)).sum();
        assert_eq!(games, rows(&one));
    }
}

#[test]
fn tasks_in_any_order_come_to_the_same_results() {
    let one = one_shard(OPENINGS);
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let folder = tempfile::tempdir().unwrap();
        for shard in order {
            play(folder.path(), OPENINGS, 3, shard..shard + 1, &Stop::new());
        }
        assert!(results(&folder) == one, "{order:?}");
        // The first two tasks find no decision and play to their ends. The last one finds it.
        let games = order.map(|shard| saved(&folder, 3, shard));
        let planned = order.map(|shard| SHARES[shard as usize]);
        assert_eq!(games[..2], planned[..2], "{order:?}");
        assert!(games[2] < planned[2], "{order:?}: {games:?}");
    }
}

/// Tasks that run together see one another's games, also when they are stopped and begin again.
#[test]
fn tasks_that_run_together_stop_together() {
    let one = one_shard(OPENINGS);
    for delay in [5, 20] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        std::thread::scope(|scope| {
            for shard in 0..3 {
                scope.spawn(move || {
                    let stop = Stop::new();
                    let later = stop.clone();
                    std::thread::spawn(move || {
                        std::thread::sleep(Duration::from_millis(delay * u64::from(shard + 1)));
                        later.request();
                    });
                    let mine = shard..shard + 1;
                    if !play(path, OPENINGS, 3, mine.clone(), &stop) {
                        play(path, OPENINGS, 3, mine, &Stop::new());
                    }
                });
            }
        });
        assert!(results(&folder) == one, "{delay}");
    }
}

/// A damaged shard of another task is no reason to stop: that task plays its games again.
#[test]
fn a_damaged_shard_decides_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for shard in 0..2 {
        play(folder.path(), OPENINGS, 3, shard..shard + 1, &Stop::new());
    }
    let path = folder.path().join("measure-00000-of-00003.shard");
    let mut bytes = fs::read(&path).unwrap();
    let early = bytes.len() / 20;
    bytes[early] ^= 1;
    fs::write(&path, &bytes).unwrap();
    play(folder.path(), OPENINGS, 3, 2..3, &Stop::new());
    assert_eq!(saved(&folder, 3, 2), SHARES[2]);
    fs::remove_file(&path).unwrap();
    play(folder.path(), OPENINGS, 3, 0..1, &Stop::new());
    assert!(results(&folder) == one_shard(OPENINGS));
}

/// Some games of the last block before the growth go to other shards.
#[test]
fn a_measurement_that_grows_is_the_larger_one() {
    for few in [13, 295] {
        let folder = tempfile::tempdir().unwrap();
        play(folder.path(), few, 3, 0..3, &Stop::new());
        assert!(results(&folder) == one_shard(few), "{few}");
        play(folder.path(), OPENINGS, 3, 0..3, &Stop::new());
        assert!(results(&folder) == one_shard(OPENINGS), "{few}");
    }
}
