//! The moves that give check, and those of them that mate.

use crate::board::{Bitboard, Component, Move, MoveKind, Piece, Position, attacks};
use crate::rules::RuleSet;

/// Returns the squares from which each component attacks the enemy's royal piece, indexed by
/// component.
pub(super) fn squares(position: &Position) -> [Bitboard; Component::COUNT] {
    let us = position.side_to_move();
    let royal = position.royal(!us);
    let occupied = position.occupied();
    Component::ALL.map(|component| match component {
        Component::King => Bitboard::EMPTY,
        Component::Mann => attacks::king(royal),
        Component::Rook => attacks::rook(royal, occupied),
        Component::Bishop => attacks::bishop(royal, occupied),
        Component::Knight => attacks::knight(royal),
        Component::Pawn => attacks::pawn(!us, royal),
    })
}

/// Returns the index, among all legal moves, of a move that mates.
pub(super) fn mating_move(position: &Position, rules: &RuleSet, moves: &[Move]) -> Option<usize> {
    let candidates = Candidates::new(position);
    moves.iter().position(|&mv| candidates.may_check(mv) && mates(position, rules, mv))
}

fn mates(position: &Position, rules: &RuleSet, mv: Move) -> bool {
    let mut next = *position;
    next.play(mv);
    next.in_check() && !next.has_legal_move(rules)
}

/// Precomputed sets that show quickly that a move gives no check.
struct Candidates<'a> {
    position: &'a Position,
    squares: [Bitboard; Component::COUNT],
    /// Squares on an open line from the royal piece. A move away from one opens that line.
    seen: Bitboard,
    /// Those of them that stand in front of a piece of their own side that attacks along the line.
    unmasking: Bitboard,
}

impl<'a> Candidates<'a> {
    fn new(position: &'a Position) -> Self {
        let us = position.side_to_move();
        let (own, royal) = (position.color(us), position.royal(!us));
        let occupied = position.occupied();
        let squares = squares(position);
        let unmasking = |component: Component, line: fn(_, _) -> Bitboard| {
            let seen = squares[component.index()];
            let through = line(royal, occupied & !(seen & own));
            let behind = through & !seen & own & position.component(component);
            if behind.is_empty() { Bitboard::EMPTY } else { seen }
        };
        Self {
            position,
            squares,
            seen: squares[Component::Rook.index()] | squares[Component::Bishop.index()],
            unmasking: unmasking(Component::Rook, attacks::rook)
                | unmasking(Component::Bishop, attacks::bishop),
        }
    }

    /// Returns whether a move may give check. `false` means that it certainly gives no check.
    fn may_check(&self, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let before = self.position.piece_on(from);
        let after = match mv.kind() {
            MoveKind::Plain => before,
            MoveKind::Fusion => before.union(self.position.piece_on(to)),
            MoveKind::Fission(component) => Piece::of(component),
            // The Pawn may now attack along the line that it leaves.
            MoveKind::Promotion(_) if self.seen.has(from) => return true,
            MoveKind::Promotion(piece) => piece,
            MoveKind::Demotion => Piece::of(before.capturer(from, to)),
            // These moves are rare, and two pieces change squares.
            MoveKind::Castling | MoveKind::EnPassant => return true,
        };
        self.unmasking.has(from)
            || after.components().any(|component| self.squares[component.index()].has(to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::rules::PRESETS;
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    fn moves(position: &Position, rules: &RuleSet) -> Vec<Move> {
        let mut moves = Vec::new();
        position.legal_moves(rules, &mut moves);
        moves
    }

    #[test]
    fn mates_of_every_kind() {
        for (rules, fen, expected) in [
            ("orthodox", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", Some("a1a8")),
            // The Knight unmasks the Rook and takes the last square.
            ("orthodox", "k7/8/1K6/N7/8/8/8/R7 w - - 0 1", Some("a5c6")),
            // The Pawn attacks along the file that it leaves.
            ("orthodox", "8/P7/8/8/1R6/2K5/8/k7 w - - 0 1", Some("a7a8q")),
            // The Knight cannot become a Rook without fusion.
            ("fusion-2020", "k7/2K5/8/8/8/8/8/N6R w - - 0 1", Some("h1a1")),
            ("orthodox", "k7/2K5/8/8/8/8/8/N6R w - - 0 1", None),
        ] {
            let rules: RuleSet = rules.parse().unwrap();
            let position = Position::from_fen(&rules, fen).unwrap();
            let moves = moves(&position, &rules);
            let found = mating_move(&position, &rules, &moves);
            let brute = moves.iter().position(|&mv| mates(&position, &rules, mv));
            assert_eq!(found, brute, "{fen}");
            assert_eq!(found.is_some(), expected.is_some(), "{fen}");
            if let Some(expected) = expected {
                let mating = moves.iter().filter(|&&mv| mates(&position, &rules, mv));
                assert!(mating.map(Move::to_string).any(|mv| mv == expected), "{fen} {expected}");
            }
        }
    }

    proptest! {
        #[test]
        fn no_check_is_missed(
            choices in prop::collection::vec(any::<prop::sample::Index>(), 0..160),
            preset in prop::option::of(0..PRESETS.len()),
            seed: u64,
        ) {
            let random = || RuleSet::random(&mut ChaCha8Rng::seed_from_u64(seed));
            let rules = preset.map_or_else(random, |preset| PRESETS[preset].1);
            let rules = rules.denying_at_random(seed);
            let mut position = Position::start(&rules);
            for choice in choices {
                let moves = moves(&position, &rules);
                if moves.is_empty() {
                    break;
                }
                let candidates = Candidates::new(&position);
                for &mv in &moves {
                    let mut next = position;
                    next.play(mv);
                    prop_assert!(
                        !next.in_check() || candidates.may_check(mv),
                        "{} {mv}", position.to_fen()
                    );
                }
                let mating = moves.iter().position(|&mv| mates(&position, &rules, mv));
                prop_assert_eq!(mating_move(&position, &rules, &moves), mating);
                position.play(*choice.get(&moves));
            }
        }
    }
}
