//! Tests measurement games with endgame tables: proofs, adjudication and rejections.

use super::tiny;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;
use fusion_chess::FusionGame;
use fusion_chess::board::MoveKind;
use fusion_chess::endgame::{Material, Tables, Value};
use fusion_chess::notation::pgn::{self, PgnGame};
use fusion_game::Side;
use fusion_game::prelude::*;
use fusion_game::toy::Variant;
use fusion_game::toy::{KNOWN_FROM, TicTacToe, best_play};
use fusion_game::{Description, Tactics};
use fusion_jobs::exit::{NO_INPUT, USAGE, exit_code};
use fusion_jobs::seeds;
use fusion_jobs::shard::ShardReader;
use fusion_jobs::stop::Stop;
use fusion_network::model::Model;
use fusion_runner::measure::{self, GameRow, MeasuredGame, PlayedMove};
use fusion_runner::openings::Pool;
use fusion_study::{MeasureConfig, Study};
use rand::seq::IndexedRandom;
use tempfile::TempDir;

/// Writes tables of tic-tac-toe for these rule sets: one file for each, with any content.
fn tables(rules: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    rules.iter().for_each(|rules| fs::write(folder.path().join(rules), rules).unwrap());
    folder
}

fn config(tables: &Path, adjudicate: bool) -> MeasureConfig {
    MeasureConfig {
        rules: ["misere", "normal"].map(str::to_owned).to_vec(),
        nodes: vec![3],
        own_plies: 3,
        tables: Some(tables.to_owned()),
        adjudicate,
        ..MeasureConfig::default()
    }
}

fn play(config: &MeasureConfig, folder: &Path) -> anyhow::Result<Vec<MeasuredGame>> {
    let pool = Pool::without_plies(40);
    let model = Model::open::<TicTacToe>("uniform", [])?.into();
    measure::run::<TicTacToe>(config, &pool, &model, 5, folder, 0..1, &Stop::new())?;
    assert!(measure::assemble_if_whole::<TicTacToe>(folder, &Stop::new())?.is_empty());
    let shard = ShardReader::open(&folder.join("measure-00000-of-00001.shard"))?;
    let parse = |payload: &[u8]| MeasuredGame::parse(Description::of::<TicTacToe>(), payload);
    Ok(shard.map(|frame| parse(&frame.unwrap().1).unwrap()).collect())
}

/// Returns the position after some plies of a game.
fn replayed(game: &MeasuredGame, plies: usize) -> TicTacToe {
    let mut position = TicTacToe::new(&Variant::parse(&game.row.rules).unwrap());
    for PlayedMove(text, _) in &game.moves[..plies] {
        position.play(position.parse_move(text).unwrap());
    }
    position
}

fn result(winner: Option<Side>) -> &'static str {
    match winner {
        None => "1/2-1/2",
        Some(Side::First) => "1-0",
        Some(Side::Second) => "0-1",
    }
}

#[test]
fn what_is_proven_is_played_out() {
    let (tables, out) = (tables(&["normal", "misere"]), tempfile::tempdir().unwrap());
    let games = play(&config(tables.path(), false), out.path()).unwrap();
    assert_eq!(games.len(), 80);
    for game in &games {
        let proven = best_play(&replayed(game, KNOWN_FROM));
        assert_eq!(game.row.result.text(), result(proven.0), "{game:?}");
        assert_ne!(game.row.ending.name(), "tables");
        // The winner plays the shortest win, and the loser the longest defence.
        assert!(proven.0.is_none() || game.row.plies == KNOWN_FROM as u32 + proven.1, "{game:?}");
    }
}

