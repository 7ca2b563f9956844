//! Generation of moves.

use super::attacks::{Danger, View};
use super::legal::{self, Judge};
use super::movement::{Movement, for_each};
use super::moves::{Action, Move};
use super::position::{FROM_PAWN, Position};
use super::tables::Tables;
use crate::definition::{Kind, Role, Squares};

/// A receiver of moves.
pub(crate) trait Sink {
    /// Receives moves of an action from a square to each of others.
    fn moves(&mut self, action: Action, from: usize, to: Squares);

    /// Receives moves that all have the same distance from their origins, in numbers of squares.
    fn shifted(&mut self, distance: isize, to: Squares);

    /// Receives the promotions or drops of a kind from a square to each of others. Drops have no origin:
    /// it is their destination.
    fn with_kind(&mut self, action: Action, from: usize, to: Squares, kind: Kind);
}

impl Sink for Vec<Move> {
    #[inline]
    fn moves(&mut self, action: Action, from: usize, to: Squares) {
        for_each(to, |to| self.push(Move::new(action, from, to)));
    }

    #[inline]
    fn shifted(&mut self, distance: isize, to: Squares) {
        for_each(to, |to| self.push(Move::new(Action::Go, to.wrapping_add_signed(-distance), to)));
    }

    #[inline]
    fn with_kind(&mut self, action: Action, from: usize, to: Squares, kind: Kind) {
        let is_drop = matches!(action, Action::Drop | Action::DropUpgraded);
        for_each(to, |to| self.push(Move::with(action, if is_drop { to } else { from }, to, kind)));
    }
}

/// A number of moves.
pub(crate) struct Count(pub u64);

impl Sink for Count {
    #[inline]
    fn moves(&mut self, _: Action, _: usize, to: Squares) {
        self.0 += u64::from(to.count_ones());
    }

    #[inline]
    fn shifted(&mut self, _: isize, to: Squares) {
        self.0 += u64::from(to.count_ones());
    }

    #[inline]
    fn with_kind(&mut self, _: Action, _: usize, to: Squares, _: Kind) {
        self.0 += u64::from(to.count_ones());
    }
}

/// A receiver that hands on the legal moves.
struct Sieve<'a, S> {
    judge: Judge<'a>,
    sink: &'a mut S,
}

impl<S> Sieve<'_, S> {
    /// Returns those of a move's destinations that are legal.
    fn legal(&self, to: Squares, mv: impl Fn(usize) -> Move) -> Squares {
        let mut legal = to;
        for_each(to, |square| {
            if !self.judge.allows(mv(square)) {
                legal &= !(1 << square);
            }
        });
        legal
    }
}

impl<S: Sink> Sink for Sieve<'_, S> {
    fn moves(&mut self, action: Action, from: usize, to: Squares) {
        let (yes, no) = if action == Action::Go { self.judge.sure(from, to) } else { (0, 0) };
        let rest = self.legal(to & !(yes | no), |to| Move::new(action, from, to));
        self.sink.moves(action, from, yes | rest);
    }

    fn shifted(&mut self, distance: isize, to: Squares) {
        let mut legal = to;
        for_each(to, |square| {
            let from = square.wrapping_add_signed(-distance);
            let (yes, no) = self.judge.sure(from, 1 << square);
            let tried = || self.judge.allows(Move::new(Action::Go, from, square));
            if no != 0 || (yes == 0 && !tried()) {
                legal &= !(1 << square);
            }
        });
        self.sink.shifted(distance, legal);
    }

    fn with_kind(&mut self, action: Action, from: usize, to: Squares, kind: Kind) {
        let is_drop = matches!(action, Action::Drop | Action::DropUpgraded);
        let origin = |to: usize| if is_drop { to } else { from };
        let legal = self.legal(to, |to| Move::with(action, origin(to), to, kind));
        self.sink.with_kind(action, from, legal, kind);
    }
}

