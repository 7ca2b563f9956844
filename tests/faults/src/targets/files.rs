//! Targets for shards, the records in them, and networks.

use super::split;
use fusion_chess::FusionGame;
use fusion_chess::rules::RuleSet;
use fusion_game::evaluator::Wdl;
use fusion_game::prelude::*;
use fusion_jobs::shard::{self, Frame, Header, Opened, ShardReader, ShardWriter};
use fusion_network::model::Model;
use fusion_network::{self, Network};
use fusion_runner::records;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// Reads a finished shard and an unfinished one.
///
/// If the input begins with a line `seal`, the rest are the payloads of a valid shard's games, one
/// per line. A shard that this project's programs wrote must be read back.
pub(super) fn shard(data: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join(shard::file_name("games", 0, 1));
    if let Some(("seal", payloads)) = split(data) {
        return sealed(&path, payloads);
    }
    fs::write(&path, data).expect("a temporary file");
    if let Ok(reader) = ShardReader::open(&path) {
        let games: Vec<_> = reader.collect();
        let whole = games.iter().all(Result::is_ok);
        let verified = ShardReader::open(&path).and_then(ShardReader::verify);
        assert_eq!(verified.is_ok(), whole, "{verified:?}");
    }
    let part = shard::part_path(&path);
    fs::rename(&path, &part).expect("renaming a temporary file");
    let _ = shard::read_part_header(&part);
    // A process that continues the shard must finish a valid shard or reject it.
    let header = Header { parameters: serde_json::Value::Null, ..header() };
    if let Ok(Opened::Unfinished(writer)) = ShardWriter::open(&path, &header) {
        let games = writer.games().count() as u64;
        writer.finish().expect("finishing a shard");
        let count = ShardReader::open(&path).and_then(ShardReader::verify);
        assert_eq!(count.expect("a shard that was just finished"), games);
    }
}

fn header() -> Header {
    Header {
        kind: "games".into(),
        program: "fuzz".into(),
        behaviour: "1".to_owned(),
        seed: 1,
        shard: 0,
        shards: 1,
        games: 100,
        parameters: serde_json::Value::Null,
    }
}

fn sealed(path: &Path, payloads: &str) {
    let Ok(Opened::Unfinished(mut writer)) = ShardWriter::open(path, &header()) else {
        panic!("a new shard cannot be begun");
    };
    let payloads: Vec<&str> = payloads.lines().collect();
    for (game, payload) in (0..).zip(&payloads) {
        let frame = Frame::new(game, payload.as_bytes()).expect("a short record");
        writer.append(&frame).expect("appending to a shard");
    }
    writer.finish().expect("finishing a shard");
    let games = ShardReader::open(path).expect("a shard that was just finished");
    let read: Vec<Vec<u8>> = games.map(|game| game.expect("a sound game").1).collect();
    assert!(read.iter().eq(payloads.iter().map(|payload| payload.as_bytes())));
}

/// Reads a record of a training game. An accepted record is written as it was read.
pub(super) fn record(data: &[u8]) {
    if let Ok(record) = records::decode::<FusionGame>(data) {
        assert_eq!(records::encode::<FusionGame>(&record), data);
    }
}

/// A small valid network.
static NETWORK: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let floats = fusion_network::FloatNetwork::random::<FusionGame>(&rules(), 64, 1);
    let floats = floats.expect("a network of 64 units");
    let network = Network::quantise::<FusionGame>(&rules(), &floats);
    network.expect("a network of this game").bytes().to_vec()
});

/// The rule set of the networks.
fn rules() -> RuleSet {
    RuleSet::preset("fusion-2020").expect("a preset")
}

/// Reads a network's file: the input itself, and a valid file with some bytes replaced under a
/// correct checksum.
///
/// Every five bytes of the input replace one byte: four bytes for the place, one for the value.
pub(super) fn network(data: &[u8]) {
    let _ = Network::from_bytes::<FusionGame>(&rules(), data);
    let mut file = NETWORK.clone();
    let content = file.len() - 32;
    for patch in data.as_chunks::<5>().0 {
        let [place @ .., byte] = *patch;
        file[u32::from_le_bytes(place) as usize % content] = byte;
    }
    let checksum = Sha256::digest(&file[..content]);
    file[content..].copy_from_slice(&checksum);
    if let Ok(network) = Network::from_bytes::<FusionGame>(&rules(), &file) {
        check_outputs(&Model::of(network));
    }
}

/// Checks that an accepted network returns valid chances and logits, whatever its weights.
fn check_outputs(model: &Model) {
    for rules in ["fusion-2020", "metamorphin"] {
        let rules: RuleSet = rules.parse().expect("a preset");
        let game = FusionGame::new(&rules);
        let mut evaluator = model.evaluator::<FusionGame>(0);
        let evaluation = evaluator.value(&game);
        let Wdl { win, draw, loss } = evaluation.wdl;
        assert!([win, draw, loss].iter().all(|chance| (0.0..=1.0).contains(chance)));
        assert!((win + draw + loss - 1.0).abs() < 1e-5, "{win} {draw} {loss}");
        assert!(evaluation.plies.is_finite() && evaluation.plies >= 0.0);
        let (mut moves, mut logits) = (Vec::new(), Vec::new());
        game.legal_moves(&mut moves);
        evaluator.policy(&game, &moves, &mut logits);
        assert_eq!(logits.len(), moves.len());
        assert!(logits.iter().all(|logit| logit.is_finite()), "{logits:?}");
    }
}
