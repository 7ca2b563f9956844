//! Which actions are legal (rules 2 and 27).
//!
//! An action is legal if its turn can still be ended legally. Nearly always ending at once shows
//! this, and nearly always that needs no look at the board after the action: a blocker adds no
//! strike, so only few pieces have to stay where they are. What remains is tried out.

use super::ends::Ends;
use super::generate::Mover;
use super::reach::{struck_and_seen, struck_by_kind};
use super::{Action, Bitboard, Kind, Piece, Position, Square, Turn};
use crate::rules::RuleSet;
use fusion_game::Side;
use std::cell::OnceCell;
use std::ops::ControlFlow;

/// Judges the actions of one position.
struct Judge<'a> {
    position: &'a Position,
    rules: &'a RuleSet,
    us: Side,
    /// The own royal on the board.
    royal: Option<Square>,
    /// Whether the enemy can give check to it, wherever it stands.
    exposed: bool,
    /// Enemy pieces that strike it now.
    strikers: Bitboard,
    /// Pieces that may screen it from others.
    screens: OnceCell<Bitboard>,
    /// Squares that enemy pieces may strike once it has left.
    map: OnceCell<Bitboard>,
    /// Squares on which it would be in check if it is placed there.
    deadly: OnceCell<Bitboard>,
    /// Empty squares on which a new attribute of each kind may end the check.
    rescues: OnceCell<Option<[Bitboard; Kind::COUNT]>>,
    ends: Ends<'a>,
}

impl<'a> Judge<'a> {
    fn new(position: &'a Position, rules: &'a RuleSet) -> Self {
        let us = position.side;
        let royal = position.royal(us);
        let exposed = position.may_capture(rules, us.other());
        let strikers = match royal {
            Some(royal) if exposed => position.strikers(us.other(), royal),
            _ => Bitboard::EMPTY,
        };
        Self {
            position,
            rules,
            us,
            royal,
            exposed,
            strikers,
            screens: OnceCell::new(),
            map: OnceCell::new(),
            deadly: OnceCell::new(),
            rescues: OnceCell::new(),
            ends: Ends::new(rules, us),
        }
    }

    /// Returns whether the own royal stands on the board unstruck, or cannot be in check.
    #[inline]
    fn is_calm(&self) -> bool {
        self.strikers.is_empty()
    }

    /// Returns whether another piece may leave a square, which stays empty, without a new strike on
    /// the own royal.
    fn may_leave(&self, square: Square) -> bool {
        let Some(royal) = self.royal.filter(|_| self.exposed) else { return true };
        let screens = || self.position.screens(self.us.other(), royal);
        self.is_calm() && !self.screens.get_or_init(screens).has(square)
    }

    /// Returns whether the royal is surely not struck on a square that it comes to.
    fn is_safe_royal(&self, to: Square) -> bool {
        let empty = || {
            let empty = self.position.empty();
            self.royal.map_or(empty, |royal| empty.with(royal))
        };
        let map = || self.position.strike_map(self.us.other(), empty());
        !self.exposed || !self.map.get_or_init(map).has(to)
    }

    /// Returns whether the turn ends legally with an action that ends it.
    fn ends_legally(&self, action: Action) -> bool {
        self.position.after(self.rules, action).is_legal_end(self.rules, self.us)
    }

    fn placement(&self, kind: Kind, to: Square) -> bool {
        let target = self.position.piece_on(to);
        let cancels = self.position.of(self.us.other()).has(to);
        let sure = match () {
            // A royal may leave the game, or a screen vanish; or there is no own piece.
            () if cancels => {
                kind != Kind::Royal
                    && self.position.of(self.us).any()
                    && if target.len() > 1 { self.is_calm() } else { self.may_leave(to) }
            }
            () if kind == Kind::Royal => self.is_safe_royal(to),
            () => self.is_calm(),
        };
        let ends = || self.ends_legally(Action::Place { kind, to });
        let may_end = sure || self.may_be_legal(kind, to);
        debug_assert!(
            may_end || !ends(),
            "{kind:?} on {} is legal under {} in {}",
            to.name(self.position.size()),
            self.rules,
            self.position.to_text()
        );
        sure || may_end && ends()
    }

    /// Returns whether the turn may end legally with a placement: it ends the check, if there is one, and
    /// begins none.
    fn may_be_legal(&self, kind: Kind, to: Square) -> bool {
        if self.position.occupied().has(to) {
            return true;
        }
        if kind == Kind::Royal {
            let deadly = || self.position.deadly_to_royal(self.rules, self.us);
            return !self.exposed || !self.deadly.get_or_init(deadly).has(to);
        }
        if self.is_calm() {
            return true;
        }
        let squares = self.rescues.get_or_init(|| self.rescuing_squares());
        squares.is_none_or(|squares| squares[kind as usize].has(to))
    }

