//! Moves made and taken back.

use super::counting;
use super::movement::for_each;
use super::moves::{Action, Move};
use super::position::{FROM_PAWN, Position, State};
use super::tables::Tables;
use crate::definition::{Kind, Kinds, Role, Squares};

/// A piece that a move removed: its square, side and kind, and origin.
type Removed = (u8, (u8, Kind), u8);

/// What is needed to take a move back.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    mv: Move,
    state: State,
    /// The kind that moved, and its origin.
    moved: (Kind, u8),
    /// The origin of a Rook that castles.
    rook_origin: u8,
    /// The captured piece.
    captured: Option<Removed>,
    /// The piece of the same side with which the moving one merges.
    merged: Option<Removed>,
    /// The pieces that a blast removed.
    blasted: [Removed; 9],
    blasts: u8,
}

impl Undo {
    /// Returns the move.
    #[must_use]
    pub fn mv(&self) -> Move {
        self.mv
    }

    /// Returns the kind of the piece that moved.
    pub(crate) fn moved_kind(&self) -> Kind {
        self.moved.0
    }

    /// Returns the square, the side and the kind of the captured piece.
    pub(crate) fn captured(&self) -> Option<(usize, usize, Kind)> {
        self.captured.map(|(square, (side, kind), _)| (square.into(), side.into(), kind))
    }

    /// Returns the kinds that go to the capturer's hand.
    pub(crate) fn captured_to_hand(&self, tables: &Tables) -> Kinds {
        let captured = self.captured.filter(|_| tables.rules.drops.captures);
        captured.map_or(0, |(_, (side, kind), origin)| {
            Position::kinds_in_hand(tables, (side.into(), kind), origin, false)
        })
    }

    /// Returns the kind with which the moving piece merged.
    pub(crate) fn merged(&self) -> Option<Kind> {
        self.merged.map(|(_, (_, kind), _)| kind)
    }

    /// Returns whether a blast removed pieces.
    pub(crate) fn has_blast(&self) -> bool {
        self.blasts > 0
    }

    /// Returns a side's castling rights before the move.
    pub(crate) fn castling_rights(&self, side: usize) -> [bool; 2] {
        self.state.rights.of(side)
    }

    /// Returns the checks that a side had left before the move.
    pub(crate) fn checks_left(&self, side: usize) -> u8 {
        self.state.checks[side]
    }
}

impl Position {
    /// Makes a legal move, and returns what takes it back.
    pub fn make(&mut self, tables: &Tables, mv: Move) -> Undo {
        let us = self.side;
        let none = (0, (0, 0), 0);
        let (from, to) = (mv.from(), mv.to());
        let moved = self.piece(from).map_or(mv.kind(), |(_, kind)| kind);
        let mut undo = Undo {
            mv,
            state: self.state,
            moved: (moved, self.origin(from)),
            rook_origin: self.origin(to),
            captured: None,
            merged: None,
            blasted: [none; 9],
            blasts: 0,
        };
        let passing = self.passing_after(tables, mv, moved);
        undo.captured = self.captured_square(tables, mv).map(|square| self.remove(tables, square));
        if let Some(captured) = undo.captured {
            self.take(tables, captured, false);
        }
        let becomes = self.kind_after(tables, mv);
        if self.sides[us] >> to & 1 == 1 && matches!(mv.action(), Action::Change | Action::Drop) {
            undo.merged = Some(self.remove(tables, to));
        }
        self.move_pieces(tables, mv, undo.moved, becomes);
        if undo.captured.is_some() && tables.rules.blast {
            self.blast(tables, to, &mut undo);
        }
        self.lose_rights(tables, mv, &undo);
        if mv.is_drop() && undo.merged.is_none() && tables.rules.drops.castling {
            self.gain_rights(tables, to, mv.kind());
        }
        self.set_passing(tables, passing);
        let passes = if mv.action() == Action::Pass { self.state.passes + 1 } else { 0 };
        self.set_passes(tables, passes);
        self.state.dropped_pawn =
            mv.action() == Action::Drop && Some(mv.kind()) == tables.shogi_pawn;
        self.state.clock = self.state.clock.saturating_add(1);
        if self.is_progress(tables, &undo) {
            self.state.clock = 0;
        }
        self.ply += 1;
        self.switch(tables);
        if tables.rules.check_counting && self.checkers(tables, us ^ 1) != 0 {
            self.set_checks(tables, us, self.state.checks[us].saturating_sub(1));
        }
        if let Some(rule) = tables.rules.counting {
            let pawn = undo.captured.is_some_and(|(_, (_, kind), _)| {
                tables.rules.pieces[usize::from(kind)].role == Role::Pawn
            });
            counting::advance(
                self,
                tables,
                rule,
                undo.captured.is_some(),
                pawn,
                mv.action() == Action::Promote,
            );
        }
        undo
    }

