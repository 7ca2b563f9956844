//! Tests study files: the shipped one, and mistakes.

use std::path::Path;

use fusion_chess::FusionGame;
use fusion_jobs::exit::{NO_INPUT, USAGE, exit_code};
use fusion_registry::{FreeChess, KnownGame, for_game};
use fusion_study::{Adjudication, LadderConfig, Study};

const REFERENCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/studies/reference.toml");

fn reference() -> String {
    std::fs::read_to_string(REFERENCE).unwrap()
}

/// The study that newcomers copy is short, and is the reference's but for keys with their default.
#[test]
fn the_quick_study_is_short() {
    let path = Path::new(REFERENCE).with_file_name("quick.toml");
    assert!(std::fs::read_to_string(&path).unwrap().lines().count() <= 20);
    let quick = Study::open::<FusionGame>(&path).unwrap();
    let mut reference = Study::open::<FusionGame>(Path::new(REFERENCE)).unwrap();
    reference.study.name = "quick".to_owned();
    reference.strength.rules.clear();
    let table = |study: &Study| toml::Table::try_from(study).unwrap();
    assert_eq!(table(&quick), table(&reference));
}

/// Parses and checks `text`, and returns its error.
fn error(text: &str) -> String {
    let checked = Study::parse(text).and_then(|study| study.check::<FusionGame>());
    checked.expect_err("the study must be rejected").to_string()
}

/// Returns the [`error`] of the reference with one replacement.
fn error_with(old: &str, new: &str) -> String {
    let text = reference();
    assert!(text.contains(old), "{old} is not in the study");
    error(&text.replacen(old, new, 1))
}

/// Returns the [`error`] of the reference with another value for a key, whatever the key's
/// value is.
fn error_of(section: &str, key: &str, value: &str) -> String {
    let mut inside = false;
    let mut found = false;
    let mut lines = Vec::new();
    for line in reference().lines() {
        if line.starts_with('[') {
            inside = line == format!("[{section}]");
        }
        if inside && line.split('=').next().is_some_and(|name| name.trim() == key) {
            found = true;
            lines.push(format!("{key} = {value}"));
        } else {
            lines.push(line.to_owned());
        }
    }
    assert!(found, "{key} is not in [{section}]");
    error(&lines.join("\n"))
}

#[test]
fn the_reference_is_valid_and_shows_every_key() {
    let study = Study::open::<FusionGame>(Path::new(REFERENCE)).unwrap();
    assert_eq!(study.out(), Path::new("runs/reference"));
    // The file has every key that the program reads.
    let known = toml::Table::try_from(&study).unwrap();
    let shown: toml::Table = reference().parse().unwrap();
    assert_same_keys(&known, &shown, "");
}

#[test]
fn every_shipped_study_is_valid() {
    let folder = Path::new(REFERENCE).parent().unwrap();
    let mut names = Vec::new();
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let game = KnownGame::of_rules(Study::read(&path).unwrap().measure.first_rules());
        let study = for_game!(game, G => Study::open::<G>(&path)).unwrap();
        assert_eq!(path.file_stem().unwrap().to_str(), Some(&*study.study.name));
        names.push(study.study.name);
    }
    assert!(names.len() >= 4, "{names:?}");
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

/// Returns the section that is commented out in the reference.
fn ladder() -> String {
    let text = reference();
    let (_, section) = text.split_once("# [ladder]").unwrap();
    format!("[ladder]{}", section.replace("\n# ", "\n"))
}

#[test]
fn the_ladder_that_the_reference_shows_is_valid_and_shows_every_key() {
    let study = Study::parse(&format!("{}{}", reference(), ladder())).unwrap();
    study.check::<FusionGame>().unwrap();
    let shown = study.ladder.clone().unwrap();
    assert_eq!(study.ladder_rules(&shown), ["fusion-1999", "fusion-2020"]);
    // The other values shown are the defaults, as their comments state.
    let default = LadderConfig { rules: shown.rules.clone(), ..LadderConfig::default() };
    assert_eq!(shown, default);
    assert_eq!(study.ladder_rules(&LadderConfig::default()).len(), 4);
    let shown: toml::Table = ladder().parse().unwrap();
    let known = toml::Table::try_from(&default).unwrap();
    assert_same_keys(&known, shown["ladder"].as_table().unwrap(), "ladder");
}

