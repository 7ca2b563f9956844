//! Random rule sets and random games.

use fusion_chess::board::{Component, Move, MoveKind, Position};
use fusion_chess::rules::{PRESETS, RuleSet};
use proptest::prelude::*;
use proptest::sample::Index;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Every position of the shipped table of move counts.
pub static STARTS: LazyLock<Vec<String>> = LazyLock::new(|| positions_of("presets.csv"));

/// Every position of the table of the family's other games; some have Manns.
pub static FAMILY_STARTS: LazyLock<Vec<String>> = LazyLock::new(|| positions_of("family.csv"));

/// Every position of the table of other Pawn moves, self-capture and delayed castling.
pub static CHESS_STARTS: LazyLock<Vec<String>> =
    LazyLock::new(|| positions_of("chess-variants.csv"));

fn positions_of(table: &str) -> Vec<String> {
    let path = format!("{}/../../data/perft/{table}", env!("CARGO_MANIFEST_DIR"));
    let rows = csv::Reader::from_path(path).unwrap().into_records();
    let fens: BTreeSet<String> = rows.map(|row| row.unwrap()[2].to_string()).collect();
    fens.into_iter().collect()
}

/// A preset, any mix of Fusion Chess's toggles, any mix of all toggles, or the game with Manns
/// and triples, which the others seldom have, and what is one toggle away from it.
pub fn rules() -> impl Strategy<Value = RuleSet> {
    let preset = prop::sample::select(PRESETS.map(|(_, rules)| rules).to_vec());
    let flags = prop::collection::vec(any::<bool>(), 8);
    let pieces = prop::sample::subsequence(vec!["q", "m", "d", "r", "b", "n"], 1..=6);
    let mix = (flags, pieces, any::<bool>()).prop_map(|(flags, pieces, path)| {
        let mut rules = RuleSet::preset("fusion-2020").unwrap();
        for (toggle, flag) in fusion_chess::rules::TOGGLES.iter().zip(flags) {
            rules.set(toggle.name, if flag { "yes" } else { "no" }).unwrap();
        }
        rules.set("promotion", &pieces.concat()).unwrap();
        rules.set("royal-reach", if path { "path" } else { "geometric" }).unwrap();
        rules
    });
    let any = any::<u64>().prop_map(|seed| RuleSet::random(&mut ChaCha8Rng::seed_from_u64(seed)));
    let combination = RuleSet::preset("combination").unwrap();
    let near = prop::sample::select([vec![combination; 5], combination.neighbours()].concat());
    prop_oneof![2 => preset, 1 => mix, 2 => any, 1 => near]
}

/// Where a game begins.
#[derive(Clone, Copy, Debug)]
enum Begin {
    /// With the initial position of its rules.
    Initial,
    /// With a position of the shipped tables.
    Any,
    /// With one that has Manns or triples, if the rules accept such.
    Rare,
}

impl Begin {
    /// The first position: one that cannot occur under the rules is not chosen.
    fn position(self, rules: &RuleSet, choice: Index) -> String {
        if matches!(self, Begin::Initial) {
            return rules.start.fen(0).into();
        }
        let accepted = |fen: &&String| Position::from_fen(rules, fen).is_ok();
        let any: Vec<&String> = [&STARTS, &FAMILY_STARTS, &CHESS_STARTS]
            .into_iter()
            .flat_map(|table| table.iter())
            .filter(accepted)
            .collect();
        let is_rare = |fen: &&String| fen.to_lowercase().contains(['o', '{']);
        let rare: Vec<&String> = any.iter().copied().filter(is_rare).collect();
        let chosen = if matches!(self, Begin::Any) || rare.is_empty() { any } else { rare };
        choice.get(&chosen).to_string()
    }
}

/// A choice among moves: of the kind, of the move, and whether it must be a lively one.
type Choice = (Index, Index, bool);

/// A game: its rules, its first position and the choices that made its moves.
#[derive(Clone, Debug)]
pub struct Line {
    pub rules: RuleSet,
    start: String,
    choices: Vec<Choice>,
}

