//! The bytes of training games.

use fusion_jobs::checksums;
use fusion_jobs::shard::ShardReader;

use super::command::succeed;

/// Shards of earlier builds are read as long as the layout of records has the same version, so its
/// bytes are pinned: those of games by both searches, of which some end by mate and others by the cap.
#[test]
fn the_bytes_of_training_games_are_those_of_earlier_builds() {
    for (network, expected) in [
        (
            "material --simulations 8 --fast-simulations 4",
            "a474690ae01ac8982d39c0235670f281ba48f1b190717c6387cf3897a6f5f030",
        ),
        ("pvs:material", "b935984a5bb36d141403240d60169c74553478d72c8fd5a8d412b10679a6162b"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let line = format!(
            "generate --network {network} --games 12 --rules fusion-2020 --rules orthodox --cap 60 \
             --seed 3 --out games"
        );
        let out = succeed(folder.path(), &line);
        for ending in ["cap:", "checkmate:"] {
            assert!(out.contains(ending), "{ending} {out}");
        }
        let shard = ShardReader::open(&folder.path().join("games/games-00000-of-00001.shard"));
        let records = shard.unwrap().map(|game| game.unwrap().1).collect::<Vec<_>>().concat();
        assert_eq!(checksums::of(&records), expected, "{network}");
    }
}
