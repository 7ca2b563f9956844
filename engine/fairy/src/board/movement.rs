//! The moves of each kind of piece as tables, made once for a definition.

use super::lines::{Grid, Line};
use crate::betza::{Step, Way};
use crate::definition::{Definition, Kind, Piece, Role, Squares};

/// A ride along a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ride {
    /// Place of the line in [`Movements::lines`].
    pub line: usize,
    /// All squares, if the piece moves to empty squares like this.
    quiet: Squares,
    /// All squares, if it captures like this.
    capture: Squares,
}

/// How a hop ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Landing {
    /// Anywhere behind the hurdle.
    Beyond,
    /// Right behind the hurdle.
    Behind,
    /// Beyond, but neither over nor onto a piece of its own kind.
    Janggi,
}

/// A ride over a hurdle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hop {
    ride: Ride,
    /// How it ends.
    pub landing: Landing,
}

/// A leap that pieces on its path stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lame {
    /// The other end.
    pub end: u8,
    /// The squares between.
    pub path: Squares,
    quiet: bool,
    capture: bool,
}

/// What a piece may do under a condition: always, or from certain squares only.
#[derive(Debug, Default)]
pub(crate) struct Pattern {
    /// By square: the ends of leaps to empty squares, then of captures; no entries if there are none.
    leaps: [Vec<Squares>; 2],
    rides: Vec<Ride>,
    hops: Vec<Hop>,
    /// By square; no entries if there are none.
    lames: Vec<Vec<Lame>>,
}

/// The moves of a kind of piece of one side.
#[derive(Debug)]
pub(crate) struct Movement {
    /// Its moves.
    pub usual: Pattern,
    /// Its moves from the squares of double steps, to empty squares only; `None` if there are none.
    pub first: Option<Pattern>,
    /// The squares where it may go.
    pub region: Squares,
    /// By square: whether it has a move to another square on an empty board.
    pub mobile: Squares,
}

/// How the pieces of one side attack a square.
#[derive(Debug, Default)]
pub(crate) struct Attacks {
    /// Leaps: the kind, and by attacked square the squares from which it leaps there.
    pub leaps: Vec<(Kind, Vec<Squares>)>,
    /// Rides: the line from the attacked square towards the piece, and the kinds.
    pub rides: Vec<(usize, Vec<Kind>)>,
    /// Hops: the same line, how they end, and the kind.
    pub hops: Vec<(usize, Landing, Kind)>,
    /// Lame leaps: the kind, and by attacked square the squares from which it leaps there.
    pub lames: Vec<(Kind, Vec<Vec<Lame>>)>,
}

/// The moves of all pieces.
#[derive(Debug)]
pub(crate) struct Movements {
    /// The lines.
    pub lines: Vec<Line>,
    /// By side and kind.
    pub of: [Vec<Movement>; 2],
    /// By side.
    pub attacks: [Attacks; 2],
    /// The lines of files and ranks, on which Kings may not face each other.
    pub faces: [usize; 4],
}

/// The steps of Kings that face each other.
const FACES: [(i8, i8); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];

/// Turns a step as a side sees it.
fn turned(step: Step, side: usize) -> (i8, i8) {
    if side == 0 { (step.dx, step.dy) } else { (-step.dx, -step.dy) }
}

/// Returns the squares between the ends of a lame leap.
fn path(grid: Grid, from: usize, (dx, dy): (i8, i8)) -> Squares {
    let (mut x, mut y, mut at, mut set) = (dx, dy, from, 0);
    while (x, y) != (0, 0) {
        let longer = i32::from(x).abs() - i32::from(y).abs();
        let sx = if longer >= 0 { x.signum() } else { 0 };
        let sy = if longer <= 0 { y.signum() } else { 0 };
        (x, y) = (x - sx, y - sy);
        at = grid.step(at, (sx, sy)).unwrap_or(at);
        if (x, y) != (0, 0) {
            set |= 1 << at;
        }
    }
    set
}

/// Makes the tables of one definition.
struct Maker<'a> {
    grid: Grid,
    rules: &'a Definition,
    lines: Vec<Line>,
}

