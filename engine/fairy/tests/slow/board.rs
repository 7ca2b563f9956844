//! A board of cells, and what pieces reach on it.

use std::rc::Rc;

use fusion_fairy::betza::{Step, Way};
use fusion_fairy::definition::{Definition, Role};

/// What a promoted piece was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It has not been promoted.
    Itself,
    /// A Pawn, or another kind that promotes like one.
    Pawn,
    /// A piece of this kind, which promoted as in Shogi.
    Kind(usize),
}

/// A piece on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Man {
    /// Its kind, a place in [`Definition::pieces`].
    pub kind: usize,
    /// 0 for the first player, 1 for the second.
    pub side: usize,
    /// What it was.
    pub origin: Origin,
}

/// Cells with men.
#[derive(Clone, Debug)]
pub struct Board<'a> {
    /// The game.
    pub game: &'a Definition,
    /// The cells, along the ranks from the first player's left corner.
    pub cells: Vec<Option<Man>>,
    /// Whether the cell is missing.
    pub missing: Rc<Vec<bool>>,
}

impl<'a> Board<'a> {
    /// Returns the square at this distance, if it is on the board.
    pub fn neighbour(&self, from: usize, dx: isize, dy: isize) -> Option<usize> {
        let (files, ranks) = (self.game.files as isize, self.game.ranks as isize);
        let (file, rank) = (from as isize % files + dx, from as isize / files + dy);
        let inside = (0..files).contains(&file) && (0..ranks).contains(&rank);
        inside.then_some((rank * files + file) as usize)
    }

    /// Returns the file of the square.
    pub fn file(&self, square: usize) -> usize {
        square % usize::from(self.game.files)
    }

    /// Returns the rank of the square, from 0 as the side sees it.
    pub fn rank(&self, square: usize, side: usize) -> usize {
        let rank = square / usize::from(self.game.files);
        if side == 0 { rank } else { usize::from(self.game.ranks) - 1 - rank }
    }

    /// Returns whether something is on the square: a missing square counts as occupied.
    pub fn occupied(&self, square: usize) -> bool {
        self.missing[square] || self.cells[square].is_some()
    }

    /// Returns the squares with men of the side.
    pub fn men(&self, side: usize) -> Vec<usize> {
        let own = |square: &usize| self.cells[*square].is_some_and(|man| man.side == side);
        (0..self.cells.len()).filter(own).collect()
    }

    /// Returns the squares with men of the side and kind.
    pub fn men_of(&self, side: usize, kind: usize) -> Vec<usize> {
        let right = |square: &usize| self.cells[*square].is_some_and(|man| man.kind == kind);
        self.men(side).into_iter().filter(right).collect()
    }

    /// Returns the rules of the kind beside its moves.
    pub fn role(&self, kind: usize) -> Role {
        self.game.pieces[kind].role
    }

    /// Returns the square of the side's King.
    pub fn king(&self, side: usize) -> Option<usize> {
        let royal = |square: &usize| {
            self.cells[*square].is_some_and(|man| self.role(man.kind) == Role::King)
        };
        self.men(side).into_iter().find(royal)
    }

    /// Returns whether the piece may be on the square.
    pub fn in_region(&self, side: usize, kind: usize, square: usize) -> bool {
        !self.missing[square] && self.game.pieces[kind].region[side] >> square & 1 == 1
    }

    /// Returns where the wanted steps of a piece lead, whatever is there.
    pub fn reach(
        &self,
        side: usize,
        kind: usize,
        from: usize,
        wanted: impl Fn(&Step) -> bool,
    ) -> Vec<usize> {
        let mut found = Vec::new();
        for step in self.game.pieces[kind].steps.iter().filter(|step| wanted(step)) {
            let sign = if side == 0 { 1 } else { -1 };
            let (dx, dy) = (sign * isize::from(step.dx), sign * isize::from(step.dy));
            for square in self.along(side, kind, from, dx, dy, step.way) {
                if self.in_region(side, kind, square) && !found.contains(&square) {
                    found.push(square);
                }
            }
        }
        found
    }

    /// Returns where one step leads.
    pub fn along(
        &self,
        side: usize,
        kind: usize,
        from: usize,
        dx: isize,
        dy: isize,
        way: Way,
    ) -> Vec<usize> {
        match way {
            Way::Leap => {
                self.neighbour(from, dx, dy).filter(|to| self.forward_only(side, kind, from, *to))
            }
            Way::Lame => {
                self.neighbour(from, dx, dy).filter(|_| self.lame_path_is_free(from, dx, dy))
            }
            Way::Ride(limit) => return self.ride(from, dx, dy, limit),
            Way::Hop(limit) => return self.hop(kind, from, dx, dy, limit),
            Way::Grasshop => self.grasshop(from, dx, dy),
        }
        .into_iter()
        .collect()
    }

    /// Returns whether a Soldier may make this step: sideways only from a certain rank on.
    fn forward_only(&self, side: usize, kind: usize, from: usize, to: usize) -> bool {
        let soldier = self.role(kind) == Role::Soldier;
        let crossed = self.rank(from, side) >= usize::from(self.game.soldier_rank);
        !soldier || crossed || self.file(from) == self.file(to)
    }

