//! All options of the format.

use super::draft::Draft;
use super::lens::{BYTE, Lens};
use super::pieces::{self, TYPES, Type};
use std::sync::LazyLock;

/// What this program does with an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// The option is part of the rules.
    Supported,
    /// The option may be given but has no effect, for this reason.
    Ignored(&'static str),
    /// Only the option's default value may be given, for this reason.
    Rejected(&'static str),
}

/// Returns the names of all options, in the order in which they are applied, whatever that of the lines.
pub fn options() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|entry| entry.name.as_str())
}

/// Returns what this program does with an option; `None` if the format has no such option.
#[must_use]
pub fn support(option: &str) -> Option<Support> {
    Some(match entry(option)?.effect {
        Effect::Set(_) | Effect::All(_) => Support::Supported,
        Effect::Ignore { why, .. } => Support::Ignored(why),
        Effect::Reject { why, .. } => Support::Rejected(why),
    })
}

/// Returns whether an option only sets others.
pub(crate) fn sets_others(option: &str) -> bool {
    entry(option).is_some_and(|entry| matches!(entry.effect, Effect::All(_)))
}

/// An option.
pub(super) struct Entry {
    pub name: String,
    pub effect: Effect,
}

/// What an option does.
pub(super) enum Effect {
    /// It sets one value.
    Set(Lens),
    /// It sets several other options.
    All(&'static [&'static str]),
    /// Nothing. Values other than this default change the play in Fairy-Stockfish, if there is one.
    Ignore { default: Option<&'static str>, why: &'static str },
    /// An error, except with one of these default values.
    Reject { defaults: &'static [&'static str], why: &'static str },
}

impl Entry {
    /// Sets the option.
    ///
    /// # Errors
    /// Returns what is wrong with the text and what to do.
    pub(super) fn apply(&self, draft: &mut Draft, text: &str) -> Result<(), String> {
        match &self.effect {
            Effect::Set(lens) => lens.read(draft, text)?,
            Effect::All(others) => {
                for other in others.iter().filter_map(|other| entry(other)) {
                    other.apply(draft, text)?;
                }
            }
            Effect::Ignore { default, .. } => {
                draft.ignored.remove(&self.name);
                if default.is_some_and(|default| default != text) {
                    draft.ignored.insert(self.name.clone(), text.into());
                }
            }
            Effect::Reject { defaults, .. } => {
                draft.rejected.remove(&self.name);
                if !defaults.contains(&text) {
                    draft.rejected.insert(self.name.clone(), text.into());
                }
            }
        }
        Ok(())
    }

    /// Returns the option's value as text that sets it. `None` if there is none: the option only sets
    /// others, which differ, or it is not supported.
    pub(super) fn text(&self, draft: &mut Draft) -> Option<String> {
        match &self.effect {
            Effect::Set(lens) => lens.text(draft),
            Effect::All(others) => {
                let mut texts = others.iter().map(|other| entry(other)?.text(draft));
                let first = texts.next()??;
                texts.all(|text| text.as_ref() == Some(&first)).then_some(first)
            }
            Effect::Ignore { .. } | Effect::Reject { .. } => None,
        }
    }
}

/// Returns the option with this name.
pub(super) fn entry(name: &str) -> Option<&'static Entry> {
    TABLE.iter().find(|entry| entry.name == name)
}

/// Returns the name of the option that limits where a side's piece may go.
pub(super) fn mobility(kind: Type, side: usize) -> String {
    let (first, rest) = pieces::name(kind).split_at(1);
    let color = if side == 0 { "White" } else { "Black" };
    format!("mobilityRegion{color}{}{rest}", first.to_ascii_uppercase())
}

