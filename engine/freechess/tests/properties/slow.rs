//! A slow generator, written from the text of the rules and sharing no code with the engine.
//!
//! Squares are pairs of numbers in a map, and a piece's ways are searched state by state.

mod text;

use std::collections::{HashMap, HashSet};
use text::name;

pub type Square = (i32, i32);

/// Counts of k, r, b, n, p, c.
pub type Bag = [u8; 6];

const LETTERS: [char; 6] = ['k', 'r', 'b', 'n', 'p', 'c'];
const K: usize = 0;
const R: usize = 1;
const B: usize = 2;
const N: usize = 3;
const P: usize = 4;
const C: usize = 5;

const STRAIGHT: [Square; 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const DIAGONAL: [Square; 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const LEAPS: [Square; 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// The toggles that matter here.
#[derive(Clone, Copy)]
pub struct Toggles {
    pub valid_squares: bool,
    pub shield: char,
    pub fusing: bool,
    pub splitting: bool,
    pub royal_return: bool,
    pub recall: bool,
    pub royal_to_capture: bool,
    pub royal_cancel: bool,
    pub pinned_checks: bool,
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Turn {
    Start,
    Move { origin: Square, at: Square, used: Bag, captured: bool },
    Split { origin: Square, hand: Bag },
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Board {
    size: i32,
    squares: Grid,
    reserves: [Bag; 2],
    side: usize,
    shield: Option<(usize, Square)>,
    turn: Turn,
}

/// Pieces by square.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Grid(Vec<Option<(u8, Bag)>>);

fn cell((x, y): Square) -> usize {
    (13 * y + x) as usize
}

impl Grid {
    fn get(&self, square: Square) -> Option<(usize, Bag)> {
        self.0[cell(square)].map(|(owner, bag)| (owner.into(), bag))
    }

    fn has(&self, square: Square) -> bool {
        self.0[cell(square)].is_some()
    }

    fn insert(&mut self, square: Square, (owner, bag): (usize, Bag)) {
        self.0[cell(square)] = Some((owner as u8, bag));
    }

    fn remove(&mut self, square: Square) {
        self.0[cell(square)] = None;
    }

    fn all(&self) -> impl Iterator<Item = (Square, (usize, Bag))> {
        let square = |index: usize| ((index % 13) as i32, (index / 13) as i32);
        let cells = (0..self.0.len()).map(square);
        cells.filter_map(|square| Some((square, self.get(square)?)))
    }
}

fn total(bag: &Bag) -> u32 {
    bag.iter().map(|&count| u32::from(count)).sum()
}

fn sum(one: &Bag, two: &Bag) -> Bag {
    std::array::from_fn(|kind| one[kind] + two[kind])
}

fn less(one: &Bag, two: &Bag) -> Bag {
    std::array::from_fn(|kind| one[kind] - two[kind])
}

fn one(kind: usize) -> Bag {
    std::array::from_fn(|other| u8::from(other == kind))
}

fn add((x, y): Square, (dx, dy): Square, times: i32) -> Square {
    (x + dx * times, y + dy * times)
}

/// A part by one kind: where to, instances used, whether it goes to an empty square, whether it
/// captures there.
struct Part {
    to: Square,
    uses: u8,
    quiet: bool,
    captures: bool,
}

impl Board {
    fn inside(&self, (x, y): Square) -> bool {
        x >= 0 && y >= 0 && x < self.size && y < self.size
    }

    /// The geometry of rules 9 and 10: parts by a kind, of which `most` instances may be used.
    fn parts(&self, kind: usize, most: u8, from: Square, mut visit: impl FnMut(Part)) {
        let mut ray = |step: Square, length: i32, uses: &dyn Fn(i32) -> u8, captures: bool| {
            for times in 1..=length {
                let to = add(from, step, times);
                if !self.inside(to) {
                    break;
                }
                visit(Part { to, uses: uses(times), quiet: true, captures });
                if self.squares.has(to) {
                    break;
                }
            }
        };
        let all = STRAIGHT.into_iter().chain(DIAGONAL);
        match kind {
            K => all.for_each(|step| ray(step, 1, &|_| 1, true)),
            R => STRAIGHT.into_iter().for_each(|step| ray(step, 20, &|_| 1, true)),
            B => DIAGONAL.into_iter().for_each(|step| ray(step, 20, &|_| 1, true)),
            N => LEAPS.into_iter().for_each(|step| ray(step, most.into(), &|j| j as u8, true)),
            P => {
                let run = 2 * i32::from(most);
                let uses = |squares: i32| (squares + 1) as u8 / 2;
                STRAIGHT.into_iter().for_each(|step| ray(step, run, &uses, false));
                for step in DIAGONAL {
                    let to = add(from, step, 1);
                    if self.inside(to) {
                        visit(Part { to, uses: 1, quiet: false, captures: true });
                    }
                }
            }
            _ => {}
        }
    }

    fn bag(&self, square: Square) -> Bag {
        self.squares.get(square).map_or([0; 6], |piece| piece.1)
    }

    fn without(&self, square: Square) -> Board {
        let mut board = self.clone();
        board.squares.remove(square);
        board
    }

    /// States of a piece that moves over empty squares: where it is, what it has not used. Those with
    /// less unused than another one on the same square are left out. The piece does not stand on this
    /// board.
    fn walk(&self, bag: &Bag, unused: Bag, from: Square) -> Vec<(Square, Bag)> {
        let mut known: Vec<Vec<Bag>> = vec![Vec::new(); self.squares.0.len()];
        known[cell(from)].push(unused);
        let mut states = vec![(from, unused)];
        let mut next = 0;
        while let Some(&(at, unused)) = states.get(next) {
            next += 1;
            for kind in K..C {
                let first = at == from && unused == *bag;
                if unused[kind] == 0 || bag[C] == 0 && !first {
                    continue;
                }
                let most = if bag[C] > 0 { 1 } else { unused[kind] };
                self.parts(kind, most, at, |part| {
                    if !part.quiet || self.squares.has(part.to) {
                        return;
                    }
                    let mut rest = unused;
                    rest[kind] -= part.uses;
                    let known = &mut known[cell(part.to)];
                    if !known.iter().any(|more| (K..C).all(|kind| more[kind] >= rest[kind])) {
                        known.push(rest);
                        states.push((part.to, rest));
                    }
                });
            }
        }
        states
    }

    /// Ways in which the piece on a square strikes another one (rule 19): what is unused after the
    /// capture.
    fn ways(&self, from: Square, target: Square) -> Vec<Bag> {
        let bag = self.bag(from);
        let mut ways = Vec::new();
        // Without a combinator the capture is the first part, and no part comes back to its square.
        let gone;
        let (board, states) = if bag[C] == 0 {
            (self, vec![(from, bag)])
        } else {
            gone = self.without(from);
            (&gone, gone.walk(&bag, bag, from))
        };
        for (at, unused) in states {
            for kind in K..C {
                if unused[kind] == 0 || bag[K] > 0 && kind != K {
                    continue;
                }
                let most = if bag[C] > 0 { 1 } else { unused[kind] };
                board.parts(kind, most, at, |part| {
                    if part.captures && part.to == target {
                        let mut rest = unused;
                        rest[kind] -= part.uses;
                        ways.push(rest);
                    }
                });
            }
        }
        ways
    }

    fn pieces(&self, side: usize) -> Vec<Square> {
        let own = self.squares.all().filter(|(_, (owner, _))| *owner == side);
        own.map(|(square, _)| square).collect()
    }

    fn royal(&self, side: usize) -> Option<Square> {
        self.pieces(side).into_iter().find(|square| self.bag(*square)[K] > 0)
    }

    fn strikers(&self, side: usize, target: Square) -> impl Iterator<Item = Square> {
        let strikes = move |from: &Square| *from != target && !self.ways(*from, target).is_empty();
        self.pieces(side).into_iter().filter(strikes)
    }

    fn may_capture(&self, toggles: &Toggles, side: usize) -> bool {
        !toggles.royal_to_capture || self.royal(side).is_some()
    }

    /// Rule 16, without what happens to the reserves.
    fn after_capture(bag: &Bag, captured: &Bag) -> Bag {
        std::array::from_fn(|kind| {
            if kind == K { bag[kind] } else { bag[kind] - bag[kind].min(captured[kind]) }
        })
    }

    /// Rule 21: whether the piece can carry out its strike on the royal.
    fn carries_out(&self, from: Square, target: Square) -> bool {
        let side = self.squares.get(from).unwrap().0;
        let bag = self.bag(from);
        let enemy = 1 - side;
        let rest = Self::after_capture(&bag, &self.bag(target));
        let old: HashSet<Square> =
            self.royal(side).into_iter().flat_map(|royal| self.strikers(enemy, royal)).collect();
        let gone = self.without(from).without(target);
        let good = |end: Square| {
            let mut board = gone.clone();
            if total(&rest) > 0 {
                board.squares.insert(end, (side, rest));
            }
            match board.royal(side) {
                None => true,
                Some(royal) if bag[K] > 0 => board.strikers(enemy, royal).next().is_none(),
                Some(royal) => board.strikers(enemy, royal).all(|striker| old.contains(&striker)),
            }
        };
        for unused in self.ways(from, target) {
            // Rule 17: the used ones cancel first.
            let left: Bag = std::array::from_fn(|kind| unused[kind].min(rest[kind]));
            let ends = if rest[C] > 0 { gone.walk(&rest, left, target) } else { Vec::new() };
            if good(target) || ends.into_iter().any(|(end, _)| good(end)) {
                return true;
            }
        }
        false
    }

    pub fn in_check(&self, toggles: &Toggles, side: usize) -> bool {
        let Some(target) = self.royal(side) else { return false };
        if !self.may_capture(toggles, 1 - side) {
            return false;
        }
        self.strikers(1 - side, target).any(|from| {
            let near = (from.0 - target.0).abs() <= 1 && (from.1 - target.1).abs() <= 1;
            toggles.pinned_checks || self.bag(from)[K] > 0 && near || self.carries_out(from, target)
        })
    }

    pub fn valid(&self, toggles: &Toggles) -> HashSet<Square> {
        let all = (0..self.size).flat_map(|x| (0..self.size).map(move |y| (x, y)));
        let bare = (0..2).any(|side| self.pieces(side).is_empty());
        if bare || !toggles.valid_squares {
            return all.collect();
        }
        let mut valid: HashSet<Square> = self.squares.all().map(|piece| piece.0).collect();
        for (from, (_, bag)) in self.squares.all() {
            let board = self.without(from);
            let states = board.walk(&bag, bag, from);
            valid.extend(states.iter().map(|state| state.0));
            // A capturable enemy on a square that the piece cannot come to is in no way of it.
            for (at, unused) in states {
                let first = at == from && unused == bag;
                for (kind, &left) in unused.iter().enumerate().take(C) {
                    if left == 0 || bag[K] > 0 && kind != K || bag[C] == 0 && !first {
                        continue;
                    }
                    let most = if bag[C] > 0 { 1 } else { left };
                    board.parts(kind, most, at, |part| {
                        if part.captures {
                            valid.insert(part.to);
                        }
                    });
                }
            }
        }
        valid
    }

    fn ends_well(&self, toggles: &Toggles, side: usize) -> bool {
        !self.pieces(side).is_empty() && !self.in_check(toggles, side)
    }

    fn finish(mut self) -> Board {
        self.side = 1 - self.side;
        self.shield = None;
        self.turn = Turn::Start;
        self
    }

    /// Every action that the rules of movement allow, with the board after it.
    fn actions(&self, toggles: &Toggles) -> Vec<(String, Board)> {
        let mut actions = Vec::new();
        match self.turn.clone() {
            Turn::Start => {
                self.placements(toggles, &mut actions);
                for from in self.pieces(self.side) {
                    let bag = self.bag(from);
                    self.moves(toggles, from, from, bag, false, &mut actions);
                    self.lifts(toggles, from, &[0; 6], &mut actions);
                }
            }
            Turn::Move { origin, at, used, captured } => {
                let unused = less(&self.bag(at), &used);
                if origin != at || captured {
                    actions.push(("end".into(), self.clone().finish()));
                }
                self.moves(toggles, origin, at, unused, captured, &mut actions);
            }
            Turn::Split { origin, hand } => {
                self.lifts(toggles, origin, &hand, &mut actions);
                if total(&hand) == 0 {
                    actions.push(("end".into(), self.clone().finish()));
                } else {
                    self.put_down(toggles, origin, &hand, &mut actions);
                }
            }
        }
        actions
    }

    fn placements(&self, toggles: &Toggles, actions: &mut Vec<(String, Board)>) {
        let valid = self.valid(toggles);
        for kind in (K..=C).filter(|&kind| self.reserves[self.side][kind] > 0) {
            for &to in &valid {
                let mut next = self.clone();
                next.reserves[self.side][kind] -= 1;
                let mut protects = false;
                match self.squares.get(to) {
                    None => {
                        next.squares.insert(to, (self.side, one(kind)));
                        protects = toggles.shield == 'y';
                    }
                    Some((owner, bag)) if owner == self.side => {
                        if kind == C && bag[C] > 0 {
                            continue;
                        }
                        next.squares.insert(to, (self.side, sum(&bag, &one(kind))));
                        protects = toggles.shield != 'n';
                    }
                    Some((owner, bag)) => {
                        let royal = kind == K && !toggles.royal_cancel;
                        let shielded = self.shield == Some((kind, to)) && toggles.shield != 'n';
                        if bag[kind] == 0 || kind == C || royal || shielded {
                            continue;
                        }
                        let rest = less(&bag, &one(kind));
                        next.squares.remove(to);
                        if total(&rest) > 0 {
                            next.squares.insert(to, (owner, rest));
                        }
                    }
                }
                let mut next = next.finish();
                if protects && kind != C && (kind != K || toggles.royal_cancel) {
                    next.shield = Some((kind, to));
                }
                let letter = LETTERS[kind].to_ascii_uppercase();
                actions.push((format!("{letter}@{}", name(to)), next));
            }
        }
    }

    /// Parts of a move; equal texts stand for one action.
    fn moves(
        &self,
        toggles: &Toggles,
        origin: Square,
        at: Square,
        unused: Bag,
        captured: bool,
        actions: &mut Vec<(String, Board)>,
    ) {
        let bag = self.bag(at);
        let used = less(&bag, &unused);
        let board = self.without(at);
        for kind in K..C {
            let most = if bag[C] > 0 { unused[kind].min(1) } else { unused[kind] };
            if most == 0 {
                continue;
            }
            let mut parts = Vec::new();
            board.parts(kind, most, at, |part| parts.push(part));
            for part in parts {
                let mut next = board.clone();
                let mut captured = captured;
                let (mut piece, mut used) = (bag, used);
                used[kind] += part.uses;
                if let Some((owner, target)) = self.squares.get(part.to).filter(|_| part.to != at) {
                    let barred = owner != self.side
                        && (target[K] > 0 || total(&target) == 1 && target[C] == 1);
                    let two_combinators = owner == self.side && bag[C] + target[C] > 1;
                    if !part.captures
                        || barred
                        || two_combinators
                        || owner == self.side && !toggles.fusing
                        || bag[K] > 0 && kind != K
                        || !self.may_capture(toggles, self.side)
                    {
                        continue;
                    }
                    captured = true;
                    if owner == self.side {
                        piece = sum(&bag, &target);
                    } else {
                        piece = Self::after_capture(&bag, &target);
                        let cancelled = less(&bag, &piece);
                        next.reserves[self.side] = sum(&next.reserves[self.side], &cancelled);
                        used = std::array::from_fn(|k| used[k] - used[k].min(cancelled[k]));
                    }
                } else if !part.quiet {
                    continue;
                }
                next.squares.remove(part.to);
                if total(&piece) > 0 {
                    next.squares.insert(part.to, (self.side, piece));
                }
                let text = format!("{}{}", name(at), name(part.to));
                let mut left = less(&piece, &used);
                left[C] = 0;
                if piece[C] > 0 && total(&left) > 0 {
                    next.turn = Turn::Move { origin, at: part.to, used, captured };
                    next.shield = None;
                    actions.push((format!("{text}{}", LETTERS[kind]), next));
                } else if (part.to != origin || captured)
                    && actions.iter().all(|(known, _)| *known != text)
                {
                    actions.push((text, next.finish()));
                }
            }
        }
    }

    fn lifts(
        &self,
        toggles: &Toggles,
        from: Square,
        hand: &Bag,
        actions: &mut Vec<(String, Board)>,
    ) {
        let Some((_, bag)) = self.squares.get(from) else { return };
        let least = if toggles.recall { 1 } else { 2 };
        if !toggles.splitting || total(&bag) < least {
            return;
        }
        for kind in (K..=C).filter(|&kind| bag[kind] > 0) {
            if (kind + 1..=C).any(|later| hand[later] > 0) {
                continue;
            }
            let mut next = self.clone();
            let rest = less(&bag, &one(kind));
            next.squares.remove(from);
            if total(&rest) > 0 {
                next.squares.insert(from, (self.side, rest));
            }
            next.turn = Turn::Split { origin: from, hand: sum(hand, &one(kind)) };
            next.shield = None;
            actions.push((format!("{}^{}", name(from), LETTERS[kind]), next));
        }
    }

    fn put_down(
        &self,
        toggles: &Toggles,
        from: Square,
        hand: &Bag,
        actions: &mut Vec<(String, Board)>,
    ) {
        let settle = |mut next: Board| {
            let left = next.squares.get(from).map_or(0, |(_, bag)| total(&bag));
            next.turn = Turn::Split { origin: from, hand: [0; 6] };
            if left <= u32::from(!toggles.recall) { next.finish() } else { next }
        };
        let squares: HashSet<Square> =
            self.walk(hand, *hand, from).into_iter().map(|state| state.0).collect();
        for to in squares.into_iter().filter(|&to| to != from) {
            let mut next = self.clone();
            next.squares.insert(to, (self.side, *hand));
            actions.push((format!("{}>{}", name(from), name(to)), settle(next)));
        }
        if hand[K] == 0 || toggles.royal_return {
            let mut next = self.clone();
            next.reserves[self.side] = sum(&next.reserves[self.side], hand);
            actions.push((format!("{}>-", name(from)), settle(next)));
        }
    }

    /// Every legal action with the text of the position after it, sorted. `None` if that takes too
    /// long.
    pub fn legal(&self, toggles: &Toggles, patience: &mut u32) -> Option<Vec<(String, String)>> {
        let mut known = HashMap::new();
        let mut legal = Vec::new();
        for (text, next) in self.actions(toggles) {
            if next.can_end(toggles, self.side, &mut known, patience)? {
                legal.push((text, next.text()));
            }
        }
        legal.sort();
        Some(legal)
    }

    /// Rule 27.
    fn can_end(
        &self,
        toggles: &Toggles,
        side: usize,
        known: &mut HashMap<Board, bool>,
        patience: &mut u32,
    ) -> Option<bool> {
        if self.side != side {
            return Some(self.ends_well(toggles, side));
        }
        if let Some(&known) = known.get(self) {
            return Some(known);
        }
        *patience = patience.checked_sub(1)?;
        let mut actions = self.actions(toggles);
        // Ends of the turn first: they nearly always show it.
        actions.sort_by_key(|(text, next)| (next.side == side, !text.ends_with("end")));
        let mut can_end = false;
        for (_, next) in actions {
            if next.can_end(toggles, side, known, patience)? {
                can_end = true;
                break;
            }
        }
        known.insert(self.clone(), can_end);
        Some(can_end)
    }
}
