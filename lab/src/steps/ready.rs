//! What can be done of a study now.

use std::collections::BTreeSet;

use fusion_study::{Step, Study};

use super::local::check_trained;

/// The steps that can be done now, and how many are not done.
pub(super) struct Ready<'a> {
    /// Steps whose predecessors are done, with the numbers of their missing tasks.
    pub(super) steps: Vec<(&'a Step, Vec<u32>)>,
    name: &'a str,
    open: usize,
    total: usize,
}

impl<'a> Ready<'a> {
    /// Looks at the files of all steps.
    ///
    /// # Errors
    /// Fails if training is done and has made no network that plays.
    pub(super) fn of(study: &'a Study, steps: &'a [Step]) -> anyhow::Result<Self> {
        let mut open = BTreeSet::new();
        let mut ready = Vec::new();
        for step in steps {
            let missing = step.missing();
            let waits = step.after.iter().any(|name| open.contains(&**name));
            if waits || !missing.is_empty() {
                open.insert(&*step.name);
            }
            if !waits && !missing.is_empty() {
                ready.push((step, missing));
            }
        }
        let mut training = steps.iter().filter(|step| step.is_training()).peekable();
        if training.peek().is_some() && !training.any(|step| open.contains(&*step.name)) {
            check_trained(study)?;
        }
        let name = &study.study.name;
        Ok(Self { steps: ready, name, open: open.len(), total: steps.len() })
    }

    /// Says how many steps are done.
    pub(super) fn summary(&self) -> String {
        let Self { name, open, total, .. } = self;
        match open {
            0 => format!("study {name}: all {total} steps are done"),
            left => format!("study {name}: {} of {total} steps are done", total - left),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use fusion_registry::{KnownGame, for_game};
    use std::path::Path;

    /// Returns a study and its steps.
    pub(in crate::steps) fn steps(text: &str) -> (Study, Vec<Step>) {
        let study = Study::parse(text).unwrap();
        let game = KnownGame::of_rules(study.measure.first_rules());
        let file = Path::new("castling.toml");
        let steps = for_game!(game, G => study.steps::<G>(file, false)).unwrap();
        (study, steps)
    }

    #[test]
    fn steps_wait_for_their_predecessors() {
        let (study, steps) = steps("study.name = \"nowhere\"\nrandom.games = 4");
        let ready = Ready::of(&study, &steps).unwrap();
        let names: Vec<&str> = ready.steps.iter().map(|(step, _)| &*step.name).collect();
        assert_eq!(names, ["match", "openings", "random"]);
        assert_eq!(ready.summary(), "study nowhere: 0 of 5 steps are done");
    }
}
