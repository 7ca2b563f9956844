//! Time estimate of a study, from a few of its own games.
//!
//! Each kind of games gets its part of the given time. Its first trial plays a round of games at
//! [`FIRST_NODES`] nodes a move. The next trial has four times as many nodes, up to the planned
//! number, if it is expected to fit. The remaining time is spent on more games of the last kind.
//! The order of the games is fixed. The number of games played depends on the speed of the machine.
//!
//! The last trials give the plies per game and the seconds per ply and node, which are multiplied
//! by the planned nodes. This assumes that the time of a ply is proportional to its nodes, and that
//! the length of games does not depend on the nodes. Both are approximately true.

use super::endgames::Endgames;
use super::tasks::{self, Round, Task};
use crate::format::{count, counted, percent};
use crate::text::{Text, table};
use anyhow::Context;
use comfy_table::Table;
use fusion_jobs::cluster;
use fusion_jobs::exit::{Failure, exit_code, note};
use fusion_jobs::stop::Stop;
use fusion_jobs::timing::TimedSample;
use fusion_study::Study;
use std::time::{Duration, Instant};

/// Nodes per move in the first trial.
const FIRST_NODES: u32 = 4;
/// Factor between the nodes of two successive trials.
const STEP: u32 = 4;
/// Games per round, unless there are more threads. Several games are needed, since their lengths
/// differ a lot.
const ROUND: u64 = 8;
/// Result of the last trials of a task.
struct Measured {
    nodes: u32,
    trial: TimedSample,
}

/// Time estimates from the trials.
pub(super) struct Times {
    /// Seconds for everything that the study plays and solves.
    pub(super) all: f64,
    /// Seconds for what is not yet done.
    pub(super) left: f64,
    threads: usize,
    table: Table,
}

/// Plays trials for about the given time.
///
/// # Errors
/// Fails if a network, evaluator or program is missing (exit code 66) or rejected (65), or if a
/// pool of openings is rejected or cannot be made.
pub(super) fn times(
    study: &Study,
    threads: Option<usize>,
    time: Duration,
) -> anyhow::Result<Times> {
    let pool = cluster::pool(threads)?;
    let threads = pool.current_num_threads();
    let tasks = tasks::all(study).map_err(|error| {
        let message = format!("{error:#}. `--no-calibration` plans without playing");
        Failure::new(exit_code(&error), message)
    })?;
    let rows = pool.install(|| play(&tasks, time, threads as u64))?;
    let endgames = Endgames::of(study)?;
    let sum = |each: &dyn Fn(&Task<'_>, f64) -> f64| -> f64 {
        rows.iter().map(|(task, measured)| each(task, measured.of_all(task, threads))).sum()
    };
    let solving = endgames.time(threads as f64);
    Ok(Times {
        all: sum(&|_, time| time) + solving.0,
        left: sum(&|task, time| time * task.left()) + solving.1,
        threads,
        table: table_of(&rows, &endgames, threads),
    })
}

impl Times {
    /// Formats the time, as in `about 4 minutes`, with the remaining time if a part is done.
    pub(super) fn in_words(&self) -> String {
        let left = if self.left < self.all {
            format!(" ({} left)", duration(self.left))
        } else {
            String::new()
        };
        format!("about {}{left}", spelled(self.all))
    }

    /// Adds the times of all kinds of games.
    pub(super) fn write(self, text: &mut Text) {
        let threads = counted(self.threads as u64, "thread");
        text.section(&format!("Time on {threads} of this machine"), self.table);
        let done = if self.left < self.all {
            format!(", of which {} are left", duration(self.left))
        } else {
            String::new()
        };
        text.push(&format!("In all about {}{done}.", duration(self.all)));
        text.push("This is an estimate: the games tried are few and most have fewer nodes than planned. Time is taken to grow as the nodes do, and the games’ length to stay; a machine that does other work now may be faster later. Endgame tables are not tried: theirs is a rough time. Not counted: training and the search for openings. A stopping rule or sequential test may end sooner.");
    }
}

/// Plays all trials. Time that a task does not use goes to later tasks.
fn play<'a>(
    tasks: &'a [Task<'a>],
    time: Duration,
    threads: u64,
) -> anyhow::Result<Vec<(&'a Task<'a>, Measured)>> {
    let started = Instant::now();
    let mut rows = Vec::new();
    for (i, task) in tasks.iter().enumerate() {
        Stop::of_process().check_unsaved()?;
        let left = time.saturating_sub(started.elapsed());
        let share = left.div_f64((tasks.len() - i) as f64);
        note(format_args!("trying {} ({} of {})", task.name, i + 1, tasks.len()));
        let measured =
            try_out(task, share, threads).with_context(|| format!("trying {}", task.name))?;
        rows.push((task, measured));
    }
    Ok(rows)
}

fn try_out(task: &Task<'_>, share: Duration, threads: u64) -> anyhow::Result<Measured> {
    let most = task.budgets.iter().copied().max().unwrap_or(1);
    let games = ROUND.max(threads).next_multiple_of(2);
    let started = Instant::now();
    let mut nodes = FIRST_NODES.min(most);
    let mut trial = TimedSample::default();
    let mut number = 0;
    loop {
        let round = Instant::now();
        trial += (task.play)(Round { nodes, number, games })?;
        let left = share.saturating_sub(started.elapsed());
        match next_nodes(nodes, most, round.elapsed(), left) {
            Some(next) if next > nodes => (nodes, trial) = (next, TimedSample::default()),
            Some(_) => {}
            None => return Ok(Measured { nodes, trial }),
        }
        number += 1;
    }
}

