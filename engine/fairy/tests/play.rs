//! Random games of the built-in games: text, hash and moves that are taken back.

use fusion_fairy::FairyGame;
use fusion_fairy::ini::{self, builtins};
use fusion_fairy::rules::FairyRules;
use fusion_game::{Game, Notation, RuleSet, Tactics};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Checks a position of a game and returns its legal moves.
fn check(game: &FairyGame) -> Vec<fusion_fairy::board::Move> {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    let text = game.to_text();
    let read = FairyGame::from_text(game.rules(), &text)
        .unwrap_or_else(|error| panic!("{}: {text}: {error}", game.rules()));
    assert_eq!(read.to_text(), text, "{}", game.rules());
    assert_eq!(read.hash(), game.hash(), "{}: {text}", game.rules());
    let mut others = Vec::new();
    read.legal_moves(&mut others);
    assert_eq!(others, moves, "{}: {text}", game.rules());
    let mut copy = game.clone();
    for &mv in &moves {
        let undo = copy.make(mv);
        let mut next = game.clone();
        next.play(mv);
        assert_eq!(copy.to_text(), next.to_text());
        copy.unmake(&undo);
        assert_eq!(
            copy.position(),
            game.position(),
            "{}: {text} {}",
            game.rules(),
            game.move_text(mv)
        );
    }
    moves
}

#[test]
fn random_games_hold_together() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut played = 0;
    for name in builtins() {
        if ini::builtin(name, &[]).is_err() {
            continue;
        }
        let rules = FairyRules::parse(&format!("variants#{name}")).unwrap();
        for _ in 0..2 {
            let mut game = FairyGame::new(&rules);
            for _ in 0..60 + rng.next_u32() % 60 {
                let moves = check(&game);
                let outcome = game.outcome(&moves);
                assert_eq!(outcome, game.outcome_now(), "{rules}: {}", game.to_text());
                let Some(&mv) = moves.choose(&mut rng).filter(|_| outcome.is_none()) else { break };
                game.play(mv);
                played += 1;
            }
        }
    }
    assert!(played > 5_000, "{played}");
}
