//! Tests that the project's shipped networks match their card, and that they play.

use std::path::Path;

use fusion_chess::FusionGame;
use fusion_game::{CompleteGame, RuleSet};
use fusion_jobs::stop::Stop;
use fusion_network::model::{Model, MoveModel};
use fusion_registry::{ChesimalGame, FreeChess};
use fusion_runner::matches::{self, MatchConfig, Player};
use fusion_study::rule_sets;

const NETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/nets");

const SHIPPED: &str = "family.fnet";

/// The network of the alpha-beta search.
const PVS: &str = "family-pvs.fnet";

/// The networks of Chesimal Fusion I and of FreeChess.
const CHESIMAL: &str = "chesimal.fnet";
const FREECHESS: &str = "freechess.fnet";

fn model<G: CompleteGame>(name: &str) -> Model {
    Model::open::<G>(&format!("{NETS}/{name}"), [&rules::<G>()]).unwrap()
}

fn rules<G: CompleteGame>() -> G::Rules {
    G::Rules::parse(G::BENCHMARK.rules).unwrap()
}

#[test]
fn the_card_names_the_networks_and_the_files_are_small() {
    let card = std::fs::read_to_string(Path::new(NETS).join("README.md")).unwrap();
    let hashes =
        [SHIPPED, "base.fnet"].map(|name| (name, model::<FusionGame>(name).hash().to_owned()));
    let pvs =
        MoveModel::open::<FusionGame>(&format!("{NETS}/{PVS}"), [&rules::<FusionGame>()]).unwrap();
    let pvs = (PVS, pvs.hash().to_owned());
    let chesimal = model::<ChesimalGame>(CHESIMAL);
    let chesimal = (CHESIMAL, chesimal.hash().to_owned());
    let freechess = model::<FreeChess>(FREECHESS);
    let freechess = (FREECHESS, freechess.hash().to_owned());
    for (name, hash) in hashes.into_iter().chain([pvs, chesimal, freechess]) {
        assert!(card.contains(&hash), "the card does not name {hash}");
        let size = std::fs::metadata(Path::new(NETS).join(name)).unwrap().len();
        assert!(size <= 8 << 20, "{size} bytes");
    }
}

/// Returns the wins of a player against the same search on material, in 30 games.
fn wins<G: CompleteGame>(player: &str, material: &str, nodes: u32, rules: &[&str]) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let rules: Vec<String> = rules.iter().map(|&rules| rules.to_owned()).collect();
    let sets = rule_sets::<G>(&rules).unwrap();
    let open = |text: &str| Player::open::<G>(text, nodes, &sets).unwrap();
    let config = MatchConfig {
        first: open(player),
        second: open(material),
        rules,
        games: 30,
        plies: (4, 8),
        cap: 400,
        search: fusion_search::SearchConfig::default(),
        sprt: None,
        seed: 1,
    };
    matches::run::<G>(&config, folder.path(), &Stop::new()).unwrap().total.wins
}

#[test]
fn networks_play_far_better_than_counting_material() {
    let rules = ["fusion-1999", "fusion-2020", "metamorphin"];
    let found = wins::<FusionGame>(&format!("{NETS}/{SHIPPED}"), "material", 64, &rules);
    assert!(found >= 27, "{found} wins of the tree search");
    let found = wins::<FusionGame>(&format!("pvs:{NETS}/{PVS}"), "pvs:material", 1_000, &rules);
    assert!(found >= 24, "{found} wins of the alpha-beta search");
    let small = ["chesimal-small", "chesimal-small,friendly=amp"];
    let found = wins::<ChesimalGame>(&format!("{NETS}/{CHESIMAL}"), "material", 64, &small);
    assert!(found >= 20, "{found} wins of Chesimal's network");
    let found = wins::<FreeChess>(&format!("{NETS}/{FREECHESS}"), "material", 16, &["freechess-7"]);
    assert!(found >= 28, "{found} wins of FreeChess's network");
}
