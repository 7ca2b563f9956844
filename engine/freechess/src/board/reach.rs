//! Which squares a piece can come to over empty squares, and which it strikes (rules 9, 10 and 19).

use super::bitboard::{LEAPS, SQUARES, bishop, rook, slides};
use super::{Bitboard, Direction, Kind, Piece, Square};
use std::ops::ControlFlow;

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

/// Multisets of used attributes for which a flood needs no memory of its own.
const SMALL: usize = 48;

/// Where a piece with a combinator can stand over empty squares, by the attributes that it has used
/// (rule 10).
///
/// For each multiset of used attributes there is the set of squares that can be reached with these
/// attributes *or fewer*. A larger multiset therefore has a larger set of squares.
pub(super) struct Flood {
    lattice: Lattice,
    small: [Bitboard; SMALL],
    large: Vec<Bitboard>,
}

/// The multisets of attributes that a piece can have used, numbered so that smaller ones come first.
struct Lattice {
    kinds: [Axis; Kind::MOVING.len()],
    axes: usize,
    total: usize,
}

/// A kind of attribute that a piece uses.
#[derive(Clone, Copy)]
struct Axis {
    kind: Kind,
    count: usize,
    /// Distance of multisets that differ by one attribute of the kind.
    stride: usize,
}

impl Lattice {
    fn new(attributes: Piece) -> Self {
        let none = Axis { kind: Kind::Royal, count: 0, stride: 0 };
        let mut lattice = Self { kinds: [none; Kind::MOVING.len()], axes: 0, total: 1 };
        for kind in Kind::MOVING {
            let count = attributes.count(kind) as usize;
            if count > 0 {
                lattice.kinds[lattice.axes] = Axis { kind, count, stride: lattice.total };
                lattice.axes += 1;
                lattice.total *= count + 1;
            }
        }
        lattice
    }

    fn axes(&self) -> &[Axis] {
        &self.kinds[..self.axes]
    }

