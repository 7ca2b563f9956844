//! The options that tables list as toggles, with their words.

use crate::betza::{Step, Way};
use crate::definition::{Definition, Role};
use crate::ini;
use fusion_game::ToggleKind;

/// Declares toggles: name, what it allows in a few words, what it is about.
macro_rules! toggles {
    ($($name:literal, $short:literal, $words:literal;)+) => {
        &[$(ToggleKind { name: $name, short: $short, words: $words }),+]
    };
}

/// The options whose value is a word or a number. Others can be changed too, but tables do not list
/// them.
pub const TOGGLES: &[ToggleKind] = toggles! {
    "castling", "castling allowed", "the King may castle with a Rook";
    "castlingDroppedPiece", "dropped pieces castle", "a dropped King and Rook may castle";
    "doubleStep", "double steps", "Pawns may step two squares from their region of double steps";
    "mandatoryPawnPromotion", "Pawns must promote", "a Pawn has to promote in the promotion region";
    "mandatoryPiecePromotion", "pieces must promote", "a piece that can promote has to";
    "piecePromotionOnCapture", "promotion by capture", "pieces promote only by capturing";
    "pieceDemotion", "promoted pieces change back", "a promoted piece may change back";
    "pieceDrops", "drops allowed", "pieces may be dropped from the hand";
    "capturesToHand", "captures to the hand", "a captured piece goes to the capturer's hand";
    "dropLoop", "promoted pieces stay so in the hand", "a captured promoted piece keeps its kind in the hand";
    "dropPromoted", "drops in promoted state", "pieces may be dropped as what they promote to";
    "dropChecks", "drops may check", "a drop may give check";
    "mustDrop", "drops first", "a side with pieces in hand has to drop one";
    "firstRankPawnDrops", "Pawns drop on rank 1", "Pawns may be dropped on the first rank";
    "promotionZonePawnDrops", "Pawns drop where they promote", "Pawns may be dropped in the promotion region";
    "shogiPawnDropMateIllegal", "mate by a dropped Pawn loses", "a mate by a dropped Pawn loses";
    "immobilityIllegal", "no dead ends", "a piece may not go where it could never move again";
    "checking", "checks allowed", "a move may give check";
    "mustCapture", "captures are forced", "a side that can capture has to";
    "blastOnCapture", "captures explode", "a capture destroys the pieces around, except Pawns";
    "flyingGeneral", "Kings may not face", "the Kings may not face each other on an open line";
    "makpongRule", "no flight from check", "a King may not leave check by moving";
    "pass", "passing allowed", "a side may pass";
    "passOnStalemate", "stalemate passes", "a side without another move passes";
    "fission", "", "when a component may leave its compound";
    "assimilation", "captures combine", "a piece merges with the enemy piece that it captures";
    "captureDemotion", "captures take apart", "a compound that captures becomes the component that moved";
    "fusionDrops", "drops may merge", "a dropped piece may merge with one that stands on its square";
    "handsOfComponents", "compounds split in the hand", "a captured compound goes to the hand as its components";
    "royalRidesThroughCheck", "royal rides through check", "a royal piece may ride over attacked squares";
    "royalLeapsThroughCheck", "royal leaps through check", "a royal piece may leap past attacked squares";
    "stalemateValue", "", "what stalemate is for the side that has no move";
    "stalematePieceCount", "stalemate by pieces", "stalemate goes by the number of pieces";
    "checkmateValue", "", "what checkmate is for the side that is mated";
    "extinctionValue", "", "the result of a side that has too few pieces of a kind";
    "extinctionPseudoRoyal", "last pieces are royal", "the last pieces of the kinds that may not die out are royal";
    "dupleCheck", "duple check", "all royal pieces have to be attacked for a check";
    "flagMove", "one more move at the goal", "the other side has one more move after a piece reaches its goal";
    "flagPieceSafe", "safe at the goal", "the piece has to be safe at its goal";
    "checkCounting", "checks are counted", "enough checks win";
    "nMoveRule", "", "moves of each side without progress that end the game";
    "nFoldRule", "", "the occurrence of a position that ends the game";
    "nFoldValue", "", "what repetition is for the side to move";
    "perpetualCheckIllegal", "perpetual check loses", "perpetual check loses";
    "moveRepetitionIllegal", "back and forth loses", "a side loses that moves a piece back and forth twice in a row";
    "countingRule", "", "the rule that limits endings with few pieces";
    "materialCounting", "", "how material decides games without another result";
};

