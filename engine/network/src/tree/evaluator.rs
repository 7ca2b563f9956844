//! The evaluator of a network: input sums that follow the search from leaf to leaf.

use super::{Network, TreeSizes};
use crate::sums::Sums;
use fusion_game::evaluator::{Evaluation, Evaluator};
use fusion_game::{Encoding, FeatureSet, Side};
use std::hint::select_unpredictable;
use std::sync::Arc;

/// Initial capacity for the moves of a position.
const ROOM: usize = 256;

/// The sums of the input layer for the features of one position.
struct Known {
    features: FeatureSet,
    sums: Sums,
}

/// An evaluator with a network and the scratch memory of one game.
///
/// Successive leaves of a search differ in few pieces. The sums of the last position with the same
/// side to move are updated where the features differ. The update is exact, because the sums are
/// integers. In a search it changes about a third of the rows that a fresh computation would add.
pub struct NetworkEvaluator {
    network: Arc<Network>,
    /// The sums for each side to move.
    known: [Known; 2],
    /// The side whose sums `hidden` was computed from.
    shown: Option<Side>,
    features: FeatureSet,
    added: Vec<u16>,
    removed: Vec<u16>,
    hidden: Vec<u8>,
    /// The policy rows of all moves, one move after the other.
    terms: Vec<u16>,
    rows: Distinct,
    dots: Vec<i32>,
    outputs: Vec<f32>,
}

/// A position's policy rows without repetition. Many moves share a row, which is then computed
/// once.
pub(super) struct Distinct {
    /// The distinct rows, then unused capacity.
    rows: Vec<u16>,
    count: usize,
    /// For every policy row: the number of the last position that had it, and its place there.
    seen: Vec<(u16, u16)>,
    /// The number of the current position; 0 means none.
    position: u16,
}

impl Distinct {
    /// Makes the memory for the rows below `policy`.
    pub(super) fn new(policy: usize) -> Self {
        Self { rows: Vec::new(), count: 0, seen: vec![(0, 0); policy], position: 0 }
    }

    /// Stores the distinct rows of `terms`, and replaces each term by its place among them.
    pub(super) fn replace(&mut self, terms: &mut [u16]) {
        self.position = self.position.wrapping_add(1);
        if self.position == 0 {
            self.seen.fill((0, 0));
            self.position = 1;
        }
        if self.rows.len() < terms.len() {
            self.rows.resize(terms.len(), 0);
        }
        let mut count = 0;
        for term in terms {
            // No branch: whether a row is new is hard to predict.
            let (position, place) = &mut self.seen[usize::from(*term)];
            let new = *position != self.position;
            self.rows[count] = *term;
            *place = select_unpredictable(new, count as u16, *place);
            *position = self.position;
            *term = *place;
            count += usize::from(new);
        }
        self.count = count;
    }

    /// Returns the distinct rows.
    pub(super) fn get(&self) -> &[u16] {
        &self.rows[..self.count]
    }
}

impl NetworkEvaluator {
    /// Creates the evaluator, without any position. The network must be one for the game and the rule
    /// set of all positions that it will evaluate.
    #[must_use]
    pub fn new(network: Arc<Network>) -> Self {
        let TreeSizes { hidden, features, policy, terms, .. } = network.sizes;
        Self {
            known: std::array::from_fn(|_| Known {
                features: FeatureSet::with_inputs(features),
                sums: Sums::new(&network),
            }),
            shown: None,
            features: FeatureSet::with_inputs(features),
            // One place more than there can be entries: the last one takes values that are not
            // kept.
            added: vec![0; features + 1],
            removed: vec![0; features + 1],
            hidden: vec![0; hidden],
            terms: Vec::with_capacity(ROOM * terms),
            rows: Distinct::new(policy),
            dots: Vec::with_capacity(ROOM),
            outputs: Vec::with_capacity(ROOM),
            network,
        }
    }

    /// Computes the hidden activations of a position.
    fn read<G: Encoding>(&mut self, game: &G) {
        game.features(&mut self.features);
        let side = game.side_to_move();
        let known = &mut self.known[side as usize];
        let distance = self.features.distance(&known.features);
        // The same position again, first for its value and then for its policy.
        if distance == 0 && self.shown == Some(side) {
            return;
        }
        self.shown = Some(side);
        if distance > self.features.len() {
            known.features.clear();
            known.sums.reset(&self.network);
        }
        let (added, removed) =
            self.features.differences(&known.features, &mut self.added, &mut self.removed);
        if known.sums.change(&self.network, added, removed, &mut self.hidden)
            || known.sums.replace(&self.network, self.features.iter(), &mut self.hidden)
        {
            std::mem::swap(&mut known.features, &mut self.features);
        } else {
            known.features.clear();
            known.sums.reset(&self.network);
        }
    }
}

impl<G: Encoding> Evaluator<G> for NetworkEvaluator {
    fn value(&mut self, game: &G) -> Evaluation {
        self.read(game);
        self.network.value(&self.hidden, &mut self.dots)
    }

    fn policy(&mut self, game: &G, moves: &[G::Move], logits: &mut Vec<f32>) {
        self.read(game);
        self.terms.clear();
        game.policy_factors(moves, &mut self.terms);
        self.rows.replace(&mut self.terms);
        self.network.rows(&self.hidden, self.rows.get(), &mut self.dots, &mut self.outputs);
        logits.clear();
        let terms = self.terms.chunks_exact(G::POLICY_FACTORS);
        logits.extend(
            terms.map(|terms| {
                terms.iter().map(|&place| self.outputs[usize::from(place)]).sum::<f32>()
            }),
        );
    }
}
