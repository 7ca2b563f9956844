//! The game as people see it on a board.

use super::lessons::LESSONS;
use super::{FreeChess, reasons};
use crate::board::{Action, Kind, Piece, Square, Turn};
use crate::notation;
use crate::rules::RuleSet;
use fusion_game::{
    BoardGame, BoardMove, BoardPiece, BoardShape, Game, Lesson, PlacedPiece, ReadGame, Reserve,
    RuleSet as _, Side, Tactics,
};

/// Returns the name of a kind.
pub(super) const fn kind_name(kind: Kind) -> &'static str {
    ["royal", "Rook", "Bishop", "Knight", "Opawn", "combinator"][kind as usize]
}

/// Returns the name of a piece: of its kind if it has one attribute, else its attributes in capitals.
pub(super) fn name(piece: Piece) -> String {
    piece.single().map_or_else(|| piece.capitals(), |kind| kind_name(kind).to_owned())
}

/// Returns what a piece of several attributes is made of: `Rook, 2 Bishops and combinator`.
fn parts(piece: Piece) -> Option<String> {
    if piece.len() < 2 {
        return None;
    }
    let words: Vec<String> = piece
        .kinds()
        .map(|kind| match piece.count(kind) {
            1 => kind_name(kind).to_owned(),
            count => format!("{count} {}s", kind_name(kind)),
        })
        .collect();
    Some(match words.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        words => words.concat(),
    })
}

/// Returns a piece as it is drawn: a figure for each attribute.
fn drawn(side: Side, piece: Piece) -> BoardPiece {
    let figures = |kind: Kind| kind.capital().to_string().repeat(piece.count(kind) as usize);
    BoardPiece {
        side,
        figure: piece.kinds().map(figures).collect(),
        name: name(piece),
        parts: parts(piece),
        royal: piece.is_royal(),
    }
}

impl FreeChess {
    fn drawn_on(&self, square: Square) -> Option<BoardPiece> {
        Some(drawn(self.position.side_on(square)?, self.position.piece_on(square)))
    }

    fn square_name(&self, square: Square) -> String {
        square.name(self.position.size())
    }

    /// Returns the attributes in the hand.
    fn hand(&self) -> Piece {
        match self.position.turn() {
            Turn::Split { hand, .. } => hand,
            _ => Piece::NONE,
        }
    }

    /// Returns the kind of an action and what it does in words.
    fn described(&self, action: Action) -> (&'static str, String) {
        let position = &self.position;
        let is_enemy = |to| position.of(position.side_to_move().other()).has(to);
        match action {
            Action::Place { kind, to } => {
                let (target, placed) = (position.piece_on(to), kind_name(kind));
                match () {
                    () if target.is_empty() => ("placement", format!("place a {placed}")),
                    () if is_enemy(to) => {
                        ("cancellation", format!("a {placed} cancels one of {}", name(target)))
                    }
                    () => {
                        let sum = name(target.with(kind));
                        ("fusion", format!("add a {placed}: {sum}"))
                    }
                }
            }
            Action::Part { from, to, goes_on } => {
                let (piece, target) = (name(position.piece_on(from)), position.piece_on(to));
                let (what, words) = match () {
                    () if target.is_empty() => ("plain", format!("{piece} moves")),
                    () if is_enemy(to) => ("capture", format!("{piece} takes {}", name(target))),
                    () => ("fusion", format!("{piece} fuses with {}", name(target))),
                };
                let rest = match goes_on {
                    Some(kind) => format!(" by its {} and may go on", kind_name(kind)),
                    None => String::new(),
                };
                (what, words + &rest)
            }
            Action::End => ("end", "end the turn".into()),
            Action::Lift { kind, .. } => ("lift", format!("lift a {}", kind_name(kind))),
            Action::SetDown { .. } => ("set-down", format!("set {} down", name(self.hand()))),
            Action::Return { .. } => {
                ("return", format!("return {} to the reserve", name(self.hand())))
            }
        }
    }
}

