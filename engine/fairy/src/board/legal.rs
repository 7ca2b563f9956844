//! Rules that forbid moves although the King is safe after them.

use super::attacks::View;
use super::movement::for_each;
use super::moves::{Action, Move};
use super::position::Position;
use super::shortcut::{Checks, Guard};
use super::tables::Tables;
use crate::definition::{Kind, Role, Squares};

/// Returns the squares where a side may drop a kind, occupied ones included.
pub(crate) fn drop_region(
    position: &Position,
    tables: &Tables,
    side: usize,
    kind: Kind,
) -> Squares {
    let rules = &tables.rules;
    let drops = &rules.drops;
    let movement = &tables.movements.of[side][usize::from(kind)];
    let mut region = drops.region[side] & movement.region;
    if rules.pieces[usize::from(kind)].role == Role::Pawn {
        if !drops.pawns_in_promotion {
            region &= !rules.promotion.region[side];
        }
        if !drops.pawns_on_first_rank {
            region &= !tables.first_rank(side);
        }
    }
    if drops.no_doubled == Some(kind) {
        for file in 0..usize::from(rules.files) {
            let file = tables.grid.file(file);
            if (file & position.of(side, kind)).count_ones() >= u32::from(drops.doubled_count) {
                region &= !file;
            }
        }
    }
    region
}

/// Removes the moves, from a place on, that duties forbid because there are others.
pub(crate) fn heed_duties(
    position: &Position,
    tables: &Tables,
    moves: &mut Vec<Move>,
    first: usize,
) {
    let rules = &tables.rules;
    let keep = |moves: &mut Vec<Move>, what: &dyn Fn(&Move) -> bool| {
        if moves[first..].iter().any(what) {
            let mut place = 0;
            moves.retain(|mv| {
                place += 1;
                place <= first || what(mv)
            });
        }
    };
    if rules.must_capture {
        keep(moves, &|&mv| position.captures(mv));
    }
    if rules.drops.must {
        let wanted = |kind| rules.drops.must_kind.is_none_or(|must| must == kind);
        let held = (0..rules.pieces.len() as Kind)
            .any(|kind| wanted(kind) && position.in_hand(position.side, kind) > 0);
        if held {
            keep(moves, &|mv| !mv.is_drop() || wanted(mv.kind()));
            keep(moves, &|mv| mv.is_drop());
        }
    }
    if rules.pass_on_stalemate[position.side] && !rules.pass[position.side] {
        keep(moves, &|mv| mv.action() != Action::Pass);
    }
}

/// Judges the moves that leave the King safe.
pub(crate) struct Judge<'a> {
    pub tables: &'a Tables,
    pub position: &'a Position,
    /// The pseudo-royal pieces of both sides.
    royals: Squares,
    guard: Option<Guard>,
    checks: Option<Checks>,
}

impl<'a> Judge<'a> {
    pub fn new(position: &'a Position, tables: &'a Tables) -> Self {
        let royals = position.pseudo_royals(tables);
        let guard = Guard::of(position, tables, royals);
        let needs_checks = !(tables.rules.checking && tables.rules.drops.checks);
        let checks = if needs_checks { Checks::of(position, tables) } else { None };
        Self { tables, position, royals, guard, checks }
    }

    /// Returns those of the simple moves from a square to others that are legal, and those that are not. The
    /// rest has to be judged one by one.
    pub fn sure(&self, from: usize, to: Squares) -> (Squares, Squares) {
        let (position, tables) = (self.position, self.tables);
        let rules = &tables.rules;
        if rules.king_stays_in_check || rules.mutually_immune != 0 {
            return (0, 0);
        }
        let (mut yes, mut no) = (to, 0);
        if !rules.checking {
            let Some(checks) = &self.checks else { return (0, 0) };
            let checking = checks.of_simple_moves(position, tables, from);
            no |= to & checking.1;
            yes &= checking.0;
        }
        if rules.pseudo_royal {
            let Some(guard) = &self.guard else { return (0, no) };
            let (safe, lost) = guard.of_simple_moves(position, tables, from);
            no |= to & lost;
            yes &= safe;
        }
        (yes & !no, no)
    }

