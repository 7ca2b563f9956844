//! Tests training games, openings, measurement and matches on the smallest game.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;

use fusion_game::Description;
use fusion_game::prelude::*;
use fusion_game::toy::{TicTacToe, Variant};
use fusion_jobs::exit::{CORRUPT, USAGE, exit_code};
use fusion_jobs::stop::Stop;
use fusion_network::model::Model;
use fusion_runner::generate;
use fusion_runner::matches::{self, MatchConfig, Player};
use fusion_runner::measure;
use fusion_runner::openings::{self, Pool};
use fusion_runner::random;
use fusion_runner::records;
use fusion_runner::samples;
use fusion_statistics::sprt::{Decision, SprtConfig};
use fusion_study::{MeasureConfig, OpeningsConfig, SampleOptions, Searcher, SelfplayConfig};

fn model(spec: &str) -> Model {
    Model::open::<TicTacToe>(spec, []).unwrap()
}

fn both_rules() -> Vec<String> {
    vec!["normal".to_owned(), "misere".to_owned()]
}

fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

pub(crate) fn selfplay_config() -> SelfplayConfig {
    SelfplayConfig {
        rules: BTreeMap::from([("normal".to_owned(), 3.0), ("misere".to_owned(), 1.0)]),
        games: 60,
        shards: 2,
        simulations: 16,
        random_plies: (0, 2),
        ..SelfplayConfig::default()
    }
}

fn play_training_games(folder: &Path, seed: u64) -> generate::Summary {
    play_training_games_of("uniform", folder, seed)
}

fn play_training_games_of(player: &str, folder: &Path, seed: u64) -> generate::Summary {
    let player = Searcher::open::<TicTacToe>(player, []).unwrap();
    let (config, stop) = (selfplay_config(), Stop::new());
    generate::run::<TicTacToe>(&config, &player, seed, folder, 0..2, &stop).unwrap()
}

fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries.map(|e| (e.file_name().into_string().unwrap(), fs::read(e.path()).unwrap())).collect()
}

#[test]
fn training_games_depend_on_the_seed_and_not_on_threads() {
    let play = |threads, seed| {
        let folder = tempfile::tempdir().unwrap();
        let summary = with_threads(threads, || play_training_games(folder.path(), seed));
        assert_eq!((summary.games, summary.new_shards), (60, 2));
        contents(folder.path())
    };
    let first = play(1, 7);
    assert_eq!(first.len(), 2);
    assert!(first == play(3, 7));
    assert!(first != play(1, 8));
}

/// It has no policy, so that no ply has a policy target.
#[test]
fn training_games_of_the_alpha_beta_search_do_not_depend_on_threads_either() {
    let play = |threads| {
        let folder = tempfile::tempdir().unwrap();
        let play = || play_training_games_of("pvs:material", folder.path(), 7);
        let summary = with_threads(threads, play);
        assert_eq!((summary.games, summary.targets), (60, 0));
        assert!(summary.searched > 200, "{summary:?}");
        let mut samples = 0;
        for name in contents(folder.path()).keys() {
            records::read_shard::<TicTacToe>(&folder.path().join(name), |record| {
                let found =
                    samples::views_of_record::<TicTacToe>(&record, &SampleOptions::default());
                samples += found.unwrap().len() as u64;
                Ok(())
            })
            .unwrap();
        }
        assert_eq!(samples, summary.searched);
        contents(folder.path())
    };
    assert!(play(1) == play(3));
}