    /// Returns the kinds that can make the last part of a strike: of a royal piece only `k`.
    fn last_axes(&self) -> &[Axis] {
        let royal = self.axes().first().is_some_and(|axis| axis.kind == Kind::Royal);
        &self.kinds[..if royal { 1 } else { self.axes }]
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

impl Flood {
    /// Floods from a set of squares with these attributes; a combinator among them is ignored.
    /// `empty` are the squares that the piece may pass or stop on.
    pub(super) fn new(attributes: Piece, from: Bitboard, empty: Bitboard) -> Self {
        let mut flood = Self::dry(attributes);
        let _ = flood.fill(from, empty, |_, _, _| ControlFlow::Continue(()));
        flood
    }

    fn dry(attributes: Piece) -> Self {
        let lattice = Lattice::new(attributes);
        let large = if lattice.total > SMALL { lattice.total } else { 0 };
        Self { lattice, small: [Bitboard::EMPTY; SMALL], large: vec![Bitboard::EMPTY; large] }
    }

    /// Computes the squares of each multiset in turn, until a function of the squares known so far
    /// and the multiset's number breaks off.
    fn fill(
        &mut self,
        from: Bitboard,
        empty: Bitboard,
        mut visit: impl FnMut(&Lattice, &[Bitboard], usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let lattice = &self.lattice;
        let boards = if lattice.total > SMALL { &mut self.large[..] } else { &mut self.small[..] };
        let all = empty | from;
        boards[0] = from;
        let mut used = [0; Kind::MOVING.len()];
        for index in 0..lattice.total {
            visit(lattice, boards, index)?;
            let here = boards[index];
            // A strong piece soon reaches every square.
            let more = here != all;
            for (axis, &used) in lattice.axes().iter().zip(&used) {
                if used < axis.count {
                    let next =
                        if more { seen_by_one(axis.kind, here, empty) & empty } else { here };
                    boards[index + axis.stride] |= here | next;
                }
            }
            for (axis, used) in lattice.axes().iter().zip(&mut used) {
                *used += 1;
                if *used <= axis.count {
                    break;
                }
                *used = 0;
            }
        }
        ControlFlow::Continue(())
    }

    fn boards(&self) -> &[Bitboard] {
        let total = self.lattice.total;
        if total > SMALL { &self.large } else { &self.small[..total] }
    }

    /// Returns the squares that can be reached with all attributes or fewer, with the first ones.
    pub(super) fn reached(&self) -> Bitboard {
        self.boards()[self.lattice.total - 1]
    }

    /// Returns the squares from which an attribute of this kind can make the last part.
    pub(super) fn before_last(&self, kind: Kind) -> Bitboard {
        let axis = self.lattice.axes().iter().find(|axis| axis.kind == kind);
        axis.map_or(Bitboard::EMPTY, |axis| self.boards()[self.lattice.total - 1 - axis.stride])
    }

    /// Returns the squares that the piece strikes (rule 19). Some may lie off the board.
    pub(super) fn struck(&self, empty: Bitboard) -> Bitboard {
        self.lattice.last_axes().iter().fold(Bitboard::EMPTY, |struck, axis| {
            struck | struck_by_one(axis.kind, self.before_last(axis.kind), empty)
        })
    }

    /// Returns the squares that the piece strikes, and those that it looks at: those it can reach or strike,
    /// and those that stop it. If none of the others changes, neither does what it reaches and strikes.
    pub(super) fn struck_and_seen(&self, empty: Bitboard) -> (Bitboard, Bitboard) {
        let last = self.lattice.last_axes().len();
        let (mut struck, mut seen) = (Bitboard::EMPTY, self.reached());
        for (place, axis) in self.lattice.axes().iter().enumerate() {
            let before = self.before_last(axis.kind);
            let by_axis = seen_by_one(axis.kind, before, empty);
            // All kinds but the Opawn capture as they move.
            let captures = match axis.kind {
                Kind::Opawn => struck_by_one(axis.kind, before, empty),
                _ => by_axis,
            };
            seen |= by_axis | captures;
            if place < last {
                struck |= captures;
            }
        }
        (struck, seen)
    }

    /// Returns whether a piece on one of these squares strikes a square that is not empty (rule 19).
    pub(super) fn strikes(
        attributes: Piece,
        from: Bitboard,
        target: Square,
        empty: Bitboard,
    ) -> bool {
        let mut flood = Self::dry(attributes);
        let mut before = [Bitboard::EMPTY; Kind::COUNT];
        for axis in flood.lattice.last_axes() {
            before[axis.kind as usize] = struck_by_one(axis.kind, target.bit(), empty);
        }
        let strikes = flood.fill(from, empty, |lattice, boards, index| {
            let can_strike = |axis: &Axis| {
                (boards[index] & before[axis.kind as usize]).any()
                    && lattice.used(index, axis) < axis.count
            };
            if lattice.last_axes().iter().any(can_strike) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        strikes.is_break()
    }

    /// Calls a function with the used attributes of each way to a capture on a square that is not
    /// empty, the last part included, until it breaks off. Ways that use more attributes than others
    /// are left out.
    pub(super) fn each_way(
        attributes: Piece,
        from: Square,
        target: Square,
        empty: Bitboard,
        mut visit: impl FnMut(Piece) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut flood = Self::dry(attributes);
        flood.fill(from.bit(), empty, |lattice, boards, index| {
            for last in lattice.last_axes() {
                let before = struck_by_one(last.kind, target.bit(), empty);
                if (boards[index] & before).is_empty() || lattice.used(index, last) == last.count {
                    continue;
                }
                let fewer = |axis: &&Axis| lattice.used(index, axis) > 0;
                let by_fewer = |axis: &Axis| (boards[index - axis.stride] & before).any();
                if !lattice.axes().iter().filter(fewer).any(by_fewer) {
                    visit(lattice.multiset(index).with(last.kind))?;
                }
            }
            ControlFlow::Continue(())
        })
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
        return flood.struck_and_seen(empty);
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
