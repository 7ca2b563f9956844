//! The values of toggles.

/// A value of a toggle, as written in rule expressions.
pub(super) trait Value: Copy + PartialEq {
    /// Returns the allowed values, for messages.
    fn allowed() -> String;

    /// Parses the value.
    fn read(text: &str) -> Option<Self>;

    /// Formats the value.
    fn text(self) -> String;
}

/// Defines a choice of a few names.
macro_rules! choice {
    ($type:ident, $($name:literal = $value:expr),+) => {
        impl Value for $type {
            fn allowed() -> String {
                [$($name),+].join(" or ")
            }

            fn read(text: &str) -> Option<Self> {
                match text {
                    $($name => Some($value),)+
                    _ => None,
                }
            }

            fn text(self) -> String {
                let names = [$(($name, $value)),+];
                names.into_iter().find(|(_, value)| *value == self).map_or("", |known| known.0).into()
            }
        }
    };
}

choice!(bool, "yes" = true, "no" = false);

/// Who is friendly to a leader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Friendly {
    /// All units of its colour.
    Colour,
    /// The units of its own AMP.
    Amp,
}

choice!(Friendly, "colour" = Friendly::Colour, "amp" = Friendly::Amp);

/// How a Prince activates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PrinceMode {
    /// Ortho or dia, chosen anew in each turn.
    Choose,
    /// As both at once.
    Both,
}

choice!(PrinceMode, "choose" = PrinceMode::Choose, "both" = PrinceMode::Both);

/// The Kings that a side has to lose.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kings {
    /// The last one.
    All,
    /// The first one: a side has lost if it has fewer than the setup gave it.
    Any,
}

choice!(Kings, "all" = Kings::All, "any" = Kings::Any);

/// What a capture does to the turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AfterCapture {
    /// The turn goes on.
    Continue,
    /// The turn ends.
    End,
}

choice!(AfterCapture, "continue" = AfterCapture::Continue, "end" = AfterCapture::End);

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

choice!(Setup, "blocks" = Setup::Blocks, "lines" = Setup::Lines, "small" = Setup::Small);

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

impl<const LEAST: u16, const MOST: u16> Value for Number<LEAST, MOST> {
    fn allowed() -> String {
        format!("{LEAST} to {MOST}")
    }

    /// Rejects signs and leading zeros, so that a number has one text.
    fn read(text: &str) -> Option<Self> {
        let number = Self::new(text.parse().ok()?)?;
        (number.text() == text).then_some(number)
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
        impl Value for $type {
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
                self.0.map_or($none.into(), Value::text)
            }
        }
    };
}

optional!(FirstTurn, "full", Number<1, 32>);
optional!(QuietLimit, "none", Number<1, 1000>);
