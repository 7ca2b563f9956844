//! Reading and writing FEN. The reader gives the reason for every rejection.

use super::bitboard::{Bitboard, Square};
use super::piece::{Color, Component, Piece};
use super::position::{CASTLES, FEN_LIMIT, PawnSteps, Position};
use crate::rules::RuleSet;
use std::fmt::{self, Display};

/// The initial position with a Queen beside the King.
pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The initial position with a Mann in the Queen's place.
pub(crate) const MANN_START: &str = "rnbokbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBOKBNR w KQkq - 0 1";

/// The reason why a FEN is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// There are not 4 or 6 fields.
    #[error(
        "a FEN has 6 fields (placement, side, castling, en passant, halfmove clock, move \
         number; the last two may be missing), this has {0}"
    )]
    Fields(usize),
    /// There are not 8 ranks.
    #[error("the placement has {0} ranks instead of 8")]
    Ranks(usize),
    /// A rank does not describe 8 squares.
    #[error("rank {0} does not have 8 squares")]
    RankWidth(usize),
    /// A letter that stands for no piece.
    #[error(
        "'{0}' stands for no piece; pieces are k r b n p q m d g f c o, capitals for White, and \
         sets of components in braces such as {{rbn}}"
    )]
    Letter(char),
    /// Text in braces that is not a set of components.
    #[error(
        "'{{{0}' is no set of components in braces: two or more different letters out of \
         k r b n o, all capitals for White, such as {{rbn}}"
    )]
    Braces(String),
    /// A Mann under rules without Manns.
    #[error("a Mann ({0}) does not occur under these rules: none at the start, no promotion to it")]
    Mann(String),
    /// A King and a Mann in one piece.
    #[error("a King and a Mann never fuse, but {0} has both")]
    KingMann(String),
    /// More components in a piece than the rules allow.
    #[error("{0} has {1} components; under these rules a piece has at most {2}")]
    Components(String, usize, usize),
    /// No royal piece.
    #[error("{0} has no royal piece (king, or a compound with one)")]
    NoRoyal(&'static str),
    /// More than one royal piece.
    #[error("{0} has {1} royal pieces instead of one")]
    Royals(&'static str, usize),
    /// A Pawn on the first or last rank.
    #[error("a pawn stands on {0}; pawns cannot be on the first or last rank")]
    PawnRank(Square),
    /// More Pawns than a player ever has.
    #[error("{0} has {1} pawns, more than 8")]
    Pawns(&'static str, usize),
    /// The side that has just moved left its royal piece attacked.
    #[error("{0} is in check but it is the other side's move")]
    OpponentInCheck(&'static str),
    /// The side is not `w` or `b`.
    #[error("the side to move is '{0}' instead of w or b")]
    Side(String),
    /// Malformed castling field.
    #[error("the castling field '{0}' is neither - nor different letters out of KQkq")]
    Castling(String),
    /// A castling right without its King or Rook.
    #[error("castling right {0} needs an unfused king on {1} and an unfused rook on {2}")]
    CastlingPieces(char, Square, Square),
    /// Malformed en-passant field.
    #[error("the en-passant field '{0}' is neither - nor a square")]
    EnPassant(String),
    /// A square over which no double step of the side that has just moved leads under the rules.
    #[error(
        "the en-passant square {0} is on no rank that the other side's double steps pass under \
         these rules"
    )]
    EnPassantRank(Square),
    /// No Pawn can have just passed the en-passant square.
    #[error("no pawn can just have made a double step over {0}")]
    EnPassantPawn(Square),
    /// A clock that is not a number within its limits.
    #[error("'{0}' is not a number from {1} to 9999")]
    Number(String, u16),
}

fn name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

impl Position {
    /// Returns the initial position, without castling rights if the rules have no castling. It is the
    /// first if the rules have several.
    #[must_use]
    pub fn start(rules: &RuleSet) -> Self {
        Self::nth_start(rules, 0)
    }

    /// Returns the initial position with this number, counted round.
    #[must_use]
    pub fn nth_start(rules: &RuleSet, number: u64) -> Self {
        Self::from_fen(rules, rules.start.fen(number)).expect("the initial position is valid")
    }

    /// Parses a FEN and checks that the position is possible under the rules.
    ///
    /// Castling rights are dropped if their side may not castle. An en-passant square is dropped
    /// if no Pawn can legally capture there.
    ///
    /// # Errors
    /// Returns the first error: a malformed field or an impossible position.
    ///
    /// # Examples
    /// A Rook and a Bishop on one square are `Q`; a King and a Rook are `F`, the Dragon King.
    ///
    /// ```
    /// use fusion_chess::board::Position;
    /// use fusion_chess::rules::RuleSet;
    ///
    /// let rules: RuleSet = "fusion-2020".parse()?;
    /// let position = Position::from_fen(&rules, "4k3/8/8/8/8/8/8/3QF3 w - - 0 1")?;
    /// assert!(!position.in_check());
    /// assert_eq!(position.to_fen(), "4k3/8/8/8/8/8/8/3QF3 w - - 0 1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_fen(rules: &RuleSet, fen: &str) -> Result<Self, FenError> {
        let fields: Vec<&str> = fen.split_whitespace().collect();
        Self::from_fields(rules, &fields, &mut Repairs(None))
    }

    /// Parses a FEN of another program or of a person. Also returns a remark about each harmless
    /// fault that was mended:
    ///
    /// - counters that are missing or out of range, and other missing fields behind the side to move
    /// - castling rights without their King or Rook, and files of Rooks as in X-FEN (`HAha`)
    /// - an en-passant square that no Pawn can have passed
    /// - superfluous fields, as in EPD
    ///
    /// Quotes and underscores count as blanks.
    ///
    /// # Errors
    /// Returns the first other error, such as a missing King.
    ///
    /// ```
    /// use fusion_chess::board::Position;
    /// use fusion_chess::rules::RuleSet;
    ///
    /// let rules: RuleSet = "orthodox".parse()?;
    /// let (position, remarks) = Position::read_fen(&rules, "4k3/8/8/8/8/8/8/4K2R w HA - 0 0")?;
    /// assert_eq!(position.to_fen(), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    /// assert_eq!(remarks.len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read_fen(rules: &RuleSet, fen: &str) -> Result<(Self, Vec<String>), FenError> {
        let is_blank = |letter: char| letter.is_whitespace() || "_\"".contains(letter);
        let fields: Vec<&str> = fen.split(is_blank).filter(|field| !field.is_empty()).collect();
        let mut repairs = Repairs(Some(Vec::new()));
        let position = Self::from_fields(rules, &fields, &mut repairs)?;
        Ok((position, repairs.0.unwrap_or_default()))
    }

    fn from_fields(
        rules: &RuleSet,
        given: &[&str],
        repairs: &mut Repairs,
    ) -> Result<Self, FenError> {
        let count = given.len();
        match count {
            4 | 6 => {}
            2.. => repairs.mend(
                FenError::Fields(count),
                "missing fields have their usual values, superfluous ones are ignored",
            )?,
            _ => return Err(FenError::Fields(count)),
        }
        let mut fields = ["", "", "-", "-", "0", "1"];
        fields.iter_mut().zip(given).for_each(|(field, given)| *field = given);
        let [placement, side, castling, en_passant, clock, fullmove] = fields;
        let mut position = Self {
            halfmove_clock: repairs.number(clock, 0)?,
            fullmove: repairs.number(fullmove, 1)?,
            pawn_steps: PawnSteps::of(rules),
            ..Self::empty(repairs.side(side)?)
        };
        position.read_placement(rules, placement)?;
        position.check_placement()?;
        position.read_castling(rules, castling, repairs)?;
        if let Err(fault) = position.read_en_passant(rules, en_passant) {
            repairs.mend(fault, "the square is ignored")?;
        }
        position.hash = position.fresh_hash();
        Ok(position)
    }

    fn read_placement(&mut self, rules: &RuleSet, text: &str) -> Result<(), FenError> {
        let ranks: Vec<&str> = text.split('/').collect();
        if ranks.len() != 8 {
            return Err(FenError::Ranks(ranks.len()));
        }
        for (rank, text) in (0..8).rev().zip(ranks) {
            let mut file = 0;
            let mut rest = text.chars();
            while let Some(letter) = rest.next() {
                if let Some(empty @ 1..=8) = letter.to_digit(10) {
                    file += empty as usize;
                    continue;
                }
                let (color, piece) = match letter {
                    '{' => read_braces(&mut rest)?,
                    _ => read_letter(letter)?,
                };
                check_piece(rules, piece)?;
                if file >= 8 {
                    return Err(FenError::RankWidth(rank + 1));
                }
                let square = Square::at(file, rank);
                piece.components().for_each(|component| self.put(color, component, square));
                file += 1;
            }
            if file != 8 {
                return Err(FenError::RankWidth(rank + 1));
            }
        }
        Ok(())
    }

    fn check_placement(&self) -> Result<(), FenError> {
        for color in Color::ALL {
            let royals = self.color(color) & self.component(Component::King);
            match royals.len() {
                0 => return Err(FenError::NoRoyal(name(color))),
                1 => {}
                more => return Err(FenError::Royals(name(color), more)),
            }
            let pawns = self.color(color) & self.component(Component::Pawn);
            let ends = Bitboard::rank(0) | Bitboard::rank(7);
            if let Some(square) = (pawns & ends).first() {
                return Err(FenError::PawnRank(square));
            }
            if pawns.len() > 8 {
                return Err(FenError::Pawns(name(color), pawns.len()));
            }
        }
        let waiting = !self.side;
        if self.attackers(self.royal(waiting), self.side, self.occupied()).any() {
            return Err(FenError::OpponentInCheck(name(waiting)));
        }
        Ok(())
    }

    fn read_castling(
        &mut self,
        rules: &RuleSet,
        text: &str,
        repairs: &mut Repairs,
    ) -> Result<(), FenError> {
        if text == "-" {
            return Ok(());
        }
        let mut rights = repairs.castling(text)?;
        for color in Color::ALL.into_iter().filter(|color| !rules.of_side(*color).castling) {
            rights &= !CASTLES
                .iter()
                .filter(|castle| color_of(castle.letter) == color)
                .fold(0, |rights, castle| rights | castle.bit);
        }
        let claimed = rights;
        for castle in CASTLES.iter().filter(|castle| claimed & castle.bit != 0) {
            let color = color_of(castle.letter);
            let stands = |component, square| {
                self.piece_on(square) == Piece::of(component) && self.color(color).has(square)
            };
            let (king, rook) = (castle.king_from, castle.rook_from);
            if !stands(Component::King, king) || !stands(Component::Rook, rook) {
                let fault = FenError::CastlingPieces(castle.letter, king, rook);
                repairs.mend(fault, "the right is ignored")?;
                rights &= !castle.bit;
            }
        }
        self.castling = rights;
        Ok(())
    }

    fn read_en_passant(&mut self, rules: &RuleSet, text: &str) -> Result<(), FenError> {
        if text == "-" {
            return Ok(());
        }
        let square: Square = text.parse().map_err(|_| FenError::EnPassant(text.into()))?;
        // Ranks counted from the Pawn's side. A step from the sixth promotes and is not captured.
        let owner = !self.side;
        let rank = owner.rank(square.rank());
        let is_passed = (2..6).contains(&rank) && rules.pawn_double.ranks().contains(&(rank - 1));
        if !is_passed {
            return Err(FenError::EnPassantRank(square));
        }
        let (origin, passed) = (
            Square::at(square.file(), owner.rank(rank - 1)),
            Square::at(square.file(), owner.rank(rank + 1)),
        );
        let pawns = self.component(Component::Pawn) & self.color(!self.side);
        if !pawns.has(passed) || self.occupied().has(square) || self.occupied().has(origin) {
            return Err(FenError::EnPassantPawn(square));
        }
        self.set_en_passant(square);
        Ok(())
    }

    /// Formats the position as FEN. The en-passant square is given only if a capture is legal.
    #[must_use]
    pub fn to_fen(&self) -> String {
        self.to_string()
    }
}

