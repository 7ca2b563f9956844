//! Tests the games of matches and endgames as PGN.

use std::fs;
use std::path::Path;

use fusion_chess::FusionGame;
use fusion_chess::notation::pgn::{self, PgnGame};
use fusion_game::CompleteGame;
use fusion_jobs::exit::{USAGE, exit_code};
use fusion_jobs::shard::{Frame, Opened, ShardReader, ShardWriter};
use fusion_jobs::stop::Stop;
use fusion_network::model::Model;
use fusion_runner::matches::{self, MatchConfig, MatchReport, Player};
use fusion_runner::technique::{self, TechniqueConfig};

const MATCH: &str = "match-00000-of-00001.shard";

fn config(cap: u32) -> MatchConfig {
    let open = |text| Player::open::<FusionGame>(text, 8, []).unwrap();
    MatchConfig {
        first: open("pvs:material"),
        second: open("uniform"),
        rules: vec!["orthodox".to_owned(), "fusion-2020".to_owned()],
        games: 8,
        plies: (2, 4),
        cap,
        search: Default::default(),
        sprt: None,
        seed: 1,
    }
}

fn play(config: &MatchConfig, folder: &Path) -> anyhow::Result<MatchReport> {
    matches::run_with_games::<FusionGame>(config, folder, &Stop::new())
}

fn read(folder: &Path) -> Vec<PgnGame> {
    let text = fs::read(folder.join("games.pgn")).unwrap();
    pgn::read(&text[..]).map(Result::unwrap).collect()
}

fn count(games: &[PgnGame], result: &str) -> u64 {
    games.iter().filter(|game| game.result.to_string() == result).count() as u64
}

#[test]
fn a_match_writes_its_games() {
    let folder = tempfile::tempdir().unwrap();
    let report = play(&config(600), folder.path()).unwrap();
    let games = read(folder.path());
    assert_eq!(games.len(), 8);
    let first_won = games.iter().filter(|game| {
        let white = game.tag("White") == Some("pvs:material at 8 nodes");
        game.result.to_string() == if white { "1-0" } else { "0-1" }
    });
    assert_eq!(first_won.count() as u64, report.total.wins);
    assert!(report.total.wins > 0, "{report:?}");
    assert_eq!(count(&games, "1/2-1/2"), report.total.draws);
    for (i, game) in games.iter().enumerate() {
        let (pair, place) = (i / 2, i % 2);
        assert_eq!(game.tag("Round"), Some(format!("{}.{}", pair + 1, place + 1).as_str()));
        let names = ["pvs:material at 8 nodes", "uniform at 8 nodes"];
        assert_eq!(game.tag("White"), Some(names[place]));
        assert_eq!(game.tag("Black"), Some(names[1 - place]));
        let rules = ["orthodox", "fusion-2020"][pair % 2];
        assert_eq!(game.rules().unwrap().to_string(), rules);
        assert_eq!(game.tag("Variant"), (rules != "orthodox").then_some(rules));
    }
    // Both games of a pair begin with the same opening.
    assert!(games.chunks(2).all(|pair| pair[0].moves[..2] == pair[1].moves[..2]));
}

/// A capped game is neither drawn nor decided, and counts half a point for each player.
#[test]
fn capped_games_of_a_match_are_counted_apart() {
    let folder = tempfile::tempdir().unwrap();
    let report = play(&config(12), folder.path()).unwrap();
    let total = &report.total;
    assert_eq!((total.games, total.draws, total.capped), (8, 0, 8), "{total:?}");
    assert_eq!((total.wins, total.losses), (0, 0));
    assert_eq!(total.pentanomial.0, [0, 0, 4, 0, 0]);
    assert_eq!(total.estimate.unwrap().score, 0.5);
    assert!(report.per_rules.iter().all(|arm| arm.score.capped == 4 && arm.score.draws == 0));
    let json = fs::read(folder.path().join("strength.json")).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!((&json["draws"], &json["capped"]), (&0.into(), &8.into()));
    let games = read(folder.path());
    assert_eq!(count(&games, "*"), 8);
    assert!(games.iter().all(|game| {
        game.moves.len() == 12
            && game.tag("Termination") == Some("unterminated")
            && game.tag("Ending") == Some("cap")
    }));
}

