//! Tests studies of several measurements: arms, own openings, stopping, random movers.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use fusion_chess::FusionGame;
use fusion_chess::game::{DEAD_POSITION, FIFTY_MOVE};
use fusion_game::Description;
use fusion_game::toy::TicTacToe;
use fusion_jobs::stop::Stop;
use fusion_network::model::Model;
use fusion_runner::measure::{self, GameRow};
use fusion_runner::openings::Pool;
use fusion_runner::random::{self, RandomGames};
use fusion_study::{MeasureConfig, StopRule, Study};

fn study(text: &str) -> Study {
    Study::parse(&format!("[study]\nname = 't'\n{text}")).unwrap()
}

/// Returns the message with which a study is rejected.
fn rejection(text: &str) -> String {
    study(text).check::<FusionGame>().unwrap_err().to_string()
}

fn arms(text: &str) -> Vec<String> {
    study(text).measure.arms::<FusionGame>().unwrap()
}

#[test]
fn factorial_arms_are_all_mixes() {
    let mixes = arms("[measure]\nfactorial = ['castling', 'attacked-split', 'king-fuses']");
    assert_eq!(mixes.len(), 8);
    assert!(mixes.contains(&"fusion-2020".to_owned()), "the base itself is one of them");
    let others = arms("[measure]\nbase = 'orthodox'\nfactorial = ['castling']");
    assert_eq!(others, ["az-no-castling", "orthodox"]);
}

#[test]
fn ablated_arms_differ_in_one_toggle() {
    let arms = arms("[measure]\nablate = 'fusion-2020'");
    assert_eq!(arms.len(), 31, "the rule set, and what differs from it in one of 25 toggles");
    for toggle in
        ["castling=no", "promotion=qrbn", "attacked-split=yes", "fission=no", "start=mann"]
    {
        assert!(arms.contains(&format!("fusion-2020,{toggle}")), "{toggle}: {arms:?}");
    }
    // One of the rule sets has a name of its own.
    assert!(arms.contains(&"fusion-2020-gc".to_owned()));
}

#[test]
fn the_primary_comparison_is_given_or_the_usual_or_the_second_minus_the_first() {
    let primary = |text: &str| study(text).measure.primary::<FusionGame>().unwrap();
    let named = |names: [&str; 2]| Some(names.map(str::to_owned));
    assert_eq!(primary(""), named(["fusion-2020", "fusion-1999"]));
    let castling = "[measure]\nrules = ['fusion-1999', 'fusion-1999,castling=yes']";
    assert_eq!(primary(castling), named(["fusion-1999,castling=yes", "fusion-1999"]));
    let given = "[measure]\nprimary = ['fusion-2006', 'fusion-2020']";
    assert_eq!(primary(given), named(["fusion-2006", "fusion-2020"]));
    let toggle = "[measure]\nbase = 'fusion-1999'\nfactorial = ['castling']";
    assert_eq!(primary(toggle), named(["fusion-1999,castling=yes", "fusion-1999"]));
    assert_eq!(primary("[measure]\nrules = ['orthodox']"), None);
    assert_eq!(primary("[measure]\nablate = 'fusion-2020'"), None);
    // A factorial that happens to include both presets measures the effects of its toggles.
    let mixes = "[measure]\nfactorial = ['king-fuses', 'fuse-onto-king', 'sliders-cross-check', \
                 'leapers-cross-check', 'attacked-split', 'castling']";
    let arms = study(mixes).measure.arms::<FusionGame>().unwrap();
    assert!(["fusion-1999", "fusion-2020"].iter().all(|rules| arms.contains(&(*rules).to_owned())));
    assert_eq!(primary(mixes), None);
}

#[test]
fn extra_measurements_take_what_they_do_not_name_from_measure() {
    let study = study(
        "[measure]\nnodes = [7]\ncap = 300\nstop = {}\n\
         [extra.strong]\nnodes = [50]\ngames = 3\n[extra.mixes]\nfactorial = ['castling']",
    );
    study.check::<FusionGame>().unwrap();
    let all = study.measurements();
    let names: Vec<&str> = all.iter().map(|each| each.name.as_str()).collect();
    assert_eq!(names, ["measure", "mixes", "strong"]);
    assert_eq!(all[1].folder, Path::new("extra/mixes"));
    let (mixes, strong) = (&all[1].config, &all[2].config);
    assert_eq!((mixes.nodes[0], strong.nodes[0], strong.cap), (7, 50, 300));
    assert_eq!((mixes.own_plies, mixes.stop, strong.games), (0, None, Some(3)));
    assert_eq!(strong.arms::<FusionGame>().unwrap(), all[0].config.arms::<FusionGame>().unwrap());
    assert_eq!(mixes.arms::<FusionGame>().unwrap().len(), 2);
    // Openings must be legal only under the rule sets that play them.
    assert_eq!(study.pool_rules::<FusionGame>().unwrap().len(), 4);
}