impl Position {
    /// Appends all legal moves, in an order that is part of the definition's identity.
    pub fn legal_moves(&self, tables: &Tables, moves: &mut Vec<Move>) {
        if self.immediate_end(tables).is_some() {
            return;
        }
        self.moves_now(tables, &Danger::of(self, tables), moves);
    }

    /// Appends the legal moves of a position that does not end at once.
    pub(super) fn moves_now(&self, tables: &Tables, danger: &Danger, moves: &mut Vec<Move>) {
        let first = moves.len();
        self.hand_over(tables, danger, moves);
        if tables.has_duties {
            legal::heed_duties(self, tables, moves, first);
        }
    }

    /// Hands the moves that are legal, but for duties, to a receiver.
    fn hand_over(&self, tables: &Tables, danger: &Danger, sink: &mut impl Sink) {
        let generator = Generator::new(self, tables, danger);
        if tables.is_plain {
            generator.run(sink);
        } else {
            generator.run(&mut Sieve { judge: Judge::new(self, tables), sink });
        }
    }

    /// Returns the number of legal moves.
    #[must_use]
    pub fn count_moves(&self, tables: &Tables) -> u64 {
        if self.immediate_end(tables).is_some() {
            return 0;
        }
        let danger = Danger::of(self, tables);
        if tables.has_duties {
            let mut moves = Vec::new();
            self.moves_now(tables, &danger, &mut moves);
            return moves.len() as u64;
        }
        let mut count = Count(0);
        self.hand_over(tables, &danger, &mut count);
        count.0
    }
}

/// Generates the moves after which the King is safe. Further rules may forbid some of them.
pub(crate) struct Generator<'a> {
    pub(super) position: &'a Position,
    pub(super) tables: &'a Tables,
    danger: &'a Danger,
    pub(super) us: usize,
    pub(super) occupied: Squares,
    cannons: Squares,
    pub(super) theirs: Squares,
}

impl<'a> Generator<'a> {
    pub fn new(position: &'a Position, tables: &'a Tables, danger: &'a Danger) -> Self {
        let us = position.side;
        let (occupied, theirs) = (position.occupied(), position.sides[us ^ 1]);
        Self { position, tables, danger, us, occupied, theirs, cannons: position.cannons(tables) }
    }

    /// Hands all moves to a receiver.
    pub fn run(&self, sink: &mut impl Sink) {
        let king = self.danger.king;
        let more_than_king = self.danger.targets != 0 || self.danger.delicate == Squares::MAX;
        if more_than_king {
            for kind in 0..self.tables.rules.pieces.len() as Kind {
                if self.tables.royals >> kind & 1 == 0 {
                    let mut pieces = self.position.of(self.us, kind);
                    if Some(kind) == self.tables.pawn && self.danger.delicate == 0 {
                        pieces = self.pawns(kind, pieces, sink);
                    }
                    for_each(pieces, |from| self.piece(kind, from, sink));
                }
            }
            if self.tables.rules.drops.allowed {
                self.drops(sink);
            }
        }
        if let Some(king) = king {
            self.king(king, sink);
        }
        if self.position.state.rights.bits >> (2 * self.us) & 3 != 0 {
            self.castling(sink);
        }
        if self.tables.rules.pass[self.us] || self.tables.rules.pass_on_stalemate[self.us] {
            let any = king.or_else(|| {
                let ours = self.position.sides[self.us];
                (ours != 0).then(|| ours.trailing_zeros() as usize)
            });
            if let Some(any) = any
                && self.danger.checkers == 0
            {
                sink.moves(Action::Pass, any, 1 << any);
            }
        }
    }

    /// Returns the squares to which a piece moves and those that it attacks.
    pub(super) fn reach(&self, movement: &Movement, from: usize) -> (Squares, Squares) {
        let lines = &self.tables.movements.lines;
        let (mut quiet, capture) = movement.usual.moves(lines, from, self.occupied, self.cannons);
        if let Some(first) = &movement.first
            && self.tables.rules.double_step[self.us] >> from & 1 == 1
        {
            quiet |= first.moves(lines, from, self.occupied, self.cannons).0;
        }
        (quiet & movement.region, capture & movement.region)
    }

