use fusion_chess::FusionGame;
use fusion_game::toy::{TicTacToe, Variant};
use fusion_game::{Ending, Game};
use fusion_jobs::exit::{CORRUPT, USAGE, exit_code};
use fusion_jobs::runner::{Played, Run as Shards};
use fusion_network::model::Model;
use fusion_runner::{generate, samples};
use fusion_study::{Adjudication, Searcher, SelfplayConfig};

use super::*;
use crate::window::Batch;
use fusion_network::TreeSizes;
use fusion_network::views::ViewSizes;

/// Plays the games of a run with this seed, in two shards of which each has more than a part.
fn play(folder: &Path, seed: u64) -> PathBuf {
    let out = folder.join(format!("games-{seed}"));
    fs::create_dir(&out).unwrap();
    let config = SelfplayConfig {
        games: 150,
        shards: 2,
        simulations: 2,
        fast_simulations: 1,
        cap: 24,
        ..SelfplayConfig::default()
    };
    let player = Searcher::from(Model::open::<FusionGame>("material", []).unwrap());
    generate::run::<FusionGame>(&config, &player, seed, &out, 0..2, &Stop::new()).unwrap();
    out
}

/// Returns a rule set of the games.
fn rules() -> <FusionGame as Game>::Rules {
    "fusion-2020".parse().unwrap()
}

fn reader() -> Reader<TreeSizes> {
    let config = TrainConfig { validation: 0.2, ..TrainConfig::default() };
    Reader::new::<FusionGame>(&rules(), &config, Path::new(""))
}

/// Double turns have an input more.
#[test]
fn games_of_another_network_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let config = SelfplayConfig {
        rules: [("double".to_owned(), 1.0)].into(),
        games: 20,
        simulations: 2,
        ..SelfplayConfig::default()
    };
    let player = Searcher::open::<TicTacToe>("uniform", []).unwrap();
    generate::run::<TicTacToe>(&config, &player, 1, folder.path(), 0..1, &Stop::new()).unwrap();
    let read = |name: &str| {
        let rules = Variant::parse(name).unwrap();
        let config = TrainConfig::default();
        let mut reader = Reader::<TreeSizes>::new::<TicTacToe>(&rules, &config, folder.path());
        let read = reader.read::<TicTacToe>(&rules, &[folder.path().to_owned()], 1, &Stop::new());
        read.map(|read| read.games)
    };
    assert_eq!(read("double-misere").unwrap(), 20);
    let error = read("normal").unwrap_err();
    assert_eq!(exit_code(&error), USAGE);
    assert!(format!("{error:#}").contains("cannot play both normal and double"), "{error:#}");
}

type Read = Positions<<TreeSizes as Architecture>::Layout>;

fn read(reader: &mut Reader<TreeSizes>, folders: &[PathBuf], threads: usize) -> Read {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| reader.read::<FusionGame>(&rules(), folders, 1, &Stop::new())).unwrap()
}

/// Returns all that a fit sees of a window.
fn contents(read: &Read) -> (u64, usize, String, String) {
    let window = &read.window;
    let batch = |positions: &[u32]| -> Batch { window.batch(positions) };
    let train: Vec<u32> = window.train().iter().collect();
    let text = format!("{:?} {:?}", batch(&train), batch(window.held_out()));
    (read.games, read.newest, read.fingerprint.clone(), text)
}