    /// Returns the empty squares on which a new attribute of each kind may end the check; `None` if
    /// that is not known.
    ///
    /// A striker that may stop where it captures is hindered by what stands on a square that it sees, or by
    /// a piece that strikes its own royal once it has captured (rule 21). The other strikers need not be
    /// looked at.
    fn rescuing_squares(&self) -> Option<[Bitboard; Kind::COUNT]> {
        let (position, royal) = (self.position, self.royal?);
        let is_sure = |&striker: &Square| {
            if position.piece_on(striker).is_royal() {
                return royal.bit().king_steps().has(striker);
            }
            self.rules.pinned_checks || position.lands_safely(self.us, striker)
        };
        let striker = self.strikers.into_iter().find(is_sure)?;
        let piece = position.piece_on(striker);
        if piece.is_royal() {
            return Some([Bitboard::EMPTY; Kind::COUNT]);
        }
        let (_, seen) = struck_and_seen(piece, striker, position.empty());
        let open = position.empty().with(striker).with(royal);
        let target = position.royal(self.us.other()).filter(|_| !self.rules.pinned_checks);
        // A piece with a combinator may strike the enemy royal already. What hinders that makes its
        // other way, which the capture opens, a new strike.
        if target.is_some_and(|target| self.combinator_may_pin(striker, royal, target)) {
            return None;
        }
        let pins =
            |kind| target.map_or(Bitboard::EMPTY, |target| struck_by_kind(kind, 1, target, open));
        Some(Kind::ALL.map(|kind| seen | pins(kind)))
    }

    /// Returns whether an own piece with a combinator would strike the enemy royal if a striker had
    /// captured the own royal and gone.
    fn combinator_may_pin(&self, striker: Square, royal: Square, target: Square) -> bool {
        let mut open = *self.position;
        open.take(self.us.other(), striker);
        open.take(self.us, royal);
        let combining = open.with(self.us, Kind::Combinator) & !open.lone_combinators(self.us);
        combining.into_iter().any(|from| open.combinator_strikes(from, target))
    }

    /// Judges a part, after which the piece is `after`.
    fn part(&mut self, action: Action, from: Square, after: &Mover) -> bool {
        let rest = after.piece;
        let sure = match () {
            () if rest.is_empty() => false,
            () if self.royal == Some(from) => self.is_safe_royal(after.at),
            () => !rest.is_royal() && self.may_leave(from),
        };
        match action {
            Action::Part { goes_on: Some(_), .. } => {
                sure && after.has_changed() || self.can_end_after(action)
            }
            _ => sure || self.ends_legally(action),
        }
    }

    fn lift(&mut self, from: Square, kind: Kind) -> bool {
        let hand = match self.position.turn {
            Turn::Split { hand, .. } => hand.with(kind),
            _ => Piece::of(kind),
        };
        let rest = self.position.piece_on(from).without(kind);
        // Returning the hand and ending shows it.
        let sure = !rest.is_empty()
            && match hand.is_royal() {
                true => self.rules.royal_return,
                false => self.is_calm(),
            };
        sure || self.can_end_after(Action::Lift { from, kind })
    }

    /// Judges an action that begins or continues a turn, given that the rules of movement allow it.
    fn continuation(&mut self, action: Action) -> bool {
        match action {
            Action::Lift { from, kind } => self.lift(from, kind),
            Action::Part { from, to, goes_on } => {
                let mover = self.position.mover(from);
                let kind = goes_on.or_else(|| mover.piece.kinds().next());
                kind.is_some_and(|kind| {
                    let after = self.position.after_part(&mover, kind, to);
                    self.part(action, from, &after)
                })
            }
            Action::SetDown { to, .. } => {
                let royal =
                    matches!(self.position.turn, Turn::Split { hand, .. } if hand.is_royal());
                let sure = if royal { self.is_safe_royal(to) } else { self.is_calm() };
                sure || self.can_end_after(action)
            }
            _ => self.can_end_after(action),
        }
    }

    /// Plays an action and returns whether the turn is ended legally by it, or can be.
    fn can_end_after(&mut self, action: Action) -> bool {
        let next = self.position.after(self.rules, action);
        if next.side == self.us { self.ends.exist(&next) } else { self.ends.is_legal(&next) }
    }
}

impl Position {
    /// Appends all legal actions, in a fixed order.
    ///
    /// ```
    /// use fusion_freechess::board::Position;
    /// use fusion_freechess::rules::RuleSet;
    ///
    /// let rules: RuleSet = "freechess-9".parse().unwrap();
    /// let text = "7k1/9/9/9/9/9/9/9/K8 w -/- - -";
    /// let mut actions = Vec::new();
    /// Position::from_text(&rules, text).unwrap().legal_actions(&rules, &mut actions);
    /// let texts: Vec<String> = actions.iter().map(|action| action.text(9)).collect();
    /// assert_eq!(texts, ["a1b1", "a1a2", "a1b2"]);
    /// ```
    pub fn legal_actions(&self, rules: &RuleSet, actions: &mut Vec<Action>) {
        let _ = self.each_legal_action(rules, |action| {
            actions.push(action);
            ControlFlow::Continue(())
        });
    }