/// Games of at most so many plies.
pub fn line(plies: usize) -> impl Strategy<Value = Line> {
    let begin =
        prop_oneof![1 => Just(Begin::Initial), 2 => Just(Begin::Any), 2 => Just(Begin::Rare)];
    // Two in five moves are lively if there are any, each kind equally often, or else
    // these would be rarer than in play with a purpose.
    let choice = (any::<Index>(), any::<Index>(), prop::bool::weighted(0.4));
    (rules(), begin, any::<Index>(), prop::collection::vec(choice, 0..plies)).prop_map(
        |(rules, begin, which, choices)| {
            let start = begin.position(&rules, which);
            Line { rules, start, choices }
        },
    )
}

impl Line {
    /// The same choices from the initial position, so that every position can occur under the rules.
    pub fn with_initial_position(self) -> Line {
        Line { start: self.rules.start.fen(0).into(), ..self }
    }

    pub fn start(&self) -> Position {
        Position::from_fen(&self.rules, &self.start).unwrap()
    }

    /// The game's moves.
    pub fn moves(&self) -> Vec<Move> {
        let mut played = Vec::new();
        let mut position = self.start();
        for (kind, choice, lively) in &self.choices {
            let moves = legal(&position, &self.rules);
            let mut kinds: BTreeMap<&str, Vec<Move>> = BTreeMap::new();
            for &mv in moves.iter().filter(|_| *lively) {
                if let Some(kind) = liveliness(&position, mv) {
                    kinds.entry(kind).or_default().push(mv);
                }
            }
            let kinds: Vec<Vec<Move>> = kinds.into_values().collect();
            let candidates = if kinds.is_empty() { &moves } else { kind.get(&kinds) };
            if candidates.is_empty() {
                break;
            }
            let mv = *choice.get(candidates);
            position.play(mv);
            played.push(mv);
        }
        played
    }

    /// The game's positions, the first and the last included.
    pub fn positions(&self) -> Vec<Position> {
        let mut positions = vec![self.start()];
        for mv in self.moves() {
            positions.push(after(positions.last().unwrap(), mv));
        }
        positions
    }
}

/// What makes a move a lively one, if anything does.
fn liveliness(position: &Position, mv: Move) -> Option<&'static str> {
    let mover = position.piece_on(mv.from());
    let captures = is_capture(position, mv);
    match mv.kind() {
        MoveKind::Fusion if mover.union(position.piece_on(mv.to())).len() > 2 => Some("triple"),
        MoveKind::Fusion => Some("fusion"),
        MoveKind::Fission(_) if captures => Some("capture by fission"),
        MoveKind::Fission(_) => Some("fission"),
        MoveKind::Promotion(_) if is_metamorphosis(position, mv) => Some("metamorphosis"),
        MoveKind::Promotion(_) => Some("promotion"),
        MoveKind::Castling => Some("castling"),
        MoveKind::EnPassant => Some("en passant"),
        MoveKind::Plain if after(position, mv).in_check() => Some("check"),
        MoveKind::Demotion | MoveKind::Plain if captures && mover.len() > 1 => {
            Some("capture by a compound")
        }
        MoveKind::Demotion | MoveKind::Plain => None,
    }
}

/// Whether a piece stands on the destination of a move that takes it.
pub fn is_capture(position: &Position, mv: Move) -> bool {
    position.color_on(mv.to()) == Some(!position.side_to_move())
}

/// Whether a piece that is no Pawn becomes another one.
pub fn is_metamorphosis(position: &Position, mv: Move) -> bool {
    let pawn = position.piece_on(mv.from()).has(Component::Pawn);
    matches!(mv.kind(), MoveKind::Promotion(_)) && !pawn
}

pub fn legal(position: &Position, rules: &RuleSet) -> Vec<Move> {
    let mut moves = Vec::new();
    position.legal_moves(rules, &mut moves);
    moves
}

pub fn after(position: &Position, mv: Move) -> Position {
    let mut next = *position;
    next.play(mv);
    next
}
