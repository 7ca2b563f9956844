//! Static exchange evaluation: what a sequence of captures on one square wins.
//!
//! Compounds are worth their components and a little more. What stands on the square after a capture
//! depends on the move: a component that leaves its compound risks only itself, a compound that is
//! demoted has lost its other components, and a promoted Pawn is worth its new piece. Pins and
//! through-check limits are not considered.

use crate::board::{Bitboard, Component, Move, MoveKind, Piece, Position, Square, attacks};
use crate::rules::{Fission, RuleSet};

/// The value of a royal piece, which is more than everything else together.
const ROYAL: i32 = 100_000;

/// Values of pieces by their components, in hundredths of a Pawn.
static WORTHS: [i32; Piece::SETS] = {
    const SIMPLE: [i32; Component::COUNT] = [0, 500, 330, 320, 100, 250];
    let mut worths = [0; Piece::SETS];
    let mut set = 0;
    while set < Piece::SETS {
        let (mut component, mut count) = (0, 0);
        while component < Component::COUNT {
            if set >> component & 1 != 0 {
                worths[set] += SIMPLE[component];
                count += 1;
            }
            component += 1;
        }
        if count > 1 {
            worths[set] += 50;
        }
        set += 1;
    }
    worths
};

/// Returns the value of a piece, without its King.
#[inline]
pub(super) fn worth(piece: Piece) -> i32 {
    WORTHS[piece.without(Component::King).index()]
}

/// Returns the value of losing a piece.
#[inline]
fn risk(piece: Piece) -> i32 {
    if piece.is_royal() { ROYAL } else { worth(piece) }
}

/// Returns the enemy piece that a move captures, or no piece.
#[inline]
pub(super) fn captured(position: &Position, mv: Move) -> Piece {
    let them = !position.side_to_move();
    match mv.kind() {
        MoveKind::EnPassant => Piece::of(Component::Pawn),
        _ if position.color(them).has(mv.to()) => position.piece_on(mv.to()),
        _ => Piece::NONE,
    }
}

/// Returns the piece that a move takes from its origin, and what arrives of it.
#[inline]
pub(super) fn mover(position: &Position, mv: Move) -> (Piece, Piece) {
    let piece = position.piece_on(mv.from());
    match mv.kind() {
        MoveKind::Fission(component) => (Piece::of(component), Piece::of(component)),
        MoveKind::Promotion(promoted) => (piece, promoted),
        MoveKind::Demotion => (piece, Piece::of(piece.capturer(mv.from(), mv.to()))),
        _ => (piece, piece),
    }
}

/// Returns what a move wins at once: the captured piece, and the difference that a promotion or a
/// demotion makes. A friendly piece that is captured is lost.
#[inline]
pub(super) fn gain(position: &Position, mv: Move) -> i32 {
    let (before, after) = mover(position, mv);
    let own = position.color(position.side_to_move()).has(mv.to());
    let lost = if own && !matches!(mv.kind(), MoveKind::Fusion) {
        worth(position.piece_on(mv.to()))
    } else {
        0
    };
    worth(captured(position, mv)) + worth(after) - worth(before) - lost
}

/// Returns whether the exchange that a move begins gains at least this much.
pub(super) fn gains(position: &Position, rules: &RuleSet, mv: Move, least: i32) -> bool {
    if matches!(mv.kind(), MoveKind::Fusion | MoveKind::Castling) {
        return least <= 0;
    }
    let (_, arrived) = mover(position, mv);
    let mut balance = gain(position, mv) - least;
    if balance < 0 {
        return false;
    }
    // A legal move leaves no royal piece attacked.
    if arrived.is_royal() {
        return true;
    }
    balance -= risk(arrived);
    if balance >= 0 {
        return true;
    }
    let (from, to) = (mv.from(), mv.to());
    let mut occupied = position.occupied() | to.bit();
    if !matches!(mv.kind(), MoveKind::Fission(_)) {
        occupied ^= from.bit();
    }
    if mv.kind() == MoveKind::EnPassant {
        occupied ^= Square::at(to.file(), from.rank()).bit();
    }
    let splits = rules.fission == Fission::Capture;
    // What stays of a compound that split blocks lines and takes no other part.
    let present = !from.bit();
    let mut side = !position.side_to_move();
    let mut attackers = position.attackers_of_both(to, occupied);
    loop {
        attackers &= occupied & present;
        let own = attackers & position.color(side);
        let splits = splits && !rules.denied.forbids_fission(side);
        let Some((square, piece)) = least_valuable(position, own, to, splits) else { break };
        let rest = occupied ^ square.bit();
        // A royal piece may not capture what is defended, if only from behind its own square.
        let defenders = attackers | sliders(position, to, rest);
        if piece.is_royal() && (defenders & rest & present & position.color(!side)).any() {
            break;
        }
        // From here on the balance is that of `side`, which has just captured.
        balance = -balance - 1 - risk(piece);
        side = !side;
        if balance >= 0 {
            break;
        }
        occupied = rest;
        attackers = defenders;
    }
    side != position.side_to_move()
}

