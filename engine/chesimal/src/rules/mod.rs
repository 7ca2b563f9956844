//! Rule sets as data: presets and the toggles in which they differ.
//!
//! A rule set is written as a preset and changes to it, `chesimal,king-others=4`. `Display` is
//! canonical: equal rule sets print the same text, whatever expression they came from. All toggles
//! are independent.

mod presets;
mod random;
#[cfg(test)]
mod tests;
mod values;
mod words;

pub use fusion_game::RulesError;
pub use presets::PRESETS;
pub use values::{AfterCapture, FirstTurn, Friendly, Kings, Number, PrinceMode, QuietLimit, Setup};

use fusion_game::{OpenError, ToggleKind, Toggles};
use rand::Rng;

/// The rules of a game: one value for every toggle.
///
/// ```
/// use fusion_chesimal::rules::RuleSet;
///
/// // The text is canonical: what the preset has already is left out.
/// let rules: RuleSet = "chesimal,friendly=amp,recruit=yes,pass=yes".parse()?;
/// assert_eq!(rules.to_string(), "chesimal-restricted,pass=yes");
/// assert_eq!(rules.get("king-others").as_deref(), Some("6"));
/// assert!("chesimal,kings=three".parse::<RuleSet>().is_err());
/// # Ok::<(), fusion_chesimal::rules::RulesError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RuleSet {
    /// `friendly`: who is friendly.
    pub friendly: Friendly,
    /// `recruit`: leaders recruit units of other AMPs. No effect unless AMPs are friendly.
    pub recruit: bool,
    /// `king-others`: units that a King activates besides itself.
    pub king_others: Number<0, 31>,
    /// `prince-total`: units that a Prince activates, itself included.
    pub prince_total: Number<1, 32>,
    /// `prince-mode`: whether a Prince is ortho or dia in a turn, or both.
    pub prince_mode: PrinceMode,
    /// `kings`: the Kings whose loss loses.
    pub kings: Kings,
    /// `pass`: a turn may be ended before anything is activated.
    pub pass: bool,
    /// `after-capture`: whether a capture ends the turn.
    pub after_capture: AfterCapture,
    /// `first-turn`: most activations in White's first turn.
    pub first_turn: FirstTurn,
    /// `setup`: the board and the initial array.
    pub setup: Setup,
    /// `repetition`: the third occurrence of a position is a draw.
    pub repetition: bool,
    /// `quiet-limit`: turns without a capture that draw the game.
    pub quiet_limit: QuietLimit,
}

fusion_game::toggles! {
    RuleSet, PRESETS;
    "friendly" = friendly, "", "who is friendly to a leader";
    "recruit" = recruit, "leaders recruit", "leaders recruit units of other AMPs";
    "king-others" = king_others, "", "units that a King activates besides itself";
    "prince-total" = prince_total, "", "units that a Prince activates, itself included";
    "prince-mode" = prince_mode, "", "how a Prince activates";
    "kings" = kings, "", "the Kings that a side has to lose";
    "pass" = pass, "passing allowed", "a turn may be passed";
    "after-capture" = after_capture, "", "what a capture does to the turn";
    "first-turn" = first_turn, "", "most activations in White's first turn";
    "setup" = setup, "", "the board and the initial array";
    "repetition" = repetition, "threefold is a draw", "the third occurrence of a position is a draw";
    "quiet-limit" = quiet_limit, "", "turns without a capture that draw the game";
}

/// The toggles with their words, in the order in which expressions list them.
pub const TOGGLES: &[ToggleKind] = <RuleSet as Toggles>::TOGGLES;

impl RuleSet {
    /// Returns whether AMPs matter.
    #[inline]
    #[must_use]
    pub fn has_amps(&self) -> bool {
        self.friendly == Friendly::Amp
    }

    /// Returns whether leaders can recruit.
    #[inline]
    #[must_use]
    pub fn recruits(&self) -> bool {
        self.recruit && self.has_amps()
    }

    /// Returns the number of Kings below which a side has lost.
    #[inline]
    #[must_use]
    pub fn kings_needed(&self) -> usize {
        match (self.kings, self.setup) {
            (Kings::Any, Setup::Blocks | Setup::Lines) => 2,
            _ => 1,
        }
    }

    /// Returns the number of files and ranks of the board.
    ///
    /// ```
    /// use fusion_chesimal::rules::RuleSet;
    ///
    /// assert_eq!(RuleSet::preset("chesimal")?.size(), (16, 12));
    /// assert_eq!(RuleSet::preset("chesimal-small")?.size(), (8, 8));
    /// # Ok::<(), fusion_chesimal::rules::RulesError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        if self.setup == Setup::Small { (8, 8) } else { (16, 12) }
    }

    /// Returns the rule sets that differ from this one in one toggle, in the order of [`TOGGLES`]. A
    /// number changes to a few others. `recruit` changes only where it has an effect.
    #[must_use]
    pub fn neighbours(&self) -> Vec<Self> {
        let mut neighbours = Vec::new();
        for toggle in TOGGLES {
            if toggle.name == "recruit" && !self.has_amps() {
                continue;
            }
            for value in other_values(toggle.name) {
                let mut rules = *self;
                // The toggle accepts every value in the list.
                let _ = rules.set(toggle.name, value);
                if rules != *self {
                    neighbours.push(rules);
                }
            }
        }
        neighbours
    }
}

/// Returns the values that a neighbour tries and that a form offers.
fn other_values(toggle: &str) -> &'static [&'static str] {
    match toggle {
        "friendly" => &["colour", "amp"],
        "king-others" => &["3", "6", "9"],
        "prince-total" => &["4", "9", "12"],
        "prince-mode" => &["choose", "both"],
        "kings" => &["all", "any"],
        "after-capture" => &["continue", "end"],
        "first-turn" => &["full", "1", "4"],
        "setup" => &["blocks", "lines", "small"],
        "quiet-limit" => &["50", "100", "none"],
        _ => &["yes", "no"],
    }
}

impl fusion_game::RuleSet for RuleSet {
    const TOGGLES: &'static [ToggleKind] = TOGGLES;

    fn parse(text: &str) -> Result<Self, OpenError> {
        Ok(text.parse::<Self>()?)
    }

    fn presets() -> Vec<(&'static str, Self)> {
        PRESETS.to_vec()
    }

    fn random(rng: &mut impl Rng) -> Self {
        random::draw(rng)
    }

    fn neighbours(&self) -> Vec<Self> {
        self.neighbours()
    }

    fn value(&self, toggle: &str) -> Option<String> {
        self.get(toggle)
    }

    fn choices(toggle: &str) -> &'static [&'static str] {
        other_values(toggle)
    }

    fn about(preset: &str) -> &'static str {
        words::about(preset)
    }

    fn sentence(&self, toggle: &str) -> Option<String> {
        words::sentence(self, toggle)
    }
}
