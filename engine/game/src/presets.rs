//! Names of rule sets in messages.

use std::sync::OnceLock;

/// The presets of all games, as [`know_presets`] has set them.
static ALL: OnceLock<Vec<&'static str>> = OnceLock::new();

/// Sets the presets of all games, so that a game's message on an unknown rule set can name those of
/// the others. Only the first call has an effect.
pub fn know_presets(names: impl FnOnce() -> Vec<&'static str>) {
    ALL.get_or_init(names);
}

/// Returns the message on an unknown rule set: the nearest preset if there is a near one, and all
/// presets. Those of the game, `own`, stand first.
pub(crate) fn unknown_preset(name: &str, own: &[&'static str]) -> String {
    let others = ALL.get().into_iter().flatten().filter(|known| !own.contains(known));
    let known: Vec<&str> = own.iter().chain(others).copied().collect();
    let hint = hint(name, &known);
    format!("unknown rule set '{name}'{hint}; presets are {}", known.join(", "))
}

/// Returns the message on an unknown toggle, with the nearest one if there is a near one.
pub(crate) fn unknown_toggle(name: &str, known: &[&str]) -> String {
    format!("unknown toggle '{name}'{}; toggles are {}", hint(name, known), known.join(", "))
}

fn hint(name: &str, known: &[&str]) -> String {
    let near = nearest(name, known.iter().copied());
    near.map_or_else(String::new, |near| format!(" (did you mean {near}?)"))
}

/// Returns the nearest known name, if it is so near that `name` is probably a misspelling of it: one
/// letter in four differs, whatever their case.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Long texts are not misspelt names, so they are not compared.
    let most = name.chars().take(64).count().div_ceil(4);
    if most > 8 {
        return None;
    }
    let name = name.to_lowercase();
    let distance = |known: &&str| strsim::damerau_levenshtein(&name, known);
    known.into_iter().min_by_key(distance).filter(|known| distance(known) <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_suggested() {
        let own = ["fusion-2020", "orthodox"];
        for name in ["fusion2020", "Fusion-2020", "fusion-202", "fusoin-2020"] {
            let message = unknown_preset(name, &own);
            let wanted =
                format!("unknown rule set '{name}' (did you mean fusion-2020?); presets are ");
            assert!(message.starts_with(&wanted), "{message}");
        }
        assert_eq!(
            unknown_preset("go", &own),
            "unknown rule set 'go'; presets are fusion-2020, orthodox"
        );
        assert!(unknown_toggle("castlin", &["castling"]).contains("did you mean castling?"));
        assert_eq!(nearest(&"fusion-2020".repeat(9), own), None);
    }
}
