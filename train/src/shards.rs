//! From shards of self-play games to a window of positions.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use anyhow::Context;
use fusion_game::{CompleteGame, RuleSet};
use fusion_jobs::exit::{Failure, note};
use fusion_jobs::shard::ShardReader;
use fusion_jobs::stop::Stop;
use fusion_jobs::{cluster, seeds};
use fusion_runner::records;
use fusion_study::{SampleOptions, TrainConfig, common_rules};
use indicatif::HumanCount;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::architecture::{Architecture, Layout};
use crate::window::{Part, Spool, Window};

/// Games that one thread reads into a part. Large parts cost little beside their positions.
const GAMES: usize = 64;
/// Parts of each thread that are read at a time: enough to keep all threads busy, few enough to
/// bound memory.
const PARTS: usize = 2;

/// A window and its source.
#[derive(Debug)]
pub struct Positions<L: Layout> {
    /// The positions.
    pub window: Window<L>,
    /// Number of games, with or without positions.
    pub games: u64,
    /// Number of training positions in the newest folders.
    pub newest: usize,
    /// Hash over the headers of all shards, which determine their games.
    pub fingerprint: String,
}

/// A reader of windows. It keeps the positions of its last window, so that of a window that has
/// moved on only the new folders are read.
#[derive(Debug)]
pub struct Reader<A: Architecture> {
    layout: Arc<A::Layout>,
    /// Folder of the files with positions.
    folder: PathBuf,
    options: SampleOptions,
    validation: f64,
    kept: Vec<Run<A::Layout>>,
}

/// The positions of one folder.
#[derive(Debug)]
struct Run<L: Layout> {
    folder: PathBuf,
    /// The files when they were read. If they change, the folder is read anew.
    files: BTreeMap<PathBuf, (u64, SystemTime)>,
    /// The shards' headers, which determine the games.
    headers: Vec<u8>,
    parts: Vec<Arc<Part<L>>>,
}

