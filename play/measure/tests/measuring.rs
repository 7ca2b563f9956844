//! A study in a page has the games and the files of the same study by the program.

use fusion_game::files;
use fusion_jobs::stop::Stop;
use fusion_play_measure::Measuring;
use fusion_registry::{FusionGame, KnownGame};
use fusion_runner::measure;
use fusion_runner::openings::{self, Pool};
use fusion_study::{Searcher, Study, rule_sets};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Sends a request and returns the reply.
fn ask(measuring: &mut Measuring, request: &Value) -> Value {
    serde_json::from_str(&measuring.handle(&request.to_string())).unwrap()
}

fn ok(measuring: &mut Measuring, request: Value) -> Value {
    let reply = ask(measuring, &request);
    assert!(reply["error"].is_null(), "{request}: {reply}");
    reply["ok"].clone()
}

/// Begins a study and returns its text and the pool.
fn begin(measuring: &mut Measuring, question: Value) -> (String, String) {
    let study = ok(measuring, question)["study"].as_str().unwrap().to_owned();
    ok(measuring, json!({ "measure": "begin", "study": study }));
    loop {
        let reply = ok(measuring, json!({ "measure": "openings" }));
        if let Some(pool) = reply["pool"].as_str() {
            assert_eq!(reply["found"], reply["of"]);
            return (study, pool.to_owned());
        }
    }
}

fn question(rules: &[&str], openings: u32, network: Option<&str>) -> Value {
    json!({ "measure": "ask", "rules": rules, "openings": openings, "nodes": 40, "network": network, "seed": 7 })
}

/// Plays a study by the program, and returns the folder of the measurement.
fn natively(folder: &Path, text: &str) -> std::path::PathBuf {
    let study = Study::parse(text).unwrap();
    let (config, seed, stop) = (&study.measure, study.study.seed, Stop::new());
    let rules = study.pool_rules::<FusionGame>().unwrap();
    let parsed = rule_sets::<FusionGame>(&rules).unwrap();
    let player = Searcher::open::<FusionGame>(&study.player(config), &parsed).unwrap();
    let pool = openings::make::<FusionGame>(
        &study.openings,
        &rules,
        &config.search,
        Some(&player),
        seed,
        &stop,
    );
    let pool = pool.unwrap();
    pool.save(&folder.join("openings.csv")).unwrap();
    let out = folder.join("measure");
    measure::run::<FusionGame>(config, &pool, &player.into(), seed, &out, 0..config.shards, &stop)
        .unwrap();
    assert!(measure::assemble_if_whole::<FusionGame>(&out, &stop).unwrap().is_empty());
    out
}

#[test]
fn files_are_those_of_the_program() {
    files::hold("data/nets/family-pvs.fnet", KnownGame::Chess.move_network().unwrap());
    let rules = ["fusion-2020", "fusion-1999", "orthodox", "orthodox,castling=no"];
    let (mut analyst, mut player) = (Measuring::default(), Measuring::default());
    let (study, pool) = begin(&mut analyst, question(&rules, 6, None));
    let behaviour = ok(&mut analyst, json!({ "measure": "pool", "pool": pool }));
    // Another worker plays, and the games come in any order.
    ok(&mut player, json!({ "measure": "begin", "study": study }));
    ok(&mut player, json!({ "measure": "pool", "pool": pool }));
    let play = |number: u64, player: &mut Measuring| {
        json!([number, ok(player, json!({ "measure": "play", "number": number }))])
    };
    let games: Vec<Value> = (0..24).map(|number| play(number, &mut player)).collect();
    let (first, rest) = games.split_at(10);
    let reply = ok(&mut analyst, json!({ "measure": "add", "games": rest }));
    assert_eq!(reply["openings"], 0, "the first opening is not finished");
    assert!(ask(&mut analyst, &json!({ "measure": "results" }))["error"].is_object());
    let reply = ok(&mut analyst, json!({ "measure": "add", "games": first }));
    assert_eq!(reply["openings"], 6);

    let results = ok(&mut analyst, json!({ "measure": "results" }));
    assert_eq!((&results["openings"], &results["planned"]), (&json!(6), &json!(6)));
    assert_eq!(results["arms"].as_array().unwrap().len(), 4);
    assert_eq!(results["pairs"].as_array().unwrap().len(), 6);
    assert!(!results["verdict"]["sentence"].as_str().unwrap().is_empty());
    let draws = &results["arms"][0]["draws"];
    let [low, share, high] = ["low", "value", "high"].map(|name| draws[name].as_f64().unwrap());
    assert!(low <= share && share <= high && draws["words"].as_str().unwrap().ends_with('%'));

    let folder = tempfile::tempdir().unwrap();
    let out = natively(folder.path(), &study);
    let written = ok(&mut analyst, json!({ "measure": "files" }));
    let mut names = Vec::new();
    for file in written.as_array().unwrap() {
        let (name, text) = (file[0].as_str().unwrap(), file[1].as_str().unwrap());
        names.push(name.to_owned());
        if name == "study.toml" {
            assert_eq!(text, study);
        } else {
            let own = fs::read_to_string(folder.path().join(name)).unwrap();
            assert_eq!(text, own, "{name}");
            let is_settings = name == "measure/measure.json";
            assert!(!is_settings || own.contains(behaviour.as_str().unwrap()), "{own}");
        }
    }
    names.sort();
    let measured = ["SHA256SUMS", "games.csv", "games.pgn", "measure.json"];
    let measured = measured.map(|name| format!("measure/{name}"));
    let others = ["openings.csv", "study.toml"].map(str::to_owned);
    assert_eq!(names, measured.into_iter().chain(others).collect::<Vec<_>>());
    assert!(out.join("games.pgn").exists());
}

