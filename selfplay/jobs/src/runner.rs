//! Parallel play of a shard's games, with resumption.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use rayon::prelude::*;
use serde::Serialize;

use crate::cluster;
use crate::deal::games_of_shard;
use crate::progress::Progress;
use crate::shard::{self, Frame, Header, Opened, ShardWriter};
use crate::stop::Stop;

/// A run of games: all settings on which the games depend, and the folder of its shards.
#[derive(Clone, Debug)]
pub struct Run<P> {
    /// The kind of the frames and the prefix of the files' names.
    pub kind: &'static str,
    /// A signature of how this build plays (`fusion_runner::behaviour`).
    pub behaviour: String,
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

/// A game, or a group of games, that was played to its end.
#[derive(Clone, Debug)]
pub struct Played {
    /// The frame's payload.
    pub payload: Vec<u8>,
    /// Number of drawn games in it, for the progress display.
    pub drawn: u64,
}

/// The state of a shard after [`Run::play_shard`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shard {
    /// The shard was complete before.
    AlreadyComplete,
    /// The shard was completed now.
    Finished,
}

impl<P: Serialize + Clone> Run<P> {
    /// Returns the path of a finished shard.
    #[must_use]
    pub fn path(&self, shard: u32) -> PathBuf {
        self.folder.join(shard::file_name(self.kind, shard, self.shards))
    }

    /// Returns the header of a shard.
    pub fn header(&self, shard: u32) -> Header<P> {
        Header {
            kind: self.kind.to_owned(),
            program: shard::program(),
            behaviour: self.behaviour.clone(),
            seed: self.seed,
            shard,
            shards: self.shards,
            games: self.games,
            parameters: self.parameters.clone(),
        }
    }

    /// Opens a shard for writing.
    ///
    /// # Errors
    /// Fails as [`ShardWriter::open`] does, or if the folder has shards of another kind or run
    /// (exit code 64).
    pub fn open(&self, shard: u32) -> anyhow::Result<Opened> {
        let header = self.header(shard);
        cluster::reject_others(&self.folder, &header)?;
        Ok(ShardWriter::open(&self.path(shard), &header)?)
    }

    /// Returns the paths of all shards, in order, if all of them are finished.
    ///
    /// # Errors
    /// Fails if the folder has shards of another kind or run (exit code 64) or none (66), or if shards
    /// are missing or damaged (65; the error has their numbers).
    pub fn whole(&self) -> anyhow::Result<Vec<PathBuf>> {
        let header = self.header(0);
        cluster::reject_others(&self.folder, &header)?;
        let paths = cluster::whole_run(&self.folder)?;
        // The shards are of one run; the first one shows whether it is this one.
        if let Some(path) = paths.first()
            && let Some(found) = cluster::read_header(path)?
        {
            cluster::reject_other_run(path, found, &header)?;
        }
        Ok(paths)
    }

    /// Plays the missing games of a shard and finishes the shard.
    ///
    /// `play` receives the game's number and returns `None` if it was stopped.
    ///
    /// # Errors
    /// Returns the first error of a game or a file, or the error of a requested stop (exit codes 75
    /// and 130).
    ///
    /// # Examples
    /// ```
    /// use fusion_jobs::runner::{Played, Run, Shard};
    /// use fusion_jobs::seeds;
    /// use fusion_jobs::shard::ShardReader;
    /// use fusion_jobs::stop::Stop;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let run = Run {
    ///     kind: "games",
    ///     behaviour: "1".to_owned(),
    ///     folder: folder.path().to_owned(),
    ///     seed: 7,
    ///     shards: 1,
    ///     games: 20,
    ///     parameters: (),
    /// };
    /// // A game depends only on the seed and its number, whichever thread plays it.
    /// let play = |game, _: &_| {
    ///     let payload = seeds::number("game", &[7, game]).to_le_bytes().to_vec();
    ///     Ok(Some(Played { payload, drawn: 0 }))
    /// };
    /// assert_eq!(run.play_shard(0, "games", &Stop::new(), play)?, Shard::Finished);
    /// assert_eq!(run.play_shard(0, "games", &Stop::new(), play)?, Shard::AlreadyComplete);
    /// assert_eq!(ShardReader::open(&run.path(0))?.verify()?, 20);
    /// # Ok::<(), anyhow::Error>(())
    /// ```
    pub fn play_shard(
        &self,
        shard: u32,
        label: &str,
        stop: &Stop,
        play: impl Fn(u64, &Progress) -> anyhow::Result<Option<Played>> + Sync,
    ) -> anyhow::Result<Shard> {
        self.fill_shard(shard, label, |writer, games, progress| {
            play_missing(writer, games, progress, stop, play)
        })
    }

