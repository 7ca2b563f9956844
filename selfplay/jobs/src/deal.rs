//! How the games of a run are dealt out to its shards: at once, or block by block.
//!
//! Of games that are dealt out at once, each shard has consecutive ones. In blocks each shard has a part
//! of every block, so that all shards together play the first games of the run first.

use std::ops::Range;

/// Returns the games of one shard: consecutive numbers, with shards of nearly the same size. Shard
/// i of S has the games from `⌊games · i / S⌋` up to, and without, `⌊games · (i + 1) / S⌋`.
///
/// # Examples
/// ```
/// use fusion_jobs::deal::games_of_shard;
///
/// // Ten games in three shards.
/// assert_eq!(games_of_shard(0, 3, 10), 0..3);
/// assert_eq!(games_of_shard(1, 3, 10), 3..6);
/// assert_eq!(games_of_shard(2, 3, 10), 6..10);
/// ```
#[must_use]
pub fn games_of_shard(shard: u32, shards: u32, games: u64) -> Range<u64> {
    let bound =
        |shard: u32| (u128::from(games) * u128::from(shard) / u128::from(shards.max(1))) as u64;
    bound(shard)..bound(shard.saturating_add(1).min(shards))
}

/// Returns the games of a shard in one block. Blocks have `block` games, the last one those that are
/// left. A block is dealt out as [`games_of_shard`] deals out a run.
#[must_use]
pub fn games_of_block(shard: u32, shards: u32, games: u64, block: u64, number: u64) -> Range<u64> {
    let start = number.saturating_mul(block).min(games);
    let own = games_of_shard(shard, shards, block.min(games - start));
    start + own.start..start + own.end
}

/// Returns the games of a shard in each block, which may be none.
///
/// # Examples
/// ```
/// use fusion_jobs::deal::games_in_blocks;
///
/// // Ten games in two shards, in blocks of four games.
/// let games = |shard| games_in_blocks(shard, 2, 10, 4).collect::<Vec<_>>();
/// assert_eq!(games(0), [0..2, 4..6, 8..9]);
/// assert_eq!(games(1), [2..4, 6..8, 9..10]);
/// ```
pub fn games_in_blocks(
    shard: u32,
    shards: u32,
    games: u64,
    block: u64,
) -> impl Iterator<Item = Range<u64>> {
    let blocks = games.div_ceil(block.max(1));
    (0..blocks).map(move |number| games_of_block(shard, shards, games, block.max(1), number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_belongs_to_one_shard() {
        for (shards, games) in [(1, 10), (3, 10), (7, 3), (4, u64::MAX)] {
            let mut next = 0;
            for shard in 0..shards {
                let range = games_of_shard(shard, shards, games);
                assert_eq!(range.start, next);
                next = range.end;
            }
            assert_eq!(next, games);
        }
    }

    #[test]
    fn every_game_is_dealt_out_once() {
        for (shards, games, block) in [(1, 10, 4), (3, 10, 4), (4, 9, 1), (3, 10, u64::MAX)] {
            let of_shard = |shard| games_in_blocks(shard, shards, games, block).flatten();
            let mut dealt: Vec<u64> = (0..shards).flat_map(of_shard).collect();
            dealt.sort_unstable();
            assert!(dealt.into_iter().eq(0..games), "{shards}, {games}, {block}");
        }
        let at_once: Vec<_> = games_in_blocks(1, 3, 10, u64::MAX).collect();
        assert_eq!(at_once, [games_of_shard(1, 3, 10)]);
    }

    /// A run grows from the lowest shard on: a game never moves to a higher one.
    #[test]
    fn more_games_move_none_to_a_higher_shard() {
        let shard_of = |game: u64, games| {
            (0..5).find(|&shard| games_in_blocks(shard, 5, games, 7).any(|own| own.contains(&game)))
        };
        for (few, many) in [(3, 4), (9, 12), (9, 40), (14, 15)] {
            assert!((0..few).all(|game| shard_of(game, many) <= shard_of(game, few)));
        }
    }
}
