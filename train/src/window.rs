//! Windows: the training positions of recent games.
//!
//! The positions are stored in parts. A part has those of a few games, which one thread has read.
//! Windows share their parts, so that a window that moves on keeps what it has. Offsets are 32 bits
//! wide within a part; a window of many parts has any number of inputs. Parts may be on disk.

mod batch;
mod positions;
mod sampler;
mod set;
mod spool;

use std::io;
use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use thiserror::Error;

use crate::architecture::Layout;

pub(crate) use batch::Lists;
pub use batch::{Batch, Incidence, Moves};
pub use positions::{Ends, TreeBlock, TreeLayout};
pub use sampler::Sampler;
pub use set::PositionSet;
pub use spool::{Bytes, Spool};

/// A reason to reject a sample.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BadSample {
    /// An input index is outside the network.
    #[error("it has input {0}, the network has {1}")]
    Feature(usize, usize),
    /// A policy index is outside the network.
    #[error("it has policy row {0}, the network has {1}")]
    Move(usize, usize),
    /// The number of policy rows does not fit the number of shares.
    #[error("it has {0} policy rows for {1} policy shares")]
    Lengths(usize, usize),
    /// The packed position is too long: its length is 16 bits wide.
    #[error("its views take more than 65,535 bytes")]
    Long,
    /// There are too many different weights in a few games: their numbers are 8 bits wide.
    #[error("it and the few games before it have more than 256 different weights")]
    Weights,
    /// There are too many different policy rows: their places are 16 bits wide.
    #[error("it has {0} different policy rows, at most 65,536 can be kept")]
    Rows(usize),
    /// The stage of the game is outside the network.
    #[error("it has stage {0}, the network has {1}")]
    Stage(usize, usize),
    /// Shares are negative, NaN or infinite, or do not add up to 1.
    #[error("its {0} is not a distribution")]
    Distribution(&'static str),
    /// The weight is negative, NaN or infinite.
    #[error("its weight is {0}")]
    Weight(String),
    /// A part is full: its offsets are 32 bits wide.
    #[error("it and the few games before it have more than 4,294,967,295 inputs or policy rows")]
    Part,
    /// The window is full: the numbers of its positions are 32 bits wide.
    #[error("the window is full: it has more than 4,294,967,295 positions; lower `train.window`")]
    Full,
}

/// The positions of a few games, in the order of play.
#[derive(Debug)]
pub struct Part<L: Layout> {
    block: L::Block,
    games: Vec<Game>,
}

/// A game in a part.
#[derive(Clone, Copy, Debug)]
struct Game {
    positions: u32,
    held_out: bool,
}

impl<L: Layout> Part<L> {
    /// Makes a part with the positions of these games. Those of a game are all for training or all
    /// held out.
    ///
    /// # Errors
    /// A sample does not fit the network or is not finite. The number of its game is returned with
    /// the reason.
    pub fn of<S: AsRef<[L::Sample]>>(
        layout: &L,
        games: impl IntoIterator<Item = (u64, S, bool)>,
    ) -> Result<Self, (u64, BadSample)> {
        let mut part = Self { block: L::Block::default(), games: Vec::new() };
        for (number, samples, held_out) in games {
            let samples = samples.as_ref();
            for sample in samples {
                layout.push(&mut part.block, sample).map_err(|reason| (number, reason))?;
            }
            let positions = u32::try_from(samples.len()).map_err(|_| (number, BadSample::Part))?;
            part.games.push(Game { positions, held_out });
        }
        Ok(part)
    }

    /// Brings the positions to where they stay. Those in the spool's file can be read when it is
    /// complete.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn store(&mut self, spool: &mut Spool) -> io::Result<()> {
        L::store(&mut self.block, spool)
    }

    /// Returns the number of games, with or without positions.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.games.len() as u64
    }
}

/// The positions of recent games: parts in the order of play, at most 4,294,967,295 positions.
#[derive(Debug)]
pub struct Window<L: Layout> {
    layout: Arc<L>,
    parts: Vec<Arc<Part<L>>>,
    /// Number of each part's first position.
    firsts: Vec<u32>,
    positions: u32,
    train: PositionSet,
    held_out: Vec<u32>,
}

