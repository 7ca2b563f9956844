//! Moves that pieces can make, without regard to check.

use fusion_fairy::definition::Role;

use super::Slow;
use super::board::Origin;

/// A move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// A piece goes to an empty square or captures there.
    Plain { from: usize, to: usize },
    /// A Pawn becomes another kind.
    Promote { from: usize, to: usize, kind: usize },
    /// A piece promotes as in Shogi.
    PromotePiece { from: usize, to: usize },
    /// A promoted piece becomes what it was.
    Demote { from: usize, to: usize },
    /// A piece captures in passing.
    Passing { from: usize, to: usize, captured: usize },
    /// The King castles.
    Castle { from: usize, rook: usize, king_to: usize, rook_to: usize },
    /// A piece comes from the hand as this kind.
    Drop { hand: usize, kind: usize, to: usize },
    /// The side passes.
    Pass { at: usize },
    /// A piece merges with another or changes, and arrives as this kind.
    Change { from: usize, to: usize, kind: usize },
    /// The component of this kind leaves a compound.
    Split { from: usize, to: usize, kind: usize },
}

impl Move {
    /// Returns the square that a piece leaves, `None` from the hand, and the square that it enters.
    pub fn ends(self) -> (Option<usize>, usize) {
        match self {
            Self::Plain { from, to } | Self::Passing { from, to, .. } => (Some(from), to),
            Self::Promote { from, to, .. } => (Some(from), to),
            Self::Change { from, to, .. } | Self::Split { from, to, .. } => (Some(from), to),
            Self::PromotePiece { from, to } | Self::Demote { from, to } => (Some(from), to),
            Self::Castle { from, king_to, .. } => (Some(from), king_to),
            Self::Drop { to, .. } => (None, to),
            Self::Pass { at } => (Some(at), at),
        }
    }
}