/// All options, in the order in which they are applied.
pub(super) static TABLE: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let mut table: Vec<Entry> = Vec::new();
    let mut add = |name: &str, effect| table.push(Entry { name: name.into(), effect });
    add("maxRank", Effect::Set(Lens::Ranks));
    add("maxFile", Effect::Set(Lens::Files));
    for kind in 0..TYPES {
        add(pieces::name(kind), Effect::Set(Lens::Piece(kind)));
    }
    for kind in 0..TYPES {
        for side in 0..2 {
            add(&mobility(kind, side), Effect::Set(Lens::Mobility(kind, side)));
        }
    }
    for list in [compounds(), older(), pawns(), castling(), drops(), ends(), aims()] {
        for (name, effect) in list {
            add(name, effect);
        }
    }
    for (name, default, why) in IGNORED {
        add(name, Effect::Ignore { default, why });
    }
    for (name, defaults, why) in REJECTED {
        add(name, Effect::Reject { defaults, why });
    }
    table
});

type List = Vec<(&'static str, Effect)>;

/// Options that Fairy-Stockfish does not have: pieces that merge and split.
fn compounds() -> List {
    use Effect::Set;
    vec![
        ("compounds", Set(Lens::Compounds)),
        ("fusionMovers", Set(Lens::Types(|draft| &mut draft.fusion_movers))),
        ("fusionTargets", Set(Lens::Types(|draft| &mut draft.fusion_targets))),
        ("fusionDrops", Set(Lens::Bool(|draft| &mut draft.fusion_drops))),
        ("fission", Set(Lens::Fission)),
        ("assimilation", Set(Lens::Bool(|draft| &mut draft.assimilation))),
        ("captureDemotion", Set(Lens::Bool(|draft| &mut draft.capture_demotion))),
        ("attackedPromotion", Set(Lens::Attacked)),
        ("handsOfComponents", Set(Lens::Bool(|draft| &mut draft.hands_of_components))),
        ("royalRidesThroughCheck", Set(Lens::Bool(|draft| &mut draft.royal_rides_cross))),
        ("royalLeapsThroughCheck", Set(Lens::Bool(|draft| &mut draft.royal_leaps_cross))),
        ("deadPositionTypes", Set(Lens::Types(|draft| &mut draft.dead))),
    ]
}

/// Older names, and options that set several others. They come first, so that those have the last word.
fn older() -> List {
    use Effect::{All, Set};
    vec![
        ("pieceValueMg", Set(Lens::Values)),
        ("promotionRank", Set(Lens::PromotionRank)),
        ("doubleStepRankMin", Set(Lens::DoubleStepRankMin)),
        ("doubleStepRank", Set(Lens::DoubleStepRank)),
        ("whiteFlag", All(&["flagRegionWhite"])),
        ("blackFlag", All(&["flagRegionBlack"])),
        ("castlingRookPiece", All(&["castlingRookPiecesWhite", "castlingRookPiecesBlack"])),
        ("whiteDropRegion", All(&["dropRegionWhite"])),
        ("blackDropRegion", All(&["dropRegionBlack"])),
        (
            "pawnTypes",
            All(&[
                "promotionPawnTypesWhite",
                "promotionPawnTypesBlack",
                "enPassantTypesWhite",
                "enPassantTypesBlack",
                "nMoveRuleTypesWhite",
                "nMoveRuleTypesBlack",
            ]),
        ),
        ("startFen", Set(Lens::Start)),
    ]
}

fn pawns() -> List {
    use Effect::{All, Set};
    vec![
        ("promotionRegionWhite", Set(Lens::Region(|draft| &mut draft.promotion_region[0]))),
        ("promotionRegionBlack", Set(Lens::Region(|draft| &mut draft.promotion_region[1]))),
        ("promotionPawnTypes", All(&["promotionPawnTypesWhite", "promotionPawnTypesBlack"])),
        ("promotionPawnTypesWhite", Set(Lens::Pawns(0))),
        ("promotionPawnTypesBlack", Set(Lens::Pawns(1))),
        ("promotionPieceTypes", All(&["promotionPieceTypesWhite", "promotionPieceTypesBlack"])),
        ("promotionPieceTypesWhite", Set(Lens::Types(|draft| &mut draft.promotions[0]))),
        ("promotionPieceTypesBlack", Set(Lens::Types(|draft| &mut draft.promotions[1]))),
        ("promotionLimit", Set(Lens::Limits)),
        ("promotedPieceType", Set(Lens::Promoted)),
        ("piecePromotionOnCapture", Set(Lens::Bool(|draft| &mut draft.by_capture))),
        ("mandatoryPawnPromotion", Set(Lens::Bool(|draft| &mut draft.pawns_must))),
        ("mandatoryPiecePromotion", Set(Lens::Bool(|draft| &mut draft.pieces_must))),
        ("pieceDemotion", Set(Lens::Bool(|draft| &mut draft.demotion))),
        ("blastOnCapture", Set(Lens::Bool(|draft| &mut draft.blast))),
        ("blastImmuneTypes", Set(Lens::Types(|draft| &mut draft.blast_immune))),
        ("mutuallyImmuneTypes", Set(Lens::Types(|draft| &mut draft.mutually_immune))),
        ("doubleStep", Set(Lens::Bool(|draft| &mut draft.double_step))),
        ("doubleStepRegionWhite", Set(Lens::Region(|draft| &mut draft.double_region[0]))),
        ("doubleStepRegionBlack", Set(Lens::Region(|draft| &mut draft.double_region[1]))),
        ("tripleStepRegionWhite", Set(Lens::Region(|draft| &mut draft.triple_region[0]))),
        ("tripleStepRegionBlack", Set(Lens::Region(|draft| &mut draft.triple_region[1]))),
        ("enPassantRegion", All(&["enPassantRegionWhite", "enPassantRegionBlack"])),
        ("enPassantRegionWhite", Set(Lens::Region(|draft| &mut draft.passing_region[0]))),
        ("enPassantRegionBlack", Set(Lens::Region(|draft| &mut draft.passing_region[1]))),
        ("enPassantTypes", All(&["enPassantTypesWhite", "enPassantTypesBlack"])),
        ("enPassantTypesWhite", Set(Lens::Types(|draft| &mut draft.passing[0]))),
        ("enPassantTypesBlack", Set(Lens::Types(|draft| &mut draft.passing[1]))),
    ]
}

fn castling() -> List {
    use Effect::{All, Set};
    vec![
        ("castling", Set(Lens::Bool(|draft| &mut draft.castling))),
        ("castlingDroppedPiece", Set(Lens::Bool(|draft| &mut draft.castling_dropped))),
        ("castlingKingsideFile", Set(Lens::File(|draft| &mut draft.king_to[0]))),
        ("castlingQueensideFile", Set(Lens::File(|draft| &mut draft.king_to[1]))),
        ("castlingRank", Set(Lens::Rank(|draft| &mut draft.castling_rank))),
        ("castlingKingFile", Set(Lens::File(|draft| &mut draft.king_from))),
        ("castlingKingPiece", All(&["castlingKingPieceWhite", "castlingKingPieceBlack"])),
        ("castlingKingPieceWhite", Set(Lens::Type(|draft| &mut draft.castling_king[0]))),
        ("castlingKingPieceBlack", Set(Lens::Type(|draft| &mut draft.castling_king[1]))),
        ("castlingRookKingsideFile", Set(Lens::File(|draft| &mut draft.rook_from[0]))),
        ("castlingRookQueensideFile", Set(Lens::File(|draft| &mut draft.rook_from[1]))),
        ("castlingRookPieces", All(&["castlingRookPiecesWhite", "castlingRookPiecesBlack"])),
        ("castlingRookPiecesWhite", Set(Lens::Types(|draft| &mut draft.rooks[0]))),
        ("castlingRookPiecesBlack", Set(Lens::Types(|draft| &mut draft.rooks[1]))),
    ]
}

fn drops() -> List {
    use Effect::{All, Set};
    vec![
        ("checking", Set(Lens::Bool(|draft| &mut draft.checking))),
        ("dropChecks", Set(Lens::Bool(|draft| &mut draft.drop_checks))),
        ("mustCapture", Set(Lens::Bool(|draft| &mut draft.must_capture))),
        ("mustDrop", Set(Lens::Bool(|draft| &mut draft.must_drop))),
        ("mustDropType", Set(Lens::TypeOrAny(|draft| &mut draft.must_drop_kind))),
        ("pieceDrops", Set(Lens::Bool(|draft| &mut draft.drops))),
        ("dropLoop", Set(Lens::Bool(|draft| &mut draft.keep_promoted))),
        ("capturesToHand", Set(Lens::Bool(|draft| &mut draft.captures_to_hand))),
        ("firstRankPawnDrops", Set(Lens::Bool(|draft| &mut draft.first_rank_drops))),
        ("promotionZonePawnDrops", Set(Lens::Bool(|draft| &mut draft.promotion_zone_drops))),
        ("dropRegionWhite", Set(Lens::Region(|draft| &mut draft.drop_region[0]))),
        ("dropRegionBlack", Set(Lens::Region(|draft| &mut draft.drop_region[1]))),
        ("dropOppositeColoredBishop", Set(Lens::Bool(|draft| &mut draft.opposite_bishops))),
        ("dropPromoted", Set(Lens::Bool(|draft| &mut draft.drop_promoted))),
        ("dropNoDoubled", Set(Lens::Type(|draft| &mut draft.no_doubled))),
        ("dropNoDoubledCount", Set(Lens::Number(|draft| &mut draft.doubled_count, BYTE))),
        ("immobilityIllegal", Set(Lens::Bool(|draft| &mut draft.no_immobile))),
        ("pass", All(&["passWhite", "passBlack"])),
        ("passWhite", Set(Lens::Bool(|draft| &mut draft.pass[0]))),
        ("passBlack", Set(Lens::Bool(|draft| &mut draft.pass[1]))),
        ("passOnStalemate", All(&["passOnStalemateWhite", "passOnStalemateBlack"])),
        ("passOnStalemateWhite", Set(Lens::Bool(|draft| &mut draft.pass_on_stalemate[0]))),
        ("passOnStalemateBlack", Set(Lens::Bool(|draft| &mut draft.pass_on_stalemate[1]))),
        ("makpongRule", Set(Lens::Bool(|draft| &mut draft.makpong))),
        ("flyingGeneral", Set(Lens::Bool(|draft| &mut draft.flying_general))),
        ("soldierPromotionRank", Set(Lens::Rank(|draft| &mut draft.soldier_rank))),
    ]
}

fn ends() -> List {
    use Effect::{All, Set};
    vec![
        ("nMoveRuleTypes", All(&["nMoveRuleTypesWhite", "nMoveRuleTypesBlack"])),
        ("nMoveRuleTypesWhite", Set(Lens::Types(|draft| &mut draft.move_rule_kinds[0]))),
        ("nMoveRuleTypesBlack", Set(Lens::Types(|draft| &mut draft.move_rule_kinds[1]))),
        ("nMoveRule", Set(Lens::Number(|draft| &mut draft.move_rule, 10_000))),
        ("nFoldRule", Set(Lens::Number(|draft| &mut draft.fold, BYTE))),
        ("nFoldValue", Set(Lens::Value(|draft| &mut draft.fold_value))),
        ("nFoldValueAbsolute", Set(Lens::Bool(|draft| &mut draft.fold_absolute))),
        ("perpetualCheckIllegal", Set(Lens::Bool(|draft| &mut draft.no_perpetual_check))),
        ("moveRepetitionIllegal", Set(Lens::Bool(|draft| &mut draft.no_back_and_forth))),
        ("stalemateValue", Set(Lens::Value(|draft| &mut draft.stalemate))),
        ("stalematePieceCount", Set(Lens::Bool(|draft| &mut draft.stalemate_by_count))),
        ("checkmateValue", Set(Lens::Value(|draft| &mut draft.checkmate))),
        ("shogiPawnDropMateIllegal", Set(Lens::Bool(|draft| &mut draft.no_pawn_mate))),
        ("extinctionValue", Set(Lens::ValueOrNone(|draft| &mut draft.extinction))),
        ("extinctionClaim", Set(Lens::Bool(|draft| &mut draft.extinction_claim))),
        ("extinctionPseudoRoyal", Set(Lens::Bool(|draft| &mut draft.pseudo_royal))),
        ("dupleCheck", Set(Lens::Bool(|draft| &mut draft.duple_check))),
        ("extinctionPieceTypes", Set(Lens::Extinct)),
        ("extinctionPieceCount", Set(Lens::Number(|draft| &mut draft.extinction_count, BYTE))),
        (
            "extinctionOpponentPieceCount",
            Set(Lens::Number(|draft| &mut draft.extinction_opponent, BYTE)),
        ),
    ]
}

fn aims() -> List {
    use Effect::{All, Set};
    vec![
        ("flagPiece", All(&["flagPieceWhite", "flagPieceBlack"])),
        ("flagPieceWhite", Set(Lens::TypeOrAny(|draft| &mut draft.flag_kind[0]))),
        ("flagPieceBlack", Set(Lens::TypeOrAny(|draft| &mut draft.flag_kind[1]))),
        ("flagRegion", All(&["flagRegionWhite", "flagRegionBlack"])),
        ("flagRegionWhite", Set(Lens::Region(|draft| &mut draft.flag_region[0]))),
        ("flagRegionBlack", Set(Lens::Region(|draft| &mut draft.flag_region[1]))),
        ("flagPieceCount", Set(Lens::Number(|draft| &mut draft.flag_count, BYTE))),
        ("flagPieceBlockedWin", Set(Lens::Bool(|draft| &mut draft.flag_blocked))),
        ("flagMove", Set(Lens::Bool(|draft| &mut draft.flag_move))),
        ("flagPieceSafe", Set(Lens::Bool(|draft| &mut draft.flag_safe))),
        ("checkCounting", Set(Lens::Bool(|draft| &mut draft.check_counting))),
        ("connectN", Set(Lens::Number(|draft| &mut draft.connect, BYTE))),
        ("connectPieceTypes", Set(Lens::TypesOrAll(|draft| &mut draft.connect_kinds))),
        ("connectVertical", Set(Lens::Bool(|draft| &mut draft.connect_lines[0]))),
        ("connectHorizontal", Set(Lens::Bool(|draft| &mut draft.connect_lines[1]))),
        ("connectDiagonal", Set(Lens::Bool(|draft| &mut draft.connect_lines[2]))),
        ("connectValue", Set(Lens::Value(|draft| &mut draft.connect_value))),
        ("materialCounting", Set(Lens::Material)),
        ("countingRule", Set(Lens::Counting)),
    ]
}

const DISPLAY: &str = "it is for programs that show the game, and changes no rule";
const WALLS: &str = "it has no effect without wallingRule, which is not supported";
const REGIONS: &str = "it has no effect without the option that makes regions differ by piece, which is not supported";

/// Options without effect: name, default value if others change the play, and why.
const IGNORED: [(&str, Option<&str>, &str); 19] = [
    ("variantTemplate", None, DISPLAY),
    ("pieceToCharTable", None, DISPLAY),
    ("pocketSize", None, DISPLAY),
    ("pieceValueEg", None, "one value of a piece is enough here: give pieceValueMg"),
    ("nnueAlias", None, "it names networks of Fairy-Stockfish, which this program does not read"),
    (
        "chasingRule",
        Some("none"),
        "perpetual chases are not forbidden here, so such games end by repetition",
    ),
    ("wallingRegion", None, WALLS),
    ("wallingRegionWhite", None, WALLS),
    ("wallingRegionBlack", None, WALLS),
    ("wallOrMove", None, WALLS),
    ("staticGatingRegion", None, WALLS),
    (
        "petrifyBlastPieces",
        None,
        "it has no effect without petrifyOnCaptureTypes, which is not supported",
    ),
    ("enclosingDropStart", None, "it has no effect without enclosingDrop, which is not supported"),
    ("whitePiecePromotionRegion", None, REGIONS),
    ("blackPiecePromotionRegion", None, REGIONS),
    ("whitePieceDropRegion", None, REGIONS),
    ("blackPieceDropRegion", None, REGIONS),
    (
        "connectRegion2White",
        None,
        "it has no effect without connectRegion1White, which is not supported",
    ),
    (
        "connectRegion2Black",
        None,
        "it has no effect without connectRegion1Black, which is not supported",
    ),
];

const OFF: &[&str] = &["false"];
const NONE: &[&str] = &["none"];
const EMPTY: &[&str] = &["-"];
const ZERO: &[&str] = &["0"];
const WALLING: &str = "moves that make walls or set a duck are not supported";
const GATING: &str = "pieces that enter behind a moving piece are not supported";
const SPECIFIC: &str = "regions that differ by piece are not supported: give one region for all";
const STEPS: &str = "step regions that differ by piece are not supported: give one region for all";
const PATHS: &str = "paths and other shapes than rows are not supported: only connectN is";

/// Options of which only the default value is possible: name, texts of that value, and why.
const REJECTED: [(&str, &[&str], &str); 37] = [
    (
        "chess960",
        OFF,
        "shuffled starts and their castling are not supported: give a startFen and leave it out",
    ),
    ("twoBoards", OFF, "games on two boards are not supported"),
    ("sittuyinPromotion", OFF, "promotion as in Sittuyin is not supported"),
    ("sittuyinRookDrop", OFF, "Rooks that are dropped on the first rank only are not supported"),
    ("petrifyOnCapture", OFF, "pieces that become walls are not supported"),
    ("petrifyOnCaptureTypes", EMPTY, "pieces that become walls are not supported"),
    ("pieceSpecificPromotionRegion", OFF, SPECIFIC),
    ("pieceSpecificDropRegion", OFF, SPECIFIC),
    ("pieceSpecificDoubleStepRegion", OFF, STEPS),
    ("pieceSpecificTripleStepRegion", OFF, STEPS),
    ("whitePieceDoubleStepRegion", EMPTY, STEPS),
    ("blackPieceDoubleStepRegion", EMPTY, STEPS),
    ("whitePieceTripleStepRegion", EMPTY, STEPS),
    ("blackPieceTripleStepRegion", EMPTY, STEPS),
    ("oppositeCastling", OFF, "the duty to castle to opposite sides is not supported"),
    ("castlingWins", EMPTY, "castling that wins is not supported"),
    ("kingType", &["k"], "it is an old option: write the King's moves as king = k:MOVES"),
    ("freeDrops", OFF, "drops of pieces that are not in hand are not supported"),
    ("dropOnTop", OFF, "drops on top of a file are not supported"),
    ("enclosingDrop", NONE, "drops that have to enclose pieces are not supported"),
    ("flipEnclosedPieces", NONE, "pieces that change sides are not supported"),
    ("gating", OFF, GATING),
    ("seirawanGating", OFF, GATING),
    ("arrowGating", OFF, WALLING),
    ("duckGating", OFF, WALLING),
    ("staticGating", OFF, WALLING),
    ("pastGating", OFF, WALLING),
    ("wallingRule", NONE, WALLING),
    ("cambodianMoves", OFF, "first moves as in Ouk Chatrang are not supported"),
    ("diagonalLines", EMPTY, "lines on which Janggi's pieces move diagonally are not supported"),
    (
        "shatarMateRule",
        OFF,
        "mates that count only by some pieces, as in Shatar, are not supported",
    ),
    ("bikjangRule", OFF, "the end of a game by facing Kings is not supported"),
    ("adjudicateFullBoard", OFF, "the end of a game by a full board is not supported"),
    ("connectRegion1White", EMPTY, PATHS),
    ("connectRegion1Black", EMPTY, PATHS),
    ("connectNxN", ZERO, PATHS),
    ("collinearN", ZERO, PATHS),
];
