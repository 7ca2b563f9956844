//! Which games of a study are there already, as far as that is quick to see.

use fusion_jobs::cluster::{Status, games_of_shard};
use fusion_runner::{matches, random};
use serde::Deserialize;
use std::path::Path;

/// What of `measure.json` is needed here.
#[derive(Deserialize)]
struct Measured {
    games: u64,
}

/// Finished games of a measurement in its folder: all once its results are written, else those
/// of its finished shards. Shards that are begun do not count: they would have to be read whole.
pub(super) fn measured(folder: &Path, planned: u64) -> u64 {
    let results = std::fs::read(folder.join("measure.json")).ok();
    let results = results.and_then(|bytes| serde_json::from_slice::<Measured>(&bytes).ok());
    if results.is_some_and(|results| results.games == planned) {
        return planned;
    }
    // No folder, no shards, damaged ones: `fusion status` is there to tell.
    let Ok(status) = Status::of(folder) else { return 0 };
    let games = |&shard: &u32| {
        let games = games_of_shard(shard, status.shards, planned);
        games.end - games.start
    };
    status.complete.keys().map(games).sum()
}

/// Finished games of a match in its folder: all or none.
pub(super) fn matched(folder: &Path, planned: u64) -> u64 {
    if folder.join(matches::RESULT).exists() { planned } else { 0 }
}

/// Finished games of random movers in their folder: all or none.
pub(super) fn randomly_moved(folder: &Path, planned: u64) -> u64 {
    if folder.join(random::RESULT).exists() { planned } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_count_whole_and_other_settings_do_not() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(measured(folder.path(), 80), 0);
        assert_eq!(measured(&folder.path().join("none"), 80), 0);
        std::fs::write(folder.path().join("measure.json"), "{\"games\": 80, \"cap\": 600}")
            .unwrap();
        assert_eq!(measured(folder.path(), 80), 80);
        assert_eq!(measured(folder.path(), 160), 0);
        assert_eq!((matched(folder.path(), 8), randomly_moved(folder.path(), 8)), (0, 0));
        std::fs::write(folder.path().join("strength.json"), "{}").unwrap();
        assert_eq!(matched(folder.path(), 8), 8);
    }
}