    /// Returns the squares that Pawns reach by double or triple steps.
    #[inline]
    fn long_steps(&self, movement: &Movement, pawns: Squares) -> [Squares; 2] {
        let rules = &self.tables.rules;
        let (double, triple) = (rules.double_step[self.us], rules.triple_step[self.us]);
        let pawns = pawns & (double | triple);
        if pawns == 0 {
            return [0; 2];
        }
        let free = movement.region & !self.occupied;
        let ahead = |set: Squares| self.tables.ahead(set, self.us) & free;
        let third = ahead(ahead(ahead(pawns & triple)));
        [ahead(ahead(pawns & double)), third]
    }

    /// Hands over the moves of all Pawns that neither protect the King nor promote nor capture in passing,
    /// and returns those Pawns for which there may be more.
    fn pawns(&self, kind: Kind, pawns: Squares, sink: &mut impl Sink) -> Squares {
        let tables = self.tables;
        let movement = &tables.movements.of[self.us][usize::from(kind)];
        let region = tables.rules.promotion.region[self.us];
        let (free, ours) = (movement.region & !self.occupied, self.us);
        let hits = movement.region & self.theirs;
        // A Pawn one or two steps before the region, or beside a square of it, may promote.
        let mut single = self.danger.pinned();
        let back = |set: Squares| tables.ahead(set, ours ^ 1);
        single |= tables.beside(back(region))
            | back(back(region))
            | back(back(back(region))) & tables.rules.triple_step[ours];
        single |= tables.beside(back(self.position.state.passing));
        let many = pawns & !single;
        let allowed = self.danger.targets & self.mobile(kind);
        let step = if ours == 0 {
            isize::from(tables.rules.files)
        } else {
            -isize::from(tables.rules.files)
        };
        let ahead = tables.ahead(many, ours);
        sink.shifted(step, ahead & free & allowed);
        let [double, triple] = self.long_steps(movement, many);
        sink.shifted(2 * step, double & allowed);
        sink.shifted(3 * step, triple & allowed);
        let [left, right] = tables.aside(ahead);
        sink.shifted(step - 1, left & hits & allowed);
        sink.shifted(step + 1, right & hits & allowed);
        pawns & single
    }

    fn piece(&self, kind: Kind, from: usize, sink: &mut impl Sink) {
        let movement = &self.tables.movements.of[self.us][usize::from(kind)];
        let piece = &self.tables.rules.pieces[usize::from(kind)];
        let (mut quiet, capture) = self.reach(movement, from);
        let passing = self.position.state.passing & !self.occupied;
        if passing != 0 && piece.role == Role::Pawn {
            // Its capture in passing may leave its region.
            let lines = &self.tables.movements.lines;
            let (_, hits) = movement.usual.moves(lines, from, self.occupied, self.cannons);
            self.en_passant(kind, from, hits & passing, sink);
        } else if passing != 0 && self.tables.rules.en_passant_kinds[self.us] >> kind & 1 == 1 {
            self.en_passant(kind, from, capture & !quiet & passing, sink);
        }
        if piece.role == Role::Pawn {
            let [double, triple] = self.long_steps(movement, 1 << from);
            quiet |= double | triple;
        }
        let ends = (quiet & !self.occupied) | (capture & self.theirs);
        let ends = self.safe_for_piece(kind, from, ends);
        if ends != 0 {
            self.arrivals(kind, from, ends, sink);
        }
        if self.tables.merging.any {
            self.merge_and_split(kind, from, quiet, sink);
        }
    }

    /// Returns those ends of the moves of a piece other than the King after which the King is safe.
    #[inline]
    pub(super) fn safe_for_piece(&self, kind: Kind, from: usize, ends: Squares) -> Squares {
        let mut ends = ends & self.danger.allowed(from);
        let delicate = ends & self.danger.delicate_from(from);
        for_each(delicate, |to| {
            let gone = self.theirs & 1 << to;
            if !self.position.is_safe_after(self.tables, self.danger, (kind, 1 << from), to, gone) {
                ends &= !(1 << to);
            }
        });
        ends
    }

