//! Positions: units, AMPs, and the turn in progress.

use super::bitboard::{Bitboard, Square};
use super::unit::{Kind, Mode};
use super::zobrist;
use crate::rules::RuleSet;
use fusion_game::Side;

/// The leader of the turn in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Active {
    /// Where the leader stands now.
    pub square: Square,
    /// Its mode.
    pub mode: Mode,
}

/// A position without history. Its rules are passed to the functions that need them.
///
/// ```
/// use fusion_chesimal::board::{Kind, Position, start};
/// use fusion_chesimal::rules::RuleSet;
///
/// let rules = RuleSet::preset("chesimal")?;
/// let mut position = start(&rules);
/// let mut actions = Vec::new();
/// position.actions(&rules, &mut actions);
/// // Two Kings, and two Princes with two modes each.
/// assert_eq!(actions.len(), 6);
/// position.play(&rules, "b3k".parse().unwrap());
/// assert_eq!(position.active().unwrap().square.to_string(), "b3");
/// assert_eq!(position.count_actions(&rules), 32);
/// # Ok::<(), fusion_chesimal::rules::RulesError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// By kind, of both sides.
    pub(super) kinds: [Bitboard; Kind::COUNT],
    pub(super) sides: [Bitboard; 2],
    /// Bit i of the number of the AMP of each unit; 0 for leaderless units. Numbers of the two sides
    /// do not depend on each other. All are 0 unless AMPs matter.
    pub(super) amps: [Bitboard; AMP_BITS],
    /// Where the units stand that moved in this turn.
    pub(super) moved: Bitboard,
    /// Where the units stand that were recruited in this turn.
    pub(super) recruited: Bitboard,
    pub(super) hash: u64,
    pub(super) number: u32,
    pub(super) quiet: u16,
    pub(super) side: Side,
    pub(super) active: Option<Active>,
    /// Units other than the leader that were activated or recruited in this turn.
    pub(super) others: u8,
    /// Whether the leader has moved in this turn.
    pub(super) leader_moved: bool,
}

const AMP_BITS: usize = 4;

/// Most leaders of a side where AMPs matter: their numbers have one digit.
pub(super) const MOST_AMPS: u8 = 9;

impl Position {
    /// The empty board at White's first turn.
    pub(super) const EMPTY: Self = Self {
        kinds: [Bitboard::EMPTY; Kind::COUNT],
        sides: [Bitboard::EMPTY; 2],
        amps: [Bitboard::EMPTY; AMP_BITS],
        moved: Bitboard::EMPTY,
        recruited: Bitboard::EMPTY,
        hash: 0,
        number: 1,
        quiet: 0,
        side: Side::First,
        active: None,
        others: 0,
        leader_moved: false,
    };

    /// Returns the side to act.
    #[inline]
    #[must_use]
    pub fn side(&self) -> Side {
        self.side
    }

    /// Returns the units of a side.
    #[inline]
    #[must_use]
    pub fn units(&self, side: Side) -> Bitboard {
        self.sides[side as usize]
    }

    /// Returns the units of a kind, of both sides.
    #[inline]
    #[must_use]
    pub fn kind(&self, kind: Kind) -> Bitboard {
        self.kinds[kind.index()]
    }

    /// Returns the leaders of both sides.
    #[inline]
    #[must_use]
    pub fn leaders(&self) -> Bitboard {
        self.kind(Kind::King) | self.kind(Kind::Prince)
    }

    /// Returns all units.
    #[inline]
    #[must_use]
    pub fn occupied(&self) -> Bitboard {
        self.sides[0] | self.sides[1]
    }

    /// Returns the kind of the unit on a square, if there is one.
    #[inline]
    #[must_use]
    pub fn kind_on(&self, square: Square) -> Option<Kind> {
        Kind::ALL.into_iter().find(|&kind| self.kind(kind).has(square))
    }

    /// Returns the unit on a square, if there is one.
    #[inline]
    #[must_use]
    pub fn unit_on(&self, square: Square) -> Option<(Side, Kind)> {
        let side = if self.sides[0].has(square) { Side::First } else { Side::Second };
        self.kind_on(square).map(|kind| (side, kind))
    }

    /// Returns the leader of the turn in progress; `None` at the start of a turn.
    #[inline]
    #[must_use]
    pub fn active(&self) -> Option<Active> {
        self.active
    }

    /// Returns where the units stand that moved in this turn.
    #[inline]
    #[must_use]
    pub fn moved(&self) -> Bitboard {
        self.moved
    }