#[test]
fn training_games_become_samples() {
    let folder = tempfile::tempdir().unwrap();
    let summary = play_training_games(folder.path(), 1);
    assert!(summary.targets > 50 && summary.targets < summary.searched, "{summary:?}");
    let mut total = 0;
    let mut with_policy = 0;
    for path in contents(folder.path()).keys() {
        let path = folder.path().join(path);
        for sample in samples::of_shard::<TicTacToe>(&path, &SampleOptions::default()).unwrap() {
            total += 1;
            assert!((sample.result.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            assert!((sample.root.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            if sample.policy.is_empty() {
                assert_eq!(sample.weight, 0.5);
            } else {
                with_policy += 1;
                assert_eq!(sample.policy.len(), sample.rows.len());
                assert!((sample.policy.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            }
        }
    }
    assert_eq!((total, with_policy), (summary.searched, summary.targets));
    let again = play_training_games(folder.path(), 1);
    assert_eq!(again, generate::Summary { new_shards: 0, ..summary });
}

#[test]
fn both_rule_sets_of_the_mix_are_played_by_weight() {
    let folder = tempfile::tempdir().unwrap();
    play_training_games(folder.path(), 1);
    let mut counts = BTreeMap::<String, u32>::new();
    for name in contents(folder.path()).keys() {
        records::read_shard::<TicTacToe>(&folder.path().join(name), |record| {
            *counts.entry(record.rules).or_default() += 1;
            Ok(())
        })
        .unwrap();
    }
    // 60 games at 3 to 1: 45 and 15 expected, standard deviation 3.4.
    assert!((30..=58).contains(&counts["normal"]), "{counts:?}");
}

fn openings_config(count: u32) -> OpeningsConfig {
    OpeningsConfig { count, plies: (2, 4), max_advantage: 2.0, nodes: 8 }
}

fn make_pool(config: &OpeningsConfig, rules: &[String]) -> anyhow::Result<Pool> {
    let search = Default::default();
    openings::make::<TicTacToe>(
        config,
        rules,
        &search,
        Some(&model("uniform").into()),
        3,
        &Stop::new(),
    )
}

#[test]
fn a_pool_holds_different_legal_openings() {
    let pool = with_threads(2, || make_pool(&openings_config(50), &both_rules())).unwrap();
    assert_eq!(pool.openings().len(), 50);
    let mut hashes = std::collections::HashSet::new();
    let mut lengths = [0; 5];
    for opening in pool.openings() {
        lengths[opening.plies as usize] += 1;
        for rules in both_rules() {
            let game = opening.play::<TicTacToe>(&Variant::parse(&rules).unwrap()).unwrap();
            assert_eq!(game.to_text(), opening.position);
            hashes.insert(game.hash());
        }
    }
    assert_eq!(hashes.len(), 50, "no position twice");
    assert!(
        lengths[0] == 0 && lengths[1] == 0 && lengths[2..].iter().all(|&n| n > 5),
        "{lengths:?}"
    );
    let again = with_threads(1, || make_pool(&openings_config(50), &both_rules())).unwrap();
    assert_eq!(again.hash(), pool.hash());
}

#[test]
fn a_pool_comes_back_from_its_file_and_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/openings.csv");
    let pool = make_pool(&openings_config(5), &both_rules()).unwrap();
    pool.save(&path).unwrap();
    pool.save(&path).unwrap();
    assert_eq!(Pool::open::<TicTacToe>(&path).unwrap(), pool);
    // A larger pool would be accepted, because it only adds openings.
    let other = make_pool(&openings_config(4), &both_rules()).unwrap();
    assert_eq!(exit_code(&other.save(&path).unwrap_err()), USAGE);
    for text in [
        "id,plies,moves,position\n",
        "id,plies,moves,position\n0,2,a1,x\n",
        "id,plies,moves,position\n1,1,a1,x\n",
        "id,plies,moves,fen\n0,1,a1,x........\n",
        "a,b\n1,2\n",
    ] {
        fs::write(&path, text).unwrap();
        assert_eq!(exit_code(&Pool::open::<TicTacToe>(&path).unwrap_err()), CORRUPT, "{text}");
    }
}

#[test]
fn a_pool_that_cannot_be_filled_says_why() {
    // There are 9·8/1 = 72 positions after two plies.
    let config = OpeningsConfig { plies: (2, 2), ..openings_config(100) };
    let error = make_pool(&config, &both_rules()).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("need 100 openings, found 72 among"), "{message}");
    let strict =
        OpeningsConfig { max_advantage: 0.0, nodes: 200, plies: (4, 4), ..openings_config(100) };
    let message = make_pool(&strict, &["normal".to_owned()]).unwrap_err().to_string();
    assert!(message.contains("favoured one side"), "{message}");
}

fn measure(folder: &Path, seed: u64, threads: usize) -> anyhow::Result<()> {
    let config = MeasureConfig {
        rules: both_rules(),
        nodes: vec![30, 10],
        shards: 3,
        ..MeasureConfig::default()
    };
    let pool = make_pool(&openings_config(10), &both_rules())?;
    let stop = Stop::new();
    let play = || {
        measure::run::<TicTacToe>(
            &config,
            &pool,
            &model("uniform").into(),
            seed,
            folder,
            0..3,
            &stop,
        )
    };
    with_threads(threads, play)?;
    assert!(measure::assemble_if_whole::<TicTacToe>(folder, &Stop::new())?.is_empty());
    Ok(())
}

#[test]
fn measurement_is_the_same_for_any_number_of_threads_and_after_a_crash() {
    let one = tempfile::tempdir().unwrap();
    measure(one.path(), 5, 1).unwrap();
    let wanted = contents(one.path());
    assert_eq!(wanted.len(), 7, "three shards, games.csv, games.txt, measure.json, SHA256SUMS");
    let two = tempfile::tempdir().unwrap();
    measure(two.path(), 5, 2).unwrap();
    assert!(contents(two.path()) == wanted);
    // Lost shards and results are made again, unchanged.
    fs::remove_file(two.path().join("games.csv")).unwrap();
    fs::remove_file(two.path().join("measure-00001-of-00003.shard")).unwrap();
    assert_eq!(measure::assemble_if_whole::<TicTacToe>(two.path(), &Stop::new()).unwrap(), [1]);
    assert!(!two.path().join("games.csv").exists());
    measure(two.path(), 5, 2).unwrap();
    assert!(contents(two.path()) == wanted);
    assert_eq!(exit_code(&measure(two.path(), 6, 1).unwrap_err()), USAGE);
}

/// The alpha-beta search plays measurements. Its games depend only on the seed, and its folder is
/// not continued by another player.
#[test]
fn the_alpha_beta_search_measures_in_folders_of_its_own() {
    let pool = make_pool(&openings_config(10), &both_rules()).unwrap();
    let config = |own_plies| MeasureConfig {
        rules: both_rules(),
        nodes: vec![300, 40],
        own_plies,
        ..MeasureConfig::default()
    };
    let run = |player: &str, own_plies, folder: &Path, threads| {
        let player = Player::of_measurement::<TicTacToe>(player, []).unwrap();
        let config = config(own_plies);
        let play =
            || measure::run::<TicTacToe>(&config, &pool, &player, 5, folder, 0..1, &Stop::new());
        with_threads(threads, play)?;
        measure::assemble_if_whole::<TicTacToe>(folder, &Stop::new())
    };
    let [one, two] = [1, 3].map(|threads| {
        let folder = tempfile::tempdir().unwrap();
        run("pvs:material", 0, folder.path(), threads).unwrap();
        folder
    });
    assert_eq!(contents(one.path()), contents(two.path()));
    let file = std::fs::File::open(one.path().join("games.csv")).unwrap();
    let rows = measure::read_rows(Description::of::<TicTacToe>(), file).unwrap();
    assert_eq!(rows.len(), 40);
    assert!(rows.iter().all(|row| row.network == "pvs:material"));
    // With enough nodes the search plays perfectly, and a draw is the result of perfect play.
    let drawn = |nodes| rows.iter().filter(|row| row.nodes == nodes && row.drawn()).count();
    assert!(drawn(300) > 0);
    let text = std::fs::read_to_string(one.path().join("measure.json")).unwrap();
    assert!(text.contains("\"network\": \"pvs:material\""), "{text}");
    for other in ["material", "pvs:uniform", "pvs:material?null_move=false"] {
        let error = run(other, 0, one.path(), 1).unwrap_err();
        assert_eq!(exit_code(&error), USAGE, "{other}: {error}");
        let named = format!("network is \"pvs:material\", now it would be \"{other}\"");
        assert!(format!("{error:#}").contains(&named), "{error:#}");
    }
}

/// The alpha-beta search draws its own openings from its best lines: they differ from game to game, and depend
/// only on the seed.
#[test]
fn the_alpha_beta_search_draws_openings_of_its_own() {
    let [one, two] = [1, 3].map(|threads| {
        let folder = tempfile::tempdir().unwrap();
        let pool = make_pool(&openings_config(10), &both_rules()).unwrap();
        let player = Player::of_measurement::<TicTacToe>("pvs:material", []).unwrap();
        let (rules, nodes) = (both_rules(), vec![40]);
        let config = MeasureConfig { rules, nodes, own_plies: 3, ..MeasureConfig::default() };
        let (path, stop) = (folder.path(), Stop::new());
        let play = || measure::run::<TicTacToe>(&config, &pool, &player, 5, path, 0..1, &stop);
        with_threads(threads, play).unwrap();
        measure::assemble_if_whole::<TicTacToe>(path, &stop).unwrap();
        folder
    });
    assert_eq!(contents(one.path()), contents(two.path()));
    let file = std::fs::File::open(one.path().join("games.csv")).unwrap();
    let rows = measure::read_rows(Description::of::<TicTacToe>(), file).unwrap();
    let starts: std::collections::BTreeSet<&str> =
        rows.iter().map(|row| row.start.as_str()).collect();
    assert!(starts.len() > 5, "{starts:?}");
    // The plies of the opening count: only the rest of the three is drawn.
    for row in &rows {
        let plies = row.start.matches(['x', 'o']).count();
        let drawn = row.opening_entropy.is_some_and(|bits| bits > 0.5);
        assert_eq!(
            (drawn, row.opening_entropy.is_none()),
            (plies < 3, plies >= 3),
            "{}",
            row.start
        );
    }
}

/// The same games in another number of shards are another run. It is rejected before a game is
/// played.
#[test]
fn a_folder_keeps_to_one_run() {
    let folder = tempfile::tempdir().unwrap();
    measure(folder.path(), 5, 1).unwrap();
    let before = contents(folder.path());
    let pool = make_pool(&openings_config(10), &both_rules()).unwrap();
    let config = MeasureConfig {
        rules: both_rules(),
        nodes: vec![30, 10],
        shards: 2,
        ..MeasureConfig::default()
    };
    let (player, stop) = (model("uniform").into(), Stop::new());
    let run = |shards: Range<u32>| {
        measure::run::<TicTacToe>(&config, &pool, &player, 5, folder.path(), shards, &stop)
    };
    let error = run(1..2).unwrap_err();
    assert_eq!(exit_code(&error), USAGE);
    assert!(error.to_string().contains("it is of 3 shards, now it would be of 2"), "{error}");
    assert!(contents(folder.path()) == before);
}

fn rows(folder: &Path) -> Vec<measure::GameRow> {
    let file = fs::File::open(folder.join("games.csv")).unwrap();
    measure::read_rows(Description::of::<TicTacToe>(), file).unwrap()
}

#[test]
fn measurement_rows_are_complete_and_in_order() {
    let folder = tempfile::tempdir().unwrap();
    measure(folder.path(), 5, 2).unwrap();
    let rows = rows(folder.path());
    let keys: Vec<_> = rows.iter().map(|row| (row.opening, row.rules.clone(), row.nodes)).collect();
    let mut sorted = keys.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!((keys.len(), &keys), (40, &sorted));
    for row in &rows {
        let shared = rows.iter().filter(|other| other.seed == row.seed);
        assert!(
            shared.clone().count() == 4 && shared.clone().all(|other| other.opening == row.opening)
        );
        assert!(row.plies > row.opening_plies);
        assert!(matches!(
            (row.result.text(), row.ending.name()),
            ("1-0" | "0-1", "line") | ("1/2-1/2", "full")
        ));
    }
    let json = fs::read(folder.path().join("measure.json")).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["rules"], serde_json::json!(["misere", "normal"]));
    assert_eq!(
        (&json["nodes"], &json["games"]),
        (&serde_json::json!([10, 30]), &serde_json::json!(40))
    );
}

#[test]
fn an_opening_that_is_illegal_in_an_arm_is_found_before_the_first_game() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("openings.csv");
    fs::write(&path, "id,plies,moves,position\n0,2,a1 a1,x........\n").unwrap();
    let pool = Pool::open::<TicTacToe>(&path).unwrap();
    let config = MeasureConfig { rules: both_rules(), ..MeasureConfig::default() };
    let out = folder.path().join("out");
    let error = measure::run::<TicTacToe>(
        &config,
        &pool,
        &model("uniform").into(),
        1,
        &out,
        0..1,
        &Stop::new(),
    )
    .unwrap_err();
    assert!(error.to_string().contains("opening 0: a1 is not legal"), "{error}");
    assert!(!out.exists());
}

#[test]
fn trials_play_the_games_that_they_are_asked_for() {
    let config = MeasureConfig { rules: both_rules(), nodes: vec![10], ..MeasureConfig::default() };
    let pool = make_pool(&openings_config(10), &both_rules()).unwrap();
    let trial = |numbers: &[u64]| {
        with_threads(2, || {
            measure::trial::<TicTacToe>(&config, &pool, &model("uniform").into(), 5, numbers)
        })
    };
    let folder = tempfile::tempdir().unwrap();
    measure(folder.path(), 5, 2).unwrap();
    let rows = rows(folder.path());
    let plies: u32 = rows
        .iter()
        .filter(|row| row.nodes == 10 && row.opening == 1)
        .map(|row| row.plies - row.opening_plies)
        .sum();
    let both = trial(&[2, 3]).unwrap();
    assert_eq!((both.games, both.plies), (2, u64::from(plies)));
    assert!(!both.time.is_zero());
    assert_eq!(exit_code(&trial(&[20]).unwrap_err()), USAGE);

    let pairs = matches::trial::<TicTacToe>(&match_config([8, 4], None), &[0, 1, 2]).unwrap();
    assert!(pairs.games == 6 && (6..=54).contains(&pairs.plies), "{pairs:?}");
    let random = random::trial::<TicTacToe>(&both_rules(), 1, &[0, 1, 2, 3]).unwrap();
    assert!(random.games == 4 && (20..=36).contains(&random.plies), "{random:?}");
    assert!(random::trial::<TicTacToe>(&[], 1, &[0]).is_err());
}

fn match_config(nodes: [u32; 2], sprt: Option<SprtConfig>) -> MatchConfig {
    let player = |nodes| Player::of(model("uniform"), nodes);
    MatchConfig {
        first: player(nodes[0]),
        second: player(nodes[1]),
        rules: both_rules(),
        games: 120,
        plies: (1, 2),
        cap: 100,
        search: Default::default(),
        sprt,
        seed: 1,
    }
}

fn play_match(folder: &Path, config: &MatchConfig, threads: usize) -> matches::MatchReport {
    with_threads(threads, || matches::run::<TicTacToe>(config, folder, &Stop::new())).unwrap()
}

#[test]
fn the_deeper_searcher_wins_whatever_the_threads() {
    let one = tempfile::tempdir().unwrap();
    let report = play_match(one.path(), &match_config([300, 2], None), 1);
    let total = &report.total;
    assert_eq!(total.games, 120);
    assert_eq!(total.wins + total.draws + total.losses, 120);
    assert!(total.wins > total.losses + 20, "{total:?}");
    assert!(total.estimate.unwrap().elo_low.unwrap() > 0.0);
    assert_eq!(report.per_rules.iter().map(|arm| arm.score.games).sum::<u64>(), 120);
    let two = tempfile::tempdir().unwrap();
    assert_eq!(play_match(two.path(), &match_config([300, 2], None), 3), report);
    assert!(contents(one.path()) == contents(two.path()));
    // A second call reads the finished match.
    assert_eq!(play_match(two.path(), &match_config([300, 2], None), 1), report);
    let json = fs::read(one.path().join("strength.json")).unwrap();
    let read: matches::MatchReport = serde_json::from_slice(&json).unwrap();
    assert_eq!((&read.first, &read.total.pentanomial), (&report.first, &report.total.pentanomial));
    let other = match_config([301, 2], None);
    let rejected = matches::run::<TicTacToe>(&other, one.path(), &Stop::new()).unwrap_err();
    assert_eq!(exit_code(&rejected), USAGE);
}

/// Equal players mirror each other, so every pair is even after the change of colours.
#[test]
fn equal_players_share_every_pair() {
    let folder = tempfile::tempdir().unwrap();
    let report = play_match(folder.path(), &match_config([50, 50], None), 2);
    assert!((report.total.estimate.unwrap().score - 0.5).abs() < 0.1, "{report:?}");
}

/// A search of one node is an evaluation without a playout, and still gives a move.
#[test]
fn players_with_one_node_play_whole_games() {
    let folder = tempfile::tempdir().unwrap();
    let report = play_match(folder.path(), &match_config([1, 1], None), 1);
    assert_eq!(report.total.games, 120);
}

#[test]
fn a_sequential_test_ends_a_clear_match_early_and_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let config = match_config([300, 2], Some(SprtConfig::default()));
    let report = play_match(folder.path(), &config, 2);
    assert_eq!(report.sprt.unwrap().decision, Decision::H1);
    assert!(report.total.games < 120 && report.total.games.is_multiple_of(2 * matches::BATCH));
    assert_eq!(play_match(folder.path(), &config, 1), report);

    let stopped = tempfile::tempdir().unwrap();
    let stop = Stop::new();
    stop.request();
    assert_eq!(
        exit_code(&matches::run::<TicTacToe>(&config, stopped.path(), &stop).unwrap_err()),
        75
    );
    assert_eq!(play_match(stopped.path(), &config, 2), report);
}

/// Double turns have an input more, which no network of the listed rule set has.
#[test]
fn random_rule_sets_have_the_inputs_of_the_listed_ones() {
    let folder = tempfile::tempdir().unwrap();
    let config = SelfplayConfig {
        rules: [("normal".to_owned(), 1.0)].into(),
        any_rules: 1.0,
        ..selfplay_config()
    };
    let player = Searcher::open::<TicTacToe>("uniform", []).unwrap();
    let played = generate::run::<TicTacToe>(&config, &player, 1, folder.path(), 0..1, &Stop::new());
    let error = played.unwrap_err();
    assert_eq!(exit_code(&error), USAGE);
    assert!(
        error
            .to_string()
            .starts_with("selfplay.any_rules: one network cannot play both normal and double"),
        "{error}"
    );
}

/// The alpha-beta player sees a line of three at once; the uniform search must find it.
#[test]
fn alpha_beta_plays_the_same_match_whatever_the_threads() {
    let open = |text| Player::open::<TicTacToe>(text, 4, []).unwrap();
    let config = MatchConfig {
        first: Player::open::<TicTacToe>("pvs:material", 4000, []).unwrap(),
        second: open("uniform"),
        ..match_config([1, 1], None)
    };
    let one = tempfile::tempdir().unwrap();
    let report = play_match(one.path(), &config, 1);
    assert_eq!((report.first.network.as_str(), report.first.nodes), ("pvs:material", Some(4000)));
    assert_eq!((report.second.network.as_str(), report.second.nodes), ("uniform", Some(4)));
    assert!(report.total.wins > report.total.losses + 20, "{:?}", report.total);
    let two = tempfile::tempdir().unwrap();
    assert_eq!(play_match(two.path(), &config, 3), report);
    assert!(contents(one.path()) == contents(two.path()));
    let json = fs::read(one.path().join("strength.json")).unwrap();
    let read: matches::MatchReport = serde_json::from_slice(&json).unwrap();
    assert_eq!(read.first, report.first);
}

#[test]
fn equal_time_gives_the_slower_player_fewer_nodes() {
    let open = |text| Player::open::<TicTacToe>(text, 3000, []).unwrap();
    let (fast, slow) = (open("uniform"), open("rollout"));
    let balance = |first: &Player, second: &Player| {
        let search = Default::default();
        matches::equal_time::<TicTacToe>(first, second, &both_rules(), search, 1, &Stop::new())
    };
    let (player, measured) = balance(&fast, &slow).unwrap();
    let name = player.name();
    assert!(name.equal_time && name == measured.second && measured.first == fast.name());
    assert!((1..3000).contains(&name.nodes.unwrap()), "{measured}");
}
