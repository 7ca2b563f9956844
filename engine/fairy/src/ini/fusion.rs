//! Compounds: pieces that consist of others.

use super::draft::{Draft, Letters};
use super::lens::{find, letters};
use super::pieces::{self, KING, PAWN, TYPES, Type};
use super::region::Types;
use crate::betza;
use crate::definition::Role;

/// Sets the compounds: `q:rb g:kr`. They replace earlier ones. A letter that no piece has yet becomes a piece
/// that moves as its components.
///
/// # Errors
/// Returns what is wrong with the text and what to do.
pub(super) fn read(draft: &mut Draft, text: &str) -> Result<(), String> {
    draft.components = [Types::NONE; TYPES];
    for pair in text.split_whitespace().filter(|pair| *pair != "-") {
        let parts = pair.split_once(':').filter(|(letter, _)| letter.chars().count() == 1);
        let (letter, components) =
            parts.ok_or_else(|| format!("'{pair}' is no compound: write one as in m:rn"))?;
        let letter = letter.chars().next().filter(char::is_ascii_alphabetic);
        let letter = letter.ok_or_else(|| format!("'{pair}' begins with no letter from a to z"))?;
        let mut kinds = Vec::new();
        for component in components.chars() {
            let kind = find(draft, component)?;
            if pieces::role(kind) != Role::Common && kind != KING {
                return Err(format!("{component} cannot be a component: it has rules of its own"));
            }
            if kinds.contains(&kind) {
                return Err(format!("'{pair}' names {component} twice"));
            }
            kinds.push(kind);
        }
        if kinds.len() < 2 {
            return Err(format!("'{pair}' has one component: a compound has two or more"));
        }
        add(draft, letter, &kinds)?;
    }
    Ok(())
}

/// Makes a piece a compound.
fn add(draft: &mut Draft, letter: char, kinds: &[Type]) -> Result<(), String> {
    let moves: String = kinds.iter().map(|&kind| draft.moves(kind)).collect();
    let known = draft.kind(letter);
    let compound = known.or_else(|| free(draft)).ok_or_else(|| {
        format!("there is no place for {letter}: all of customPiece1 to customPiece25 are in use")
    })?;
    if compound == KING || compound == PAWN || kinds.contains(&compound) {
        return Err(format!("{letter} cannot be a compound"));
    }
    let given = draft.places.contains_key(pieces::name(compound));
    if known.is_none() || (pieces::moves(compound).is_none() && !given) {
        betza::parse(&moves).map_err(|error| error.to_string())?;
        draft.letters[compound] = Some(Letters { own: letter.to_ascii_uppercase(), synonym: None });
        draft.betza[compound] = moves;
    } else if !alike(draft.moves(compound), &moves) {
        return Err(format!(
            "{letter} moves as {}, its components as {moves}: give the compound a letter of its own",
            draft.moves(compound)
        ));
    }
    for &kind in kinds {
        draft.components[compound].add(Types::one(kind));
    }
    Ok(())
}

/// Returns the last kind without moves of its own that is not in use.
fn free(draft: &Draft) -> Option<Type> {
    (0..KING).rev().find(|&kind| pieces::moves(kind).is_none() && draft.letters[kind].is_none())
}

/// Returns whether two texts of Betza's notation have the same steps.
fn alike(one: &str, other: &str) -> bool {
    let steps = |text: &str| {
        let mut steps: Vec<String> =
            betza::parse(text).unwrap_or_default().iter().map(|step| format!("{step:?}")).collect();
        steps.sort();
        steps
    };
    steps(one) == steps(other)
}

/// Returns the compounds as text.
pub(super) fn text(draft: &Draft) -> String {
    let pair = |kind: Type| {
        let held = draft.types().filter(|&other| draft.components[kind].has(other));
        let components = letters(draft, held);
        (components != "-")
            .then(|| format!("{}:{components}", letters(draft, std::iter::once(kind))))
    };
    let pairs: Vec<String> = draft.types().filter_map(pair).collect();
    if pairs.is_empty() { "-".into() } else { pairs.join(" ") }
}

/// Returns what does not go together with compounds, with what to do.
pub(super) fn contradictions(draft: &Draft) -> Vec<(String, String)> {
    let mut wrong = Vec::new();
    let mut add = |option: &str, message: String| wrong.push((option.to_string(), message));
    let name = |kind: Type| letters(draft, std::iter::once(kind));
    for kind in (0..TYPES).filter(|&kind| draft.letters[kind].is_some()) {
        let components: Vec<Type> =
            (0..TYPES).filter(|&other| draft.components[kind].has(other)).collect();
        if components.iter().any(|&component| draft.letters[component].is_none()) {
            let message =
                format!("a component of {} has left the game: give compounds anew", name(kind));
            add("compounds", message);
            continue;
        }
        let moves: String = components.iter().map(|&component| draft.moves(component)).collect();
        if !components.is_empty() && !alike(draft.moves(kind), &moves) {
            let message = format!(
                "{} no longer moves as its components, {moves}: give compounds anew",
                name(kind)
            );
            add("compounds", message);
        }
        if draft.capture_demotion && !components.contains(&KING) && overlap(draft, &components) {
            let message = format!(
                "two components of {} capture alike, so that what it becomes is open",
                name(kind)
            );
            add("captureDemotion", message);
        }
        let becomes = draft.attacked[kind];
        if becomes.is_some() && (kind == KING || pieces::role(kind) != Role::Common) {
            add("attackedPromotion", format!("{} has rules of its own and stays", name(kind)));
        }
        if becomes.is_some_and(|to| draft.components[to].has(KING) || to == KING) {
            add("attackedPromotion", format!("{} may not become a royal piece", name(kind)));
        }
    }
    let compounds = draft.components.iter().any(|types| *types != Types::NONE);
    if compounds && draft.pseudo_royal {
        add(
            "extinctionPseudoRoyal",
            "compounds go together with a King only: write king = k, or leave one of both out"
                .into(),
        );
    }
    wrong
}

/// Returns whether two of the kinds have a capturing step in common.
fn overlap(draft: &Draft, kinds: &[Type]) -> bool {
    let mut seen = Vec::new();
    for &kind in kinds {
        let steps = betza::parse(draft.moves(kind)).unwrap_or_default();
        let mut own: Vec<(i8, i8)> = Vec::new();
        for step in steps.iter().filter(|step| step.capture) {
            let (dx, dy) = (step.dx, step.dy);
            let whole = (1..16).map(|times| (dx * times, dy * times));
            let once = matches!(step.way, betza::Way::Leap | betza::Way::Lame);
            let count = if once { 1 } else { 15 };
            own.extend(whole.take(count).filter(|(x, y)| x.abs() < 16 && y.abs() < 16));
        }
        if own.iter().any(|step| seen.contains(step)) {
            return true;
        }
        seen.extend(own);
    }
    false
}
