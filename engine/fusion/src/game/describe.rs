//! The endings and events of chess games, as data.

use super::{FusionGame, examples, sanity};
use crate::board::{Color, Component, Move, MoveKind, Square};
use crate::rules::{BareKing, MoveLimit, Repetition, RuleSet, Stalemate};
use fusion_game::{
    Describe, Ending, EndingKind, EventKind, EventKinds, EventSet, Results, RuleExample,
    SanityPosition,
};

/// The side to move is in check and has no legal move.
pub const CHECKMATE: Ending = Ending::new(&EndingKind {
    name: "checkmate",
    short: "checkmate",
    words: "checkmate",
    results: Results::Win,
});

/// The side to move is not in check and has no legal move.
pub const STALEMATE: Ending = Ending::new(&EndingKind {
    name: "stalemate",
    short: "stalemate",
    words: "stalemate",
    results: Results::Either,
});

/// The position occurred for the third time.
pub const THREEFOLD: Ending = Ending::new(&EndingKind {
    name: "threefold",
    short: "threefold",
    words: "threefold repetition",
    results: Results::Either,
});

/// The rules' number of moves without progress, usually fifty.
pub const FIFTY_MOVE: Ending = Ending::new(&EndingKind {
    name: "fifty-move",
    short: "50 moves",
    words: "fifty-move rule",
    results: Results::Draw,
});

/// A side has only a King.
pub const BARE_KING: Ending = Ending::new(&EndingKind {
    name: "bare-king",
    short: "bare king",
    words: "bare King",
    results: Results::Either,
});

/// Too little material for any mate.
pub const DEAD_POSITION: Ending = Ending::new(&EndingKind {
    name: "dead-position",
    short: "dead",
    words: "dead position",
    results: Results::Draw,
});

// Places in `EVENTS`.
const CAPTURE: usize = 0;
const PROMOTION: usize = 1;
const FUSION: usize = 2;
const ROYAL_FUSION: usize = 3;
const FISSION: usize = 4;
const CASTLING: usize = 5;
const ESCAPE: usize = 6;
const METAMORPHOSIS: usize = 7;
const DEMOTION: usize = 8;
const SELF_CAPTURE: usize = 9;

/// The kinds in the order of their columns in `games.csv`.
static EVENTS: [EventKind; 10] = [
    // An enemy piece leaves the board.
    EventKind::of_move("captures", "captures", Some("first_capture"), 4),
    // A Pawn promotes.
    EventKind::of_move("promotions", "promotions", None, 5),
    // Two friendly pieces merge.
    EventKind::of_move("fusions", "fusions", Some("first_fusion"), 0),
    // Two friendly pieces merge, and the merged piece is royal.
    EventKind {
        implies: Some("fusions"),
        ..EventKind::of_move("royal fusions", "royal_fusions", Some("first_royal_fusion"), 1)
    },
    // A compound splits.
    EventKind::of_move("fissions", "fissions", Some("first_fission"), 2),
    EventKind::of_move("castlings", "castlings", Some("first_castling"), 3),
    // A check that only a fusion or a fission can answer: without these moves it would be mate.
    EventKind { of_position: true, ..EventKind::of_move("escapes", "escapes", None, 8) },
    // A simple piece becomes a compound as it moves.
    EventKind {
        common: false,
        ..EventKind::of_move("metamorphoses", "metamorphoses", Some("first_metamorphosis"), 6)
    },
    // A compound that captures becomes one of its components.
    EventKind {
        common: false,
        ..EventKind::of_move("demotions", "demotions", Some("first_demotion"), 7)
    },
    // A piece of the mover's own side leaves the board.
    EventKind {
        common: false,
        ..EventKind::of_move("self-captures", "self_captures", Some("first_self_capture"), 9)
    },
];

impl Describe for FusionGame {
    const ENDINGS: &'static [Ending] =
        &[CHECKMATE, STALEMATE, THREEFOLD, FIFTY_MOVE, DEAD_POSITION, BARE_KING];

