//! Evaluators and rule sets by name, with the exit codes of the programs.

use fusion_game::{CompleteGame, OpenError, OpenErrorKind, RuleSet};
use fusion_jobs::exit::{CORRUPT, Failure, NO_INPUT, USAGE};
use fusion_network::model::{Model, MoveModel};
use fusion_network::views::ViewSizes;
use fusion_network::{SizesFor, TreeSizes};

/// Converts an error about a file that a game or an evaluator needs: exit code 66 if it is missing,
/// 65 if it is rejected, 64 if the request makes no sense.
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

/// Parses the rule sets of a list.
///
/// # Errors
/// Fails if the game does not define one (exit code 64).
pub fn rule_sets<'a, G: CompleteGame>(
    texts: impl IntoIterator<Item = &'a String>,
) -> Result<Vec<G::Rules>, Failure> {
    texts.into_iter().map(|text| G::Rules::parse(text).map_err(Failure::usage)).collect()
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
