//! The values of toggles other than yes and no.

use crate::board::moves::PROMOTIONS;
use crate::board::piece::{Component, Piece};
use fusion_game::{ToggleValue, toggle_choice, toggle_number};
use rand::Rng;
use std::fmt::{self, Display};

/// How compounds split.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fission {
    /// Compounds do not split.
    None,
    /// A component leaves for an empty square.
    Quiet,
    /// A component leaves for an empty square from which it does not attack the enemy's royal
    /// piece.
    QuietNoCheck,
    /// A component leaves for an empty square, or captures.
    Capture,
}

toggle_choice!(
    Fission,
    "no (or none), yes (or quiet), quiet-no-check or capture",
    "no" or "none" = Self::None,
    "yes" or "quiet" = Self::Quiet,
    "quiet-no-check" = Self::QuietNoCheck,
    "capture" = Self::Capture
);

/// What a player must not have on the board in order to fuse.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FusionNeeds {
    /// Fusion is always possible.
    Nothing,
    /// No Rook-Bishop compound.
    NoQueen,
    /// No compound at all.
    NoCompound,
}

toggle_choice!(
    FusionNeeds,
    "nothing, no-queen or no-compound",
    "nothing" = Self::Nothing,
    "no-queen" = Self::NoQueen,
    "no-compound" = Self::NoCompound
);

/// The most components that one piece may have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MaxComponents {
    /// Compounds are pairs.
    Two,
    /// A compound may have three components.
    Three,
}

toggle_choice!(MaxComponents, "2 or 3", "2" = Self::Two, "3" = Self::Three);

impl MaxComponents {
    /// Returns the number.
    #[must_use]
    pub const fn number(self) -> usize {
        match self {
            MaxComponents::Two => 2,
            MaxComponents::Three => 3,
        }
    }
}

/// The ranks, counted from the Pawn's own side, from which it may step two squares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PawnDouble {
    /// The second.
    First,
    /// None.
    Never,
    /// The second and the third.
    SecondThird,
    /// The second to the sixth.
    Always,
}

toggle_choice!(
    PawnDouble,
    "first, never, second-third or always",
    "first" = Self::First,
    "never" = Self::Never,
    "second-third" = Self::SecondThird,
    "always" = Self::Always
);

impl PawnDouble {
    /// Returns the indices of the ranks, of which the owner's first is 0.
    #[must_use]
    pub const fn ranks(self) -> std::ops::Range<usize> {
        match self {
            PawnDouble::First => 1..2,
            PawnDouble::Never => 1..1,
            PawnDouble::SecondThird => 1..3,
            PawnDouble::Always => 1..6,
        }
    }
}

/// What stalemate is for the side that gives it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stalemate {
    /// A draw.
    Draw,
    /// A win.
    Win,
}

toggle_choice!(Stalemate, "draw or win", "draw" = Self::Draw, "win" = Self::Win);

/// What the third occurrence of a position is for the side that completes it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Repetition {
    /// A draw.
    Draw,
    /// A loss.
    Loses,
}

toggle_choice!(Repetition, "draw or loses", "draw" = Self::Draw, "loses" = Self::Loses);

/// What happens to a side that has only a simple King.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BareKing {
    /// Nothing.
    None,
    /// It loses, unless it bares the other side at once.
    Loses,
}

toggle_choice!(BareKing, "none or loses", "none" = Self::None, "loses" = Self::Loses);

/// The number of a move, from 1 to 200.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MoveNumber(u8);

impl MoveNumber {
    /// The first move.
    pub const FIRST: Self = Self(1);

    /// Returns a number, which is brought into the range from 1 to 200.
    #[must_use]
    pub const fn new(number: u8) -> Self {
        match number {
            0 => Self(1),
            1..=200 => Self(number),
            _ => Self(200),
        }
    }

    /// Returns the number.
    #[inline]
    #[must_use]
    pub const fn number(self) -> u16 {
        self.0 as u16
    }
}

