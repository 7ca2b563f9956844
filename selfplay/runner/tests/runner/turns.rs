//! Tests games whose turns have several plies: openings, training games, samples, measurement and
//! matches.

use std::collections::BTreeMap;

use fusion_game::prelude::*;
use fusion_game::toy::{LINE, TicTacToe, Variant};
use fusion_game::{Outcome, Side};
use fusion_jobs::stop::Stop;
use fusion_network::model::Model;
use fusion_runner::generate;
use fusion_runner::matches::{self, MatchConfig, Player};
use fusion_runner::openings;
use fusion_runner::records::{self, Ply, Record, RootWdl, Searched};
use fusion_runner::samples;
use fusion_study::SampleOptions;
use fusion_study::Searcher;
use fusion_study::{OpeningsConfig, SelfplayConfig};

fn model() -> Model {
    Model::open::<TicTacToe>("uniform", []).unwrap()
}

fn pool(rules: &[&str], plies: (u32, u32), count: u32) -> anyhow::Result<openings::Pool> {
    let config = OpeningsConfig { count, plies, max_advantage: 2.0, nodes: 8 };
    let rules: Vec<String> = rules.iter().map(|&rules| rules.to_owned()).collect();
    let judge = Some(model().into());
    openings::make::<TicTacToe>(
        &config,
        &rules,
        &Default::default(),
        judge.as_ref(),
        3,
        &Stop::new(),
    )
}

#[test]
fn openings_end_with_a_turn() {
    let pool = pool(&["double", "double-misere"], (2, 4), 40).unwrap();
    let mut lengths = BTreeMap::<u32, u32>::new();
    for opening in pool.openings() {
        *lengths.entry(opening.plies).or_default() += 1;
        // The first turn has one mark, later turns have two, so turns end after an odd number of
        // marks.
        assert_eq!(opening.plies % 2, 1, "{opening:?}");
        let game = opening.play::<TicTacToe>(&Variant::parse("double").unwrap()).unwrap();
        let first_moves = opening.plies.div_ceil(2).is_multiple_of(2);
        assert_eq!(game.side_to_move() == Side::First, first_moves, "{opening:?}");
    }
    // Two or three requested plies become three; four become five.
    assert!(lengths.len() == 2 && lengths[&3] > 10 && lengths[&5] > 5, "{lengths:?}");
}

#[test]
fn openings_have_the_same_player_to_move_in_all_arms() {
    assert_eq!(pool(&["normal", "double"], (1, 1), 5).unwrap().openings().len(), 5);
    let rejected = pool(&["normal", "double"], (3, 3), 5).unwrap_err();
    assert!(rejected.to_string().contains("no common move"), "{rejected}");
}

/// Returns a game in which x takes a1, o takes a2 and b2, and x takes b1 and c1.
fn won_game() -> Record {
    let root = |win, loss| RootWdl::new([win, 0.0, loss]).into();
    let ply = |code, win| {
        let search = Some(Searched { root: root(win, 1.0 - win), target: None });
        Ply { code, search }
    };
    Record {
        rules: "double".to_owned(),
        start: ".........".to_owned(),
        outcome: Outcome { winner: Some(Side::First), ending: LINE },
        plies: vec![ply(0, 0.7), ply(3, 0.4), ply(4, 0.1), ply(1, 0.8), ply(2, 0.6)],
    }
}

#[test]
fn samples_follow_the_side_that_moves() {
    let samples =
        samples::from_record::<TicTacToe>(&won_game(), &SampleOptions::default()).unwrap();
    let won: Vec<bool> = samples.iter().map(|sample| sample.result == [1.0, 0.0, 0.0]).collect();
    assert_eq!(won, [true, false, false, true, true]);
    // The expected value ahead is a mean of later searches, from the view of the player to move,
    // computed by hand.
    let ahead: Vec<f32> = samples.iter().map(|sample| sample.horizon[0]).collect();
    let nearer = |ahead: f32, now: f32| ahead + (now - ahead) / samples::HORIZON;
    let fourth = nearer(1.0, 0.6);
    let third = 1.0 - nearer(fourth, 0.8);
    let second = nearer(third, 0.1);
    let first = 1.0 - nearer(second, 0.4);
    for (found, wanted) in ahead.iter().zip([first, second, third, fourth, 1.0]) {
        // Root values are stored as bytes.
        assert!((found - wanted).abs() < 0.005, "{ahead:?}: {wanted}");
    }
}

#[test]
fn training_games_are_recorded_and_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let rules = BTreeMap::from([("double".to_owned(), 1.0), ("double-misere".to_owned(), 1.0)]);
    let config = SelfplayConfig {
        rules,
        games: 60,
        shards: 2,
        random_plies: (0, 3),
        ..SelfplayConfig::default()
    };
    generate::run::<TicTacToe>(
        &config,
        &Searcher::from(model()),
        5,
        folder.path(),
        0..2,
        &Stop::new(),
    )
    .unwrap();
    let mut winners = BTreeMap::<String, u32>::new();
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let path = file.unwrap().path();
        records::read_shard::<TicTacToe>(&path, |record| {
            let samples =
                samples::from_record::<TicTacToe>(&record, &SampleOptions::default()).unwrap();
            let searched = record.plies.iter().filter(|ply| ply.search.is_some()).count();
            assert_eq!(samples.len(), searched);
            // Two plies of one turn have the same result.
            let mut game =
                TicTacToe::from_text(&Variant::parse(&record.rules).unwrap(), &record.start)
                    .unwrap();
            let mut sample = samples.iter();
            for ply in &record.plies {
                if ply.search.is_some() {
                    let won = record.outcome.winner.map(|winner| winner == game.side_to_move());
                    let shares = [won == Some(true), won.is_none(), won == Some(false)];
                    let result = shares.map(|share| f32::from(u8::from(share)));
                    assert_eq!(sample.next().unwrap().result, result);
                }
                game.play(game.decode_move(ply.code).unwrap());
            }
            let winner = record.outcome.winner.map_or("none", |side| match side {
                Side::First => "first",
                Side::Second => "second",
            });
            *winners.entry(winner.to_owned()).or_default() += 1;
            Ok(())
        })
        .unwrap();
    }
    assert_eq!(winners.values().sum::<u32>(), 60);
    assert!(winners.len() > 1, "{winners:?}");
}

#[test]
fn matches_give_both_plies_of_a_turn_to_one_player() {
    let folder = tempfile::tempdir().unwrap();
    let player = |nodes| Player::of(model(), nodes);
    let config = MatchConfig {
        first: player(400),
        second: player(2),
        rules: vec!["double-misere".to_owned()],
        games: 400,
        plies: (1, 1),
        cap: 100,
        search: Default::default(),
        sprt: None,
        seed: 1,
    };
    let report = matches::run::<TicTacToe>(&config, folder.path(), &Stop::new()).unwrap();
    assert!(report.total.wins > report.total.losses + 66, "{:?}", report.total);
}
