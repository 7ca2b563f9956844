//! Rule sets with a name.

use super::{
    BareKing, Denied, Fission, FusionNeeds, FusionSet, MaxComponents, MoveLimit, MoveNumber,
    PawnDouble, PromotionSet, Repetition, RoyalReach, RuleSet, Stalemate, Start,
};

pub(super) const FUSION_1999: RuleSet = RuleSet {
    fusion: FusionSet::ALL,
    fission: Fission::Quiet,
    king_fuses: true,
    fuse_onto_king: false,
    sliders_cross_check: true,
    leapers_cross_check: true,
    attacked_split: true,
    castling: false,
    promotion: PromotionSet::RBN,
    royal_reach: RoyalReach::Geometric,
    fusion_needs: FusionNeeds::Nothing,
    max_components: MaxComponents::Two,
    metamorph: false,
    demote_on_capture: false,
    start: Start::QUEEN,
    promotion_unique: false,
    pawn_double: PawnDouble::First,
    pawn_back: false,
    pawn_sideways: false,
    self_capture: false,
    castling_from: MoveNumber::FIRST,
    stalemate: Stalemate::Draw,
    repetition: Repetition::Draw,
    bare_king: BareKing::None,
    move_limit: MoveLimit::FIFTY,
    denied: Denied::NOTHING,
};

const FUSION_2006: RuleSet =
    RuleSet { king_fuses: false, fuse_onto_king: true, sliders_cross_check: false, ..FUSION_1999 };

const FUSION_2020: RuleSet =
    RuleSet { leapers_cross_check: false, attacked_split: false, castling: true, ..FUSION_2006 };

/// Toggles that have no effect without compound Kings and fission are left unrestricted.
const NO_FUSION: RuleSet = RuleSet {
    fusion: FusionSet::NONE,
    fission: Fission::None,
    king_fuses: false,
    fuse_onto_king: false,
    castling: true,
    ..FUSION_1999
};

pub(super) const ORTHODOX: RuleSet = RuleSet { promotion: PromotionSet::QRBN, ..NO_FUSION };

const UNION: RuleSet = RuleSet { fusion: FusionSet::ALL, ..ORTHODOX };

/// Every preset with its name: the rules of Fusion Chess and of orthodox chess, the other games of
/// the family, and the changes to orthodox chess of Tomašev, Paquet, Hassabis and Kramnik,
/// *Assessing Game Balance with AlphaZero* (2020).
pub const PRESETS: [(&str, RuleSet); 21] = [
    ("fusion-2020", FUSION_2020),
    ("fusion-2006", FUSION_2006),
    ("fusion-1999", FUSION_1999),
    ("fusion-2020-gc", RuleSet { royal_reach: RoyalReach::Path, ..FUSION_2020 }),
    ("orthodox", ORTHODOX),
    ("no-fusion", NO_FUSION),
    ("metamorphin", RuleSet { metamorph: true, demote_on_capture: true, ..FUSION_1999 }),
    (
        "combination",
        RuleSet {
            fission: Fission::QuietNoCheck,
            max_components: MaxComponents::Three,
            start: Start::MANN,
            promotion: PromotionSet::RBNO,
            ..UNION
        },
    ),
    (
        "coronation",
        RuleSet { fusion: FusionSet::ROOK_BISHOP, fusion_needs: FusionNeeds::NoQueen, ..ORTHODOX },
    ),
    ("union", UNION),
    ("confederate", RuleSet { fission: Fission::Capture, ..UNION }),
    (
        "empire",
        RuleSet {
            fusion_needs: FusionNeeds::NoCompound,
            promotion: PromotionSet::QMDRBN,
            promotion_unique: true,
            ..UNION
        },
    ),
    ("az-no-castling", RuleSet { castling: false, ..ORTHODOX }),
    ("az-no-castling-10", RuleSet { castling_from: MoveNumber::new(11), ..ORTHODOX }),
    ("az-pawn-one-square", RuleSet { pawn_double: PawnDouble::Never, ..ORTHODOX }),
    ("az-stalemate-win", RuleSet { stalemate: Stalemate::Win, ..ORTHODOX }),
    ("az-torpedo", RuleSet { pawn_double: PawnDouble::Always, ..ORTHODOX }),
    ("az-semi-torpedo", RuleSet { pawn_double: PawnDouble::SecondThird, ..ORTHODOX }),
    ("az-pawn-back", RuleSet { pawn_back: true, ..ORTHODOX }),
    ("az-pawn-sideways", RuleSet { pawn_sideways: true, ..ORTHODOX }),
    ("az-self-capture", RuleSet { self_capture: true, ..ORTHODOX }),
];