    /// Returns whether a move is legal, but for duties.
    pub fn allows(&self, mv: Move) -> bool {
        let (position, tables) = (self.position, self.tables);
        let rules = &tables.rules;
        let us = position.side;
        if mv.action() == Action::Pass {
            return !rules.pseudo_royal || self.keeps_pseudo_royals(mv);
        }
        let moved = if mv.is_drop() {
            Some(mv.kind())
        } else {
            position.piece(mv.from()).map(|(_, kind)| kind)
        };
        let moved = moved.unwrap_or_default();
        if rules.king_stays_in_check && tables.royals >> moved & 1 == 1 {
            // The King may only capture the piece that gives check. A King that faces it gives no check.
            let checkers = position.checkers(tables, us);
            if checkers & !(1 << mv.to()) != 0 {
                return false;
            }
        }
        if rules.mutually_immune >> moved & 1 == 1
            && position.piece(mv.to()).is_some_and(|(side, kind)| side != us && kind == moved)
        {
            return false;
        }
        if rules.drops.opposite_bishops && mv.is_drop() && !self.keeps_bishops_apart(mv) {
            return false;
        }
        let quiet_drop = !rules.drops.checks && mv.is_drop();
        if (!rules.checking || quiet_drop) && self.gives_check(mv) {
            return false;
        }
        !rules.pseudo_royal || self.keeps_pseudo_royals(mv)
    }

    /// Returns the board after a move, except that what a move makes of a piece is not looked at. `gone` has
    /// the origins too.
    fn view_after(&self, mv: Move) -> View {
        let (position, tables) = (self.position, self.tables);
        let from: Squares = if mv.is_drop() { 0 } else { 1 << mv.from() };
        let mut view = position.view(tables);
        if mv.action() == Action::Castle {
            let (king_to, rook_to) = tables.castled(mv.from(), mv.to());
            let moved = from | 1 << mv.to();
            view.occupied = view.occupied & !moved | 1 << king_to | 1 << rook_to;
            view.gone = moved;
            return view;
        }
        let to = 1 << mv.to();
        let mut gone = from | to;
        if mv.action() == Action::Split {
            view.occupied |= to;
            view.gone = gone;
            return view;
        }
        let captured = position.captured_square(tables, mv).map_or(0, |square| 1 << square);
        view.occupied = view.occupied & !from & !captured | to;
        gone |= captured;
        if captured != 0 && tables.rules.blast {
            // A royal piece does not withstand the blast, whatever its kind.
            let hit = tables.around[mv.to()] & !position.pawns(tables) | to;
            view.occupied &= !hit;
            gone |= hit;
        }
        let moves_cannon = view.cannons & from != 0;
        view.cannons = view.cannons & !gone | if moves_cannon { to & view.occupied } else { 0 };
        view.gone = gone;
        view
    }

    /// Returns whether a move attacks the other side's King.
    fn gives_check(&self, mv: Move) -> bool {
        let (position, tables) = (self.position, self.tables);
        let us = position.side;
        let Some(king) = position.king(tables, us ^ 1) else { return false };
        if self.checks.as_ref().is_some_and(|checks| checks.excludes(position, tables, mv)) {
            return false;
        }
        let view = self.view_after(mv);
        if position.attackers(tables, king, us, view) != 0 {
            return true;
        }
        let attacks = |square: usize, kind: Kind| {
            let movement = &tables.movements.of[us][usize::from(kind)];
            let (_, capture) =
                movement.usual.moves(&tables.movements.lines, square, view.occupied, view.cannons);
            (capture & movement.region) >> king & 1 == 1
        };
        if mv.action() == Action::Castle {
            let (king_to, rook_to) = tables.castled(mv.from(), mv.to());
            let kind = |square| position.piece(square).map_or(0, |(_, kind)| kind);
            return attacks(king_to, kind(mv.from())) || attacks(rook_to, kind(mv.to()));
        }
        let becomes = position.kind_after(tables, mv);
        if mv.action() == Action::Split {
            let kind = position.piece(mv.from()).map_or(0, |(_, kind)| kind);
            let rest = tables.rules.rest(kind, becomes);
            if rest.is_some_and(|rest| attacks(mv.from(), rest)) {
                return true;
            }
        }
        view.occupied >> mv.to() & 1 == 1 && attacks(mv.to(), becomes)
    }

    /// Returns whether Bishops of this side can still stand on squares of both colours in equal numbers.
    fn keeps_bishops_apart(&self, mv: Move) -> bool {
        let (position, tables) = (self.position, self.tables);
        let bishop = tables.rules.pieces.iter().position(|piece| piece.name == "bishop");
        let Some(bishop) = bishop.map(|kind| kind as Kind) else { return true };
        let (us, dark) = (position.side, tables.dark());
        let bishops = position.of(us, bishop);
        let owned = position.owned(us, bishop);
        if mv.kind() == bishop {
            let colour = if dark >> mv.to() & 1 == 1 { dark } else { !dark };
            return (colour & bishops).count_ones() < owned.div_ceil(2);
        }
        let free =
            drop_region(position, tables, us, bishop) & !position.occupied() & !(1 << mv.to());
        [dark, !dark]
            .into_iter()
            .all(|colour| (colour & (bishops | free)).count_ones() >= owned / 2)
    }

