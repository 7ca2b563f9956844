//! Positions as text: `board side reserves shield turn`.
//!
//! The fields are those of the rules' section "Text of a position" in `docs/freechess.md`.

use super::generate::Mover;
use super::position::place;
use super::{Kind, Piece, Position, SIDE, Square, Turn};
use crate::rules::RuleSet;
use fusion_game::Side;
use std::fmt::Write;

/// The reason why the text of a position is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// The text does not have five fields.
    #[error(
        "{0} fields instead of 5: write board, side, reserves, shield and turn, separated by single \
         spaces"
    )]
    Fields(usize),
    /// The board does not have the right number of rows.
    #[error("the board has {found} rows instead of {wanted}: the rules have board={wanted}")]
    Rows {
        /// Rows in the text.
        found: usize,
        /// Rows of the rules' board.
        wanted: usize,
    },
    /// A row of the board is malformed or has the wrong length.
    #[error(
        "row '{row}': {reason}; a row has {wanted} squares: numbers of empty squares, letters in one \
         case, several attributes as in {{rb2n}}"
    )]
    Row {
        /// The row's text.
        row: String,
        /// What is wrong.
        reason: &'static str,
        /// Squares of a row of the rules' board.
        wanted: usize,
    },
    /// A piece has two combinators or two royals.
    #[error("piece '{0}' has two k or two c: a piece has at most one of each")]
    Twice(String),
    /// The side is neither `w` nor `b`.
    #[error("'{0}' is not a side: expected w or b")]
    Side(String),
    /// The reserves are malformed.
    #[error(
        "'{0}' are not two reserves: expected such as KR2/kp3 or -/-, in the order k r b n p c, \
         counts from 2 to 13 behind the letter"
    )]
    Reserves(String),
    /// A player has more of a kind than the rules give him.
    #[error("{side} has {count} of '{kind}', and the rules give {most} at the start")]
    TooMany {
        /// White or Black.
        side: &'static str,
        /// The kind's letter.
        kind: char,
        /// Attributes on the board, in the reserve and in the hand.
        count: u32,
        /// Attributes at the start.
        most: u32,
    },
    /// The shield is malformed or has no piece.
    #[error("shield '{0}': {1}; expected - or such as n@e4")]
    Shield(String, &'static str),
    /// The turn is malformed or impossible.
    #[error("turn '{0}': {1}; expected -, move:ORIGIN:AT:USED:X or split:ORIGIN:HAND")]
    Turn(String, &'static str),
    /// The side that is not to move is in check at the start of a turn.
    #[error("{0} is in check and not to move")]
    Check(&'static str),
}

/// Returns what people call a side.
fn name(side: Side) -> &'static str {
    match side {
        Side::First => "White",
        Side::Second => "Black",
    }
}

impl Position {
    /// Parses the text of a position.
    ///
    /// # Errors
    /// Returns an error if the text is malformed or if the position cannot occur. The message says
    /// what is wrong and what is expected.
    pub fn from_text(rules: &RuleSet, text: &str) -> Result<Self, PositionError> {
        let fields: Vec<&str> = text.split(' ').collect();
        let [board, side, reserves, shield, turn] = fields[..] else {
            return Err(PositionError::Fields(fields.len()));
        };
        let mut position = Self::start(rules);
        position.parse_board(board)?;
        position.side = match side {
            "w" => Side::First,
            "b" => Side::Second,
            _ => return Err(PositionError::Side(side.into())),
        };
        position.parse_reserves(reserves)?;
        position.turn = position.parse_turn(rules, turn)?;
        position.check_numbers(rules)?;
        position.shield = position.parse_shield(rules, shield)?;
        let them = position.side.other();
        if position.turn == Turn::Start && position.in_check(rules, them) {
            return Err(PositionError::Check(name(them)));
        }
        Ok(position)
    }

    fn parse_board(&mut self, text: &str) -> Result<(), PositionError> {
        let (size, rows) = (self.size(), text.split('/').collect::<Vec<_>>());
        if rows.len() != size {
            return Err(PositionError::Rows { found: rows.len(), wanted: size });
        }
        let margin = (SIDE - size) / 2;
        for (row, rank) in rows.into_iter().zip((0..size).rev()) {
            let error = |reason| PositionError::Row { row: row.into(), reason, wanted: size };
            let (mut rest, mut file) = (row, 0);
            while !rest.is_empty() {
                let (item, after) = next_item(rest).map_err(error)?;
                rest = after;
                let piece = match item {
                    Item::Empty(squares) => {
                        file += squares;
                        continue;
                    }
                    Item::Piece(side, piece) => (side, piece),
                };
                if file >= size {
                    return Err(error("it is too long"));
                }
                if piece.1.count(Kind::Royal) > 1 || piece.1.count(Kind::Combinator) > 1 {
                    return Err(PositionError::Twice(piece.1.to_string()));
                }
                self.put(piece.0, Square::at(margin + file, margin + rank), piece.1);
                file += 1;
            }
            if file != size {
                return Err(error(if file > size { "it is too long" } else { "it is too short" }));
            }
        }
        Ok(())
    }

    fn parse_reserves(&mut self, text: &str) -> Result<(), PositionError> {
        let error = || PositionError::Reserves(text.into());
        let (white, black) = text.split_once('/').ok_or_else(error)?;
        for (side, text) in [(Side::First, white), (Side::Second, black)] {
            let reserve = match text {
                "-" => Some(Piece::NONE),
                _ => parse_of(side, text).filter(|reserve| !reserve.is_empty()),
            };
            self.reserves[place(side)] = reserve.ok_or_else(error)?;
        }
        Ok(())
    }

    fn parse_turn(&self, rules: &RuleSet, text: &str) -> Result<Turn, PositionError> {
        let error = |reason| PositionError::Turn(text.into(), reason);
        let square = |name| Square::parse(name, self.size()).ok_or_else(|| error("no such square"));
        let own = |square| self.of(self.side).has(square);
        let attributes = |text: &str| match text {
            "-" => Ok(Piece::NONE),
            _ => Piece::parse(text)
                .filter(|piece| !piece.is_empty())
                .ok_or_else(|| error("the attributes are malformed")),
        };
        let parts: Vec<&str> = text.split(':').collect();
        match parts[..] {
            ["-"] => Ok(Turn::Start),
            ["move", origin, at, used, captured] => {
                let (origin, at, used) = (square(origin)?, square(at)?, attributes(used)?);
                let captured = match captured {
                    "-" => false,
                    "x" => true,
                    _ => return Err(error("the capture is neither - nor x")),
                };
                let piece = self.piece_on(at);
                if !own(at) || !used.is_part_of(piece) || used.combines() {
                    return Err(error("no such piece of the side to move stands there"));
                }
                if origin != at && self.occupied().has(origin) {
                    return Err(error("the piece has left its origin, but something stands there"));
                }
                if used.is_empty() && !captured {
                    return Err(error("the piece has done nothing"));
                }
                if !(Mover { origin, at, piece, used, captured }).goes_on() {
                    return Err(error("the piece cannot go on, so the turn is over"));
                }
                Ok(Turn::Move { origin, at, used, captured })
            }
            ["split", origin, hand] => {
                let (origin, hand) = (square(origin)?, attributes(hand)?);
                let least = if hand.is_empty() && !rules.recall { 2 } else { 1 };
                let lifted = rules.recall && !hand.is_empty() && !self.occupied().has(origin);
                if !rules.splitting {
                    return Err(error("the rules have splitting=no"));
                }
                if !lifted && (!own(origin) || self.piece_on(origin).len() < least) {
                    return Err(error("nothing is left there to split"));
                }
                if hand.count(Kind::Royal) > 1 || hand.count(Kind::Combinator) > 1 {
                    return Err(PositionError::Twice(hand.to_string()));
                }
                Ok(Turn::Split { origin, hand })
            }
            _ => Err(error("it is malformed")),
        }
    }

    fn check_numbers(&self, rules: &RuleSet) -> Result<(), PositionError> {
        let most = rules.start_reserve();
        for side in [Side::First, Side::Second] {
            let hand = match self.turn {
                Turn::Split { hand, .. } if side == self.side => hand,
                _ => Piece::NONE,
            };
            for kind in Kind::ALL {
                let board: u32 =
                    self.of(side).into_iter().map(|square| self.piece_on(square).count(kind)).sum();
                let count = board + self.reserve(side).count(kind) + hand.count(kind);
                let (most, kind) = (most.count(kind), kind.letter());
                if count > most {
                    return Err(PositionError::TooMany { side: name(side), kind, count, most });
                }
            }
        }
        Ok(())
    }

    fn parse_shield(
        &self,
        rules: &RuleSet,
        text: &str,
    ) -> Result<Option<(Kind, Square)>, PositionError> {
        if text == "-" {
            return Ok(None);
        }
        let error = |reason| PositionError::Shield(text.into(), reason);
        let (kind, square) = text.split_once('@').ok_or_else(|| error("it is malformed"))?;
        let kind = Piece::parse(kind).and_then(Piece::single);
        let kind = kind.ok_or_else(|| error("it does not name one kind"))?;
        let square = Square::parse(square, self.size()).ok_or_else(|| error("no such square"))?;
        if !rules.shields(kind) {
            return Err(error("this kind is never shielded"));
        }
        if self.turn != Turn::Start {
            return Err(error("there is none inside a turn"));
        }
        if !self.of(self.side.other()).has(square) || !self.piece_on(square).has(kind) {
            return Err(error("the side not to move has no such piece there"));
        }
        Ok(Some((kind, square)))
    }

    /// Returns the text of the position.
    #[must_use]
    pub fn to_text(&self) -> String {
        let side = if self.side == Side::First { "w" } else { "b" };
        let reserve = |side| match self.reserve(side) {
            Piece::NONE => "-".to_owned(),
            reserve => text_of(side, reserve),
        };
        let [white, black] = [Side::First, Side::Second].map(reserve);
        let shield = self.shield.map_or("-".to_owned(), |(kind, square)| {
            format!("{}@{}", kind.letter(), square.name(self.size()))
        });
        format!("{} {side} {white}/{black} {shield} {}", self.board_text(), self.turn_text())
    }

    fn board_text(&self) -> String {
        let (size, margin) = (self.size(), (SIDE - self.size()) / 2);
        let mut rows = Vec::new();
        for rank in (0..size).rev() {
            let (mut row, mut empty) = (String::new(), 0);
            for file in 0..size {
                let square = Square::at(margin + file, margin + rank);
                let Some(side) = self.side_on(square) else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    let _ = write!(row, "{empty}");
                    empty = 0;
                }
                let piece = self.piece_on(square);
                let text = text_of(side, piece);
                row += &if piece.single().is_some() { text } else { format!("{{{text}}}") };
            }
            if empty > 0 {
                let _ = write!(row, "{empty}");
            }
            rows.push(row);
        }
        rows.join("/")
    }

    fn turn_text(&self) -> String {
        let name = |square: Square| square.name(self.size());
        let attributes = |piece: Piece| match piece {
            Piece::NONE => "-".to_owned(),
            piece => piece.to_string(),
        };
        match self.turn {
            Turn::Start => "-".to_owned(),
            Turn::Move { origin, at, used, captured } => {
                let captured = if captured { "x" } else { "-" };
                format!("move:{}:{}:{}:{captured}", name(origin), name(at), attributes(used))
            }
            Turn::Split { origin, hand } => format!("split:{}:{}", name(origin), attributes(hand)),
        }
    }
}

