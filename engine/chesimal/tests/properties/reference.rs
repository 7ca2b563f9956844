//! A second implementation of the rules, written from `docs/chesimal.md` sentence by sentence. It
//! shares no code with the engine: units are a map, and an action's result is a new map.

use std::collections::{BTreeMap, BTreeSet};

/// File and rank, from 1.
type Square = (i32, i32);

/// A unit. `leader` is the square on which its leader stood when the position was read, which names
/// the AMP for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Unit {
    white: bool,
    letter: char,
    leader: Option<Square>,
}

/// The turn in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Turn {
    leader: Square,
    mode: char,
    moved: BTreeSet<Square>,
    recruited: BTreeSet<Square>,
}

/// The rules, as text.
#[derive(Clone, Debug)]
pub struct Toggles(pub BTreeMap<String, String>);

impl Toggles {
    fn is(&self, toggle: &str, value: &str) -> bool {
        self.0[toggle] == value
    }

    fn number(&self, toggle: &str) -> usize {
        self.0[toggle].parse().unwrap()
    }

    fn amps(&self) -> bool {
        self.is("friendly", "amp")
    }

    fn size(&self) -> (i32, i32) {
        if self.is("setup", "small") { (8, 8) } else { (16, 12) }
    }
}

/// A position with its rules.
#[derive(Clone, Debug)]
pub struct Reference {
    toggles: Toggles,
    units: BTreeMap<Square, Unit>,
    white: bool,
    turn: Option<Turn>,
    quiet: u32,
    number: u32,
}

fn name((file, rank): Square) -> String {
    format!("{}{rank}", (b'a' + file as u8 - 1) as char)
}

fn square(text: &str) -> Square {
    (i32::from(text.as_bytes()[0] - b'a') + 1, text[1..].parse().unwrap())
}

fn touch(a: Square, b: Square) -> bool {
    a != b && (a.0 - b.0).abs() <= 1 && (a.1 - b.1).abs() <= 1
}

/// The squares at most so far away in files and ranks, those beyond the board included.
fn around(at: Square, far: i32) -> Vec<Square> {
    let near = |file| (-far..=far).map(move |rank| (at.0 + file, at.1 + rank));
    (-far..=far).flat_map(near).filter(|&other| other != at).collect()
}

fn is_leader(letter: char) -> bool {
    letter == 'k' || letter == 's'
}

/// The order of the placement.
fn placement_order(squares: impl Iterator<Item = Square>) -> Vec<Square> {
    let mut squares: Vec<Square> = squares.collect();
    squares.sort_by_key(|(file, rank)| (-rank, *file));
    squares
}

/// The order of the lists of a turn.
fn list(sign: char, set: &BTreeSet<Square>) -> String {
    let mut squares: Vec<Square> = set.iter().copied().collect();
    squares.sort_by_key(|(file, rank)| (*rank, *file));
    squares.into_iter().map(|square| format!("{sign}{}", name(square))).collect()
}

impl Reference {
    /// Reads a correct text.
    pub fn read(toggles: &Toggles, text: &str) -> Self {
        let fields: Vec<&str> = text.split(' ').collect();
        let mut units = BTreeMap::new();
        for (row, rank) in fields[0].split('/').enumerate() {
            let (mut file, mut digits) = (1, String::new());
            for c in rank.chars() {
                if c.is_ascii_digit() {
                    digits.push(c);
                    continue;
                }
                file += digits.parse().unwrap_or(0);
                digits.clear();
                let letter = c.to_ascii_lowercase();
                let unit = Unit { white: c.is_ascii_uppercase(), letter, leader: None };
                units.insert((file, toggles.size().1 - row as i32), unit);
                file += 1;
            }
        }
        let order = placement_order(units.keys().copied());
        if toggles.amps() {
            for (at, digit) in order.iter().zip(fields[2].chars()) {
                let white = units[at].white;
                let of_leader = |other: &&Square| {
                    is_leader(units[*other].letter) && units[*other].white == white
                };
                let place = digit.to_digit(10).unwrap() as usize;
                let leaders: Vec<Square> = order.iter().filter(of_leader).copied().collect();
                let leader = place.checked_sub(1).map(|place| leaders[place]);
                units.get_mut(at).unwrap().leader = leader;
            }
        }
        let turn = (fields[3] != "-").then(|| {
            let (head, rest) =
                fields[3].split_at(fields[3].find(['+', '*']).unwrap_or(fields[3].len()));
            let set = |sign: char| -> BTreeSet<Square> {
                let starts = rest.char_indices().filter(|(_, c)| *c == sign);
                starts
                    .map(|(i, _)| square(rest[i + 1..].split(['+', '*']).next().unwrap()))
                    .collect()
            };
            let (leader, mode) = head.split_at(head.len() - 1);
            Turn {
                leader: square(leader),
                mode: mode.chars().next().unwrap(),
                moved: set('+'),
                recruited: set('*'),
            }
        });
        Self {
            toggles: toggles.clone(),
            units,
            white: fields[1] == "w",
            turn,
            quiet: fields[4].parse().unwrap(),
            number: fields[5].parse().unwrap(),
        }
    }

