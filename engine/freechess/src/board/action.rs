//! Actions: the steps in which programs play a turn (rules 27 and 28).

use super::{Kind, SQUARES, Square};

/// A step of a turn. What it means depends on the position.
///
/// ```
/// use fusion_freechess::board::{Action, Kind, Square};
///
/// let square = |text| Square::parse(text, 9).unwrap();
/// let action = Action::Part { from: square("e4"), to: square("f6"), goes_on: Some(Kind::Knight) };
/// assert_eq!(action.text(9), "e4f6n");
/// assert_eq!(Action::parse("e4f6n", 9), Some(action));
/// assert_eq!(Action::from_code(action.code()), Some(action));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// Places an attribute of the reserve on a square and ends the turn: `N@e4`.
    Place {
        /// The attribute.
        kind: Kind,
        /// The square.
        to: Square,
    },
    /// One part of a move: `e4f6`, or `e4f6n` if the turn can go on.
    Part {
        /// Where the piece stands.
        from: Square,
        /// Where it lands.
        to: Square,
        /// The kind that is used, if the turn can go on; `None` if the turn is over.
        goes_on: Option<Kind>,
    },
    /// Ends the turn: `end`.
    End,
    /// Lifts an attribute of a piece into the hand: `e4^n`.
    Lift {
        /// The piece's square.
        from: Square,
        /// The attribute.
        kind: Kind,
    },
    /// Sets the hand down on a square: `e4>g7`.
    SetDown {
        /// The square that the attributes come from.
        from: Square,
        /// The square.
        to: Square,
    },
    /// Returns the hand to the reserve: `e4>-`.
    Return {
        /// The square that the attributes come from.
        from: Square,
    },
}

// What a code is for, in its lowest byte.
const PLACE: u32 = 0;
const PART: u32 = 1;
const END: u32 = 2;
const LIFT: u32 = 3;
const SET_DOWN: u32 = 4;
const RETURN: u32 = 5;
/// Byte of a code for no kind.
const NO_KIND: u32 = 255;

impl Action {
    /// Returns a code that is the same in all versions: the form, two bytes for squares, one for the
    /// kind.
    #[must_use]
    pub fn code(self) -> u32 {
        let pack = |form: u32, from: Option<Square>, to: Option<Square>, kind: Option<Kind>| {
            let square = |square: Option<Square>| square.map_or(0, |square| square.index() as u32);
            form | square(from) << 8
                | square(to) << 16
                | kind.map_or(NO_KIND, |kind| kind as u32) << 24
        };
        match self {
            Self::Place { kind, to } => pack(PLACE, None, Some(to), Some(kind)),
            Self::Part { from, to, goes_on } => pack(PART, Some(from), Some(to), goes_on),
            Self::End => pack(END, None, None, None),
            Self::Lift { from, kind } => pack(LIFT, Some(from), None, Some(kind)),
            Self::SetDown { from, to } => pack(SET_DOWN, Some(from), Some(to), None),
            Self::Return { from } => pack(RETURN, Some(from), None, None),
        }
    }

    /// Returns the action with this code.
    #[must_use]
    pub fn from_code(code: u32) -> Option<Self> {
        let [form, from, to, kind] = code.to_le_bytes();
        let square =
            |index: u8| Square::from_index(index.into()).filter(|_| usize::from(index) < SQUARES);
        let some_kind = Kind::from_index(kind.into());
        let action = match u32::from(form) {
            PLACE => Self::Place { kind: some_kind?, to: square(to)? },
            PART => Self::Part { from: square(from)?, to: square(to)?, goes_on: some_kind },
            END => Self::End,
            LIFT => Self::Lift { from: square(from)?, kind: some_kind? },
            SET_DOWN => Self::SetDown { from: square(from)?, to: square(to)? },
            RETURN => Self::Return { from: square(from)? },
            _ => return None,
        };
        // Only the canonical code.
        (action.code() == code).then_some(action)
    }