    /// Takes back the last move of [`Position::make`].
    pub fn unmake(&mut self, tables: &Tables, undo: &Undo) {
        let mv = undo.mv;
        let (from, to) = (mv.from(), mv.to());
        self.side ^= 1;
        self.ply -= 1;
        let us = self.side;
        for &removed in undo.blasted[..usize::from(undo.blasts)].iter().rev() {
            self.put_back(tables, removed, true);
        }
        let (kind, origin) = undo.moved;
        match mv.action() {
            Action::Pass => {}
            Action::Castle => {
                let (king_to, rook_to) = tables.castled(from, to);
                let (king, rook) = (self.lift(tables, king_to).0, self.lift(tables, rook_to).0);
                self.put(tables, from, king, origin);
                self.put(tables, to, rook, undo.rook_origin);
            }
            Action::Drop | Action::DropUpgraded => {
                self.lift(tables, to);
                self.hands[us][usize::from(mv.kind())] += 1;
            }
            action => {
                self.lift(tables, to);
                if action == Action::Split {
                    self.lift(tables, from);
                }
                self.put(tables, from, (us, kind), origin);
            }
        }
        if let Some((square, (side, kind), origin)) = undo.merged {
            self.put(tables, square.into(), (side.into(), kind), origin);
        }
        if let Some(captured) = undo.captured {
            self.put_back(tables, captured, false);
        }
        self.state = undo.state;
    }

    /// Returns the kind that a move puts on its destination.
    pub(crate) fn kind_after(&self, tables: &Tables, mv: Move) -> Kind {
        let becomes =
            |kind: Kind| tables.rules.pieces[usize::from(kind)].promotes_to.unwrap_or(kind);
        match mv.action() {
            Action::Promote | Action::Change | Action::Split => mv.kind(),
            Action::Drop => match self.piece(mv.to()) {
                Some((_, there)) => tables.merging.merged(mv.kind(), there).unwrap_or(mv.kind()),
                None => mv.kind(),
            },
            Action::DropUpgraded => becomes(mv.kind()),
            action => {
                let kind = self.piece(mv.from()).map_or(0, |(_, kind)| kind);
                match action {
                    Action::Upgrade => becomes(kind),
                    Action::Downgrade => self.kind_before(mv.from()).unwrap_or(kind),
                    _ => kind,
                }
            }
        }
    }

    /// Returns the square of the piece that a move captures.
    pub(crate) fn captured_square(&self, tables: &Tables, mv: Move) -> Option<usize> {
        match mv.action() {
            Action::EnPassant => self.passed_piece(tables, mv.to()),
            _ => self.captures(mv).then(|| mv.to()),
        }
    }

    /// Puts a piece that a move has removed back on the board, and takes it out of the hand.
    fn put_back(&mut self, tables: &Tables, removed: Removed, blasted: bool) {
        let (square, (side, kind), origin) = removed;
        self.put(tables, square.into(), (side.into(), kind), origin);
        self.give_back(tables, removed, blasted);
    }

    fn remove(&mut self, tables: &Tables, square: usize) -> Removed {
        let ((side, kind), origin) = self.lift(tables, square);
        (square as u8, (side as u8, kind), origin)
    }

    /// Returns the kinds that a captured piece has in the hand.
    /// `blasted` says that a blast removed it.
    fn kinds_in_hand(tables: &Tables, piece: (usize, Kind), origin: u8, blasted: bool) -> Kinds {
        let kind = Self::kind_in_hand(tables, piece, origin, blasted);
        if tables.rules.fusion.hands_of_components {
            tables.rules.components(kind)
        } else {
            1 << kind
        }
    }

    /// Returns the kind that a captured piece would have in the hand if it went there whole.
    fn kind_in_hand(
        tables: &Tables,
        (owner, kind): (usize, Kind),
        origin: u8,
        blasted: bool,
    ) -> Kind {
        match origin {
            0 => kind,
            _ if tables.rules.drops.keep_promoted => kind,
            FROM_PAWN if blasted => tables.pawn.unwrap_or(kind),
            FROM_PAWN => tables.rules.promotion.pawn[owner].unwrap_or(kind),
            before => before - 1,
        }
    }