/// Rewrites a match's shard with only some of its pairs.
fn rewrite(
    from: &Path,
    to: &Path,
    keep: u64,
    edit: impl Fn(&mut serde_json::Value),
) -> ShardWriter {
    let reader = ShardReader::open(&from.join(MATCH)).unwrap();
    let Opened::Unfinished(mut writer) =
        ShardWriter::open(&to.join(MATCH), reader.header()).unwrap()
    else {
        panic!("the shard is new")
    };
    for frame in reader {
        let (number, payload) = frame.unwrap();
        let mut pair = serde_json::from_slice(&payload).unwrap();
        edit(&mut pair);
        let frame = Frame::new(number, &serde_json::to_vec(&pair).unwrap()).unwrap();
        if number < keep {
            writer.append(&frame).unwrap();
        }
    }
    writer
}

#[test]
fn games_are_complete_after_a_resume_and_written_again_where_they_are_missing() {
    let folder = tempfile::tempdir().unwrap();
    let report = play(&config(60), folder.path()).unwrap();
    let games = fs::read(folder.path().join("games.pgn")).unwrap();

    let resumed = tempfile::tempdir().unwrap();
    rewrite(folder.path(), resumed.path(), 2, |_| ()).sync().unwrap();
    assert_eq!(play(&config(60), resumed.path()).unwrap(), report);
    assert!(fs::read(resumed.path().join("games.pgn")).unwrap() == games);

    let path = folder.path().join("games.pgn");
    fs::write(&path, &games[..games.len() / 2]).unwrap();
    assert_eq!(play(&config(60), folder.path()).unwrap(), report);
    assert!(fs::read(path).unwrap() == games);
}

#[test]
fn endgames_write_their_games() {
    let folder = tempfile::tempdir().unwrap();
    let config = TechniqueConfig {
        rules: vec!["orthodox".to_owned(), "fusion-2020".to_owned()],
        exercises: vec![FusionGame::exercise("RB+RB").unwrap()],
        games: 3,
        shards: 1,
        player: Model::open::<FusionGame>("material", []).unwrap().into(),
        nodes: 100,
        search: Default::default(),
        seed: 5,
    };
    let try_out = |folder: &Path| {
        technique::run::<FusionGame>(&config, folder, 0..1, &Stop::new())?;
        technique::merge::<FusionGame>(&config, folder, &Stop::new())
    };
    let rows = try_out(folder.path()).unwrap();
    let games = read(folder.path());
    assert_eq!(games.len(), 6);
    assert_eq!(count(&games, "1-0"), rows.iter().map(|row| row.wins).sum::<u64>());
    for (game, rules) in games.iter().zip(["orthodox"; 3].iter().chain(&["fusion-2020"; 3])) {
        assert_eq!(game.rules().unwrap().to_string(), *rules);
        assert_eq!(game.tag("SetUp"), Some("1"));
        let fen = game.tag("FEN").unwrap();
        assert_eq!(fen.matches('Q').count(), 2, "{fen}");
        assert_eq!(game.tag("White"), Some("material at 100 nodes"));
    }
    // A match or a file of another source in the same folder would be lost.
    let error = play(&self::config(12), folder.path()).unwrap_err();
    assert_eq!(exit_code(&error), USAGE);
    assert!(error.to_string().contains("a folder of its own"), "{error}");
    let strange = tempfile::tempdir().unwrap();
    fs::write(strange.path().join("games.pgn"), "mine").unwrap();
    for error in [play(&self::config(12), strange.path()).unwrap_err(), {
        try_out(strange.path()).unwrap_err()
    }] {
        assert!(error.to_string().contains("games.pgn is not of this run"), "{error}");
    }
    assert_eq!(fs::read(strange.path().join("games.pgn")).unwrap(), b"mine");
}