    /// Hands over the moves of a piece to squares, with what it becomes there.
    #[inline]
    fn arrivals(&self, kind: Kind, from: usize, ends: Squares, sink: &mut impl Sink) {
        let rules = &self.tables.rules;
        let piece = &rules.pieces[usize::from(kind)];
        let promotion = &rules.promotion;
        let region = promotion.region[self.us];
        let is_pawn = piece.role == Role::Pawn;
        let as_pawn = is_pawn || promotion.pawns[self.us] >> kind & 1 == 1;
        let mobile = self.mobile(kind);
        let promoted = if as_pawn { ends & region } else { 0 };
        let upgrade = piece.promotes_to.is_some_and(|to| self.may_become(to));
        let downgrade = promotion.demotion && !matches!(self.position.origin(from), 0 | FROM_PAWN);
        if promoted == 0 && !upgrade && !downgrade {
            if self.tables.merging.any {
                self.change(kind, from, ends, sink);
                return;
            }
            sink.moves(Action::Go, from, ends & mobile);
            return;
        }
        let mut plain = if promotion.pawns_must { ends & !promoted } else { ends };
        let captures = |set: Squares| if promotion.by_capture { set & self.theirs } else { set };
        let inside = region >> from & 1 == 1;
        // The format's Pawn changes where Pawns promote; other pieces change on either side of the border.
        let changed = captures(if is_pawn || !inside { ends & region } else { ends });
        if (upgrade || downgrade) && !is_pawn && promotion.pieces_must {
            plain &= !changed;
        }
        sink.moves(Action::Go, from, plain & mobile);
        if upgrade {
            sink.moves(Action::Upgrade, from, changed);
        }
        if downgrade && !is_pawn {
            sink.moves(Action::Downgrade, from, changed);
        }
        if promoted != 0 {
            for to in Tables::kinds(promotion.to[self.us]).filter(|&to| self.may_become(to)) {
                sink.with_kind(Action::Promote, from, promoted, to);
            }
        }
    }

    /// Returns the squares where a kind may arrive without a promotion: all, or those from which it can move
    /// to a square that exists.
    #[inline]
    pub(super) fn mobile(&self, kind: Kind) -> Squares {
        if !self.tables.rules.no_immobile {
            return Squares::MAX;
        }
        let movement = &self.tables.movements.of[self.us][usize::from(kind)];
        let walls = self.position.walls;
        let mut mobile = movement.mobile;
        if walls != 0 {
            for_each(movement.mobile, |at| {
                if movement.usual.possible(&self.tables.movements.lines, at) & !walls == 0 {
                    mobile &= !(1 << at);
                }
            });
        }
        mobile
    }

    /// Returns whether the limit of a kind lets one more piece of it come by promotion.
    fn may_become(&self, kind: Kind) -> bool {
        let limit = self.tables.rules.pieces[usize::from(kind)].promotion_limit;
        limit == 0 || self.position.of(self.us, kind).count_ones() < u32::from(limit)
    }

    fn en_passant(&self, kind: Kind, from: usize, ends: Squares, sink: &mut impl Sink) {
        for_each(ends, |to| {
            let Some(passed) = self.position.passed_piece(self.tables, to) else { return };
            let piece = (kind, 1 << from);
            let (tables, danger) = (self.tables, self.danger);
            if self.position.is_safe_after_passing(tables, danger, piece, to, passed) {
                sink.moves(Action::EnPassant, from, 1 << to);
            }
        });
    }

    fn king(&self, king: usize, sink: &mut impl Sink) {
        let Some((_, kind)) = self.position.piece(king) else { return };
        let movement = &self.tables.movements.of[self.us][usize::from(kind)];
        let (quiet, capture) = self.reach(movement, king);
        let ends = (quiet & !self.occupied) | (capture & self.theirs);
        let ends = self.safe_for_king(kind, king, ends);
        if self.tables.merging.any {
            self.change(kind, king, ends, sink);
            self.merge_and_split(kind, king, quiet, sink);
        } else {
            sink.moves(Action::Go, king, ends);
        }
    }

