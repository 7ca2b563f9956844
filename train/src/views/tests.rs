use std::sync::Arc;

use fusion_game::{MOST_COUNT, ViewInputs, ViewsShape};
use fusion_jobs::seeds;
use fusion_network::Sizes;
use proptest::prelude::*;
use rand::RngExt;
use rand::seq::index;

use tch::{Kind, Tensor};

use super::*;
use crate::architecture::Layout;
use crate::model::tests::pool;
use crate::optimiser::State;
use crate::window::{BadSample, Part, Spool, Window};

pub(crate) const SHAPE: ViewSizes =
    ViewSizes { inputs: 40, hidden: 64, counts: 64, stages: 3, scheme: [0; 32] };
const FACTORS: Weights = Weights { value: 0.7, length: 0.3, horizon: 0.2 };

fn sample(number: usize, rng: &mut rand_chacha::ChaCha8Rng) -> ViewSample {
    let mut view = || index::sample(rng, 40, 9).iter().map(|i| i as u16).collect::<Vec<_>>();
    let views = [view(), view()];
    let result = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]][usize::from(views[0][0]) % 3];
    let weight = [1.0, 0.5][number % 2];
    let counts = (0..64).map(|_| rng.random_range(0..=MOST_COUNT)).collect();
    let packed = packed(&ViewInputs { views, counts });
    let stage = rng.random_range(0..3);
    ViewSample { packed, stage, result, root: [0.5, 0.3, 0.2], weight }
}

fn packed(inputs: &ViewInputs) -> Vec<u8> {
    let mut packed = Vec::new();
    inputs.pack(&mut packed);
    packed
}

/// Returns the packed inputs of these views without anything to count.
fn packed_views(views: [&[u16]; 2]) -> Vec<u8> {
    packed(&ViewInputs { views: views.map(<[u16]>::to_vec), counts: vec![0; 64] })
}

fn layout(root_share: f64) -> ViewLayout {
    let shape = ViewsShape {
        counts: SHAPE.counts,
        stages: SHAPE.stages,
        ..ViewsShape::new("test", SHAPE.inputs)
    };
    ViewLayout::of(shape, root_share, |shape, bytes, inputs| inputs.unpack(bytes, shape.counts))
}

pub(crate) fn window(positions: usize, seed: u64) -> Window<ViewLayout> {
    let mut rng = seeds::stream("test positions", &[seed]);
    let game = |number| (number as u64, [sample(number, &mut rng)], number % 10 == 0);
    window_of((0..positions).map(game))
}

fn window_of(games: impl IntoIterator<Item = (u64, [ViewSample; 1], bool)>) -> Window<ViewLayout> {
    let layout = layout(0.25);
    let part = Part::of(&layout, games).unwrap();
    let mut window = Window::new(layout.into());
    window.add(part.into()).unwrap();
    window
}

fn weights() -> Parameters<ViewSizes> {
    // Zeros in the last layer would hide errors in its gradients.
    tch::manual_seed(5);
    SHAPE.random(3, Device::Cpu).map(|tensor| tensor + tensor.randn_like() * 0.1)
}

/// Returns the mean loss by the dense formula of the network, for automatic differentiation.
fn dense_loss(weights: &Parameters<ViewSizes>, batch: &ViewBatch) -> Tensor {
    let w = &weights.0;
    let matrix = Tensor::zeros([2 * batch.weights.len() as i64, 40], (Kind::Float, Device::Cpu));
    let [rows, columns] = [&batch.inputs.rows, &batch.inputs.columns]
        .map(|list| Some(Tensor::from_slice(list).to_kind(Kind::Int64)));
    let ones = Tensor::ones([batch.inputs.rows.len() as i64], (Kind::Float, Device::Cpu));
    let inputs = matrix.index_put(&[rows, columns], &ones, true);
    let hidden = (inputs.matmul(&w[0]) + &w[1]).clamp(0.0, 1.0).square();
    let stages = (0..).zip(&batch.stages).flat_map(|(stage, &n)| vec![stage; n as usize]);
    let mut total = Tensor::from(0f32);
    for (position, stage) in stages.enumerate() {
        let both = hidden.narrow(0, 2 * position as i64, 2).reshape([1, -1]);
        let counts = Tensor::from_slice(&batch.counts[64 * position..][..64]).view([1, 64]);
        let both = Tensor::cat(&[both, counts], 1);
        let of = |index: usize, rows: i64| w[index].narrow(0, stage * rows, rows);
        let inner = both.linear(&of(2, 16), Some(&of(3, 16))).relu();
        let log = inner.linear(&of(4, 3), Some(&of(5, 3))).log_softmax(1, Kind::Float);
        let target = Tensor::from_slice(&batch.values[3 * position..][..3]);
        total -= (log * target).sum(Kind::Float) * f64::from(batch.weights[position]);
    }
    total / batch.weights.iter().map(|&weight| f64::from(weight)).sum::<f64>()
}