impl Maker<'_> {
    fn line(&mut self, step: (i8, i8), limit: u8) -> usize {
        let known = self.lines.iter().position(|line| line.step == step && line.limit == limit);
        known.unwrap_or_else(|| {
            self.lines.push(Line::new(self.grid, step, limit));
            self.lines.len() - 1
        })
    }

    /// Returns whether a piece has a step from a square: Soldiers get some of theirs late.
    fn has_step(&self, piece: &Piece, side: usize, from: usize, step: Step) -> bool {
        let rank = from / usize::from(self.grid.files);
        let rank = if side == 0 { rank } else { usize::from(self.grid.ranks) - 1 - rank };
        piece.role != Role::Soldier || step.dx == 0 || rank >= usize::from(self.rules.soldier_rank)
    }

    fn pattern(&mut self, piece: &Piece, side: usize, first: bool) -> Pattern {
        let squares = self.grid.squares();
        let mut pattern = Pattern::default();
        let mask = |yes: bool| if yes { Squares::MAX } else { 0 };
        for &step in piece.steps.iter().filter(|step| step.initial == first) {
            let (quiet, capture) = (step.quiet, step.capture && !first);
            let by = turned(step, side);
            let mut ride = |limit| {
                let line = self.line(by, limit);
                Ride { line, quiet: mask(quiet), capture: mask(capture) }
            };
            match step.way {
                Way::Ride(limit) => pattern.rides.push(ride(limit)),
                Way::Hop(limit) => {
                    let janggi = piece.role == Role::JanggiCannon;
                    let landing = if janggi { Landing::Janggi } else { Landing::Beyond };
                    pattern.hops.push(Hop { ride: ride(limit), landing });
                }
                Way::Grasshop => {
                    pattern.hops.push(Hop { ride: ride(0), landing: Landing::Behind });
                }
                Way::Leap | Way::Lame => {
                    for from in 0..squares {
                        let Some(end) = self.grid.step(from, by) else { continue };
                        if !self.has_step(piece, side, from, step) {
                            continue;
                        }
                        if step.way == Way::Lame {
                            let path = path(self.grid, from, by);
                            pattern.lames.resize_with(squares, Vec::new);
                            pattern.lames[from].push(Lame { end: end as u8, path, quiet, capture });
                            continue;
                        }
                        for (leaps, has) in pattern.leaps.iter_mut().zip([quiet, capture]) {
                            if has {
                                leaps.resize(squares, 0);
                                leaps[from] |= 1 << end;
                            }
                        }
                    }
                }
            }
        }
        pattern
    }

    fn movement(&mut self, piece: &Piece, side: usize) -> Movement {
        let usual = self.pattern(piece, side, false);
        let first = piece.steps.iter().any(|step| step.initial && step.quiet);
        let first = first.then(|| self.pattern(piece, side, true));
        let goes = |&from: &usize| usual.possible(&self.lines, from) != 0;
        let mobile = (0..self.grid.squares()).filter(goes).fold(0, |set, from| set | 1 << from);
        Movement { usual, first, region: piece.region[side], mobile }
    }

    /// Returns how the pieces of a side attack, from their movements.
    fn attacks(&mut self, movements: &[Movement]) -> Attacks {
        let squares = self.grid.squares();
        let mut attacks = Attacks::default();
        for (kind, movement) in movements.iter().enumerate() {
            let usual = &movement.usual;
            if !usual.leaps[1].is_empty() {
                let mut reversed = vec![0; squares];
                for (from, &ends) in usual.leaps[1].iter().enumerate() {
                    for_each(ends, |end| reversed[end] |= 1 << from);
                }
                attacks.leaps.push((kind as Kind, reversed));
            }
            for ride in usual.rides.iter().filter(|ride| ride.capture != 0) {
                let line = self.opposite(ride.line);
                match attacks.rides.iter_mut().find(|(known, _)| *known == line) {
                    Some((_, kinds)) => kinds.push(kind as Kind),
                    None => attacks.rides.push((line, vec![kind as Kind])),
                }
            }
            for hop in usual.hops.iter().filter(|hop| hop.ride.capture != 0) {
                let line = self.opposite(hop.ride.line);
                attacks.hops.push((line, hop.landing, kind as Kind));
            }
            if usual.lames.iter().flatten().any(|lame| lame.capture) {
                let mut reversed = vec![Vec::new(); squares];
                for (from, lames) in usual.lames.iter().enumerate() {
                    for lame in lames.iter().filter(|lame| lame.capture) {
                        reversed[usize::from(lame.end)].push(Lame { end: from as u8, ..*lame });
                    }
                }
                attacks.lames.push((kind as Kind, reversed));
            }
        }
        attacks
    }

    /// Returns the line in the opposite direction.
    fn opposite(&mut self, line: usize) -> usize {
        let Line { step: (dx, dy), limit, .. } = self.lines[line];
        self.line((-dx, -dy), limit)
    }
}

