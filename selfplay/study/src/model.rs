//! Evaluators and rule sets by name, with the exit codes of the programs.

use fusion_game::{CompleteGame, Game, OpenError, OpenErrorKind, RuleSet};
use fusion_jobs::exit::{CORRUPT, Failure, NO_INPUT, USAGE};
use fusion_network::model::{Model, MoveModel};
use fusion_network::views::ViewSizes;
use fusion_network::{SizesFor, TreeSizes};

/// Converts an error about a rule set, or about a file that a game or an evaluator needs: exit code 66 if the
/// file is missing, 65 if it is rejected, 64 if the request makes no sense.
#[must_use]
pub fn failure(error: OpenError) -> Failure {
    let code = match error.kind() {
        OpenErrorKind::Missing => NO_INPUT,
        OpenErrorKind::Rejected => CORRUPT,
        OpenErrorKind::Unsupported => USAGE,
        OpenErrorKind::Io => 1,
    };
    Failure::new(code, error)
}

/// Opens an evaluator by name for games under these rule sets, as [`Model::open`] does.
///
/// # Errors
/// Fails as [`Model::open`] does, with the exit codes of [`failure`].
pub fn open_model<'a, G: CompleteGame>(
    name: &str,
    rules: impl IntoIterator<Item = &'a G::Rules>,
) -> Result<Model, Failure> {
    Model::open::<G>(name, rules).map_err(failure)
}

/// Opens an evaluator of the alpha-beta search by name for games under these rule sets, as
/// [`MoveModel::open`] does.
///
/// # Errors
/// Fails as [`MoveModel::open`] does, with the exit codes of [`failure`].
pub fn open_move_model<'a, G: CompleteGame>(
    name: &str,
    rules: impl IntoIterator<Item = &'a G::Rules>,
) -> Result<MoveModel, Failure> {
    MoveModel::open::<G>(name, rules).map_err(failure)
}

/// Returns the first of several rule sets. One network of either search can be trained on all of them.
///
/// # Errors
/// Names two rule sets whose networks differ, or fails if there is no rule set.
pub fn common_rules<'a, G: CompleteGame>(
    rules: impl IntoIterator<Item = &'a G::Rules> + Clone,
) -> Result<&'a G::Rules, String> {
    <TreeSizes as SizesFor<G>>::common(rules.clone())?;
    <ViewSizes as SizesFor<G>>::common(rules)
}

/// Parses a rule set.
///
/// # Errors
/// Fails if the game does not define it (exit code 64), or if a file that defines it is missing (66) or has
/// mistakes (65).
pub fn rule_set<G: Game>(text: &str) -> Result<G::Rules, Failure> {
    G::Rules::parse(text).map_err(failure)
}

/// Parses the rule sets of a list.
///
/// # Errors
/// As [`rule_set`].
pub fn rule_sets<'a, G: CompleteGame>(
    texts: impl IntoIterator<Item = &'a String>,
) -> Result<Vec<G::Rules>, Failure> {
    texts.into_iter().map(|text| rule_set::<G>(text)).collect()
}

#[cfg(test)]
mod tests {
    use crate::SelfplayConfig;
    use fusion_game::toy::TicTacToe;
    use std::collections::BTreeMap;

    /// Double turns have an input more.
    #[test]
    fn games_for_training_have_the_inputs_of_one_network() {
        let check = |names: &[&str]| {
            let rules: BTreeMap<_, _> = names.iter().map(|&name| (name.to_owned(), 1.0)).collect();
            SelfplayConfig { rules, ..SelfplayConfig::default() }.check::<TicTacToe>()
        };
        check(&["normal", "misere"]).unwrap();
        check(&["double", "double-misere"]).unwrap();
        let error = check(&["misere", "double"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "selfplay.rules: one network cannot play both double and misere: its inputs or outputs \
             would differ"
        );
    }
}
