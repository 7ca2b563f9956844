//! What a study will play, how long that takes and what it can show, before anything runs.
//!
//! `programme` lists the games, `power` says what they can show, and `calibration` plays a few of
//! each of the `tasks` to estimate the time, from which `finished` takes off what is done.
//! `endgames` counts the tables to be solved.

mod calibration;
mod endgames;
mod finished;
mod power;
mod programme;
mod tasks;

use crate::format::{capitalised, counted};
use crate::text::{self, Text};
use anyhow::Context;
use fusion_chess::FusionGame;
use fusion_study::{Study, allow_programs, enter_base};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// What a reader may choose.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Games played at a time; by default as many as the study would.
    pub threads: Option<usize>,
    /// How long, about, games are played to estimate the time of all; `None` plays none.
    pub calibration: Option<Duration>,
    /// Whether programs that the study's file names may be started to estimate the time.
    pub allow_programs: bool,
}

/// Prints the plan of a study: one line with the time, the games and what they can show, then the
/// rest. Nothing is written and no game of the study is finished.
///
/// # Errors
/// A study, network or pool of openings that is missing (exit code 66) or refused (64, 65), or
/// a terminal that cannot be written to.
pub fn run(path: &Path, options: Options, terminal: &mut impl Write) -> anyhow::Result<()> {
    let study = Study::open::<FusionGame>(path)?;
    if options.calibration.is_some() {
        allow_programs(&study.match_programs(), options.allow_programs)
            .context("the time is estimated by games (--no-calibration plays none)")?;
    }
    enter_base(path)?;
    let width = text::width();
    let times = options.calibration.map(|time| calibration::times(&study, options.threads, time));
    let times = times.transpose()?;
    let mut text = Text::new(width);
    let time = times.as_ref().map(|times| format!("{}; ", times.in_words()));
    text.push(&capitalised(&(time.unwrap_or_default() + &summary(&study)?)));
    text.push("Shown: with a chance of 80%, where half of the games are drawn.");
    text.gap();
    let plan = render(&study, width)?;
    let mut after = Text::new(width);
    if let Some(times) = times {
        times.write(&mut after);
    }
    write!(terminal, "{}{plan}{}", text.finish(), after.finish())?;
    Ok(terminal.flush()?)
}

/// `2,000 games; will show differences of ±6.2 points`.
fn summary(study: &Study) -> anyhow::Result<String> {
    let games = counted(programme::all_games(study)?, "game");
    let arms = study.measure.arms::<FusionGame>()?.len();
    Ok(match power::shown(study)? {
        _ if arms < 2 => format!("{games}; one rule set, so nothing is compared."),
        Some(difference) => {
            format!("{games}; will show differences of ±{:.1} points.", 100.0 * difference)
        }
        None => format!("{games}; too few to show any difference."),
    })
}

/// All of the plan but the times, which is the same on every machine.
///
/// # Errors
/// A rule set that the game does not know (exit code 64).
pub fn render(study: &Study, width: usize) -> anyhow::Result<String> {
    let mut text = Text::new(width);
    text.line(&format!("Study {}; its results go to {}", study.study.name, study.out().display()));
    programme::write(&mut text, study)?;
    power::write(&mut text, study)?;
    Ok(text.finish())
}
