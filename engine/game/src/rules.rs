//! Rule sets as data.

use crate::OpenError;
use rand::Rng;
use std::fmt::{Debug, Display};

/// A toggle of a game's rules and its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToggleKind {
    /// Name in expressions: `castling`.
    pub name: &'static str,
    /// What the toggle allows, in a few words for narrow tables; empty if its value says it.
    pub short: &'static str,
    /// What the toggle is about, in full.
    pub words: &'static str,
}

/// How other programs know a rule set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Its name there.
    pub name: String,
    /// The text of a file that defines a game of this name; `None` where the programs have it built in.
    pub definition: Option<String>,
}

/// A rule set: a preset with changes to its toggles. `Display` writes its canonical text.
///
/// ```
/// use fusion_game::RuleSet;
/// use fusion_game::toy::Variant;
///
/// let rules = Variant::parse("double").unwrap();
/// assert_eq!(rules.to_string(), "double");
/// assert!(Variant::parse("treble").unwrap_err().to_string().contains("normal, misere, double"));
/// ```
pub trait RuleSet: Clone + PartialEq + Debug + Display + Send + Sync + 'static {
    /// Toggles, in the order in which expressions list them.
    const TOGGLES: &'static [ToggleKind];

    /// Parses a rule set such as `fusion-2020,castling=no`.
    ///
    /// # Errors
    /// Returns [`OpenErrorKind::Unsupported`](crate::OpenErrorKind::Unsupported) if the text names an unknown
    /// preset, toggle or value. The message lists the known ones. Returns another kind if the text names a file
    /// that is missing or rejected.
    fn parse(text: &str) -> Result<Self, OpenError>;

    /// Returns the presets with their names.
    fn presets() -> Vec<(&'static str, Self)>;

    /// Samples a rule set from all combinations of toggles.
    fn random(rng: &mut impl Rng) -> Self;

    /// Returns the rule sets that differ from this one in a single toggle.
    fn neighbours(&self) -> Vec<Self>;

    /// Returns a toggle's value as text. `None` for an unknown toggle.
    fn value(&self, toggle: &str) -> Option<String>;

    /// Returns the usual values of a toggle, which a form offers. There may be others.
    fn choices(toggle: &str) -> &'static [&'static str] {
        let _ = toggle;
        &["yes", "no"]
    }

    /// Returns what a preset is, in a few words; empty if there are none.
    fn about(preset: &str) -> &'static str {
        let _ = preset;
        ""
    }

    /// Returns what defines the rule set besides its toggles: what it is about, in the same words for all rule
    /// sets, and its value. Nothing where the toggles say everything.
    fn details(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Returns a name and a text that define the rule set where a file defines it. A run keeps both, so that
    /// its results can be read without the file. `None` for the rule sets that the program has.
    fn definition_text(&self) -> Option<(String, String)> {
        None
    }

    /// Makes a definition known that a run has kept: rule sets of that name are then read from the text.
    fn know_definition(name: &str, text: &str) {
        let _ = (name, text);
    }

    /// Returns what other programs have to be told to play these rules. By default there is nothing that they
    /// understand.
    fn variant(&self) -> Option<Variant> {
        None
    }

    /// Returns a sentence that says what a toggle's value means. `None` for an unknown toggle, or for
    /// one that has no effect because of the others.
    fn sentence(&self, toggle: &str) -> Option<String> {
        let words = Self::TOGGLES.iter().find(|known| known.name == toggle)?.words;
        Some(format!("{words}: {}", self.value(toggle)?))
    }
}
