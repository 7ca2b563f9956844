//! What holds in every position of random games.

use crate::games::line;
use fusion_chesimal::board::{Action, Bitboard, Kind, Position, SQUARES, Square};
use fusion_chesimal::rules::{FirstTurn, RuleSet};
use fusion_game::prelude::*;
use proptest::prelude::*;

fn board(rules: &RuleSet) -> Bitboard {
    let (files, ranks) = rules.size();
    Bitboard::board(files, ranks)
}

fn legal(position: &Position, rules: &RuleSet) -> Vec<Action> {
    let mut actions = Vec::new();
    position.actions(rules, &mut actions);
    actions
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn hashes_are_kept_up(line in line(120)) {
        line.each(|game, actions, _| {
            assert_eq!(game.position().hash(), game.position().fresh_hash(), "{}", game.to_text());
            for &action in actions {
                let mut next = *game.position();
                next.play(&line.rules, action);
                assert_eq!(next.hash(), next.fresh_hash(), "{action} in {}", game.to_text());
            }
        });
    }

    /// After the choice of a leader an activation is possible, and a turn can always be ended within
    /// the number of actions that its limits allow.
    #[test]
    fn actions_never_dead_end(line in line(60)) {
        line.each(|game, actions, _| {
            let (position, rules) = (game.position(), &line.rules);
            assert_eq!(actions.is_empty(), position.has_lost(position.side(), rules));
            for &action in actions {
                let mut next = *position;
                next.play(rules, action);
                let replies = legal(&next, rules);
                let lost = next.has_lost(next.side(), rules);
                assert_eq!(replies.is_empty(), lost, "{action} in {}", game.to_text());
                let is_choice = matches!(action, Action::Choose { .. });
                assert!(!is_choice || !replies.contains(&Action::End), "{action}");
                assert!(!is_choice || next.active().is_some());
            }
            let most = rules.king_others.get().max(rules.prince_total.get()) + 1;
            assert!(position.activations() <= most);
        });
    }

    /// What some leader activates, and what it reaches, is what the first actions of turns say. The
    /// limits are lifted, because threats do not look at them.
    #[test]
    fn threats_are_first_actions(line in line(60)) {
        line.each(|game, _, _| {
            let position = game.position();
            if position.active().is_some() || position.has_lost(position.side(), &line.rules) {
                return;
            }
            let mut rules = RuleSet { first_turn: FirstTurn(None), ..line.rules };
            rules.set("king-others", "31").unwrap();
            rules.set("prince-total", "32").unwrap();
            let (mut ready, mut reached) = (Bitboard::EMPTY, Bitboard::EMPTY);
            for choice in legal(position, &rules) {
                let mut next = *position;
                next.play(&rules, choice);
                if next.active().is_none() {
                    continue;
                }
                ready |= next.ready(&rules);
                for action in legal(&next, &rules) {
                    if let Action::Activate { to, .. } = action {
                        reached |= to.bit();
                    }
                }
            }
            let side = position.side();
            let alert = position.alert(side, &rules);
            let all = position.reached_by(alert, &rules);
            assert_eq!(all & !position.units(side), reached, "{}", game.to_text());
            // A leader that can activate nothing cannot be chosen.
            assert_eq!(ready & !alert, Bitboard::EMPTY, "{}", game.to_text());
            for square in (0..SQUARES).filter_map(Square::from_index) {
                let near = position.is_reached(square, alert, &rules);
                assert!(!board(&rules).has(square) || near == all.has(square), "{square}");
            }
        });
    }

    /// Within a turn the mover's units only move; over a game units only disappear.
    #[test]
    fn units_only_move_or_disappear(line in line(100)) {
        line.each(|game, _, made| {
            let position = game.position();
            let Some(action) = made else { return };
            let mut next = *position;
            next.play(&line.rules, action);
            let side = position.side();
            for kind in Kind::ALL {
                let count = |position: &Position, side| (position.kind(kind) & position.units(side)).len();
                assert_eq!(count(position, side), count(&next, side));
                assert!(count(position, side.other()) >= count(&next, side.other()));
            }
            assert!(position.units(side.other()).len() - next.units(side.other()).len() <= 1);
        });
    }

    /// Units that moved are of kinds that the mode allows, and each side has as many AMPs as leaders.
    #[test]
    fn turns_and_amps_are_sound(line in line(100)) {
        line.each(|game, _, _| {
            let position = game.position();
            if let Some(active) = position.active() {
                for square in position.moved() {
                    let kind = position.kind_on(square).unwrap();
                    assert!(active.mode.activates(kind), "{}", game.to_text());
                }
            }
            if line.rules.has_amps() {
                for leader in position.leaders() {
                    let friends = position.friends(leader, &line.rules);
                    assert_eq!((friends & position.leaders()).len(), 1, "{}", game.to_text());
                    assert!(friends.has(leader));
                }
            }
        });
    }
}