#[test]
fn bad_measurements_are_rejected_with_their_section() {
    for (text, part) in [
        ("[measure]\nfactorial = ['castle']", "unknown toggle 'castle'"),
        ("[extra.x]\nnodes = []", "extra.x.nodes must list"),
        ("[extra.x]\ngames = 1001", "extra.x.games must be at most openings.count, which is 1000"),
        ("[measure]\nprimary = ['orthodox', 'fusion-1999']", "orthodox is no arm"),
        ("[measure]\nstop = { alpha = 2.0 }", "alpha must lie between 0 and 1"),
        (
            "[measure]\nshards = 257\nstop = {}",
            "measure.shards must be at most 256 with measure.stop",
        ),
        ("[measure]\nrules = ['orthodox']\nstop = {}", "name two arms as measure.primary"),
        ("[measure]\nown_plies = 4", "openings that all arms share"),
        ("[measure]\nnodes = [100000]", "12800000 or more"),
        ("[matches.x]\nopponent = 'pvs:material'\nnodes = 100000", "12800000 or more"),
        ("[train]\nstart = 'pvs:material'", "has no policy to learn from"),
        ("[measure]\nprimary = ['x', 'fusion-1999']", "measure.primary: unknown rule set 'x'"),
        ("[random]\ngames = 0", "random.games"),
        ("[random]\nshards = 0", "random.shards must lie between"),
        ("[random]\ngames = 1000000000000", "random.games must lie between"),
        ("[extra.x]\nown_plies = 4\ngames = 4294967295", "extra.x.games must lie between"),
        ("[openings]\ncount = 4294967295", "openings.count must lie between"),
        ("[extra.measure]\nnodes = [3]", "is the main measurement's name"),
        ("[selfplay.rules]\northodox = 1e308", "the weight of `orthodox` must be above 0 and"),
        ("[matches.x]\ngames = 3", "matches.x.games must be even"),
        ("[matches.x]\nopponent_nodes = 0", "matches.x.opponent_nodes must be at least 1"),
        ("[extra.'a b']", "the name of an [extra] section \"a b\""),
    ] {
        let message = rejection(text);
        assert!(message.contains(part), "{text}: {message}");
    }
}

/// The alpha-beta search has no tree, so its budgets need no room in one.
#[test]
fn budgets_of_the_alpha_beta_search_are_not_bounded_by_the_tree() {
    let text = "[network]\nfile = 'pvs:material'\n[measure]\nnodes = [100000]\n\
                [strength]\nopponent = 'self'\nnodes = 100000\n";
    study(text).check::<FusionGame>().unwrap();
}

/// Measures tic-tac-toe by two rule sets. The draws under `misere` differ from those under
/// `normal`.
fn measure(config: &MeasureConfig, games: u32, folder: &Path, threads: usize) -> Vec<GameRow> {
    let pool = Pool::without_plies(games);
    let model = Model::open::<TicTacToe>("uniform", []).unwrap().into();
    let threads = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let play = || {
        measure::run::<TicTacToe>(config, &pool, &model, 5, folder, 0..1, &Stop::new()).unwrap();
    };
    threads.install(play);
    assert!(measure::assemble_if_whole::<TicTacToe>(folder, &Stop::new()).unwrap().is_empty());
    let file = std::fs::File::open(folder.join("games.csv")).unwrap();
    measure::read_rows(Description::of::<TicTacToe>(), file).unwrap()
}

fn both(nodes: u32) -> MeasureConfig {
    let rules = ["normal", "misere"].map(str::to_owned);
    MeasureConfig {
        primary: Some(rules.clone()),
        rules: rules.to_vec(),
        nodes: vec![nodes],
        own_plies: 5,
        ..MeasureConfig::default()
    }
}

#[test]
fn own_openings_differ_and_know_their_entropy() {
    let folder = tempfile::tempdir().unwrap();
    let rows = measure(&both(40), 30, folder.path(), 2);
    assert_eq!(rows.len(), 60);
    let games: BTreeSet<u64> = rows.iter().map(|row| row.moves_hash).collect();
    assert!(games.len() > 40, "drawn by visits, few games are alike: {}", games.len());
    assert!(rows.iter().all(|row| row.opening_plies == 0));
    let bits = |row: &GameRow| row.opening_entropy.unwrap();
    assert!(rows.iter().all(|row| (1.0..=9.0 * 9f64.log2()).contains(&bits(row))));
}

