//! Runs that grow: a smaller run's games become the first games of a larger run.
//!
//! A game depends on its number, not on the number of games. If the numbering does not depend on it
//! either, the finished games are the first games of every larger run with the same settings. The
//! larger run's shards have other ranges of games, so the games are distributed again. The new
//! shards are then continued.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::cluster::read_header;
use crate::deal::{games_in_blocks, games_of_block};
use crate::lock::FolderLock;
use crate::runner::Run;
use crate::shard::{self, Frame, Header, Opened, ShardReader, ShardWriter};

/// Distributes the games of a smaller run, if the folder has one, to the shards of this run. Both deal
/// out their games in blocks of `block` games, as [`games_in_blocks`] does; `u64::MAX` makes one block
/// of all games.
///
/// `is_beginning` returns whether the parameters of another header, the first argument, are those
/// of a beginning of this run, whose parameters are the second argument. Everything else except the
/// number of games must be the same, and the number of games must not be smaller. If a process is
/// killed in between, the next process continues from the folder.
///
/// # Errors
/// Fails if a shard is damaged (exit code 65), if another process is writing one, or if the file
/// system fails.
///
/// # Examples
/// ```
/// use fusion_jobs::growth;
/// use fusion_jobs::progress::Progress;
/// use fusion_jobs::runner::{Played, Run};
/// use fusion_jobs::stop::Stop;
/// use std::sync::Mutex;
///
/// let folder = tempfile::tempdir()?;
/// let run = |games| Run {
///     kind: "games",
///     behaviour: "1".to_owned(),
///     folder: folder.path().to_owned(),
///     seed: 7,
///     shards: 1,
///     games,
///     parameters: (),
/// };
/// let played = Mutex::new(Vec::new());
/// let play = |game, _: &Progress| {
///     played.lock().unwrap().push(game);
///     Ok(Some(Played { payload: b"e4".to_vec(), drawn: 1 }))
/// };
/// run(2).play_shard(0, "games", &Stop::new(), play)?;
/// // The run grows from two games to three. Only the third is played.
/// growth::carry(&run(3), u64::MAX, |_, ()| true)?;
/// played.lock().unwrap().clear();
/// run(3).play_shard(0, "games", &Stop::new(), play)?;
/// assert_eq!(*played.lock().unwrap(), [2]);
/// # Ok::<(), anyhow::Error>(())
/// ```
pub fn carry<P: Serialize + Clone>(
    run: &Run<P>,
    block: u64,
    is_beginning: impl Fn(&serde_json::Value, &P) -> bool,
) -> anyhow::Result<()> {
    let block = block.max(1);
    let find = || smaller(run, &is_beginning);
    if find()?.is_empty() {
        return Ok(());
    }
    // A scheduler's tasks start together. One task distributes the games, and the others wait.
    let _lock = FolderLock::wait(&run.folder)?;
    let smaller = find()?;
    // The locks are held to the end, so that no process plays the smaller run meanwhile.
    let mut sources = Vec::new();
    for (path, header) in smaller {
        let opened = ShardWriter::open(&path, &header)?;
        sources.push(Source { path, header, opened });
    }
    // In ascending order, a part is replaced only after all of its games are distributed: in every
    // block, every shard begins at least where it began in the smaller run.
    for number in 0..run.shards {
        let (path, header) = (run.path(number), run.header(number));
        let part = shard::part_path(&path);
        let there = read_header(&part).ok().flatten();
        if there.is_some_and(|there| same(&there, &header)) {
            continue;
        }
        let sources = sources.iter().filter(|source| {
            let own = games_in_blocks(source.header.shard, run.shards, source.header.games, block);
            let games = games_in_blocks(number, run.shards, run.games, block);
            own.zip(games).any(|(own, games)| own.start < games.end && games.start < own.end)
        });
        let frames = sources.flat_map(Source::frames);
        let frames = frames.filter(|frame| match frame {
            Ok(frame) => {
                let game = frame.game();
                games_of_block(number, run.shards, run.games, block, game / block).contains(&game)
            }
            Err(_) => true,
        });
        shard::write_part(&part, &header, frames)?;
    }
    for Source { path, opened, .. } in &sources {
        if matches!(opened, Opened::Complete) {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Returns the shards of a smaller run under the names of this run's shards, with their headers.
fn smaller<P: Serialize + Clone>(
    run: &Run<P>,
    is_beginning: &impl Fn(&serde_json::Value, &P) -> bool,
) -> anyhow::Result<Vec<(PathBuf, Header)>> {
    let mut found = Vec::new();
    for number in 0..run.shards {
        let path = run.path(number);
        let wanted = run.header(number);
        for file in [path.clone(), shard::part_path(&path)] {
            // A damaged shard is reported by the process that needs it.
            let Some(header) = existing_header(&file) else { continue };
            if same(&header, &wanted) {
                continue;
            }
            let beginning = header.kind == wanted.kind
                && header.program == wanted.program
                && header.behaviour == wanted.behaviour
                && (header.seed, header.shard) == (wanted.seed, wanted.shard)
                && header.shards == wanted.shards
                && header.games <= wanted.games
                && is_beginning(&header.parameters, &wanted.parameters);
            if beginning {
                found.push((path.clone(), header));
                // A part beside a finished shard is obsolete.
                break;
            }
        }
    }
    Ok(found)
}

fn existing_header(path: &Path) -> Option<Header> {
    if path.exists() { read_header(path).ok().flatten() } else { None }
}

/// Returns whether a header that was read equals this one. Both are compared as JSON, because
/// numbers of lower precision differ from the numbers that are read back.
fn same<P: Serialize>(header: &Header, other: &Header<P>) -> bool {
    let bytes = (serde_json::to_vec(header), serde_json::to_vec(other));
    matches!(bytes, (Ok(header), Ok(other)) if shard::difference(&header, &other).is_none())
}

/// A shard of the smaller run.
struct Source {
    path: PathBuf,
    header: Header,
    opened: Opened,
}

impl Source {
    /// Returns the frames of the source's games.
    fn frames(&self) -> Box<dyn Iterator<Item = anyhow::Result<Frame>> + '_> {
        match &self.opened {
            Opened::Complete => {
                let frame = |(game, payload): (u64, Vec<u8>)| Ok(Frame::new(game, &payload)?);
                match ShardReader::open(&self.path) {
                    Ok(reader) => Box::new(reader.map(move |item| frame(item?))),
                    Err(error) => Box::new(std::iter::once(Err(error.into()))),
                }
            }
            Opened::Unfinished(writer) => Box::new(writer.games().filter_map(|game| {
                let payload = writer.payload(game).transpose()?;
                Some(payload.map_err(Into::into).and_then(|bytes| Ok(Frame::new(game, &bytes)?)))
            })),
        }
    }
}
