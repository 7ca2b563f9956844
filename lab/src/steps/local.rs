//! The steps of a study on this machine, one after the other.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};
use clap::Parser;
use fusion_jobs::child;
use fusion_jobs::exit::{Failure, say};
use fusion_jobs::stop::Stop;
use fusion_study::{Step, Study};

use crate::commands::{self, train};

/// Does all steps of a study, whose file in its folder is `file`. Finished work is kept, so the same
/// call continues after an interruption.
///
/// # Errors
/// Returns the first error of a step.
pub fn run(study: &Study, file: &Path, steps: &[Step], stop: &Stop) -> anyhow::Result<()> {
    let steps = in_order(steps);
    for (number, &step) in (1..).zip(&steps) {
        stop.check()?;
        check_unchanged(study, file)?;
        // A command that plays all shards also joins them, and training has no settings that may grow.
        let is_kept = is_join(step) || step.is_training();
        if !(is_kept && step.missing().is_empty()) {
            say("");
            say(format_args!("== {number}/{} {}", steps.len(), step.title));
            do_step(step, stop)?;
        }
        if steps.get(number).is_some_and(|next| needs_network(step, next)) {
            check_trained(study)?;
        }
    }
    Ok(())
}

/// Rejects a study whose file in its folder was changed while the steps are done: those that follow read
/// it.
fn check_unchanged(study: &Study, file: &Path) -> anyhow::Result<()> {
    let changed = || format!("{} was changed while the study ran", file.display());
    Study::read(file)?.check_continues(study).with_context(changed)
}

/// Returns the steps in the order in which this machine does them: the games of the question come before what they do
/// not wait for, so that their first interval comes soon.
fn in_order(steps: &[Step]) -> Vec<&Step> {
    let is_awaited =
        |name: &String| steps.iter().any(|step| step.name != "report" && step.after.contains(name));
    let place = |step: &&Step| match &*step.name {
        "match" | "endgames" if !is_awaited(&step.name) => 1,
        "report" => 2,
        _ => 0,
    };
    let mut ordered: Vec<&Step> = steps.iter().collect();
    ordered.sort_by_key(place);
    ordered
}

/// Returns whether training ends with a step, and the next one needs its network.
fn needs_network(step: &Step, next: &Step) -> bool {
    let learns = |step: &Step| step.is_training() && step.name != "ladder";
    learns(step) && !learns(next)
}

fn is_join(step: &Step) -> bool {
    step.command.last().is_some_and(|word| word == "--merge")
}

/// Runs a step's command: those of this program in this process.
fn do_step(step: &Step, stop: &Stop) -> anyhow::Result<()> {
    let mut command = step.command.clone();
    if step.sharded {
        command.extend(["--shard".to_owned(), "all".to_owned()]);
    }
    if !step.is_training() {
        return commands::run(commands::Args::try_parse_from(command)?);
    }
    let status = child::run(Command::new(train::program()?).args(&command[1..]), stop)?;
    stop.check()?;
    if status.success() {
        return Ok(());
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Err(Failure::new(code, format!("{} ended with {status}", step.name)).into())
}

/// Fails if training has not made a network that plays.
///
/// # Errors
/// Fails if no generation's network was accepted.
pub(super) fn check_trained(study: &Study) -> anyhow::Result<()> {
    if study.trained_network().exists() {
        return Ok(());
    }
    bail!(
        "no generation's network was accepted, so there is none to measure with: raise games, \
         simulations or generations in the study under another name"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::ready::tests::steps;

    #[test]
    fn the_games_of_the_question_come_first() {
        let order = |text: &str| -> Vec<String> {
            let (_, steps) = steps(&format!("study.name = \"nowhere\"\n{text}"));
            in_order(&steps).iter().map(|step| step.name.clone()).collect()
        };
        let found = order("[endgames]\ncomponents = 3");
        assert_eq!(found, ["openings", "measure", "match", "endgames", "report"]);
        // A measurement that probes the study's tables waits for them.
        let probes = "measure.tables = \"runs/nowhere/endgames\"\n[endgames]\ncomponents = 3";
        assert_eq!(order(probes), ["endgames", "openings", "measure", "match", "report"]);
    }
}