/// Returns the nodes of the next round, given the time of the last round.
///
/// The nodes increase if the round then fits into the remaining time, and else stay the same.
/// Returns `None` if neither fits.
fn next_nodes(nodes: u32, most: u32, took: Duration, left: Duration) -> Option<u32> {
    let more = nodes.saturating_mul(STEP).min(most);
    if took.mul_f64(f64::from(more) / f64::from(nodes)) <= left {
        return Some(more);
    }
    (took <= left).then_some(nodes)
}

impl Measured {
    fn plies_of_a_game(&self) -> f64 {
        self.trial.plies as f64 / self.trial.games.max(1) as f64
    }

    /// Returns the thread seconds per ply and node.
    fn of_a_ply_and_node(&self) -> f64 {
        self.trial.time.as_secs_f64() / (self.trial.plies.max(1) as f64 * f64::from(self.nodes))
    }

    /// Returns the seconds for all games of a task on the given number of threads.
    fn of_all(&self, task: &Task<'_>, threads: usize) -> f64 {
        let nodes: f64 = task.budgets.iter().copied().map(f64::from).sum();
        let games = nodes * task.games as f64;
        games * self.plies_of_a_game() * self.of_a_ply_and_node() / threads as f64
    }
}

fn table_of(rows: &[(&Task<'_>, Measured)], endgames: &Endgames, threads: usize) -> Table {
    let header = [
        "games of",
        "tried",
        "at nodes",
        "plies a game",
        "µs a ply and node",
        "games",
        "finished",
        "time",
        "left",
    ];
    let mut table = table(&header, 1);
    for (task, measured) in rows {
        let time = measured.of_all(task, threads);
        table.add_row([
            task.name.clone(),
            count(measured.trial.games),
            if task.budgets == [1] { "–".into() } else { count(measured.nodes.into()) },
            format!("{:.0}", measured.plies_of_a_game()),
            format!("{:.2}", 1e6 * measured.of_a_ply_and_node()),
            count(task.all_games()),
            if task.finished == 0 { "–".into() } else { percent(1.0 - task.left()) },
            duration(time),
            duration(time * task.left()),
        ]);
    }
    if let Some(finished) = endgames.finished() {
        let (time, left) = endgames.time(threads as f64);
        let mut row = vec!["(endgame tables)".to_owned()];
        row.resize(6, "–".into());
        row.extend([percent(finished), duration(time), duration(left)]);
        table.add_row(row);
    }
    table
}

/// Formats a number of seconds in a suitable unit.
pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 99.5 => format!("{s:.0} s"),
        s if s < 99.5 * 60.0 => format!("{:.0} min", s / 60.0),
        s if s < 99.5 * 3_600.0 => format!("{:.1} h", s / 3_600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

/// Formats a number of seconds with the full name of the unit.
fn spelled(seconds: f64) -> String {
    let text = duration(seconds);
    let full = [(" s", " second"), (" min", " minute"), (" h", " hour"), (" days", " day")];
    let unit = full.into_iter().find(|(short, _)| text.ends_with(short));
    let Some((number, (_, unit))) = unit.and_then(|unit| Some((text.strip_suffix(unit.0)?, unit)))
    else {
        return text;
    };
    format!("{number}{unit}{}", if number == "1" { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a task in which every node of every ply of every game takes one microsecond.
    fn task<'a>(budgets: &[u32]) -> Task<'a> {
        let play = |Round { nodes, games, .. }: Round| {
            let plies = 100 * games;
            Ok(TimedSample { games, plies, time: Duration::from_micros(plies * u64::from(nodes)) })
        };
        let (name, budgets) = ("measure".into(), budgets.to_vec());
        Task { name, games: 1_000, budgets, finished: 500, play: Box::new(play) }
    }

    #[test]
    fn times_follow_from_the_last_trials() {
        let task = task(&[64, 6_400]);
        let measured = try_out(&task, Duration::ZERO, 2).unwrap();
        assert_eq!((measured.nodes, measured.trial.games), (4, 8), "one round is always played");
        // 1,000 games of 100 plies at 6,464 nodes in total, one microsecond per node, on two
        // threads.
        assert!((measured.of_all(&task, 2) - 323.2).abs() < 1e-6);
        assert!((task.left() - 0.75).abs() < 1e-12);
        let wide = try_out(&task, Duration::ZERO, 13).unwrap();
        assert_eq!(wide.trial.games, 14, "no thread is idle, and matches are played in pairs");
    }

    #[test]
    fn trials_grow_while_there_is_time() {
        let next = |nodes, most, took, left| {
            next_nodes(nodes, most, Duration::from_millis(took), Duration::from_millis(left))
        };
        assert_eq!(next(4, 400, 100, 400), Some(16));
        assert_eq!(next(4, 400, 100, 399), Some(4));
        assert_eq!(next(4, 400, 100, 99), None);
        assert_eq!(next(256, 400, 100, 399), Some(400));
        assert_eq!(next(400, 400, 100, 100), Some(400));
    }

    #[test]
    fn durations() {
        let found = [0.4, 75.0, 130.0, 7_000.0, 400_000.0].map(duration);
        assert_eq!(found, ["0 s", "75 s", "2 min", "1.9 h", "4.6 days"]);
        let spelled = [1.0, 75.0, 130.0, 7_000.0, 400_000.0].map(spelled);
        assert_eq!(spelled, ["1 second", "75 seconds", "2 minutes", "1.9 hours", "4.6 days"]);
    }
}
