//! Positions for an efficiently updatable network, and the batches drawn from them.

use std::io;

use fusion_game::{CompleteGame, ViewInputs, ViewsShape};
use fusion_network::kernels::HIDDEN_SCALE;
use fusion_network::views::OUTCOMES;
use fusion_runner::samples::ViewSample;
use rand_chacha::ChaCha8Rng;

use crate::architecture::Layout;
use crate::window::{BadSample, Bytes, Incidence, Lists, Spool};

/// Scale of stored shares.
const PARTS: u16 = u16::MAX;

/// The layout of positions for an efficiently updatable network.
#[derive(Debug)]
pub struct ViewLayout {
    shape: ViewsShape,
    root_share: f32,
    unpack: Unpack,
}

/// Unpacks the packed inputs of a shape, as [`Views::unpack`](fusion_game::Views::unpack) does.
type Unpack = fn(&ViewsShape, &[u8], &mut ViewInputs);

/// Positions of a few games. A position takes about 32 bytes in games of chess.
#[derive(Debug, Default)]
pub struct ViewBlock {
    /// A [`Head`] and the packed views of each position.
    records: Bytes,
    /// The starts of the first record and of every [`GROUP`]th after it.
    starts: Vec<u32>,
    positions: usize,
    /// The different weights.
    weights: Vec<f32>,
}

/// Records of which only the first one's start is kept. The others follow it.
const GROUP: usize = 8;

/// What a record has besides the views.
struct Head {
    /// Bytes of the packed views.
    length: u16,
    stage: u8,
    /// Number of the weight in the block.
    weight: u8,
    /// Win and loss of the value target, scaled by [`PARTS`]; the rest is the draw's.
    value: [u16; 2],
}

/// A batch of positions, in the order of their stages.
#[derive(Debug)]
pub struct ViewBatch {
    /// The active inputs: two rows a position, the mover's view first.
    pub inputs: Incidence,
    /// The counts of each position, a float each; the largest stand for 1.
    pub counts: Vec<f32>,
    /// Number of positions of each stage.
    pub stages: Vec<i64>,
    /// The value target, three numbers a position.
    pub values: Vec<f32>,
    /// Weight of each position.
    pub weights: Vec<f32>,
}

impl Head {
    const SIZE: usize = 8;

    fn to_bytes(&self) -> [u8; Self::SIZE] {
        let [win, loss] = self.value;
        let [[a, b], [c, d], [e, f]] = [self.length, win, loss].map(u16::to_le_bytes);
        [a, b, self.stage, self.weight, c, d, e, f]
    }

    fn of_bytes([a, b, stage, weight, c, d, e, f]: [u8; Self::SIZE]) -> Self {
        let [length, win, loss] = [[a, b], [c, d], [e, f]].map(u16::from_le_bytes);
        Self { length, stage, weight, value: [win, loss] }
    }

    fn shares(&self) -> [f32; OUTCOMES] {
        let [win, loss] = self.value;
        [win, PARTS - win - loss, loss].map(|parts| f32::from(parts) / f32::from(PARTS))
    }
}

impl ViewBlock {
    /// Returns the bytes of a position: its head, and its packed views.
    fn record(&self, place: usize) -> (Head, &[u8]) {
        let mut rest = &self.records[self.starts[place / GROUP] as usize..];
        let mut next = || {
            let (head, following) = rest.split_first_chunk().expect("a record has a head");
            let head = Head::of_bytes(*head);
            let (packed, following) = following.split_at(usize::from(head.length));
            rest = following;
            (head, packed)
        };
        for _ in 0..place % GROUP {
            next();
        }
        next()
    }

    /// Makes the system read a position from disk if it is not in memory.
    fn fetch(&self, place: usize) {
        let start = self.starts[place / GROUP] as usize;
        let next = self.starts.get(place / GROUP + 1);
        self.records.fetch(start..next.map_or(self.records.len(), |next| *next as usize));
    }

    /// Returns the number of a weight among the different ones, where it will be if it is new.
    fn weight(&self, weight: f32) -> Result<u8, BadSample> {
        let known = self.weights.iter().position(|known| *known == weight);
        known.unwrap_or(self.weights.len()).try_into().map_err(|_| BadSample::Weights)
    }
}

impl ViewLayout {
    /// Makes a layout for a rule set of the game `G`. The value target of each position is a mixture:
    /// `root_share` of the search's root value, and the rest of the game's result.
    #[must_use]
    pub fn new<G: CompleteGame>(rules: &G::Rules, root_share: f64) -> Self {
        Self::of(G::views(rules), root_share, G::unpack)
    }

