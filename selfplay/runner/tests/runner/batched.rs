//! Tests training games in groups whose leaves are evaluated together.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use fusion_chess::FusionGame;
use fusion_game::evaluator::{Evaluator, Wdl};
use fusion_game::prelude::*;
use fusion_game::toy::TicTacToe;
use fusion_jobs::exit::{INTERRUPTED, USAGE, exit_code};
use fusion_jobs::shard::ShardReader;
use fusion_jobs::stop::Stop;
use fusion_network::model::Model;
use fusion_network::{self, Network};
use fusion_runner::generate::{self, Answer, BatchEvaluator, Leaf, Summary};
use fusion_study::Searcher;
use fusion_study::SelfplayConfig;

use crate::games::selfplay_config;

fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// Returns a network with random weights. Its output depends only on the position.
fn model<G: CompleteGame>() -> Model {
    let rules = G::Rules::parse(G::BENCHMARK.reference).unwrap();
    let floats = fusion_network::FloatNetwork::random::<G>(&rules, 64, 1).unwrap();
    Model::of(Network::quantise::<G>(&rules, &floats).unwrap())
}

fn answer<G: CompleteGame>(evaluator: &mut dyn Evaluator<G>, leaf: &Leaf<'_, G>) -> Answer {
    match *leaf {
        Leaf::Value(game) => Answer::Value(evaluator.value(game)),
        Leaf::Policy(game, moves) => {
            let mut logits = Vec::new();
            evaluator.policy(game, moves, &mut logits);
            Answer::Policy(logits)
        }
    }
}

/// An evaluator that answers leaf by leaf, as in games that are played separately.
struct OneByOne {
    model: Model,
    calls: AtomicUsize,
    leaves: AtomicUsize,
}

impl OneByOne {
    fn new<G: CompleteGame>() -> Self {
        Self { model: model::<G>(), calls: AtomicUsize::new(0), leaves: AtomicUsize::new(0) }
    }
}

impl<G: CompleteGame> BatchEvaluator<G> for OneByOne {
    fn hash(&self) -> &str {
        self.model.hash()
    }

    fn evaluate(&self, leaves: &[Leaf<'_, G>]) -> anyhow::Result<Vec<Answer>> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.leaves.fetch_add(leaves.len(), Ordering::Relaxed);
        let mut evaluator = self.model.evaluator::<G>(0);
        Ok(leaves.iter().map(|leaf| answer(evaluator.as_mut(), leaf)).collect())
    }
}

/// An evaluator whose every answer depends on all leaves of its call, so that the games show any
/// change in the leaves evaluated together. It requests a stop in its call of a given number.
struct Moody {
    model: Model,
    stop: Stop,
    stops_at: Option<usize>,
    calls: AtomicUsize,
}

impl Moody {
    fn new(stop: &Stop, stops_at: Option<usize>) -> Self {
        let model = model::<TicTacToe>();
        Self { model, stop: stop.clone(), stops_at, calls: AtomicUsize::new(0) }
    }
}

impl BatchEvaluator<TicTacToe> for Moody {
    fn hash(&self) -> &str {
        "moody"
    }

