//! Attributes and the pieces that they form.

use std::fmt::Write;

/// A kind of attribute.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// `k`, royal: one King step.
    Royal,
    /// `r`, moves as a Rook.
    Rook,
    /// `b`, moves as a Bishop.
    Bishop,
    /// `n`, moves as a Knight.
    Knight,
    /// `p`, the omnidirectional Pawn: one or two squares straight, captures diagonally.
    Opawn,
    /// `c`, lets the others move one after the other.
    Combinator,
}

impl Kind {
    /// Number of kinds.
    pub const COUNT: usize = 6;

    /// All kinds in the order in which they are written.
    pub const ALL: [Self; Self::COUNT] =
        [Kind::Royal, Kind::Rook, Kind::Bishop, Kind::Knight, Kind::Opawn, Kind::Combinator];

    /// The kinds that move by themselves, in order.
    pub const MOVING: [Self; 5] =
        [Kind::Royal, Kind::Rook, Kind::Bishop, Kind::Knight, Kind::Opawn];

    /// Returns the small letter.
    #[must_use]
    pub const fn letter(self) -> char {
        ['k', 'r', 'b', 'n', 'p', 'c'][self as usize]
    }

    /// Returns the capital letter.
    #[must_use]
    pub const fn capital(self) -> char {
        self.letter().to_ascii_uppercase()
    }

    /// Returns the kind with this small letter.
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.letter() == letter)
    }

    /// Returns the kind with this place in [`Kind::ALL`].
    #[must_use]
    pub fn from_index(index: usize) -> Option<Self> {
        Self::ALL.get(index).copied()
    }
}

/// A multiset of at most 13 attributes of each kind: a piece, a reserve or a hand. It may be empty.
///
/// ```
/// use fusion_freechess::board::{Kind, Piece};
///
/// let piece = Piece::of(Kind::Knight).plus(Piece::of(Kind::Knight)).with(Kind::Rook);
/// assert_eq!(piece.to_string(), "rn2");
/// assert_eq!(piece.count(Kind::Knight), 2);
/// assert_eq!(Piece::parse("rn2"), Some(piece));
/// ```
// Four bits for each kind: sums and differences are those of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Piece(u32);

impl Piece {
    /// No attribute.
    pub const NONE: Self = Self(0);

    /// The most attributes of a kind.
    pub const MOST: u32 = 13;

    /// Returns the piece of one attribute.
    #[inline]
    #[must_use]
    pub const fn of(kind: Kind) -> Self {
        Self(1 << (4 * kind as u32))
    }

    /// Returns the multiset with this many attributes of each kind, in order, each at most 13.
    #[must_use]
    pub fn from_counts(counts: [u32; Kind::COUNT]) -> Self {
        let set = |set, (kind, count): (usize, u32)| set | count.min(Self::MOST) << (4 * kind);
        Self(counts.into_iter().enumerate().fold(0, set))
    }

    /// Returns the number of attributes of a kind.
    #[inline]
    #[must_use]
    pub const fn count(self, kind: Kind) -> u32 {
        self.0 >> (4 * kind as u32) & 15
    }

    /// Returns whether there is an attribute of a kind.
    #[inline]
    #[must_use]
    pub const fn has(self, kind: Kind) -> bool {
        self.count(kind) != 0
    }

    /// Returns whether there is a royal attribute.
    #[inline]
    #[must_use]
    pub const fn is_royal(self) -> bool {
        self.has(Kind::Royal)
    }

    /// Returns whether there is a combinator.
    #[inline]
    #[must_use]
    pub const fn combines(self) -> bool {
        self.has(Kind::Combinator)
    }

    /// Returns whether there is no attribute.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the number of attributes.
    #[inline]
    #[must_use]
    pub fn len(self) -> u32 {
        Kind::ALL.into_iter().map(|kind| self.count(kind)).sum()
    }

    /// Returns the multiset with an attribute added.
    #[inline]
    #[must_use]
    pub const fn with(self, kind: Kind) -> Self {
        Self(self.0 + Self::of(kind).0)
    }

