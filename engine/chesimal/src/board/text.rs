//! Positions as text: `placement side amps turn quiet number`.

use super::bitboard::{Bitboard, Square};
use super::movegen;
use super::position::{Active, MOST_AMPS, Position};
use super::unit::{Kind, Mode};
use crate::rules::{RuleSet, Setup};
use fusion_game::Side;
use std::fmt::Write;

/// The reason why a text is no position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// There are not six fields.
    #[error("{0} fields instead of 6: placement, side, amps, turn, quiet turns, turn number")]
    Fields(usize),
    /// The placement has another number of ranks than the board.
    #[error("the placement has {found} ranks, the board has {wanted}")]
    Ranks {
        /// Ranks of the text.
        found: usize,
        /// Ranks of the board.
        wanted: usize,
    },
    /// A rank is malformed, or has another number of squares than the board.
    #[error("rank {rank}, '{text}': {reason}")]
    Rank {
        /// Number of the rank.
        rank: usize,
        /// The rank's text.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The side is neither White nor Black.
    #[error("'{0}' is no side: expected w or b")]
    Side(String),
    /// The AMPs do not fit the units or the rules.
    #[error("amps '{text}': {reason}")]
    Amps {
        /// The field.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The turn in progress is malformed, or does not fit the units or the rules.
    #[error("turn '{text}': {reason}")]
    Turn {
        /// The field.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A counter is no number within its bounds.
    #[error("{what} '{text}': expected a whole number from {least} to {most}")]
    Counter {
        /// What is counted.
        what: &'static str,
        /// The field.
        text: String,
        /// The least value.
        least: u32,
        /// The largest value.
        most: u32,
    },
    /// The side that is not to move has too few Kings.
    #[error("the side that is not to move has lost")]
    Lost,
}

/// Returns the initial position.
///
/// ```
/// use fusion_chesimal::board::start;
/// use fusion_chesimal::rules::RuleSet;
///
/// let rules = RuleSet::preset("chesimal-small")?;
/// let text = "sw1kn1es/wp1pp1pe/8/8/8/8/WP1PP1PE/SW1KN1ES w - - 0 1";
/// assert_eq!(start(&rules).to_text(&rules), text);
/// # Ok::<(), fusion_chesimal::rules::RulesError>(())
/// ```
#[must_use]
pub fn start(rules: &RuleSet) -> Position {
    /// White's ranks, its first rank first, and the number of each unit's AMP.
    type Array = &'static [(&'static str, &'static str)];
    const BLOCKS: Array = &[
        ("................", "................"),
        ("P.P.PWP..EPE.P.P", "1.1.222..333.4.4"),
        ("NKN.WSW..PSP.NKN", "111.222..333.444"),
        ("P.P.PWP..EPE.P.P", "1.1.222..333.4.4"),
    ];
    const LINES: Array = &[
        ("................", "................"),
        ("NKNWWSWWEESEENKN", "1112222233333444"),
        ("PPPPPPPPPPPPPPPP", "1111222233334444"),
    ];
    const SMALL: Array = &[("SW.KN.ES", "11.22.33"), ("WP.PP.PE", "11.22.33")];
    let array = match rules.setup {
        Setup::Blocks => BLOCKS,
        Setup::Lines => LINES,
        Setup::Small => SMALL,
    };
    let mut position = Position::EMPTY;
    for (rank, (units, amps)) in array.iter().enumerate() {
        for (file, (letter, amp)) in units.chars().zip(amps.bytes()).enumerate() {
            let Some((_, kind)) = Kind::of_letter(letter) else { continue };
            let amp = if rules.has_amps() { amp - b'0' } else { 0 };
            for (side, rank) in [(Side::First, rank), (Side::Second, rules.size().1 - 1 - rank)] {
                let square = Square::at(file, rank).into_iter();
                square.for_each(|square| position.put(side, kind, square, amp));
            }
        }
    }
    position.hash = position.fresh_hash();
    position
}

impl Position {
    /// Puts a unit on an empty square. The hash is not kept up.
    fn put(&mut self, side: Side, kind: Kind, square: Square, amp: u8) {
        self.kinds[kind.index()] |= square.bit();
        self.sides[side as usize] |= square.bit();
        self.join(square.bit(), amp);
    }

    /// Parses a position's text.
    ///
    /// # Errors
    /// Returns an error if the text is malformed, of another board, or if the position cannot occur:
    /// the turn in progress does not fit, or the game was over before it.
    pub fn from_text(rules: &RuleSet, text: &str) -> Result<Self, PositionError> {
        let fields: Vec<&str> = text.split(' ').collect();
        let &[placement, side, amps, turn, quiet, number] = fields.as_slice() else {
            return Err(PositionError::Fields(fields.len()));
        };
        let mut position = Self::EMPTY;
        position.read_placement(placement, rules)?;
        position.side = match side {
            "w" => Side::First,
            "b" => Side::Second,
            _ => return Err(PositionError::Side(side.into())),
        };
        position.read_amps(amps, rules)?;
        position.quiet = counter("quiet turns", quiet, 0, u16::MAX.into())? as u16;
        position.number = counter("turn number", number, 1, u32::MAX)?;
        if position.has_lost(position.side.other(), rules) {
            return Err(PositionError::Lost);
        }
        let failed = |reason| PositionError::Turn { text: turn.into(), reason };
        position.read_turn(turn, rules).map_err(failed)?;
        position.hash = position.fresh_hash();
        Ok(position)
    }

    fn read_placement(&mut self, text: &str, rules: &RuleSet) -> Result<(), PositionError> {
        let (files, ranks) = rules.size();
        let found = text.split('/').count();
        if found != ranks {
            return Err(PositionError::Ranks { found, wanted: ranks });
        }
        for (row, text) in text.split('/').enumerate() {
            let rank = ranks - 1 - row;
            let failed = |reason| PositionError::Rank { rank: rank + 1, text: text.into(), reason };
            self.read_rank(text, rank, files).map_err(failed)?;
        }
        Ok(())
    }

    fn read_rank(&mut self, text: &str, rank: usize, files: usize) -> Result<(), String> {
        let mut file = 0;
        let is_digit = |c: char| c.is_ascii_digit();
        for part in text.as_bytes().chunk_by(|a, b| a.is_ascii_digit() && b.is_ascii_digit()) {
            let part = String::from_utf8_lossy(part);
            if part.starts_with(is_digit) {
                let empty = part.parse().ok().filter(|empty| (1..=files).contains(empty));
                let empty = empty.filter(|_| !part.starts_with('0'));
                file += empty.ok_or_else(|| format!("'{part}' is no number of empty squares"))?;
                continue;
            }
            let unit = part.chars().next().and_then(Kind::of_letter);
            let (side, kind) = unit.ok_or_else(|| format!("'{part}' is no unit"))?;
            if file < files {
                Square::at(file, rank).into_iter().for_each(|at| self.put(side, kind, at, 0));
            }
            file += 1;
        }
        if file == files { Ok(()) } else { Err(format!("{file} squares instead of {files}")) }
    }

    /// Returns the squares of a set in the order of the placement.
    fn by_placement(set: Bitboard) -> impl Iterator<Item = Square> {
        let mut squares: Vec<Square> = set.collect();
        squares.sort_by_key(|square| (usize::MAX - square.rank(), square.file()));
        squares.into_iter()
    }

    fn read_amps(&mut self, text: &str, rules: &RuleSet) -> Result<(), PositionError> {
        let failed =
            |reason: &str| PositionError::Amps { text: text.into(), reason: reason.into() };
        if !rules.has_amps() {
            let wanted = "expected - because the rules have friendly=colour";
            return if text == "-" { Ok(()) } else { Err(failed(wanted)) };
        }
        if text.len() != self.occupied().len() || !text.bytes().all(|c| c.is_ascii_digit()) {
            let wanted = format!("expected {} digits, one for each unit", self.occupied().len());
            return Err(failed(&wanted));
        }
        let squares = Self::by_placement(self.occupied());
        let digits: Vec<(Square, u8)> =
            squares.zip(text.bytes().map(|digit| digit - b'0')).collect();
        let mut leaders = [0; 2];
        for &(square, digit) in digits.iter().filter(|(square, _)| self.leaders().has(*square)) {
            let count = &mut leaders[usize::from(self.sides[1].has(square))];
            *count += 1;
            if *count > MOST_AMPS {
                return Err(failed("a side has more than 9 leaders"));
            }
            if digit != *count {
                return Err(failed("the leaders of a side are not numbered 1, 2, ... in order"));
            }
        }
        for (square, digit) in digits {
            if digit > leaders[usize::from(self.sides[1].has(square))] {
                return Err(failed(&format!(
                    "the unit on {square} has a leader that is not there"
                )));
            }
            self.join(square.bit(), digit);
        }
        Ok(())
    }

    fn read_turn(&mut self, text: &str, rules: &RuleSet) -> Result<(), String> {
        if text == "-" {
            return Ok(());
        }
        let end = text.find(['+', '*']).unwrap_or(text.len());
        let (leader, lists) = text.split_at(end);
        let recruits = lists.find('*').unwrap_or(lists.len());
        let (moved, recruited) = lists.split_at(recruits);
        let active = self.read_leader(leader, rules)?;
        (self.moved, self.recruited) = (read_list(moved, '+')?, read_list(recruited, '*')?);
        self.active = Some(active);
        self.leader_moved = self.moved.has(active.square);
        let others = self.moved.len() + self.recruited.len() - usize::from(self.leader_moved);
        self.others = u8::try_from(others).unwrap_or(u8::MAX);
        self.check_turn(active, rules)
    }

    fn read_leader(&self, text: &str, rules: &RuleSet) -> Result<Active, String> {
        let wanted = || format!("expected a leader's square and mode, such as c6k, not '{text}'");
        let letter = text.chars().next_back().ok_or_else(wanted)?;
        let mode = Mode::of_letter(letter).ok_or_else(wanted)?;
        let square: Square = text[..text.len() - 1].parse().map_err(|_| wanted())?;
        let is_own = self.units(self.side).has(square);
        let kind = self.kind_on(square).filter(|kind| is_own && kind.is_leader());
        let kind =
            kind.ok_or_else(|| format!("no leader of the side to move stands on {square}"))?;
        if !movegen::modes(kind == Kind::King, rules).contains(&mode) {
            return Err(format!("a {} has no mode {letter} under these rules", kind.name()));
        }
        Ok(Active { square, mode })
    }

    /// Checks the units that moved and the recruits of the turn in progress.
    fn check_turn(&self, active: Active, rules: &RuleSet) -> Result<(), String> {
        let friends = self.friends(active.square, rules);
        let allowed = self.activated_by(active.mode);
        if let Some(square) = (self.moved & !(friends & allowed)).next() {
            return Err(format!("the leader activates no unit on {square}"));
        }
        let fit = self.units(self.side) & !friends & allowed & !self.leaders();
        let fit = if rules.recruits() { fit } else { Bitboard::EMPTY };
        if let Some(square) = (self.recruited & !fit).next() {
            return Err(format!("the leader recruits no unit on {square}"));
        }
        let (others, units) = self.left(active.mode, rules);
        if others < 0 || units < 0 {
            return Err("more units were activated than the rules allow".into());
        }
        if self.has_lost(self.side, rules) {
            return Err("the side to move has lost".into());
        }
        Ok(())
    }

    /// Returns the position's text.
    #[must_use]
    pub fn to_text(&self, rules: &RuleSet) -> String {
        let (files, ranks) = rules.size();
        let rows: Vec<String> = (0..ranks).rev().map(|rank| self.rank_text(rank, files)).collect();
        let side = if self.side == Side::First { 'w' } else { 'b' };
        let amps = if rules.has_amps() { self.amps_text() } else { "-".into() };
        let turn = self.turn_text();
        format!("{} {side} {amps} {turn} {} {}", rows.join("/"), self.quiet, self.number)
    }

    fn rank_text(&self, rank: usize, files: usize) -> String {
        let (mut text, mut empty) = (String::new(), 0);
        for square in (0..files).filter_map(|file| Square::at(file, rank)) {
            let Some((side, kind)) = self.unit_on(square) else {
                empty += 1;
                continue;
            };
            if empty > 0 {
                text += &empty.to_string();
                empty = 0;
            }
            text.push(kind.letter(side));
        }
        if empty > 0 { text + &empty.to_string() } else { text }
    }

    /// Returns a digit for each unit in the order of the placement.
    fn amps_text(&self) -> String {
        let digits = self.amp_digits();
        Self::by_placement(self.occupied()).map(digits).collect()
    }

    /// Returns a function that gives each unit the digit of its AMP in texts: each side numbers its
    /// leaders in the order of the placement, and 0 is for leaderless units.
    pub(crate) fn amp_digits(&self) -> impl Fn(Square) -> char {
        let mut digits = [[b'0'; 16]; 2];
        let mut next = [b'1'; 2];
        for leader in Self::by_placement(self.leaders()) {
            let side = usize::from(self.sides[1].has(leader));
            digits[side][usize::from(self.amp_on(leader))] = next[side];
            next[side] += 1;
        }
        let position = *self;
        move |square| {
            let side = usize::from(position.sides[1].has(square));
            digits[side][usize::from(position.amp_on(square))].into()
        }
    }

    /// Returns the turn in progress: the leader and its mode, the units that moved, the recruits.
    #[must_use]
    pub fn turn_text(&self) -> String {
        let Some(Active { square, mode }) = self.active else { return "-".into() };
        let mut text = format!("{square}{}", mode.letter());
        for (sign, set) in [('+', self.moved), ('*', self.recruited)] {
            for square in set {
                // Writing to a string does not fail.
                let _ = write!(text, "{sign}{square}");
            }
        }
        text
    }
}

/// Parses squares in order, each after a sign.
fn read_list(text: &str, sign: char) -> Result<Bitboard, String> {
    let mut set = Bitboard::EMPTY;
    let mut last = None;
    for item in text.split(sign).skip(1) {
        let square: Square = item.parse().map_err(|_| format!("'{item}' is no square"))?;
        if last.is_some_and(|last| last >= square) {
            return Err(format!("{square} is not in order: by rank from 1, then by file from a"));
        }
        last = Some(square);
        set |= square.bit();
    }
    Ok(set)
}

fn counter(what: &'static str, text: &str, least: u32, most: u32) -> Result<u32, PositionError> {
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    // A sign or leading zeros are read as a number, but not written.
    let number = number.filter(|number: &u32| number.to_string() == text);
    number.ok_or_else(|| PositionError::Counter { what, text: text.into(), least, most })
}