#[test]
fn wrong_values_of_the_ladder_are_rejected_by_name() {
    for (line, wanted) in [
        ("rules = []", "ladder.rules must name at least one"),
        ("rules = ['fusion-2021']", "ladder.rules"),
        ("nodes = 0", "ladder.nodes"),
        ("games = 7", "ladder.games must be even"),
        ("games = 0", "ladder.games"),
        ("games = 9223372036854775806", "ladder.games must lie between"),
        ("earlier = 0", "ladder.earlier"),
        ("references = ['uniform', 'uniform']", "ladder.references"),
        ("references = ['']", "ladder.references"),
        ("node = 3", "unknown key `node` in [ladder], known keys: rules, nodes, games, earlier"),
    ] {
        let message = error(&format!("{}[ladder]\n{line}\n", reference()));
        assert!(message.contains(wanted), "{line}: {message}");
    }
}

#[test]
fn all_but_the_name_has_a_default() {
    let study = Study::parse("[study]\nname = 'x'\n").unwrap();
    study.check::<FusionGame>().unwrap();
    assert_eq!((study.out(), study.study.seed), (Path::new("runs/x").to_owned(), 1));
}

#[test]
fn the_game_of_a_study_follows_from_its_rule_sets() {
    let trained = "[study]\nname = 'x'\n[selfplay.rules]\nfreechess-7 = 1.0\nfreechess-9 = 2.0\n";
    let trained = Study::parse(trained).unwrap();
    trained.check::<FreeChess>().unwrap();
    assert_eq!(trained.measure.rules, ["freechess-7", "freechess-9"]);
    assert_eq!(trained.network.file, None);
    for (rules, player) in
        [("orthodox", KnownGame::Chess.player()), ("freechess-7", KnownGame::FreeChess.player())]
    {
        let text = format!("[study]\nname = 'x'\n[measure]\nrules = ['{rules}']\n");
        let played = Study::parse(&text).unwrap();
        assert_eq!(played.network.file.as_deref(), Some(Path::new(player)));
    }
}

#[test]
fn stages_change_what_they_name_from_their_generation_on() {
    let text = "[study]\nname = 'x'\n[selfplay]\ngames = 10\n[train]\ngenerations = 20\nwindow = 4\n\
                learning_rate = 0.01\nstages = [\
                { from = 2, games = 20, simulations = 99 }, { from = 5, learning_rate = 0.001 },\
                { from = 7, games = 30 }]\n";
    let study = Study::parse(text).unwrap();
    study.check::<FusionGame>().unwrap();
    let games = [0, 1, 2, 6, 7, 9].map(|generation| study.selfplay_of(generation).games);
    assert_eq!(games, [10, 10, 20, 20, 30, 30]);
    assert_eq!(study.selfplay_of(9).simulations, 99);
    assert_eq!([4, 5].map(|generation| study.train.learning_rate_of(generation)), [0.01, 0.001]);
}

#[test]
fn a_study_can_be_told_to_train_its_own_network() {
    let study = Study::open::<FusionGame>(Path::new(REFERENCE)).unwrap();
    assert!(study.network().ends_with("data/nets/family.fnet"));
    let training = study.training();
    assert_eq!(training.network(), Path::new("runs/reference-trained/train/best.fnet"));
    // The printed study is the same study.
    let again = Study::parse(&toml::to_string(&training).unwrap()).unwrap();
    assert_eq!(toml::Table::try_from(&again).unwrap(), toml::Table::try_from(&training).unwrap());

    let elsewhere = Study::parse("[study]\nname = 'x'\nout = '/data/mine'\n").unwrap();
    assert_eq!(elsewhere.training().out(), Path::new("/data/mine-trained"));
}

