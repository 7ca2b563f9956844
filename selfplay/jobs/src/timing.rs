//! Timing of a few games, from which a plan estimates the time of all.

use std::ops::AddAssign;
use std::time::{Duration, Instant};

use anyhow::Context;
use rayon::prelude::*;

use crate::stop::Stop;

/// Measured time of some games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimedSample {
    /// Number of games that were played to their end.
    pub games: u64,
    /// Number of their plies, without those of given openings.
    pub plies: u64,
    /// Sum of the games' times, each on one thread.
    pub time: Duration,
}

impl AddAssign for TimedSample {
    fn add_assign(&mut self, other: Self) {
        self.games += other.games;
        self.plies += other.plies;
        self.time += other.time;
    }
}

/// Runs and times numbered jobs on the current thread pool. `play` returns the games and plies of a
/// job, or `None` if the job was not finished.
///
/// # Errors
/// Returns the first error of a job.
///
/// # Examples
/// ```
/// use fusion_jobs::timing::play_all;
///
/// // Three jobs of one game each, with 40, 41 and 42 plies.
/// let trial = play_all(&[40, 41, 42], |plies| Ok(Some((1, plies))))?;
/// assert_eq!((trial.games, trial.plies), (3, 123));
/// # Ok::<(), anyhow::Error>(())
/// ```
pub fn play_all(
    numbers: &[u64],
    play: impl Fn(u64) -> anyhow::Result<Option<(u64, u64)>> + Sync,
) -> anyhow::Result<TimedSample> {
    let timed = |&number: &u64| {
        let started = Instant::now();
        Stop::of_process().check_unsaved()?;
        let (games, plies) = play(number)?.context("a game was broken off")?;
        Ok(TimedSample { games, plies, time: started.elapsed() })
    };
    // Each thread takes one job at a time, because jobs differ in length.
    let each = numbers.par_iter().with_max_len(1).map(timed);
    each.try_reduce(TimedSample::default, |mut sum, trial| {
        sum += trial;
        Ok(sum)
    })
}
