//! Compounds: pieces that consist of others.

use super::draft::{Draft, Letters};
use super::lens::{find, letters};
use super::pieces::{self, KING, TYPES, Type};
use super::region::Types;
use crate::betza::{self, Step};
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
    let known = draft.kind(letter);
    let compound = known.or_else(|| free(draft)).ok_or_else(|| {
        format!("there is no place for {letter}: all of customPiece1 to customPiece25 are in use")
    })?;
    if compound == KING || pieces::role(compound) != Role::Common || kinds.contains(&compound) {
        return Err(format!("{letter} cannot be a compound: it has rules of its own"));
    }
    for &kind in kinds {
        draft.components[compound].add(Types::one(kind));
    }
    let given = draft.places.contains_key(pieces::name(compound));
    if known.is_none() || (pieces::moves(compound).is_none() && !given) {
        draft.letters[compound] = Some(Letters { own: letter.to_ascii_uppercase(), synonym: None });
        draft.betza[compound] = draft.joined(compound);
    }
    Ok(())
}

impl Draft {
    fn components_of(&self, kind: Type) -> impl Iterator<Item = Type> {
        (0..TYPES).filter(move |&other| self.components[kind].has(other))
    }

    /// Returns the texts of a compound's components, one behind the other.
    fn joined(&self, kind: Type) -> String {
        self.components_of(kind).map(|component| self.moves(component)).collect()
    }

    /// Returns the steps of a kind: its own, or those of its components, each once.
    pub(super) fn steps(&self, kind: Type) -> Vec<Step> {
        let own = |kind: Type| betza::parse(self.moves(kind)).unwrap_or_default();
        let mut steps: Vec<Step> = Vec::new();
        for step in self.components_of(kind).flat_map(own) {
            if !steps.contains(&step) {
                steps.push(step);
            }
        }
        if steps.is_empty() { own(kind) } else { steps }
    }

    /// Returns whether a compound's own line gives it the moves of its components.
    fn moves_as_components(&self, kind: Type) -> bool {
        let mut own = betza::parse(self.moves(kind)).unwrap_or_default();
        let mut others = self.steps(kind);
        let key = |step: &Step| format!("{step:?}");
        own.sort_by_key(key);
        others.sort_by_key(key);
        own == others || self.moves(kind) == self.joined(kind)
    }
}

/// Returns the last kind without moves of its own that is not in use.
fn free(draft: &Draft) -> Option<Type> {
    (0..KING).rev().find(|&kind| pieces::moves(kind).is_none() && draft.letters[kind].is_none())
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
        let components: Vec<Type> = draft.components_of(kind).collect();
        if components.iter().any(|&component| draft.letters[component].is_none()) {
            let message =
                format!("a component of {} has left the game: give compounds anew", name(kind));
            add("compounds", message);
            continue;
        }
        if components.iter().any(|&component| draft.components[component] != Types::NONE) {
            let message =
                format!("{} has a compound as a component: name that one's components", name(kind));
            add("compounds", message);
        }
        let twin =
            |&other: &Type| other < kind && draft.components[other] == draft.components[kind];
        if let Some(other) = draft.types().find(twin).filter(|_| !components.is_empty()) {
            let message = format!(
                "{} and {} have the same components: leave one out",
                name(other),
                name(kind)
            );
            add("compounds", message);
        }
        if !components.is_empty() && !draft.moves_as_components(kind) {
            let message = format!(
                "{} moves as {}, its components as {}: leave its own line out",
                name(kind),
                draft.moves(kind),
                draft.joined(kind)
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
        let takes_part = |types: &Types| types.has(kind);
        let promotes =
            draft.promoted[kind].is_some() || draft.pawns.iter().any(|pawns| pawns.has(kind));
        if promotes
            && (becomes.is_some()
                || !components.is_empty()
                || draft.components.iter().any(takes_part))
        {
            let message = format!(
                "{} promotes on its rank, so it cannot take part: leave it out here or there",
                name(kind)
            );
            add("compounds", message);
        }
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
