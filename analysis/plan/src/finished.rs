//! Counts of the games of a study that are finished, as far as they are quick to find.

use fusion_jobs::cluster::Status;
use fusion_jobs::deal::games_of_shard;
use fusion_jobs::plain;
use fusion_runner::measure::MeasureFile;
use fusion_runner::{matches, random};
use std::path::Path;

/// Returns the number of finished games of a measurement in its folder.
///
/// It is the number of all games once the results are written, and else that of the finished
/// shards. Unfinished shards do not count, since they would have to be read in full.
pub(super) fn measured(folder: &Path, planned: u64) -> u64 {
    let results = plain::read(&folder.join("measure.json"), plain::SMALL).ok();
    let results = results.and_then(|bytes| serde_json::from_slice::<MeasureFile>(&bytes).ok());
    if results.is_some_and(|results| results.games == planned) {
        return planned;
    }
    // `fusion status` reports a missing folder, missing shards and damaged shards.
    let Ok(status) = Status::of(folder) else { return 0 };
    let games = |&shard: &u32| {
        let games = games_of_shard(shard, status.shards, planned);
        games.end - games.start
    };
    status.complete.keys().map(games).sum()
}

/// Returns the number of finished games of a match in its folder, which is all or none.
pub fn matched(folder: &Path, planned: u64) -> u64 {
    if folder.join(matches::RESULT).exists() { planned } else { 0 }
}

/// Returns the number of finished games of random movers in their folder, which is all or none.
pub fn randomly_moved(folder: &Path, planned: u64) -> u64 {
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
        let json = include_str!("../../report/tests/data/run/measure/measure.json");
        let json = json.replace("\"games\": 160", "\"games\": 80");
        std::fs::write(folder.path().join("measure.json"), json).unwrap();
        assert_eq!(measured(folder.path(), 80), 80);
        assert_eq!(measured(folder.path(), 160), 0);
        assert_eq!((matched(folder.path(), 8), randomly_moved(folder.path(), 8)), (0, 0));
        std::fs::write(folder.path().join("strength.json"), "{}").unwrap();
        assert_eq!(matched(folder.path(), 8), 8);
    }
}
