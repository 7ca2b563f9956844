//! Random rule sets.

use super::presets::FUSION_1999;
use super::{
    BareKing, Fission, FusionNeeds, FusionSet, MaxComponents, MoveLimit, MoveNumber, PawnDouble,
    PromotionSet, Repetition, RoyalReach, RuleSet, Stalemate, Start,
};
use rand::Rng;

impl RuleSet {
    /// Draws a rule set from all mixes of toggles that do not contradict each other and deny
    /// nothing to one side only.
    ///
    /// Half of the rule sets are rules of Fusion Chess. Each of its yes-or-no toggles is a fair
    /// coin. Promotion is to R, B or N half of the time, else to any set of pieces. Each royal
    /// reach is equally likely. In the other half, every toggle that the family's other games add
    /// has, in one of three cases, a value that Fusion Chess does not have.
    ///
    /// Whatever came of that, one of three rule sets then gets other Pawn moves, self-captures,
    /// delayed castling or other ends of the game, each in one of three cases.
    #[must_use]
    pub fn random(rng: &mut impl Rng) -> Self {
        let mut rules = Self::random_fusion(rng);
        if rng.next_u64() & 1 != 0 {
            let base = rules;
            loop {
                rules.draw_family(rng);
                if rules.contradiction().is_none() {
                    break;
                }
                rules = base;
            }
        }
        if rng.next_u64().is_multiple_of(3) {
            rules.draw_chess(rng);
        }
        rules.canonical()
    }

    /// Draws a mix of the toggles of Fusion Chess.
    fn random_fusion(rng: &mut impl Rng) -> Self {
        let mut coin = || rng.next_u64() & 1 == 0;
        let toggles: [bool; 10] = std::array::from_fn(|_| coin());
        let [fusion, fission, king_fuses, fuse_onto_king, sliders_cross_check, rest @ ..] = toggles;
        let [leapers_cross_check, attacked_split, castling, usual, geometric] = rest;
        Self {
            fusion: if fusion { FusionSet::ALL } else { FusionSet::NONE },
            fission: if fission { Fission::Quiet } else { Fission::None },
            king_fuses,
            fuse_onto_king,
            sliders_cross_check,
            leapers_cross_check,
            attacked_split,
            castling,
            promotion: if usual { PromotionSet::RBN } else { PromotionSet::random(rng, false) },
            royal_reach: if geometric { RoyalReach::Geometric } else { RoyalReach::Path },
            ..FUSION_1999
        }
    }

    /// Changes some of the toggles that the family's other games add to values of their own.
    fn draw_family(&mut self, rng: &mut impl Rng) {
        let mut one_of = |number: u64| rng.next_u64() % number;
        if one_of(3) == 0 {
            self.fusion = FusionSet::random(one_of(16));
        }
        if one_of(3) == 0 {
            self.fission = [Fission::QuietNoCheck, Fission::Capture][one_of(2) as usize];
        }
        if one_of(3) == 0 {
            self.fusion_needs = [FusionNeeds::NoQueen, FusionNeeds::NoCompound][one_of(2) as usize];
        }
        if one_of(3) == 0 {
            self.max_components = MaxComponents::Three;
        }
        self.metamorph = one_of(3) == 0;
        self.demote_on_capture = one_of(3) == 0;
        self.promotion_unique = one_of(3) == 0;
        if one_of(3) == 0 {
            self.start = Start::MANN;
            self.promotion = PromotionSet::random(rng, true);
        }
    }

    /// Changes some of the toggles that are not about compounds to values that Fusion Chess does not
    /// have.
    fn draw_chess(&mut self, rng: &mut impl Rng) {
        let mut one_of = |number: u64| rng.next_u64() % number;
        if one_of(3) == 0 {
            self.pawn_double = [PawnDouble::Never, PawnDouble::SecondThird, PawnDouble::Always]
                [one_of(3) as usize];
        }
        self.pawn_back = one_of(3) == 0;
        self.pawn_sideways = one_of(3) == 0;
        self.self_capture = one_of(3) == 0;
        if one_of(3) == 0 && self.castling {
            self.castling_from = MoveNumber::new(2 + one_of(15) as u8);
        }
        if one_of(3) == 0 {
            self.stalemate = Stalemate::Win;
        }
        if one_of(3) == 0 {
            self.repetition = Repetition::Loses;
        }
        if one_of(3) == 0 {
            self.bare_king = BareKing::Loses;
        }
        if one_of(3) == 0 {
            self.move_limit =
                [MoveLimit::NONE, MoveLimit::new(10), MoveLimit::new(100)][one_of(3) as usize];
        }
    }
}