    pub fn text(&self) -> String {
        let (files, ranks) = self.toggles.size();
        let rank = |rank: i32| {
            let row: String = (1..=files)
                .map(|file| match self.units.get(&(file, rank)) {
                    Some(unit) if unit.white => unit.letter.to_ascii_uppercase(),
                    Some(unit) => unit.letter,
                    None => '.',
                })
                .collect();
            let runs = row.as_bytes().chunk_by(|a, b| *a == b'.' && *b == b'.');
            runs.map(|run| match run[0] {
                b'.' => run.len().to_string(),
                letter => (letter as char).to_string(),
            })
            .collect::<String>()
        };
        let placement = (1..=ranks).rev().map(rank).collect::<Vec<_>>().join("/");
        let turn = self.turn.as_ref().map_or("-".into(), |turn| {
            let lists = list('+', &turn.moved) + &list('*', &turn.recruited);
            format!("{}{}{lists}", name(turn.leader), turn.mode)
        });
        let amps = if self.toggles.amps() { self.digits() } else { "-".into() };
        let side = if self.white { 'w' } else { 'b' };
        format!("{placement} {side} {amps} {turn} {} {}", self.quiet, self.number)
    }

    fn digits(&self) -> String {
        let order = placement_order(self.units.keys().copied());
        let number = |unit: &Unit| {
            let mut leaders = order
                .iter()
                .map(|at| &self.units[at])
                .filter(|other| is_leader(other.letter) && other.white == unit.white);
            let place = leaders.position(|leader| leader.leader == unit.leader);
            match (unit.leader, place) {
                (Some(_), Some(place)) => (place + 1).to_string(),
                _ => "0".into(),
            }
        };
        order.iter().map(|at| number(&self.units[at])).collect()
    }

    fn is_own(&self, at: Square) -> bool {
        self.units.get(&at).is_some_and(|unit| unit.white == self.white)
    }

    fn on_board(&self, (file, rank): Square) -> bool {
        let (files, ranks) = self.toggles.size();
        (1..=files).contains(&file) && (1..=ranks).contains(&rank)
    }

    /// Whether a unit moves from a square to another one (rules 1 to 4).
    fn moves(&self, from: Square, to: Square, mode: char) -> bool {
        if from == to || !self.on_board(to) || self.is_own(to) {
            return false;
        }
        let (x, y) = ((to.0 - from.0).abs(), (to.1 - from.1).abs());
        match self.units[&from].letter {
            'n' => x * y == 2,
            'w' => x * y == 0 && x + y <= 2,
            'e' => x == y && x <= 2,
            'p' => match mode {
                'o' => x + y == 1,
                'd' => x == 1 && y == 1,
                _ => x.max(y) == 1,
            },
            _ => {
                let empty = |by: Square| self.on_board(by) && !self.units.contains_key(&by);
                touch(from, to) || around(from, 1).into_iter().any(|by| touch(by, to) && empty(by))
            }
        }
    }

    fn allowed(letter: char, mode: char) -> bool {
        match letter {
            'n' => mode == 'k',
            'w' => mode != 'd',
            'e' => mode != 'o',
            _ => true,
        }
    }

    /// Whether two units are friendly.
    fn friendly(&self, a: &Unit, b: &Unit) -> bool {
        a.white == b.white && (!self.toggles.amps() || a.leader.is_some() && a.leader == b.leader)
    }

    /// The units that a line of friendly units joins to a leader.
    fn connected(&self, leader: Square) -> BTreeSet<Square> {
        let friendly = |at: &Square| {
            self.units.get(at).is_some_and(|unit| self.friendly(&self.units[&leader], unit))
        };
        let (mut met, mut open) = (BTreeSet::from([leader]), vec![leader]);
        while let Some(at) = open.pop() {
            let near = around(at, 1).into_iter().filter(friendly);
            open.extend(near.filter(|&near| met.insert(near)));
        }
        met
    }

    /// Whether the limits allow that the unit on a square is activated or recruited, too.
    fn within_limits(&self, turn: &Turn, unit: Square) -> bool {
        let mut all: BTreeSet<Square> = turn.moved.union(&turn.recruited).copied().collect();
        all.insert(unit);
        let first = self.white && self.number == 1 && !self.toggles.is("first-turn", "full");
        if first && all.len() > self.toggles.number("first-turn") {
            return false;
        }
        if turn.mode == 'k' {
            all.remove(&turn.leader);
            all.len() <= self.toggles.number("king-others")
        } else {
            all.len() <= self.toggles.number("prince-total")
        }
    }