#[test]
fn unknown_keys_are_rejected_with_their_section_and_the_known_keys() {
    let message = error_with("[measure]\nrules", "[measure]\nrule");
    let wanted = "unknown key `rule` in [measure], known keys: rules, factorial, base, ablate, ";
    assert!(message.starts_with("line ") && message.contains(wanted), "{message}");
    let message = error_with("elo0 =", "elo =");
    assert!(
        message.contains("unknown key `elo` in [train.gate.sprt], known keys: elo0, "),
        "{message}"
    );
    let message = error_with("[network]", "[net]");
    assert!(message.contains("unknown section [net], known sections: study, network"), "{message}");
    let message = error("game = 1\n[study]\nname = 'x'\n");
    assert!(message.contains("unknown key `game` in the file, known keys: study"), "{message}");
    let message = error_with("c_puct =", "cpuct =");
    assert!(message.contains("unknown key `cpuct` in [selfplay.search]"), "{message}");
}

#[test]
fn wrong_values_are_rejected_by_name() {
    for (section, key, value, wanted) in [
        ("study", "seed", "-1", "[study]"),
        ("study", "name", "'../up'", "study.name"),
        ("network", "hidden", "100", "network.hidden"),
        ("network", "hidden", "0", "network.hidden"),
        ("network", "hidden", "16384", "network.hidden"),
        ("network", "hidden", "'wide'", "[network]"),
        ("selfplay", "full_share", "1.5", "selfplay.full_share"),
        ("selfplay", "temperature", "0.0", "selfplay.temperature"),
        ("selfplay", "simulations", "4294967295", "selfplay.simulations"),
        ("selfplay", "random_plies", "[0, 399]", "selfplay.random_plies"),
        ("selfplay", "random_plies", "[9, 6]", "selfplay.random_plies"),
        (
            "selfplay",
            "random_plies",
            "8",
            "random_plies: invalid type: integer `8`, expected a list",
        ),
        ("selfplay", "shards", "100000", "selfplay.shards"),
        (
            "selfplay",
            "evaluator",
            "'gpu'",
            "[selfplay]: evaluator: unknown variant `gpu`, expected",
        ),
        ("selfplay.rules", "orthodox", "0.0", "selfplay.rules"),
        ("selfplay.search", "c_puct", "nan", "selfplay.search"),
        ("measure.search", "lcb", "inf", "measure.search.lcb"),
        ("train.gate", "games", "101", "train.gate.games"),
        ("train.gate.sprt", "elo1", "0.0", "train.gate.sprt"),
        ("measure", "nodes", "[]", "measure.nodes"),
        ("measure", "nodes", "[200, 200]", "measure.nodes"),
        ("measure", "nodes", "400", "in [measure]: nodes is a list: write nodes = [400]"),
        ("measure", "cap", "50", "measure.cap"),
        ("measure", "shards", "0", "measure.shards"),
        ("openings", "plies", "[8, 6]", "openings.plies"),
        ("openings", "plies", "[6, 8, 90]", "plies: invalid length 3, expected a list of two"),
        ("openings", "plies", "[6]", "plies: invalid length 1, expected a list of two"),
        ("openings", "plies", "6", "expected a list of two"),
        ("strength", "plies", "[4, 8, 9]", "invalid length 3"),
        ("openings", "max_advantage", "nan", "openings.max_advantage"),
        ("train", "lag", "2", "train.lag must be 0 or 1"),
        ("train", "learning_rate", "inf", "train.learning_rate"),
        ("train", "horizon_weight", "-1.0", "train.horizon_weight"),
        ("selfplay", "noise", "1.5", "selfplay.noise"),
        ("train", "stages", "[{ from = 2 }, { from = 2 }]", "train.stages must be in the order"),
        ("train", "stages", "[{ from = 2, learning_rate = 0.0 }]", "train.stages: a learning_rate"),
        ("train", "stages", "[{ from = 2, simulations = 0 }]", "from generation 2: selfplay.sim"),
        ("train", "stages", "[{ game = 2 }]", "unknown key `game`"),
        ("selfplay", "any_rules", "1.5", "selfplay.any_rules"),
        ("selfplay.search", "haste", "-1.0", "selfplay.search.haste"),
        ("measure.search", "policy_temperature", "0.0", "measure.search.policy_temperature"),
        ("measure.search", "lcb", "nan", "measure.search.lcb"),
    ] {
        let message = error_of(section, key, value);
        assert!(message.contains(wanted), "{key} = {value}: {message}");
    }
    for (old, new, wanted) in [
        ("name = \"reference\"", "", "[study] lacks the study's name: add name = "),
        (
            "name = \"reference\"",
            "name = \"a\\u001b]0;b\"",
            "study.name \"a\\u{1b}]0;b\" must consist",
        ),
        ("orthodox = 1.0", "orthodoxy = 1.0", "orthodoxy"),
        ("\"orthodox\"]", "\"fusion-2020,castling=yes\"]", "same rule set"),
        ("[strength]", "[strength", "line "),
    ] {
        let message = error_with(old, new);
        assert!(message.contains(wanted), "{new}: {message}");
    }
}