    /// Puts a piece that has left the board into the other side's hand, if captured pieces go there.
    fn take(&mut self, tables: &Tables, (_, (side, kind), origin): Removed, blasted: bool) {
        let side = usize::from(side);
        if tables.rules.drops.captures {
            for kind in Tables::kinds(Self::kinds_in_hand(tables, (side, kind), origin, blasted)) {
                let held = self.in_hand(side ^ 1, kind);
                self.set_hand(tables, side ^ 1, kind, held.saturating_add(1));
            }
        }
    }

    /// Undoes what [`Position::take`] did.
    fn give_back(&mut self, tables: &Tables, (_, (side, kind), origin): Removed, blasted: bool) {
        let side = usize::from(side);
        if tables.rules.drops.captures {
            for kind in Tables::kinds(Self::kinds_in_hand(tables, (side, kind), origin, blasted)) {
                self.hands[side ^ 1][usize::from(kind)] -= 1;
            }
        }
    }

    /// Moves the pieces of a move; what it captures or merges with has gone.
    fn move_pieces(
        &mut self,
        tables: &Tables,
        mv: Move,
        (kind, origin): (Kind, u8),
        becomes: Kind,
    ) {
        let us = self.side;
        let (from, to) = (mv.from(), mv.to());
        match mv.action() {
            Action::Pass => {}
            Action::Drop | Action::DropUpgraded => {
                self.set_hand(tables, us, mv.kind(), self.in_hand(us, mv.kind()).saturating_sub(1));
                let origin = if mv.action() == Action::Drop { 0 } else { mv.kind() + 1 };
                self.put(tables, to, (us, becomes), origin);
            }
            Action::Castle => {
                let (king_to, rook_to) = tables.castled(from, to);
                let (king, rook) = (self.lift(tables, from).0, self.lift(tables, to).0);
                self.put(tables, king_to, king, 0);
                self.put(tables, rook_to, rook, 0);
            }
            action => {
                self.lift(tables, from);
                if action == Action::Split
                    && let Some(rest) = tables.rules.rest(kind, becomes)
                {
                    self.put(tables, from, (us, rest), 0);
                }
                let origin = match action {
                    Action::Promote => tables.from_pawn,
                    Action::Upgrade => kind + 1,
                    Action::Downgrade | Action::Change | Action::Split => 0,
                    _ => origin,
                };
                self.put(tables, to, (us, becomes), origin);
            }
        }
    }

    /// Returns the squares of pieces that withstand a blast.
    pub(crate) fn blast_immune(&self, tables: &Tables) -> Squares {
        let kinds = Tables::kinds(tables.rules.blast_immune);
        kinds.fold(0, |set, kind| set | self.kinds[usize::from(kind)])
    }

    /// Returns the squares of the Pawns of both sides.
    pub(crate) fn pawns(&self, tables: &Tables) -> Squares {
        tables.pawn.map_or(0, |pawn| self.kinds[usize::from(pawn)])
    }

    /// Returns the squares around another one whose pieces a blast there removes.
    pub(crate) fn blasted(&self, tables: &Tables, centre: usize) -> Squares {
        tables.around[centre]
            & !self.pawns(tables)
            & !self.blast_immune(tables)
            & (self.sides[0] | self.sides[1])
    }

    /// Removes the pieces on a square and around it that do not withstand a blast.
    fn blast(&mut self, tables: &Tables, centre: usize, undo: &mut Undo) {
        let there = 1 << centre & !self.blast_immune(tables);
        for_each(self.blasted(tables, centre) | there, |square| {
            let removed = self.remove(tables, square);
            undo.blasted[usize::from(undo.blasts)] = removed;
            undo.blasts += 1;
            self.take(tables, removed, true);
        });
    }

    /// Removes the castling rights that end with a move.
    fn lose_rights(&mut self, tables: &Tables, mv: Move, undo: &Undo) {
        let mut rights = self.state.rights;
        let enters = mv.is_drop() && undo.merged.is_none();
        if rights.bits == 0 || enters || mv.action() == Action::Pass {
            return;
        }
        let blasted = undo.blasted[..usize::from(undo.blasts)].iter();
        let touched = blasted
            .fold(1 << mv.from() | 1 << mv.to(), |set: Squares, (square, ..)| set | 1 << square);
        let held = rights.bits;
        for bit in (0..4).filter(|bit| held >> bit & 1 == 1) {
            let squares: Squares = 1 << rights.king[bit / 2] | 1 << rights.rook[bit];
            if squares & touched != 0 {
                self.state.hash ^= tables.keys.castling[bit];
                rights.bits &= !(1 << bit);
            }
        }
        self.state.rights = rights;
    }

