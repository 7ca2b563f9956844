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

use super::cores::rates::{self, Rates, Training};
use super::tasks::{self, Round, Task};
use anyhow::Context;
use fusion_endgames::tables::plan::Endgames;
use fusion_game::CompleteGame;
use fusion_jobs::cluster;
use fusion_jobs::exit::{Failure, exit_code, note};
use fusion_jobs::stop::Stop;
use fusion_jobs::timing::TimedSample;
use fusion_print::format::{counted, duration};
use fusion_print::table::{Fields, Table, Unit};
use fusion_print::text::Text;
use fusion_study::{PRIMARY, SelfplayConfig, Study, TRAIN, seconds_trained};
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

/// The time estimate of a kind of games, or of the endgame tables. Tables are not tried, so they
/// lack what only trials give.
struct Estimate {
    name: String,
    tried: Option<u64>,
    /// Nodes per move in the trial; `None` without a search.
    nodes: Option<u64>,
    plies: Option<f64>,
    microseconds: Option<f64>,
    games: Option<u64>,
    /// Share that is finished; `None` if nothing is.
    finished: Option<f64>,
    /// Seconds for all, and for what is left.
    seconds: [f64; 2],
}

impl Estimate {
    /// Returns an estimate without a trial and without a time.
    fn untried(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            tried: None,
            nodes: None,
            plies: None,
            microseconds: None,
            games: None,
            finished: None,
            seconds: [0.0; 2],
        }
    }
}

/// Time estimates from the trials.
pub(super) struct Times {
    threads: usize,
    estimates: Vec<Estimate>,
    rates: Rates,
}

/// Plays trials for about the given time.
///
/// # Errors
/// Fails if a network, evaluator or program is missing (exit code 66) or rejected (65), or if a
/// pool of openings is rejected or cannot be made.
pub(super) fn times<G: CompleteGame>(
    study: &Study,
    threads: Option<usize>,
    time: Duration,
) -> anyhow::Result<Times> {
    let pool = cluster::pool(threads)?;
    let threads = pool.current_num_threads();
    let tasks = tasks::all::<G>(study).map_err(|error| {
        let message = format!("{error:#}. `--no-calibration` plans without playing");
        Failure::new(exit_code(&error), message)
    })?;
    let rows = pool.install(|| play(&tasks, time, threads as u64))?;
    let mut estimates: Vec<Estimate> =
        rows.iter().map(|(task, measured)| measured.estimate(task, threads)).collect();
    let training = rows.iter().find(|(task, _)| task.name == tasks::TRAINING);
    let training = training.map(|(_, measured)| measured.training(&study.selfplay));
    let measure = rows.iter().find(|(task, _)| task.name == PRIMARY);
    let tables = Endgames::of(study)?;
    let others = rows.iter().filter(|(task, _)| task.name != tasks::TRAINING);
    let games = others.map(|(task, measured)| {
        let each = measured.of_all(task, 1) / task.all_games().max(1) as f64;
        (task.name.clone(), (task.all_games(), each))
    });
    let rates = Rates {
        games: games.collect(),
        training,
        node: measure.map_or(0.0, |(_, measured)| measured.of_a_ply_and_node()),
        tables: tables.time(1.0).0,
        learned: rates::learned(&study.network, &study.train),
        learned_by_gpu: None,
    };
    estimates.extend(of_timed_training(study));
    estimates.extend(of_learning(study, &rates));
    estimates.extend(of_tables(&tables, threads));
    Ok(Times { threads, estimates, rates })
}

impl Times {
    /// Returns the seconds for everything that the study plays and solves, and for what is left.
    fn seconds(&self) -> [f64; 2] {
        [0, 1].map(|i| self.estimates.iter().map(|each| each.seconds[i]).sum())
    }

    /// Formats the time, as in `about 4 minutes`, with the remaining time if a part is done.
    pub(super) fn in_words(&self) -> String {
        let [all, left] = self.seconds();
        let left = if left < all { format!(" ({} left)", duration(left)) } else { String::new() };
        format!("about {}{left}", spelled(all))
    }