#[test]
fn a_window_that_moves_on_is_the_one_that_is_read_anew() {
    let folder = tempfile::tempdir().unwrap();
    let runs: Vec<PathBuf> = (0..4).map(|seed| play(folder.path(), seed)).collect();
    let mut moving = reader();
    for first in [0, 1, 2] {
        let window = &runs[first..first + 2];
        let anew = contents(&read(&mut reader(), window, 1));
        assert!(anew.0 == 300 && anew.1 > 1_000 && anew.3.len() > 100_000, "{}", anew.1);
        assert!(contents(&read(&mut reader(), window, 3)) == anew);
        let before: Vec<_> = moving.kept.iter().flat_map(|run| run.parts.clone()).collect();
        assert!(contents(&read(&mut moving, window, 2)) == anew);
        // The older half of the window is not read again, and what it left is dropped.
        let kept = |part: &Arc<_>| before.iter().any(|before| Arc::ptr_eq(before, part));
        let older = |run: &Run<_>| run.parts.iter().all(kept);
        let expected: &[bool] = if first == 0 { &[false, false] } else { &[true, false] };
        assert_eq!(moving.kept.iter().map(older).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn a_folder_that_has_changed_is_read_anew() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = [0, 1].map(|seed| play(folder.path(), seed));
    let mut moving = reader();
    let old = contents(&read(&mut moving, std::slice::from_ref(&first), 1));
    fs::remove_dir_all(&first).unwrap();
    fs::rename(&second, &first).unwrap();
    let new = contents(&read(&mut moving, std::slice::from_ref(&first), 1));
    assert!(new != old && new == contents(&read(&mut reader(), &[first], 1)));
}

/// Their values are in hundredths of a Pawn, and some of them are adjudicated.
#[test]
fn games_of_the_alpha_beta_search_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let config = SelfplayConfig {
        games: 40,
        simulations: 30,
        fast_simulations: 30,
        random_plies: (6, 9),
        opening_value: Some(300),
        adjudication: Some(Adjudication { value: 300, plies: 3, control: 0.1 }),
        cap: 80,
        ..SelfplayConfig::default()
    };
    let player = Searcher::open::<FusionGame>("pvs:material?table_mib=1", []).unwrap();
    let (out, stop) = (folder.path(), Stop::new());
    generate::run::<FusionGame>(&config, &player, 1, out, 0..1, &stop).unwrap();
    let train = TrainConfig { validation: 0.0, value_mix: 1.0, ..TrainConfig::default() };
    let mut reader = Reader::<ViewSizes>::new::<FusionGame>(&rules(), &train, out);
    let read = reader.read::<FusionGame>(&rules(), &[out.to_owned()], 1, &stop).unwrap();

    let (mut values, mut adjudicated) = (Vec::new(), 0);
    for path in cluster::whole_run(out).unwrap() {
        records::read_shard::<FusionGame>(&path, |record| {
            adjudicated += u32::from(record.outcome.ending == Ending::VALUE);
            let samples = samples::views_of_record::<FusionGame>(&record, &train.samples)?;
            values.extend(samples.into_iter().map(|sample| (sample.stage, sample.root)));
            Ok(())
        })
        .unwrap();
    }
    assert!(adjudicated > 5 && values.len() > 500, "{adjudicated}, {}", values.len());
    values.sort_by_key(|(stage, _)| *stage);
    let train: Vec<u32> = read.window.train().iter().collect();
    let batch = read.window.batch(&train);
    let found: Vec<f32> = values.into_iter().flat_map(|(_, root)| root).collect();
    assert_eq!(batch.values.len(), found.len());
    assert!(batch.values.iter().zip(found).all(|(a, b)| (a - b).abs() < 2e-5));
}

#[test]
fn games_in_an_older_format_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let run = Shards {
        kind: generate::KIND,
        behaviour: String::new(),
        folder: folder.path().to_owned(),
        seed: 1,
        shards: 1,
        games: 1,
        parameters: serde_json::json!({"records": 1}),
    };
    let game = |_, _: &_| Ok(Some(Played { payload: Vec::new(), drawn: 0 }));
    run.play_shard(0, "games", &Stop::new(), game).unwrap();
    let error = reader().read::<FusionGame>(&rules(), &[folder.path().to_owned()], 1, &Stop::new());
    let error = error.unwrap_err();
    assert_eq!(exit_code(&error), CORRUPT);
    assert!(format!("{error:#}").contains("version 1 of the format"), "{error:#}");
}

#[test]
fn about_the_asked_share_of_games_is_held_out() {
    let count = |share| (0..10_000).filter(|&game| held_out(3, game, share)).count();
    assert_eq!(count(0.0), 0);
    assert!((400..600).contains(&count(0.05)), "{}", count(0.05));
    assert!(held_out(3, 17, 1.0));
}
