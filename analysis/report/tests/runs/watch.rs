//! A run is watched while it works: its data grow, and agree with its results at the end.

use fusion_chess::FusionGame;
use fusion_jobs::shard::{Frame, Header, Opened, ShardReader, ShardWriter};
use fusion_jobs::stop::Stop;
use fusion_network::model::Model;
use fusion_report::watch::Watch;
use fusion_results::arms;
use fusion_results::pairs::{self, Inference};
use fusion_results::run_folder::RunFolder;
use fusion_runner::{measure, openings};
use fusion_study::Study;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const STUDY: &str = "[study]\nname = 'watched'\n[openings]\ncount = 6\nnodes = 4\n[measure]\n\
    rules = ['fusion-1999', 'fusion-2020']\nnodes = [4]\nshards = 2\n";

/// Plays the study's measurement in a folder.
fn play(run: &Path) {
    let study = Study::parse(STUDY).unwrap();
    let (stop, search) = (Stop::new(), study.measure.search);
    let rules = study.pool_rules::<FusionGame>().unwrap();
    let pool = openings::make::<FusionGame>(&study.openings, &rules, &search, None, 5, &stop);
    let pool = pool.unwrap();
    fs::write(run.join("study.toml"), STUDY).unwrap();
    pool.save(&run.join("openings.csv")).unwrap();
    let player = Model::open::<FusionGame>("material", []).unwrap().into();
    let folder = run.join("measure");
    measure::run::<FusionGame>(&study.measure, &pool, &player, 5, &folder, 0..2, &stop).unwrap();
    assert!(measure::assemble_if_whole::<FusionGame>(&folder, &stop).unwrap().is_empty());
}

fn state(watch: &mut Watch) -> Value {
    serde_json::from_str(&watch.state()).unwrap()
}

fn part<'a>(state: &'a Value, name: &str) -> &'a Value {
    let parts = state["parts"].as_array().unwrap();
    parts.iter().find(|part| part["name"] == name).unwrap()
}

fn shards(run: &Path) -> [PathBuf; 2] {
    [0, 1].map(|shard| run.join(format!("measure/measure-{shard:05}-of-00002.shard")))
}

#[test]
fn games_are_shown_as_they_come_and_agree_with_the_results() {
    let (played, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    play(played.path());
    let run = copy.path();
    let mut watch = Watch::open(run).unwrap();
    assert_eq!(state(&mut watch)["parts"], json!([]), "nothing is there yet");
    fs::write(run.join("study.toml"), STUDY).unwrap();
    let begun = state(&mut watch);
    assert_eq!(part(&begun, "measurement")["words"], "0 of 12 games");
    assert_eq!(part(&begun, "openings")["state"], "waiting");

    // The games come one by one, as their program writes them.
    fs::create_dir(run.join("measure")).unwrap();
    for (from, to) in shards(played.path()).iter().zip(shards(run)) {
        let reader = ShardReader::open(from).unwrap();
        let header: Header = reader.header().clone();
        let Opened::Unfinished(mut writer) = ShardWriter::open(&to, &header).unwrap() else {
            panic!("the shard is new")
        };
        for frame in reader {
            let (game, payload) = frame.unwrap();
            writer.append(&Frame::new(game, &payload).unwrap()).unwrap();
            let now = state(&mut watch);
            let shown = part(&now, "measurement");
            let expected = if game == 11 { "done" } else { "working" };
            assert_eq!((&shown["done"], &shown["state"]), (&json!(game + 1), &json!(expected)));
            assert_eq!(now["measurements"][0]["state"]["openings"], game.div_ceil(2));
        }
        writer.finish().unwrap();
    }
    fs::copy(played.path().join("openings.csv"), run.join("openings.csv")).unwrap();
    let now = state(&mut watch);
    assert_eq!(part(&now, "measurement")["state"], "done");
    assert_eq!((&now["problems"], &now["fit"]), (&json!([]), &Value::Null));
    let shown = &now["measurements"][0]["state"];
    let results = arms::summarise(&RunFolder::open(played.path()).unwrap().games).unwrap();
    for (shown, arm) in shown["arms"].as_array().unwrap().iter().zip(&results) {
        assert_eq!(shown["rules"], arm.rules);
        assert_eq!(shown["draws"], arm.draws);
        let interval = arm.draw_wilson;
        assert_eq!(shown["share"], json!([arm.draw_share.share(), interval.low, interval.high]));
    }
    // The report has the same interval of the difference for the same games.
    let games = RunFolder::open(played.path()).unwrap().games;
    let inference = Inference { resamples: 1, ..Inference::default() };
    let names = ("fusion-2020", "fusion-1999");
    let pair = pairs::compare(&games, Some(names), inference).unwrap().remove(0);
    let [low, high] = [pair.anytime95.low, pair.anytime95.high];
    assert_eq!(shown["primary"]["difference"], json!([pair.difference, low, high]));
    assert_eq!(shown["openings"], 6);
    // The page links the report once it is there.
    assert_eq!((&now["report"], watch.report()()), (&json!(false), None));
    fs::write(run.join("report.html"), "the report").unwrap();
    assert_eq!(state(&mut watch)["report"], true);
    assert_eq!(watch.report()().as_deref(), Some("the report"));
    assert!(watch.page().unwrap().contains("href=\"report.html\""));
    let games = shown["games"].as_array().unwrap();
    assert_eq!(games.len(), 12);
    assert_eq!(games[0]["moves"].as_array().unwrap().len() as u64, games[0]["plies"]);
}

#[test]
fn damage_and_other_runs_are_named_and_do_not_end_it() {
    let run = tempfile::tempdir().unwrap();
    play(run.path());
    let [first, second] = shards(run.path());
    let mut bytes = fs::read(&second).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&second, bytes).unwrap();
    fs::write(run.path().join("study.toml"), "[study]\nname = 3").unwrap();
    let mut watch = Watch::open(run.path()).unwrap();
    let now = state(&mut watch);
    let problems = now["problems"].as_array().unwrap();
    assert!(problems.len() == 1 && problems[0].as_str().unwrap().contains("00001-of-00002"));
    assert!(now["measurements"][0]["state"]["openings"].as_u64().unwrap() >= 3);
    // Folders without a plan are named by their paths.
    assert_eq!(part(&now, "measure")["planned"], 12);
    fs::remove_file(first).unwrap();
    assert_eq!(state(&mut watch)["problems"], now["problems"]);
    let error = Watch::open(&run.path().join("none")).unwrap_err();
    assert_eq!(fusion_jobs::exit::exit_code(&error), fusion_jobs::exit::NO_INPUT);
    let page = watch.page().unwrap();
    assert!(page.contains("What is left") && page.contains("Content-Security-Policy"));
}
