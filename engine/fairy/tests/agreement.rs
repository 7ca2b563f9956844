//! Compares the fast player with the slow one in random games.

mod slow;

use fusion_fairy::board::{Position, Tables};
use fusion_fairy::ini::{File, builtin, builtins};
use fusion_fairy::{Definition, FairyGame};
use fusion_game::{Game, Notation, Tactics};
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

const SHUFFLES: &str = "[plain:chess]\nmoveRepetitionIllegal = true\nnFoldRule = 20\n\
    [passes:plain]\npass = true\n[hands:plain]\ncapturesToHand = true\npieceDrops = true\n\
    [twofold:plain]\nnFoldRule = 2\n[endless:plain]\nnFoldRule = 0\n\
    [palace:xiangqi]\nmoveRepetitionIllegal = true\nnFoldRule = 20\nchasingRule = none\n";

/// Section, position or nothing for the initial one, the moves, and the number of plies after which
/// Fairy-Stockfish (pyffish 0.0.90) ends the game, with its winner.
type Shuffled = (&'static str, &'static str, &'static str, Option<(usize, Option<usize>)>);

const SHUFFLED: [Shuffled; 16] = [
    ("plain", "", "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 g1f3", Some((9, Some(1)))),
    ("plain", "", "g1f3 g8f6 f3g1 f6g8 g1f3 b8c6 f3g1 c6b8 g1f3", Some((9, Some(1)))),
    (
        "plain",
        "",
        "b1c3 a7a6 g1f3 g8f6 c3b1 f6g8 b1c3 g8f6 c3b1 f6g8 b1c3 g8f6",
        Some((12, Some(0))),
    ),
    ("plain", "", "e2e4 a7a6 g1f3 b7b6 f3g1 c7c6 g1f3 d7d6 f3g1 e7e6 g1f3 f7f6 f3g1", None),
    ("plain", "", "g1f3 g8f6 f3g1 f6g8 g1f3 b8c6 b1c3 c6b8 f3g1 g8h6 c3b1 h6g8 g1f3", None),
    (
        "plain",
        "6k1/6p1/8/8/8/8/8/K3Q3 w - - 0 1",
        "e1e8 g8h7 e8h5 h7g8 h5e8 g8h7 e8h5 h7g8 h5e8",
        Some((9, Some(1))),
    ),
    (
        "plain",
        "6k1/6p1/8/8/8/8/8/K3Q3 w - - 0 1",
        "e1e8 g8h7 e8h5 h7g8 h5d5 g8h7 d5h5 h7g8 h5e8 g8h7 e8h5 h7g8 h5d5 g8h7 d5h5 h7g8",
        None,
    ),
    (
        "plain",
        "4k3/8/8/3p4/8/4N3/8/4K3 w - - 0 1",
        "e3d5 e8d8 d5e3 d8c8 e3d5 c8b8 d5e3 b8a8 e3d5 a8a7 d5e3",
        Some((11, Some(1))),
    ),
    ("passes", "", "g1f3 g8f6 f3g1 f6g8 g1f3 b8c6 f3g1 c6b8 e1e1 g8h6 g1f3", Some((11, Some(1)))),
    ("passes", "", "g1f3 g8f6 f3g1 f6g8 g1f3 b8c6 e1e1 c6b8 f3g1 g8h6 g1f3 h6g8", None),
    (
        "hands",
        "4k3/8/8/8/8/8/8/4K3[N] w - - 0 1",
        "N@e4 e8d8 e4c3 d8c8 c3e4 c8b8 e4c3 b8a8 c3e4",
        Some((9, Some(1))),
    ),
    ("twofold", "", "g1f3 g8f6 f3g1 f6g8", Some((4, None))),
    ("endless", "", "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 g1f3", None),
    ("palace", "", "b1c3 b10c8 c3b1 c8b10 b1c3 b10c8 c3b1 c8b10 b1c3", Some((9, Some(1)))),
    ("palace", "", "d1e2 d10e9 e2d1 e9d10 d1e2 d10e9 e2d1 e9d10 d1e2 d10e9", None),
    ("palace", "", "c1e3 c10e8 e3c1 e8c10 c1e3 c10e8 e3c1 e8c10 c1e3 c10e8", None),
];

#[test]
fn moves_back_and_forth_lose() {
    fusion_fairy::rules::know_file("shuffles.ini", SHUFFLES);
    for (section, position, moves, wanted) in SHUFFLED {
        let rules = format!("shuffles.ini#{section}");
        let rules = fusion_fairy::rules::FairyRules::read(&rules).unwrap();
        let start = if position.is_empty() { &rules.definition().start } else { position };
        let mut fast = FairyGame::from_text(&rules, start).unwrap();
        let mut slow = Slow::from_text(rules.definition(), start).unwrap();
        let mut found = [None, None];
        for (plies, text) in (1..).zip(moves.split(' ')) {
            let undo = fast.make(fast.parse_move(text).unwrap());
            fast.unmake(&undo);
            fast.play(fast.parse_move(text).unwrap());
            slow.play(text).unwrap();
            let end = fast.clone().outcome_now();
            let ends = [
                end.map(|end| end.winner.map(|winner| winner as usize)),
                slow.outcome().map(|end| end.winner),
            ];
            found = ends.map(|end| end.map(|winner| (plies, winner)));
            if found != [None, None] {
                break;
            }
        }
        assert_eq!(found, [wanted, wanted], "{section}: {moves}");
    }
}