impl Slow<'_> {
    /// Returns all moves, legal or not. No end of the game matters.
    pub fn all_moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        for from in self.board.men(self.side) {
            let kind = self.board.cells[from].expect("a man").kind;
            let mut own = Vec::new();
            match self.board.role(kind) {
                Role::Pawn => self.pawn_moves(from, kind, &mut own),
                Role::King => own.extend(
                    self.targets(from, kind).into_iter().map(|to| Move::Plain { from, to }),
                ),
                _ => self.piece_moves(from, kind, &mut own),
            }
            self.apply_fusion(from, kind, &mut own);
            moves.extend(own);
        }
        self.drops(&mut moves);
        self.castling(&mut moves);
        if self.game.pass[self.side] || self.game.pass_on_stalemate[self.side] {
            let lowest = self.board.men(self.side).first().copied();
            moves.extend(self.board.king(self.side).or(lowest).map(|at| Move::Pass { at }));
        }
        moves
    }

    /// Returns whether the square is in a set.
    pub fn has(set: u128, square: usize) -> bool {
        set >> square & 1 == 1
    }

    /// Returns whether the square belongs to an enemy.
    fn enemy(&self, square: usize) -> bool {
        self.board.cells[square].is_some_and(|man| man.side != self.side)
    }

    /// Returns where a piece other than a Pawn may go.
    fn targets(&self, from: usize, kind: usize) -> Vec<usize> {
        let captures =
            self.board.attacks(self.side, kind, from).into_iter().filter(|to| self.enemy(*to));
        let quiets = self
            .board
            .quiets(self.side, kind, from)
            .into_iter()
            .filter(|to| !self.board.occupied(*to));
        captures.chain(quiets).collect()
    }

    /// Returns whether a piece could go there by a plain move, if no promotion was in the way.
    pub fn is_plain(&self, from: usize, to: usize) -> bool {
        let kind = self.board.cells[from].expect("a man").kind;
        self.targets(from, kind).contains(&to)
    }

    /// Returns the kinds to which a Pawn of the side to move may promote now.
    fn choices(&self) -> Vec<usize> {
        let allowed = |kind: &usize| {
            self.game.promotion.to[self.side] >> kind & 1 == 1 && self.below_limit(*kind)
        };
        (0..self.game.pieces.len()).filter(allowed).collect()
    }

    /// Returns whether the side to move may have another piece of the kind by promotion.
    fn below_limit(&self, kind: usize) -> bool {
        let limit = usize::from(self.game.pieces[kind].promotion_limit);
        limit == 0 || self.board.men_of(self.side, kind).len() < limit
    }

    /// Adds the moves of a Pawn.
    fn pawn_moves(&self, from: usize, kind: usize, moves: &mut Vec<Move>) {
        let side = self.side;
        let up = if side == 0 { 1 } else { -1 };
        let mut targets = Vec::new();
        let free = |steps: isize| {
            let square = self.board.neighbour(from, 0, steps * up)?;
            let open = !self.board.occupied(square) && self.board.in_region(side, kind, square);
            open.then_some(square)
        };
        targets.extend(free(1));
        if Self::has(self.game.double_step[side], from) && free(1).is_some() {
            targets.extend(free(2));
        }
        if Self::has(self.game.triple_step[side], from) && free(1).is_some() && free(2).is_some() {
            targets.extend(free(3));
        }
        let diagonals = [-1, 1].map(|dx| self.board.neighbour(from, dx, up));
        let attacked: Vec<usize> = diagonals.into_iter().flatten().collect();
        targets.extend(
            attacked.iter().filter(|to| self.enemy(**to) && self.board.in_region(side, kind, **to)),
        );
        let promotion = &self.game.promotion;
        for to in targets {
            let zone = Self::has(promotion.region[side], to);
            if !zone || !promotion.pawns_must {
                moves.push(Move::Plain { from, to });
            }
            if zone {
                moves.extend(self.choices().into_iter().map(|kind| Move::Promote {
                    from,
                    to,
                    kind,
                }));
                let promotes = self.game.pieces[kind].promotes_to.is_some();
                if promotes && (!promotion.by_capture || self.board.occupied(to)) {
                    moves.push(Move::PromotePiece { from, to });
                }
            }
        }
        let passing = |to: &&usize| self.passing.contains(to) && !self.board.occupied(**to);
        for to in attacked.iter().filter(passing) {
            moves.extend(self.captured_in_passing(*to).map(|captured| Move::Passing {
                from,
                to: *to,
                captured,
            }));
        }
    }

    /// Adds the moves of another piece.
    fn piece_moves(&self, from: usize, kind: usize, moves: &mut Vec<Move>) {
        let side = self.side;
        let man = self.board.cells[from].expect("a man");
        let promotion = &self.game.promotion;
        let promotes_to = self.game.pieces[kind].promotes_to.map(usize::from);
        let can_promote = promotes_to.is_some_and(|to| self.below_limit(to));
        let can_demote = promotion.demotion && matches!(man.origin, Origin::Kind(_));
        let as_pawn = promotion.pawns[side] >> kind & 1 == 1;
        for to in self.targets(from, kind) {
            let arrives = Self::has(promotion.region[side], to);
            let touches = arrives || Self::has(promotion.region[side], from);
            let captures = self.board.occupied(to);
            let changes = touches && (captures || !promotion.by_capture);
            let must = promotion.pieces_must && changes && (can_promote || can_demote);
            let pawn_must = promotion.pawns_must && as_pawn && arrives;
            if !must && !pawn_must {
                moves.push(Move::Plain { from, to });
            }
            if can_promote && changes {
                moves.push(Move::PromotePiece { from, to });
            }
            if can_demote && changes {
                moves.push(Move::Demote { from, to });
            }
            if as_pawn && arrives {
                moves.extend(self.choices().into_iter().map(|kind| Move::Promote {
                    from,
                    to,
                    kind,
                }));
            }
        }
        if self.game.en_passant_kinds[side] >> kind & 1 == 1 {
            let quiets = self.board.quiets(side, kind, from);
            for to in self.board.attacks(side, kind, from) {
                if self.passing.contains(&to) && !self.board.occupied(to) && !quiets.contains(&to) {
                    moves.extend(self.captured_in_passing(to).map(|captured| Move::Passing {
                        from,
                        to,
                        captured,
                    }));
                }
            }
        }
    }

    /// Returns the square of the piece that a capture in passing takes: the marked piece that is nearest to the side
    /// to move, or else the next enemy on the file in the direction in which it moves.
    fn captured_in_passing(&self, to: usize) -> Option<usize> {
        let mut marked = self.passing.iter().copied().filter(|square| self.enemy(*square));
        let mark = if self.side == 0 { marked.next() } else { marked.next_back() };
        let down = if self.side == 0 { -1 } else { 1 };
        let mut file = (1..).map_while(|n| self.board.neighbour(to, 0, n * down));
        mark.or_else(|| file.find(|square| self.enemy(*square)))
    }

    /// Adds drops.
    fn drops(&self, moves: &mut Vec<Move>) {
        let rules = &self.game.drops;
        if !rules.allowed {
            return;
        }
        for hand in 0..self.game.pieces.len() {
            if self.hands[self.side][hand] == 0 {
                continue;
            }
            for to in self.drop_squares(hand) {
                moves.push(Move::Drop { hand, kind: hand, to });
                let promoted = self.game.pieces[hand].promotes_to.filter(|_| rules.promoted);
                moves.extend(promoted.map(|kind| Move::Drop { hand, kind: usize::from(kind), to }));
            }
        }
    }

    /// Returns the squares where the kind may be dropped.
    pub fn drop_squares(&self, kind: usize) -> Vec<usize> {
        let (side, rules) = (self.side, &self.game.drops);
        let pawn = self.board.role(kind) == Role::Pawn;
        let promotion = self.game.promotion.region[side];
        let full = |square: usize| {
            let same = |other: &&usize| self.board.file(**other) == self.board.file(square);
            let doubled = self.board.men_of(side, kind).iter().filter(same).count();
            rules.no_doubled.map(usize::from) == Some(kind)
                && doubled >= usize::from(rules.doubled_count)
        };
        let allowed = |square: &usize| {
            let square = *square;
            let friend = self.board.cells[square].filter(|man| man.side == side);
            let fuses = friend.is_some_and(|man| self.fused(kind, man.kind).is_some());
            (!self.board.occupied(square) || fuses && self.game.fusion.drops)
                && Self::has(rules.region[side], square)
                && self.board.in_region(side, kind, square)
                && (!pawn || rules.pawns_in_promotion || !Self::has(promotion, square))
                && (!pawn || rules.pawns_on_first_rank || self.board.rank(square, side) > 0)
                && !full(square)
        };
        (0..self.game.squares()).filter(allowed).collect()
    }

    /// Adds castling, if the squares between are free.
    fn castling(&self, moves: &mut Vec<Move>) {
        let Some(castling) = self.game.castling else { return };
        let royal = self.board.king(self.side);
        if royal.is_some() && self.in_check() {
            return;
        }
        for wing in [0, 1] {
            let (Some(rook), Some(king)) =
                (self.rights[self.side][wing], self.castling_king[self.side])
            else {
                continue;
            };
            let first = self.castling_rank(self.side) * usize::from(self.game.files);
            let king_to = first + usize::from(castling.king_to[wing]);
            let rook_to = if wing == 0 { king_to - 1 } else { king_to + 1 };
            let mut way = self.board.between(rook, rook_to);
            way.extend(self.board.between(king, king_to));
            way.extend([king_to, rook_to]);
            way.retain(|square| *square != king && *square != rook);
            if !way.iter().any(|square| self.board.occupied(*square)) {
                moves.push(Move::Castle { from: royal.unwrap_or(king), rook, king_to, rook_to });
            }
        }
    }
}
