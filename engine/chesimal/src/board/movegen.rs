//! Legal actions.

use super::action::Action;
use super::bitboard::{Bitboard, FILES, RANKS, Square};
use super::position::{Active, Position};
use super::reach::{self, Pattern, Windows};
use super::unit::{Kind, Mode};
use crate::rules::{PrinceMode, RuleSet, Setup};

/// Returns all squares of the board.
#[inline]
pub(super) fn board(rules: &RuleSet) -> Bitboard {
    static LARGE: Bitboard = Bitboard::board(FILES, RANKS);
    static SMALL: Bitboard = Bitboard::board(8, 8);
    if rules.setup == Setup::Small { SMALL } else { LARGE }
}

/// What a leader may activate if it has a square to go to.
struct Candidates {
    units: Bitboard,
    recruits: Bitboard,
    mode: Mode,
}

/// Where units of the side to act may go.
struct Targets {
    /// Squares without units.
    empty: Windows,
    /// Squares without units of one's own.
    free: Windows,
}

impl Targets {
    #[inline]
    fn of(position: &Position, rules: &RuleSet) -> Self {
        let board = board(rules);
        Self {
            empty: Windows::new(board & !position.occupied()),
            free: Windows::new(board & !position.units(position.side)),
        }
    }

    #[inline]
    fn from(&self, kind: Kind, mode: Mode, square: Square) -> Pattern {
        reach::reach(kind, mode, square, &self.empty) & self.free.around(square)
    }
}

impl Position {
    /// Returns how many more other units, and how many more units in all, the limits of a turn allow
    /// a leader in this mode (rule 6). Negative if there were too many.
    #[inline]
    pub(super) fn left(&self, mode: Mode, rules: &RuleSet) -> (i32, i32) {
        let total = i32::from(self.activations());
        let first = rules.first_turn.0.filter(|_| self.is_first_turn());
        let first = first.map_or(i32::MAX, |most| i32::from(most.get()) - total);
        if mode == Mode::King {
            let others = i32::from(rules.king_others.get()) - i32::from(self.others);
            (others.min(first), first)
        } else {
            let units = (i32::from(rules.prince_total.get()) - total).min(first);
            (units, units)
        }
    }

    /// Returns what a leader may activate and recruit now (rules 6, 12 to 14).
    #[inline]
    fn candidates(&self, Active { square, mode }: Active, rules: &RuleSet) -> Candidates {
        let (others, units) = self.left(mode, rules);
        let mut candidates = Candidates { units: Bitboard::EMPTY, recruits: Bitboard::EMPTY, mode };
        if others > 0 {
            let allowed = self.activated_by(mode);
            let friends = self.friends(square, rules);
            candidates.units = friends.joined_to(square.bit()) & allowed & !self.moved;
            if rules.recruits() {
                let near = square.bit().grown() & self.units(self.side) & !friends;
                candidates.recruits = near & allowed & !self.leaders() & !self.recruited;
            }
        }
        candidates.units &= !square.bit();
        if units > 0 && !self.leader_moved {
            candidates.units |= square.bit();
        }
        candidates
    }

    /// Returns the units of the kinds that a mode activates.
    #[inline]
    pub(super) fn activated_by(&self, mode: Mode) -> Bitboard {
        let kinds = Kind::ALL.into_iter().filter(|&kind| mode.activates(kind));
        kinds.fold(Bitboard::EMPTY, |set, kind| set | self.kind(kind))
    }

    /// Calls a function with the targets of each candidate, the units by kind.
    #[inline]
    fn each_unit(
        &self,
        candidates: &Candidates,
        targets: &Targets,
        mut visit: impl FnMut(Square, Pattern),
    ) {
        for kind in Kind::ALL {
            for from in candidates.units & self.kind(kind) {
                visit(from, targets.from(kind, candidates.mode, from));
            }
        }
    }

    /// Returns whether a leader has any activation now.
    fn has_activation(&self, candidates: &Candidates, targets: &Targets) -> bool {
        let can_move = |kind: Kind| {
            let mut units = candidates.units & self.kind(kind);
            units.any(|from| targets.from(kind, candidates.mode, from) != 0)
        };
        !candidates.recruits.is_empty() || Kind::ALL.into_iter().any(can_move)
    }

