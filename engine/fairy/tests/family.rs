//! Compares Fusion Chess and its relatives as data with the engine that has their rules built in: two
//! independent implementations.

use fusion_chess::FusionGame;
use fusion_chess::board::Move as FusionMove;
use fusion_chess::notation::pgn;
use fusion_fairy::FairyGame;
use fusion_fairy::board::{Move as FairyMove, Position, Tables};
use fusion_fairy::ini::builtin;
use fusion_fairy::rules::FairyRules;
use fusion_game::{Game, Notation, RuleSet, Variant};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;

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

/// Returns the legal moves of a position by their text.
fn moves<G: Game + Notation>(game: &G) -> BTreeMap<String, G::Move> {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    moves.into_iter().map(|mv| (game.move_text(mv), mv)).collect()
}

/// The legal moves in both games.
type Both = (BTreeMap<String, FairyMove>, BTreeMap<String, FusionMove>);

/// Checks that both games have the same moves and the same outcome, and returns the moves; `None` at the end
/// of the game.
fn same(section: &str, one: &FairyGame, other: &FusionGame) -> Option<Both> {
    let (ours, theirs) = (moves(one), moves(other));
    assert!(ours.keys().eq(theirs.keys()), "{section}: {}", one.to_text());
    let (list, other_list): (Vec<_>, Vec<_>) =
        (ours.values().copied().collect(), theirs.values().copied().collect());
    let end = one.outcome(&list).map(|end| end.winner);
    let other_end = other.outcome(&other_list).map(|end| end.winner);
    assert_eq!(end, other_end, "{section}: {}", one.to_text());
    end.is_none().then_some((ours, theirs))
}

/// Checks that both games have the same moves, and the same outcome if there is none; returns the moves,
/// `None` at the end of the built-in game.
fn same_moves(rules: &str, one: &FairyGame, other: &FusionGame) -> Option<Both> {
    let (ours, theirs) = (moves(one), moves(other));
    assert!(ours.keys().eq(theirs.keys()), "{rules}: {}", one.to_text());
    if theirs.is_empty() {
        return same(rules, one, other);
    }
    let list: Vec<_> = theirs.values().copied().collect();
    other.outcome(&list).is_none().then_some((ours, theirs))
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
            let Some((ours, theirs)) = same(section, &one, &other) else {
                ended += 1;
                break;
            };
            let chosen = ours.keys().collect::<Vec<_>>().choose(rng).unwrap().to_string();
            one.play(ours[&chosen]);
            other.play(theirs[&chosen]);
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

/// The definitions that other programs receive.
#[test]
fn programs_are_told_the_rules_that_the_engine_plays() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for (rules, toggles) in [
        ("az-no-castling", 1),
        ("az-pawn-one-square", 1),
        ("az-stalemate-win", 1),
        ("az-torpedo", 2),
        ("az-semi-torpedo", 2),
        ("az-pawn-back", 7),
        ("az-pawn-sideways", 4),
        ("orthodox,pawn-back=yes,pawn-sideways=yes,castling=no,stalemate=win", 9),
    ] {
        let parsed: fusion_chess::rules::RuleSet = rules.parse().unwrap();
        let Variant { name, definition } = parsed.variant().unwrap();
        let text = definition.unwrap();
        assert_eq!(text.lines().count(), toggles + 1, "{text}");
        let file = format!("{name}.ini");
        fusion_fairy::rules::know_file(&file, &text);
        let data = FairyRules::parse(&format!("{file}#{name}")).unwrap();
        for _ in 0..8 {
            let (mut one, mut other) = (FairyGame::new(&data), FusionGame::new(&parsed));
            // Programs are not told when a position is dead.
            while let Some((ours, theirs)) = same_moves(rules, &one, &other) {
                let chosen = ours.keys().collect::<Vec<_>>().choose(&mut rng).unwrap().to_string();
                one.play(ours[&chosen]);
                other.play(theirs[&chosen]);
            }
        }
    }
    for other in [
        "orthodox",
        "az-no-castling-10",
        "az-self-capture",
        "fusion-1999",
        "az-torpedo,pawn-back=yes",
    ] {
        let parsed: fusion_chess::rules::RuleSet = other.parse().unwrap();
        assert_eq!(parsed.variant(), None, "{other}");
    }
}

#[test]
#[ignore = "takes minutes: cargo test --release -p fusion-fairy --test family -- --ignored"]
fn data_and_engine_play_the_same_games_for_a_million_plies() {
    compare_all(200_000, 2);
}

/// Replays published games of strong players on both, and returns the number of games and of plies. Of each
/// rule set, no more than `most` games are taken.
fn replay(study: &str, most: usize) -> (usize, usize) {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/studies/");
    let file = File::open(format!("{root}{study}/games.pgn.zst")).unwrap();
    let file = BufReader::new(zstd::Decoder::new(file).unwrap());
    let (mut games, mut plies) = (BTreeMap::<String, usize>::new(), 0);
    for game in pgn::read(file) {
        let game = game.unwrap();
        let rules = game.rules().unwrap();
        let name = rules.to_string();
        let count = games.entry(name.clone()).or_default();
        if *count == most {
            continue;
        }
        *count += 1;
        let data = FairyRules::parse(&format!("variants#{name}")).unwrap();
        let mut other = FusionGame::at(rules, game.start().unwrap());
        let mut one = match game.tag("FEN") {
            Some(fen) => FairyGame::from_text(&data, fen).unwrap(),
            None => FairyGame::new(&data),
        };
        for mv in &game.moves {
            let (ours, _) = same(&name, &one, &other).expect("the game goes on");
            one.play(ours[&other.move_text(mv.mv)]);
            other.play(mv.mv);
            plies += 1;
        }
        // The others ended by adjudication.
        if matches!(game.tag("Ending"), Some("checkmate" | "stalemate" | "threefold")) {
            assert!(same(&name, &one, &other).is_none(), "{name}: {}", one.to_text());
        }
    }
    assert_eq!(games.len(), 4, "{games:?}");
    (games.values().sum(), plies)
}

#[test]
fn published_games_are_games_of_the_data() {
    let (games, plies) = replay("players/measure", 25);
    assert!(games == 100 && plies > 5_000, "{games} games, {plies} plies");
}

#[test]
#[ignore = "takes minutes: cargo test --release -p fusion-fairy --test family -- --ignored"]
fn all_published_games_are_games_of_the_data() {
    let (games, plies) = replay("players/measure", usize::MAX);
    assert!(games == 8_000 && plies > 500_000, "{games} games, {plies} plies");
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
