//! Which squares a piece can come to over empty squares, and which it strikes (rules 9, 10 and 19).

use super::bitboard::{LEAPS, SQUARES, bishop, rook, slides};
use super::{Bitboard, Direction, Kind, Piece, Square};

/// By leap and square: the index of the square that it leads to.
static LANDINGS: [[u8; SQUARES]; 8] = {
    let mut landings = [[NOWHERE; SQUARES]; 8];
    let mut leap = 0;
    while leap < 8 {
        let (files, ranks) = LEAPS[leap];
        let mut index = 0;
        while index < SQUARES {
            if let Some(square) = Square::from_index(index)
                && let Some(to) = square.offset(files, ranks)
            {
                landings[leap][index] = to.index() as u8;
            }
            index += 1;
        }
        leap += 1;
    }
    landings
};

/// The index of no square.
const NOWHERE: u8 = u8::MAX;

/// Returns the squares that a rider of at most this many leaps can see (rule 9): in each direction
/// empty ones, and the first one that is not.
#[inline]
pub(super) fn rider(from: Square, most: u32, empty: Bitboard) -> Bitboard {
    if most == 1 {
        return from.bit().leaps();
    }
    let mut seen = Bitboard::EMPTY;
    for landings in &LANDINGS {
        let mut at = from;
        for _ in 0..most {
            let Some(next) = Square::from_index(landings[at.index()].into()) else { break };
            seen = seen.with(next);
            if !empty.has(next) {
                break;
            }
            at = next;
        }
    }
    seen
}

/// Returns the squares that Opawns on any square of a set step on, by one step or two, and those
/// that block them.
#[inline]
fn opawn_steps(from: Bitboard, empty: Bitboard) -> Bitboard {
    let mut seen = Bitboard::EMPTY;
    for direction in Direction::STRAIGHT {
        let first = from.step(direction);
        seen |= first | (first & empty).step(direction);
    }
    seen
}

/// Returns the empty squares up to `most` steps straight away from a square, with nothing between.
#[inline]
fn opawn_run(from: Square, most: u32, empty: Bitboard) -> Bitboard {
    let mut reached = Bitboard::EMPTY;
    for direction in Direction::STRAIGHT {
        let mut front = from.bit();
        for _ in 0..most {
            front = front.step(direction) & empty;
            reached |= front;
        }
    }
    reached
}

/// Returns the squares that one instance of a kind sees from any square of a set when it moves
/// without capture: those it steps on, and those that block it. Some may lie off the board.
#[inline]
fn seen_by_one(kind: Kind, from: Bitboard, empty: Bitboard) -> Bitboard {
    match kind {
        Kind::Royal => from.king_steps(),
        Kind::Rook => slides(from, Direction::STRAIGHT, empty),
        Kind::Bishop => slides(from, Direction::DIAGONAL, empty),
        Kind::Knight => from.leaps(),
        Kind::Opawn => opawn_steps(from, empty),
        Kind::Combinator => Bitboard::EMPTY,
    }
}

/// Returns the squares that one instance of a kind could capture on, from any square of a set. Some
/// may lie off the board.
#[inline]
pub(super) fn struck_by_one(kind: Kind, from: Bitboard, empty: Bitboard) -> Bitboard {
    match kind {
        Kind::Opawn => from.diagonal_steps(),
        _ => seen_by_one(kind, from, empty),
    }
}

/// Returns the empty squares that a piece without a combinator comes to by one kind, of which it has
/// `count` (rule 9).
#[inline]
pub(super) fn reached_by_kind(kind: Kind, count: u32, from: Square, empty: Bitboard) -> Bitboard {
    let seen = match kind {
        Kind::Royal => from.bit().king_steps(),
        Kind::Rook => rook(from, !empty),
        Kind::Bishop => bishop(from, !empty),
        Kind::Knight => rider(from, count, empty),
        Kind::Opawn => opawn_run(from, 2 * count, empty),
        Kind::Combinator => Bitboard::EMPTY,
    };
    seen & empty
}