    /// Calls a function with the choices that allow an activation (rule 5).
    fn each_choice(&self, rules: &RuleSet, mut visit: impl FnMut(Active)) {
        let targets = Targets::of(self, rules);
        for square in self.leaders() & self.units(self.side) {
            for &mode in modes(self.kind(Kind::King).has(square), rules) {
                let active = Active { square, mode };
                if self.has_activation(&self.candidates(active, rules), &targets) {
                    visit(active);
                }
            }
        }
    }

    /// Appends the legal actions: choices, or activations, recruiting and the end of the turn (rules 5
    /// to 9). There are none if the side to act has lost.
    pub fn actions(&self, rules: &RuleSet, actions: &mut Vec<Action>) {
        let before = actions.len();
        let can_end = match self.active {
            None if self.has_lost(self.side, rules) => false,
            None => {
                self.each_choice(rules, |Active { square: leader, mode }| {
                    actions.push(Action::Choose { leader, mode });
                });
                rules.pass || actions.len() == before
            }
            Some(active) => {
                let candidates = self.candidates(active, rules);
                let targets = Targets::of(self, rules);
                self.each_unit(&candidates, &targets, |from, pattern| {
                    let to = reach::squares(pattern, from);
                    actions.extend(to.map(|to| Action::Activate { from, to }));
                });
                actions.extend(candidates.recruits.map(Action::Recruit));
                self.has_activated() || actions.len() == before
            }
        };
        if can_end {
            actions.push(Action::End);
        }
    }

    /// Returns the number of legal actions.
    ///
    /// ```
    /// use fusion_chesimal::board::start;
    /// use fusion_chesimal::rules::RuleSet;
    ///
    /// let rules = RuleSet::preset("chesimal-small")?;
    /// assert_eq!(start(&rules).count_actions(&rules), 5);
    /// # Ok::<(), fusion_chesimal::rules::RulesError>(())
    /// ```
    #[must_use]
    pub fn count_actions(&self, rules: &RuleSet) -> usize {
        let mut count = 0;
        let can_end = match self.active {
            None if self.has_lost(self.side, rules) => false,
            None => {
                self.each_choice(rules, |_| count += 1);
                rules.pass || count == 0
            }
            Some(active) => {
                let candidates = self.candidates(active, rules);
                self.each_unit(&candidates, &Targets::of(self, rules), |_, pattern| {
                    count += pattern.count_ones() as usize;
                });
                count += candidates.recruits.len();
                self.has_activated() || count == 0
            }
        };
        count + usize::from(can_end)
    }

    /// Returns whether something was activated or recruited in this turn.
    #[inline]
    #[must_use]
    pub fn has_activated(&self) -> bool {
        self.leader_moved || self.others > 0
    }

    /// Returns whether the action is legal.
    #[must_use]
    pub fn is_legal(&self, rules: &RuleSet, action: Action) -> bool {
        let mut actions = Vec::new();
        self.actions(rules, &mut actions);
        actions.contains(&action)
    }

    /// Returns the units that may be activated now, their own moves aside; none at the start of a
    /// turn.
    #[must_use]
    pub fn ready(&self, rules: &RuleSet) -> Bitboard {
        self.active.map_or(Bitboard::EMPTY, |active| self.candidates(active, rules).units)
    }

    /// Returns how many more units other than the leader the turn allows; 0 at the start of a turn.
    #[must_use]
    pub fn others_left(&self, rules: &RuleSet) -> u16 {
        let left = self.active.map_or(0, |active| self.left(active.mode, rules).0);
        left.try_into().unwrap_or(0)
    }

    /// Returns the number of activations of this turn, recruiting included.
    #[must_use]
    pub fn activations(&self) -> u16 {
        u16::from(self.others) + u16::from(self.leader_moved)
    }
}

/// Returns the modes of a leader.
pub(super) fn modes(is_king: bool, rules: &RuleSet) -> &'static [Mode] {
    match (is_king, rules.prince_mode) {
        (true, _) => &[Mode::King],
        (false, PrinceMode::Choose) => &[Mode::Ortho, Mode::Dia],
        (false, PrinceMode::Both) => &[Mode::Both],
    }
}