    /// Returns those ends of the moves of the King where it is safe and that it reaches as it may.
    pub(super) fn safe_for_king(&self, kind: Kind, king: usize, ends: Squares) -> Squares {
        let mut ends = self.uncrossed(kind, king, ends);
        for_each(ends, |to| {
            if !self.position.is_safe_at(self.tables, king, to) {
                ends &= !(1 << to);
            }
        });
        ends
    }

    fn castling(&self, sink: &mut impl Sink) {
        let rights = self.position.state.rights;
        for bit in
            [2 * self.us, 2 * self.us + 1].into_iter().filter(|bit| rights.bits >> bit & 1 == 1)
        {
            let (king, rook) = (usize::from(rights.king[self.us]), usize::from(rights.rook[bit]));
            let (king_to, rook_to) = self.tables.castled(king, rook);
            let ours = 1 << king | 1 << rook;
            let path = (span(king, king_to) | span(rook, rook_to)) & !ours;
            if path & self.occupied == 0 && self.castles_safely(king, king_to, rook) {
                sink.moves(Action::Castle, king, 1 << rook);
            }
        }
    }

    /// Returns whether a King, if it is one, crosses and reaches only safe squares.
    fn castles_safely(&self, king: usize, king_to: usize, rook: usize) -> bool {
        let (position, tables) = (self.position, self.tables);
        if self.danger.king != Some(king) {
            return self.danger.king.is_none();
        }
        let them = self.us ^ 1;
        let view = position.view(tables);
        let mut safe = self.danger.checkers == 0;
        for_each(span(king, king_to) & !(1 << king), |at| {
            safe &= position.attackers(tables, at, them, view) == 0;
            safe &= position.faces(tables, at, them, view.occupied & !(1 << king)) == 0;
        });
        let without = View { occupied: view.occupied & !(1 << rook), ..view };
        safe && position.attackers(tables, king_to, them, without) == 0
    }

    fn drops(&self, sink: &mut impl Sink) {
        let rules = &self.tables.rules;
        for kind in 0..rules.pieces.len() as Kind {
            if self.position.hands[self.us][usize::from(kind)] == 0 {
                continue;
            }
            let region = legal::drop_region(self.position, self.tables, self.us, kind);
            if rules.fusion.drops {
                self.merging_drops(kind, region, sink);
            }
            let ends = self.safe_drops(kind, region & !self.occupied);
            if let Some(to) =
                rules.pieces[usize::from(kind)].promotes_to.filter(|_| rules.drops.promoted)
            {
                sink.with_kind(Action::DropUpgraded, 0, ends & self.mobile(to), kind);
            }
            sink.with_kind(Action::Drop, 0, ends & self.mobile(kind), kind);
        }
    }
}

impl Generator<'_> {
    /// Returns those squares where a piece that comes from no other square leaves the King safe, or is safe itself if it
    /// is the King.
    pub(super) fn safe_drops(&self, kind: Kind, ends: Squares) -> Squares {
        if self.tables.royals >> kind & 1 == 1 {
            let mut safe = 0;
            for_each(ends, |to| {
                if self.position.is_safe_dropped(self.tables, kind, to) {
                    safe |= 1 << to;
                }
            });
            return safe;
        }
        let all = self.danger.delicate == Squares::MAX;
        let mut ends = ends & if all { Squares::MAX } else { self.danger.targets };
        for_each(ends & self.danger.delicate, |to| {
            if !self.position.is_safe_after(self.tables, self.danger, (kind, 0), to, 0) {
                ends &= !(1 << to);
            }
        });
        ends
    }
}

/// Returns all squares from one to another of the same rank.
fn span(from: usize, to: usize) -> Squares {
    let (low, high) = (from.min(to), from.max(to));
    (low..=high).fold(0, |set, at| set | 1 << at)
}
