//! The engine against the second implementation of the rules.

use crate::games::{Line, line};
use crate::reference::{Reference, Toggles};
use fusion_chesimal::rules::{RuleSet, TOGGLES};
use fusion_game::RuleSet as _;
use fusion_game::Tactics;
use fusion_game::prelude::*;
use proptest::prelude::*;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;

fn toggles(rules: &RuleSet) -> Toggles {
    let value = |name: &str| (name.to_owned(), rules.get(name).unwrap());
    Toggles(TOGGLES.iter().map(|toggle| value(toggle.name)).collect())
}

fn compare(line: &Line) {
    let toggles = toggles(&line.rules);
    let mut slow = Reference::read(&toggles, &line.start().to_text());
    line.each(|game, actions, made| {
        let in_position = format!("{}, {}", line.rules, game.to_text());
        assert_eq!(slow.text(), game.to_text(), "{in_position}");
        assert_eq!(Reference::read(&toggles, &slow.text()).text(), slow.text(), "{in_position}");
        let mut wanted = slow.actions();
        let found: BTreeSet<String> = actions.iter().map(|&mv| game.move_text(mv)).collect();
        assert_eq!(found.len(), actions.len(), "an action is repeated: {in_position}");
        assert_eq!(found, wanted.keys().cloned().collect(), "{in_position}");
        assert_eq!(game.position().count_actions(&line.rules), found.len(), "{in_position}");
        for (text, next) in &wanted {
            let mut fast = *game.position();
            fast.play(&line.rules, text.parse().unwrap());
            assert_eq!(fast.to_text(&line.rules), next.text(), "{text} in {in_position}");
        }
        if let Some(made) = made {
            slow = wanted.remove(&game.move_text(made)).unwrap();
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn random_games_have_the_same_actions_and_positions(line in line(60)) {
        compare(&line);
    }
}

/// A random game with everything that is compared, by a generator that is cheaper than proptest's.
fn play(rules: &RuleSet, rng: &mut ChaCha8Rng, plies: &mut u64, most: u64) {
    let toggles = toggles(rules);
    let mut game = fusion_chesimal::ChesimalGame::new(rules);
    let mut slow = Reference::read(&toggles, &game.to_text());
    while *plies < most {
        let mut actions = Vec::new();
        game.legal_moves(&mut actions);
        if game.outcome(&actions).is_some() {
            return;
        }
        let mut wanted = slow.actions();
        let found: BTreeSet<String> = actions.iter().map(|&mv| game.move_text(mv)).collect();
        assert_eq!(found, wanted.keys().cloned().collect(), "{rules}, {}", game.to_text());
        let lively: Vec<_> =
            actions.iter().copied().filter(|&action| game.is_forcing(action)).collect();
        let eager = rng.next_u64().is_multiple_of(2) && !lively.is_empty();
        let made = *(if eager { &lively } else { &actions }).choose(rng).unwrap();
        slow = wanted.remove(&game.move_text(made)).unwrap();
        game.play(made);
        assert_eq!(slow.text(), game.to_text(), "{rules}");
        *plies += 1;
    }
}

fn long_games(most: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(26);
    let mut plies = 0;
    while plies < most {
        for (_, preset) in RuleSet::presets() {
            play(&preset, &mut rng, &mut plies, most);
        }
        let random = RuleSet::random(&mut rng);
        play(&random, &mut rng, &mut plies, most);
    }
    assert_eq!(plies, most);
}

#[test]
fn long_random_games_agree() {
    long_games(20_000);
}

#[test]
#[ignore = "takes minutes: cargo test --release -p fusion-chesimal --test properties -- --ignored"]
fn very_long_random_games_agree() {
    long_games(1_000_000);
}
