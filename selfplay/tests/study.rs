//! Study files: the shipped one, and mistakes.

use std::path::Path;

use fusion_engine::cli::{NO_INPUT, USAGE, exit_code};
use fusion_engine::fusion::FusionGame;
use fusion_selfplay::study::Study;

const QUICK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/studies/quick.toml");

fn quick() -> String {
    std::fs::read_to_string(QUICK).unwrap()
}

/// The error that `text` gives, parsed and checked.
fn error(text: &str) -> String {
    let checked = Study::parse(text).and_then(|study| study.check::<FusionGame>());
    checked.expect_err("the study must be refused").to_string()
}

/// [`error`] of the shipped study with one replacement.
fn error_with(old: &str, new: &str) -> String {
    let text = quick();
    assert!(text.contains(old), "{old} is not in the study");
    error(&text.replacen(old, new, 1))
}

#[test]
fn the_shipped_study_is_valid_and_shows_every_key() {
    let study = Study::open::<FusionGame>(Path::new(QUICK)).unwrap();
    assert_eq!(study.out(), Path::new("runs/quick"));
    // Every key that the program knows stands in the file.
    let known = toml::Table::try_from(&study).unwrap();
    let shown: toml::Table = quick().parse().unwrap();
    assert_same_keys(&known, &shown, "");
}

fn assert_same_keys(known: &toml::Table, shown: &toml::Table, path: &str) {
    for (key, value) in known {
        let path = format!("{path}.{key}");
        let other = shown.get(key).unwrap_or_else(|| panic!("{path} is not explained"));
        if let (toml::Value::Table(known), toml::Value::Table(shown)) = (value, other) {
            assert_same_keys(known, shown, &path);
        }
    }
}

#[test]
fn all_but_the_name_has_a_default() {
    let study = Study::parse("[study]\nname = 'x'\n").unwrap();
    study.check::<FusionGame>().unwrap();
    assert_eq!((study.out(), study.study.seed), (Path::new("runs/x").to_owned(), 1));
}

#[test]
fn unknown_keys_are_refused_with_their_section_and_the_known_keys() {
    let message = error_with("nodes = [200]", "node = [200]");
    let wanted = "unknown key `node` in [measure], known keys: rules, nodes, cap, shards, search";
    assert!(message.starts_with("line ") && message.ends_with(wanted), "{message}");
    let message = error_with("elo0 = 0.0", "elo = 0.0");
    assert!(
        message.contains("unknown key `elo` in [train.gate.sprt], known keys: elo0, "),
        "{message}"
    );
    let message = error_with("[network]", "[net]");
    assert!(message.contains("unknown section [net], known sections: study, network"), "{message}");
    let message = error("game = 1\n[study]\nname = 'x'\n");
    assert!(message.contains("unknown key `game` in the file, known keys: study"), "{message}");
}

#[test]
fn wrong_values_are_refused_by_name() {
    for (old, new, wanted) in [
        ("seed = 1", "seed = -1", "[study]"),
        ("hidden = 128", "hidden = 100", "network.hidden"),
        ("hidden = 128", "hidden = 'wide'", "[network]"),
        ("name = \"quick\"", "", "missing field `name`"),
        ("name = \"quick\"", "name = \"../up\"", "study.name"),
        ("full_share = 0.5", "full_share = 1.5", "selfplay.full_share"),
        ("temperature = 1.0", "temperature = 0.0", "selfplay.temperature"),
        ("orthodox = 1.0", "orthodox = 0.0", "selfplay.rules"),
        ("orthodox = 1.0", "orthodoxy = 1.0", "orthodoxy"),
        ("\"orthodox\"]", "\"fusion-2020,castling=yes\"]", "same rule set"),
        ("games = 100 ", "games = 101 ", "train.gate.games"),
        ("elo1 = 35.0", "elo1 = 0.0", "train.gate.sprt"),
        ("nodes = [200]", "nodes = []", "measure.nodes"),
        ("nodes = [200]", "nodes = [200, 200]", "measure.nodes"),
        ("plies = [6, 8]", "plies = [8, 6]", "openings.plies"),
        ("cap = 600", "cap = 50", "measure.cap"),
        ("max_advantage = 0.5", "max_advantage = nan", "openings.max_advantage"),
        ("learning_rate = 0.002", "learning_rate = inf", "train.learning_rate"),
        ("c_puct = 1.0", "cpuct = 1.0", "unknown key `cpuct` in [selfplay.search]"),
        ("[strength]", "[strength", "line "),
    ] {
        let message = error_with(old, new);
        assert!(message.contains(wanted), "{new}: {message}");
    }
}

#[test]
fn exit_codes_tell_a_missing_file_from_a_wrong_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.toml");
    let open = || exit_code(&Study::open::<FusionGame>(&path).unwrap_err());
    assert_eq!(open(), NO_INPUT);
    std::fs::write(&path, "[study]\nnam = 1\n").unwrap();
    assert_eq!(open(), USAGE);
}