#[test]
fn the_first_openings_have_a_verdict_of_their_own() {
    let mut measuring = Measuring::default();
    let rules = ["freechess", "freechess,shield=none"];
    let (study, pool) = begin(&mut measuring, question(&rules, 4, Some("material")));
    assert!(study.contains("primary = "), "{study}");
    ok(&mut measuring, json!({ "measure": "pool", "pool": pool }));
    for number in [0, 1, 3] {
        let game = ok(&mut measuring, json!({ "measure": "play", "number": number }));
        ok(&mut measuring, json!({ "measure": "add", "games": [[number, game]] }));
    }
    let results = ok(&mut measuring, json!({ "measure": "results" }));
    assert_eq!((&results["openings"], &results["planned"]), (&json!(1), &json!(4)));
    assert_eq!(results["pairs"][0]["judged"], true);
}

#[test]
fn two_studies_are_measured_at_once() {
    let sides = ["freechess", "freechess,shield=none"].map(|rules| {
        std::thread::spawn(move || {
            let mut measuring = Measuring::default();
            let (_, pool) = begin(&mut measuring, question(&[rules], 2, Some("material")));
            ok(&mut measuring, json!({ "measure": "pool", "pool": pool }));
            for number in 0..2 {
                let game = ok(&mut measuring, json!({ "measure": "play", "number": number }));
                ok(&mut measuring, json!({ "measure": "add", "games": [[number, game]] }));
            }
            for _ in 0..50 {
                let results = ok(&mut measuring, json!({ "measure": "results" }));
                assert_eq!(results["arms"][0]["rules"], rules);
            }
        })
    });
    sides.into_iter().for_each(|side| side.join().unwrap());
}

#[test]
fn the_advice_speaks_of_the_page() {
    let mut measuring = Measuring::default();
    let rules = ["fusion-2020", "orthodox"];
    let (_, pool) = begin(&mut measuring, question(&rules, 30, Some("pvs:material")));
    ok(&mut measuring, json!({ "measure": "pool", "pool": pool }));
    for number in 0..60 {
        let game = ok(&mut measuring, json!({ "measure": "play", "number": number }));
        ok(&mut measuring, json!({ "measure": "add", "games": [[number, game]] }));
    }
    let results = ok(&mut measuring, json!({ "measure": "results" }));
    let remarks = results["verdict"]["remarks"].to_string();
    let is_of_page = remarks.contains("Set the number of openings to")
        || remarks.contains("more than a page plays");
    assert!(is_of_page, "{remarks}");
}

#[test]
fn mistakes_are_named() {
    let mut measuring = Measuring::default();
    let mut said = |request: Value| {
        let reply = ask(&mut measuring, &request);
        reply["error"]["message"].as_str().unwrap_or_else(|| panic!("{reply}")).to_owned()
    };
    assert!(said(json!({ "measure": "what" })).starts_with("not a request"));
    assert!(said(json!({ "measure": "results" })).contains("no study is begun"));
    let unknown = said(question(&["fusion-2021"], 6, Some("pvs:material")));
    assert!(unknown.contains("did you mean fusion-2020?"), "{unknown}");
    let mixed = said(question(&["fusion-2020", "chesimal"], 6, Some("pvs:material")));
    assert!(mixed.contains("chesimal"), "{mixed}");
    assert!(said(question(&[], 6, None)).contains("name a rule set"));
    assert!(said(question(&["orthodox"], 0, Some("pvs:material"))).contains("openings.count"));
    assert!(said(question(&["orthodox"], 10_001, None)).contains("more than 10000"));
    let missing = said(
        json!({ "measure": "begin", "study": "[study]\nname = 'x'\n[network]\nfile = 'no.fnet'" }),
    );
    assert!(missing.contains("no.fnet"), "{missing}");
    said(json!({ "measure": "begin", "study": "nonsense" }));
    let stopped = "[study]\nname = 'x'\n[measure]\nrules = ['orthodox']\nstop = {}";
    assert!(said(json!({ "measure": "begin", "study": stopped })).contains("stop"));
}

#[test]
fn a_pool_is_the_beginning_of_a_larger_one() {
    let mut measuring = Measuring::default();
    let (_, pool) = begin(&mut measuring, question(&["orthodox"], 5, Some("pvs:material")));
    let all = Pool::parse::<FusionGame>(pool.clone().into_bytes()).unwrap();
    let first = all.first(3);
    assert_eq!(first.openings(), &all.openings()[..3]);
    assert!(all.begins_with(&first.hash()));
    assert_eq!(all.first(9), all);
    let (_, smaller) = begin(&mut measuring, question(&["orthodox"], 3, Some("pvs:material")));
    assert_eq!(smaller.as_bytes(), first.csv());
    assert!(Pool::parse::<FusionGame>(b"id,plies\n".to_vec()).is_err());
}
