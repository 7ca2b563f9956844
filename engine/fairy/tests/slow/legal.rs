//! Which moves are legal.

use fusion_fairy::definition::Role;

use super::Slow;
use super::board::{Board, Man, Origin};
use super::moves::Move;

impl<'a> Slow<'a> {
    /// Returns the legal moves: none if a rule has ended the game at once.
    pub fn moves(&self) -> Vec<Move> {
        if self.immediate_end().is_some() {
            return Vec::new();
        }
        self.moves_anyway()
    }

    /// Returns the legal moves even after the end of the game.
    pub fn moves_anyway(&self) -> Vec<Move> {
        self.all_moves().into_iter().filter(|mv| self.is_legal(*mv)).collect()
    }

    /// Returns the square and the man that is captured.
    pub fn captured(&self, mv: Move) -> Option<(usize, Man)> {
        let square = match mv {
            Move::Plain { to, .. }
            | Move::Promote { to, .. }
            | Move::PromotePiece { to, .. }
            | Move::Change { to, .. }
            | Move::Demote { to, .. } => to,
            Move::Passing { captured, .. } => captured,
            Move::Split { .. } | Move::Castle { .. } | Move::Drop { .. } | Move::Pass { .. } => {
                return None;
            }
        };
        self.board.cells[square].filter(|man| man.side != self.side).map(|man| (square, man))
    }

