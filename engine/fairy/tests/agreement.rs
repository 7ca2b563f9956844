//! Compares the fast player with the slow one in random games.

mod slow;

use fusion_fairy::board::{Position, Tables};
use fusion_fairy::ini::{File, builtin, builtins};
use fusion_fairy::{Definition, FairyGame};
use fusion_game::{Game, Notation};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use slow::Slow;

/// Plays a random game on both, and returns the number of plies.
fn play(definition: &Definition, plies: usize, rng: &mut ChaCha8Rng) -> usize {
    let tables = Tables::new(definition.clone());
    let mut fast = Position::start(&tables).unwrap();
    let mut slow = Slow::from_text(definition, &definition.start).unwrap();
    for ply in 0..plies {
        let text = fast.to_text(&tables);
        let name = &definition.name;
        // The slow player's text does not have passes.
        let plain = text.split(" passes:").next().unwrap();
        assert_eq!(plain, slow.to_text(), "{name}\n{}", definition.to_text());
        let mut moves = Vec::new();
        fast.legal_moves(&tables, &mut moves);
        assert_eq!(fast.count_moves(&tables), moves.len() as u64, "{name}: {text}");
        let mut words: Vec<String> = moves.iter().map(|&mv| fast.move_text(&tables, mv)).collect();
        let mut others = slow.legal_moves();
        let chosen = words.choose(rng).cloned();
        words.sort_unstable();
        others.sort_unstable();
        assert_eq!(words, others, "{name}: {text}\n{}", definition.to_text());
        let Some(chosen) = chosen else { return ply };
        let mv = moves.iter().copied().find(|&mv| fast.move_text(&tables, mv) == chosen).unwrap();
        fast.make(&tables, mv);
        slow.play(&chosen).unwrap();
    }
    plies
}

/// Returns the definitions of `games.ini` and of the built-in games.
fn known() -> Vec<Definition> {
    let file = File::parse("games.ini", include_str!("games.ini")).unwrap();
    let own = file.sections().map(|name| file.resolve(name, &[]).unwrap().definition);
    let stock = builtins().filter_map(|name| Some(builtin(name, &[]).ok()?.definition));
    own.chain(stock).collect()
}

/// Returns a random definition whose initial position is sound.
fn random(rng: &mut ChaCha8Rng) -> Definition {
    loop {
        let text = slow::random::random_section(rng);
        let Ok(file) = File::parse("random.ini", &text) else { continue };
        let Ok(resolved) = file.resolve("random", &[]) else { continue };
        let definition = resolved.definition;
        let is_sound =
            Slow::from_text(&definition, &definition.start).is_ok_and(|start| start.is_sound());
        if is_sound && has_its_rights(&definition) {
            return definition;
        }
    }
}

/// Returns whether each castling right of the initial position belongs to a Rook of its own. In
/// Fairy-Stockfish two Rooks on one side of the King share a right, which ends when either moves.
fn has_its_rights(definition: &Definition) -> bool {
    let rights = |text: &str| text.split(' ').nth(2).map(str::to_owned);
    let tables = Tables::new(definition.clone());
    let start = Position::start(&tables).unwrap().to_text(&tables);
    definition.castling.is_none() || rights(&start) == rights(&definition.start)
}

fn compare_random(plies: usize, seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut played = 0;
    while played < plies {
        let definition = random(&mut rng);
        for _ in 0..3 {
            played += play(&definition, 60, &mut rng);
        }
    }
}

#[test]
fn the_players_agree_on_random_games() {
    compare_random(12_000, 5);
}

fn compare(plies: usize, seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut played = 0;
    let known = known();
    while played < plies {
        for definition in &known {
            let most = 30 + (rng.next_u32() % 120) as usize;
            played += play(definition, most, &mut rng);
        }
    }
}

#[test]
fn the_players_agree_on_known_games() {
    compare(8_000, 1);
}

#[test]
#[ignore = "takes an hour: cargo test --release -p fusion-fairy --test agreement -- --ignored"]
fn the_players_agree_for_a_million_plies() {
    compare(500_000, 2);
    compare_random(500_000, 6);
}

#[test]
fn the_players_agree_on_ends() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut ends = 0;
    for name in [
        "chess",
        "crazyhouse",
        "makruk",
        "xiangqi",
        "shatranj",
        "antichess",
        "minishogi",
        "kingofthehill",
    ] {
        let rules = fusion_fairy::rules::FairyRules::read(&format!("variants#{name}")).unwrap();
        for _ in 0..4 {
            let mut fast = FairyGame::new(&rules);
            let mut slow = Slow::from_text(rules.definition(), &fast.to_text()).unwrap();
            for _ in 0..300 {
                let mut moves = Vec::new();
                fast.legal_moves(&mut moves);
                let end = fast.outcome(&moves);
                let other = slow.outcome();
                assert_eq!(
                    end.is_some(),
                    other.is_some(),
                    "{name}: {} {end:?} {other:?}",
                    fast.to_text()
                );
                if end.is_some() {
                    ends += 1;
                    break;
                }
                let mv = *moves.choose(&mut rng).unwrap();
                let text = fast.move_text(mv);
                fast.play(mv);
                slow.play(&text).unwrap();
            }
        }
    }
    assert!(ends > 10, "{ends}");
}
