//! Which splits can end a check: what the search for a legal end may leave out.
//!
//! A split adds pieces to the board and takes none away but from its origin. So it ends a check in
//! two ways: something comes between a striker and the royal, or the striker is pinned (rule 21).

use super::reach::{Flood, reach, struck_and_seen, struck_by_kind};
use super::{Bitboard, Kind, Piece, Position, Square, Turn};
use crate::rules::RuleSet;

/// What can come of a turn that has begun.
pub(super) struct Outlook {
    /// No way to end the turn is legal.
    pub(super) hopeless: bool,
    /// The squares on which a set-down can make a difference; elsewhere it does the same as a return
    /// to the reserve. `None` if all squares can.
    squares: Option<Bitboard>,
}

impl Outlook {
    const UNKNOWN: Self = Self { hopeless: false, squares: None };

    /// Returns whether a set-down on a square can make a difference.
    pub(super) fn helps(&self, square: Square) -> bool {
        self.squares.is_none_or(|squares| squares.has(square))
    }
}

impl Position {
    /// Returns what can come of a turn that has begun.
    pub(super) fn outlook(&self, rules: &RuleSet) -> Outlook {
        let Turn::Split { origin, hand } = self.turn else { return Outlook::UNKNOWN };
        let material = self.piece_on(origin).plus(hand);
        let us = self.side;
        let Some(royal) = self.royal(us).filter(|_| !material.is_royal()) else {
            return Outlook::UNKNOWN;
        };
        if !self.may_capture(rules, us.other()) {
            return Outlook::UNKNOWN;
        }
        let range = reach(material, origin, self.empty().with(origin)) & self.empty();
        let (mut seen, mut pins) = (Bitboard::EMPTY, false);
        for striker in self.strikers(us.other(), royal) {
            let pinnable = !rules.pinned_checks && self.may_pin(striker, origin, material, range);
            if !pinnable && self.strikes_despite(striker, royal, range) {
                return Outlook { hopeless: true, squares: None };
            }
            pins |= pinnable;
            seen |= struck_and_seen(self.piece_on(striker), striker, self.empty()).1;
        }
        // A whole piece that leaves may open lines, which are not seen yet.
        let all = pins || rules.recall;
        Outlook { hopeless: false, squares: (!all).then_some(seen) }
    }

    /// Returns whether a piece strikes a square even if all of these squares are blocked.
    fn strikes_despite(&self, striker: Square, target: Square, blocked: Bitboard) -> bool {
        let empty = self.empty() & !blocked;
        struck_and_seen(self.piece_on(striker), striker, empty).0.has(target)
    }

    /// Returns whether a split may lead to a position in which the striker's capture of the royal
    /// would expose its own. True if that is not sure.
    fn may_pin(&self, striker: Square, origin: Square, material: Piece, range: Bitboard) -> bool {
        let us = self.side;
        let (Some(target), Some(own)) = (self.royal(us.other()), self.royal(us)) else {
            return false;
        };
        if target == striker {
            return self.may_trap(striker, own, origin, material, range);
        }
        let mut open = *self;
        open.take(us.other(), striker);
        open.take(us, own);
        open.replace(us, origin, Piece::NONE);
        let combining = self.with(us, Kind::Combinator).without(origin).without(own);
        if combining.into_iter().any(|from| open.combinator_strikes(from, target)) {
            return true;
        }
        // Pieces without a combinator strike a square in one way only. One that strikes already
        // does not strike anew.
        if (open.plain_strikers(us, target) & !self.plain_strikers(us, target)).any() {
            return true;
        }
        let from = range.with(origin);
        if material.combines() {
            let empty = open.empty();
            return Flood::strikes(material, from, target, empty);
        }
        material.kinds().any(|kind| {
            let count = material.count(kind);
            let struck = |empty| struck_by_kind(kind, count, target, empty);
            (struck(open.empty()) & !struck(self.empty()) & from).any()
        })
    }

