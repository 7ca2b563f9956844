use fusion_network::Sizes;
use std::sync::LazyLock;

use serde_json::json;

use super::*;
use crate::model::tests::{SHAPE, window};
use crate::views::tests as views;
use crate::window::TreeLayout;
use fusion_chess::FusionGame;
use fusion_network::Network;
use fusion_network::TreeSizes;

static POOL: LazyLock<ThreadPool> =
    LazyLock::new(|| rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap());

fn config() -> TrainConfig {
    TrainConfig {
        min_positions: 100,
        batch: 32,
        epochs: 4.0,
        checkpoint_steps: 1_000,
        ..TrainConfig::default()
    }
}

fn job<'a>(
    window: &'a Window<TreeLayout>,
    config: &'a TrainConfig,
    out: &'a Path,
) -> Job<'a, TreeSizes> {
    job_of(window, SHAPE, config, out)
}

fn job_of<'a, A: Architecture>(
    window: &'a Window<A::Layout>,
    shape: A,
    config: &'a TrainConfig,
    out: &'a Path,
) -> Job<'a, A> {
    Job {
        window,
        newest: window.train().len(),
        config,
        shape,
        seed: 9,
        out,
        run: json!({"seed": 9}),
        pool: &POOL,
        device: Device::Cpu,
    }
}

fn fit<A: Architecture>(job: &Job<'_, A>) -> anyhow::Result<(State<A>, Vec<Row>)> {
    let initial = || Ok(job.shape.random(job.seed, job.device));
    job.run(initial, &Stop::new(), &Progress::hidden())
}

fn same<A>(a: &Parameters<A>, b: &Parameters<A>) -> bool {
    // `equal` compares bits, except for the signs of zeros and NaNs.
    a.0.iter().zip(&b.0).all(|(a, b)| a.equal(b))
}

#[test]
fn training_learns_what_can_be_learned() {
    tch::set_num_threads(1);
    let window = window(600, 11);
    let folder = tempfile::tempdir().unwrap();
    let config = TrainConfig { epochs: 20.0, ..config() };
    let (state, rows) = fit(&job(&window, &config, folder.path())).unwrap();
    let (first, last) = (&rows[0], rows.last().unwrap());
    assert_eq!(last.step, state.step);
    assert!(last.policy_loss < first.policy_loss && last.value_loss < first.value_loss);
    let excess = last.policy_loss.unwrap() - last.policy_entropy.unwrap();
    assert!(excess < 0.1, "{excess}");
    assert!(last.held_out_policy_loss.unwrap() < 2.0 && last.held_out_policy_top1.unwrap() > 0.5);
    let table = metrics::read(&folder.path().join(METRICS), u64::MAX).unwrap();
    assert_eq!(table.len(), rows.len());
}

#[test]
fn a_killed_run_continues_bit_by_bit() {
    check_continuation(&window(600, 12), SHAPE);
    check_continuation(&views::window(600, 12), views::SHAPE);
}

fn check_continuation<A: Architecture>(window: &Window<A::Layout>, shape: A) {
    tch::set_num_threads(1);
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let straight = config();
    let (wanted, wanted_rows) = fit(&job_of(window, shape, &straight, folders[0].path())).unwrap();
    assert!(wanted.step > 60);

    // A stop in the middle, between the steps of checkpoints and metrics.
    let config = TrainConfig { checkpoint_steps: 25, ..straight };
    let job = job_of(window, shape, &config, folders[1].path());
    let stop = Stop::new();
    let bar = Progress::hidden();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while bar.done() < 30 {
                std::thread::yield_now();
            }
            stop.request();
        });
        let initial = || Ok(job.shape.random(job.seed, job.device));
        let error = job.run(initial, &stop, &bar).unwrap_err();
        assert_eq!(fusion_jobs::exit::exit_code(&error), fusion_jobs::exit::INTERRUPTED);
    });
    let (found, rows) = fit(&job).unwrap();
    assert_eq!(found.step, wanted.step);
    assert!(same(&found.weights, &wanted.weights) && same(&found.average, &wanted.average));
    assert!(same(&found.first, &wanted.first) && same(&found.second, &wanted.second));
    assert_eq!(rows, wanted_rows);
}

/// libtorch's threads and those of the optimiser.
#[test]
fn weights_do_not_depend_on_the_number_of_threads() {
    let window = window(600, 16);
    let config = config();
    let train = |threads| {
        tch::set_num_threads(threads);
        let folder = tempfile::tempdir().unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads as usize).build().unwrap();
        let job = Job { pool: &pool, ..job(&window, &config, folder.path()) };
        fit(&job).unwrap().0
    };
    let (one, three) = (train(1), train(3));
    assert!(same(&one.weights, &three.weights) && same(&one.average, &three.average));
    assert!(same(&one.first, &three.first) && same(&one.second, &three.second));
}

