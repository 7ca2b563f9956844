//! Retrograde analysis (Thompson 1986, "Retrograde analysis of certain endgames").
//!
//! The first pass visits every arrangement once. It determines whether the arrangement is a
//! position, whether it is mate, and what captures are worth. Then the solver works ply by ply: the
//! positions decided in n - 1 plies decide the positions one move before them. A position with a
//! move to a lost position is won in n. A position whose moves all lead to won positions is lost in
//! n. Captures lead to solved tables and may decide a position at any number of plies. Such values
//! are marked and wait for their ply.
//!
//! Every step is idempotent, so an interrupted step is simply repeated.

use crate::graph::{Ending, Unmove};
use fusion_chess::board::{Color, Position};
use fusion_chess::endgame::{Squares, Value};
use fusion_jobs::stop::Stop;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering::Relaxed};

/// Marks a value found by captures whose ply has not been reached yet.
const WAITING: u16 = Value::CODES;

/// A table that is being solved.
pub struct Solver<'a> {
    ending: &'a Ending,
    codes: Vec<AtomicU16>,
    /// One bit per entry: whether to examine the entry in this ply.
    candidates: Vec<AtomicU64>,
    /// The next number of plies.
    ply: u16,
    /// The largest number of plies of any waiting value so far.
    last_waiting: AtomicU16,
}

/// The progress of a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The number of plies to mate that was completed.
    pub ply: u16,
    /// The number of positions decided in this ply.
    pub decided: u64,
}

impl<'a> Solver<'a> {
    /// Examines every arrangement once. Returns `None` if stopped.
    #[must_use]
    pub fn begin(ending: &'a Ending, stop: &Stop) -> Option<Self> {
        let entries = ending.layout.entries();
        let solver = Self::of_codes(ending, (0..entries).map(|_| AtomicU16::new(0)).collect());
        let done = solver.blocks().try_for_each(|block| {
            for index in solver.entries(block) {
                solver.codes[index].store(solver.first_code(index), Relaxed);
            }
            (!stop.requested()).then_some(())
        });
        done.map(|()| solver)
    }

    /// Resumes from a [`Solver::snapshot`] of an interrupted run.
    #[must_use]
    pub fn resume(ending: &'a Ending, codes: Vec<u16>) -> Self {
        let (mut ply, mut waiting) = (1, 0);
        for &code in &codes {
            let plies = (code & !WAITING).saturating_sub(Value::MATED);
            let largest = if code & WAITING == 0 { &mut ply } else { &mut waiting };
            *largest = plies.max(*largest);
        }
        let codes = codes.into_iter().map(AtomicU16::new).collect();
        // The last ply is repeated and may decide nothing new. This must not end the loop.
        let last_waiting = waiting.max(ply + 1).into();
        Self { ply, last_waiting, ..Self::of_codes(ending, codes) }
    }

