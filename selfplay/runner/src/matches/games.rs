//! The games of a match as text.

use std::path::Path;

use anyhow::Context;
use fusion_game::{CompleteGame, Description, GameText, Side};
use fusion_jobs::exit::Failure;

use super::PlayerName;
use super::report::Pair;
use crate::games_file;
use fusion_jobs::atomic;
use fusion_jobs::shard::ShardReader;
use fusion_jobs::stop::Stop;

/// Passes the pairs of a finished shard with their numbers, one in memory at a time.
pub(super) fn for_each_pair(
    path: &Path,
    mut each: impl FnMut(u64, Pair) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    for frame in ShardReader::open(path)? {
        let (number, payload) = frame?;
        let context = || format!("{}: pair {number}", path.display());
        let pair = serde_json::from_slice(&payload).map_err(Failure::corrupt);
        each(number, pair.with_context(context)?).with_context(context)?;
    }
    Ok(())
}

/// Writes the games of a finished shard into the games file beside it.
pub(super) fn write<G: CompleteGame>(
    shard: &Path,
    players: &[PlayerName; 2],
    stop: &Stop,
) -> anyhow::Result<()> {
    let path = shard.with_file_name(G::GAMES_FILE);
    atomic::write_anew(&path, |out| {
        for_each_pair(shard, |number, pair| {
            stop.check()?;
            texts(Description::of::<G>(), players, number, &pair)?
                .iter()
                .try_for_each(|game| games_file::write::<G>(game, out))
        })
    })
}

/// Returns both games of a pair, numbered from 1.
fn texts(
    kind: Description,
    players: &[PlayerName; 2],
    number: u64,
    pair: &Pair,
) -> anyhow::Result<Vec<GameText>> {
    let names = players.each_ref().map(ToString::to_string);
    let [first, second] = &names;
    let seats = [
        (Side::First, [first.clone(), second.clone()]),
        (Side::Second, [second.clone(), first.clone()]),
    ];
    let text = |(place, (side, players)): (usize, (Side, [String; 2]))| {
        let game = &pair.games[place];
        let outcome = game.outcome(kind, side).ok_or_else(|| {
            Failure::corrupt(format!("'{}' is not an ending of a game", game.ending))
        })?;
        let line = [&*pair.opening, &game.moves].join(" ");
        Ok(GameText {
            event: "Match".to_owned(),
            round: format!("{}.{}", number + 1, place + 1),
            players,
            rules: pair.rules.clone(),
            start: pair.start.clone(),
            moves: line.split_ascii_whitespace().map(|mv| (mv.to_owned(), None)).collect(),
            outcome: Some(outcome),
        })
    };
    seats.into_iter().enumerate().map(text).collect()
}