/// Returns the colour of a letter of FEN.
fn color_of(letter: char) -> Color {
    if letter.is_ascii_uppercase() { Color::White } else { Color::Black }
}

fn read_letter(letter: char) -> Result<(Color, Piece), FenError> {
    let piece = Piece::from_letter(letter).ok_or(FenError::Letter(letter))?;
    Ok((color_of(letter), piece))
}

/// Parses a set of components up to the closing brace.
fn read_braces(rest: &mut std::str::Chars) -> Result<(Color, Piece), FenError> {
    let text = rest.as_str();
    let end = text.find('}');
    let malformed = || FenError::Braces(text[..end.map_or(text.len(), |end| end + 1)].into());
    let letters = &text[..end.ok_or_else(malformed)?];
    let mut piece = Piece::NONE;
    for letter in letters.chars() {
        let component = Component::ALL
            .into_iter()
            .find(|c| *c != Component::Pawn && c.fen_letter() == letter.to_ascii_lowercase())
            .filter(|component| !piece.has(*component))
            .ok_or_else(malformed)?;
        piece = piece.with(component);
    }
    let first = letters.chars().next().ok_or_else(malformed)?;
    let one_color = letters.chars().all(|letter| color_of(letter) == color_of(first));
    if !one_color || piece.len() < 2 {
        return Err(malformed());
    }
    *rest = text[letters.len() + 1..].chars();
    Ok((color_of(first), piece))
}