impl<L: Layout> Window<L> {
    /// Makes an empty window.
    #[must_use]
    pub fn new(layout: Arc<L>) -> Self {
        Self {
            layout,
            parts: Vec::new(),
            firsts: Vec::new(),
            positions: 0,
            train: PositionSet::default(),
            held_out: Vec::new(),
        }
    }

    /// Adds a part.
    ///
    /// # Errors
    /// There are too many positions; the window is unchanged.
    pub fn add(&mut self, part: Arc<Part<L>>) -> Result<(), BadSample> {
        let total = part.games.iter().try_fold(self.positions, |sum, game| {
            sum.checked_add(game.positions).ok_or(BadSample::Full)
        })?;
        let mut first = self.positions;
        for game in &part.games {
            let positions = first..first + game.positions;
            first = positions.end;
            if game.held_out {
                self.held_out.extend(positions);
            } else {
                self.train.push(positions);
            }
        }
        self.firsts.push(self.positions);
        self.parts.push(part);
        self.positions = total;
        Ok(())
    }

    /// Returns the training positions.
    #[must_use]
    pub fn train(&self) -> &PositionSet {
        &self.train
    }

    /// Returns the held-out positions, from games that are used only for measurement.
    #[must_use]
    pub fn held_out(&self) -> &[u32] {
        &self.held_out
    }

    /// Returns the batch of these positions, unchanged.
    #[must_use]
    pub fn batch(&self, positions: &[u32]) -> L::Batch {
        self.layout.batch(&self.places(positions), None)
    }

    /// Returns the batch of these positions, with random variations that do not change their value.
    pub fn varied_batch(&self, positions: &[u32], coins: &mut ChaCha8Rng) -> L::Batch {
        self.layout.batch(&self.places(positions), Some(coins))
    }

    /// Finds the blocks of positions, and their places there.
    fn places(&self, positions: &[u32]) -> Vec<(&L::Block, usize)> {
        let place = |&position: &u32| {
            let (part, place) = self.place(position);
            (&self.parts[part].block, place)
        };
        positions.iter().map(place).collect()
    }

    fn place(&self, position: u32) -> (usize, usize) {
        let part = self.firsts.partition_point(|&first| first <= position) - 1;
        (part, (position - self.firsts[part]) as usize)
    }

    /// Returns the block of a position, and its place there.
    #[cfg(test)]
    pub(crate) fn block_mut(&mut self, position: u32) -> (&mut L::Block, usize) {
        let (part, place) = self.place(position);
        (&mut Arc::get_mut(&mut self.parts[part]).unwrap().block, place)
    }
}

/// Lists of different lengths, one after the other.
#[derive(Debug)]
pub(crate) struct Ragged<T> {
    items: Vec<T>,
    ends: Vec<u32>,
}

impl<T> Default for Ragged<T> {
    fn default() -> Self {
        Self { items: Vec::new(), ends: vec![0] }
    }
}

impl<T: Copy> Ragged<T> {
    /// Rejects lists with this many items together if they do not fit.
    pub(crate) fn check_room(&self, items: usize) -> Result<(), BadSample> {
        u32::try_from(self.items.len() + items).map(drop).map_err(|_| BadSample::Part)
    }

    /// Adds a list, for which [`Ragged::check_room`] has found room.
    pub(crate) fn push(&mut self, list: &[T]) {
        self.items.extend_from_slice(list);
        self.ends.push(self.items.len() as u32);
    }

    pub(crate) fn shrink(&mut self) {
        self.items.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    pub(crate) fn range(&self, index: usize) -> std::ops::Range<usize> {
        self.ends[index] as usize..self.ends[index + 1] as usize
    }

    pub(crate) fn list(&self, index: usize) -> &[T] {
        &self.items[self.range(index)]
    }
}

#[cfg(test)]
#[path = "window/tests.rs"]
mod tests;
