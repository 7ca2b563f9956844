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

use crate::terminal::push;
use anyhow::Context;
use fusion_engine::fusion::FusionGame;
use fusion_selfplay::study::{Study, allow_programs};
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

/// Prints the plan of a study. Nothing is written and no game of the study is finished.
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
    // What is known at once is shown before the calibration, which takes its time.
    write!(terminal, "{}", render(&study)?)?;
    terminal.flush()?;
    if let Some(time) = options.calibration {
        write!(terminal, "{}", calibration::render(&study, options.threads, time)?)?;
    }
    Ok(terminal.flush()?)
}

/// All of the plan but the times, which is the same on every machine.
///
/// # Errors
/// A rule set that the game does not know (exit code 64).
pub fn render(study: &Study) -> anyhow::Result<String> {
    let mut text = String::new();
    push(
        &mut text,
        &format!("Study {}; its results go to {}", study.study.name, study.out().display()),
    );
    programme::write(&mut text, study)?;
    power::write(&mut text, study)?;
    Ok(text)
}