impl ToggleValue for MoveNumber {
    fn allowed() -> String {
        "a number from 1 to 200".into()
    }

    fn read(text: &str) -> Option<Self> {
        toggle_number(text, 1..=200).map(|number| Self(number as u8))
    }

    fn text(self) -> String {
        self.0.to_string()
    }
}

/// Moves of each side without progress that end the game, from 1 to 1000, or no such limit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MoveLimit(u16);

impl MoveLimit {
    /// The usual fifty moves.
    pub const FIFTY: Self = Self(50);
    /// No limit.
    pub const NONE: Self = Self(0);

    /// Returns a limit, which is brought into the range from 1 to 1000.
    #[must_use]
    pub const fn new(moves: u16) -> Self {
        match moves {
            0 => Self(1),
            1..=1000 => Self(moves),
            _ => Self(1000),
        }
    }

    /// Returns the number of plies, of both sides together, that end the game; `None` without a
    /// limit.
    #[inline]
    #[must_use]
    pub const fn plies(self) -> Option<u16> {
        if self.0 == 0 { None } else { Some(2 * self.0) }
    }
}

impl ToggleValue for MoveLimit {
    fn allowed() -> String {
        "a number from 1 to 1000, or none".into()
    }

    fn read(text: &str) -> Option<Self> {
        if text == "none" { Some(Self::NONE) } else { toggle_number(text, 1..=1_000).map(Self) }
    }

    fn text(self) -> String {
        if self == Self::NONE { "none".into() } else { self.0.to_string() }
    }
}

/// The way in which the fission test treats far attacks by an enemy royal compound.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RoyalReach {
    /// Attacks depend only on movement and blockers.
    Geometric,
    /// Attacks count only if the royal could travel the path under the through-check limits.
    Path,
}

toggle_choice!(RoyalReach, "geometric or path", "geometric" = Self::Geometric, "path" = Self::Path);

/// The components that fuse with each other. The King has its own toggles.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FusionSet(Piece);

/// The components that can fuse, in the order of rule expressions.
const FUSIBLE: [Component; 4] =
    [Component::Rook, Component::Bishop, Component::Knight, Component::Mann];

impl FusionSet {
    /// Nothing fuses.
    pub const NONE: Self = Self(Piece::NONE);
    /// Rook, Bishop, Knight and Mann fuse.
    pub const ALL: Self = Self(Piece::ROOK_BISHOP_KNIGHT.with(Component::Mann));
    /// Only Rook and Bishop fuse.
    pub const ROOK_BISHOP: Self = Self(Piece::QUEEN);

    const KNIGHT_MANN: Self = Self(Piece::of(Component::Knight).with(Component::Mann));

    /// Returns the components as one set.
    #[inline]
    #[must_use]
    pub const fn components(self) -> Piece {
        self.0
    }

    /// Returns whether anything fuses.
    #[must_use]
    pub fn any(self) -> bool {
        self != Self::NONE
    }

    pub(super) const fn has_mann(self) -> bool {
        self.0.has(Component::Mann)
    }

    /// Returns whether the set names the Mann explicitly as fusing.
    pub(super) fn names_mann(self) -> bool {
        self.has_mann() && self != Self::ALL
    }

    /// Returns the set for rules without Manns. Fusion of all other components becomes fusion of
    /// all.
    pub(crate) fn without_manns(self) -> Self {
        let others = self.0.intersection(Piece::ROOK_BISHOP_KNIGHT);
        match others.len() {
            3 => Self::ALL,
            2 => Self(others),
            _ => Self::NONE,
        }
    }

    /// Returns the set with this number out of 16. A set of a single component is the empty set.
    pub(super) fn random(number: u64) -> Self {
        let chosen = (0..4).filter(|i| number >> i & 1 != 0).map(|i| FUSIBLE[i]);
        let set = chosen.fold(Piece::NONE, Piece::with);
        if set.len() > 1 { Self(set) } else { Self::NONE }
    }
}

