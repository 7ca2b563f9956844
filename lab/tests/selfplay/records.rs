//! Records of chess games.

use fusion_chess::FusionGame;
use fusion_chess::game::{CHECKMATE, FIFTY_MOVE, THREEFOLD};
use fusion_chess::rules::RuleSet;
use fusion_game::prelude::*;
use fusion_game::{Ending, Outcome, Side};
use fusion_runner::records::{Ply, Record};
use fusion_runner::samples;
use fusion_study::SampleOptions;

/// Programs before this one named the fifty-move rule where the position also occurs for the third
/// time. Their games are still read.
#[test]
fn a_draw_by_two_endings_is_read_by_either_name() {
    let rules: RuleSet = "orthodox".parse().unwrap();
    let start = "4k3/8/8/8/8/8/8/R3K3 w - - 92 60";
    let mut game = FusionGame::from_text(&rules, start).unwrap();
    let mut plies = Vec::new();
    for text in "a1b1 e8d8 b1a1 d8e8 a1b1 e8d8 b1a1 d8e8".split(' ') {
        let mv = game.parse_move(text).unwrap();
        plies.push(Ply { code: game.encode_move(mv), search: None });
        game.play(mv);
    }
    assert_eq!(game.outcome_now(), Some(Outcome { winner: None, ending: THREEFOLD }));
    let read = |ending, winner| {
        let (rules, start) = (rules.to_string(), start.to_owned());
        let outcome = Outcome { winner, ending };
        let record = Record { rules, start, outcome, plies: plies.clone() };
        samples::from_record::<FusionGame>(&record, &SampleOptions::default()).is_ok()
    };
    assert!(read(THREEFOLD, None) && read(FIFTY_MOVE, None));
    assert!(!read(CHECKMATE, Some(Side::First)) && !read(Ending::CAP, None));
}