/// Calls a function with each square of a set, in increasing order.
#[inline]
pub(crate) fn for_each(mut squares: Squares, mut each: impl FnMut(usize)) {
    while squares != 0 {
        each(squares.trailing_zeros() as usize);
        squares &= squares - 1;
    }
}

impl Pattern {
    /// Returns the ends of moves to empty squares, and those of captures, whatever stands there.
    #[inline]
    pub fn moves(
        &self,
        lines: &[Line],
        from: usize,
        occupied: Squares,
        cannons: Squares,
    ) -> (Squares, Squares) {
        let [mut quiet, mut capture] =
            [0, 1].map(|i| self.leaps[i].get(from).copied().unwrap_or_default());
        for ride in &self.rides {
            let squares = lines[ride.line].ride(from, occupied);
            quiet |= squares & ride.quiet;
            capture |= squares & ride.capture;
        }
        for hop in &self.hops {
            let squares = hop.landing.squares(&lines[hop.ride.line], from, occupied, cannons);
            quiet |= squares & hop.ride.quiet;
            capture |= squares & hop.ride.capture;
        }
        if let Some(lames) = self.lames.get(from) {
            for lame in lames.iter().filter(|lame| lame.path & occupied == 0) {
                quiet |= Squares::from(lame.quiet) << lame.end;
                capture |= Squares::from(lame.capture) << lame.end;
            }
        }
        (quiet, capture)
    }
}

impl Pattern {
    /// Returns whether the piece leaps from a square to another, in capturing or not.
    pub fn leaps_to(&self, from: usize, to: usize, occupied: Squares, captures: bool) -> bool {
        let leaps = self.leaps[usize::from(captures)].get(from);
        let lames = self.lames.get(from).into_iter().flatten();
        let goes = |lame: &Lame| {
            let way = if captures { lame.capture } else { lame.quiet };
            way && usize::from(lame.end) == to && lame.path & occupied == 0
        };
        leaps.is_some_and(|&ends| ends >> to & 1 == 1) || lames.into_iter().any(goes)
    }