#[test]
fn gradients_agree_with_automatic_differentiation() {
    let batch = window(50, 1).batch(&(0..50).collect::<Vec<u32>>());
    let weights = weights();
    let pool = pool(2);
    let found = weights.gradients(&batch, FACTORS, &pool);
    assert_eq!(weights.losses(&batch, &pool), found.0);
    let by_torch = torch::gradients(&weights, &batch, FACTORS);
    assert_eq!(torch::losses(&weights, &batch), by_torch.0);
    let leaves = weights.map(|tensor| tensor.copy().set_requires_grad(true));
    let loss = dense_loss(&leaves, &batch);
    let wanted = loss.double_value(&[]);
    (loss * FACTORS.value).backward();
    for (losses, gradients) in [found, by_torch] {
        let found = losses.value / losses.value_weight;
        assert!((found - wanted).abs() < 1e-5, "{found} {wanted}");
        for ((name, found), leaf) in gradients.tensors().zip(&leaves.0) {
            let wanted = leaf.grad();
            let scale = wanted.abs().max().double_value(&[]);
            let error = (found - &wanted).abs().max().double_value(&[]);
            assert!(scale > 1e-5, "{name} has no gradient to compare");
            assert!(error < 1e-5 * scale.max(0.01), "{name}: error {error} of {scale}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    /// The instructions of a processor do not change the bits of a gradient.
    #[test]
    fn every_path_gives_the_same_gradients(positions in 1u32..400, seed: u64) {
        let batch = window(400, seed).batch(&(0..positions).collect::<Vec<u32>>());
        let weights = weights();
        let gradients = |path| {
            let mut gradients = weights.zeros_like();
            let layers = Layers::new(weights.floats().try_into().unwrap(), path);
            let losses =
                layers.gradients(&batch, FACTORS, gradients.floats_mut().try_into().unwrap());
            (losses, gradients)
        };
        let (losses, wanted) = gradients(Path::PORTABLE);
        for path in Path::available() {
            let (found_losses, found) = gradients(path);
            prop_assert_eq!(found_losses, losses);
            prop_assert!(wanted.0.iter().zip(&found.0).all(|(a, b)| a.equal(b)), "{:?}", path);
        }
    }
}

#[test]
fn a_batch_is_in_the_order_of_stages_and_has_the_mover_first() {
    let game = |stage, own: &[u16], other: &[u16], result| {
        let packed = packed_views([own, other]);
        let sample = ViewSample { packed, stage, result, root: [0.0, 0.0, 1.0], weight: 1.0 };
        (0, [sample], false)
    };
    let games = [game(2, &[5, 7], &[1], [1.0, 0.0, 0.0]), game(0, &[3], &[0, 39], [0.0, 1.0, 0.0])];
    let batch = window_of(games).batch(&[0, 1]);
    assert_eq!(batch.stages, [1, 0, 1]);
    assert_eq!(batch.inputs.columns, [3, 0, 39, 5, 7, 1]);
    assert_eq!(batch.inputs.row_offsets, [0, 1, 3, 5, 6]);
    let wanted = [0.0, 0.75, 0.25, 0.75, 0.0, 0.25];
    assert!(batch.values.iter().zip(wanted).all(|(a, b): (&f32, f32)| (a - b).abs() < 2e-5));
}

/// The file has no name, so that it cannot be left behind.
#[test]
fn positions_on_disk_give_the_same_batches() {
    let folder = tempfile::tempdir().unwrap();
    let mut rng = seeds::stream("test positions", &[6]);
    let layout = Arc::new(layout(0.25));
    let (mut spool, mut windows) = (
        Spool::new(&folder.path().join("no/such/folder")),
        [0, 1].map(|_| Window::new(layout.clone())),
    );
    for part in 0..3 {
        let games: Vec<_> = (0..20).map(|game| (game, [sample(part, &mut rng)], false)).collect();
        let of = || Part::of(&*layout, games.clone()).unwrap();
        let mut stored = of();
        stored.store(&mut spool).unwrap();
        windows[0].add(of().into()).unwrap();
        windows[1].add(stored.into()).unwrap();
    }
    spool.finish().unwrap();
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    let positions: Vec<u32> = (0..60).rev().collect();
    let [in_memory, on_disk] = windows.map(|window| format!("{:?}", window.batch(&positions)));
    assert_eq!(in_memory, on_disk);
}

/// So that training stops.
#[test]
fn a_weight_that_is_no_number_makes_the_loss_none() {
    let batch = window(30, 7).batch(&(0..30).collect::<Vec<u32>>());
    for tensor in 0..2 * ViewSizes::LAYERS.len() {
        for path in Path::available() {
            let mut weights = weights();
            weights.floats_mut()[tensor].fill(f32::NAN);
            let layers = Layers::new(weights.floats().try_into().unwrap(), path);
            assert!(layers.losses(&batch).value.is_nan(), "tensor {tensor}, {path:?}");
        }
    }
}

#[test]
fn a_new_network_is_neutral_and_its_stages_are_alike() {
    let window = window(30, 2);
    let weights = SHAPE.random(1, Device::Cpu);
    let losses = weights.losses(&window.batch(&(0..30).collect::<Vec<u32>>()), &pool(1));
    assert!((losses.value / losses.value_weight - 3f64.ln()).abs() < 1e-5);
    let stages = weights.0[STAGE_HIDDEN_WEIGHT].view([3, 16, 192]);
    assert!(stages.select(0, 0).equal(&stages.select(0, 2)));
    assert_eq!(weights.tensors().count(), 2 * ViewSizes::LAYERS.len());
}

/// The same steps on one thread and on two lead to the same bits.
#[test]
fn training_does_not_depend_on_the_number_of_threads() {
    let window = window(3_000, 4);
    let train = |threads| {
        tch::set_num_threads(threads);
        let pool = pool(threads as usize);
        let mut state = State::new(weights());
        for step in 0..4 {
            let positions: Vec<u32> = (step * 500..(step + 2) * 500).collect();
            let batch = window.batch(&positions);
            let (_, gradients) = state.weights.gradients(&batch, FACTORS, &pool);
            let norm = gradients.norm();
            pool.install(|| state.apply(gradients, norm, 0.01, &TrainConfig::default()));
        }
        state.average
    };
    let (one, two) = (train(1), train(2));
    assert!(one.0.iter().zip(&two.0).all(|(a, b)| a.equal(b)));
}

#[test]
fn unusable_samples_are_rejected_and_leave_no_trace() {
    let mut rng = seeds::stream("test positions", &[5]);
    let good = sample(0, &mut rng);
    let (layout, mut block) = (layout(0.5), Default::default());
    let bad = [
        (
            ViewSample { packed: packed_views([&[3], &[40]]), ..good.clone() },
            BadSample::Feature(40, 40),
        ),
        (ViewSample { stage: 3, ..good.clone() }, BadSample::Stage(3, 3)),
        (
            ViewSample { root: [0.9, 0.9, 0.0], ..good.clone() },
            BadSample::Distribution("root value"),
        ),
        (ViewSample { weight: f32::NAN, ..good.clone() }, BadSample::Weight("NaN".into())),
    ];
    for (sample, error) in bad {
        assert_eq!(layout.push(&mut block, &sample), Err(error));
    }
    layout.push(&mut block, &good).unwrap();
    let batch = layout.batch(&[(&block, 0)], None);
    let mut inputs = ViewInputs::default();
    inputs.unpack(&good.packed, SHAPE.counts);
    let columns: Vec<i32> = inputs.views.concat().iter().map(|&input| input.into()).collect();
    assert_eq!(batch.inputs.columns, columns);
}
