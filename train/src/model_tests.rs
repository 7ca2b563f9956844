use fusion_jobs::seeds;
use fusion_runner::samples::Sample;
use rand::seq::index;

use super::*;
use crate::window::{Incidence, Part, Window};

pub(crate) const SHAPE: TreeSizes =
    TreeSizes { features: 50, policy: 30, terms: 2, hidden: 64, scheme: [0; 32] };
const FACTORS: Weights = Weights { value: 0.7, length: 0.3, horizon: 0.2 };

/// Makes a pool of threads.
pub(crate) fn pool(threads: usize) -> ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// Makes random positions, every third without a policy.
pub(crate) fn window(positions: usize, seed: u64) -> Window<TreeLayout> {
    let mut rng = seeds::stream("test positions", &[seed]);
    let mut samples = Vec::new();
    for position in 0..positions {
        let mut draw = |from: usize, count: usize| -> Vec<u16> {
            index::sample(&mut rng, from, count).iter().map(|i| i as u16).collect()
        };
        // Two rows a move, the second shared with others.
        let (features, own) = (draw(50, 9), draw(25, 1 + position % 7));
        let raw: Vec<f32> = own.iter().map(|&row| 0.1 + f32::from(row % 5)).collect();
        let total: f32 = raw.iter().sum();
        let (rows, policy) = match position % 3 {
            2 => (Vec::new(), Vec::new()),
            _ => (
                own.iter().flat_map(|&row| [row, 25 + row % 5]).collect(),
                raw.iter().map(|share| share / total).collect(),
            ),
        };
        let result = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]][features[0] as usize % 3];
        let sample = Sample {
            features,
            rows,
            policy,
            result,
            root: [0.5, 0.3, 0.2],
            horizon: [0.1, 0.2 + 0.1 * (position % 6) as f32, 0.7 - 0.1 * (position % 6) as f32],
            remaining: (position % 5 > 0).then_some(position as u16 % 90),
            weight: [1.0, 0.5][position % 2],
        };
        samples.push((position as u64, [sample], position % 10 == 0));
    }
    let layout = TreeLayout::new(Ends::from(SHAPE), 0.5, None);
    let part = Part::of(&layout, samples).unwrap();
    let mut window = Window::new(layout.into());
    window.add(part.into()).unwrap();
    window
}

fn weights() -> Parameters<TreeSizes> {
    let weights = SHAPE.random(3, Device::Cpu);
    // Zeros in the heads would hide errors in their gradients.
    tch::manual_seed(5);
    weights.map(|tensor| tensor + tensor.randn_like() * 0.1)
}

/// Returns the mean loss by the dense formula of the network, for automatic differentiation.
fn dense_loss(weights: &Parameters<TreeSizes>, batch: &Batch, factors: Weights) -> Tensor {
    let dense = |incidence: &Incidence, width: usize, values: &[f32]| {
        let size = [batch.weights.len() as i64, width as i64];
        let matrix = Tensor::zeros(size, (Kind::Float, Device::Cpu));
        let rows = Tensor::from_slice(&incidence.rows).to_kind(Kind::Int64);
        let columns = Tensor::from_slice(&incidence.columns).to_kind(Kind::Int64);
        matrix.index_put(&[Some(rows), Some(columns)], &Tensor::from_slice(values), true)
    };
    let ones = |incidence: &Incidence| vec![1.0; incidence.columns.len()];
    let w = &weights.0;
    let x = dense(&batch.features, SHAPE.features, &ones(&batch.features)).matmul(&w[0]) + &w[1];
    let h = x.clamp(0.0, 1.0).square();
    let v = h.linear(&w[2], Some(&w[3])).relu();
    let outputs = v.linear(&w[4], Some(&w[5]));
    let value = outputs.narrow(1, 0, 3).log_softmax(1, Kind::Float);
    let weight = Tensor::from_slice(&batch.weights).unsqueeze(1);
    let values = Tensor::from_slice(&batch.values).view([-1, 3]);
    let value_loss = -(values * value * &weight).sum(Kind::Float) / weight.sum(Kind::Float);
    let lengths = Tensor::from_slice(&batch.lengths).unsqueeze(1);
    let known = lengths.ge(0.0).to_kind(Kind::Float) * &weight;
    let error = (outputs.narrow(1, 3, 1) - lengths).square() * &known;
    let length_loss = error.sum(Kind::Float) / known.sum(Kind::Float);

    let said = h.linear(&w[6], Some(&w[7]));
    let mut policy_loss = Tensor::from(0f32);
    let mut policy_weight = 0.0;
    for (position, moves) in batch.moves.offsets.windows(2).enumerate() {
        let moves = moves[0] as usize..moves[1] as usize;
        if moves.is_empty() {
            continue;
        }
        let logits = batch.moves.terms[moves.start * 2..moves.end * 2].chunks(2).map(|terms| {
            let row = |term: i32| i64::from(batch.rows.columns[term as usize]);
            let output = |term: i32| said.select(0, position as i64).select(0, row(term));
            output(terms[0]) + output(terms[1])
        });
        let logits = Tensor::stack(&logits.collect::<Vec<_>>(), 0);
        let target = Tensor::from_slice(&batch.moves.shares[moves]);
        let weight = f64::from(batch.weights[position]);
        policy_loss -= (target * logits.log_softmax(0, Kind::Float)).sum(Kind::Float) * weight;
        policy_weight += weight;
    }
    let horizons = Tensor::from_slice(&batch.horizons).view([-1, 3]);
    let horizon = h.linear(&w[8], Some(&w[9])).log_softmax(1, Kind::Float);
    let horizon_loss = -(horizons * horizon * &weight).sum(Kind::Float) / weight.sum(Kind::Float);
    policy_loss / policy_weight
        + value_loss * factors.value
        + length_loss * factors.length
        + horizon_loss * factors.horizon
}