/// Without these keys nothing is rejected or adjudicated, so the shipped study has them as comments.
#[test]
fn settings_of_the_alpha_beta_searchs_games_are_explained_and_wrong_ones_rejected_by_name() {
    let study = |text: &str| format!("[study]\nname = 'x'\n[selfplay]\n{text}\n");
    let reference = reference();
    let (_, section) = reference.split_once("# [selfplay.adjudication]").unwrap();
    let (section, _) = section.split_once("\n\n").unwrap();
    let shown = study(&format!("[selfplay.adjudication]{}", section.replace("\n# ", "\n")));
    let known = Study::parse(&shown).unwrap().selfplay.adjudication.unwrap();
    assert_eq!(known, Adjudication::default());
    let shown: toml::Table = shown.parse().unwrap();
    let shown = shown["selfplay"]["adjudication"].as_table().unwrap();
    assert_same_keys(&toml::Table::try_from(&known).unwrap(), shown, "adjudication");
    assert!(reference.contains("# opening_value = "));

    let adjudication = "selfplay.adjudication";
    for (text, wanted) in [
        ("opening_value = 0", "selfplay.opening_value must lie between 1 and 20000".to_owned()),
        ("opening_value = 20001", "selfplay.opening_value must lie between 1 and".to_owned()),
        ("opening_values = 300", "unknown key `opening_values` in [selfplay]".to_owned()),
        ("adjudication.value = 0", format!("{adjudication}.value must lie between 1 and 20000")),
        ("adjudication.plies = 0", format!("{adjudication}.plies must be at least 1")),
        ("adjudication.control = 1.1", format!("{adjudication}.control must lie between 0 and 1")),
        (
            "[selfplay.adjudication]\nbound = 840",
            format!("unknown key `bound` in [{adjudication}]"),
        ),
    ] {
        let message = error(&study(text));
        assert!(message.contains(&wanted), "{text}: {message}");
    }
}