/// Returns the squares that a piece without a combinator could capture on by one kind, of which it
/// has `count` (rule 9). Some may lie off the board.
#[inline]
pub(super) fn struck_by_kind(kind: Kind, count: u32, from: Square, empty: Bitboard) -> Bitboard {
    match kind {
        Kind::Royal => from.bit().king_steps(),
        Kind::Rook => rook(from, !empty),
        Kind::Bishop => bishop(from, !empty),
        Kind::Knight => rider(from, count, empty),
        Kind::Opawn => from.bit().diagonal_steps(),
        Kind::Combinator => Bitboard::EMPTY,
    }
}

/// Subsets of a piece's attributes for which a flood needs no memory of its own.
const SMALL: usize = 48;

/// Where a piece with a combinator can stand over empty squares, by the attributes that it has used
/// (rule 10).
///
/// For each multiset of used attributes there is the set of squares that can be reached with these
/// attributes *or fewer*. A larger multiset therefore has a larger set of squares.
pub(super) struct Flood {
    kinds: [Axis; Kind::MOVING.len()],
    axes: usize,
    total: usize,
    small: [Bitboard; SMALL],
    large: Vec<Bitboard>,
}

/// A kind of attribute that a flood uses.
#[derive(Clone, Copy)]
struct Axis {
    kind: Kind,
    count: usize,
    /// Distance of multisets that differ by one attribute of the kind.
    stride: usize,
}

impl Flood {
    /// Floods from a set of squares with these attributes; a combinator among them is ignored.
    /// `empty` are the squares that the piece may pass or stop on.
    pub(super) fn new(attributes: Piece, from: Bitboard, empty: Bitboard) -> Self {
        let none = Axis { kind: Kind::Royal, count: 0, stride: 0 };
        let mut flood = Self {
            kinds: [none; Kind::MOVING.len()],
            axes: 0,
            total: 1,
            small: [Bitboard::EMPTY; SMALL],
            large: Vec::new(),
        };
        for kind in Kind::MOVING {
            let count = attributes.count(kind) as usize;
            if count > 0 {
                flood.kinds[flood.axes] = Axis { kind, count, stride: flood.total };
                flood.axes += 1;
                flood.total *= count + 1;
            }
        }
        if flood.total > SMALL {
            flood.large = vec![Bitboard::EMPTY; flood.total];
        }
        flood.fill(from, empty);
        flood
    }

    fn fill(&mut self, from: Bitboard, empty: Bitboard) {
        let (axes, kinds) = (self.axes, self.kinds);
        let boards = if self.total > SMALL { &mut self.large[..] } else { &mut self.small[..] };
        boards[0] = from;
        let mut used = [0; Kind::MOVING.len()];
        for index in 0..self.total {
            let here = boards[index];
            for (axis, &used) in kinds[..axes].iter().zip(&used) {
                if used < axis.count {
                    let next = seen_by_one(axis.kind, here, empty) & empty;
                    boards[index + axis.stride] |= here | next;
                }
            }
            for (axis, used) in kinds[..axes].iter().zip(&mut used) {
                *used += 1;
                if *used <= axis.count {
                    break;
                }
                *used = 0;
            }
        }
    }

    fn boards(&self) -> &[Bitboard] {
        if self.total > SMALL { &self.large } else { &self.small[..self.total] }
    }

    fn axes(&self) -> &[Axis] {
        &self.kinds[..self.axes]
    }

    /// Returns the squares that can be reached with all attributes or fewer, with the first ones.
    pub(super) fn reached(&self) -> Bitboard {
        self.boards()[self.total - 1]
    }

    /// Returns the squares from which an attribute of this kind can make the last part.
    pub(super) fn before_last(&self, kind: Kind) -> Bitboard {
        let axis = self.axes().iter().find(|axis| axis.kind == kind);
        axis.map_or(Bitboard::EMPTY, |axis| self.boards()[self.total - 1 - axis.stride])
    }

