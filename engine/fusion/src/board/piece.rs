//! Colours, components and the pieces they make up.

use super::bitboard::Square;
use fusion_game::Side;
use std::fmt::{self, Debug, Display};

/// A player's colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Color {
    /// Moves first.
    White,
    /// Moves second.
    Black,
}

impl Color {
    /// White, then Black.
    pub const ALL: [Color; 2] = [Color::White, Color::Black];

    /// Returns 0 for White, 1 for Black.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the rank counted from this player's side, 0 nearest.
    #[must_use]
    pub const fn rank(self, rank: usize) -> usize {
        match self {
            Color::White => rank,
            Color::Black => 7 - rank,
        }
    }
}

impl std::ops::Not for Color {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }
}

impl From<Color> for Side {
    fn from(color: Color) -> Self {
        match color {
            Color::White => Side::First,
            Color::Black => Side::Second,
        }
    }
}

/// A component of a piece. The discriminant indexes component bitboards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Component {
    /// One step; makes its piece royal.
    King,
    /// Slides along ranks and files.
    Rook,
    /// Slides along diagonals.
    Bishop,
    /// Leaps.
    Knight,
    /// Never part of a compound.
    Pawn,
    /// One step like the King, but not royal.
    Mann,
}

impl Component {
    /// Number of kinds of component.
    pub const COUNT: usize = 6;

    /// All components, in the order in which a piece's components are written.
    pub const ALL: [Component; Self::COUNT] = [
        Component::King,
        Component::Rook,
        Component::Bishop,
        Component::Knight,
        Component::Pawn,
        Component::Mann,
    ];

    /// Returns the index of the component's bitboard.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the piece that an attacked simple piece of this component may become.
    #[must_use]
    pub(super) const fn metamorphosis(self) -> Option<Piece> {
        match self {
            Component::Knight => Some(Piece::QUEEN),
            Component::Rook => Some(Piece::MARSHALL),
            Component::Bishop => Some(Piece::PALADIN),
            _ => None,
        }
    }

    /// Returns the capital letter of notation.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Component::King => 'K',
            Component::Rook => 'R',
            Component::Bishop => 'B',
            Component::Knight => 'N',
            Component::Pawn => 'P',
            Component::Mann => 'M',
        }
    }

    /// Returns the lower-case letter of FEN and of coordinate notation, where `m` is the Marshall.
    #[must_use]
    pub const fn fen_letter(self) -> char {
        match self {
            Component::Mann => 'o',
            _ => self.letter().to_ascii_lowercase(),
        }
    }
}

/// A set of components: the piece on a square, or none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Piece(u8);

impl Piece {
    /// An empty square.
    pub const NONE: Self = Self(0);
    /// The Rook-Bishop compound.
    pub const QUEEN: Self = Self(1 << Component::Rook as u8 | 1 << Component::Bishop as u8);
    /// The Rook-Knight compound.
    pub const MARSHALL: Self = Self(1 << Component::Rook as u8 | 1 << Component::Knight as u8);
    /// The Bishop-Knight compound.
    pub const PALADIN: Self = Self(1 << Component::Bishop as u8 | 1 << Component::Knight as u8);

    /// All components that fuse in Fusion Chess, in one piece.
    pub const ROOK_BISHOP_KNIGHT: Self = Self::QUEEN.with(Component::Knight);

    /// The lower-case FEN letters of all pieces that have one.
    pub const LETTERS: [(Piece, char); 12] = [
        (Piece::QUEEN, 'q'),
        (Piece::MARSHALL, 'm'),
        (Piece::PALADIN, 'd'),
        (Piece::of(Component::Rook), 'r'),
        (Piece::of(Component::Bishop), 'b'),
        (Piece::of(Component::Knight), 'n'),
        (Piece::of(Component::Pawn), 'p'),
        (Piece::of(Component::King), 'k'),
        (Piece::of(Component::King).with(Component::Rook), 'g'),
        (Piece::of(Component::King).with(Component::Bishop), 'f'),
        (Piece::of(Component::King).with(Component::Knight), 'c'),
        (Piece::of(Component::Mann), 'o'),
    ];