    /// Returns whether a split may lead to a position in which a royal striker would be struck on every
    /// square that it could end its capture of the own royal on (rule 21). True if that is not sure.
    fn may_trap(
        &self,
        striker: Square,
        own: Square,
        origin: Square,
        material: Piece,
        range: Bitboard,
    ) -> bool {
        if striker.bit().king_steps().has(own) {
            // Rule 20.
            return false;
        }
        let us = self.side;
        // Where it can end, whatever is set down.
        let ends = self.ends_of_capture(striker, own, self.empty() & !range);
        let empty = self.empty().with(origin).with(own).with(striker);
        let struck = |piece, from| struck_and_seen(piece, from, empty).0;
        let fixed = self.of(us).without(origin).without(own);
        let free =
            fixed.into_iter().fold(ends, |ends, from| ends & !struck(self.piece_on(from), from));
        let from = range.with(origin);
        if material.combines() {
            return (free & !Flood::new(material, from, empty).struck(empty)).is_empty();
        }
        // The most squares that the attributes of a kind can strike, each on its best square.
        let most = |kind| {
            let struck = |from| (struck(material.only(kind), from) & free).len();
            material.count(kind) as usize * from.into_iter().map(struck).max().unwrap_or(0)
        };
        material.kinds().map(most).sum::<usize>() >= free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Action;
    use super::*;
    use fusion_game::Side;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use std::collections::HashSet;

    /// Returns whether some way to end a turn that has begun is legal, by trying all.
    fn can_end(position: &Position, rules: &RuleSet, us: Side, known: &mut HashSet<u64>) -> bool {
        if position.side != us || position.may_end() {
            let legal = position.is_legal_end(rules, us);
            if legal || position.side != us {
                return legal;
            }
        }
        if !known.insert(position.hash()) {
            return false;
        }
        let mut next = Vec::new();
        position.continuations(rules, |action| next.push(position.after(rules, action)));
        next.iter().any(|next| can_end(next, rules, us, known))
    }

    /// Returns the positions after lifts from small pieces in check that are called hopeless.
    fn hopeless_lifts(position: &Position, rules: &RuleSet) -> Vec<Position> {
        let us = position.side;
        if position.turn != Turn::Start || !position.in_check(rules, us) {
            return Vec::new();
        }
        let small = position.of(us).into_iter().filter(|&from| position.piece_on(from).len() <= 4);
        let lifts = small.flat_map(|from| {
            let kinds = position.liftable(rules, from, Piece::NONE);
            kinds.map(move |kind| position.after(rules, Action::Lift { from, kind }))
        });
        lifts.filter(|next| next.outlook(rules).hopeless).collect()
    }

    /// Returns whether the enemy royal strikes the own one.
    fn royal_strikes(position: &Position, us: Side) -> bool {
        let royals = position.royal(us).zip(position.royal(us.other()));
        royals.is_some_and(|(own, enemy)| position.strikers(us.other(), own).has(enemy))
    }

    /// What is called hopeless must be so, against royal strikers and others.
    #[test]
    fn hopeless_splits_have_no_legal_end() {
        let (mut by_royals, mut by_others) = (0, 0);
        for seed in 0..400 {
            let name = ["freechess-7", "freechess-9"][seed as usize % 2];
            let rules: RuleSet = name.parse().unwrap();
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let (mut position, mut actions) = (Position::start(&rules), Vec::new());
            for _ in 0..150 {
                for next in hopeless_lifts(&position, &rules) {
                    let us = position.side;
                    let found = can_end(&next, &rules, us, &mut HashSet::new());
                    assert!(!found, "{}", next.to_text());
                    let count =
                        if royal_strikes(&next, us) { &mut by_royals } else { &mut by_others };
                    *count += 1;
                }
                actions.clear();
                position.legal_actions(&rules, &mut actions);
                let Some(last) = actions.len().checked_sub(1) else { break };
                position.play(&rules, actions[rng.random_range(0..=last)]);
            }
        }
        assert!(by_royals > 100 && by_others > 100, "{by_royals}, {by_others}");
    }
}
