//! The plan of a study: its games, their time and their statistical power, before anything runs.
//!
//! `schedule` lists the games. `power` computes what they can show. `timing` plays a few
//! games of each of the `tasks` to estimate the time. `finished` counts the games that are done.
//! `cores` simulates the steps on many cores. `chess::endgames::plan` counts the tables to be solved.

mod cores;
pub mod finished;
mod power;
pub mod schedule;
mod tasks;
mod timing;

use anyhow::Context;
use fusion_game::CompleteGame;
use fusion_print::format::{capitalised, counted, fixed};
use fusion_print::text::Text;
use fusion_study::{Study, allow_programs};
use std::path::Path;
use std::time::Duration;

pub use cores::Cluster;

/// Options of a plan.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Number of games played at a time. The default is the study's.
    pub threads: Option<usize>,
    /// Approximate time of the games that are played for the estimate. `None` plays no games.
    pub calibration: Option<Duration>,
    /// The cores for which the study is planned besides. They need the games for the estimate.
    pub cluster: Option<Cluster>,
    /// Whether programs named in the study's file may be started to estimate the time.
    pub allow_programs: bool,
}

/// Returns the plan of a study.
///
/// The first line has the time, the games and what they can show. Nothing is written, and no game
/// of the study is finished.
///
/// # Errors
/// Fails if a study, network or pool of openings is missing (exit code 66) or rejected (64, 65).
pub fn run<G: CompleteGame>(path: &Path, options: Options) -> anyhow::Result<Text> {
    let study = Study::open::<G>(path)?;
    if options.calibration.is_some() {
        let programs = [study.match_programs(), study.measuring_programs()].concat();
        allow_programs(&programs, options.allow_programs)
            .context("the time is estimated by games (--no-calibration plays none)")?;
    }
    let times = options.calibration.map(|time| timing::times::<G>(&study, options.threads, time));
    let times = times.transpose()?;
    let on_cluster = match options.cluster.zip(times.as_ref()) {
        Some((cluster, times)) => {
            let rates = times.rates().on(&cluster);
            Some((cores::Plan::of::<G>(&study, &rates, &cluster)?, rates, cluster))
        }
        None => None,
    };
    let mut text = Text::default();
    let time = match &on_cluster {
        Some((plan, ..)) => Some(plan.in_words()),
        None => times.as_ref().map(timing::Times::in_words),
    };
    let time = time.map(|time| format!("{time}; ")).unwrap_or_default();
    text.push(capitalised(&(time + &summary::<G>(&study)?)));
    text.gap();
    write::<G>(&mut text, &study)?;
    if let Some(times) = times {
        times.write(&mut text);
    }
    if let Some((plan, rates, cluster)) = on_cluster {
        cores::write::<G>(&mut text, &study, &plan, &rates, &cluster)?;
    }
    Ok(text)
}

/// Returns the summary, as in `2,000 games; they find a difference of ±6.2 points in 80% of such
/// studies`.
fn summary<G: CompleteGame>(study: &Study) -> anyhow::Result<String> {
    let games = counted(schedule::all_games::<G>(study)?, "game");
    let arms = study.measure.arms::<G>()?.len();
    Ok(match power::detectable_difference::<G>(study)? {
        _ if arms < 2 => format!("{games}; one rule set, so nothing is compared."),
        Some(difference) => format!(
            "{games}; will show differences of ±{} points. A difference of this size is found in 80% of such studies, if half of the games are drawn.",
            fixed(100.0 * difference, 1)
        ),
        None => format!("{games}; too few to show any difference."),
    })
}

/// Adds the plan without the times. It is the same on every machine.
///
/// # Errors
/// Fails with exit code 64 if the game does not have a rule set.
pub fn write<G: CompleteGame>(text: &mut Text, study: &Study) -> anyhow::Result<()> {
    let out = std::path::absolute(study.out()).context("finding the study's folder")?;
    text.line(format!("Study {}; its results go to {}", study.study.name, out.display()));
    schedule::write::<G>(text, study)?;
    power::write::<G>(text, study)
}