    const RECORDED: Option<&'static [Ending]> = Some(&[
        CHECKMATE,
        STALEMATE,
        THREEFOLD,
        FIFTY_MOVE,
        DEAD_POSITION,
        Ending::CAP,
        Ending::TABLES,
        Ending::VALUE,
        BARE_KING,
    ]);

    const EVENTS: EventKinds = EventKinds { kinds: &EVENTS };

    fn can_end(rules: &RuleSet, ending: Ending, decided: bool) -> bool {
        match () {
            () if ending == STALEMATE => decided == (rules.stalemate == Stalemate::Win),
            () if ending == THREEFOLD => decided == (rules.repetition == Repetition::Loses),
            () if ending == BARE_KING => rules.bare_king == BareKing::Loses,
            () if ending == FIFTY_MOVE && rules.move_limit == MoveLimit::NONE => false,
            () => ending.kind().results.include(decided),
        }
    }

    fn events(&self, mv: Move) -> EventSet {
        let us = self.position.color(self.position.side_to_move());
        let them = self.position.color(!self.position.side_to_move());
        let kind = mv.kind();
        let fusion = kind == MoveKind::Fusion;
        let royal = self.position.component(Component::King);
        let pawn = self.position.component(Component::Pawn).has(mv.from());
        let promotes = matches!(kind, MoveKind::Promotion(_));
        EventSet::default()
            .with(CAPTURE, them.has(mv.to()) || kind == MoveKind::EnPassant)
            .with(FUSION, fusion)
            .with(ROYAL_FUSION, fusion && (royal.has(mv.from()) || royal.has(mv.to())))
            .with(FISSION, matches!(kind, MoveKind::Fission(_)))
            .with(CASTLING, kind == MoveKind::Castling)
            .with(PROMOTION, promotes && pawn)
            .with(METAMORPHOSIS, promotes && !pawn)
            .with(DEMOTION, kind == MoveKind::Demotion)
            .with(SELF_CAPTURE, us.has(mv.to()) && !fusion && kind != MoveKind::Castling)
    }

    fn occasions(&self, moves: &[Move]) -> EventSet {
        let special = |mv: &Move| matches!(mv.kind(), MoveKind::Fusion | MoveKind::Fission(_));
        let escape = !moves.is_empty() && moves.iter().all(special) && self.position.in_check();
        EventSet::default().with(ESCAPE, escape)
    }

    fn is_plain(&self, mv: Move) -> bool {
        !matches!(mv.kind(), MoveKind::Fusion | MoveKind::Fission(_) | MoveKind::Castling)
    }

    /// Returns the board with White below, as letters of FEN, with the names of ranks and files.
    fn diagram(&self) -> String {
        let standing = |square| {
            let piece = self.position.piece_on(square);
            match () {
                () if piece.is_empty() => ".".to_owned(),
                () if self.position.color(Color::White).has(square) => {
                    piece.fen().to_ascii_uppercase()
                }
                () => piece.fen(),
            }
        };
        let row = |rank| {
            let squares: Vec<String> =
                (0..8).map(|file| standing(Square::at(file, rank))).collect();
            format!("{}  {}\n", rank + 1, squares.join(" "))
        };
        (0..8).rev().map(row).collect::<String>() + "\n   a b c d e f g h"
    }

    fn rule_examples() -> Vec<RuleExample> {
        examples::all()
    }

    fn sanity_positions() -> &'static [SanityPosition] {
        sanity::POSITIONS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_game_conforms() {
        let coverage = fusion_game::conformance::check::<FusionGame>(12, 20).unwrap();
        assert!(coverage.positions > 20_000, "{coverage:?}");
        // Few random games go on until a King is bare. `outcome.rs` tests that ending.
        let (_, others) = coverage.endings.split_last().unwrap();
        assert!(others.iter().all(|&games| games > 0), "{coverage:?}");
        let moves = coverage.events.iter().enumerate().filter(|&(kind, _)| kind != ESCAPE);
        assert!(moves.map(|(_, moves)| moves).all(|&moves| moves > 0), "{coverage:?}");
    }
}
