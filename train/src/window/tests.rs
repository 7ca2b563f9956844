use fusion_game::Symmetry;
use fusion_jobs::seeds;
use fusion_runner::samples::Sample;

use super::*;

const ENDS: Ends = Ends { features: 8, policy: 6, terms: 2 };

/// Makes a sample with two policy rows a move.
fn sample(features: &[u16], rows: &[u16], policy: &[f32]) -> Sample {
    Sample {
        features: features.to_vec(),
        rows: rows.to_vec(),
        policy: policy.to_vec(),
        result: [1.0, 0.0, 0.0],
        root: [0.2, 0.3, 0.5],
        remaining: Some(9),
        horizon: [0.4, 0.0, 0.6],
        weight: 1.0,
    }
}

/// Makes a window with these positions, each of them a game and a part.
fn window_of(reflection: Option<Symmetry>, samples: Vec<Sample>) -> Window<TreeLayout> {
    let layout = Arc::new(TreeLayout::new(ENDS, 0.5, reflection));
    let mut window = Window::new(layout.clone());
    for sample in samples {
        window
            .add(Part::<TreeLayout>::of(&layout, [(0, [sample], false)]).unwrap().into())
            .unwrap();
    }
    window
}

fn reflection() -> Symmetry {
    Symmetry {
        features: vec![1, 0, 3, 2, 5, 4, 6, 7],
        rows: vec![0, 2, 1, 3, 4, 5],
        forbidden: vec![7],
    }
}

#[test]
fn a_batch_lists_its_positions_by_rows_and_by_columns() {
    let capped = Sample { remaining: None, ..sample(&[2], &[5, 3, 2, 3, 0, 5], &[0.5, 0.5, 0.0]) };
    let first = sample(&[1, 7], &[0, 3, 0, 5], &[0.25, 0.75]);
    let window = window_of(None, vec![first, sample(&[0, 1, 2], &[], &[]), capped]);
    let batch = window.batch(&[2, 1, 0]);
    assert_eq!(batch.features.row_offsets, [0, 1, 4, 6]);
    assert_eq!(batch.features.columns, [2, 0, 1, 2, 1, 7]);
    assert_eq!(batch.features.rows, [0, 1, 1, 1, 2, 2]);
    assert_eq!(batch.features.column_offsets, [0, 1, 3, 5, 5, 5, 5, 5, 6]);
    assert_eq!(batch.features.by_column, [1, 2, 4, 0, 3, 5]);
    assert_eq!(batch.features.rows_by_column, [1, 1, 2, 0, 1, 2]);
    // A row that several moves share occurs once for each position.
    assert_eq!(batch.rows.row_offsets, [0, 4, 4, 7]);
    assert_eq!(batch.rows.columns, [5, 3, 2, 0, 0, 3, 5]);
    assert_eq!(batch.moves.terms, [0, 1, 2, 1, 3, 0, 4, 5, 4, 6]);
    assert_eq!(batch.moves.offsets, [0, 3, 3, 5]);
    assert_eq!(batch.moves.positions, [0, 0, 0, 2, 2]);
    assert_eq!(batch.moves.longest, 3);
    for (found, wanted) in batch.moves.shares.iter().zip([0.5, 0.5, 0.0, 0.25, 0.75]) {
        assert!((found - wanted).abs() < 1e-4);
    }
    assert_eq!(batch.values[..3], [0.6, 0.15, 0.25]);
    assert_eq!(batch.lengths, [-1.0, 10f32.ln(), 10f32.ln()]);
    for (found, wanted) in batch.horizons[..3].iter().zip([0.4, 0.0, 0.6]) {
        assert!((found - wanted).abs() < 1e-4);
    }
}

#[test]
fn positions_are_turned_round_half_of_the_time_unless_it_is_forbidden() {
    let of = |features: &[u16]| sample(features, &[1, 3, 2, 3], &[0.25, 0.75]);
    let window = window_of(Some(reflection()), vec![of(&[1, 6]), of(&[1, 7])]);
    let mut coins = seeds::stream("test coins", &[1]);
    let mut turned = 0;
    for _ in 0..200 {
        let batch = window.varied_batch(&[0, 1], &mut coins);
        assert_eq!(batch.features.columns[2..], [1, 7]);
        assert_eq!(batch.rows.columns[3..], [1, 3, 2]);
        if batch.features.columns[0] == 0 {
            turned += 1;
            assert_eq!(batch.features.columns[..2], [0, 6]);
            assert_eq!(batch.rows.columns[..3], [2, 3, 1]);
        } else {
            assert_eq!(batch.rows.columns[..3], [1, 3, 2]);
        }
    }
    assert!((60..140).contains(&turned), "{turned}");
}