    /// Returns the board after the move, without a blast.
    pub fn board_after(&self, mv: Move) -> Board<'a> {
        let mut board = self.board.clone();
        let side = self.side;
        let lift = |board: &mut Board, square: usize| board.cells[square].take().expect("a man");
        if let Some((square, _)) = self.captured(mv) {
            board.cells[square] = None;
        }
        match mv {
            Move::Plain { from, to } | Move::Passing { from, to, .. } => {
                board.cells[to] = Some(lift(&mut board, from));
            }
            Move::Promote { from, to, kind } => {
                lift(&mut board, from);
                board.cells[to] = Some(Man { kind, side, origin: Origin::Pawn });
            }
            Move::PromotePiece { from, to } => {
                let old = lift(&mut board, from).kind;
                let kind = usize::from(self.game.pieces[old].promotes_to.expect("a promotion"));
                board.cells[to] = Some(Man { kind, side, origin: Origin::Kind(old) });
            }
            Move::Demote { from, to } => {
                let man = lift(&mut board, from);
                let kind = if let Origin::Kind(kind) = man.origin { kind } else { man.kind };
                board.cells[to] = Some(Man { kind, side, origin: Origin::Itself });
            }
            Move::Castle { from, rook, king_to, rook_to } => {
                let (king, tower) = (lift(&mut board, from), lift(&mut board, rook));
                board.cells[king_to] = Some(Man { origin: Origin::Itself, ..king });
                board.cells[rook_to] = Some(Man { origin: Origin::Itself, ..tower });
            }
            Move::Change { from, to, kind } => {
                lift(&mut board, from);
                board.cells[to] = Some(Man { kind, side, origin: Origin::Itself });
            }
            Move::Split { from, to, kind } => {
                let rest = self.rest(lift(&mut board, from).kind, kind).expect("a rest");
                board.cells[from] = Some(Man { kind: rest, side, origin: Origin::Itself });
                board.cells[to] = Some(Man { kind, side, origin: Origin::Itself });
            }
            Move::Drop { hand, kind, to } => {
                let friend = board.cells[to];
                let kind = friend.and_then(|man| self.fused(kind, man.kind)).unwrap_or(kind);
                let hand = if friend.is_some() { kind } else { hand };
                let origin = if hand == kind { Origin::Itself } else { Origin::Kind(hand) };
                board.cells[to] = Some(Man { kind, side, origin });
            }
            Move::Pass { .. } => {}
        }
        board
    }

    /// Returns the squares that a blast there empties.
    pub fn blast(&self, board: &Board, centre: usize) -> Vec<usize> {
        let immune = |man: Man| self.game.blast_immune >> man.kind & 1 == 1;
        let mut squares = self.blast_without_immunity(board, centre);
        squares.retain(|square| board.cells[*square].is_some_and(|man| !immune(man)));
        squares
    }

    /// Returns the squares that a blast there would empty if no piece was immune.
    pub fn blast_without_immunity(&self, board: &Board, centre: usize) -> Vec<usize> {
        let mut squares = vec![centre];
        for (dx, dy) in [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)] {
            let square = board.neighbour(centre, dx, dy);
            let pawn = |man: Man| board.role(man.kind) == Role::Pawn;
            squares
                .extend(square.filter(|square| board.cells[*square].is_some_and(|man| !pawn(man))));
        }
        squares
    }

    /// Returns whether the move gives check.
    pub fn gives_check(&self, mv: Move) -> bool {
        let board = self.board_after(mv);
        board.king(1 - self.side).is_some_and(|king| !board.attackers(king, self.side).is_empty())
    }

    /// Returns whether a move of [`Slow::all_moves`] is legal.
    pub fn is_legal(&self, mv: Move) -> bool {
        let rules = &self.game.drops;
        let drop = matches!(mv, Move::Drop { .. });
        if (!self.game.checking || drop && !rules.checks) && self.gives_check(mv) {
            return false;
        }
        if self.game.must_capture
            && self.captured(mv).is_none()
            && self.some(|mv| self.captured(mv).is_some())
        {
            return false;
        }
        self.obeys_drop_rules(mv)
            && self.can_move_on(mv)
            && self.may_pass(mv)
            && self.pseudo_royals_are_safe(mv)
            && !self.is_immune(mv)
            && self.king_is_safe(mv)
    }

    /// Returns whether some legal move is as wanted.
    fn some(&self, wanted: impl Fn(Move) -> bool) -> bool {
        self.all_moves().into_iter().any(|mv| wanted(mv) && self.is_legal(mv))
    }

    /// Returns whether the move obeys the rules that force drops and forbid some.
    fn obeys_drop_rules(&self, mv: Move) -> bool {
        let rules = &self.game.drops;
        let must_kind = rules.must_kind.map(usize::from);
        let held: u32 = match must_kind {
            Some(kind) => self.hands[self.side][kind],
            None => self.hands[self.side].iter().sum(),
        };
        let must = rules.must && held > 0;
        let Move::Drop { hand, kind, to } = mv else {
            return !must || !self.some(|mv| matches!(mv, Move::Drop { .. }));
        };
        let right_kind = !must || must_kind.is_none_or(|kind| kind == hand);
        right_kind && (!rules.opposite_bishops || self.bishops_fit(kind, to))
    }

    /// Returns whether Bishops can still be placed on squares of both colours after this drop.
    fn bishops_fit(&self, kind: usize, to: usize) -> bool {
        let Some(bishop) = self.kind_named("bishop") else { return true };
        let colour = |square: usize| (self.board.file(square) + self.board.rank(square, 0)) % 2;
        let placed = self.board.men_of(self.side, bishop);
        let all = placed.len() + self.hands[self.side][bishop] as usize;
        if kind == bishop {
            let same = placed.iter().filter(|square| colour(**square) == colour(to)).count();
            return same < all.div_ceil(2);
        }
        let mut places = placed;
        places.extend(self.drop_squares(bishop).into_iter().filter(|square| *square != to));
        let of = |wanted: usize| places.iter().filter(|square| colour(**square) == wanted).count();
        of(0) >= all / 2 && of(1) >= all / 2
    }

    /// Returns the kind with this name.
    pub fn kind_named(&self, name: &str) -> Option<usize> {
        self.game.pieces.iter().position(|piece| piece.name == name)
    }

    /// Returns whether the piece could move on from its new square.
    fn can_move_on(&self, mv: Move) -> bool {
        let (kind, to) = match mv {
            Move::Plain { from, to } => (self.board.cells[from].expect("a man").kind, to),
            Move::Change { kind, to, .. } | Move::Split { kind, to, .. } => (kind, to),
            Move::Drop { to, .. } => (self.board_after(mv).cells[to].expect("a man").kind, to),
            _ => return true,
        };
        if self.board.role(kind) == Role::King {
            return true;
        }
        let ideal = self.board.ideal(self.side, kind, to, false);
        !self.game.no_immobile || ideal.into_iter().any(|square| !self.board.missing[square])
    }

    /// Returns whether the move is no pass that other moves forbid.
    fn may_pass(&self, mv: Move) -> bool {
        let pass = |mv: Move| matches!(mv, Move::Pass { .. });
        !self.game.pass_on_stalemate[self.side]
            || !pass(mv)
            || self.in_check()
            || !self.some(|mv| !pass(mv))
    }

    /// Returns whether the captured piece is immune.
    fn is_immune(&self, mv: Move) -> bool {
        let from = match mv {
            Move::Plain { from, .. } | Move::PromotePiece { from, .. } => from,
            Move::Promote { from, .. } | Move::Demote { from, .. } => from,
            Move::Change { from, .. } => from,
            _ => return false,
        };
        let kind = self.board.cells[from].expect("a man").kind;
        let same = self.captured(mv).is_some_and(|(_, man)| man.kind == kind);
        same && self.game.mutually_immune >> kind & 1 == 1
    }

    /// Returns whether the King is safe after the move, and on the squares that it crosses in castling.
    fn king_is_safe(&self, mv: Move) -> bool {
        let (us, them) = (self.side, 1 - self.side);
        if let Move::Castle { from, rook, king_to, .. } = mv {
            let royal =
                self.board.cells[from].is_some_and(|man| self.board.role(man.kind) == Role::King);
            if !royal {
                return true;
            }
            let mut without_king = self.board.clone();
            without_king.cells[from] = None;
            let mut without_rook = self.board.clone();
            without_rook.cells[rook] = None;
            let faced = |square: usize| {
                let king = self.board.king(them);
                self.game.flying_general
                    && king.is_some_and(|king| without_king.in_line(square, king))
            };
            let mut way = self.board.between(from, king_to);
            way.extend(Some(king_to).filter(|square| *square != from));
            return !way
                .iter()
                .any(|square| !self.board.attackers(*square, them).is_empty() || faced(*square))
                && without_rook.attackers(king_to, them).is_empty();
        }
        let board = self.board_after(mv);
        let Some(king) = board.king(us) else { return true };
        // That program does not look for facing Kings after a capture in passing.
        if self.game.flying_general
            && !matches!(mv, Move::Passing { .. })
            && board.king(them).is_some_and(|other| board.in_line(king, other))
        {
            return false;
        }
        if self.game.king_stays_in_check && self.in_check() && !self.leaves_as_it_may(mv) {
            return false;
        }
        board.attackers(king, them).is_empty() && !self.stays_in_double_check(mv)
    }

    /// Returns whether the move is none of the King's, or captures the only piece that gives check.
    fn leaves_as_it_may(&self, mv: Move) -> bool {
        let king = self.board.king(self.side);
        match mv {
            Move::Split { kind, .. } if self.board.role(kind) == Role::King => false,
            Move::Plain { from, to } | Move::Change { from, to, .. } if Some(from) == king => {
                self.board.attackers(from, 1 - self.side) == [to]
            }
            Move::Pass { .. } => king.is_none(),
            _ => true,
        }
    }

    /// Returns whether two pieces give check that neither hop nor can be stopped half-way, and the move is none of
    /// the King's. That program does not try such moves.
    fn stays_in_double_check(&self, mv: Move) -> bool {
        use fusion_fairy::betza::Way;
        let Some(king) = self.board.king(self.side) else { return false };
        let kings = match mv {
            Move::Plain { from, .. } | Move::Castle { from, .. } => from == king,
            Move::Change { from, .. } => from == king,
            Move::Split { kind, .. } => self.board.role(kind) == Role::King,
            Move::Pass { .. } => true,
            _ => false,
        };
        let plain = |square: &usize| {
            let kind = self.board.cells[*square].expect("a man").kind;
            let captures =
                self.game.pieces[kind].steps.iter().filter(|step| step.capture && !step.initial);
            let odd = |way: Way| matches!(way, Way::Lame | Way::Hop(_) | Way::Grasshop);
            let night = |way: Way, dx: i8, dy: i8| {
                matches!(way, Way::Ride(_)) && dx.abs() != dy.abs() && dx * dy != 0
            };
            !captures.into_iter().any(|step| odd(step.way) || night(step.way, step.dx, step.dy))
        };
        !kings && self.board.attackers(king, 1 - self.side).into_iter().filter(plain).count() > 1
    }
}