    /// Returns the multiset with an attribute taken out, which it must have.
    #[inline]
    #[must_use]
    pub const fn without(self, kind: Kind) -> Self {
        debug_assert!(self.has(kind));
        Self(self.0.wrapping_sub(Self::of(kind).0))
    }

    /// Returns the sum of two multisets, with at most 13 of a kind.
    #[inline]
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    /// Returns the difference to a multiset that is a part of this one.
    #[inline]
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        debug_assert!(other.is_part_of(self));
        Self(self.0.wrapping_sub(other.0))
    }

    /// Returns the multiset with this many attributes of one kind.
    #[inline]
    #[must_use]
    pub const fn only(self, kind: Kind) -> Self {
        Self(self.0 & 15 << (4 * kind as u32))
    }

    /// Returns the multiset without all attributes of a kind.
    #[inline]
    #[must_use]
    pub const fn without_all(self, kind: Kind) -> Self {
        Self(self.0 & !(15 << (4 * kind as u32)))
    }

    /// Returns the smaller number of each kind.
    #[inline]
    #[must_use]
    pub fn common(self, other: Self) -> Self {
        let least = |kind| self.count(kind).min(other.count(kind)) << (4 * kind as u32);
        Self(Kind::ALL.into_iter().map(least).sum())
    }

    /// Returns whether no kind has more attributes than the other has.
    #[inline]
    #[must_use]
    pub fn is_part_of(self, other: Self) -> bool {
        Kind::ALL.into_iter().all(|kind| self.count(kind) <= other.count(kind))
    }

    /// Returns the kinds that occur, in order.
    #[inline]
    pub fn kinds(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(move |&kind| self.has(kind))
    }

    /// Returns the only kind; `None` if there are several or none.
    #[must_use]
    pub fn single(self) -> Option<Kind> {
        let mut kinds = self.kinds();
        kinds.next().filter(|_| self.len() == 1)
    }

    /// Returns the bits: four for each kind.
    #[inline]
    pub(crate) const fn bits(self) -> u32 {
        self.0
    }

    /// Parses small letters in order, each with its number if that is above one; the empty text is
    /// no attribute.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut counts = [0; Kind::COUNT];
        let mut rest = text;
        let mut least = 0;
        while let Some(letter) = rest.chars().next() {
            let kind = Kind::from_letter(letter)? as usize;
            if kind < least {
                return None;
            }
            least = kind + 1;
            rest = &rest[1..];
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let number = &rest[..digits];
            rest = &rest[digits..];
            let known = (2..=Self::MOST).find(|count| count.to_string() == number);
            counts[kind] = if number.is_empty() { 1 } else { known? };
        }
        Some(Self::from_counts(counts))
    }

    /// Returns the text in capitals.
    #[must_use]
    pub fn capitals(self) -> String {
        self.to_string().to_uppercase()
    }
}

/// Writes small letters in order, each with its number if that is above one.
impl std::fmt::Display for Piece {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for kind in self.kinds() {
            f.write_char(kind.letter())?;
            if self.count(kind) > 1 {
                write!(f, "{}", self.count(kind))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_piece() -> impl Strategy<Value = Piece> {
        [0..=1u32, 0..=13, 0..=13, 0..=13, 0..=13, 0..=13].prop_map(Piece::from_counts)
    }

    proptest! {
        #[test]
        fn texts_come_back(piece in any_piece()) {
            prop_assert_eq!(Piece::parse(&piece.to_string()), Some(piece));
        }

        #[test]
        fn common_attributes_are_part_of_both(one in any_piece(), two in any_piece()) {
            let common = one.common(two);
            prop_assert!(common.is_part_of(one) && common.is_part_of(two));
            for kind in Kind::ALL {
                prop_assert_eq!(common.count(kind), one.count(kind).min(two.count(kind)));
                prop_assert_eq!(one.minus(common).count(kind), one.count(kind) - common.count(kind));
            }
        }
    }

    #[test]
    fn texts_have_one_form() {
        for text in ["rk", "r1", "r0", "r02", "r14", "rr", "x", "2r", "K", "é"] {
            assert_eq!(Piece::parse(text), None, "{text}");
        }
        assert_eq!(Piece::parse(""), Some(Piece::NONE));
    }
}
