//! Tests that the project's shipped network matches its card, and that it plays.

use std::path::Path;

use fusion_chess::FusionGame;
use fusion_jobs::stop::Stop;
use fusion_network::model::Model;
use fusion_runner::matches::{self, MatchConfig, Player};

const NETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/nets");

const SHIPPED: &str = "family.fnet";

fn model(name: &str) -> Model {
    Model::open::<FusionGame>(&format!("{NETS}/{name}")).unwrap()
}

#[test]
fn the_card_names_the_networks_and_the_files_are_small() {
    let card = std::fs::read_to_string(Path::new(NETS).join("README.md")).unwrap();
    for name in [SHIPPED, "base.fnet"] {
        let hash = model(name).hash().to_owned();
        assert!(card.contains(&hash), "the card does not name {hash}");
        let size = std::fs::metadata(Path::new(NETS).join(name)).unwrap().len();
        assert!(size <= 8 << 20, "{size} bytes");
    }
}

#[test]
fn it_plays_far_better_than_counting_material() {
    let folder = tempfile::tempdir().unwrap();
    let material = Model::open::<FusionGame>("material").unwrap();
    let config = MatchConfig {
        first: Player::of(model(SHIPPED), 64),
        second: Player::of(material, 64),
        rules: ["fusion-1999", "fusion-2020", "metamorphin"].map(str::to_owned).to_vec(),
        games: 30,
        plies: (4, 8),
        cap: 400,
        search: fusion_search::SearchConfig::default(),
        sprt: None,
        seed: 1,
    };
    let report = matches::run::<FusionGame>(&config, folder.path(), &Stop::new()).unwrap();
    assert!(report.total.wins >= 27, "{:?}", report.total);
}