    fn evaluate(&self, leaves: &[Leaf<'_, TicTacToe>]) -> anyhow::Result<Vec<Answer>> {
        if Some(self.calls.fetch_add(1, Ordering::Relaxed)) == self.stops_at {
            self.stop.request();
        }
        let mood = leaves.iter().fold(leaves.len() as u64, |mood, leaf| {
            let (Leaf::Value(game) | Leaf::Policy(game, _)) = leaf;
            (mood ^ game.hash()).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        let mut evaluator = self.model.evaluator::<TicTacToe>(0);
        let colour = |(i, leaf): (usize, &Leaf<'_, TicTacToe>)| {
            let answer = answer(evaluator.as_mut(), leaf);
            let Answer::Policy(mut logits) = answer else { return answer };
            let favourite = (mood as usize).wrapping_add(i) % logits.len();
            logits[favourite] += 3.0;
            Answer::Policy(logits)
        };
        Ok(leaves.iter().enumerate().map(colour).collect())
    }
}

fn play_moody(
    folder: &Path,
    group: u32,
    threads: usize,
    stops_at: Option<usize>,
) -> anyhow::Result<Summary> {
    let stop = Stop::new();
    let evaluator = Moody::new(&stop, stops_at);
    with_threads(threads, || {
        generate::run_batched(&selfplay_config(), group, &evaluator, 7, folder, 0..2, &stop)
    })
}

/// Returns the games of all shards, in the order of the files.
fn games(folder: &Path) -> Vec<(u64, Vec<u8>)> {
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let shard = |path| ShardReader::open(path).unwrap().map(Result::unwrap).collect::<Vec<_>>();
    paths.iter().flat_map(|path| shard(path)).collect()
}

fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries.map(|e| (e.file_name().into_string().unwrap(), fs::read(e.path()).unwrap())).collect()
}

#[test]
fn together_or_one_by_one_the_games_are_the_same() {
    let alone = tempfile::tempdir().unwrap();
    let model = model::<TicTacToe>();
    let stop = Stop::new();
    generate::run::<TicTacToe>(
        &selfplay_config(),
        &Searcher::from(model.clone()),
        7,
        alone.path(),
        0..2,
        &stop,
    )
    .unwrap();
    let wanted = games(alone.path());
    assert_eq!(wanted.len(), 60);
    for (group, threads) in [(1, 1), (7, 3), (256, 2)] {
        let folder = tempfile::tempdir().unwrap();
        let evaluator = OneByOne::new::<TicTacToe>();
        let play = || {
            let (config, folder) = (selfplay_config(), folder.path());
            generate::run_batched::<TicTacToe>(&config, group, &evaluator, 7, folder, 0..2, &stop)
        };
        let summary = with_threads(threads, play).unwrap();
        assert_eq!((summary.games, summary.new_shards), (60, 2));
        assert!(games(folder.path()) == wanted, "groups of {group}");
        // Games that end early leave their places empty.
        let mean = evaluator.leaves.into_inner() as f64 / evaluator.calls.into_inner() as f64;
        let most = f64::from(group.min(30));
        assert!(mean <= most && mean > 0.4 * most, "{mean} leaves a call, of {most}");
    }
}

#[test]
fn fusion_chess_is_the_same_together_and_one_by_one() {
    let config = SelfplayConfig {
        games: 5,
        simulations: 12,
        fast_simulations: 5,
        cap: 60,
        ..SelfplayConfig::default()
    };
    let [alone, together] = [0, 1].map(|_| tempfile::tempdir().unwrap());
    let stop = Stop::new();
    let model = model::<FusionGame>();
    let play = || {
        generate::run::<FusionGame>(
            &config,
            &Searcher::from(model.clone()),
            3,
            alone.path(),
            0..1,
            &stop,
        )
    };
    with_threads(2, play).unwrap();
    let evaluator = OneByOne::new::<FusionGame>();
    generate::run_batched::<FusionGame>(&config, 3, &evaluator, 3, together.path(), 0..1, &stop)
        .unwrap();
    assert_eq!(games(alone.path()).len(), 5);
    assert!(games(alone.path()) == games(together.path()));
}

#[test]
fn what_is_evaluated_together_depends_on_the_games_numbers_alone() {
    let play = |group, threads| {
        let folder = tempfile::tempdir().unwrap();
        play_moody(folder.path(), group, threads, None).unwrap();
        games(folder.path())
    };
    let wanted = play(8, 1);
    assert!(wanted == play(8, 4));
    assert!(wanted != play(9, 1), "the evaluator's mood does not show");
}

#[test]
fn an_interrupted_group_comes_to_the_same_end() {
    let straight = tempfile::tempdir().unwrap();
    play_moody(straight.path(), 8, 1, None).unwrap();
    let wanted = contents(straight.path());
    assert_eq!(wanted.len(), 2);
    let mut lengths = Vec::new();
    // The stop comes after a game has ended, in whatever order the two threads take turns.
    for stops_at in [0, 150, 220, 300, 400] {
        let folder = tempfile::tempdir().unwrap();
        let error = play_moody(folder.path(), 8, 2, Some(stops_at)).unwrap_err();
        assert_eq!(exit_code(&error), INTERRUPTED, "{error:#}");
        let left = contents(folder.path());
        let part = left.iter().find(|(name, _)| name.ends_with(".part")).unwrap();
        lengths.push(part.1.len());
        play_moody(folder.path(), 8, 2, None).unwrap();
        assert!(contents(folder.path()) == wanted, "stopped in call {stops_at}");
    }
    // After the first stop, there is only a header.
    assert!(lengths[1..].iter().all(|&length| length > lengths[0]), "{lengths:?}");
}

#[test]
fn a_group_that_lacks_one_game_is_completed() {
    let [straight, torn] = [0, 1].map(|_| tempfile::tempdir().unwrap());
    play_moody(straight.path(), 8, 1, None).unwrap();
    play_moody(torn.path(), 8, 1, None).unwrap();
    // The footer and the end of the last game's frame are missing, as if the process had been
    // killed while writing it.
    let name = "games-00001-of-00002.shard";
    let whole = fs::read(torn.path().join(name)).unwrap();
    fs::write(torn.path().join(format!("{name}.part")), &whole[..whole.len() - 60]).unwrap();
    fs::remove_file(torn.path().join(name)).unwrap();
    let summary = play_moody(torn.path(), 8, 1, None).unwrap();
    assert_eq!(summary.new_shards, 1);
    assert!(contents(torn.path()) == contents(straight.path()));
}

#[test]
fn shards_of_another_evaluator_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    play_moody(folder.path(), 8, 1, None).unwrap();
    let (config, stop) = (selfplay_config(), Stop::new());
    let evaluator = OneByOne::new::<TicTacToe>();
    let other =
        generate::run_batched::<TicTacToe>(&config, 8, &evaluator, 7, folder.path(), 0..2, &stop);
    let error = other.unwrap_err();
    assert_eq!(exit_code(&error), USAGE);
    assert!(format!("{error:#}").contains("parameters.network is \"moody\""), "{error:#}");

    let model = model::<TicTacToe>();
    let native = generate::run::<TicTacToe>(
        &config,
        &Searcher::from(model.clone()),
        7,
        folder.path(),
        0..2,
        &stop,
    );
    let error = native.unwrap_err();
    assert_eq!(exit_code(&error), USAGE);
    let message = format!("{error:#}");
    assert!(
        message.contains("parameters.evaluator is \"torch\", now it would be \"native\""),
        "{message}"
    );
}

/// An evaluator that answers with the result of a function.
struct Wrong(fn(&[Leaf<'_, TicTacToe>]) -> anyhow::Result<Vec<Answer>>);

impl BatchEvaluator<TicTacToe> for Wrong {
    fn hash(&self) -> &str {
        "wrong"
    }

    fn evaluate(&self, leaves: &[Leaf<'_, TicTacToe>]) -> anyhow::Result<Vec<Answer>> {
        (self.0)(leaves)
    }
}

#[test]
fn an_evaluator_that_fails_ends_the_run_with_a_message() {
    let none = |_: &[Leaf<'_, TicTacToe>]| Ok(Vec::new());
    let values = |leaves: &[Leaf<'_, TicTacToe>]| {
        Ok(leaves.iter().map(|_| Answer::Value(Wdl::NEUTRAL.into())).collect())
    };
    let short = |leaves: &[Leaf<'_, TicTacToe>]| {
        let answer = |leaf: &Leaf<'_, TicTacToe>| match leaf {
            Leaf::Value(_) => Answer::Value(Wdl::NEUTRAL.into()),
            Leaf::Policy(..) => Answer::Policy(vec![0.0]),
        };
        Ok(leaves.iter().map(answer).collect())
    };
    let fails = |_: &[Leaf<'_, TicTacToe>]| anyhow::bail!("the device is gone");
    let wrong: [(Wrong, &str); 4] = [
        (Wrong(none), "0 answers to 8 questions"),
        (Wrong(values), "fits another question"),
        (Wrong(short), "fits another question"),
        (Wrong(fails), "the device is gone"),
    ];
    for (evaluator, wanted) in wrong {
        let folder = tempfile::tempdir().unwrap();
        let stop = Stop::new();
        let config = selfplay_config();
        let run = generate::run_batched(&config, 8, &evaluator, 7, folder.path(), 0..2, &stop);
        let message = format!("{:#}", run.unwrap_err());
        assert!(message.contains(wanted), "{message}");
    }
}