    /// Makes a layout for positions that `unpack` unpacks.
    pub(super) fn of(shape: ViewsShape, root_share: f64, unpack: Unpack) -> Self {
        Self { shape, root_share: root_share as f32, unpack }
    }

    fn check(&self, sample: &ViewSample) -> Result<(), BadSample> {
        let end = self.shape.inputs;
        let mut inputs = ViewInputs::default();
        (self.unpack)(&self.shape, &sample.packed, &mut inputs);
        if let Some(input) = inputs.views.iter().flatten().find(|&&input| usize::from(input) >= end)
        {
            return Err(BadSample::Feature(usize::from(*input), end));
        }
        if sample.stage >= self.shape.stages {
            return Err(BadSample::Stage(sample.stage, self.shape.stages));
        }
        let shares = [("result", &sample.result), ("root value", &sample.root)];
        if let Some((name, _)) = shares.into_iter().find(|(_, shares)| !is_distribution(*shares)) {
            return Err(BadSample::Distribution(name));
        }
        if !sample.weight.is_finite() || sample.weight < 0.0 {
            return Err(BadSample::Weight(sample.weight.to_string()));
        }
        Ok(())
    }
}

/// Returns whether these are shares of a whole.
pub(crate) fn is_distribution(shares: &[f32]) -> bool {
    shares.iter().all(|share| (0.0..=1.001).contains(share))
        && (shares.iter().sum::<f32>() - 1.0).abs() < 0.01
}

impl Layout for ViewLayout {
    type Sample = ViewSample;
    type Block = ViewBlock;
    type Batch = ViewBatch;

    fn push(&self, block: &mut ViewBlock, sample: &ViewSample) -> Result<(), BadSample> {
        self.check(sample)?;
        let weight = block.weight(sample.weight)?;
        let start = u32::try_from(block.records.len()).map_err(|_| BadSample::Part)?;
        let length = u16::try_from(sample.packed.len()).map_err(|_| BadSample::Long)?;
        let parts = |i: usize| {
            let share =
                self.root_share * sample.root[i] + (1.0 - self.root_share) * sample.result[i];
            (share * f32::from(PARTS)).round() as u16
        };
        let (win, loss) = (parts(0), parts(2));
        let value = [win, loss.min(PARTS - win)];
        let head = Head { length, stage: sample.stage as u8, weight, value };
        if usize::from(weight) == block.weights.len() {
            block.weights.push(sample.weight);
        }
        block.records.extend(&head.to_bytes());
        block.records.extend(&sample.packed);
        if block.positions.is_multiple_of(GROUP) {
            block.starts.push(start);
        }
        block.positions += 1;
        Ok(())
    }

    fn store(block: &mut ViewBlock, spool: &mut Spool) -> io::Result<()> {
        block.weights.shrink_to_fit();
        block.starts.shrink_to_fit();
        spool.store(&mut block.records)
    }

    /// There are no variations: the views are the same for mirrored positions.
    fn batch<'a>(
        &self,
        places: &[(&'a ViewBlock, usize)],
        _: Option<&mut ChaCha8Rng>,
    ) -> ViewBatch {
        // The disk reads many at a time.
        places.iter().for_each(|(block, place)| block.fetch(*place));
        let record = |(block, place): (&'a ViewBlock, usize)| {
            let (head, packed) = block.record(place);
            let weight = block.weights[usize::from(head.weight)];
            (head, weight, packed)
        };
        let mut records: Vec<_> = places.iter().copied().map(record).collect();
        records.sort_by_key(|(head, ..)| head.stage);
        let mut lists = Lists::with_capacity(2 * records.len());
        let mut stages = vec![0; self.shape.stages];
        let (mut counts, mut values, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        let mut inputs = ViewInputs::default();
        for (head, weight, packed) in records {
            (self.unpack)(&self.shape, packed, &mut inputs);
            for view in &inputs.views {
                lists.push(view, None);
            }
            counts.extend(inputs.counts.iter().map(|&count| f32::from(count) / HIDDEN_SCALE));
            stages[usize::from(head.stage)] += 1;
            values.extend(head.shares());
            weights.push(weight);
        }
        let inputs = lists.incidence(self.shape.inputs);
        ViewBatch { inputs, counts, stages, values, weights }
    }
}