    /// Returns the simple piece of one component.
    #[inline]
    #[must_use]
    pub const fn of(component: Component) -> Self {
        Self(1 << component as u8)
    }

    /// Returns the piece with one more component.
    #[inline]
    #[must_use]
    pub const fn with(self, component: Component) -> Self {
        Self(self.0 | 1 << component as u8)
    }

    /// Returns the piece without a component.
    #[inline]
    #[must_use]
    pub const fn without(self, component: Component) -> Self {
        Self(self.0 & !(1 << component as u8))
    }

    /// Number of sets of components.
    pub const SETS: usize = 1 << Component::COUNT;

    /// Returns the piece as a number below [`Piece::SETS`]: one bit for each component.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        // The mask tells the compiler that table look-ups need no bounds check.
        self.0 as usize & (Self::SETS - 1)
    }

    /// Returns the piece itself if the number is 1, or no piece if it is 0.
    #[inline]
    pub(super) const fn only_if(self, condition: u64) -> Self {
        Self(self.0 & (condition as u8).wrapping_neg())
    }

    /// Returns the piece with a component added if it is absent, or removed if it is present.
    #[inline]
    pub(super) const fn toggled(self, component: Component) -> Self {
        Self(self.0 ^ 1 << component as u8)
    }

    /// Returns the two pieces merged.
    #[inline]
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether the component is part of the piece.
    #[inline]
    #[must_use]
    pub const fn has(self, component: Component) -> bool {
        self.0 >> component as u8 & 1 != 0
    }

    /// Returns the components that are part of both pieces.
    #[inline]
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns the number of components.
    #[inline]
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns whether there is no component: an empty square.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether losing the piece loses the game: it contains a King.
    #[inline]
    #[must_use]
    pub const fn is_royal(self) -> bool {
        self.has(Component::King)
    }

    /// Returns whether it is a piece of orthodox chess: a Queen, or a simple piece except the Mann.
    #[must_use]
    pub fn is_orthodox(self) -> bool {
        self == Self::QUEEN || (self.len() == 1 && !self.has(Component::Mann))
    }

    /// Returns the component by which the piece gets from one square to another. It is the King if
    /// the piece is royal. Otherwise it is the Rook, Bishop or Knight, which never share a move.
    #[inline]
    #[must_use]
    pub fn capturer(self, from: Square, to: Square) -> Component {
        let (files, ranks) = (from.file().abs_diff(to.file()), from.rank().abs_diff(to.rank()));
        match () {
            () if self.is_royal() => Component::King,
            () if files == 0 || ranks == 0 => Component::Rook,
            () if files == ranks => Component::Bishop,
            () => Component::Knight,
        }
    }

    /// Iterates over its components in the order of notation.
    #[inline]
    pub fn components(self) -> impl Iterator<Item = Component> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let next = Component::ALL.get(rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(*next)
        })
    }

    /// Returns FEN's lower-case letter.
    #[must_use]
    pub fn letter(self) -> Option<char> {
        Self::LETTERS.iter().find(|(piece, _)| *piece == self).map(|&(_, letter)| letter)
    }

    /// Returns FEN's text for a black piece: its letter, or its components in braces, `{rbn}`, in
    /// the order k r b n o.
    #[must_use]
    pub fn fen(self) -> String {
        match self.letter() {
            Some(letter) => letter.into(),
            None => {
                let letters: String = self.components().map(Component::fen_letter).collect();
                format!("{{{letters}}}")
            }
        }
    }

    /// Returns the piece with this FEN letter, of either case.
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Self> {
        let letter = letter.to_ascii_lowercase();
        Self::LETTERS.iter().find(|&&(_, known)| known == letter).map(|&(piece, _)| piece)
    }
}

impl Display for Piece {
    /// Formats the components' capitals, `RB` for the Queen.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.components().try_for_each(|component| write!(f, "{}", component.letter()))
    }
}

impl Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Piece({self})")
    }
}
