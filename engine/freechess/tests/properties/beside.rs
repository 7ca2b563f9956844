//! Random positions beside the slow generator.

use super::{slow, start};
use fusion_freechess::board::{Action, Position};
use fusion_freechess::rules::{RuleSet, Shield};
use fusion_game::Side;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::atomic::{AtomicU64, Ordering};

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

/// Compares a position with the slow generator, which looks at most at this many positions inside of
/// turns. Returns whether these were enough.
fn compare(rules: &RuleSet, position: &Position, mut patience: u32) -> bool {
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

/// Positions in which the engine was wrong once.
#[test]
fn known_positions_agree_with_the_slow_generator() {
    for (rules, text) in [
        // B@d5 hinders a strike of e3 on c5; after d4xe6 e3 strikes it anew, so d4 is pinned.
        ("freechess-7", "1{np}2{N2}2/3bK1P/2{kbnc}4/2Pn3/2N1{RBPC}2/{p2}3{rp}2/5P1 w B/- - -"),
        // c5^k is legal only with a split of seven attributes.
        (
            "freechess-9,combinators=no,royal-return=no,royal-cancel=yes",
            "6n2/6R2/9/5k3/1{RP}{KB3N2P}6/9/1p4{b2}2/9/1{rn}7 w N3/rbn3p7 - -",
        ),
    ] {
        let rules: RuleSet = rules.parse().unwrap();
        assert!(compare(&rules, &Position::from_text(&rules, text).unwrap(), u32::MAX), "{text}");
    }
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
        compared += usize::from(compare(&rules, &now, PATIENCE));
        let mut actions = Vec::new();
        now.legal_actions(&rules, &mut actions);
        position = choose(&actions, &mut rng).map(|action| now.after(&rules, action));
        line -= 1;
    }
    compared
}

/// Positions that the slow generator looks at before it gives up on a list of actions.
const PATIENCE: u32 = 400;
/// Plies of one seed.
const LINE: u64 = 500;

/// Plays this many plies, seed by seed, on all cores. At least half of the positions are compared: a
/// new line begins with a ply that is none, and the slow generator gives up on some positions.
fn compare_plies(plies: u64, first_seed: u64) {
    let (next, compared) = (AtomicU64::new(0), AtomicU64::new(0));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number * LINE >= plies {
                break;
            }
            let found = play(first_seed + number, LINE as usize) as u64;
            compared.fetch_add(found, Ordering::Relaxed);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let compared = compared.into_inner();
    println!("{compared} positions compared");
    assert!(compared > plies / 2, "{compared}");
}

#[test]
fn random_positions_agree_with_the_slow_generator() {
    compare_plies(20_000, 1);
}

/// Plies and first seed can be set: `FREECHESS_PLIES=100000 FREECHESS_SEED=7`.
#[test]
#[ignore = "takes an hour: cargo test --release -p fusion-freechess --test properties -- --ignored"]
fn many_random_positions_agree_with_the_slow_generator() {
    let number = |name: &str, default| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    compare_plies(number("FREECHESS_PLIES", 1_000_000), number("FREECHESS_SEED", 1_000));
}