/// Returns the usual values of a toggle.
pub(super) fn choices(toggle: &str) -> &'static [&'static str] {
    match toggle {
        "stalemateValue" | "checkmateValue" | "nFoldValue" => &["win", "draw", "loss"],
        "extinctionValue" => &["win", "draw", "loss", "none"],
        "fission" => &["always", "unattacked", "never"],
        "countingRule" => &["makruk", "cambodian", "asean", "none"],
        "materialCounting" => &["janggi", "unweighted", "whitedrawodds", "blackdrawodds", "none"],
        "nFoldRule" => &["0", "3", "4"],
        "nMoveRule" => &["0", "30", "50", "100"],
        _ => &["yes", "no"],
    }
}

/// What some toggles mean if they are `no`, although they usually are `yes`.
const WITHOUT: [(&str, &str); 7] = [
    ("castling", "the King may not castle"),
    ("doubleStep", "Pawns do not step two squares"),
    ("mandatoryPawnPromotion", "a Pawn need not promote"),
    ("dropChecks", "a drop may not give check"),
    ("checking", "a move may not give check"),
    ("royalRidesThroughCheck", "a royal piece may not ride over attacked squares"),
    (
        "royalLeapsThroughCheck",
        "a royal piece may not leap if all squares beside both ends of the leap are attacked",
    ),
];

/// What some options are about that are no toggles, since their values are lists or squares.
const DETAILS: [(&str, &str); 19] = [
    ("startFen", "initial position"),
    ("compounds", "compounds and their components"),
    ("fusionMovers", "pieces that may move onto a piece of their side, to merge"),
    ("fusionTargets", "pieces onto which these may move"),
    ("attackedPromotion", "what pieces may become by moving from an attacked square"),
    ("deadPositionTypes", "pieces that cannot mate"),
    ("promotionRegionWhite", "squares on which White promotes"),
    ("promotionRegionBlack", "squares on which Black promotes"),
    ("promotionPieceTypesWhite", "what White’s Pawns promote to"),
    ("promotionPieceTypesBlack", "what Black’s Pawns promote to"),
    ("doubleStepRegionWhite", "squares from which White’s Pawns step two squares"),
    ("doubleStepRegionBlack", "squares from which Black’s Pawns step two squares"),
    ("dropRegionWhite", "squares on which White drops"),
    ("dropRegionBlack", "squares on which Black drops"),
    ("extinctionPieceTypes", "pieces of which a side may not have too few"),
    ("flagPieceWhite", "White’s piece that wins at its goal"),
    ("flagPieceBlack", "Black’s piece that wins at its goal"),
    ("flagRegionWhite", "White’s goal"),
    ("flagRegionBlack", "Black’s goal"),
];

/// Returns the options that are no toggles, in words where there are any, with their values.
pub(super) fn details(rules: &Definition) -> Vec<(String, String)> {
    let is_toggle = |option: &str| TOGGLES.iter().any(|toggle| toggle.name == option);
    let details = ini::options().filter(|option| !is_toggle(option) && !ini::sets_others(option));
    let worded = |option: &str| match DETAILS.iter().find(|(known, _)| *known == option) {
        Some((_, words)) => format!("{words} ({option})"),
        None => option.to_owned(),
    };
    details.filter_map(|option| Some((worded(option), rules.option_value(option)?))).collect()
}

