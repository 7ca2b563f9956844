//! Whether a turn that has begun can still be ended legally (rule 27), tried out.

use super::{Action, Piece, Position, Square, Turn};
use crate::rules::RuleSet;
use fusion_game::Side;
use std::collections::{HashMap, VecDeque};

/// Positions that a search of a split looks at before it gives up. Sub-pieces can be set down in so
/// many ways that the search of a large piece in a hopeless check would not end.
const TRIALS: u32 = 50_000;

/// The search for legal ends of one player's turn.
pub(super) struct Ends<'a> {
    pub(super) rules: &'a RuleSet,
    pub(super) us: Side,
    /// In a split, by the hash of the position and set-downs left: whether there is a legal end.
    splits: HashMap<(u64, u32), bool>,
    /// Trials left in a split.
    trials: u32,
    /// In a move, by what stands where: used attributes with which there is no legal end. With more
    /// used attributes there is none either.
    failed: HashMap<Standing, Vec<Piece>>,
    /// By the hash of the pieces: whether the turn has ended legally with them.
    known: HashMap<u64, bool>,
}

/// A position inside a move, but for the used attributes: hash of pieces and reserves, the square of
/// the moving piece, whether it has captured.
type Standing = (u64, Square, bool);

/// Returns the place of a position inside a move.
fn standing(position: &Position) -> Option<(Standing, Piece)> {
    match position.turn {
        Turn::Move { at, used, captured, .. } => {
            Some(((position.material_hash(), at, captured), used))
        }
        _ => None,
    }
}

/// Returns whether a list has a multiset that is a part of this one.
fn has_part(list: Option<&Vec<Piece>>, used: Piece) -> bool {
    list.is_some_and(|list| list.iter().any(|fewer| fewer.is_part_of(used)))
}

impl<'a> Ends<'a> {
    pub(super) fn new(rules: &'a RuleSet, us: Side) -> Self {
        Self {
            rules,
            us,
            splits: HashMap::new(),
            trials: 0,
            failed: HashMap::new(),
            known: HashMap::new(),
        }
    }

    /// Returns whether the turn has ended legally with this position.
    pub(super) fn is_legal(&self, position: &Position) -> bool {
        position.is_legal_end(self.rules, self.us)
    }

    /// Returns whether the turn, which has begun, can be ended legally.
    pub(super) fn exist(&mut self, position: &Position) -> bool {
        match position.turn {
            Turn::Split { origin, hand } => {
                let material = hand.len() + position.piece_on(origin).len();
                // Each search begins anew: what it finds is then found after each of its actions, too.
                self.trials = TRIALS;
                self.splits.clear();
                // Turns with few sub-pieces first.
                (1..=material).any(|set_downs| self.exist_in_split(position, set_downs))
            }
            Turn::Move { at, .. } if position.piece_on(at).is_royal() => {
                self.exist_in_run(position, &position.mover(at))
            }
            _ => self.exist_in_move(position),
        }
    }

    /// Returns the same as [`Ends::is_legal`], and remembers it.
    pub(super) fn is_legal_once(&mut self, position: &Position) -> bool {
        let (rules, us) = (self.rules, self.us);
        *self
            .known
            .entry(position.material_hash())
            .or_insert_with(|| position.is_legal_end(rules, us))
    }

    /// Searches a split with at most this many set-downs.
    fn exist_in_split(&mut self, position: &Position, set_downs: u32) -> bool {
        if position.may_end() && self.tries(position) {
            return true;
        }
        if self.trials == 0 {
            return false;
        }
        self.trials -= 1;
        let state = (position.hash(), set_downs);
        if let Some(&known) = self.splits.get(&state) {
            return known;
        }
        let outlook = position.outlook(self.rules);
        let mut actions = Vec::new();
        if !outlook.hopeless {
            position.continuations(self.rules, |action| actions.push(action));
        }
        // What comes last ends the turn soonest.
        let exist = actions.into_iter().rev().any(|action| {
            let left = match action {
                Action::SetDown { to, .. } if set_downs == 0 || !outlook.helps(to) => return false,
                Action::SetDown { .. } => set_downs - 1,
                _ => set_downs,
            };
            let next = position.after(self.rules, action);
            if next.side == self.us { self.exist_in_split(&next, left) } else { self.tries(&next) }
        });
        self.splits.insert(state, exist);
        exist
    }

    /// Returns whether the turn has ended legally with this position; never after the last trial.
    fn tries(&mut self, position: &Position) -> bool {
        let tries = self.trials > 0;
        self.trials = self.trials.saturating_sub(1);
        tries && self.is_legal(position)
    }

    /// Searches a move, short ones first. A piece that has used fewer attributes can do more: positions that
    /// differ from a known one only in more used attributes are left out.
    pub(super) fn exist_in_move(&mut self, position: &Position) -> bool {
        let mut queue = VecDeque::new();
        let mut seen: HashMap<Standing, Vec<Piece>> = HashMap::new();
        let mut open = vec![*position];
        loop {
            for next in open.drain(..) {
                let Some((place, used)) = standing(&next) else { continue };
                if has_part(self.failed.get(&place), used) || has_part(seen.get(&place), used) {
                    continue;
                }
                // The end is the same whatever has been used.
                let first = !seen.contains_key(&place) && !self.failed.contains_key(&place);
                if first && next.may_end() && self.is_legal(&next) {
                    return true;
                }
                seen.entry(place).or_default().push(used);
                queue.push_back(next);
            }
            let Some(now) = queue.pop_front() else { break };
            let mut ended = false;
            now.continuations(self.rules, |action| {
                if ended {
                    return;
                }
                let next = now.after(self.rules, action);
                if next.side == self.us {
                    open.push(next);
                } else {
                    ended = self.is_legal(&next);
                }
            });
            if ended {
                return true;
            }
        }
        for (place, mut used) in seen {
            self.failed.entry(place).or_default().append(&mut used);
        }
        false
    }
}