impl BoardGame for FreeChess {
    const PLAYERS: [&'static str; 2] = ["White", "Black"];
    const KNOWN_RULES: &'static str = "freechess";
    const KNOWN_NAME: &'static str = "the inventor’s FreeChess";
    const FIGURES: &'static str = include_str!("figures.svg");
    const LESSONS: &'static [Lesson] = LESSONS;

    fn parse_rules(text: &str) -> Result<RuleSet, String> {
        Ok(RuleSet::parse(text)?)
    }

    fn shape(rules: &RuleSet) -> BoardShape {
        BoardShape::lettered(rules.size() as u16, rules.size() as u16)
    }

    fn pieces(&self) -> Vec<PlacedPiece> {
        let placed = |square| {
            Some(PlacedPiece { space: self.square_name(square), piece: self.drawn_on(square)? })
        };
        self.position.occupied().into_iter().filter_map(placed).collect()
    }

    fn codes(&self) -> Vec<u32> {
        let code = |square| {
            let side = self.position.side_on(square)?;
            Some(2 * self.position.piece_on(square).bits() + side as u32)
        };
        self.position.board().into_iter().map(|square| code(square).unwrap_or_default()).collect()
    }

    fn reserves(&self) -> Vec<Reserve> {
        let of = |side| {
            let reserve = self.position.reserve(side);
            let kinds: Vec<Kind> = reserve.kinds().collect();
            kinds.into_iter().map(move |kind| Reserve {
                piece: drawn(side, Piece::of(kind)),
                count: reserve.count(kind),
            })
        };
        [Side::First, Side::Second].into_iter().flat_map(of).collect()
    }

    fn threatened(&self) -> Vec<String> {
        let us = self.side_to_move();
        let checked =
            self.position.turn() == Turn::Start && self.position.in_check(&self.rules, us);
        let royal = self.position.royal(us).filter(|_| checked);
        royal.map(|square| self.square_name(square)).into_iter().collect()
    }

    /// The piece that goes on or splits.
    fn in_turn(&self) -> Vec<String> {
        match self.position.turn() {
            Turn::Start => Vec::new(),
            Turn::Move { at, .. } => vec![self.square_name(at)],
            Turn::Split { origin, .. } => vec![self.square_name(origin)],
        }
    }

    fn board_move(&self, mv: Action) -> BoardMove {
        let us = self.side_to_move();
        let (kind, label) = self.described(mv);
        let after = Self::at(self.rules, self.position.after(&self.rules, mv));
        let (from, to) = match mv {
            Action::Place { to, .. } => (None, Some(to)),
            Action::Part { from, to, .. } | Action::SetDown { from, to } => (Some(from), Some(to)),
            Action::Lift { from, .. } => (None, Some(from)),
            Action::End | Action::Return { .. } => (None, None),
        };
        let becomes = match mv {
            Action::Lift { kind, .. } => Some(drawn(us, self.hand().with(kind))),
            _ => to.and_then(|to| after.drawn_on(to)),
        };
        let captures = match mv {
            Action::Place { kind, .. } if kind_is_cancelled(self, mv) => {
                Some(drawn(us.other(), Piece::of(kind)))
            }
            Action::Part { to, .. } => self.drawn_on(to).filter(|piece| piece.side != us),
            _ => None,
        };
        BoardMove {
            stays: from.and_then(|from| after.drawn_on(from)),
            from: from.map(|from| self.square_name(from)),
            to: to.map(|to| self.square_name(to)),
            kind,
            label,
            becomes,
            captures,
        }
    }

    fn why_illegal(&self, from: &str, to: &str) -> Option<String> {
        let size = self.position.size();
        match (Square::parse(from, size), Square::parse(to, size)) {
            (Some(from), Some(to)) => reasons::why(self, from, to),
            (None, _) => Some(format!("There is no square {from}.")),
            (_, None) => Some(format!("There is no square {to}.")),
        }
    }

    fn read_game(text: &str) -> Result<ReadGame, String> {
        notation::read_game(text)
    }
}

/// Returns whether an action is a placement onto an enemy piece.
fn kind_is_cancelled(game: &FreeChess, mv: Action) -> bool {
    matches!(mv, Action::Place { .. }) && game.is_forcing(mv)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_game::Notation;

    fn game(text: &str) -> FreeChess {
        FreeChess::from_text(&"freechess-9".parse().unwrap(), text).unwrap()
    }

    #[test]
    fn the_board_conforms() {
        assert!(fusion_game::conformance::check_board::<FreeChess>(1, 3).unwrap() > 50);
    }

    #[test]
    fn pieces_have_a_figure_for_each_attribute() {
        let game = game("8p/9/9/9/9/4{RB2C}4/9/9/K8 w N/p - -");
        let pieces = game.pieces();
        let compound = &pieces.iter().find(|placed| placed.space == "e4").unwrap().piece;
        assert_eq!((compound.figure.as_str(), compound.name.as_str()), ("RBBC", "RB2C"));
        assert_eq!(compound.parts.as_deref(), Some("Rook, 2 Bishops and combinator"));
        let reserves = game.reserves();
        let counts: Vec<_> = reserves.iter().map(|r| (r.piece.name.as_str(), r.count)).collect();
        assert_eq!(counts, [("Knight", 1), ("Opawn", 1)]);
    }

    #[test]
    fn actions_have_their_words() {
        let mut game = game("8p/9/9/4n4/9/4{RBC}4/9/9/K8 w N/p - -");
        let label =
            |game: &FreeChess, text: &str| game.board_move(game.parse_move(text).unwrap()).label;
        assert_eq!(label(&game, "N@e4"), "add a Knight: RBNC");
        assert_eq!(label(&game, "N@e6"), "a Knight cancels one of Knight");
        assert_eq!(label(&game, "e4e5r"), "RBC moves by its Rook and may go on");
        assert_eq!(label(&game, "e4^b"), "lift a Bishop");
        game.play(game.parse_move("e4^b").unwrap());
        assert_eq!(label(&game, "e4>-"), "return Bishop to the reserve");
        assert_eq!(label(&game, "e4>f5"), "set Bishop down");
        let shown = game.board_move(game.parse_move("e4>f5").unwrap());
        assert_eq!(shown.stays.unwrap().figure, "RC");
    }
}