/// Rejects pieces that are impossible under the rules: Manns where there are none, a King fused
/// with a Mann, and too many components.
fn check_piece(rules: &RuleSet, piece: Piece) -> Result<(), FenError> {
    let most = rules.max_components.number();
    let mann = piece.has(Component::Mann);
    match () {
        () if mann && !rules.has_manns() => Err(FenError::Mann(piece.fen())),
        () if mann && piece.is_royal() => Err(FenError::KingMann(piece.fen())),
        () if piece.len() > most => Err(FenError::Components(piece.fen(), piece.len(), most)),
        () => Ok(()),
    }
}

/// The remarks about what was mended; `None` if every fault is an error.
struct Repairs(Option<Vec<String>>);

impl Repairs {
    /// Notes a harmless fault and its remedy.
    fn mend(&mut self, fault: FenError, remedy: &str) -> Result<(), FenError> {
        let remarks = self.0.as_mut().ok_or_else(|| fault.clone())?;
        remarks.push(format!("{fault}; {remedy}"));
        Ok(())
    }

    fn side(&mut self, text: &str) -> Result<Color, FenError> {
        let side = match text {
            "w" => return Ok(Color::White),
            "b" => return Ok(Color::Black),
            "W" | "white" | "White" => Color::White,
            "B" | "black" | "Black" => Color::Black,
            _ => return Err(FenError::Side(text.into())),
        };
        self.mend(FenError::Side(text.into()), &format!("it is read as {}", name(side)))?;
        Ok(side)
    }