    /// Returns the number of legal actions.
    #[must_use]
    pub fn count_legal_actions(&self, rules: &RuleSet) -> u64 {
        let mut count = 0;
        let _ = self.each_legal_action(rules, |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        count
    }

    /// Returns whether there is a legal action.
    #[must_use]
    pub fn has_legal_action(&self, rules: &RuleSet) -> bool {
        let mut judge = Judge::new(self, rules);
        // An attribute can be added to any own piece, but for k and c.
        let supply = self.reserve(self.side).without_all(Kind::Royal).without_all(Kind::Combinator);
        let adds = !supply.is_empty() && self.of(self.side).any();
        if self.turn == Turn::Start && judge.is_calm() && adds {
            return true;
        }
        // Most checks are ended by a step of the royal, which is found sooner than a placement.
        let steps_away = match judge.royal {
            Some(royal) if self.turn == Turn::Start && !judge.is_calm() => {
                self.each_move_of(&mut judge, royal, &mut |_| ControlFlow::Break(())).is_break()
            }
            _ => false,
        };
        steps_away || self.each_legal_action(rules, |_| ControlFlow::Break(())).is_break()
    }

    /// Calls a function with the legal actions in a fixed order, until it breaks off.
    fn each_legal_action(
        &self,
        rules: &RuleSet,
        mut visit: impl FnMut(Action) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut judge = Judge::new(self, rules);
        if self.turn != Turn::Start {
            if self.may_end() && self.is_legal_end(rules, self.side) {
                visit(Action::End)?;
            }
            return self.each_continuation(&mut judge, visit);
        }
        self.each_placement(&judge, &mut visit)?;
        for from in self.of(self.side) {
            self.each_move_of(&mut judge, from, &mut visit)?;
            for kind in self.liftable(rules, from, Piece::NONE) {
                if judge.lift(from, kind) {
                    visit(Action::Lift { from, kind })?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Calls a function with the legal actions that begin to move the piece on a square.
    fn each_move_of(
        &self,
        judge: &mut Judge,
        from: Square,
        visit: &mut impl FnMut(Action) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut flow = ControlFlow::Continue(());
        self.parts(judge.rules, from, |action, after| {
            if flow.is_continue() && judge.part(action, from, after) {
                flow = visit(action);
            }
        });
        flow
    }

    fn each_placement(
        &self,
        judge: &Judge,
        visit: &mut impl FnMut(Action) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let reserve = self.reserve(self.side);
        if reserve.is_empty() {
            return ControlFlow::Continue(());
        }
        let valid = self.valid_squares(judge.rules);
        let free = self.empty() | self.of(self.side);
        for kind in reserve.kinds() {
            let sure = judge.is_calm() && kind != Kind::Royal;
            for to in self.placements(judge.rules, kind, valid) {
                if sure && free.has(to) || judge.placement(kind, to) {
                    visit(Action::Place { kind, to })?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn each_continuation(
        &self,
        judge: &mut Judge,
        mut visit: impl FnMut(Action) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut flow = ControlFlow::Continue(());
        self.continuations(judge.rules, |action| {
            if flow.is_continue() && judge.continuation(action) {
                flow = visit(action);
            }
        });
        flow
    }

    /// Returns whether an action is legal, whatever it is.
    ///
    /// ```
    /// use fusion_freechess::board::{Action, Position};
    /// use fusion_freechess::rules::RuleSet;
    ///
    /// let rules: RuleSet = "freechess-9".parse().unwrap();
    /// let start = Position::start(&rules);
    /// let is_legal = |text| start.is_legal(&rules, Action::parse(text, 9).unwrap());
    /// assert!(is_legal("N@e4") && !is_legal("e4f6"));
    /// ```
    #[must_use]
    pub fn is_legal(&self, rules: &RuleSet, action: Action) -> bool {
        if !self.is_allowed(rules, action) {
            return false;
        }
        let mut judge = Judge::new(self, rules);
        match action {
            Action::Place { kind, to } => judge.placement(kind, to),
            Action::End => self.is_legal_end(rules, self.side),
            Action::Lift { from, kind } if self.turn == Turn::Start => judge.lift(from, kind),
            _ => judge.continuation(action),
        }
    }

    /// Returns whether the rules of placing, moving and splitting allow an action, whether or not its
    /// turn can be ended legally.
    pub(crate) fn is_allowed(&self, rules: &RuleSet, action: Action) -> bool {
        match (action, self.turn) {
            (Action::Place { kind, to }, Turn::Start) => {
                self.reserve(self.side).has(kind)
                    && self.placements(rules, kind, self.valid_squares(rules)).has(to)
            }
            (Action::End, Turn::Move { .. } | Turn::Split { .. }) => self.may_end(),
            (Action::Lift { from, kind }, Turn::Start) => {
                self.of(self.side).has(from)
                    && self.liftable(rules, from, Piece::NONE).any(|known| known == kind)
            }
            (Action::Part { from, .. }, Turn::Start) => {
                let mut known = false;
                if self.of(self.side).has(from) {
                    self.parts(rules, from, |part, _| known |= part == action);
                }
                known
            }
            (_, Turn::Start) => false,
            _ => {
                let mut known = false;
                self.continuations(rules, |other| known |= other == action);
                known
            }
        }
    }
}