    /// Returns whether nothing is on the way: along the longer axis first, then diagonally.
    fn lame_path_is_free(&self, from: usize, dx: isize, dy: isize) -> bool {
        let (mut x, mut y) = (0, 0);
        loop {
            let (left, up) = ((dx - x).abs(), (dy - y).abs());
            x += if left >= up { (dx - x).signum() } else { 0 };
            y += if up >= left { (dy - y).signum() } else { 0 };
            if (x, y) == (dx, dy) {
                return true;
            }
            if self.neighbour(from, x, y).is_none_or(|square| self.occupied(square)) {
                return false;
            }
        }
    }

    /// Returns the squares of a ride: up to and with the first that is occupied.
    fn ride(&self, from: usize, dx: isize, dy: isize, limit: u8) -> Vec<usize> {
        let mut squares = Vec::new();
        let mut at = from;
        while let Some(next) = self.neighbour(at, dx, dy) {
            at = next;
            squares.push(at);
            if self.occupied(at) || squares.len() == usize::from(limit) {
                break;
            }
        }
        squares
    }

    /// Returns the squares of a hop: behind the first occupied square, up to and with the second.
    fn hop(&self, kind: usize, from: usize, dx: isize, dy: isize, limit: u8) -> Vec<usize> {
        let mut squares = Vec::new();
        let mut hurdle = false;
        let (mut at, mut steps) = (from, 0);
        while let Some(next) = self.neighbour(at, dx, dy) {
            at = next;
            steps += 1;
            if limit > 0 && steps > usize::from(limit) {
                break;
            }
            let shy = self.role(kind) == Role::JanggiCannon
                && self.cells[at].is_some_and(|man| self.role(man.kind) == Role::JanggiCannon);
            if shy {
                break;
            }
            if hurdle {
                squares.push(at);
            }
            if self.occupied(at) {
                if hurdle {
                    break;
                }
                hurdle = true;
            }
        }
        squares
    }

    /// Returns the square behind the first occupied square.
    fn grasshop(&self, from: usize, dx: isize, dy: isize) -> Option<usize> {
        let hurdle = *self.ride(from, dx, dy, 0).last()?;
        if self.occupied(hurdle) { self.neighbour(hurdle, dx, dy) } else { None }
    }

    /// Returns the squares that a piece there attacks.
    pub fn attacks(&self, side: usize, kind: usize, from: usize) -> Vec<usize> {
        self.reach(side, kind, from, |step| step.capture && !step.initial)
    }

    /// Returns the squares that a piece there reaches without a capture if they are empty.
    pub fn quiets(&self, side: usize, kind: usize, from: usize) -> Vec<usize> {
        let start = self.game.double_step[side] >> from & 1 == 1;
        self.reach(side, kind, from, |step| step.quiet && (start || !step.initial))
    }

    /// Returns the squares of the side's men that attack the square.
    pub fn attackers(&self, target: usize, side: usize) -> Vec<usize> {
        let attacks = |from: &usize| {
            let man = self.cells[*from].expect("a man");
            self.attacks(side, man.kind, *from).contains(&target)
        };
        self.men(side).into_iter().filter(attacks).collect()
    }

    /// Returns the squares where such steps of the kind lead on a board without men or missing squares.
    pub fn ideal(&self, side: usize, kind: usize, from: usize, initial: bool) -> Vec<usize> {
        let sign = if side == 0 { 1 } else { -1 };
        let mut found = Vec::new();
        for step in &self.game.pieces[kind].steps {
            if !step.quiet || step.initial != initial {
                continue;
            }
            let most = match step.way {
                Way::Leap | Way::Lame => 1,
                Way::Ride(limit) | Way::Hop(limit) if limit > 0 => isize::from(limit),
                _ => isize::MAX,
            };
            let mut times = 1;
            while times <= most {
                let (dx, dy) =
                    (sign * times * isize::from(step.dx), sign * times * isize::from(step.dy));
                let Some(square) = self.neighbour(from, dx, dy) else { break };
                found.push(square);
                times += 1;
            }
        }
        found
    }

    /// Returns the squares strictly between two on a file, a rank or a diagonal.
    pub fn between(&self, from: usize, to: usize) -> Vec<usize> {
        let dx = self.file(to) as isize - self.file(from) as isize;
        let dy = self.rank(to, 0) as isize - self.rank(from, 0) as isize;
        let distance = dx.abs().max(dy.abs());
        if dx != 0 && dy != 0 && dx.abs() != dy.abs() {
            return Vec::new();
        }
        (1..distance)
            .filter_map(|n| self.neighbour(from, n * dx.signum(), n * dy.signum()))
            .collect()
    }

    /// Returns whether a Rook on one of these squares would attack the other.
    pub fn in_line(&self, one: usize, other: usize) -> bool {
        let straight =
            self.file(one) == self.file(other) || self.rank(one, 0) == self.rank(other, 0);
        straight
            && one != other
            && !self.between(one, other).iter().any(|square| self.occupied(*square))
    }
}