    fn number(&mut self, text: &str, least: u16) -> Result<u16, FenError> {
        // `parse` by itself would accept a plus sign.
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(value) if digits && (least..=FEN_LIMIT).contains(&value) => Ok(value),
            _ => {
                let too_large = digits && text.trim_start_matches('0').len() > 1;
                let nearest = if too_large { FEN_LIMIT } else { least };
                let fault = FenError::Number(text.into(), least);
                self.mend(fault, &format!("{nearest} is used"))?;
                Ok(nearest)
            }
        }
    }

    /// Parses the rights of a castling field.
    fn castling(&mut self, text: &str) -> Result<u8, FenError> {
        let malformed = || FenError::Castling(text.into());
        let (mut rights, mut is_usual) = (0, true);
        for letter in text.chars() {
            let usual = CASTLES.iter().find(|castle| castle.letter == letter);
            is_usual &= usual.is_some_and(|castle| rights & castle.bit == 0);
            // X-FEN names the file of the Rook.
            let of_file = CASTLES.iter().find(|castle| {
                let file = char::from(b'a' + castle.rook_from.file() as u8);
                color_of(castle.letter) == color_of(letter) && letter.eq_ignore_ascii_case(&file)
            });
            match usual.or(of_file) {
                Some(castle) => rights |= castle.bit,
                None if "ABCDEFGHabcdefgh-".contains(letter) => {}
                None => return Err(malformed()),
            }
        }
        if !is_usual {
            let known = CASTLES.iter().filter(|castle| rights & castle.bit != 0);
            let read: String = known.map(|castle| castle.letter).collect();
            let read = if read.is_empty() { "-" } else { &read };
            self.mend(malformed(), &format!("it is read as {read}"))?;
        }
        Ok(rights)
    }
}

impl Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev() {
            let mut empty = 0;
            for square in (0..8).map(|file| Square::at(file, rank)) {
                let piece = self.piece_on(square);
                if piece.is_empty() {
                    empty += 1;
                    continue;
                }
                if empty > 0 {
                    write!(f, "{empty}")?;
                    empty = 0;
                }
                let white = self.color(Color::White).has(square);
                let text = piece.fen();
                f.write_str(&if white { text.to_ascii_uppercase() } else { text })?;
            }
            if empty > 0 {
                write!(f, "{empty}")?;
            }
            if rank > 0 {
                f.write_str("/")?;
            }
        }
        f.write_str(if self.side == Color::White { " w " } else { " b " })?;
        for castle in CASTLES.iter().filter(|castle| self.castling & castle.bit != 0) {
            write!(f, "{}", castle.letter)?;
        }
        if self.castling == 0 {
            f.write_str("-")?;
        }
        match self.en_passant() {
            Some(square) => write!(f, " {square}")?,
            None => f.write_str(" -")?,
        }
        write!(f, " {} {}", self.halfmove_clock, self.fullmove)
    }
}