    /// The activations of a turn, with their results.
    fn activations(&self, turn: &Turn) -> BTreeMap<String, Self> {
        let mut found = BTreeMap::new();
        let connected = self.connected(turn.leader);
        for from in self.units.keys().copied().filter(|&at| self.is_own(at)) {
            let letter = self.units[&from].letter;
            let may = Self::allowed(letter, turn.mode)
                && !turn.moved.contains(&from)
                && self.within_limits(turn, from)
                && connected.contains(&from);
            for to in around(from, 2) {
                if may && self.moves(from, to, turn.mode) {
                    let next = self.after_activation(turn, from, to);
                    found.insert(name(from) + &name(to), next);
                }
            }
            if self.can_recruit(turn, from) {
                let mut next = self.clone();
                let mut turn = turn.clone();
                turn.recruited.insert(from);
                next.turn = Some(turn);
                found.insert(name(from) + "r", next);
            }
        }
        found
    }

    fn can_recruit(&self, turn: &Turn, unit: Square) -> bool {
        let letter = self.units[&unit].letter;
        self.toggles.amps()
            && self.toggles.is("recruit", "yes")
            && touch(turn.leader, unit)
            && !self.friendly(&self.units[&turn.leader], &self.units[&unit])
            && !is_leader(letter)
            && Self::allowed(letter, turn.mode)
            && !turn.recruited.contains(&unit)
            && self.within_limits(turn, unit)
    }

    fn after_activation(&self, turn: &Turn, from: Square, to: Square) -> Self {
        let (mut next, mut turn) = (self.clone(), turn.clone());
        let unit = next.units.remove(&from).unwrap();
        let captured = next.units.insert(to, unit);
        turn.moved.insert(to);
        if turn.leader == from {
            turn.leader = to;
        }
        next.turn = Some(turn);
        let Some(captured) = captured else { return next };
        next.quiet = 0;
        if is_leader(captured.letter) && captured.leader.is_some() {
            let members = next.units.values_mut().filter(|other| other.white == captured.white);
            for member in members.filter(|member| member.leader == captured.leader) {
                member.leader = None;
            }
        }
        if next.has_lost(!self.white) || self.toggles.is("after-capture", "end") {
            return next.after_turn();
        }
        next
    }

    fn after_turn(&self) -> Self {
        let mut next = self.clone();
        if let Some(turn) = next.turn.take() {
            let leader = next.units[&turn.leader].leader;
            for at in turn.recruited {
                next.units.get_mut(&at).unwrap().leader = leader;
            }
        }
        next.quiet += 1;
        next.number += u32::from(!self.white);
        next.white = !self.white;
        next
    }

    pub fn has_lost(&self, white: bool) -> bool {
        let kings = self.units.values().filter(|unit| unit.white == white && unit.letter == 'k');
        let all = if self.toggles.is("setup", "small") { 1 } else { 2 };
        kings.count() < if self.toggles.is("kings", "any") { all } else { 1 }
    }

    /// The turns that the side to move can begin.
    fn choices(&self) -> Vec<Turn> {
        let mut turns = Vec::new();
        for (&leader, unit) in self.units.iter().filter(|(at, _)| self.is_own(**at)) {
            let modes = match unit.letter {
                'k' => "k",
                's' if self.toggles.is("prince-mode", "both") => "b",
                's' => "od",
                _ => "",
            };
            turns.extend(modes.chars().map(|mode| Turn {
                leader,
                mode,
                moved: BTreeSet::new(),
                recruited: BTreeSet::new(),
            }));
        }
        turns
    }

    /// Every legal action by its text, with the position after it.
    pub fn actions(&self) -> BTreeMap<String, Self> {
        if self.has_lost(self.white) {
            return BTreeMap::new();
        }
        let mut found = match &self.turn {
            Some(turn) => self.activations(turn),
            None => self
                .choices()
                .into_iter()
                .filter(|turn| !self.activations(turn).is_empty())
                .map(|turn| {
                    let text = format!("{}{}", name(turn.leader), turn.mode);
                    (text, Self { turn: Some(turn), ..self.clone() })
                })
                .collect(),
        };
        let begun = self
            .turn
            .as_ref()
            .is_some_and(|turn| !turn.moved.is_empty() || !turn.recruited.is_empty());
        let passes = self.turn.is_none() && self.toggles.is("pass", "yes");
        if begun || passes || found.is_empty() {
            found.insert("end".into(), self.after_turn());
        }
        found
    }
}
