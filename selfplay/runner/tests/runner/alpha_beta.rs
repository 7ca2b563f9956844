//! Tests training games of the alpha-beta search: their openings, adjudication and records.

use std::collections::BTreeMap;
use std::path::Path;

use fusion_chess::FusionGame;
use fusion_game::{Ending, Side};
use fusion_jobs::exit::{CORRUPT, exit_code};
use fusion_jobs::runner::{Played, Run};
use fusion_jobs::stop::Stop;
use fusion_runner::generate;
use fusion_runner::records::{self, Record, Root};
use fusion_runner::samples;
use fusion_study::{Adjudication, SampleOptions, Searcher, SelfplayConfig};
use serde_json::json;

const BOUND: u32 = 400;
const PLIES: u32 = 4;

fn config(control: f64) -> SelfplayConfig {
    SelfplayConfig {
        rules: BTreeMap::from(["orthodox", "fusion-2020"].map(|rules| (rules.to_owned(), 1.0))),
        games: 24,
        full_share: 0.5,
        simulations: 120,
        fast_simulations: 60,
        random_plies: (6, 9),
        opening_value: Some(200),
        adjudication: Some(Adjudication { value: BOUND, plies: PLIES, control }),
        cap: 120,
        ..SelfplayConfig::default()
    }
}

fn play(config: &SelfplayConfig, folder: &Path) -> Vec<Record> {
    let player = Searcher::open::<FusionGame>("pvs:material?table_mib=1", []).unwrap();
    generate::run::<FusionGame>(config, &player, 5, folder, 0..1, &Stop::new()).unwrap();
    let mut found = Vec::new();
    let path = folder.join("games-00000-of-00001.shard");
    records::read_shard::<FusionGame>(&path, |record| {
        found.push(record);
        Ok(())
    })
    .unwrap();
    found
}

fn games(control: f64) -> Vec<Record> {
    play(&config(control), tempfile::tempdir().unwrap().path())
}

/// Returns the values of a game's searches for the first player, who is to move at even plies.
fn values(record: &Record) -> Vec<(usize, i32)> {
    let value = |(ply, played): (usize, &records::Ply)| {
        let Root::Value(root) = played.search.as_ref()?.root else { panic!("shares at {ply}") };
        Some((ply, if ply % 2 == 0 { root.value() } else { -root.value() }))
    };
    record.plies.iter().enumerate().filter_map(value).collect()
}

/// Returns the number of searches, from the first one, after which the game is decided.
fn decided(values: &[(usize, i32)]) -> Option<usize> {
    let last = |rows: &[(usize, i32)]| {
        let bound = BOUND as i32;
        rows.iter().all(|row| row.1 >= bound) || rows.iter().all(|row| row.1 <= -bound)
    };
    values.windows(PLIES as usize).position(last).map(|at| at + PLIES as usize)
}

#[test]
fn decided_games_end_and_the_others_are_the_same() {
    let (adjudicated, whole) = (games(0.0), games(1.0));
    let mut ended = 0;
    for (short, long) in adjudicated.iter().zip(&whole) {
        assert!(long.outcome.ending != Ending::VALUE);
        let values = values(long);
        let count = short.plies.len();
        assert_eq!(short.plies, long.plies[..count]);
        match decided(&values) {
            Some(searches) if short.outcome.ending == Ending::VALUE => {
                let (ply, value) = values[searches - 1];
                assert_eq!(count, ply + 1);
                let winner = if value > 0 { Side::First } else { Side::Second };
                assert_eq!(short.outcome.winner, Some(winner));
                ended += 1;
            }
            // The move after the last of the searches ended the game by the rules.
            Some(searches) => assert_eq!((searches, short), (values.len(), long)),
            None => assert_eq!(short, long),
        }
    }
    assert!((4..20).contains(&ended), "{ended}");
}

#[test]
fn some_games_are_played_on_as_a_control() {
    let count = |control| {
        let ended = |record: &&Record| record.outcome.ending == Ending::VALUE;
        games(control).iter().filter(ended).count()
    };
    let (all, some) = (count(0.0), count(0.5));
    assert!(some > 0 && some < all, "{some} of {all}");
}

#[test]
fn openings_are_as_long_and_as_level_as_the_settings_say() {
    for record in games(0.0) {
        let values = values(&record);
        let (first, value) = values[0];
        assert!((6..=9).contains(&first), "{first} random plies");
        assert!(value.abs() <= 200, "the game begins at {value}");
        assert_eq!(values.len(), record.plies.len() - first);
    }
}

/// White has only Pawns, so that no opening is level.
#[test]
fn without_a_level_opening_a_game_has_none() {
    let rules = BTreeMap::from([(
        "orthodox,start=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/4K3_w_kq_-".to_owned(),
        1.0,
    )]);
    let config = SelfplayConfig { rules, games: 2, ..config(0.0) };
    let found = play(&config, tempfile::tempdir().unwrap().path());
    assert!(found.iter().all(|record| values(record)[0].0 == 0), "{found:?}");
}

#[test]
fn adjudicated_games_become_samples() {
    let mut sampled = 0;
    for record in games(0.0) {
        let options = SampleOptions::default();
        let found = samples::views_of_record::<FusionGame>(&record, &options).unwrap();
        let winner = |sample: &samples::ViewSample| sample.result[0] + sample.result[2];
        if record.outcome.ending == Ending::VALUE {
            assert!(found.iter().all(|sample| winner(sample) == 1.0));
            sampled += found.len();
        }
        let tree = samples::from_record::<FusionGame>(&record, &options).unwrap();
        let is_known = ![Ending::VALUE, Ending::CAP].contains(&record.outcome.ending);
        assert!(tree.iter().all(|sample| sample.remaining.is_some() == is_known));

        // An adjudicated game needs a winner, and may not be over before.
        let mut wrong = record.clone();
        wrong.outcome.winner = None;
        wrong.outcome.ending = Ending::VALUE;
        let bytes = records::encode::<FusionGame>(&wrong);
        assert!(records::decode::<FusionGame>(&bytes).is_err());
    }
    assert!(sampled > 100, "{sampled}");
}

#[test]
fn shards_of_an_older_format_are_rejected_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let run = |kind, parameters| Run {
        kind,
        behaviour: "plays".to_owned(),
        folder: folder.path().join(kind),
        seed: 1,
        shards: 1,
        games: 1,
        parameters,
    };
    let old = run(generate::KIND, json!({"records": 1}));
    let other = run("measured", json!({}));
    for (run, part) in [(old, "has version 1 of the format"), (other, "has kind \"measured\"")] {
        let payload = vec![1, 2, 3];
        run.play_shard(0, "test", &Stop::new(), |_, _| {
            Ok(Some(Played { payload: payload.clone(), drawn: 0 }))
        })
        .unwrap();
        let error = records::open(&run.path(0)).unwrap_err();
        assert_eq!(exit_code(&error), CORRUPT);
        let message = error.to_string();
        assert!(message.contains(part) && message.contains("version 2"), "{message}");
    }
}
