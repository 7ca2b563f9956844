//! Playing actions.

use super::generate::Mover;
use super::position::place;
use super::{Action, Kind, Piece, Position, Square, Turn};
use crate::rules::{RuleSet, Shield};

impl Position {
    /// Plays a legal action. For others the result is unspecified, but the function does not panic.
    pub fn play(&mut self, rules: &RuleSet, action: Action) {
        match action {
            Action::Place { kind, to } => self.place(rules, kind, to),
            Action::Part { from, to, goes_on } => {
                let mover = self.mover(from);
                if let Some(kind) = goes_on.or_else(|| mover.piece.kinds().next()) {
                    // Which kind ends the turn makes no difference (rule 28).
                    let after = self.after_part(&mover, kind, to);
                    self.make_part(&mover, &after);
                    match goes_on {
                        Some(_) => {
                            let Mover { origin, at, used, captured, .. } = after;
                            self.shield = None;
                            self.turn = Turn::Move { origin, at, used, captured };
                        }
                        None => self.end_turn(None),
                    }
                }
            }
            Action::End => self.end_turn(None),
            Action::Lift { from, kind } => self.lift(from, kind),
            Action::SetDown { from, to } => {
                self.put_down(rules, from, |position, hand| {
                    position.replace(position.side, to, hand);
                });
            }
            Action::Return { from } => {
                self.put_down(rules, from, |position, hand| {
                    let reserve = &mut position.reserves[place(position.side)];
                    *reserve = reserve.plus(hand);
                });
            }
        }
    }

    /// Returns the position after an action.
    ///
    /// ```
    /// use fusion_freechess::board::{Action, Position};
    /// use fusion_freechess::rules::RuleSet;
    ///
    /// let rules: RuleSet = "freechess-7".parse().unwrap();
    /// let action = Action::parse("N@d4", 7).unwrap();
    /// let text = Position::start(&rules).after(&rules, action).to_text();
    /// assert_eq!(text, "7/7/7/3N3/7/7/7 b KRB2N2P5C/krb2n3p5c n@d4 -");
    /// ```
    #[must_use]
    pub fn after(&self, rules: &RuleSet, action: Action) -> Self {
        let mut next = *self;
        next.play(rules, action);
        next
    }

    /// Places an attribute (rule 6), which it shields (rule 7).
    fn place(&mut self, rules: &RuleSet, kind: Kind, to: Square) {
        let us = self.side;
        let reserve = &mut self.reserves[place(us)];
        if !reserve.has(kind) {
            return;
        }
        *reserve = reserve.without(kind);
        let before = self.piece_on(to);
        if self.of(us.other()).has(to) {
            let rest = if before.has(kind) { before.without(kind) } else { before };
            self.replace(us.other(), to, rest);
            return self.end_turn(None);
        }
        self.replace(us, to, before.with(kind));
        let shields = match rules.shield {
            Shield::Any => true,
            Shield::Added => !before.is_empty(),
            Shield::Nothing => false,
        };
        self.end_turn((shields && rules.shields(kind)).then_some((kind, to)));
    }

    /// Moves a piece, captures what stands where it lands, and returns what is cancelled to the
    /// reserve.
    fn make_part(&mut self, mover: &Mover, after: &Mover) {
        let (us, them) = (self.side, self.side.other());
        if !self.of(us).has(mover.at) {
            return;
        }
        self.take(us, mover.at);
        if self.of(them).has(after.at) {
            self.take(them, after.at);
            let reserve = &mut self.reserves[place(us)];
            *reserve = reserve.plus(mover.piece.minus(after.piece));
        }
        self.replace(us, after.at, after.piece);
    }

    /// Lifts an attribute of a piece into the hand.
    fn lift(&mut self, from: Square, kind: Kind) {
        let piece = self.piece_on(from);
        if !piece.has(kind) || !self.of(self.side).has(from) {
            return;
        }
        let hand = match self.turn {
            Turn::Split { hand, .. } => hand,
            _ => Piece::NONE,
        };
        self.replace(self.side, from, piece.without(kind));
        self.shield = None;
        self.turn = Turn::Split { origin: from, hand: hand.with(kind) };
    }

    /// Puts the hand somewhere. The turn ends by itself if one attribute is left on the origin, with
    /// `recall` if none is.
    fn put_down(&mut self, rules: &RuleSet, from: Square, put: impl FnOnce(&mut Self, Piece)) {
        if let Turn::Split { origin, hand } = self.turn {
            put(self, hand);
            self.turn = Turn::Split { origin, hand: Piece::NONE };
        }
        let last = if rules.recall { 0 } else { 1 };
        if self.piece_on(from).len() <= last {
            self.end_turn(None);
        }
    }
}