    /// Plays as [`Run::play_shard`] does, in groups of `size` games. `play` receives the numbers of
    /// a group and adds its games.
    ///
    /// A group with a missing game is replayed whole. The groups are the same in every run, so
    /// their games are too.
    ///
    /// # Errors
    /// Fails as [`Run::play_shard`] does.
    pub fn play_shard_in_groups(
        &self,
        shard: u32,
        label: &str,
        size: u32,
        stop: &Stop,
        play: impl Fn(Range<u64>, &Sink<'_>) -> anyhow::Result<()> + Sync,
    ) -> anyhow::Result<Shard> {
        self.fill_shard(shard, label, |writer, games, progress| {
            let size = u64::from(size.max(1));
            let groups = games.clone().step_by(size as usize);
            let groups = groups.map(|first| first..games.end.min(first + size));
            let most = (games.end - games.start).div_ceil(size) as usize;
            let there = numbers(writer);
            let missing = groups.filter(|group| group.clone().any(|game| !there.contains(&game)));
            play_all(writer, missing, most, progress, stop, play)
        })
    }

    /// Opens a shard, adds the missing games with `fill`, and finishes it.
    fn fill_shard(
        &self,
        shard: u32,
        label: &str,
        fill: impl FnOnce(&mut ShardWriter, Range<u64>, &Progress) -> anyhow::Result<()>,
    ) -> anyhow::Result<Shard> {
        let mut writer = match self.open(shard)? {
            Opened::Complete => return Ok(Shard::AlreadyComplete),
            Opened::Unfinished(writer) => writer,
        };
        let games = games_of_shard(shard, self.shards, self.games);
        let done = writer.games().count() as u64;
        let progress = Progress::new(label, games.end - games.start, done);
        let filled = fill(&mut writer, games, &progress);
        progress.finish();
        filled?;
        writer.finish()?;
        Ok(Shard::Finished)
    }
}

/// Writes finished games to their shard and counts them in the progress display. Shared by threads.
#[derive(Debug)]
pub struct Sink<'a> {
    writer: Mutex<&'a mut ShardWriter>,
    progress: &'a Progress,
}

impl Sink<'_> {
    /// Adds a game, unless the shard has it already.
    ///
    /// # Errors
    /// Fails if the compressor or the file system fails.
    pub fn add(&self, game: u64, played: &Played) -> anyhow::Result<()> {
        let frame = Frame::new(game, &played.payload).context("compressing a game")?;
        // A poisoned lock is safe: the writer changes only after the bytes are written.
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if writer.contains(game) {
            return Ok(());
        }
        writer.append(&frame)?;
        drop(writer);
        self.progress.count_games(played.drawn);
        Ok(())
    }

    /// Returns the progress display.
    #[must_use]
    pub fn progress(&self) -> &Progress {
        self.progress
    }
}

/// Plays the missing games of a range on the current thread pool.
///
/// # Errors
/// Returns the first error of a game or of the file, or the error of a requested stop. Finished
/// games are saved.
pub fn play_missing(
    writer: &mut ShardWriter,
    games: Range<u64>,
    progress: &Progress,
    stop: &Stop,
    play: impl Fn(u64, &Progress) -> anyhow::Result<Option<Played>> + Sync,
) -> anyhow::Result<()> {
    let (most, there) = ((games.end - games.start) as usize, numbers(writer));
    let missing = games.filter(|game| !there.contains(game));
    play_all(writer, missing, most, progress, stop, |game, sink| match play(game, progress)? {
        Some(played) => sink.add(game, &played),
        // The game was stopped between two moves. This error ends the other threads too.
        None => Ok(stop.check()?),
    })
}

/// Returns the numbers of the games in a shard.
fn numbers(writer: &ShardWriter) -> BTreeSet<u64> {
    writer.games().collect()
}

/// Runs at most `most` jobs in parallel and saves each finished one, even after an error. The
/// iterator is not collected, because it may have a thousand million items.
fn play_all<T: Send>(
    writer: &mut ShardWriter,
    work: impl Iterator<Item = T> + Send,
    most: usize,
    progress: &Progress,
    stop: &Stop,
    play: impl Fn(T, &Sink<'_>) -> anyhow::Result<()> + Sync,
) -> anyhow::Result<()> {
    let sink = Sink { writer: Mutex::new(&mut *writer), progress };
    // A free thread takes the next job in order, so that the finished jobs are the first ones.
    let queue = Mutex::new(work);
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let each = (0..most).into_par_iter().with_max_len(1);
    let outcome: anyhow::Result<()> = each.try_for_each(|_| {
        stop.check()?;
        next().map_or(Ok(()), |piece| play(piece, &sink))
    });
    let synced = writer.sync();
    outcome?;
    Ok(synced?)
}

/// Returns the shard's label in the progress display.
///
/// # Examples
/// ```
/// use fusion_jobs::runner::label;
///
/// assert_eq!(label("games", 3, 8), "games, shard 3 of 8");
/// assert_eq!(label("games", 0, 1), "games");
/// ```
#[must_use]
pub fn label(name: &str, shard: u32, shards: u32) -> String {
    if shards > 1 { format!("{name}, shard {shard} of {shards}") } else { name.to_owned() }
}

/// Returns the message for a shard that needs no work.
#[must_use]
pub fn already_complete(path: &Path) -> String {
    format!("{}: already complete", path.display())
}
