//! The shards of a folder, read as they grow.

use fusion_jobs::cluster;
use fusion_jobs::shard::{EXTENSION, FollowedPart, Header, ShardError, ShardReader};
use fusion_runner::measure;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A folder of shards, and the games in it that were read.
pub(super) struct Shards {
    folder: PathBuf,
    /// The header of the first shard that was found.
    header: Option<Header>,
    shards: BTreeMap<u32, Shard>,
    /// What is wrong with a file, by its path.
    problems: BTreeMap<PathBuf, String>,
}

#[derive(Default)]
struct Shard {
    games: HashSet<u64>,
    part: Option<FollowedPart>,
    is_finished: bool,
}

impl Shards {
    /// Begins with nothing read.
    pub(super) fn new(folder: &Path) -> Self {
        let folder = folder.to_owned();
        Self { folder, header: None, shards: BTreeMap::new(), problems: BTreeMap::new() }
    }

    /// Returns the header of the shards, once there is one.
    pub(super) fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// Returns the number of finished games.
    pub(super) fn games(&self) -> u64 {
        self.shards.values().map(|shard| shard.games.len() as u64).sum()
    }

    /// Returns whether the shards are those of a measurement, by the names of their files.
    pub(super) fn is_of_measurement(&self) -> bool {
        let files = cluster::files(&self.folder).unwrap_or_default();
        files.iter().any(|path| cluster::kind_of(path) == Some(measure::KIND))
    }

    /// Returns the time since a game was last written into an unfinished shard; `None` without such a shard.
    pub(super) fn quiet(&self) -> Option<Duration> {
        let parts = self.shards.values().filter_map(|shard| shard.part.as_ref());
        let written = parts.filter_map(|part| part.path().metadata().ok()?.modified().ok());
        written.filter_map(|time| time.elapsed().ok()).min()
    }

    /// Returns whether all shards are finished.
    pub(super) fn is_whole(&self) -> bool {
        let finished = self.shards.values().filter(|shard| shard.is_finished).count() as u64;
        self.header().is_some_and(|header| u64::from(header.shards) == finished)
    }

    /// Returns what is wrong with files of the folder.
    pub(super) fn problems(&self) -> impl Iterator<Item = &str> {
        self.problems.values().map(String::as_str)
    }

    /// Calls `each` with the header and the payload of every game that was not read before.
    pub(super) fn refresh(&mut self, mut each: impl FnMut(&Header, &[u8])) {
        for path in cluster::files(&self.folder).unwrap_or_default() {
            if self.problems.contains_key(&path) {
                continue;
            }
            let is_finished = path.extension().is_some_and(|extension| extension == EXTENSION);
            let read = if is_finished {
                self.finished(&path, &mut each)
            } else {
                self.part(&path, &mut each)
            };
            // A file that cannot be read now may be read next time.
            if let Err(error) = read
                && !matches!(error, ShardError::Io { .. })
            {
                self.problems.insert(path, format!("{:#}", anyhow::Error::new(error)));
            }
        }
    }

    fn finished(
        &mut self,
        path: &Path,
        each: &mut impl FnMut(&Header, &[u8]),
    ) -> Result<(), ShardError> {
        let known = cluster::number_of(path).and_then(|number| self.shards.get(&number));
        if known.is_some_and(|shard| shard.is_finished) {
            return Ok(());
        }
        let reader = ShardReader::open(path)?;
        let header = reader.header().clone();
        let Some(shard) = self.enter(path, &header) else { return Ok(()) };
        shard.part = None;
        for frame in reader {
            let (game, payload) = frame?;
            if shard.games.insert(game) {
                each(&header, &payload);
            }
        }
        shard.is_finished = true;
        Ok(())
    }

    fn part(
        &mut self,
        path: &Path,
        each: &mut impl FnMut(&Header, &[u8]),
    ) -> Result<(), ShardError> {
        let known = cluster::number_of(path).and_then(|number| self.shards.get_mut(&number));
        let part = match known.and_then(|shard| shard.part.take()) {
            Some(part) => Some(part),
            None => FollowedPart::open(path)?,
        };
        let Some(mut part) = part else { return Ok(()) };
        let header = part.header().clone();
        let Some(shard) = self.enter(path, &header) else { return Ok(()) };
        if shard.is_finished {
            return Ok(());
        }
        let goes_on = part.read_new(|game, payload| {
            if shard.games.insert(game) {
                each(&header, &payload);
            }
        })?;
        shard.part = goes_on.then_some(part);
        Ok(())
    }

    /// Returns the shard of a header. A shard of another run is noted as a problem.
    fn enter(&mut self, path: &Path, header: &Header) -> Option<&mut Shard> {
        let first = self.header.get_or_insert_with(|| header.clone());
        let same = Header { shard: first.shard, ..header.clone() };
        if same != *first {
            let problem = format!("{} belongs to another run than the first shard", path.display());
            self.problems.insert(path.to_owned(), problem);
            return None;
        }
        Some(self.shards.entry(header.shard).or_default())
    }
}
