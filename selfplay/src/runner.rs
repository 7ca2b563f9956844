//! Playing the games of a shard in parallel, with resumption.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use rayon::prelude::*;
use serde::Serialize;

use crate::cluster::games_of_shard;
use crate::progress::Progress;
use crate::shard::{self, Frame, Header, Opened, ShardWriter};
use crate::stop::Stop;

/// A run of games: everything on which they depend, and where their shards go.
#[derive(Clone, Debug)]
pub struct Run<P> {
    /// What the frames hold; also the beginning of the files' names.
    pub kind: &'static str,
    /// Folder of the shards.
    pub folder: PathBuf,
    /// Seed of the run.
    pub seed: u64,
    /// Number of shards.
    pub shards: u32,
    /// Number of games in all shards together.
    pub games: u64,
    /// All other settings.
    pub parameters: P,
}

/// A game that was played to its end.
#[derive(Clone, Debug)]
pub struct Played {
    /// The frame's payload.
    pub payload: Vec<u8>,
    /// Whether the game was drawn, for the progress display.
    pub drawn: bool,
}

/// What became of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shard {
    /// It was whole before.
    AlreadyComplete,
    /// It is whole now.
    Finished,
}

impl<P: Serialize + Clone> Run<P> {
    /// Path of a finished shard.
    #[must_use]
    pub fn path(&self, shard: u32) -> PathBuf {
        self.folder.join(shard::file_name(self.kind, shard, self.shards))
    }

    /// Opens a shard for writing.
    ///
    /// # Errors
    /// As [`ShardWriter::open`].
    pub fn open(&self, shard: u32) -> anyhow::Result<Opened> {
        let header = Header {
            kind: self.kind.to_owned(),
            program: shard::program(),
            seed: self.seed,
            shard,
            shards: self.shards,
            games: self.games,
            parameters: self.parameters.clone(),
        };
        Ok(ShardWriter::open(&self.path(shard), &header)?)
    }

    /// Plays the games of a shard that are not there yet and finishes the shard.
    ///
    /// `play` gets the game's number and returns `None` if it was stopped.
    ///
    /// # Errors
    /// The first error of a game or a file; a request to stop (exit codes 75 and 130).
    pub fn play_shard(
        &self,
        shard: u32,
        label: &str,
        stop: &Stop,
        play: impl Fn(u64, &Progress) -> anyhow::Result<Option<Played>> + Sync,
    ) -> anyhow::Result<Shard> {
        let mut writer = match self.open(shard)? {
            Opened::Complete => return Ok(Shard::AlreadyComplete),
            Opened::Unfinished(writer) => writer,
        };
        let games = games_of_shard(shard, self.shards, self.games);
        let done = writer.games().count() as u64;
        let progress = Progress::new(label, games.end - games.start, done);
        let played = play_missing(&mut writer, games, &progress, stop, play);
        progress.finish();
        played?;
        writer.finish()?;
        Ok(Shard::Finished)
    }
}

/// Plays those of a range of games that the shard lacks, on the current thread pool.
///
/// # Errors
/// The first error of a game or of the file; a request to stop. What was finished is saved.
pub fn play_missing(
    writer: &mut ShardWriter,
    games: Range<u64>,
    progress: &Progress,
    stop: &Stop,
    play: impl Fn(u64, &Progress) -> anyhow::Result<Option<Played>> + Sync,
) -> anyhow::Result<()> {
    let written: HashSet<u64> = writer.games().collect();
    let missing: Vec<u64> = games.filter(|game| !written.contains(game)).collect();
    let shared = Mutex::new(&mut *writer);
    // One game at a time, or a thread would wait at the end while another has several left.
    let each = missing.into_par_iter().with_max_len(1);
    let outcome: anyhow::Result<()> = each.try_for_each(|game| {
        stop.check()?;
        let Some(played) = play(game, progress)? else {
            // Stopped between two moves: the check above ends the other threads too.
            return Ok(stop.check()?);
        };
        let frame = Frame::new(game, &played.payload).context("compressing a game")?;
        // A thread that panicked cannot have left the writer in a bad state: appending
        // changes it only after the bytes are written.
        shared.lock().unwrap_or_else(PoisonError::into_inner).append(&frame)?;
        progress.count_game(played.drawn);
        Ok(())
    });
    let synced = writer.sync();
    outcome?;
    Ok(synced?)
}

/// Describes a shard in the progress display.
#[must_use]
pub fn label(name: &str, shard: u32, shards: u32) -> String {
    if shards > 1 { format!("{name}, shard {shard} of {shards}") } else { name.to_owned() }
}

/// Message for a shard that needs no work.
#[must_use]
pub fn already_complete(path: &Path) -> String {
    format!("{}: already complete", path.display())
}