    /// Adds the castling rights that a dropped King or Rook brings.
    fn gain_rights(&mut self, tables: &Tables, square: usize, kind: Kind) {
        let Some(castling) = &tables.rules.castling else { return };
        let us = self.side;
        let (files, ranks) = (usize::from(tables.rules.files), usize::from(tables.rules.ranks));
        let rank = usize::from(castling.rank);
        let rank = if us == 0 { rank } else { ranks - 1 - rank };
        let Some(king) = castling.king[us] else { return };
        if usize::from(castling.king_from) >= files {
            return;
        }
        let king_at = rank * files + usize::from(castling.king_from);
        let corners: Squares = 1 << (rank * files) | 1 << (rank * files + files - 1);
        let rooks = Tables::kinds(castling.rooks[us]).fold(0, |set, kind| set | self.of(us, kind));
        let gained = match () {
            () if kind == king && square == king_at => rooks & corners,
            () if castling.rooks[us] >> kind & 1 == 1
                && self.piece(king_at) == Some((us, king)) =>
            {
                corners & 1 << square
            }
            () => 0,
        };
        let mut rights = self.state.rights;
        for_each(gained, |rook| {
            let wing = usize::from(rook < king_at);
            if castling.has_wing(wing, tables.rules.files) {
                let bit = 2 * us + wing;
                rights.bits |= 1 << bit;
                rights.king[us] = king_at as u8;
                rights.rook[bit] = rook as u8;
            }
        });
        self.set_rights(tables, rights);
    }

    /// Returns whether a move that has been made cannot be undone on the board, so that the clock of moves
    /// without progress begins anew.
    fn is_progress(&self, tables: &Tables, undo: &Undo) -> bool {
        let us = self.side;
        let (from, to) = (undo.mv.from(), undo.mv.to());
        let (kind, _) = undo.moved;
        match undo.mv.action() {
            _ if undo.captured.is_some() => true,
            Action::Drop | Action::DropUpgraded | Action::Promote => true,
            Action::Upgrade if !tables.rules.promotion.demotion => true,
            _ => {
                tables.rules.move_rule_kinds[us] >> kind & 1 == 1
                    && tables.movements.of[us][usize::from(kind)].has_no_way_back(
                        &tables.movements.lines,
                        to,
                        from,
                    )
            }
        }
    }

    /// Returns the squares of captures in passing after a move.
    fn passing_after(&self, tables: &Tables, mv: Move, kind: Kind) -> Squares {
        if mv.action() != Action::Go {
            return 0;
        }
        let us = self.side;
        let (from, to) = (mv.from(), mv.to());
        let rules = &tables.rules;
        let region = rules.en_passant[us ^ 1];
        if rules.pieces[usize::from(kind)].role == Role::Pawn {
            let files = usize::from(rules.files);
            if from % files != to % files || from.abs_diff(to) < 2 * files {
                return 0;
            }
            let crossed = tables.between(from, to) & region;
            return self.en_passant_targets(tables, us ^ 1, crossed);
        }
        let movement = &tables.movements.of[us][usize::from(kind)];
        if !movement.is_first_move(&tables.movements.lines, from, to) {
            return 0;
        }
        (tables.between(from, to) | 1 << to) & region
    }

    /// Returns the piece that a capture in passing on a square takes: an enemy piece on one of the squares of
    /// such captures, else the nearest one beyond, straight ahead as it moves.
    pub(crate) fn passed_piece(&self, tables: &Tables, to: usize) -> Option<usize> {
        let theirs = self.sides[self.side ^ 1];
        let there = self.state.passing & theirs;
        if there != 0 {
            let first = self.side == 0;
            return Some(
                if first { there.trailing_zeros() } else { 127 - there.leading_zeros() } as usize
            );
        }
        let forward = tables.forward(self.side ^ 1);
        let mut beyond =
            std::iter::successors(Some(to), |&at| tables.grid.step(at, forward)).skip(1);
        beyond.find(|&square| theirs >> square & 1 == 1)
    }

    /// Returns the crossed squares that a side's Pawns attack; all, if other kinds capture in passing too.
    pub(crate) fn en_passant_targets(
        &self,
        tables: &Tables,
        side: usize,
        crossed: Squares,
    ) -> Squares {
        let rules = &tables.rules;
        let pawn = rules.pieces.iter().position(|piece| piece.role == Role::Pawn);
        let Some(pawn) = pawn else { return 0 };
        if rules.en_passant_kinds[side] & !(1 << pawn) != 0 {
            return crossed;
        }
        let mut attacked = 0;
        for_each(self.of(side, pawn as Kind), |from| {
            let usual = &tables.movements.of[side][pawn].usual;
            attacked |= usual.moves(&tables.movements.lines, from, self.occupied(), 0).1;
        });
        crossed & attacked
    }
}