#[test]
fn gradients_agree_with_automatic_differentiation() {
    let window = window(40, 1);
    let batch = window.batch(&(0..40).collect::<Vec<u32>>());
    let weights = weights();
    let (losses, gradients) = weights.gradients(&batch, FACTORS, &pool(1));

    let leaves = weights.map(|tensor| tensor.copy().set_requires_grad(true));
    let loss = dense_loss(&leaves, &batch, FACTORS);
    let found = losses.policy / losses.policy_weight
        + FACTORS.value * losses.value / losses.value_weight
        + FACTORS.length * losses.length / losses.length_weight
        + FACTORS.horizon * losses.horizon / losses.value_weight;
    assert!((found - loss.double_value(&[])).abs() < 1e-5, "{found} {loss:?}");
    loss.backward();
    for ((name, found), leaf) in gradients.tensors().zip(&leaves.0) {
        let wanted = leaf.grad();
        let scale = wanted.abs().max().double_value(&[]);
        let error = (found - &wanted).abs().max().double_value(&[]);
        assert!(scale > 1e-5, "{name} has no gradient to compare");
        assert!(error < 1e-5 * scale.max(0.01), "{name}: error {error} of {scale}");
    }
}

#[test]
fn a_new_network_is_uniform_and_neutral() {
    let window = window(30, 2);
    let positions: Vec<u32> = (0..30).filter(|i| i % 3 != 2).collect();
    let losses = SHAPE.random(1, Device::Cpu).losses(&window.batch(&positions), &pool(1));
    assert!((losses.value / losses.value_weight - 3f64.ln()).abs() < 1e-5);
    let uniform: f64 =
        positions.iter().map(|&i| [1.0, 0.5][i as usize % 2] * ((1 + i % 7) as f64).ln()).sum();
    assert!((losses.policy - uniform).abs() < 1e-3, "{} {uniform}", losses.policy);
    assert!(losses.entropy > 0.0 && losses.entropy < losses.policy);
}

#[test]
fn batches_without_policies_teach_the_value_alone() {
    let window = window(30, 3);
    // The fifth position has no known length of its game either.
    let batch = window.batch(&[5]);
    let (losses, gradients) = weights().gradients(&batch, FACTORS, &pool(1));
    assert_eq!((losses.policy, losses.policy_weight), (0.0, 0.0));
    assert_eq!((losses.length, losses.length_weight), (0.0, 0.0));
    assert!(gradients.not_finite().is_none());
    assert_eq!(gradients.0[POLICY].abs().max().double_value(&[]), 0.0);
    assert!(gradients.0[INPUT].abs().max().double_value(&[]) > 0.0);
}