    /// Returns what games and learning take.
    pub(super) fn rates(&self) -> &Rates {
        &self.rates
    }

    /// Adds the times of all kinds of games.
    pub(super) fn write(&self, text: &mut Text) {
        text.table(self.table());
        let [all, left] = self.seconds();
        let done = if left < all {
            format!(", of which {} are left", duration(left))
        } else {
            String::new()
        };
        text.push(format!("In all about {}{done}.", duration(all)));
        text.push("This is an estimate: the games tried are few and most have fewer nodes than planned. Time is taken to grow as the nodes do, and the games’ length to stay; a machine that does other work now may be faster later. Learning and endgame tables are not tried: theirs are rough times. A network that does not exist yet is tried as the one that training starts from, or as a random one of its width. Not counted: the search for openings, and matches that accept networks. A stopping rule or sequential test may end sooner.");
    }

    fn table(&self) -> Table {
        let threads = counted(self.threads as u64, "thread");
        let title = format!("Time on {threads} of this machine");
        Fields::<Estimate>::default()
            .text("name", "games of", |of| of.name.clone())
            .count("tried", "tried", |of| of.tried)
            .count("nodes", "at nodes", |of| of.nodes)
            .value("plies", "plies a game", Unit::Decimals(0), |of| of.plies)
            .value("microseconds", "µs a node", Unit::Decimals(2), |of| of.microseconds)
            .count("games", "games", |of| of.games)
            .share("finished", "finished", |of| of.finished)
            .value("seconds", "time", Unit::Seconds, |of| of.seconds[0])
            .value("seconds_left", "left", Unit::Seconds, |of| of.seconds[1])
            .whole_table("times", &title, &self.estimates)
            .droppable("microseconds plies nodes tried")
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

    /// Returns the rates of training games, of which this is a sample. Their plies have a full search or
    /// a fast one; the rate is for a node of either.
    fn training(&self, selfplay: &SelfplayConfig) -> Training {
        let full = f64::from(selfplay.simulations);
        let node = self.of_a_ply_and_node() * full / rates::mean_nodes(selfplay);
        Training { plies: self.plies_of_a_game(), node }
    }

    fn estimate(&self, task: &Task<'_>, threads: usize) -> Estimate {
        let seconds = self.of_all(task, threads);
        Estimate {
            name: task.name.clone(),
            tried: Some(self.trial.games),
            nodes: (task.budgets != [1]).then_some(self.nodes.into()),
            plies: Some(self.plies_of_a_game()),
            microseconds: Some(1e6 * self.of_a_ply_and_node()),
            games: Some(task.all_games()),
            finished: (task.finished > 0).then(|| 1.0 - task.left()),
            seconds: [seconds, seconds * task.left()],
        }
    }
}

/// Estimates the learning of all generations, without the matches that accept networks.
fn of_learning(study: &Study, rates: &Rates) -> Option<Estimate> {
    let generations = study.train.number_of_generations()?;
    let positions = rates.positions(study, 0..generations)?;
    let seconds = positions / rates.learned;
    Some(Estimate { seconds: [seconds; 2], ..Estimate::untried("(learning)") })
}

/// Returns the time of training that lasts a given time.
fn of_timed_training(study: &Study) -> Option<Estimate> {
    let all = 60.0 * study.train.minutes.filter(|_| study.network.file.is_none())?;
    let spent = seconds_trained(&study.out().join(TRAIN)).min(all);
    let finished = (spent > 0.0).then(|| spent / all);
    Some(Estimate { finished, seconds: [all, all - spent], ..Estimate::untried("(training)") })
}

fn of_tables(endgames: &Endgames, threads: usize) -> Option<Estimate> {
    Some(Estimate {
        finished: Some(endgames.finished()?),
        seconds: endgames.time(threads as f64).into(),
        ..Estimate::untried("(endgame tables)")
    })
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
    fn durations_have_full_units() {
        let spelled = [1.0, 75.0, 130.0, 7_000.0, 400_000.0].map(spelled);
        assert_eq!(spelled, ["1 second", "75 seconds", "2 minutes", "1.9 hours", "4.6 days"]);
    }
}
