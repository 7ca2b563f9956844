//! A few games whose time is taken, so that a plan can say how long all of them will take.

use std::ops::AddAssign;
use std::time::{Duration, Instant};

use anyhow::Context;
use rayon::prelude::*;

use crate::stop::Stop;

/// What some games took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trial {
    /// Games played to their end.
    pub games: u64,
    /// Their plies, without those of openings that were given.
    pub plies: u64,
    /// Time of all games together, each on a thread of its own.
    pub time: Duration,
}

impl AddAssign for Trial {
    fn add_assign(&mut self, other: Self) {
        self.games += other.games;
        self.plies += other.plies;
        self.time += other.time;
    }
}

/// Plays pieces of work, known by their numbers, on the current thread pool. `play` returns
/// the games and plies of a piece, `None` if it could not be played to its end.
///
/// # Errors
/// The first error of a job.
pub fn play_all(
    numbers: &[u64],
    play: impl Fn(u64) -> anyhow::Result<Option<(u64, u64)>> + Sync,
) -> anyhow::Result<Trial> {
    let timed = |&number: &u64| {
        let started = Instant::now();
        Stop::of_process().check_unsaved()?;
        let (games, plies) = play(number)?.context("a game was broken off")?;
        Ok(Trial { games, plies, time: started.elapsed() })
    };
    // One at a time: the pieces differ in length.
    let each = numbers.par_iter().with_max_len(1).map(timed);
    each.try_reduce(Trial::default, |mut sum, trial| {
        sum += trial;
        Ok(sum)
    })
}