    /// Returns, for each ride from a square to another, the squares between.
    pub fn ridden<'a>(
        &'a self,
        lines: &'a [Line],
        (from, to): (usize, usize),
        occupied: Squares,
        captures: bool,
    ) -> impl Iterator<Item = Squares> + 'a {
        let way = move |ride: &&Ride| (if captures { ride.capture } else { ride.quiet }) != 0;
        let rides = self.rides.iter().filter(way).map(|ride| &lines[ride.line]);
        let there = rides.filter(move |line| line.ride(from, occupied) >> to & 1 == 1);
        there.map(move |line| line.reach(from) & !line.whole(to) & !(1 << to))
    }

    /// Returns whether the piece hops from a square to another, in capturing or not.
    pub fn hops_to(
        &self,
        lines: &[Line],
        (from, to): (usize, usize),
        occupied: Squares,
        captures: bool,
    ) -> bool {
        let way = |hop: &&Hop| (if captures { hop.ride.capture } else { hop.ride.quiet }) != 0;
        let ends = |hop: &Hop| hop.landing.squares(&lines[hop.ride.line], from, occupied, 0);
        self.hops.iter().filter(way).any(|hop| ends(hop) >> to & 1 == 1)
    }

    /// Returns the ends of moves to empty squares if pieces were only where a move needs them.
    pub fn possible(&self, lines: &[Line], from: usize) -> Squares {
        let (mut ends, _) = self.moves(lines, from, 0, 0);
        for hop in self.hops.iter().filter(|hop| hop.ride.quiet != 0) {
            ends |= lines[hop.ride.line].reach(from);
        }
        ends
    }

    /// Returns the expected number of moves from a square, if each square is occupied with this chance, as
    /// often by an own piece as by an enemy.
    pub fn expected(&self, movements: &Movements, from: usize, density: f32) -> f32 {
        let free = 1.0 - density;
        let worth = |quiet: bool, capture: bool| {
            (if quiet { free } else { 0.0 }) + if capture { density / 2.0 } else { 0.0 }
        };
        let leaps =
            [0, 1].map(|i| self.leaps[i].get(from).map_or(0, |ends| ends.count_ones()) as f32);
        let mut sum = leaps[0] * free + leaps[1] * density / 2.0;
        for ride in &self.rides {
            let length = movements.lines[ride.line].reach(from).count_ones();
            let each = worth(ride.quiet != 0, ride.capture != 0);
            sum += (0..length).map(|i| each * free.powi(i as i32)).sum::<f32>();
        }
        for hop in &self.hops {
            // The hurdle is on one of the squares before.
            let length = movements.lines[hop.ride.line].reach(from).count_ones();
            let each = worth(hop.ride.quiet != 0, hop.ride.capture != 0) * density;
            let ways = |i: u32| if hop.landing == Landing::Behind { 1.0 } else { i as f32 };
            sum += (1..length).map(|i| each * ways(i) * free.powi(i as i32 - 1)).sum::<f32>();
        }
        for lame in self.lames.get(from).into_iter().flatten() {
            sum += worth(lame.quiet, lame.capture) * free.powi(lame.path.count_ones() as i32);
        }
        sum
    }
}

impl Landing {
    /// Returns the ends of hops along a line. `cannons` are the squares of Janggi Cannons.
    #[inline]
    fn squares(self, line: &Line, from: usize, occupied: Squares, cannons: Squares) -> Squares {
        match self {
            Landing::Beyond => line.hop(from, occupied),
            Landing::Behind => line.grasshop(from, occupied),
            Landing::Janggi => {
                line.hop(from, occupied) & line.hop(from, occupied & !cannons) & !cannons
            }
        }
    }

    /// Returns squares from which a piece hops to a square, on the line from that square towards the piece.
    #[inline]
    pub fn origins(self, line: &Line, to: usize, occupied: Squares, cannons: Squares) -> Squares {
        match self {
            Landing::Beyond => line.hop(to, occupied),
            Landing::Behind => {
                let next = line.next(to) & occupied;
                if next == 0 { 0 } else { line.ride(next.trailing_zeros() as usize, occupied) }
            }
            Landing::Janggi => line.hop(to, occupied) & line.hop(to, occupied & !cannons),
        }
    }
}

impl Movement {
    /// Returns whether a piece on a square has no move to an empty square that leads back to another one.
    pub fn has_no_way_back(&self, lines: &[Line], at: usize, back: usize) -> bool {
        self.usual.possible(lines, at) >> back & 1 == 0
    }

    /// Returns whether a move is one of those from the squares of double steps, and not a usual one.
    pub fn is_first_move(&self, lines: &[Line], from: usize, to: usize) -> bool {
        let goes = |pattern: &Pattern| pattern.possible(lines, from) >> to & 1 == 1;
        self.first.as_ref().is_some_and(goes) && !goes(&self.usual)
    }
}

impl Movements {
    /// Makes the tables of a definition.
    pub fn new(grid: Grid, rules: &Definition) -> Self {
        let mut maker = Maker { grid, rules, lines: Vec::new() };
        let of = [0, 1].map(|side| {
            rules.pieces.iter().map(|piece| maker.movement(piece, side)).collect::<Vec<_>>()
        });
        let attacks = [0, 1].map(|side| maker.attacks(&of[side]));
        let faces = FACES.map(|step| maker.line(step, 0));
        Self { lines: maker.lines, of, attacks, faces }
    }
}