/// Returns whether a toggle can change a game.
pub(super) fn matters(rules: &Definition, toggle: &str) -> bool {
    let compounds = rules.pieces.iter().any(|piece| piece.components != 0);
    let hands = rules.drops.allowed || rules.drops.captures;
    let promotions = rules.pieces.iter().any(|piece| piece.promotes_to.is_some());
    let royal = rules.king().is_some() || rules.pseudo_royal;
    match toggle {
        "fission" | "assimilation" | "captureDemotion" => compounds,
        "fusionDrops" | "handsOfComponents" => compounds && hands,
        "royalRidesThroughCheck" | "royalLeapsThroughCheck" => {
            let far = |step: &Step| step.dx.abs() > 1 || step.dy.abs() > 1 || step.way != Way::Leap;
            let mut royals = rules.pieces.iter().filter(|piece| piece.role == Role::King);
            royals.any(|piece| piece.steps.iter().any(far))
        }
        "castlingDroppedPiece"
        | "dropLoop"
        | "dropPromoted"
        | "dropChecks"
        | "mustDrop"
        | "firstRankPawnDrops"
        | "promotionZonePawnDrops"
        | "shogiPawnDropMateIllegal" => hands,
        "mandatoryPiecePromotion" | "piecePromotionOnCapture" | "pieceDemotion" => promotions,
        "flagMove" | "flagPieceSafe" => rules.flag.is_some(),
        "extinctionPseudoRoyal" => rules.extinction.is_some(),
        "dupleCheck" => rules.pseudo_royal,
        "checking" | "checkCounting" | "checkmateValue" | "flyingGeneral" | "makpongRule" => royal,
        "nFoldValue" | "perpetualCheckIllegal" | "moveRepetitionIllegal" => {
            rules.repetition.fold > 0
        }
        _ => true,
    }
}

/// Returns a sentence that says what a toggle's value means; `None` if the rule is absent as usual.
pub(super) fn sentence(toggle: &str, value: &str) -> Option<String> {
    let words = TOGGLES.iter().find(|known| known.name == toggle)?.words;
    let meaning = match value {
        "yes" => words.to_owned(),
        "none" => return None,
        "no" => WITHOUT.iter().find(|(known, _)| *known == toggle)?.1.to_owned(),
        value => format!("{words}: {value}"),
    };
    let (first, rest) = meaning.split_at(1);
    Some(format!("{}{rest}.", first.to_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ini::{Support, support};
    use fusion_game::RuleSet;

    #[test]
    fn toggles_are_options_and_their_choices_are_values() {
        for toggle in TOGGLES {
            assert_eq!(support(toggle.name), Some(Support::Supported), "{}", toggle.name);
            let chess = ini::builtin("chess", &[]).unwrap().definition;
            let value = chess.option_value(toggle.name);
            let value = value.map(|value| super::super::usual(&value).to_owned());
            let choices = choices(toggle.name);
            assert!(value.is_none_or(|value| choices.contains(&&*value)), "{}", toggle.name);
        }
    }

    #[test]
    fn details_are_options_and_tell_games_apart() {
        for (option, _) in DETAILS {
            assert_eq!(support(option), Some(Support::Supported), "{option}");
            assert!(!ini::sets_others(option), "{option}");
        }
        let of = |name: &str| details(&ini::builtin(name, &[]).unwrap().definition);
        let [before, after] = ["fusion-1999", "fusion-2006"].map(of);
        let differ: Vec<_> = before.iter().filter(|row| !after.contains(row)).collect();
        let names: Vec<&str> = differ.iter().map(|(words, _)| words.as_str()).collect();
        assert_eq!(names.len(), 2, "{differ:?}");
        assert!(names[0].ends_with("(fusionMovers)") && names[1].ends_with("(fusionTargets)"));
    }

    #[test]
    fn values_have_sentences() {
        let say = |toggle, value| sentence(toggle, value);
        assert_eq!(say("castling", "no").unwrap(), "The King may not castle.");
        assert_eq!(say("dropLoop", "no"), None);
        for toggle in TOGGLES {
            for value in choices(toggle.name) {
                let Some(sentence) = say(toggle.name, value) else { continue };
                assert!(sentence.starts_with(char::is_uppercase), "{sentence}");
                assert!(sentence.ends_with('.'), "{sentence}");
            }
        }
    }

    #[test]
    fn a_rule_set_has_a_canonical_text() {
        let parse = |text: &str| crate::rules::FairyRules::parse(text).unwrap();
        let plain = parse("variants#chess");
        assert_eq!(parse("variants#chess,castling=yes"), plain);
        let text = parse("variants#chess, stalemateValue=loss ,castling=false").to_string();
        let (name, changes) = text.split_once(',').unwrap();
        assert_eq!(name, "variants#chess");
        assert_eq!(changes, "castling=no,stalemateValue=loss");
        assert_eq!(parse(&text).to_string(), text);
        assert!(
            crate::rules::FairyRules::parse("variants#chess@00000000")
                .unwrap_err()
                .to_string()
                .contains("has changed")
        );
        let near = plain.neighbours();
        assert!(near.contains(&parse("variants#chess,castling=no")));
    }
}