impl ToggleValue for FusionSet {
    fn allowed() -> String {
        "yes, no, or at least two different letters out of rbno, such as rb (Knight and Mann: on)"
            .into()
    }

    fn read(text: &str) -> Option<Self> {
        match text {
            "yes" => return Some(Self::ALL),
            "no" => return Some(Self::NONE),
            _ => {}
        }
        let mut set = Piece::NONE;
        for letter in text.chars() {
            let component = FUSIBLE.into_iter().find(|c| c.fen_letter() == letter)?;
            if set.has(component) {
                return None;
            }
            set = set.with(component);
        }
        (set.len() > 1).then_some(Self(set))
    }

    fn text(self) -> String {
        match self {
            Self::ALL => "yes".into(),
            Self::NONE => "no".into(),
            // In the usual order the letters would form the word for none.
            Self::KNIGHT_MANN => "on".into(),
            Self(set) => set.components().map(Component::fen_letter).collect(),
        }
    }
}

/// The pieces to which a Pawn may promote: a subset of [`PROMOTIONS`], never empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PromotionSet(u8);

impl PromotionSet {
    pub(super) const QRBN: Self = Self(0b011_1001);
    pub(super) const RBN: Self = Self(0b011_1000);
    pub(super) const RBNO: Self = Self(0b111_1000);
    pub(super) const QMDRBN: Self = Self(0b011_1111);
    pub(super) const MANN: Self = Self(0b100_0000);

    /// Returns a bit for each of [`PROMOTIONS`].
    #[inline]
    pub(super) const fn bits(self) -> u8 {
        self.0
    }

    /// Iterates over the pieces, strongest first.
    pub fn pieces(self) -> impl DoubleEndedIterator<Item = Piece> {
        (0..PROMOTIONS.len()).filter(move |i| self.0 >> i & 1 != 0).map(|i| PROMOTIONS[i])
    }

    /// Returns whether a Pawn may become this piece.
    #[must_use]
    pub fn has(self, piece: Piece) -> bool {
        self.pieces().any(|known| known == piece)
    }

    /// Returns whether a Pawn may become a Mann.
    #[inline]
    #[must_use]
    pub const fn has_mann(self) -> bool {
        self.0 & Self::MANN.0 != 0
    }

    /// Returns the set of the pieces that `fits` accepts.
    #[must_use]
    pub fn filter(self, fits: impl Fn(Piece) -> bool) -> Self {
        let fits = |i: &usize| self.0 >> i & 1 != 0 && fits(PROMOTIONS[*i]);
        Self((0..PROMOTIONS.len()).filter(fits).fold(0, |set, i| set | 1 << i))
    }

    /// Draws a set uniformly from all non-empty sets, with or without sets that include a Mann.
    pub(super) fn random(rng: &mut impl Rng, manns: bool) -> Self {
        let kinds = if manns { PROMOTIONS.len() } else { PROMOTIONS.len() - 1 };
        Self(1 + (rng.next_u64() % ((1 << kinds) - 1)) as u8)
    }

    /// Returns the number of choices.
    #[must_use]
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns whether there is no choice. This is never the case for a rule set's own set.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl ToggleValue for PromotionSet {
    fn allowed() -> String {
        "a set of different letters out of qmdrbno, such as rbn".into()
    }

    fn read(text: &str) -> Option<Self> {
        let mut set = 0;
        for letter in text.chars() {
            let bit = 1 << PROMOTIONS.iter().position(|piece| piece.letter() == Some(letter))?;
            if set & bit != 0 {
                return None;
            }
            set |= bit;
        }
        (set != 0).then_some(Self(set))
    }

    fn text(self) -> String {
        self.pieces().filter_map(Piece::letter).collect()
    }
}

impl Display for PromotionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}
