//! Moves that are made.

use fusion_fairy::definition::Role;

use super::board::{Man, Origin};
use super::moves::Move;
use super::{Past, Slow};

impl Slow<'_> {
    /// Makes a legal move.
    pub fn make(&mut self, mv: Move) {
        let (us, them) = (self.side, 1 - self.side);
        let gives_check = self.gives_check(mv);
        let captured = self.captured(mv);
        let before = self.board.clone();
        let (key, in_check) = (self.key(), self.in_check());
        self.past.push(Past { key, in_check, mv, captured: captured.is_some() });
        self.plies += 1;
        self.quiet_plies += 1;
        self.count += u32::from(self.count_limit > 0);
        if gives_check && self.game.check_counting {
            self.checks[us] = self.checks[us].saturating_sub(1);
        }
        self.board = self.board_after(mv);
        if let Some((_, man)) = captured {
            self.take_to_hand(man, self.game.promotion.pawn[man.side].map(usize::from));
        }
        let (from, to) = mv.ends();
        let kind = from.map(|from| before.cells[from].expect("a man").kind);
        if captured.is_some() || self.cannot_be_taken_back(mv, kind, from, to) {
            self.quiet_plies = 0;
        }
        self.passing.clear();
        match mv {
            Move::Drop { hand, kind, .. } => {
                self.hands[us][hand] -= 1;
                if before.cells[to].is_some() {
                    self.lose_rights(to);
                } else {
                    self.castle_after_drop(kind, to);
                }
            }
            Move::Pass { .. } => {}
            _ => {
                self.lose_rights(from.expect("a square"));
                self.lose_rights(to);
            }
        }
        if let Move::Plain { from, to } = mv {
            let kind = before.cells[from].expect("a man").kind;
            self.mark_passing(kind, from, to);
        }
        if captured.is_some() && self.game.blast {
            for square in self.blast(&self.board, to) {
                let man = self.board.cells[square].take().expect("a man");
                self.take_to_hand(man, self.kind_named("pawn"));
                self.lose_rights(square);
            }
        }
        self.passed = [matches!(mv, Move::Pass { .. }), self.passed[0]];
        let promotes =
            matches!(mv, Move::Promote { .. } | Move::PromotePiece { .. } | Move::Demote { .. });
        self.added = captured.is_none() && (promotes || matches!(mv, Move::Drop { .. }));
        self.side = them;
        self.start_counting(captured.map(|(_, man)| man), matches!(mv, Move::Promote { .. }));
    }

    /// Puts a captured piece into the hand of the other side.
    fn take_to_hand(&mut self, man: Man, pawn: Option<usize>) {
        let rules = &self.game.drops;
        if !rules.captures {
            return;
        }
        let kind = match man.origin {
            Origin::Kind(kind) if !rules.keep_promoted => Some(kind),
            Origin::Pawn if !rules.keep_promoted => pawn,
            _ => Some(man.kind),
        };
        if let Some(kind) = kind {
            for kind in self.held_kinds(kind) {
                self.hands[1 - man.side][kind] += 1;
            }
        }
    }

    /// Returns whether the counter of quiet moves starts again, captures aside.
    fn cannot_be_taken_back(
        &self,
        mv: Move,
        kind: Option<usize>,
        from: Option<usize>,
        to: usize,
    ) -> bool {
        let (Some(kind), Some(from)) = (kind, from) else { return true };
        let promotes = match mv {
            Move::Promote { .. } => true,
            Move::PromotePiece { .. } => !self.game.promotion.demotion,
            _ => false,
        };
        let us = self.side;
        let back = match self.board.role(kind) {
            Role::King => self.next_to(to, &[from]),
            _ => self.board.ideal(us, kind, to, false).contains(&from),
        };
        promotes || self.game.move_rule_kinds[us] >> kind & 1 == 1 && !back
    }

    /// Takes the rights to castle that depend on the square.
    fn lose_rights(&mut self, square: usize) {
        for (tied, side, wing) in &self.ties {
            if *tied == square {
                self.rights[*side][*wing] = None;
            }
        }
    }

    /// Gives rights to castle to a King or a Rook that has been dropped on its home square.
    fn castle_after_drop(&mut self, kind: usize, to: usize) {
        let us = self.side;
        let Some(castling) = self.game.castling.filter(|_| self.game.drops.castling) else {
            return;
        };
        let files = usize::from(self.game.files);
        if usize::from(castling.king_from) >= files {
            return;
        }
        let first = self.castling_rank(us) * files;
        let home = first + usize::from(castling.king_from);
        let corners = [first, first + files - 1];
        let king = castling.king[us].map(usize::from);
        let is_rook = |square: usize| {
            let man = self.board.cells[square];
            man.is_some_and(|man| man.side == us && castling.rooks[us] >> man.kind & 1 == 1)
        };
        if king == Some(kind) && to == home {
            let rooks = corners.into_iter().filter(|corner| is_rook(*corner));
            let rooks: Vec<usize> = rooks.collect();
            self.castling_king[us] = Some(home);
            rooks.into_iter().for_each(|rook| self.give_right(us, rook));
        } else if castling.rooks[us] >> kind & 1 == 1 && corners.contains(&to) {
            let man = self.board.cells[home];
            if man.is_some_and(|man| man.side == us && Some(man.kind) == king) {
                self.castling_king[us] = Some(home);
                self.give_right(us, to);
            }
        }
    }

    /// Marks the squares on which the piece that has moved can be captured in passing.
    fn mark_passing(&mut self, kind: usize, from: usize, to: usize) {
        let (us, them) = (self.side, 1 - self.side);
        let region = self.game.en_passant[them];
        if self.board.role(kind) == Role::Pawn {
            let up = if us == 0 { 1 } else { -1 };
            for square in self.board.between(from, to) {
                let steps = self.board.file(from) == self.board.file(to);
                let pawn = |dx: isize| {
                    let place = self.board.neighbour(square, dx, up);
                    let man = place.and_then(|place| self.board.cells[place]);
                    man.is_some_and(|man| {
                        man.side == them && self.board.role(man.kind) == Role::Pawn
                    })
                };
                let useful = pawn(-1) || pawn(1) || self.others_take_in_passing(them);
                if steps && Self::has(region, square) && useful {
                    self.passing.push(square);
                }
            }
        } else if self.board.role(kind) != Role::King
            && self.board.ideal(us, kind, from, true).contains(&to)
            && !self.board.ideal(us, kind, from, false).contains(&to)
        {
            self.passing = self.board.between(from, to);
            self.passing.push(to);
            self.passing.retain(|square| Self::has(region, *square));
        }
        self.passing.sort_unstable();
    }

    /// Starts to count moves when few pieces are left.
    fn start_counting(&mut self, captured: Option<Man>, promoted: bool) {
        use fusion_fairy::definition::Counting;
        let Some(rule) = self.game.counting else { return };
        let (mover, next) = (1 - self.side, self.side);
        let men = |side: usize| self.board.men(side).len() as u32;
        let all = men(0) + men(1);
        let pawns = self.number("pawn", 0) + self.number("pawn", 1);
        let last_pawn =
            captured.is_some_and(|man| self.board.role(man.kind) == Role::Pawn) && pawns == 0;
        let asean = rule == Counting::Asean;
        let mover_limit = self.limit(rule, mover);
        if !asean && last_pawn && men(mover) == 1 && mover_limit > 0 {
            self.count_limit = 2 * mover_limit;
            self.count = 2 * all - 1;
        }
        let changed = (captured.is_some() || promoted) && men(next) == 1;
        let limit = self.limit(rule, next);
        if (self.count_limit == 0 || changed) && limit > 0 {
            let bare = !asean && men(next) == 1;
            self.count = if bare { 2 * all } else { 0 };
            self.count_limit = 2 * limit;
        }
    }
}