    /// Returns where the units stand that were recruited in this turn.
    #[inline]
    #[must_use]
    pub fn recruited(&self) -> Bitboard {
        self.recruited
    }

    /// Returns the number of turns that have ended since the last capture.
    #[inline]
    #[must_use]
    pub fn quiet(&self) -> u16 {
        self.quiet
    }

    /// Returns the number of the turn: 1 at first, one more after each turn of Black.
    #[inline]
    #[must_use]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Returns whether the turn in progress is White's first.
    #[inline]
    #[must_use]
    pub fn is_first_turn(&self) -> bool {
        self.number == 1 && self.side == Side::First
    }

    /// Returns a hash of the units, the AMPs, the side to act and the turn in progress. AMPs hash by
    /// their units, whatever their numbers.
    #[inline]
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Returns whether a side has lost: it has fewer Kings than it needs (rule 10).
    #[inline]
    #[must_use]
    pub fn has_lost(&self, side: Side, rules: &RuleSet) -> bool {
        let kings = self.kind(Kind::King) & self.units(side);
        match rules.kings_needed() {
            1 => kings.is_empty(),
            needed => kings.len() < needed,
        }
    }

    /// Returns the number of the AMP of the unit on a square; 0 if it is leaderless.
    #[inline]
    pub(super) fn amp_on(&self, square: Square) -> u8 {
        let bit = |i: usize| u8::from(self.amps[i].has(square)) << i;
        bit(0) | bit(1) | bit(2) | bit(3)
    }

    /// Returns the units of a side whose AMP has this number.
    #[inline]
    pub(super) fn amp(&self, side: Side, number: u8) -> Bitboard {
        let mut units = self.units(side);
        for (i, &plane) in self.amps.iter().enumerate() {
            units &= if number >> i & 1 != 0 { plane } else { !plane };
        }
        units
    }

    /// Gives units to the AMP with this number.
    pub(super) fn join(&mut self, units: Bitboard, number: u8) {
        for (i, plane) in self.amps.iter_mut().enumerate() {
            *plane &= !units;
            if number >> i & 1 != 0 {
                *plane |= units;
            }
        }
    }

    /// Returns the units of the AMP of the leader on a square, itself included: all units of its side
    /// under `friendly=colour`.
    #[inline]
    #[must_use]
    pub fn friends(&self, leader: Square, rules: &RuleSet) -> Bitboard {
        let side = if self.sides[0].has(leader) { Side::First } else { Side::Second };
        if rules.has_amps() { self.amp(side, self.amp_on(leader)) } else { self.units(side) }
    }

    /// Returns the leaderless units of both sides; none under `friendly=colour`.
    #[must_use]
    pub fn leaderless(&self, rules: &RuleSet) -> Bitboard {
        if rules.has_amps() {
            self.amp(Side::First, 0) | self.amp(Side::Second, 0)
        } else {
            Bitboard::EMPTY
        }
    }

    /// Returns the units that are connected to a leader: joined to it by an unbroken line of
    /// friendly units (rule 6).
    #[inline]
    #[must_use]
    pub fn connected(&self, leader: Square, rules: &RuleSet) -> Bitboard {
        self.friends(leader, rules).joined_to(leader.bit())
    }

    /// Returns the key of an AMP; 0 for leaderless units, and if the AMP has no leader.
    #[inline]
    pub(super) fn amp_key(&self, side: Side, number: u8) -> u64 {
        if number == 0 {
            return 0;
        }
        let units = self.amp(side, number);
        let leader = (units & self.leaders()).next();
        leader.map_or(0, |leader| zobrist::amp(side, leader, units))
    }

    /// Computes the hash anew.
    #[must_use]
    pub fn fresh_hash(&self) -> u64 {
        let mut hash = if self.side == Side::First { 0 } else { zobrist::side() };
        for side in [Side::First, Side::Second] {
            for kind in Kind::ALL {
                let units = self.units(side) & self.kind(kind);
                hash = units.fold(hash, |hash, square| hash ^ zobrist::unit(side, kind, square));
            }
            for number in 1..=MOST_AMPS {
                hash ^= self.amp_key(side, number);
            }
        }
        if let Some(Active { square, mode }) = self.active {
            hash ^= zobrist::active(mode, square);
        }
        let hash = self.moved.fold(hash, |hash, square| hash ^ zobrist::moved(square));
        self.recruited.fold(hash, |hash, square| hash ^ zobrist::recruited(square))
    }
}