/// Returns the pieces of both sides that attack a square along a line.
#[inline]
fn sliders(position: &Position, to: Square, occupied: Bitboard) -> Bitboard {
    attacks::rook(to, occupied) & position.component(Component::Rook)
        | attacks::bishop(to, occupied) & position.component(Component::Bishop)
}

/// Returns the attacker of least value, and what of it captures.
#[inline]
fn least_valuable(
    position: &Position,
    attackers: Bitboard,
    to: Square,
    splits: bool,
) -> Option<(Square, Piece)> {
    let pawns = attackers & position.component(Component::Pawn);
    if let Some(pawn) = pawns.first() {
        return Some((pawn, Piece::of(Component::Pawn)));
    }
    let capturing = |square: Square| {
        let piece = position.piece_on(square);
        if splits && piece.len() > 1 { Piece::of(piece.capturer(square, to)) } else { piece }
    };
    attackers.map(|square| (square, capturing(square))).min_by_key(|&(_, piece)| risk(piece))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Color;
    use crate::rules::PRESETS;
    use proptest::prelude::*;

    fn position(rules: &RuleSet, fen: &str) -> Position {
        Position::from_fen(rules, fen).unwrap()
    }

    fn legal(position: &Position, rules: &RuleSet) -> Vec<Move> {
        let mut moves = Vec::new();
        position.legal_moves(rules, &mut moves);
        moves
    }

    /// Returns the most that `side` gains by captures on a square where a piece of this risk
    /// stands, by trying both to capture and to stop at every step. Only the pieces on `present`
    /// take part.
    fn best(
        position: &Position,
        to: Square,
        side: Color,
        [occupied, present]: [Bitboard; 2],
        risk: i32,
    ) -> i32 {
        let own = position.attackers_of_both(to, occupied) & present & position.color(side);
        let Some((square, piece)) = least_valuable(position, own, to, false) else { return 0 };
        let rest = [occupied ^ square.bit(), present & !square.bit()];
        let defended = position.attackers_of_both(to, rest[0]) & rest[1] & position.color(!side);
        if piece.is_royal() && defended.any() {
            return 0;
        }
        (risk - best(position, to, !side, rest, super::risk(piece))).max(0)
    }

    /// Returns what a move gains, by [`best`].
    fn slow(position: &Position, mv: Move) -> i32 {
        let (_, arrived) = mover(position, mv);
        if arrived.is_royal() {
            return gain(position, mv);
        }
        let mut occupied = position.occupied() | mv.to().bit();
        if !matches!(mv.kind(), MoveKind::Fission(_)) {
            occupied ^= mv.from().bit();
        }
        if mv.kind() == MoveKind::EnPassant {
            occupied ^= Square::at(mv.to().file(), mv.from().rank()).bit();
        }
        let them = !position.side_to_move();
        let present = occupied & !mv.from().bit();
        gain(position, mv) - best(position, mv.to(), them, [occupied, present], risk(arrived))
    }

    #[test]
    fn exchanges_of_known_value() {
        for (rules, fen, text, value) in [
            // An undefended Pawn; a defended one.
            ("orthodox", "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 100),
            ("orthodox", "4k3/8/4p3/3p4/8/8/3R4/4K3 w - - 0 1", "d2d5", -400),
            // The second Rook behind the first one joins in.
            ("orthodox", "3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100),
            // A component that leaves its compound by a capture risks only itself.
            ("confederate", "4k3/8/4p3/3p4/8/8/3Q4/4K3 w - - 0 1", "d2d5r", -400),
            ("union", "4k3/8/4p3/3p4/8/8/3Q4/4K3 w - - 0 1", "d2d5", -780),
            // A compound that captures is demoted: the other component is lost at once.
            ("metamorphin", "4k3/8/8/3p4/8/8/3Q4/4K3 w - - 0 1", "d2d5", -280),
        ] {
            let rules: RuleSet = rules.parse().unwrap();
            let position = position(&rules, fen);
            let moves = legal(&position, &rules);
            let mv = moves.into_iter().find(|mv| mv.to_string() == text).unwrap();
            assert!(gains(&position, &rules, mv, value), "{rules} {fen} {text}");
            assert!(!gains(&position, &rules, mv, value + 1), "{rules} {fen} {text}");
        }
    }

    proptest! {
        #[test]
        fn exchanges_equal_the_slow_reference(
            choices in prop::collection::vec(any::<prop::sample::Index>(), 0..120),
            preset in 0..PRESETS.len(),
        ) {
            let rules = PRESETS[preset].1;
            prop_assume!(rules.fission != Fission::Capture);
            let mut position = Position::start(&rules);
            for choice in choices {
                let moves = legal(&position, &rules);
                if moves.is_empty() {
                    break;
                }
                for &mv in &moves {
                    if matches!(mv.kind(), MoveKind::Fusion | MoveKind::Castling) {
                        continue;
                    }
                    let value = slow(&position, mv);
                    prop_assert!(gains(&position, &rules, mv, value), "{} {mv}", position.to_fen());
                    prop_assert!(!gains(&position, &rules, mv, value + 1), "{} {mv}", position.to_fen());
                }
                position.play(*choice.get(&moves));
            }
        }
    }
}
