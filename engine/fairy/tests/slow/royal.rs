//! Pieces that are royal because few of their kind are left.

use super::Slow;
use super::board::{Board, Man};
use super::moves::Move;

impl<'a> Slow<'a> {
    /// Returns the squares of the side's men that can be royal like this.
    fn candidates(&self, side: usize) -> Vec<usize> {
        let Some(rule) = self.game.extinction.filter(|_| self.game.pseudo_royal) else {
            return Vec::new();
        };
        let counts = |man: Man| rule.all || rule.kinds >> man.kind & 1 == 1;
        let mut men = self.board.men(side);
        men.retain(|square| self.board.cells[*square].is_some_and(counts));
        men
    }

    /// Returns the squares of the side's men that are royal now.
    pub fn pseudo_royals(&self, side: usize) -> Vec<usize> {
        let Some(rule) = self.game.extinction.filter(|_| self.game.pseudo_royal) else {
            return Vec::new();
        };
        let few = |count: usize| count <= usize::from(rule.count) + 1;
        let royal = |square: &usize| {
            let kind = self.board.cells[*square].expect("a man").kind;
            let of_kind = rule.kinds >> kind & 1 == 1 && few(self.board.men_of(side, kind).len());
            of_kind || rule.all && few(self.board.men(side).len())
        };
        let mut men = self.candidates(side);
        men.retain(royal);
        men
    }

    /// Returns whether one of these squares is beside it.
    pub fn next_to(&self, square: usize, others: &[usize]) -> bool {
        let close = |other: &usize| {
            let dx = self.board.file(*other).abs_diff(self.board.file(square));
            let dy = self.board.rank(*other, 0).abs_diff(self.board.rank(square, 0));
            dx.max(dy) == 1
        };
        others.iter().any(close)
    }

    /// Returns whether the side's royal piece there is attacked. Where captures blast, one beside an enemy's royal
    /// piece is not, since its capture would destroy that one too.
    fn is_threatened(&self, board: &Board, square: usize, side: usize) -> bool {
        let immune = self.game.blast && self.next_to(square, &self.pseudo_royals(1 - side));
        !immune && !board.attackers(square, 1 - side).is_empty()
    }

    /// Returns whether the side to move has a royal piece attacked, or all of them if that is the rule.
    pub fn pseudo_royal_is_attacked(&self) -> bool {
        let threatened = |square: &usize| self.is_threatened(&self.board, *square, self.side);
        let candidates = self.candidates(self.side);
        let all =
            self.game.duple_check && !candidates.is_empty() && candidates.iter().all(threatened);
        all || self.pseudo_royals(self.side).iter().any(threatened)
    }

    /// Returns whether the move leaves no royal piece attacked or destroyed.
    pub fn pseudo_royals_are_safe(&self, mv: Move) -> bool {
        let Some(rule) = self.game.extinction.filter(|_| self.game.pseudo_royal) else {
            return true;
        };
        let (us, them) = (self.side, 1 - self.side);
        let (from, to) = mv.ends();
        let mut royals = self.pseudo_royals(us);
        let theirs = self.pseudo_royals(them);
        if let Move::Castle { from, king_to, .. } = mv
            && royals.contains(&from)
            && !self.way_is_safe(from, king_to)
        {
            return false;
        }
        let mut board = self.board_after(mv);
        if self.game.blast && self.captured(mv).is_some() {
            // That program does not ask here whether a piece is immune.
            for square in self.blast_without_immunity(&board, to) {
                board.cells[square] = None;
            }
        }
        let moved = |square: usize| if Some(square) == from { to } else { square };
        let mut candidates: Vec<usize> = self.candidates(us).into_iter().map(moved).collect();
        royals = royals.into_iter().map(moved).collect();
        let counts = |kind: usize| rule.kinds >> kind & 1 == 1;
        match mv {
            Move::Drop { kind, .. } if counts(kind) => royals.push(to),
            Move::Promote { kind, .. } if counts(kind) => {
                candidates.push(to);
                let others = self.board.men_of(us, kind);
                if others.len() > usize::from(rule.count) {
                    royals.retain(|square| !others.contains(square));
                } else {
                    royals.push(to);
                }
            }
            _ => {}
        }
        if royals.iter().any(|square| !board.occupied(*square)) {
            return false;
        }
        let threatened = |square: &usize| self.is_threatened(&board, *square, us);
        let wins = theirs.iter().any(|square| !board.occupied(*square));
        if !wins && royals.iter().any(threatened) {
            return false;
        }
        !self.game.duple_check || candidates.is_empty() || !candidates.iter().all(threatened)
    }

    /// Returns whether a royal piece that castles is safe where it starts and passes.
    fn way_is_safe(&self, from: usize, king_to: usize) -> bool {
        let mut board = self.board.clone();
        board.cells[from] = None;
        let mut way = self.board.between(from, king_to);
        way.push(from);
        !way.iter().any(|square| self.is_threatened(&board, *square, self.side))
    }
}