#[test]
fn a_checkpoint_of_another_run_or_a_damaged_one_is_rejected() {
    let window = window(300, 13);
    let folder = tempfile::tempdir().unwrap();
    let config = TrainConfig { epochs: 1.0, ..config() };
    let mut job = job(&window, &config, folder.path());
    fit(&job).unwrap();
    job.run = json!({"seed": 10});
    let error = fit(&job).unwrap_err().to_string();
    assert!(error.contains("`seed` was 9, now it is 10"), "{error}");

    job.run = json!({"seed": 9});
    let path = folder.path().join(CHECKPOINT);
    let good = std::fs::read(&path).unwrap();
    let mut bad = good.clone();
    let at = bad.len() - 100;
    bad[at] ^= 1;
    let find = |text: &[u8]| good.windows(text.len()).position(|found| found == text).unwrap();
    let mut older = good.clone();
    older[find(br#"\"version\":3"#) + 12] = b'1';
    let mut elsewhere = good.clone();
    elsewhere[find(br#"\"step\":"#) + 9] ^= 1;
    for (bytes, message) in [
        (&bad[..], "checksum"),
        (&older[..], "its version is 1, this program's is 3"),
        (&elsewhere[..], "checksum"),
        (&good[..good.len() / 2], "cannot be used"),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let error = fit(&job).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
        assert_eq!(fusion_jobs::exit::exit_code(&error), fusion_jobs::exit::CORRUPT);
    }
}

#[test]
fn a_network_that_plays_alone_can_be_learned_on_from() {
    let folder = tempfile::tempdir().unwrap();
    let [floats, integers] = ["net.safetensors", "net.fnet"].map(|name| folder.path().join(name));
    let rules = "fusion-2020".parse().unwrap();
    let engine = fusion_network::FloatNetwork::random::<FusionGame>(&rules, 64, 5).unwrap();
    std::fs::write(
        &floats,
        crate::floats::to_bytes::<FusionGame, TreeSizes>(&rules, &engine).unwrap(),
    )
    .unwrap();
    let network = Network::quantise::<FusionGame>(&rules, &engine).unwrap();
    std::fs::write(&integers, network.bytes()).unwrap();
    let shape = TreeSizes::of::<FusionGame>(&rules, 64).unwrap();
    let load = |path: &Path| {
        checkpoint::load_weights::<FusionGame, TreeSizes>(&rules, path, shape, Device::Cpu)
    };
    let (floats, near) = (load(&floats).unwrap(), load(&integers).unwrap());
    for (i, ((name, float), (_, near))) in floats.tensors().zip(near.tensors()).enumerate() {
        let largest = float.abs().max().double_value(&[]);
        assert_eq!(largest == 0.0, i >= 2 * TreeSizes::playing().len(), "{name}");
        let apart = (float - near).abs().max().double_value(&[]);
        assert!(apart <= largest / 100.0, "{name}: {apart} of {largest}");
    }
    std::fs::write(&integers, b"FUSIONNN and no more").unwrap();
    let error = load(&integers).unwrap_err();
    assert_eq!(fusion_jobs::exit::exit_code(&error), fusion_jobs::exit::CORRUPT);
}

#[test]
fn too_few_positions_are_an_error() {
    let window = window(50, 14);
    let folder = tempfile::tempdir().unwrap();
    let config = TrainConfig { min_positions: 20_000, ..config() };
    let error = fit(&job(&window, &config, folder.path())).unwrap_err();
    assert_eq!(
        format!("{error:#}"),
        "the window is too small: need 20,000 positions to train, have 45: \
         play more games or lower `min_positions`"
    );
}

#[test]
fn divergence_stops_before_a_checkpoint_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let good = window(600, 15);
    let config = TrainConfig { epochs: 2.0, checkpoint_steps: 10, ..config() };
    let saved = |job: &Job<'_, TreeSizes>| {
        checkpoint::load(&folder.path().join(CHECKPOINT), job.shape, job.device).unwrap()
    };

    // Two passes of 16 steps. The poisoned position is in one of the first 16.
    let mut poisoned = window(600, 15);
    let good_job = job(&good, &config, folder.path());
    let mut sampler = good_job.sampler();
    let victim = sampler.positions(14)[3];
    let (block, place) = poisoned.block_mut(victim);
    block.poison(place);
    let job = job(&poisoned, &config, folder.path());
    let error = fit(&job).unwrap_err().to_string();
    assert!(error.contains("diverged at step 15") && error.contains("of step 10"), "{error}");
    assert_eq!(saved(&job).unwrap().0.step, 10);
    assert!(saved(&job).unwrap().0.weights.not_finite().is_none());

    // Weights may overflow while the loss stays finite. They are rejected when saved.
    std::fs::remove_file(folder.path().join(CHECKPOINT)).unwrap();
    let wild = TrainConfig { learning_rate: 1e38, ..config.clone() };
    let wild = Job { window: &good, config: &wild, run: json!({}), ..job };
    let error = fit(&wild).unwrap_err().to_string();
    assert!(error.contains("diverged") && error.contains("no earlier checkpoint"), "{error}");
    assert!(saved(&wild).is_none());
}
