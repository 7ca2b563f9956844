//! Random positions beside the slow generator.

use super::{slow, start};
use fusion_freechess::board::{Action, Position};
use fusion_freechess::rules::{RuleSet, Shield};
use fusion_game::Side;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn toggles(rules: &RuleSet) -> slow::Toggles {
    slow::Toggles {
        valid_squares: rules.valid_squares,
        shield: match rules.shield {
            Shield::Any => 'y',
            Shield::Added => 'a',
            Shield::Nothing => 'n',
        },
        fusing: rules.fusing,
        splitting: rules.splitting,
        royal_return: rules.royal_return,
        recall: rules.recall,
        royal_to_capture: rules.royal_to_capture,
        royal_cancel: rules.royal_cancel,
        pinned_checks: rules.pinned_checks,
    }
}

/// Compares a position with the slow generator. Returns whether that was patient enough.
fn compare(rules: &RuleSet, position: &Position) -> bool {
    let text = position.to_text();
    let place = format!("{rules}, {text}");
    let (board, toggles) = (slow::Board::read(&text), toggles(rules));
    assert_eq!(board.text(), text, "{rules}");
    for (number, side) in [Side::First, Side::Second].into_iter().enumerate() {
        let wanted = board.in_check(&toggles, number);
        assert_eq!(position.in_check(rules, side), wanted, "{place}: check of {side:?}");
    }
    assert_eq!(
        position.valid_squares(rules).len(),
        board.valid(&toggles).len(),
        "{place}: valid squares"
    );
    let mut patience = 400;
    let Some(wanted) = board.legal(&toggles, &mut patience) else { return false };
    let mut actions = Vec::new();
    position.legal_actions(rules, &mut actions);
    let described =
        |&action: &Action| (action.text(position.size()), position.after(rules, action).to_text());
    let mut found: Vec<(String, String)> = actions.iter().map(described).collect();
    found.sort();
    if found != wanted {
        let extra: Vec<_> = found.iter().filter(|action| !wanted.contains(action)).collect();
        let missing: Vec<_> = wanted.iter().filter(|action| !found.contains(action)).collect();
        panic!("{place}: illegal {extra:?}, missing {missing:?}");
    }
    assert_eq!(position.has_legal_action(rules), !wanted.is_empty(), "{place}");
    true
}

/// Chooses an action: half of the time one that is not a placement.
fn choose(actions: &[Action], rng: &mut impl Rng) -> Option<Action> {
    let lively: Vec<Action> =
        actions.iter().copied().filter(|action| !matches!(action, Action::Place { .. })).collect();
    let list = if lively.is_empty() || rng.random_bool(0.3) { actions } else { &lively };
    (!list.is_empty()).then(|| list[rng.random_range(0..list.len())])
}

/// Plays random lines and compares every position of them; returns how many were compared.
fn play(seed: u64, plies: usize) -> usize {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut compared = 0;
    let (mut rules, mut position) = (start::rules(&mut rng), None);
    let mut line = 0;
    for _ in 0..plies {
        if position.is_none() || line == 0 {
            rules = start::rules(&mut rng);
            if rules.size() > 9 && rng.random_bool(0.9) {
                rules.set("board", "7").unwrap();
            }
            line = rng.random_range(1..40);
            position = start::scattered(&rules, &mut rng);
            continue;
        }
        let Some(now) = position else { continue };
        compared += usize::from(compare(&rules, &now));
        let mut actions = Vec::new();
        now.legal_actions(&rules, &mut actions);
        position = choose(&actions, &mut rng).map(|action| now.after(&rules, action));
        line -= 1;
    }
    compared
}

#[test]
fn random_positions_agree_with_the_slow_generator() {
    let compared = play(1, 400);
    assert!(compared > 200, "{compared}");
}

/// Plies and first seed can be set: `FREECHESS_PLIES=100000 FREECHESS_SEED=7`.
#[test]
#[ignore = "takes minutes: cargo test --release -p fusion-freechess --test properties -- --ignored"]
fn many_random_positions_agree_with_the_slow_generator() {
    let number = |name: &str, default| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (plies, seed) = (number("FREECHESS_PLIES", 50_000), number("FREECHESS_SEED", 2));
    let compared = play(seed, plies as usize);
    println!("{compared} positions compared");
    assert!(compared as u64 > plies / 2, "{compared}");
}
