//! Random games of the built-in games: text, hash and moves that are taken back.

use fusion_fairy::FairyGame;
use fusion_fairy::ini::{self, builtins, options};
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

/// Values that options may have: not each fits each option.
const VALUES: [&str; 31] = [
    "true", "false", "-", "*", "a", "b", "c", "h", "p", "k", "q", "pnbrqk", "e4", "*1 *2", "*8",
    "a* h*", "win", "draw", "loss", "none", "0", "1", "2", "3", "8", "255", "k:N", "p:fR4cpB",
    "q:gQnN", "r:q n:r", "makruk",
];

/// Games with changed options are rejected, or are played without an error in the program.
#[test]
fn changed_games_are_rejected_or_played() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let games: Vec<&str> = builtins().filter(|name| ini::builtin(name, &[]).is_ok()).collect();
    let options: Vec<&str> = options().filter(|name| !name.starts_with("mobilityRegion")).collect();
    let mut played = 0;
    for _ in 0..12_000 {
        let mut text = format!("variants#{}", games.choose(&mut rng).unwrap());
        for _ in 0..1 + rng.next_u32() % 3 {
            let (option, value) =
                (options.choose(&mut rng).unwrap(), VALUES.choose(&mut rng).unwrap());
            text += &format!(",{option}={value}");
        }
        let Ok(rules) = FairyRules::parse(&text) else { continue };
        let mut game = FairyGame::new(&rules);
        for _ in 0..40 {
            let moves = check(&game);
            let outcome = game.outcome(&moves);
            let Some(&mv) = moves.choose(&mut rng).filter(|_| outcome.is_none()) else { break };
            game.play(mv);
            played += 1;
        }
    }
    assert!(played > 5_000, "{played}");
}

#[test]
fn a_move_that_wins_by_repetition_is_found() {
    let rules = FairyRules::parse("variants#chess,nFoldValue=loss").unwrap();
    let mut game = FairyGame::new(&rules);
    for text in "b1c3 b8c6 c3b1 c6b8 b1c3 b8c6 c3b1".split_whitespace() {
        game.play(game.parse_move(text).unwrap());
    }
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    let found = game.winning_move(&moves).map(|place| game.move_text(moves[place]));
    assert_eq!(found.as_deref(), Some("c6b8"));
}

/// Counts of legal moves by Fairy-Stockfish (pyffish 0.0.90).
#[test]
fn castling_on_narrow_boards_and_drops_of_kings_are_those_of_the_format() {
    let count = |definition: &str, wanted: usize| {
        fusion_fairy::rules::know_file("narrow.ini", definition);
        let section = definition[1..].split(':').next().unwrap();
        let rules = FairyRules::parse(&format!("narrow.ini#{section}")).unwrap();
        let mut moves = Vec::new();
        FairyGame::new(&rules).legal_moves(&mut moves);
        assert_eq!(moves.len(), wanted, "{definition}");
    };
    // The kingside, file g, is off the board.
    count(
        "[narrow:chess]\nmaxRank = 6\nmaxFile = 6\ncastlingQueensideFile = b\npromotionRank = 6\n\
         startFen = rbqknr/pppppp/6/6/PPPPPP/R2KNR w Qq - 0 1\n",
        18,
    );
    // A King is not dropped onto an attacked square.
    count(
        "[in-hand:chess]\npieceDrops = true\ncastling = false\n\
         startFen = 8/8/8/8/8/8/8/3R4[Kk] b - - 0 1\n",
        49,
    );
}
