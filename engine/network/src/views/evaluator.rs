//! The evaluator of an efficiently updatable network.

use super::ViewNetwork;
use super::values::Values;
use crate::kernels::Change;
use fusion_game::evaluator::{MoveEvaluator, Wdl, value_of_score};
use fusion_game::{Side, ViewChange, Views};
use std::sync::Arc;

const SIDES: [Side; 2] = [Side::First, Side::Second];

/// The largest magnitude of a sum.
const MOST: u32 = i16::MAX as u32;

/// The sums of one view of one position.
///
/// As in the tree search's evaluator, an upper bound of their magnitudes makes sure that no sum of
/// 16 bits wraps. Where it is too large, the sums are computed in 32 bits. They are kept if they fit
/// 16 bits; else only the activations are.
#[derive(Clone)]
struct Sums {
    values: Vec<i16>,
    bound: u32,
    /// Whether `values` are the position's sums.
    valid: bool,
}

impl Sums {
    /// Takes sums of 32 bits if they fit 16.
    fn narrow(&mut self, wide: &[i32]) {
        self.bound = wide.iter().fold(0, |most, sum| most.max(sum.unsigned_abs()));
        self.valid = self.bound <= MOST;
        if self.valid {
            self.values.iter_mut().zip(wide).for_each(|(value, &sum)| *value = sum as i16);
        }
    }
}

/// What a move changed, and what was computed of the position after it.
struct Frame {
    changes: [ViewChange; 2],
    /// Whether a view has to be computed anew.
    anew: [bool; 2],
    sums: [Sums; 2],
}

/// An evaluator with a network and the scratch memory of one game.
///
/// A move's changes are only noted. The sums are computed when a position is evaluated, from the
/// nearest position before it that was evaluated.
pub struct ViewEvaluator {
    network: Arc<ViewNetwork>,
    frames: Vec<Frame>,
    /// Number of moves since the root.
    depth: usize,
    /// Activations of both views, the mover's first.
    hidden: Vec<u8>,
    inputs: Vec<u16>,
    /// Sums of 32 bits.
    wide: Vec<i32>,
    joined: ViewChange,
    dots: Vec<i32>,
    values: Values,
}

impl ViewEvaluator {
    /// Creates the evaluator, without any position.
    #[must_use]
    pub fn new(network: Arc<ViewNetwork>) -> Self {
        Self {
            frames: Vec::new(),
            depth: 0,
            hidden: vec![0; 2 * network.sizes.hidden],
            inputs: Vec::new(),
            wide: Vec::new(),
            joined: ViewChange::default(),
            dots: Vec::new(),
            values: Values::new(),
            network,
        }
    }

    /// Makes the frame of a depth, without sums.
    fn open(&mut self, depth: usize) {
        if self.frames.len() == depth {
            let values = vec![0; self.network.sizes.hidden];
            let sums = Sums { values, bound: 0, valid: false };
            self.frames.push(Frame {
                changes: Default::default(),
                anew: [true; 2],
                sums: [sums.clone(), sums],
            });
        }
        let frame = &mut self.frames[depth];
        frame.changes.iter_mut().for_each(ViewChange::clear);
        frame.sums.iter_mut().for_each(|sums| sums.valid = false);
    }

    /// Computes the activations of a view of the current position into one half of `hidden`.
    fn read<G: Views>(&mut self, game: &G, view: usize, half: usize) {
        let path = &self.frames[..=self.depth];
        let known = path.iter().rposition(|frame| frame.sums[view].valid);
        let anew = path.iter().rposition(|frame| frame.anew[view]);
        let width = self.network.sizes.hidden;
        let hidden = &mut self.hidden[half * width..][..width];
        self.joined.clear();
        let (start, bound) = match known.filter(|&known| anew.is_none_or(|anew| anew <= known)) {
            Some(known) => {
                for frame in &path[known + 1..] {
                    // The lists are short: a loop takes less time than a call that copies memory.
                    let ViewChange { added, removed } = &frame.changes[view];
                    added.iter().for_each(|&input| self.joined.added.push(input));
                    removed.iter().for_each(|&input| self.joined.removed.push(input));
                }
                (Some(known), self.frames[known].sums[view].bound)
            }
            None => {
                game.view(SIDES[view], &mut self.joined.added);
                (None, self.network.bias_bound())
            }
        };
        let (change, growth) =
            Change::new(&self.joined.added, &self.joined.removed, &self.network.largest);
        if bound + growth > MOST {
            game.view(SIDES[view], &mut self.inputs);
            self.network.in_32_bits(&self.inputs, &mut self.wide, hidden);
            self.frames[self.depth].sums[view].narrow(&self.wide);
            return;
        }
        match start {
            Some(known) if known < self.depth => {
                let (before, after) = self.frames.split_at_mut(self.depth);
                after[0].sums[view].values.copy_from_slice(&before[known].sums[view].values);
            }
            Some(_) => {}
            None => {
                self.frames[self.depth].sums[view].values.copy_from_slice(self.network.bias());
            }
        }
        let sums = &mut self.frames[self.depth].sums[view];
        self.network.change(&change, &mut sums.values, hidden);
        sums.bound = bound + growth;
        if sums.bound > MOST / 2 {
            let largest = sums.values.iter().fold(0u16, |most, v| most.max(v.unsigned_abs()));
            sums.bound = largest.into();
        }
        sums.valid = true;
    }
}

impl<G: Views> MoveEvaluator<G> for ViewEvaluator {
    fn begin(&mut self, _: &G) {
        self.depth = 0;
        self.open(0);
        self.frames[0].anew = [true; 2];
    }

    fn make(&mut self, game: &G, undo: &G::Undo) {
        self.depth += 1;
        self.open(self.depth);
        let frame = &mut self.frames[self.depth];
        for (view, side) in SIDES.into_iter().enumerate() {
            frame.anew[view] = !game.view_change(undo, side, &mut frame.changes[view]);
        }
    }

    fn unmake(&mut self) {
        self.depth -= 1;
    }

    fn value(&mut self, game: &G) -> i32 {
        let hash = game.view_hash();
        self.values.get(hash).unwrap_or_else(|| {
            let value = value_of_score(self.chances(game).score());
            self.values.put(hash, value);
            value
        })
    }

    fn chances(&mut self, game: &G) -> Wdl {
        let mover = game.side_to_move();
        for (half, side) in [mover, mover.other()].into_iter().enumerate() {
            self.read(game, side as usize, half);
        }
        self.network.value(&self.hidden, game.stage(), &mut self.dots)
    }
}
