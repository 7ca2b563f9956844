//! The values of toggles.

use fusion_game::{ToggleValue, toggle_choice, toggle_number};

/// Who is friendly to a leader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Friendly {
    /// All units of its colour.
    Colour,
    /// The units of its own AMP.
    Amp,
}

toggle_choice!(Friendly, "colour or amp", "colour" = Self::Colour, "amp" = Self::Amp);

/// How a Prince activates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PrinceMode {
    /// Ortho or dia, chosen anew in each turn.
    Choose,
    /// As both at once.
    Both,
}

toggle_choice!(PrinceMode, "choose or both", "choose" = Self::Choose, "both" = Self::Both);

/// The Kings that a side has to lose.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kings {
    /// The last one.
    All,
    /// The first one: a side has lost if it has fewer than the setup gave it.
    Any,
}

toggle_choice!(Kings, "all or any", "all" = Self::All, "any" = Self::Any);

/// What a capture does to the turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AfterCapture {
    /// The turn goes on.
    Continue,
    /// The turn ends.
    End,
}

toggle_choice!(AfterCapture, "continue or end", "continue" = Self::Continue, "end" = Self::End);

/// The board and the initial array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Setup {
    /// Four separate AMPs a side on 16 files and 12 ranks.
    Blocks,
    /// Two full ranks a side on the same board.
    Lines,
    /// Three AMPs of four units a side on 8 files and 8 ranks.
    Small,
}

toggle_choice!(
    Setup,
    "blocks, lines or small",
    "blocks" = Self::Blocks,
    "lines" = Self::Lines,
    "small" = Self::Small
);

/// A number within bounds, both included.
///
/// ```
/// use fusion_chesimal::rules::Number;
///
/// assert_eq!(Number::<1, 32>::new(9).map(Number::get), Some(9));
/// assert_eq!(Number::<1, 32>::new(33), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Number<const LEAST: u16, const MOST: u16>(u16);

impl<const LEAST: u16, const MOST: u16> Number<LEAST, MOST> {
    /// Returns the number, or `None` if it is out of bounds.
    #[must_use]
    pub const fn new(number: u16) -> Option<Self> {
        if number >= LEAST && number <= MOST { Some(Self(number)) } else { None }
    }

    /// Returns a number that the caller has checked.
    pub(super) const fn known(number: u16) -> Self {
        assert!(number >= LEAST && number <= MOST);
        Self(number)
    }

    /// Returns the number.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u16 {
        self.0
    }
}

impl<const LEAST: u16, const MOST: u16> ToggleValue for Number<LEAST, MOST> {
    fn allowed() -> String {
        format!("{LEAST} to {MOST}")
    }

    fn read(text: &str) -> Option<Self> {
        toggle_number(text, LEAST..=MOST).and_then(Self::new)
    }

    fn text(self) -> String {
        self.0.to_string()
    }
}

/// A limit on the activations in White's first turn, from 1 to 32; `None` is the word `full`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FirstTurn(pub Option<Number<1, 32>>);

/// Turns without a capture that draw the game, from 1 to 1,000; `None` is the word `none`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct QuietLimit(pub Option<Number<1, 1000>>);

/// Defines how an optional number is written.
macro_rules! optional {
    ($type:ident, $none:literal, $number:ty) => {
        impl ToggleValue for $type {
            fn allowed() -> String {
                format!("{} or {}", $none, <$number>::allowed())
            }

            fn read(text: &str) -> Option<Self> {
                if text == $none {
                    return Some(Self(None));
                }
                <$number>::read(text).map(|number| Self(Some(number)))
            }

            fn text(self) -> String {
                self.0.map_or($none.into(), ToggleValue::text)
            }
        }
    };
}

optional!(FirstTurn, "full", Number<1, 32>);
optional!(QuietLimit, "none", Number<1, 1000>);