    fn of_codes(ending: &'a Ending, codes: Vec<AtomicU16>) -> Self {
        let candidates = (0..codes.len().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Self { ending, codes, candidates, ply: 1, last_waiting: AtomicU16::new(0) }
    }

    /// Copies the codes so far. [`Solver::resume`] continues from the copy.
    #[must_use]
    pub fn snapshot(&self) -> Vec<u16> {
        self.codes.iter().map(|code| code.load(Relaxed)).collect()
    }

    /// Returns the codes so far. After the last step they are the finished table.
    #[must_use]
    pub fn codes(self) -> Vec<u16> {
        self.codes.into_iter().map(AtomicU16::into_inner).collect()
    }

    fn blocks(&self) -> rayon::range::Iter<usize> {
        (0..self.ending.layout.blocks()).into_par_iter()
    }

    fn entries(&self, block: usize) -> std::ops::Range<usize> {
        let length = self.ending.layout.block();
        block * length..(block + 1) * length
    }

    fn code(&self, index: usize) -> u16 {
        self.codes[index].load(Relaxed)
    }

    /// Returns the code of an entry by mate and captures only.
    fn first_code(&self, index: usize) -> u16 {
        let squares = self.ending.layout.squares(index);
        let position = squares.and_then(|(squares, side)| {
            self.ending.position(&squares, side).map(|position| (squares, position))
        });
        let Some((squares, position)) = position else {
            return Value::NO_POSITION;
        };
        let code = capture_code(self.ending, &squares, &position);
        if code != Value::DRAW && code != Value::MATED {
            self.last_waiting.fetch_max(code - Value::MATED, Relaxed);
            return code | WAITING;
        }
        code
    }

    /// Decides the positions of the next number of plies. Returns `None` if all are decided.
    ///
    /// # Errors
    /// Returns [`Stopped`] if a stop was requested before this ply was completed.
    pub fn step(&mut self, stop: &Stop) -> Result<Option<Step>, Stopped> {
        let decided = AtomicU64::new(0);
        let wins = self.ply % 2 == 1;
        let done = self.blocks().try_for_each(|block| {
            decided.fetch_add(self.scan(block, wins), Relaxed);
            (!stop.requested()).then_some(())
        });
        let done = done.and_then(|()| {
            if wins {
                return Some(());
            }
            self.blocks().try_for_each(|block| {
                decided.fetch_add(self.look_at_candidates(block), Relaxed);
                (!stop.requested()).then_some(())
            })
        });
        done.ok_or(Stopped)?;
        let step = Step { ply: self.ply, decided: decided.into_inner() };
        if step.decided == 0 && self.ply >= self.last_waiting.load(Relaxed) {
            return Ok(None);
        }
        self.ply += 1;
        Ok(Some(step))
    }

    /// Scans a block: decides waiting values whose ply has come, and takes back moves from the
    /// positions that the ply before decided. Returns the number of positions decided.
    fn scan(&self, block: usize, wins: bool) -> u64 {
        let now = self.ply + Value::MATED;
        let mut decided = 0;
        for index in self.entries(block) {
            let code = self.code(index);
            if code == now | WAITING {
                self.codes[index].store(now, Relaxed);
                decided += 1;
            } else if code == now - 1
                && let Some((squares, side)) = self.ending.layout.squares(index)
            {
                let open = |before| {
                    let code = self.code(before);
                    code == Value::DRAW || wins && code & WAITING != 0
                };
                self.ending.unmoves(&squares, side, open, |unmove| {
                    if wins {
                        decided += u64::from(self.win(&squares, &unmove));
                    } else {
                        let (word, bit) = (unmove.before / 64, unmove.before % 64);
                        self.candidates[word].fetch_or(1 << bit, Relaxed);
                    }
                });
            }
        }
        decided
    }

    /// Decides that the position before a move to a lost position is won, if the move is legal.
    fn win(&self, after: &Squares, unmove: &Unmove) -> bool {
        if !unmove.certain && !self.allowed(after, unmove) {
            return false;
        }
        let now = self.ply + Value::MATED;
        // Two threads may reach this entry at once. The second one finds it decided.
        self.codes[unmove.before].swap(now, Relaxed) != now
    }

    fn allowed(&self, after: &Squares, unmove: &Unmove) -> bool {
        let side = Color::ALL[unmove.before / self.ending.layout.block() % 2];
        self.ending.allows(&self.ending.layout.position(&unmove.back(after), side), unmove)
    }

    /// Examines the positions of a block with a move that was just found to lose.
    fn look_at_candidates(&self, block: usize) -> u64 {
        let mut decided = 0;
        let entries = self.entries(block);
        for word in entries.start / 64..entries.end.div_ceil(64) {
            // A word on the border of two blocks is scanned for both. Each block takes its own
            // bits.
            let own = |bit: &usize| entries.contains(&(64 * word + bit));
            let set = self.candidates[word].load(Relaxed);
            if set == 0 {
                continue;
            }
            for bit in (0..64).filter(|bit| set >> bit & 1 != 0).filter(own) {
                decided += u64::from(self.lose(64 * word + bit));
                self.candidates[word].fetch_and(!(1 << bit), Relaxed);
            }
        }
        decided
    }

    /// Decides that a position is lost if all its moves lose.
    fn lose(&self, index: usize) -> bool {
        let Some((squares, side)) = self.ending.layout.squares(index) else { return false };
        let position = self.ending.layout.position(&squares, side);
        let Some(code) = lost_code(self.ending, &squares, &position, |index| self.code(index))
        else {
            return false;
        };
        if code == self.ply + Value::MATED {
            self.codes[index].store(code, Relaxed);
            return true;
        }
        self.last_waiting.fetch_max(code - Value::MATED, Relaxed);
        self.codes[index].store(code | WAITING, Relaxed);
        false
    }
}

/// The error for a request to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// Returns the code of a position by its captures, if the values of moves without capture are
/// unknown. The code is mate, the shortest win by capture, or a loss if there are only captures and
/// all lose. Otherwise it is a draw.
fn capture_code(ending: &Ending, squares: &Squares, position: &Position) -> u16 {
    if !position.in_check() && !can_capture(position) {
        return Value::DRAW;
    }
    let (mut best, mut longest) = (u16::MAX, Value::MATED);
    let (mut moves, mut all_lose) = (false, true);
    let others = ending.captures(squares, position, |code| {
        moves = true;
        match Value::of_code(code) {
            Some(Value::Loss(_)) => best = best.min(code + 1),
            Some(Value::Win(_)) => longest = longest.max(code + 1),
            _ => all_lose = false,
        }
    });
    match () {
        () if best < u16::MAX => best,
        () if others || !all_lose => Value::DRAW,
        () if moves => longest,
        () if position.in_check() => Value::MATED,
        () => Value::DRAW,
    }
}

/// Returns whether the side to move attacks an enemy piece.
fn can_capture(position: &Position) -> bool {
    let us = position.side_to_move();
    let mut targets = position.color(!us);
    !targets.all(|square| position.attackers(square, us, position.occupied()).is_empty())
}

/// Returns the code of a position whose moves all lead to decided wins of the opponent. Returns
/// `None` if there is any other move, or no move.
fn lost_code(
    ending: &Ending,
    squares: &Squares,
    position: &Position,
    code: impl Fn(usize) -> u16,
) -> Option<u16> {
    let (mut longest, mut all_lose) = (0, true);
    ending.successors(squares, position, code, |code| {
        all_lose = code & WAITING == 0 && matches!(Value::of_code(code), Some(Value::Win(_)));
        longest = longest.max(code);
        // One move that does not lose is enough to stop.
        if all_lose { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    (all_lose && longest > 0).then_some(longest + 1)
}

/// Solves an ending from start to finish.
///
/// # Errors
/// Returns [`Stopped`] if a stop was requested.
pub fn solve(ending: &Ending, stop: &Stop) -> Result<Vec<u16>, Stopped> {
    let mut solver = Solver::begin(ending, stop).ok_or(Stopped)?;
    while solver.step(stop)?.is_some() {}
    Ok(solver.codes())
}
