//! Pieces that merge, split and change.

use fusion_fairy::betza::Way;
use fusion_fairy::definition::{Fission, Role};

use super::Slow;
use super::board::Man;
use super::moves::Move;

impl Slow<'_> {
    /// Returns the components of a kind: itself, if it is no compound.
    fn parts(&self, kind: usize) -> Vec<usize> {
        let set = self.game.pieces[kind].components;
        let parts: Vec<usize> = (0..64).filter(|part| set >> part & 1 == 1).collect();
        if parts.is_empty() { vec![kind] } else { parts }
    }

    /// Returns the kind with exactly these components.
    fn whole(&self, mut parts: Vec<usize>) -> Option<usize> {
        parts.sort_unstable();
        if let [part] = parts[..] {
            return Some(part);
        }
        (0..self.game.pieces.len()).find(|kind| self.parts(*kind) == parts)
    }

    /// Returns what two kinds become together.
    pub fn union(&self, one: usize, other: usize) -> Option<usize> {
        let (mut parts, others) = (self.parts(one), self.parts(other));
        if parts.iter().any(|part| others.contains(part)) {
            return None;
        }
        parts.extend(others);
        self.whole(parts)
    }

    /// Returns what two kinds become if the first may move onto the second.
    pub fn fused(&self, mover: usize, target: usize) -> Option<usize> {
        let fusion = &self.game.fusion;
        let may = fusion.movers >> mover & fusion.targets >> target & 1 == 1;
        self.union(mover, target).filter(|_| may)
    }

    /// Returns the kinds in the capturer's hand of a captured kind.
    pub fn held_kinds(&self, kind: usize) -> Vec<usize> {
        if self.game.fusion.hands_of_components { self.parts(kind) } else { vec![kind] }
    }

    /// Returns what stays if a component leaves a compound.
    pub fn rest(&self, kind: usize, leaving: usize) -> Option<usize> {
        let mut parts = self.parts(kind);
        parts.retain(|part| *part != leaving);
        self.whole(parts)
    }

    fn is_royal(&self, kind: usize) -> bool {
        self.board.role(kind) == Role::King
    }

    fn is_attacked(&self, square: usize) -> bool {
        !self.board.attackers(square, 1 - self.side).is_empty()
    }

    /// Replaces the plain moves of a man by what its rules make of them, and adds merges and splits.
    pub fn apply_fusion(&self, from: usize, kind: usize, moves: &mut Vec<Move>) {
        let plain: Vec<Move> = std::mem::take(moves);
        for mv in plain {
            let Move::Plain { to, .. } = mv else {
                moves.push(mv);
                continue;
            };
            if self.is_royal(kind) && !self.may_cross(kind, from, to) {
                continue;
            }
            match self.board.cells[to] {
                Some(man) => moves.push(match self.after_capture(kind, from, to, man) {
                    Some(kind) => Move::Change { from, to, kind },
                    None => mv,
                }),
                None => {
                    moves.push(mv);
                    let becomes = self.game.pieces[kind].attacked_becomes;
                    if let Some(kind) = becomes.filter(|_| self.is_attacked(from)) {
                        moves.push(Move::Change { from, to, kind: usize::from(kind) });
                    }
                }
            }
        }
        for to in self.board.quiets(self.side, kind, from) {
            let friend = self.board.cells[to].filter(|man| man.side == self.side);
            let becomes = friend.and_then(|man| self.fused(kind, man.kind));
            if self.is_royal(kind) && !self.may_cross(kind, from, to) {
                continue;
            }
            moves.extend(becomes.map(|kind| Move::Change { from, to, kind }));
        }
        self.splits(from, kind, moves);
    }

    fn after_capture(&self, kind: usize, from: usize, to: usize, man: Man) -> Option<usize> {
        let fusion = &self.game.fusion;
        let merged = self.union(kind, man.kind).filter(|_| fusion.assimilation);
        let parts = self.parts(kind);
        if merged.is_some() || !fusion.demotion || parts.len() == 1 {
            return merged;
        }
        let captures = |part: &usize| self.board.attacks(self.side, *part, from).contains(&to);
        parts
            .iter()
            .copied()
            .find(|part| self.is_royal(*part))
            .or_else(|| parts.iter().copied().find(captures))
    }

    fn splits(&self, from: usize, kind: usize, moves: &mut Vec<Move>) {
        let parts = self.parts(kind);
        let may = match self.game.fusion.fission {
            Fission::Always => true,
            Fission::Never => false,
            Fission::Unattacked => !self.is_attacked(from),
        };
        if !may || parts.len() == 1 {
            return;
        }
        for leaving in parts {
            if self.rest(kind, leaving).is_none() {
                continue;
            }
            for to in self.board.quiets(self.side, leaving, from) {
                let crosses = !self.is_royal(leaving) || self.may_cross(leaving, from, to);
                if !self.board.occupied(to) && crosses {
                    moves.push(Move::Split { from, to, kind: leaving });
                }
            }
        }
    }

    /// Returns whether a royal piece gets there without crossing attacked squares, as far as that is a rule.
    fn may_cross(&self, kind: usize, from: usize, to: usize) -> bool {
        let fusion = &self.game.fusion;
        let place =
            |square: usize| (self.board.file(square) as isize, self.board.rank(square, 0) as isize);
        let ((x, y), (end_x, end_y)) = (place(from), place(to));
        let far = |(x, y): (isize, isize), (other_x, other_y): (isize, isize)| {
            (x - other_x).abs().max((y - other_y).abs())
        };
        if far((x, y), (end_x, end_y)) < 2 {
            return true;
        }
        let mut lifted = self.board.clone();
        lifted.cells[from] = None;
        let attacked = |square: &usize| !lifted.attackers(*square, 1 - self.side).is_empty();
        let captures = self.board.cells[to].is_some_and(|man| man.side != self.side);
        let gateways: Vec<usize> = (0..self.game.squares())
            .filter(|square| far(place(*square), (x, y)) == 1)
            .filter(|square| far(place(*square), (end_x, end_y)) == 1)
            .collect();
        let sign = if self.side == 0 { 1 } else { -1 };
        self.game.pieces[kind].steps.iter().any(|step| {
            if if captures { !step.capture } else { !step.quiet } {
                return false;
            }
            let (dx, dy) = (sign * isize::from(step.dx), sign * isize::from(step.dy));
            if !self.board.along(self.side, kind, from, dx, dy, step.way).contains(&to) {
                return false;
            }
            match step.way {
                Way::Leap | Way::Lame => {
                    fusion.royal_leaps_cross
                        || gateways.is_empty()
                        || !gateways.iter().all(attacked)
                }
                Way::Ride(_) => {
                    let squares = self.board.along(self.side, kind, from, dx, dy, step.way);
                    let mut way = squares.into_iter().take_while(|square| *square != to);
                    fusion.royal_rides_cross || !way.any(|square| attacked(&square))
                }
                Way::Hop(_) | Way::Grasshop => true,
            }
        })
    }

    /// Returns whether so little is left that the game is drawn.
    pub fn is_dead(&self) -> bool {
        let mut left = Vec::new();
        for side in [0, 1] {
            for square in self.board.men(side) {
                left.extend(self.parts(self.board.cells[square].expect("a man").kind));
            }
            for (kind, count) in self.hands[side].iter().enumerate() {
                for _ in 0..*count {
                    left.extend(self.parts(kind));
                }
            }
        }
        left.retain(|kind| !self.is_royal(*kind));
        let harmless = |kind: &usize| self.game.dead >> kind & 1 == 1;
        self.game.dead != 0 && left.len() < 2 && left.iter().all(harmless)
    }
}