    /// Returns the squares that the piece strikes (rule 19). Some may lie off the board.
    pub(super) fn struck(&self, empty: Bitboard) -> Bitboard {
        let mut struck = Bitboard::EMPTY;
        for axis in self.last_axes() {
            struck |= struck_by_one(axis.kind, self.before_last(axis.kind), empty);
        }
        struck
    }

    /// Returns the squares that the piece looks at: those it can reach or strike, and those that
    /// stop it. If none of the others changes, neither does what it reaches and strikes.
    pub(super) fn seen(&self, empty: Bitboard) -> Bitboard {
        let mut seen = self.reached();
        for axis in self.axes() {
            let before = self.before_last(axis.kind);
            seen |= seen_by_one(axis.kind, before, empty) | struck_by_one(axis.kind, before, empty);
        }
        seen
    }

    /// Returns whether the piece strikes a square that is not empty (rule 19).
    pub(super) fn strikes(&self, target: Square, empty: Bitboard) -> bool {
        self.last_axes().any(|axis| {
            (struck_by_one(axis.kind, target.bit(), empty) & self.before_last(axis.kind)).any()
        })
    }

    /// Calls a function with the used attributes of each way to a capture on a square that is not
    /// empty, the last part included. Ways that use more attributes than others are left out.
    pub(super) fn ways_to(&self, target: Square, empty: Bitboard, mut visit: impl FnMut(Piece)) {
        for last in self.last_axes() {
            let before = struck_by_one(last.kind, target.bit(), empty);
            for (index, &here) in self.boards().iter().enumerate() {
                if (here & before).is_empty() || self.used(index, last) == last.count {
                    continue;
                }
                let fewer = |axis: &&Axis| self.used(index, axis) > 0;
                let by_fewer = |axis: &Axis| (self.boards()[index - axis.stride] & before).any();
                if !self.axes().iter().filter(fewer).any(by_fewer) {
                    visit(self.multiset(index).with(last.kind));
                }
            }
        }
    }

    /// Returns the kinds that can make the last part of a strike: a royal piece only `k`.
    fn last_axes(&self) -> impl Iterator<Item = &Axis> {
        let royal = self.axes().first().is_some_and(|axis| axis.kind == Kind::Royal);
        let number = if royal { 1 } else { self.axes };
        self.axes()[..number].iter()
    }

    fn used(&self, index: usize, axis: &Axis) -> usize {
        index / axis.stride % (axis.count + 1)
    }

    fn multiset(&self, index: usize) -> Piece {
        let mut counts = [0; Kind::COUNT];
        for axis in self.axes() {
            counts[axis.kind as usize] = self.used(index, axis) as u32;
        }
        Piece::from_counts(counts)
    }
}

/// Returns the squares, other than `from`, that a piece there could come to in one turn over empty
/// squares. It comes past `from` again only if that is in `empty`.
pub(super) fn reach(piece: Piece, from: Square, empty: Bitboard) -> Bitboard {
    if piece.combines() {
        return Flood::new(piece, from.bit(), empty).reached().without(from);
    }
    piece.kinds().fold(Bitboard::EMPTY, |reached, kind| {
        reached | reached_by_kind(kind, piece.count(kind), from, empty)
    })
}

/// Returns the squares that a piece on `from` strikes (rule 19), and what it sees: if no other
/// square changes, it strikes the same. Both may lie off the board.
pub(super) fn struck_and_seen(piece: Piece, from: Square, empty: Bitboard) -> (Bitboard, Bitboard) {
    if piece.combines() {
        // The square that it has left is empty.
        let empty = empty.with(from);
        let flood = Flood::new(piece, from.bit(), empty);
        return (flood.struck(empty), flood.seen(empty));
    }
    if piece.is_royal() {
        let near = from.bit().king_steps();
        return (near, near);
    }
    let struck = piece.kinds().fold(Bitboard::EMPTY, |struck, kind| {
        struck | struck_by_kind(kind, piece.count(kind), from, empty)
    });
    (struck, struck)
}
