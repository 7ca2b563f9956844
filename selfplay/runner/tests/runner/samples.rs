//! Tests how records of games become training samples.

use fusion_chess::FusionGame;
use fusion_game::prelude::*;
use fusion_game::toy::{LINE, TicTacToe};
use fusion_game::{Ending, Outcome, ViewInputs, Views};
use fusion_runner::records::{Ply, Record, RootWdl, Searched, Target};
use fusion_runner::samples::{self, ReplayError};
use fusion_study::SampleOptions;

fn won_game() -> Record {
    let root = RootWdl::new([0.5, 0.25, 0.25]).into();
    let target = Target::new(&[(0, 0.75), (4, 0.25)], 0.5);
    let ply = |code, search| Ply { code, search };
    Record {
        rules: "normal".to_owned(),
        start: ".........".to_owned(),
        outcome: Outcome { winner: Some(fusion_game::Side::First), ending: LINE },
        plies: vec![
            ply(0, Some(Searched { root, target })),
            ply(3, None),
            ply(1, Some(Searched { root, target: None })),
            ply(4, Some(Searched { root, target: Target::new(&[(4, 1.0)], 0.0) })),
            ply(2, None),
        ],
    }
}

#[test]
fn samples_see_the_game_from_the_side_to_move() {
    let options = SampleOptions::default();
    let samples = samples::from_record::<TicTacToe>(&won_game(), &options).unwrap();
    assert_eq!(samples.len(), 3);
    let [first, fast, second] = samples.as_slice() else { panic!("three samples") };
    assert_eq!((first.result, second.result), ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]));
    assert_eq!(first.policy, [0.75, 0.0, 0.0, 0.0, 0.25, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(second.rows, [2, 4, 5, 6, 7, 8]);
    assert_eq!((first.remaining, second.remaining), (Some(5), Some(2)));
    assert_eq!(second.features, [3, 9, 10]);
    assert!(fast.policy.is_empty() && fast.weight == 0.5);
    close(second.horizon, [0.0, 0.0, 1.0]);
    close(fast.horizon, [1.0 - 0.75 / 6.0, 0.25 / 6.0, 0.5 / 6.0]);
    assert_eq!((first.weight, second.weight), (1.0, 1.0));
    assert!(fast.rows.is_empty());
    let options = SampleOptions { fast_weight: 0.0 };
    assert_eq!(samples::from_record::<TicTacToe>(&won_game(), &options).unwrap().len(), 2);
}

fn close(found: [f32; 3], wanted: [f32; 3]) {
    for (found, wanted) in found.into_iter().zip(wanted) {
        // Root values are stored as bytes.
        assert!((found - wanted).abs() < 0.003, "{found} is not {wanted}");
    }
}

/// Tests two searches a ply, then the end, with the value ahead computed by hand.
#[test]
fn the_value_ahead_is_a_mean_of_later_searches_and_the_result() {
    let mut record = won_game();
    let root = |win, loss| Searched { root: RootWdl::new([win, 0.0, loss]).into(), target: None };
    record.plies[3].search = Some(root(0.2, 0.8));
    record.plies[4].search = Some(root(0.6, 0.4));
    let samples = samples::from_record::<TicTacToe>(&record, &SampleOptions::default()).unwrap();
    let [_, third, fourth, fifth] = samples.as_slice() else { panic!("four samples") };
    close(fifth.horizon, [1.0, 0.0, 0.0]);
    let won = 0.6 / 6.0 + 5.0 / 6.0;
    close(fourth.horizon, [1.0 - won, 0.0, won]);
    let won = 0.8 / 6.0 + won * 5.0 / 6.0;
    close(third.horizon, [won, 0.0, 1.0 - won]);

    // After the cap, the last search's value replaces the values of the plies that were not played.
    record.plies.pop();
    record.outcome = Outcome { winner: None, ending: Ending::CAP };
    let samples = samples::from_record::<TicTacToe>(&record, &SampleOptions::default()).unwrap();
    let [_, third, fourth] = samples.as_slice() else { panic!("three samples") };
    close(fourth.horizon, [0.2, 0.0, 0.8]);
    close(third.horizon, [0.8, 0.0, 0.2]);
}

#[test]
fn capped_games_teach_the_values_of_their_searches() {
    let mut record = won_game();
    record.plies.pop();
    record.outcome = Outcome { winner: None, ending: Ending::CAP };
    let samples = samples::from_record::<TicTacToe>(&record, &SampleOptions::default()).unwrap();
    assert!(samples.len() == 3 && samples.iter().all(|sample| sample.result == sample.root));
}

#[test]
fn records_that_are_no_legal_games_are_rejected() {
    let replay = |change: fn(&mut Record)| {
        let mut record = won_game();
        change(&mut record);
        samples::from_record::<TicTacToe>(&record, &SampleOptions::default()).unwrap_err()
    };
    assert_eq!(replay(|r| r.plies[1].code = 0), ReplayError::Illegal { ply: 2, code: 0 });
    assert_eq!(replay(|r| r.plies[1].code = 99), ReplayError::Illegal { ply: 2, code: 99 });
    let foreign = |r: &mut Record| {
        let target = Target::new(&[(0, 0.5), (5, 0.5)], 0.0);
        r.plies[3].search = Some(Searched { root: RootWdl::new([1.0, 0.0, 0.0]).into(), target });
    };
    assert_eq!(replay(foreign), ReplayError::Illegal { ply: 4, code: 0 });
    assert!(matches!(replay(|r| drop(r.plies.pop())), ReplayError::Ending { found: "no end", .. }));
    let longer = |r: &mut Record| r.plies.push(Ply { code: 8, search: None });
    assert!(matches!(replay(longer), ReplayError::Ending { found: "line", .. }));
    assert!(matches!(replay(|r| r.outcome.winner = None), ReplayError::Ending { .. }));
    assert!(matches!(replay(|r| r.rules = "chess".to_owned()), ReplayError::Start(_)));
    assert!(matches!(replay(|r| r.start = "?".to_owned()), ReplayError::Start(_)));
}

/// Returns an orthodox game with these moves that reached the cap. Every ply was searched.
fn searched_game(moves: &[&str]) -> Record {
    let mut game = FusionGame::new(&"orthodox".parse().unwrap());
    let start = game.to_text();
    let root = RootWdl::new([0.6, 0.2, 0.2]).into();
    let ply = |text: &&str| {
        let mv = game.parse_move(text).unwrap();
        let code = game.encode_move(mv);
        game.play(mv);
        Ply { code, search: Some(Searched { root, target: None }) }
    };
    let plies = moves.iter().map(ply).collect();
    let outcome = Outcome { winner: None, ending: Ending::CAP };
    Record { rules: "orthodox".to_owned(), start, outcome, plies }
}

#[test]
fn views_are_sampled_where_no_capture_or_check_follows() {
    // Captures at plies 3 and 4; the side to move is in check at ply 6.
    let record = searched_game(&["e2e4", "d7d5", "e4d5", "d8d5", "f1e2", "d5e4", "b1c3"]);
    let options = SampleOptions::default();
    let found = samples::views_of_record::<FusionGame>(&record, &options).unwrap();
    assert_eq!(found.len(), 5);
    let mut game = FusionGame::new(&"orthodox".parse().unwrap());
    game.play(game.parse_move("e2e4").unwrap());
    let mut inputs = ViewInputs::default();
    FusionGame::unpack(&FusionGame::views(game.rules()), &found[1].packed, &mut inputs);
    assert_eq!(inputs, game.view_inputs());
    assert_eq!((found[1].stage, found[1].result, found[1].weight), (7, found[1].root, 0.5));
    close(found[1].root, [0.6, 0.2, 0.2]);

    let options = SampleOptions { fast_weight: 0.0 };
    assert!(samples::views_of_record::<FusionGame>(&record, &options).unwrap().is_empty());
    let mut record = record;
    record.plies[2].code = 1;
    let error = samples::views_of_record::<FusionGame>(&record, &options).unwrap_err();
    assert_eq!(error, ReplayError::Illegal { ply: 3, code: 1 });
}
