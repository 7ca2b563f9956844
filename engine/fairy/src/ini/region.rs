//! Sets of squares as the format writes them, and sets of kinds of pieces.

use super::pieces::Type;
use crate::definition::Squares;

/// The most files and the most ranks of a board.
pub(super) const MOST: u8 = 16;

/// Squares of a board of the largest size: bit f of row r is file f on rank r. A section may inherit
/// squares that its board does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region([u16; MOST as usize]);

impl Region {
    pub(super) const NONE: Self = Self([0; MOST as usize]);
    pub(super) const ALL: Self = Self([u16::MAX; MOST as usize]);

    /// Returns a rank, from 0.
    pub(super) const fn rank(rank: u8) -> Self {
        let mut rows = [0; MOST as usize];
        rows[rank as usize] = u16::MAX;
        Self(rows)
    }

    /// Returns the ranks of an interval, from 0; none if its end is before its start.
    pub(super) fn ranks(from: u8, to: u8) -> Self {
        let row = |rank: usize| {
            if (usize::from(from)..=usize::from(to)).contains(&rank) { u16::MAX } else { 0 }
        };
        Self(std::array::from_fn(row))
    }

    pub(super) fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Returns those of the squares that a board has.
    pub(super) fn on(self, files: u8, ranks: u8) -> Squares {
        let mut squares = 0;
        for (square, (file, rank)) in board(files, ranks).enumerate() {
            squares |= Squares::from(self.0[usize::from(rank)] >> file & 1) << square;
        }
        squares
    }

    /// Returns these squares of a board.
    pub(super) fn of(squares: Squares, files: u8, ranks: u8) -> Self {
        let mut region = Self::NONE;
        for (square, (file, rank)) in board(files, ranks).enumerate() {
            region.0[usize::from(rank)] |= ((squares >> square & 1) as u16) << file;
        }
        region
    }

    /// Reads squares of a board: `e4`, `*4` for a rank, `e*` for a file, `-` for none.
    ///
    /// # Errors
    /// Returns what is wrong with the first wrong square.
    pub(super) fn read(text: &str, files: u8, ranks: u8) -> Result<Self, String> {
        let mut region = Self::NONE;
        for word in text.split_whitespace() {
            if word == "-" {
                break;
            }
            let (file, rank) = square(word).ok_or_else(|| {
                format!("'{word}' is no square: write squares like e4, ranks like *4, files like e*, or -")
            })?;
            if file.is_some_and(|file| file >= files) || rank.is_some_and(|rank| rank >= ranks) {
                return Err(format!(
                    "{word} is not on the board of {files} files and {ranks} ranks"
                ));
            }
            for (at, row) in region.0.iter_mut().enumerate() {
                if rank.is_none_or(|rank| usize::from(rank) == at) {
                    *row |= file.map_or(u16::MAX, |file| 1 << file);
                }
            }
        }
        Ok(region)
    }

    /// Returns those of the squares that a board has, as text: full ranks, then single squares.
    pub(super) fn text(self, files: u8, ranks: u8) -> String {
        let full = u16::MAX >> (MOST - files.clamp(1, MOST));
        let mut words = Vec::new();
        let rows = || self.0.iter().take(ranks.into()).enumerate();
        words.extend(
            rows()
                .filter(|(_, row)| **row & full == full)
                .map(|(rank, _)| format!("*{}", rank + 1)),
        );
        for (rank, row) in rows().filter(|(_, row)| **row & full != full) {
            let held = (0..files).filter(|file| row >> file & 1 == 1);
            words.extend(held.map(|file| format!("{}{}", file_letter(file), rank + 1)));
        }
        if words.is_empty() { "-".into() } else { words.join(" ") }
    }
}

/// Returns file and rank of each square of a board, in the order of squares.
fn board(files: u8, ranks: u8) -> impl Iterator<Item = (u8, u8)> {
    let ranks = 0..ranks.min(MOST);
    ranks.flat_map(move |rank| (0..files.min(MOST)).map(move |file| (file, rank))).take(128)
}

/// Returns the letter of a file.
pub(super) fn file_letter(file: u8) -> char {
    char::from(b'a' + file.min(25))
}

/// Returns file and rank of a word; `None` for all of them.
fn square(word: &str) -> Option<(Option<u8>, Option<u8>)> {
    let mut letters = word.chars();
    let file = match letters.next()? {
        '*' => None,
        letter if letter.is_ascii_alphabetic() => Some(letter.to_ascii_lowercase() as u8 - b'a'),
        _ => return None,
    };
    let rank = match letters.as_str() {
        "*" if file.is_some() => None,
        rest => Some(rank(rest)?),
    };
    Some((file, rank))
}

/// Reads a rank, from 1, and returns it from 0.
pub(super) fn rank(text: &str) -> Option<u8> {
    let digits = !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_digit());
    let number: u8 = text.parse().ok().filter(|_| digits)?;
    number.checked_sub(1)
}

/// A set of kinds: bit i is kind i.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Types(u64);

impl Types {
    pub(super) const NONE: Self = Self(0);

    /// Every kind, and the mark of `*`.
    pub(super) const ALL: Self = Self(u64::MAX);

    /// The mark of `*`, without a kind.
    pub(super) const STAR: Self = Self(1 << 63);

    pub(super) const fn one(kind: Type) -> Self {
        Self(1 << kind)
    }

    pub(super) fn has(self, kind: Type) -> bool {
        self.0 >> kind & 1 == 1
    }

    pub(super) fn star(self) -> bool {
        self.0 & Self::STAR.0 != 0
    }

    pub(super) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    pub(super) fn remove(&mut self, kind: Type) {
        self.0 &= !Self::one(kind).0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn squares_come_back(squares: u128, files in 1u8..=16, ranks in 1u8..=16) {
            let ranks = ranks.min(128 / files);
            let mask = u128::MAX >> (128 - u32::from(files) * u32::from(ranks));
            let region = Region::of(squares & mask, files, ranks);
            prop_assert_eq!(region.on(files, ranks), squares & mask);
            let text = region.text(files, ranks);
            let read = Region::read(&text, files, ranks).unwrap();
            prop_assert_eq!(read.on(files, ranks), squares & mask, "{}", text);
        }

        #[test]
        fn any_text_is_read_or_rejected(text: String, files in 1u8..=16, ranks in 1u8..=16) {
            let _ = Region::read(&text, files, ranks);
        }
    }

    #[test]
    fn wrong_squares_are_named() {
        let error = |text| Region::read(text, 8, 8).unwrap_err();
        assert_eq!(error("e4 i1"), "i1 is not on the board of 8 files and 8 ranks");
        assert_eq!(error("*9"), "*9 is not on the board of 8 files and 8 ranks");
        assert!(error("e4, d5").starts_with("'e4,' is no square: "));
        for text in ["**", "4e", "e0", "e+1", "e", "*"] {
            assert!(error(text).starts_with(&format!("'{text}' is no square")), "{}", error(text));
        }
    }
}
