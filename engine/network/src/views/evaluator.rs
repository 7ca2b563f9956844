//! The evaluator of an efficiently updatable network.

use super::ViewNetwork;
use super::values::Values;
use crate::sums::Sums;
use fusion_game::evaluator::{MoveEvaluator, Wdl, value_of_score};
use fusion_game::{Side, ViewChange, Views};
use std::sync::Arc;

const SIDES: [Side; 2] = [Side::First, Side::Second];

/// What a move changed, and what was computed of the position after it.
struct Frame {
    changes: [ViewChange; 2],
    /// Whether a view has to be computed anew.
    anew: [bool; 2],
    sums: [Sums; 2],
    /// Whether `sums` are the position's.
    valid: [bool; 2],
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
    /// Activations of both views, the mover's first, then the counts.
    hidden: Vec<u8>,
    inputs: Vec<u16>,
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
            hidden: vec![0; network.sizes.second()],
            inputs: Vec::new(),
            joined: ViewChange::default(),
            dots: Vec::new(),
            values: Values::new(),
            network,
        }
    }

    /// Makes the frame of a depth, without sums.
    fn open(&mut self, depth: usize) {
        if self.frames.len() == depth {
            let sums = Sums::new(&self.network);
            self.frames.push(Frame {
                changes: Default::default(),
                anew: [true; 2],
                sums: [sums.clone(), sums],
                valid: [false; 2],
            });
        }
        let frame = &mut self.frames[depth];
        frame.changes.iter_mut().for_each(ViewChange::clear);
        frame.valid = [false; 2];
    }

    /// Computes the activations of a view of the current position into one half of `hidden`.
    fn read<G: Views>(&mut self, game: &G, view: usize, half: usize) {
        let path = &self.frames[..=self.depth];
        let known = path.iter().rposition(|frame| frame.valid[view]);
        let anew = path.iter().rposition(|frame| frame.anew[view]);
        let width = self.network.sizes.hidden;
        let hidden = &mut self.hidden[half * width..][..width];
        self.joined.clear();
        let start = known.filter(|&known| anew.is_none_or(|anew| anew <= known));
        let (before, after) = self.frames.split_at_mut(self.depth);
        let Frame { changes, sums, valid, .. } = &mut after[0];
        let (sums, joined) = (&mut sums[view], &mut self.joined);
        let fits = match start.map(|known| (known, before.get(known))) {
            Some((known, Some(earlier))) => {
                before[known + 1..].iter().for_each(|frame| joined.join(&frame.changes[view]));
                joined.join(&changes[view]);
                let ViewChange { added, removed } = &*joined;
                sums.change_from(&earlier.sums[view], &self.network, added, removed, hidden)
            }
            Some((_, None)) => sums.change(&self.network, &[], &[], hidden),
            None => {
                game.view(SIDES[view], &mut joined.added);
                sums.reset(&self.network);
                sums.change(&self.network, &joined.added, &[], hidden)
            }
        };
        valid[view] = fits || {
            game.view(SIDES[view], &mut self.inputs);
            sums.replace(&self.network, self.inputs.iter().copied(), hidden)
        };
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
        game.view_counts(&mut self.hidden[2 * self.network.sizes.hidden..]);
        self.network.value(&self.hidden, game.stage(), &mut self.dots)
    }
}
