//! The definition that other programs need to play a rule set, in the format of Fairy-Stockfish.

use super::presets::ORTHODOX;
use super::{PawnDouble, RuleSet, Stalemate};
use fusion_game::Variant;
use std::fmt::Write;

/// The ranks of double steps of White, and of Black.
const SECOND_THIRD: [&str; 2] = ["*2 *3", "*7 *6"];
const SECOND_TO_SIXTH: [&str; 2] = ["*2 *3 *4 *5 *6", "*7 *6 *5 *4 *3"];

/// Steps back end at the second rank, and no step of a Pawn is progress.
const NO_FIRST_RANK: &str = "nMoveRuleTypes = -\n\
    mobilityRegionWhiteCustomPiece1 = *2 *3 *4 *5 *6 *7 *8\n\
    mobilityRegionBlackCustomPiece1 = *1 *2 *3 *4 *5 *6 *7\n";

/// Returns the definition of changes to orthodox chess. `None` for orthodox chess, which programs play
/// without a definition, and for rules that Fairy-Stockfish has no options for.
pub(super) fn of(rules: &RuleSet) -> Option<Variant> {
    let &RuleSet { castling, pawn_double, pawn_back, pawn_sideways, stalemate, start, .. } = rules;
    let rest = RuleSet { castling, pawn_double, pawn_back, pawn_sideways, stalemate, ..ORTHODOX };
    let steps = [(pawn_back, 'b'), (pawn_sideways, 's')];
    let steps: String = steps.into_iter().filter(|(may, _)| *may).map(|(_, to)| to).collect();
    // A Pawn with other steps is a piece of its own, whose double step is part of it.
    let both = !steps.is_empty() && pawn_double != PawnDouble::First;
    if *rules == ORTHODOX || *rules != (RuleSet { start, ..rest }) || both {
        return None;
    }
    let name = rules.to_string().replace([',', '='], "-");
    let mut text = format!("[{name}:chess]\n");
    if !castling {
        text += "castling = false\n";
    }
    if stalemate == Stalemate::Win {
        text += "stalemateValue = loss\n";
    }
    match pawn_double {
        PawnDouble::First => (),
        PawnDouble::Never => text += "doubleStep = false\n",
        PawnDouble::SecondThird => double_steps(&mut text, SECOND_THIRD),
        PawnDouble::Always => double_steps(&mut text, SECOND_TO_SIXTH),
    }
    if !steps.is_empty() {
        let _ = write!(
            text,
            "pawn = -\ncustomPiece1 = p:f{steps}mWfceFifmnD\npawnTypes = p\npromotionPieceTypes = nbrq\n"
        );
    }
    if pawn_back {
        text += NO_FIRST_RANK;
    }
    Some(Variant { name, definition: Some(text) })
}

fn double_steps(text: &mut String, [white, black]: [&str; 2]) {
    let _ = write!(text, "doubleStepRegionWhite = {white}\ndoubleStepRegionBlack = {black}\n");
}