    /// Returns the text in engine notation, on a board of this many squares a side.
    #[must_use]
    pub fn text(self, size: usize) -> String {
        let name = |square: Square| square.name(size);
        match self {
            Self::Place { kind, to } => format!("{}@{}", kind.capital(), name(to)),
            Self::Part { from, to, goes_on } => {
                let kind = goes_on.map(|kind| kind.letter().to_string()).unwrap_or_default();
                format!("{}{}{kind}", name(from), name(to))
            }
            Self::End => "end".into(),
            Self::Lift { from, kind } => format!("{}^{}", name(from), kind.letter()),
            Self::SetDown { from, to } => format!("{}>{}", name(from), name(to)),
            Self::Return { from } => format!("{}>-", name(from)),
        }
    }

    /// Parses the text in engine notation, on a board of this many squares a side.
    #[must_use]
    pub fn parse(text: &str, size: usize) -> Option<Self> {
        if text == "end" {
            return Some(Self::End);
        }
        let (from, rest) = match text.chars().next()? {
            'A'..='Z' => {
                let (kind, to) = text.split_once('@')?;
                let kind =
                    Kind::ALL.into_iter().find(|known| kind == known.capital().to_string())?;
                return Some(Self::Place { kind, to: Square::parse(to, size)? });
            }
            _ => leading_square(text, size)?,
        };
        let kind_of =
            |text: &str| Kind::ALL.into_iter().find(|kind| text == kind.letter().to_string());
        match rest.chars().next()? {
            '^' => Some(Self::Lift { from, kind: kind_of(&rest[1..])? }),
            '>' if rest == ">-" => Some(Self::Return { from }),
            '>' => Some(Self::SetDown { from, to: Square::parse(&rest[1..], size)? }),
            _ => {
                let (to, kind) = leading_square(rest, size)?;
                let goes_on = if kind.is_empty() { None } else { Some(kind_of(kind)?) };
                Some(Self::Part { from, to, goes_on })
            }
        }
    }
}

/// Parses the square that a text begins with, and returns the rest. A rank is as long as can be.
fn leading_square(text: &str, size: usize) -> Option<(Square, &str)> {
    let digits = text.bytes().skip(1).take_while(u8::is_ascii_digit).count();
    let name = text.get(..=digits)?;
    Some((Square::parse(name, size)?, &text[name.len()..]))
}

#[cfg(test)]
mod tests {
    use super::super::SIDE;
    use super::*;
    use proptest::prelude::*;

    fn any_action() -> impl Strategy<Value = Action> {
        let square = || (0..SIDE, 0..SIDE).prop_map(|(file, rank)| Square::at(file, rank));
        let kind = || prop::sample::select(Kind::ALL.to_vec());
        prop_oneof![
            (kind(), square()).prop_map(|(kind, to)| Action::Place { kind, to }),
            (square(), square(), prop::option::of(kind()))
                .prop_map(|(from, to, goes_on)| Action::Part { from, to, goes_on }),
            Just(Action::End),
            (square(), kind()).prop_map(|(from, kind)| Action::Lift { from, kind }),
            (square(), square()).prop_map(|(from, to)| Action::SetDown { from, to }),
            square().prop_map(|from| Action::Return { from }),
        ]
    }

    proptest! {
        #[test]
        fn texts_and_codes_come_back(action in any_action()) {
            prop_assert_eq!(Action::parse(&action.text(SIDE), SIDE), Some(action));
            prop_assert_eq!(Action::from_code(action.code()), Some(action));
        }

        #[test]
        fn no_text_panics(text in ".{0,8}", size in prop::sample::select(vec![7usize, 9, 11, 13])) {
            if let Some(action) = Action::parse(&text, size) {
                prop_assert_eq!(action.text(size), text);
            }
        }

        #[test]
        fn codes_have_one_form(code: u32) {
            prop_assert!(Action::from_code(code).is_none_or(|action| action.code() == code));
        }
    }

    #[test]
    fn texts_are_those_of_the_rules() {
        for text in ["N@e4", "e4f6", "e4f6n", "end", "e4^n", "e4>g7", "e4>-", "m13m12c", "K@a10"] {
            assert_eq!(Action::parse(text, 13).unwrap().text(13), text);
        }
        for text in [
            "", "n@e4", "N@", "N@n1", "e4", "e4e", "e4f6x", "e4f6N", "e4^", "e4>", "e4>-x", "End",
            "é",
        ] {
            assert_eq!(Action::parse(text, 13), None, "{text}");
        }
    }
}
