//! The values of toggles.

use crate::board::{Kind, Piece};
use fusion_game::{ToggleValue, toggle_choice};

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

toggle_choice!(
    BoardSize,
    "7, 9, 11 or 13",
    "7" = Self::Seven,
    "9" = Self::Nine,
    "11" = Self::Eleven,
    "13" = Self::Thirteen
);

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

impl ToggleValue for Reserve {
    fn allowed() -> String {
        "five numbers from 0 to 13: Opawns/Knights/Bishops/Rooks/combinators".into()
    }

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

toggle_choice!(
    Shield,
    "any, added or none",
    "any" = Self::Any,
    "added" = Self::Added,
    "none" = Self::Nothing
);