#[test]
fn unusable_samples_are_rejected_and_leave_no_trace() {
    let (layout, mut block) = (TreeLayout::new(ENDS, 0.5, None), TreeBlock::default());
    let good = sample(&[1], &[0, 1], &[1.0]);
    let bad = [
        (sample(&[8], &[0, 1], &[1.0]), BadSample::Feature(8, 8)),
        (sample(&[1], &[0, 6], &[1.0]), BadSample::Move(6, 6)),
        (sample(&[1], &[0, 1, 2], &[1.0]), BadSample::Lengths(3, 1)),
        (sample(&[1], &[0, 1], &[f32::NAN]), BadSample::Distribution("policy")),
        (sample(&[1], &[0, 1, 2, 1], &[0.4, 0.4]), BadSample::Distribution("policy")),
        (
            Sample { root: [f32::INFINITY, 0.0, 0.0], ..good.clone() },
            BadSample::Distribution("root value"),
        ),
        (Sample { weight: -1.0, ..good.clone() }, BadSample::Weight("-1".into())),
    ];
    for (sample, error) in bad {
        assert_eq!(layout.push(&mut block, &sample), Err(error));
    }
    layout.push(&mut block, &good).unwrap();
    assert_eq!(layout.batch(&[(&block, 0)], None).features.columns, [1]);
}

#[test]
fn every_pass_deals_each_position_once_and_any_step_can_be_asked_for() {
    let mut all = PositionSet::default();
    [0..5, 5..5, 5..12].into_iter().for_each(|range| all.push(range));
    let mut sampler = Sampler::new(7, 4, &all);
    let mut passes = Vec::new();
    for pass in 0..2 {
        let mut seen: Vec<u32> = Vec::new();
        for step in 0..3 {
            seen.extend(sampler.positions(pass * 3 + step));
        }
        passes.push(seen.clone());
        seen.sort_unstable();
        assert_eq!(seen, (0..12).collect::<Vec<u32>>());
    }
    assert_ne!(passes[0], passes[1]);
    let mut fresh = Sampler::new(7, 4, &all);
    assert_eq!(fresh.positions(4), &passes[1][4..8]);
    assert_ne!(Sampler::new(8, 4, &all).positions(0), &passes[0][..4]);
    assert_eq!(Sampler::new(7, 100, &all).positions(5).len(), 12);
}

/// Parts without positions, and games of several positions, move the numbers of those behind them.
#[test]
fn positions_are_numbered_through_all_parts() {
    let layout = Arc::new(TreeLayout::new(ENDS, 0.5, None));
    let game = |features: &[u16]| {
        let position = |&feature: &u16| sample(&[feature], &[], &[]);
        features.iter().map(position).collect::<Vec<_>>()
    };
    let parts = [
        vec![],
        vec![(0, game(&[0, 1]), false), (1, game(&[]), false), (2, game(&[2]), true)],
        vec![],
        vec![(3, game(&[]), true)],
        vec![(4, game(&[3, 4]), true), (5, game(&[5, 6]), false)],
        vec![],
    ];
    let mut window = Window::new(layout.clone());
    for part in parts {
        window.add(Part::<TreeLayout>::of(&layout, part).unwrap().into()).unwrap();
    }
    assert_eq!(window.train().len(), 4);
    assert_eq!(window.train().iter().collect::<Vec<_>>(), [0, 1, 5, 6]);
    assert_eq!(window.held_out(), [2, 3, 4]);
    assert_eq!(window.batch(&[6, 0, 5, 1, 4, 2, 3]).features.columns, [6, 0, 5, 1, 4, 2, 3]);
}

#[test]
fn more_positions_than_numbers_are_rejected() {
    let layout = Arc::new(TreeLayout::new(ENDS, 0.5, None));
    let part = Part::<TreeLayout>::of(&layout, [(0, [sample(&[0], &[], &[])], false)]).unwrap();
    let mut window = Window { positions: u32::MAX, ..Window::new(layout) };
    assert_eq!(window.add(part.into()), Err(BadSample::Full));
    assert!(window.train().is_empty() && window.parts.is_empty());
    // Items without a size need no memory.
    let full = Ragged { items: vec![(); u32::MAX as usize], ends: vec![0] };
    assert_eq!((full.check_room(0), full.check_room(1)), (Ok(()), Err(BadSample::Part)));
}
