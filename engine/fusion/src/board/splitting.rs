//! Whether a compound may split in spite of enemy attacks.

use super::attacks;
use super::bitboard::Square;
use super::position::Position;
use crate::rules::{RoyalReach, RuleSet};

impl Position {
    /// Returns whether this compound of the side to move may split in spite of enemy attacks.
    pub(crate) fn may_split(&self, rules: &RuleSet, square: Square) -> bool {
        if rules.attacked_split {
            return true;
        }
        let them = !self.side;
        let mut attackers = self.attackers(square, them, self.occupied());
        if rules.royal_reach == RoyalReach::Path {
            let royal = self.royal(them);
            if !self.royal_could_travel(rules, royal, square) {
                attackers &= !royal.bit();
            }
        }
        attackers.is_empty()
    }

    /// Returns whether the enemy royal could travel to a square that it attacks, under the
    /// through-check limits. The test lifts the royal off the board.
    fn royal_could_travel(&self, rules: &RuleSet, royal: Square, to: Square) -> bool {
        if attacks::king(royal).has(to) {
            return true;
        }
        let lifted = self.occupied() ^ royal.bit();
        let attacked = |square| self.attackers(square, self.side, lifted).any();
        if attacks::knight(royal).has(to) {
            rules.leapers_cross_check || !attacks::gateways(royal, to).all(attacked)
        } else {
            rules.sliders_cross_check || attacks::between(royal, to).all(|s| !attacked(s))
        }
    }
}
