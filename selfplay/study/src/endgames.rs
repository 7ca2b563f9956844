//! `[endgames]`: the endings that are solved exactly for the report.

use fusion_game::prelude::*;
use fusion_jobs::exit::Failure;
use serde::{Deserialize, Serialize};

use super::check::{check_rules, require};
use super::{Study, rule_set, rule_sets};

/// `[endgames]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EndgamesConfig {
    /// Largest number of components of both sides: all endings of at most this size are solved.
    pub components: usize,
    /// Further endings, by their names in the game.
    pub endings: Vec<String>,
    /// Rule sets under which endings are solved. Default: those of the measurement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<Vec<String>>,
}

impl Default for EndgamesConfig {
    fn default() -> Self {
        Self { components: 4, endings: Vec::new(), rules: None }
    }
}

impl EndgamesConfig {
    /// Checks the values of the section.
    ///
    /// # Errors
    /// Fails at the first bad value (exit code 64).
    pub fn check<G: CompleteGame>(&self) -> Result<(), Failure> {
        G::check_endings(self.components, &self.endings)
            .map_err(|error| Failure::usage(format!("endgames.{error}")))?;
        check_rules::<G>("endgames.rules", self.rules.iter().flatten(), self.rules.is_none())?;
        Ok(())
    }
}

impl Study {
    /// Returns the rule sets under which endings are solved: those of `[endgames]`, else those that
    /// the measurement lists, else all of its arms. Rule sets that tables do not cover are left
    /// out, except that those of `[endgames]` are rejected.
    ///
    /// # Errors
    /// Fails if the game does not define a rule set, if tables do not cover one of `[endgames]`, or
    /// if they cover none at all (exit code 64).
    pub fn endgame_rules<G: CompleteGame>(&self) -> Result<Vec<G::Rules>, Failure> {
        if let Some(asked) = self.endgames.as_ref().and_then(|endgames| endgames.rules.as_ref()) {
            let covered = |rules: G::Rules| match G::check_covered(&rules) {
                Ok(()) => Ok(rules),
                Err(error) => Err(Failure::usage(format!("endgames.rules: {error}"))),
            };
            return asked.iter().map(|rules| rule_set::<G>(rules).and_then(covered)).collect();
        }
        let arms = match &self.measure.rules[..] {
            [] => self.measure.arms::<G>()?,
            rules => rules.to_vec(),
        };
        let mut rules = rule_sets::<G>(&arms)?;
        rules.retain(|rules| G::check_covered(rules).is_ok());
        require(
            !rules.is_empty(),
            "endgames: tables cover no arm of the measurement; name others in endgames.rules",
        )?;
        Ok(rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_chess::FusionGame;

    fn study(text: &str) -> Study {
        Study::parse(&format!("[study]\nname = \"x\"\n{text}")).unwrap()
    }

    fn names_of(study: &Study) -> Vec<String> {
        let rules = study.endgame_rules::<FusionGame>().unwrap();
        rules.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn rules_are_those_of_the_section_the_list_or_the_arms() {
        let study_of_all = study("[endgames]\ncomponents = 3\nendings = ['KBRvKR', 'KRvK']\n");
        study_of_all.check::<FusionGame>().unwrap();
        assert_eq!(names_of(&study_of_all), study_of_all.measure.arms::<FusionGame>().unwrap());
        let rules = |text: &str| names_of(&study(text));
        assert_eq!(rules("[endgames]\nrules = ['orthodox']\n"), ["orthodox"]);
        let arms = rules("[endgames]\n[measure]\nfactorial = ['fission']\n");
        assert_eq!(arms, ["fusion-2020", "fusion-2020,fission=no"]);
        let listed = rules("[endgames]\n[measure]\nrules = ['metamorphin', 'union']\n");
        assert_eq!(listed, ["union"], "tables do not cover the other one");
    }

    #[test]
    fn bad_values_are_named() {
        for (line, part) in [
            ("components = 6", "endgames.components must lie between 2 and 5"),
            ("endings = ['KRvKX']", "endgames.endings: 'KRvKX'"),
            ("rules = ['chess']", "endgames.rules: unknown rule set"),
            ("rules = []", "endgames.rules"),
            ("rules = ['metamorphin']", "endgames.rules: endgame tables do not cover metamorphin"),
            ("[measure]\nrules = ['combination', 'metamorphin']", "endgames: tables cover no arm"),
        ] {
            let error = study(&format!("[endgames]\n{line}\n")).check::<FusionGame>();
            let error = error.unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