impl<A: Architecture> Reader<A> {
    /// Makes a reader for fits of a network for a rule set with these settings. Positions that are kept
    /// on disk are in files without names in `folder`, or around it if there is no such folder.
    #[must_use]
    pub fn new<G: CompleteGame>(rules: &G::Rules, config: &TrainConfig, folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            layout: Arc::new(A::layout::<G>(rules, config)),
            options: config.samples.clone(),
            validation: config.validation,
            kept: Vec::new(),
        }
    }

    /// Reads the runs in these folders, each of which must be complete, on all threads of the
    /// current pool. The positions of the last `newest` folders are counted separately. The window
    /// does not depend on the number of threads or on what was kept. `rules` is the rule set of
    /// [`Reader::new`], or another one with the same network.
    ///
    /// # Errors
    /// A shard is missing or damaged (exit code 65), a record is not a legal game, one network cannot
    /// play its rule set and `rules` (64), or a stop is requested.
    pub fn read<G: CompleteGame>(
        &mut self,
        rules: &G::Rules,
        folders: &[PathBuf],
        newest: usize,
        stop: &Stop,
    ) -> anyhow::Result<Positions<A::Layout>> {
        let start = Instant::now();
        // What the window has left behind is dropped before anything is read.
        let mut kept = std::mem::take(&mut self.kept);
        kept.retain(|run| folders.contains(&run.folder));
        let mut window = Window::new(self.layout.clone());
        let (mut games, mut read, mut old) = (0, 0, 0);
        let mut hasher = Sha256::new();
        for (index, folder) in folders.iter().enumerate() {
            if index + newest == folders.len() {
                old = window.train().len();
            }
            let run = match kept.iter().position(|run| run.is_current(folder)) {
                Some(known) => kept.swap_remove(known),
                None => {
                    let run = self.run::<G>(rules, folder, stop)?;
                    read += run.games();
                    run
                }
            };
            hasher.update(&run.headers);
            games += run.games();
            for part in &run.parts {
                window.add(part.clone()).map_err(Failure::usage)?;
            }
            self.kept.push(run);
        }
        note(format_args!(
            "read {} of the window's {} games in {:.1} s",
            HumanCount(read),
            HumanCount(games),
            start.elapsed().as_secs_f64()
        ));
        let newest = window.train().len() - old;
        Ok(Positions { window, games, newest, fingerprint: fusion_game::hex(&hasher.finalize()) })
    }

    /// Reads a folder.
    fn run<G: CompleteGame>(
        &self,
        rules: &G::Rules,
        folder: &Path,
        stop: &Stop,
    ) -> anyhow::Result<Run<A::Layout>> {
        let mut run = Run {
            folder: folder.to_owned(),
            files: BTreeMap::new(),
            headers: Vec::new(),
            parts: Vec::new(),
        };
        let paths = cluster::whole_run(folder)?;
        run.files = files(folder)?;
        let mut spool = Spool::new(&self.folder);
        for path in paths {
            let reader = records::open(&path)?;
            run.headers.extend_from_slice(reader.header_json());
            self.read_shard::<G>(rules, &path, reader, &mut run.parts, &mut spool, stop)?;
        }
        spool.finish().with_context(|| self.unwritten())?;
        Ok(run)
    }

    /// Reads the records of a shard ahead while the pool turns those before into positions.
    fn read_shard<G: CompleteGame>(
        &self,
        rules: &G::Rules,
        path: &Path,
        mut reader: ShardReader,
        parts: &mut Vec<Arc<Part<A::Layout>>>,
        spool: &mut Spool,
        stop: &Stop,
    ) -> anyhow::Result<()> {
        let seed = reader.header().seed;
        let count = GAMES * PARTS * rayon::current_num_threads();
        let mut next = || reader.by_ref().take(count).collect::<Result<Vec<_>, _>>();
        let mut records = next()?;
        while !records.is_empty() {
            stop.check()?;
            let part = |records: &[(u64, Vec<u8>)]| self.part::<G>(rules, path, seed, records);
            let parse = || records.par_chunks(GAMES).map(part).collect::<anyhow::Result<Vec<_>>>();
            let (parsed, following) = rayon::join(parse, &mut next);
            for mut part in parsed? {
                part.store(spool).with_context(|| self.unwritten())?;
                parts.push(part.into());
            }
            records = following?;
        }
        Ok(())
    }

    fn unwritten(&self) -> String {
        format!("writing positions to a file in {}", self.folder.display())
    }

    /// Replays a few games.
    fn part<G: CompleteGame>(
        &self,
        rules: &G::Rules,
        path: &Path,
        seed: u64,
        records: &[(u64, Vec<u8>)],
    ) -> anyhow::Result<Part<A::Layout>> {
        let mut known = BTreeSet::new();
        let parse = |(game, payload): &(u64, Vec<u8>)| {
            let bad = || format!("{}, game {game}", path.display());
            let record =
                records::decode::<G>(payload).map_err(Failure::corrupt).with_context(bad)?;
            if !known.contains(&record.rules) {
                check_rules::<G>(rules, &record.rules).with_context(bad)?;
                known.insert(record.rules.clone());
            }
            let samples = A::samples::<G>(&record, &self.options);
            let samples = samples.map_err(Failure::corrupt).with_context(bad)?;
            anyhow::Ok((*game, samples, held_out(seed, *game, self.validation)))
        };
        let games = records.iter().map(parse).collect::<anyhow::Result<Vec<_>>>()?;
        let part = Part::<A::Layout>::of(&self.layout, games);
        part.map_err(|(game, reason)| {
            let path = path.display();
            let bad = format!("{path}, game {game}: a position is unusable");
            anyhow::Error::new(Failure::corrupt(reason)).context(bad)
        })
    }
}

impl<L: Layout> Run<L> {
    fn games(&self) -> u64 {
        self.parts.iter().map(|part| part.games()).sum()
    }

    /// Returns whether these are the positions of this folder as it is now.
    fn is_current(&self, folder: &Path) -> bool {
        self.folder == folder && files(folder).is_ok_and(|files| files == self.files)
    }
}

/// Checks that one network can play a rule set and that of a game. A text that is no rule set is an
/// error of the game.
fn check_rules<G: CompleteGame>(rules: &G::Rules, of_game: &str) -> Result<(), Failure> {
    let Ok(of_game) = G::Rules::parse(of_game) else { return Ok(()) };
    common_rules::<G>([rules, &of_game]).map(drop).map_err(Failure::usage)
}

/// Returns size and time of change of each file in a folder.
fn files(folder: &Path) -> anyhow::Result<BTreeMap<PathBuf, (u64, SystemTime)>> {
    let file = |entry: io::Result<fs::DirEntry>| {
        let path = entry?.path();
        let data = fs::metadata(&path)?;
        io::Result::Ok((path, (data.len(), data.modified()?)))
    };
    let files = fs::read_dir(folder).and_then(|entries| entries.map(file).collect());
    files.with_context(|| format!("reading the folder {}", folder.display()))
}

/// Returns whether a game is held out. The answer is the same in every window with the game, and
/// for all its positions, which are too similar to be split.
fn held_out(seed: u64, game: u64, share: f64) -> bool {
    let draw = seeds::number("held out", &[seed, game]);
    (draw >> 11) as f64 / ((1u64 << 53) as f64) < share
}

#[cfg(test)]
#[path = "shards_tests.rs"]
mod tests;