#[test]
fn torch_does_not_evaluate_for_the_alpha_beta_search() {
    let message =
        error("[study]\nname = 'x'\n[network]\nsearch = 'pvs'\n[selfplay]\nevaluator = 'torch'\n");
    assert!(
        message.starts_with("selfplay.evaluator: torch evaluates only networks of the tree"),
        "{message}"
    );
    let message = error("[study]\nname = 'x'\n[network]\nsearch = 'pvs'\nhidden = 100\n");
    assert!(message.starts_with("network.hidden: "), "{message}");
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

/// A full tree would change the results, so no search may fill its tree.
#[test]
fn trees_have_room_for_every_budget() {
    let all = [
        ("measure", "[measure]\nnodes = [10, 20]", 2_560),
        ("measure", "[extra.long]\nnodes = [500]", 64_000),
        ("measure", "[openings]\nnodes = 500", 64_000),
        ("measure", "[strength]\nnodes = 500", 64_000),
        ("measure", "[strength]\nopponent_nodes = 500", 64_000),
        ("measure", "[matches.long]\nnodes = 500", 64_000),
        ("measure", "[ladder]\nnodes = 500", 64_000),
        ("selfplay", "[selfplay]\nsimulations = 500", 64_000),
        ("selfplay", "[selfplay]\nfast_simulations = 500", 64_000),
        ("selfplay", "[train.gate]\nnodes = 500", 64_000),
        (
            "selfplay",
            "[train]\ngenerations = 2\nstages = [{ from = 1, simulations = 500 }]",
            64_000,
        ),
    ];
    for (section, text, needed) in all {
        let study = |most: u32| {
            // The other searches of the section need fewer nodes.
            let most = format!("[{section}.search]\nmax_nodes = {most}\n");
            let small = "[openings]\nnodes = 1\n[strength]\nnodes = 1\n[measure]\nnodes = [1]\n";
            let rest = if needed < 10_000 {
                small.replace("[measure]\nnodes = [1]\n", "")
            } else {
                String::new()
            };
            format!("[study]\nname = 'x'\n{text}\n{rest}{most}")
        };
        Study::parse(&study(needed)).unwrap().check::<FusionGame>().unwrap();
        for most in [0, 1, needed - 1] {
            let message = error(&study(most));
            let wanted = format!(" needs {section}.search.max_nodes = ");
            assert!(message.contains(&wanted), "{text}: {message}");
            assert!(message.ends_with(&format!("it is {most}")), "{text}: {message}");
        }
    }
    let most = "[study]\nname = 'x'\n[measure]\nnodes = [40000000]\n";
    assert!(error(most).contains("measure.nodes must be at most 33554431"));
}

/// Trees of real searches stay well below the computed room.
#[test]
fn trees_stay_within_their_room() {
    use fusion_game::prelude::*;
    use fusion_network::model::Model;
    use fusion_search::{Search, SearchConfig};
    use fusion_study::room_for;

    const VISITS: u32 = 400;
    let model = Model::open::<FusionGame>("material", []).unwrap();
    for rules in ["fusion-1999", "fusion-2006", "fusion-2020", "union", "orthodox"] {
        let mut game = FusionGame::new(&RuleSet::parse(rules).unwrap());
        let mut search = Search::new(SearchConfig::default(), game.clone());
        let mut evaluator = model.evaluator::<FusionGame>(1);
        for _ in 0..30 {
            search.run(evaluator.as_mut(), VISITS);
            let nodes = search.nodes();
            assert!(nodes * 2 < room_for(VISITS) as usize, "{rules}: {nodes} nodes");
            let Some(best) = search.children().into_iter().max_by_key(|child| child.visits) else {
                break;
            };
            game.play(best.mv);
            search.advance(best.mv);
        }
    }
}

#[test]
fn what_is_missing_or_too_long_is_said() {
    let message = error("[measure]\nnodes = [4]\n");
    assert!(message.contains("the section [study] is missing"), "{message}");
    let primary =
        "[study]\nname = 'x'\n[measure]\nprimary = ['fusion-2020', 'fusion-1999', 'a', 'b']\n";
    let message = error(primary);
    let wanted = "line 4: in [measure]: primary: invalid length 4, expected a list of two values";
    assert!(message.contains(wanted), "{message}");
    let message = error("[study]\nname = 'x'\n[train]\nstages = [{ from = 1, games = 'x' }]\n");
    assert!(message.contains("in [train]: games: invalid type: string"), "{message}");
}

#[test]
fn folders_and_files_have_names_that_scripts_can_be_given() {
    let error = |text: &str| error(&format!("[study]\nname = 'x'\n{text}"));
    for out in ["''", "'-rf'", "\"a\\nb\"", "'uci:touch x'", "'alphabeta:3'"] {
        let message = error(&format!("out = {out}\n"));
        assert!(message.contains("study.out"), "{out}: {message}");
    }
    let message = error("[network]\nfile = 'uci:touch x'\n");
    assert!(message.contains("network.file"), "{message}");
    let message = error("[train]\nstart = 'uci:touch x'\n");
    assert!(message.contains("train.start must be uniform, material"), "{message}");
}