#[test]
fn adjudicated_games_end_with_what_is_proven() {
    let (tables, out) = (tables(&["normal", "misere"]), tempfile::tempdir().unwrap());
    for game in play(&config(tables.path(), true), out.path()).unwrap() {
        assert_eq!((game.row.ending.name(), game.moves.len()), ("tables", KNOWN_FROM));
        let proven = best_play(&replayed(&game, KNOWN_FROM));
        assert_eq!(game.row.result.text(), result(proven.0));
        assert_eq!(game.row.drama.is_some(), proven.0.is_some());
    }
    let json = fs::read_to_string(out.path().join("measure.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["adjudicate"], serde_json::json!(true));
    assert_eq!(json["tables"]["materials"], serde_json::json!(["late"]));
    assert_eq!(json["tables"]["sha256"].as_str().map(str::len), Some(64));
}

/// Without tables, the settings have no keys about tables.
#[test]
fn without_tables_settings_are_as_ever() {
    let out = tempfile::tempdir().unwrap();
    let config = MeasureConfig { tables: None, ..config(Path::new(""), false) };
    play(&config, out.path()).unwrap();
    let json = fs::read_to_string(out.path().join("measure.json")).unwrap();
    assert!(!json.contains("tables") && !json.contains("adjudicate"), "{json}");
    let shard = fs::read(out.path().join("measure-00000-of-00001.shard")).unwrap();
    let header = String::from_utf8_lossy(&shard[..2_000.min(shard.len())]).into_owned();
    assert!(header.contains("\"history\":true}}"), "search is last: {header}");
}

#[test]
fn other_tables_are_another_measurement() {
    let (tables, out) = (tables(&["normal", "misere"]), tempfile::tempdir().unwrap());
    let config = config(tables.path(), true);
    play(&config, out.path()).unwrap();
    play(&config, out.path()).unwrap();
    fs::write(tables.path().join("misere"), "others").unwrap();
    let error = play(&config, out.path()).unwrap_err();
    assert_eq!(exit_code(&error), USAGE);
    assert!(format!("{error:#}").contains("its parameters.tables.sha256 is"), "{error:#}");
    let without = MeasureConfig { adjudicate: false, tables: None, ..config };
    assert_eq!(exit_code(&play(&without, out.path()).unwrap_err()), USAGE);
}

#[test]
fn every_rule_set_needs_its_tables() {
    let (tables, out) = (tables(&["normal"]), tempfile::tempdir().unwrap());
    let folder = out.path().join("measure");
    let error = play(&config(tables.path(), true), &folder).unwrap_err();
    assert_eq!(exit_code(&error), NO_INPUT);
    assert!(error.to_string().contains("no tables for misere"), "{error}");
    assert!(!folder.exists(), "nothing was begun");
}

#[test]
fn the_same_material_is_needed_in_every_arm() {
    let tables = tempfile::tempdir().unwrap();
    let rules = ["orthodox", "fusion-2020"].map(|name| name.parse().unwrap());
    rules.iter().for_each(|rules| tiny::build(tables.path(), 'R', rules));
    tiny::build(tables.path(), 'N', &rules[1]);
    let config = MeasureConfig {
        rules: ["orthodox", "fusion-2020"].map(str::to_owned).to_vec(),
        own_plies: 3,
        tables: Some(tables.path().to_owned()),
        ..MeasureConfig::default()
    };
    let model = Model::open::<FusionGame>("uniform", []).unwrap().into();
    let pool = Pool::without_plies(1);
    let trial = || measure::trial::<FusionGame>(&config, &pool, &model, 1, &[]);
    let error = trial().unwrap_err();
    assert_eq!(exit_code(&error), NO_INPUT);
    assert!(error.to_string().contains("no endgame table KNvK for orthodox"), "{error}");
    tiny::build(tables.path(), 'N', &rules[0]);
    trial().unwrap();
}

#[test]
fn studies_say_where_tables_are() {
    let study = |text: &str| Study::parse(&format!("[study]\nname = 't'\n{text}")).unwrap();
    let with = study(
        "[measure]\ntables = 'endings'\nadjudicate = true\n[extra.a]\n[extra.b]\ntables = ''\n\
         [extra.c]\nadjudicate = false\n[extra.d]\ntables = 'others'",
    );
    with.check::<FusionGame>().unwrap();
    let used: Vec<_> = with
        .measurements()
        .iter()
        .map(|each| (each.config.tables().map(Path::to_owned), each.config.adjudicate))
        .collect();
    let at = |folder: &str, judged| (Some(folder.into()), judged);
    let expected = [
        at("endings", true),
        at("endings", true),
        (None, false),
        at("endings", false),
        at("others", true),
    ];
    assert_eq!(used, expected);
    for (text, wanted) in [
        ("[measure]\nadjudicate = true", "measure.adjudicate needs endgame tables"),
        ("[extra.a]\nadjudicate = true", "extra.a.adjudicate needs endgame tables"),
        ("[extra.a]\nadjudicate = true\ntables = ''", "name their folder as tables"),
    ] {
        let message = study(text).check::<FusionGame>().unwrap_err().to_string();
        assert!(message.contains(wanted), "{text}: {message}");
    }
}

/// Returns plies from the initial position into King and Rook against King, legal under all rules.
fn line_into_a_rook_ending() -> Vec<String> {
    let wanted: Material = "KRvK".parse().unwrap();
    let mut rng = seeds::stream("test", &[1]);
    let rules = "no-fusion".parse().unwrap();
    loop {
        let (mut game, mut line) = (FusionGame::new(&rules), Vec::new());
        while line.len() < 98 && game.outcome_now().is_none() {
            let mut moves = Vec::new();
            game.legal_moves(&mut moves);
            moves.retain(|&mv| !matches!(mv.kind(), MoveKind::Promotion(_) | MoveKind::Castling));
            let captures: Vec<_> =
                moves.iter().copied().filter(|&mv| game.is_forcing(mv)).collect();
            let Some(&mv) = captures.choose(&mut rng).or_else(|| moves.choose(&mut rng)) else {
                break;
            };
            line.push(game.move_text(mv));
            game.play(mv);
            let material = Material::of(game.position()).map(|(material, _)| material);
            if material == Some(wanted) && game.outcome_now().is_none() {
                return line;
            }
        }
    }
}

fn program(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(cargo_bin("fusion"));
    command.current_dir(folder).args(line.split_whitespace()).output().unwrap()
}

#[test]
fn a_study_is_adjudicated_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let line = line_into_a_rook_ending();
    fs::write(
        folder.join("openings.csv"),
        format!("id,plies,moves,fen\n0,{},{},x\n", line.len(), line.join(" ")),
    )
    .unwrap();
    let study = "[study]\nname = 't'\nout = 'out'\n[network]\nfile = 'material'\n\
                 [openings]\ncount = 1\n[measure]\nrules = ['orthodox', 'fusion-2020']\nnodes = [4]\n\
                 tables = 'endings'\nadjudicate = true\n\
                 [extra.plain]\ntables = ''\n[extra.searched]\nadjudicate = false\n";
    fs::write(folder.join("t.toml"), study).unwrap();
    let command = "measure --study t.toml --openings openings.csv";

    let missing = program(folder, command);
    let message = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert_eq!(missing.status.code(), Some(66), "{message}");
    let build = "fusion endgames build --out endings --rules";
    assert!(message.contains(build) && !folder.join("out").exists(), "{message}");

    let orthodox = "orthodox".parse().unwrap();
    tiny::build(&folder.join("endings"), 'R', &orthodox);
    tiny::build(&folder.join("endings"), 'R', &"fusion-2020".parse().unwrap());
    let done = program(folder, command);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));

    let rows = |name: &str| -> Vec<GameRow> {
        let file = fs::File::open(folder.join("out").join(name)).unwrap();
        measure::read_rows(Description::of::<FusionGame>(), file).unwrap()
    };
    let mut ending = FusionGame::new(&orthodox);
    line.iter().for_each(|text| ending.play(ending.parse_move(text).unwrap()));
    let tables = Tables::open(&folder.join("endings"), &orthodox).unwrap();
    let proven = tables.value(ending.position()).unwrap();
    let winner = match proven {
        Value::Draw => None,
        Value::Win(_) => Some(ending.side_to_move()),
        Value::Loss(_) => Some(ending.side_to_move().other()),
    };
    let judged = &rows("measure/games.csv")[1];
    assert_eq!(judged.rules, "orthodox");
    assert_eq!((judged.ending.name(), judged.result.text()), ("tables", result(winner)));
    assert_eq!(judged.plies, judged.opening_plies);
    let searched = &rows("extra/searched/games.csv")[1];
    assert_eq!(searched.result, judged.result, "played out as proven");
    assert_ne!(searched.ending.name(), "tables");
    let length = proven.plies().map(|plies| judged.plies + u32::from(plies));
    assert!(length.is_none_or(|plies| searched.plies == plies));

    let pgn = fs::read(folder.join("out/measure/games.pgn")).unwrap();
    let games: Vec<PgnGame> = pgn::read(&pgn[..]).map(Result::unwrap).collect();
    assert_eq!(games[1].tag("Termination"), Some("adjudication"));
    assert_eq!(games[1].tag("Ending"), Some("tables"));
    let plain = fs::read_to_string(folder.join("out/extra/plain/measure.json")).unwrap();
    assert!(!plain.contains("tables"), "{plain}");
}