    /// Returns whether a move leaves no pseudo-royal piece of its side attacked, unless it captures one.
    fn keeps_pseudo_royals(&self, mv: Move) -> bool {
        let (position, tables) = (self.position, self.tables);
        let us = position.side;
        let royals = self.royals;
        let mut ours = royals & position.sides[us];
        if !mv.is_drop() && ours >> mv.from() & 1 == 1 {
            let castles = mv.action() == Action::Castle;
            let to = self.arrival(mv);
            if castles && !self.castles_safely(mv.from(), to, royals) {
                return false;
            }
            ours = ours & !(1 << mv.from()) | 1 << to;
        }
        let mut candidates = position.candidates(tables, us);
        if !mv.is_drop() && candidates >> mv.from() & 1 == 1 {
            candidates = candidates & !(1 << mv.from()) | 1 << self.arrival(mv);
        }
        if let Some(extinction) = &tables.rules.extinction
            && extinction.kinds >> position.kind_after(tables, mv) & 1 == 1
        {
            match mv.action() {
                Action::Promote => {
                    // One more piece of the kind: it is the last one, or the others are no longer the last ones.
                    let others = position.of(us, mv.kind());
                    let many = others.count_ones() > u32::from(extinction.count);
                    ours = if many { ours & !others } else { ours | 1 << mv.to() };
                    candidates |= 1 << mv.to();
                }
                Action::Drop | Action::DropUpgraded => ours |= 1 << mv.to(),
                _ => {}
            }
        }
        let view = self.view_after(mv);
        if ours & !view.occupied != 0 {
            return false;
        }
        let theirs = royals & position.sides[us ^ 1];
        let attacked = |square: usize| {
            let immune = tables.rules.blast && theirs & tables.around[square] != 0;
            !immune && position.attackers(tables, square, us ^ 1, view) != 0
        };
        // A blast or a capture in passing that destroys an enemy royal piece wins at once.
        let wins = theirs & !view.occupied != 0;
        let mut safe = true;
        for_each(ours, |square| safe &= wins || !attacked(square));
        if safe && tables.rules.duple_check && candidates != 0 {
            let mut all = true;
            for_each(candidates, |square| all &= attacked(square));
            safe = !all;
        }
        safe
    }

    /// Returns where the piece that a move is about arrives.
    fn arrival(&self, mv: Move) -> usize {
        match mv.action() {
            Action::Castle => self.tables.castled(mv.from(), mv.to()).0,
            _ => mv.to(),
        }
    }

    /// Returns whether a pseudo-royal piece that castles starts on and crosses safe squares only.
    fn castles_safely(&self, from: usize, to: usize, royals: Squares) -> bool {
        let (position, tables) = (self.position, self.tables);
        let us = position.side;
        let mut view = position.view(tables);
        view.occupied &= !(1 << from);
        let theirs = royals & position.sides[us ^ 1];
        let crossed: Vec<usize> =
            if from < to { (from..to).collect() } else { (to + 1..=from).collect() };
        crossed.into_iter().all(|square| {
            let immune = tables.rules.blast && theirs & tables.around[square] != 0;
            immune || position.attackers(tables, square, us ^ 1, view) == 0
        })
    }
}

impl Position {
    /// Returns whether a move captures.
    #[inline]
    #[must_use]
    pub fn captures(&self, mv: Move) -> bool {
        match mv.action() {
            Action::EnPassant => true,
            Action::Castle | Action::Drop | Action::DropUpgraded | Action::Pass => false,
            _ => self.sides[self.side ^ 1] >> mv.to() & 1 == 1,
        }
    }

    /// Returns a side's pieces of the kinds of which the last ones are royal.
    pub(crate) fn candidates(&self, tables: &Tables, side: usize) -> Squares {
        let Some(extinction) = &tables.rules.extinction else { return 0 };
        if extinction.all {
            return self.sides[side];
        }
        Tables::kinds(extinction.kinds).fold(0, |set, kind| set | self.of(side, kind))
    }

    /// Returns the pieces of both sides that are royal because they are the last ones of their kinds.
    pub(crate) fn pseudo_royals(&self, tables: &Tables) -> Squares {
        let Some(extinction) =
            tables.rules.extinction.as_ref().filter(|_| tables.rules.pseudo_royal)
        else {
            return 0;
        };
        let most = u32::from(extinction.count) + 1;
        let few = |pieces: Squares| if pieces.count_ones() <= most { pieces } else { 0 };
        let mut royals = 0;
        for side in [0, 1] {
            for kind in Tables::kinds(extinction.kinds) {
                royals |= few(self.of(side, kind));
            }
            if extinction.all {
                royals |= few(self.sides[side]);
            }
        }
        royals
    }
}