/// Writes attributes as they stand on the board: White's in capitals.
fn text_of(side: Side, piece: Piece) -> String {
    match side {
        Side::First => piece.capitals(),
        Side::Second => piece.to_string(),
    }
}

/// Parses attributes of a side.
fn parse_of(side: Side, text: &str) -> Option<Piece> {
    let case = |c: char| match side {
        Side::First => c.is_ascii_uppercase(),
        Side::Second => c.is_ascii_lowercase(),
    };
    let fits = text.chars().all(|c| c.is_ascii_digit() || case(c));
    Piece::parse(&text.to_ascii_lowercase()).filter(|_| fits)
}

/// An item of a row of the board.
enum Item {
    Empty(usize),
    Piece(Side, Piece),
}

/// Parses the first item of a row, and returns the rest.
fn next_item(text: &str) -> Result<(Item, &str), &'static str> {
    let of_any = |text: &str| {
        let side = [Side::First, Side::Second].into_iter();
        side.filter_map(|side| Some((side, parse_of(side, text)?))).next()
    };
    let first = text.chars().next().ok_or("it is empty")?;
    if first.is_ascii_digit() {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = text.split_at(digits);
        let squares = (1..=SIDE).find(|squares| squares.to_string() == number);
        return Ok((Item::Empty(squares.ok_or("a number of empty squares is wrong")?), rest));
    }
    if first == '{' {
        let (inner, rest) = text[1..].split_once('}').ok_or("a brace is not closed")?;
        let (side, piece) = of_any(inner).ok_or("a piece is malformed")?;
        if piece.len() < 2 {
            return Err("braces are for two attributes or more");
        }
        return Ok((Item::Piece(side, piece), rest));
    }
    let rest = &text[first.len_utf8()..];
    let (side, piece) = of_any(&first.to_string()).ok_or("a letter is no kind of attribute")?;
    // A count belongs in braces.
    Ok((Item::Piece(side, piece), rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(rules: &str, text: &str) -> Result<Position, PositionError> {
        Position::from_text(&rules.parse().unwrap(), text)
    }

    #[test]
    fn bad_texts_are_rejected_with_a_reason() {
        let table = [
            ("7/7/7/7/7/7/7 w -/- -", "4 fields"),
            ("7/7/7/7/7/7/7  w -/- - -", "6 fields"),
            ("7/7/7/7/7/7 w -/- - -", "6 rows instead of 7"),
            ("8/7/7/7/7/7/7 w -/- - -", "row '8': it is too long"),
            ("61/7/7/7/7/7/7 w -/- - -", "number of empty squares"),
            ("07/7/7/7/7/7/7 w -/- - -", "number of empty squares"),
            ("6/7/7/7/7/7/7 w -/- - -", "too short"),
            ("Q6/7/7/7/7/7/7 w -/- - -", "no kind of attribute"),
            ("{RB6/7/7/7/7/7/7 w -/- - -", "not closed"),
            ("{Rb}6/7/7/7/7/7/7 w -/- - -", "malformed"),
            ("{BR}6/7/7/7/7/7/7 w -/- - -", "malformed"),
            ("{P1N}6/7/7/7/7/7/7 w -/- - -", "malformed"),
            ("{P0}6/7/7/7/7/7/7 w -/- - -", "malformed"),
            ("{R}6/7/7/7/7/7/7 w -/- - -", "two attributes or more"),
            ("{C2}6/7/7/7/7/7/7 w -/- - -", "two k or two c"),
            ("7/7/7/7/7/7/7 x -/- - -", "not a side"),
            ("7/7/7/7/7/7/7 w - - -", "not two reserves"),
            ("7/7/7/7/7/7/7 w /- - -", "not two reserves"),
            ("7/7/7/7/7/7/7 w k/- - -", "not two reserves"),
            ("7/7/7/7/7/7/7 w RK/- - -", "not two reserves"),
            ("R6/7/7/7/7/7/7 w R/- - -", "White has 2 of 'r', and the rules give 1"),
            ("7/7/7/7/7/7/{rp}6 w -/p5 - -", "Black has 6 of 'p'"),
            ("7/7/7/7/7/7/n6 w -/- b@a1 -", "no such piece"),
            ("7/7/7/7/7/7/N6 w -/- n@a1 -", "no such piece"),
            ("7/7/7/7/7/7/c6 w -/- c@a1 -", "never shielded"),
            ("7/7/7/7/7/7/n6 w -/- n2@a1 -", "one kind"),
            ("7/7/7/7/7/7/n6 w -/- n@h1 -", "no such square"),
            ("7/7/7/7/7/7/{RC}6 w -/- - move:b1:a1:-:-", "done nothing"),
            ("7/7/7/7/7/7/{RC}6 w -/- - move:b1:a1:r:-", "the turn is over"),
            ("7/7/7/7/7/7/{RNC}6 w -/- - move:b1:a1:b:-", "no such piece"),
            ("7/7/7/7/7/7/{RNC}N5 w -/- - move:b1:a1:r:-", "something stands there"),
            ("7/7/7/7/7/7/{RNC}6 w -/- - move:b1:a1:r", "malformed"),
            ("7/7/7/7/7/7/R6 w -/- - split:a1:-", "nothing is left"),
            ("7/7/7/7/7/7/7 w -/- - split:a1:n", "nothing is left"),
            ("7/7/7/7/7/7/{RN}6 w -/- - split:a1:n4", "White has 5 of 'n'"),
            ("7/7/7/7/7/7/{rn}6 w -/- - split:a1:n", "nothing is left"),
            ("7/7/7/7/7/7/K5k w -/- - go", "malformed"),
            ("7/7/7/7/7/1R6/Kk5 w -/- - -", "too long"),
            ("7/7/7/7/7/1R5/K5k w -/- - -", ""),
            ("7/7/7/7/7/6R/K5k w -/- - -", "Black is in check and not to move"),
        ];
        for (text, wanted) in table {
            let error = read("freechess-7", text).err().map(|error| error.to_string());
            let error = error.unwrap_or_default();
            assert!(error.contains(wanted), "{text}: {error}");
            assert_eq!(error.is_empty(), wanted.is_empty(), "{text}: {error}");
        }
    }

    #[test]
    fn rules_decide_what_can_be() {
        let recalled = "7/7/7/7/7/7/K6 w -/- - split:b1:n";
        assert!(read("freechess-7", recalled).is_err());
        assert!(read("freechess-7,recall=yes", recalled).is_ok());
        let royal = "7/7/7/7/7/7/k6 w -/- k@a1 -";
        assert!(read("freechess-7", royal).is_err());
        assert!(read("freechess-7,royal-cancel=yes", royal).is_ok());
        let combinator = "7/7/7/7/7/7/{kc}6 w -/- - -";
        assert!(read("freechess-7", combinator).is_ok());
        assert!(read("freechess-7,combinators=no", combinator).is_err());
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[0-9kKrRnNcC{}/:@a-i -]{0,60}", start in any::<bool>()) {
            let start = if start { "7/7/7/7/7/7/7 w KR/k - " } else { "" };
            if let Ok(position) = read("freechess-7", &format!("{start}{text}")) {
                prop_assert_eq!(position.to_text(), format!("{start}{text}"));
            }
        }
    }
}
