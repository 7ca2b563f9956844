//! Texts, codes and words come back.

use crate::games::line;
use fusion_chesimal::ChesimalGame;
use fusion_chesimal::board::{Action, Position};
use fusion_chesimal::notation::{TurnWords, parse_turn};
use fusion_chesimal::rules::RuleSet;
use fusion_game::prelude::*;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn texts_and_codes_come_back(line in line(80)) {
        line.each(|game, actions, _| {
            let read = ChesimalGame::from_text(&line.rules, &game.to_text()).unwrap();
            assert_eq!(read.to_text(), game.to_text());
            assert_eq!(read.position().hash(), game.position().hash());
            for &action in actions {
                assert_eq!(action.to_string().parse(), Ok(action));
                assert_eq!(Action::from_code(action.code()), Some(action));
            }
        });
    }

    #[test]
    fn turns_come_back(line in line(80)) {
        let mut turn = TurnWords::default();
        let mut made = Vec::new();
        let mut start: Option<Position> = None;
        line.each(|game, _, action| {
            let Some(action) = action else { return };
            let position = *game.position();
            // A turn that was in progress at the beginning is left out.
            if position.active().is_none() {
                start = Some(position);
                (turn, made) = (TurnWords::default(), Vec::new());
            }
            turn.add(&position, &line.rules, action, None);
            made.push(action);
            let mut next = position;
            next.play(&line.rules, action);
            if let (Some(start), true) = (start, next.side() != position.side()) {
                let words = turn.line();
                let parsed = parse_turn(&start, &line.rules, &words);
                // A pass does not say who was chosen in vain.
                if words != "pass" {
                    assert_eq!(parsed.as_ref(), Ok(&made), "{words}");
                }
                turn = TurnWords::default();
            }
        });
    }

    #[test]
    fn garbage_is_rejected_without_a_panic(
        text in "[kqsnwepKSNWEP0-9/ wb+*-]{0,80}",
        other in "\\PC{0,20}",
        preset in 0..3usize,
    ) {
        let rules = fusion_chesimal::rules::PRESETS[preset].1;
        let _ = ChesimalGame::from_text(&rules, &other);
        let _ = other.parse::<Action>();
        let _ = other.parse::<RuleSet>();
        if let Ok(game) = ChesimalGame::from_text(&rules, &text) {
            let mut actions = Vec::new();
            game.legal_moves(&mut actions);
            prop_assert_eq!(actions.is_empty(), game.outcome_now().is_some());
        }
    }

    /// Changes one character of a correct text.
    #[test]
    fn damaged_texts_do_not_panic(
        line in line(40),
        place in any::<prop::sample::Index>(),
        letter in "[kqsnwepKSNWEP0-9/ wb+*-]",
    ) {
        line.each(|game, _, _| {
            let mut text = game.to_text();
            let at = place.index(text.len());
            text.replace_range(at..=at, &letter);
            if let Ok(read) = ChesimalGame::from_text(&line.rules, &text) {
                let mut actions = Vec::new();
                read.legal_moves(&mut actions);
                for action in actions {
                    let mut next = read.clone();
                    next.play(action);
                    assert_eq!(next.position().hash(), next.position().fresh_hash());
                }
            }
        });
    }
}

/// Texts that are refused, and words of the reason.
#[test]
fn positions_that_cannot_occur_are_refused() {
    let board = "15k/16/16/16/16/16/16/2KPP11/4pk10/16/16/16";
    for (rules, text, reason) in [
        ("chesimal", "", "fields instead of 6"),
        ("chesimal", "8/8 w - - 0 1", "the placement has 2 ranks, the board has 12"),
        ("chesimal-small", "9/8/8/8/8/8/8/K6k w - - 0 1", "rank 8, '9': '9' is no number"),
        ("chesimal-small", "08/8/8/8/8/8/8/K6k w - - 0 1", "'08' is no number"),
        ("chesimal-small", "7/8/8/8/8/8/8/K6k w - - 0 1", "rank 8, '7': 7 squares instead of 8"),
        ("chesimal-small", "8/8/8/8/8/8/8/K6q w - - 0 1", "'q' is no unit"),
        ("chesimal-small", "8/8/8/8/8/8/8/K6kk w - - 0 1", "9 squares instead of 8"),
        ("chesimal-small", "8/8/8/8/8/8/8/K6k x - - 0 1", "'x' is no side"),
        ("chesimal-small", "8/8/8/8/8/8/8/K6k w 11 - 0 1", "expected - because"),
        ("chesimal-small", "8/8/8/8/8/8/8/K6k w - - -1 1", "quiet turns '-1': expected a whole"),
        ("chesimal-small", "8/8/8/8/8/8/8/K6k w - - 00 1", "quiet turns '00'"),
        ("chesimal-small", "8/8/8/8/8/8/8/K6k w - - 0 0", "turn number '0': expected"),
        ("chesimal-small", "8/8/8/8/8/8/8/K7 w - - 0 1", "not to move has lost"),
        ("chesimal-small", "8/8/8/8/8/8/8/S6k w - a1o 0 1", "the side to move has lost"),
        ("chesimal-small", "8/8/8/8/8/8/8/K6k w - a1 0 1", "expected a leader's square and mode"),
        ("chesimal-small", "8/8/8/8/8/8/8/K6k w - h1k 0 1", "no leader of the side to move"),
        ("chesimal-small", "8/8/8/8/8/8/8/K6k w - a1o 0 1", "a King has no mode o"),
        ("chesimal-small", "8/8/8/8/8/8/8/KS5k w - b1b 0 1", "a Prince has no mode b"),
        ("chesimal-small", "8/8/8/8/8/8/8/KP5k w - a1k+c1 0 1", "activates no unit on c1"),
        ("chesimal-small", "8/8/8/8/8/8/8/KP5k w - a1k+b1+a1 0 1", "is not in order"),
        ("chesimal-small", "8/8/8/8/8/8/8/KP5k w - a1k+b1+b1 0 1", "is not in order"),
        ("chesimal-small", "8/8/8/8/8/8/8/KP5k w - a1k*b1 0 1", "recruits no unit on b1"),
        ("chesimal-small", "8/8/8/8/8/8/8/KSN4k w - b1o+c1 0 1", "activates no unit on c1"),
        ("chesimal-small", "8/8/8/8/8/8/8/KPPPP2k w - a1k+b1+c1+d1+e1 0 1", "more units"),
        ("chesimal-small,first-turn=1", "8/8/8/8/8/8/8/KP5k w - a1k+a1+b1 0 1", "more units"),
        ("chesimal-restricted", &format!("{board} w 11002 - 3 4"), "expected 6 digits"),
        ("chesimal-restricted", &format!("{board} w 112022 - 3 4"), "a leader that is not there"),
        ("chesimal-restricted", &format!("{board} w 210022 - 3 4"), "are not numbered"),
        ("chesimal-restricted", &format!("{board} w 110022 c5k*c5 3 4"), "recruits no unit on c5"),
        ("chesimal-restricted", &format!("{board} w 110022 c5k+e5 3 4"), "activates no unit on e5"),
        ("chesimal-restricted", &format!("{board} w 110022 c5k*d5+c5 3 4"), "'d5+c5' is no square"),
        (
            "chesimal-restricted",
            "kkkkkkkkkk6/16/16/16/16/16/16/16/16/16/16/K15 w 12345678901 - 3 4",
            "more than 9 leaders",
        ),
    ] {
        let rules: RuleSet = rules.parse().unwrap();
        let error = ChesimalGame::from_text(&rules, text).unwrap_err();
        assert!(error.contains(reason), "{text}: {error}");
    }
}
