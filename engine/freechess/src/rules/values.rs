//! The values of toggles.

use crate::board::{Kind, Piece};

/// A value of a toggle, as written in rule expressions.
pub(super) trait Value: Copy + PartialEq + Sized + 'static {
    /// The allowed values, for messages.
    const ALLOWED: &'static str;

    /// Values to try where one toggle is changed: all of them, or typical ones.
    const TYPICAL: &'static [Self];

    /// Parses a value.
    fn read(text: &str) -> Option<Self>;

    /// Formats the value.
    fn text(self) -> String;
}

/// Returns the typical values other than this one, as texts.
pub(super) fn typical<T: Value>(value: T) -> Vec<String> {
    T::TYPICAL.iter().filter(|&&other| other != value).map(|other| other.text()).collect()
}

impl Value for bool {
    const ALLOWED: &'static str = "yes or no";
    const TYPICAL: &'static [Self] = &[true, false];

    fn read(text: &str) -> Option<Self> {
        match text {
            "yes" => Some(true),
            "no" => Some(false),
            _ => None,
        }
    }

    fn text(self) -> String {
        if self { "yes" } else { "no" }.into()
    }
}

/// Squares on a side of the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BoardSize {
    /// 7x7.
    Seven,
    /// 9x9.
    Nine,
    /// 11x11.
    Eleven,
    /// 13x13.
    Thirteen,
}

impl BoardSize {
    /// Returns the number of squares.
    #[inline]
    #[must_use]
    pub const fn squares(self) -> usize {
        7 + 2 * self as usize
    }
}

impl Value for BoardSize {
    const ALLOWED: &'static str = "7, 9, 11 or 13";
    const TYPICAL: &'static [Self] = &[Self::Seven, Self::Nine, Self::Eleven, Self::Thirteen];

    fn read(text: &str) -> Option<Self> {
        Self::TYPICAL.iter().copied().find(|size| size.text() == text)
    }

    fn text(self) -> String {
        self.squares().to_string()
    }
}

/// Attributes of a player at the start, beside one royal; each number is at most 13.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reserve {
    /// Opawns.
    pub opawns: u8,
    /// Knights.
    pub knights: u8,
    /// Bishops.
    pub bishops: u8,
    /// Rooks.
    pub rooks: u8,
    /// Combinators.
    pub combinators: u8,
}

impl Reserve {
    const fn new([opawns, knights, bishops, rooks, combinators]: [u8; 5]) -> Self {
        Self { opawns, knights, bishops, rooks, combinators }
    }

    const fn numbers(self) -> [u8; 5] {
        [self.opawns, self.knights, self.bishops, self.rooks, self.combinators]
    }

    /// Returns the attributes, without the royal.
    #[must_use]
    pub fn attributes(self) -> Piece {
        let [p, n, b, r, c] = self.numbers().map(u32::from);
        let piece = Piece::from_counts([0, r, b, n, p, c]);
        debug_assert_eq!(piece.count(Kind::Opawn), p);
        piece
    }
}

impl Value for Reserve {
    const ALLOWED: &'static str =
        "five numbers from 0 to 13: Opawns/Knights/Bishops/Rooks/combinators";
    const TYPICAL: &'static [Self] =
        &[Self::new([13, 8, 5, 3, 2]), Self::new([8, 5, 3, 2, 1]), Self::new([5, 3, 2, 1, 1])];

    fn read(text: &str) -> Option<Self> {
        let number = |text: &str| (0..=13u8).find(|number| number.to_string() == text);
        let numbers: Vec<u8> = text.split('/').map(number).collect::<Option<_>>()?;
        Some(Self::new(numbers.try_into().ok()?))
    }

    fn text(self) -> String {
        self.numbers().map(|number| number.to_string()).join("/")
    }
}

/// Which placements the opponent may not cancel in his next turn (rule 7).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shield {
    /// All.
    Any,
    /// Those that add to a piece.
    Added,
    /// None.
    Nothing,
}

impl Value for Shield {
    const ALLOWED: &'static str = "any, added or none";
    const TYPICAL: &'static [Self] = &[Self::Any, Self::Added, Self::Nothing];

    fn read(text: &str) -> Option<Self> {
        Self::TYPICAL.iter().copied().find(|shield| shield.text() == text)
    }

    fn text(self) -> String {
        match self {
            Self::Any => "any",
            Self::Added => "added",
            Self::Nothing => "none",
        }
        .into()
    }
}