/// The moment of the interruption does not matter. The decision depends only on the openings up to
/// a look, not on other games that are finished.
#[test]
fn an_interrupted_measurement_stops_at_the_same_look() {
    let config = MeasureConfig { stop: Some(StopRule { alpha: 0.2, every: 10 }), ..both(60) };
    let run = |delays: &[u64]| {
        let folder = tempfile::tempdir().unwrap();
        let pool = Pool::without_plies(400);
        let model = Model::open::<TicTacToe>("uniform", []).unwrap().into();
        let play = |stop: &Stop| {
            measure::run::<TicTacToe>(&config, &pool, &model, 5, folder.path(), 0..1, stop)
        };
        for &delay in delays {
            let stop = Stop::new();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(std::time::Duration::from_millis(delay));
                    stop.request();
                });
                // The result depends on speed: the run may have finished before the stop.
                let _ = play(&stop);
            });
        }
        play(&Stop::new()).unwrap();
        fs::read(folder.path().join("measure-00000-of-00001.shard")).unwrap()
    };
    let whole = run(&[]);
    assert!(whole == run(&[20, 20, 20]) && whole == run(&[60, 5]));
}

/// The stopping rule uses whole stretches of openings, so that the remaining games do not depend on
/// the speed of the threads.
#[test]
fn a_measurement_stops_at_a_look_and_at_the_same_one_for_any_number_of_threads() {
    let stop = Some(StopRule { alpha: 0.2, every: 10 });
    let config = MeasureConfig { stop, ..both(60) };
    let run = |threads| {
        let folder = tempfile::tempdir().unwrap();
        let rows = measure(&config, 400, folder.path(), threads);
        (rows, fs::read(folder.path().join("measure-00000-of-00001.shard")).unwrap())
    };
    let (rows, bytes) = run(1);
    assert!(bytes == run(3).1);
    assert!(rows.len().is_multiple_of(20) && rows.len() < 800, "{} games", rows.len());
    // Before the last look, the evidence was not sufficient.
    let only = |rows: &[GameRow], a: &str, b: &str| {
        let drawn = |rules: &str, opening: u64| {
            let game = rows.iter().find(|row| row.rules == rules && row.opening == opening);
            game.is_some_and(GameRow::drawn)
        };
        let openings: BTreeSet<u64> = rows.iter().map(|row| row.opening).collect();
        openings.iter().filter(|&&o| drawn(a, o) && !drawn(b, o)).count() as u64
    };
    let evidence = |rows: &[GameRow]| {
        let (b, c) = (only(rows, "normal", "misere"), only(rows, "misere", "normal"));
        fusion_statistics::evalue::e_value(b, c, 20.0).unwrap()
    };
    assert!(evidence(&rows) >= 5.0);
    assert!(evidence(&rows[..rows.len() - 20]) < 5.0);
}

#[test]
fn random_movers_are_counted_alike_by_any_number_of_threads() {
    let rules = ["orthodox", "fusion-1999"].map(str::to_owned);
    let config = |games, shards| RandomGames { rules: rules.to_vec(), games, shards, seed: 7 };
    let run = |threads, folder: &Path| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let config = config(12_000, 1);
        pool.install(|| random::run::<FusionGame>(&config, folder, 0..1, &Stop::new())).unwrap();
        random::merge::<FusionGame>(&config, folder).unwrap()
    };
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let rows = run(1, one.path());
    assert_eq!(rows, run(3, two.path()));
    assert_eq!(rows, run(1, one.path()), "a finished run is read");
    for row in &rows {
        assert_eq!(row.games, 12_000);
        assert_eq!(row.won() + row.drawn(), row.games);
        assert!(row.plies > 100 * row.games && row.wins[0] > 0 && row.drawn_by(FIFTY_MOVE) > 0);
    }
    // The expected values are the published shares of orthodox chess, within the precision of
    // 12,000 games.
    let share = |count: u64| 100.0 * count as f64 / 12_000.0;
    let [mates, dead] = [rows[0].won(), rows[0].drawn_by(DEAD_POSITION)].map(share);
    assert!((mates - 15.31).abs() < 1.5 && (dead - 53.59).abs() < 2.0);
    let read = random::read_rows(
        Description::of::<FusionGame>(),
        fs::File::open(one.path().join(random::RESULT)).unwrap(),
    );
    assert_eq!(read.unwrap(), rows);
    let of_chess = fs::read(one.path().join(random::RESULT)).unwrap();
    let error = random::read_rows(Description::of::<TicTacToe>(), &of_chess[..]).unwrap_err();
    assert!(error.to_string().contains("unknown column dead_position"), "{error}");
    for other in [config(12_001, 1), config(12_000, 2)] {
        let run = random::run::<FusionGame>(&other, one.path(), 0..1, &Stop::new());
        assert!(run.is_err(), "{other:?} is another run");
        assert!(random::merge::<FusionGame>(&other, one.path()).is_err(), "{other:?}");
    }
    let rules = [&rules[..1], &rules[..1]].concat();
    let twice = RandomGames { rules, ..config(10, 1) };
    let twice = random::run::<FusionGame>(&twice, two.path(), 0..1, &Stop::new()).unwrap_err();
    assert!(twice.to_string().contains("orthodox is named twice"), "{twice}");
}
