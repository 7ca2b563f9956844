//! Compares Fusion Chess and its relatives as data with the engine that has their rules built in: two
//! independent implementations.

use fusion_chess::FusionGame;
use fusion_fairy::FairyGame;
use fusion_fairy::board::{Position, Tables};
use fusion_fairy::ini::builtin;
use fusion_fairy::rules::FairyRules;
use fusion_game::{Game, Notation, RuleSet};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// Built-in games as data, and the built-in rule sets that have the same rules.
const ALIKE: [(&str, &str); 7] = [
    ("orthodox", "orthodox"),
    ("fusion-1999", "fusion-1999"),
    ("fusion-2006", "fusion-2006"),
    ("fusion-2020", "fusion-2020"),
    ("metamorphin", "metamorphin"),
    ("union", "union"),
    ("metamorph", "metamorphin,fusion=no,fission=no,king-fuses=no,castling=yes"),
];

/// Returns the legal moves of a position as sorted text.
fn moves<G: Game + Notation>(game: &G) -> (Vec<G::Move>, Vec<String>) {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    let mut text: Vec<String> = moves.iter().map(|&mv| game.move_text(mv)).collect();
    text.sort();
    (moves, text)
}

/// Plays random games on both, and returns the number of plies and of games that ended.
fn compare(section: &str, built_in: &str, plies: usize, rng: &mut ChaCha8Rng) -> (usize, usize) {
    let data = FairyRules::parse(&format!("variants#{section}")).unwrap();
    let rules = RuleSet::parse(built_in).unwrap();
    let (mut played, mut ended) = (0, 0);
    while played < plies {
        let mut one = FairyGame::new(&data);
        let mut other: FusionGame = Game::new(&rules);
        loop {
            let ((ours, words), (theirs, others)) = (moves(&one), moves(&other));
            assert_eq!(words, others, "{section}: {}", one.to_text());
            let end = one.outcome(&ours).map(|end| end.winner);
            let other_end = other.outcome(&theirs).map(|end| end.winner);
            assert_eq!(end, other_end, "{section}: {}", one.to_text());
            if end.is_some() {
                ended += 1;
                break;
            }
            let chosen = words.choose(rng).unwrap();
            let mv = *ours.iter().find(|&&mv| one.move_text(mv) == *chosen).unwrap();
            one.play(mv);
            let mv = *theirs.iter().find(|&&mv| other.move_text(mv) == *chosen).unwrap();
            other.play(mv);
            played += 1;
            let board = |text: String| text.split(' ').take(3).collect::<Vec<_>>().join(" ");
            assert_eq!(board(one.to_text()), board(other.to_text()), "{section} after {chosen}");
        }
    }
    (played, ended)
}

fn compare_all(plies: usize, seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for (section, built_in) in ALIKE {
        let (_, ended) = compare(section, built_in, plies, &mut rng);
        assert!(ended > 0, "{section}: no game ended");
    }
}

#[test]
fn data_and_engine_play_the_same_games() {
    compare_all(4_000, 1);
}

#[test]
#[ignore = "takes minutes: cargo test --release -p fusion-fairy --test family -- --ignored"]
fn data_and_engine_play_the_same_games_for_a_million_plies() {
    compare_all(200_000, 2);
}

#[test]
fn counts_are_those_of_the_engine() {
    let mut checked = 0;
    for table in ["presets", "family"] {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/perft/");
        let mut rows = csv::Reader::from_path(format!("{path}{table}.csv")).unwrap();
        for row in rows.deserialize() {
            let (built_in, _, fen, depth, nodes): (String, String, String, u32, u64) = row.unwrap();
            let Some((section, _)) = ALIKE.iter().find(|(_, known)| *known == built_in) else {
                continue;
            };
            if nodes > 100_000 {
                continue;
            }
            let tables = Tables::new(builtin(section, &[]).unwrap().definition);
            let position = Position::from_text(&tables, &fen).unwrap();
            assert_eq!(position.perft(&tables, depth), nodes, "{section} {fen} at depth {depth}");
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked}");
}
