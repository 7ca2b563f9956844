//! The evaluator of a network: input sums that follow the search from leaf to leaf.

use crate::Network;
use crate::kernels::Change;
use fusion_game::evaluator::{Evaluation, Evaluator};
use fusion_game::{Encoding, FeatureSet, Side};
use std::hint::select_unpredictable;
use std::sync::Arc;

/// Initial capacity for the moves of a position.
const ROOM: usize = 256;

/// The largest magnitude of a sum.
const MOST: u32 = i16::MAX as u32;

/// Number of inputs that are changed at a time if changing all of them at once might overflow.
const PIECE: usize = 4;

/// The sums of the input layer for the features of one position.
///
/// Sums have 16 bits and the kernels wrap. So that no sum ever wraps, whatever the network and the
/// number of active inputs, each set of sums has an upper bound of its magnitudes. A change adds the
/// largest weight of every changed input to the bound. Where the bound is too large, it is measured
/// again. Where it is still too large, the sums are computed in 32 bits.
struct Sums {
    features: FeatureSet,
    values: Vec<i16>,
    /// No value is further from zero.
    bound: u32,
}

impl Sums {
    fn new<G: Encoding>(network: &Network) -> Self {
        let mut sums =
            Self { features: FeatureSet::new::<G>(), values: network.bias().to_vec(), bound: 0 };
        sums.measure();
        sums
    }

    /// Returns to the sums without any input.
    fn reset(&mut self, network: &Network) {
        self.features.clear();
        self.values.copy_from_slice(network.bias());
        self.measure();
    }

    fn measure(&mut self) {
        let largest = self.values.iter().fold(0u16, |most, value| most.max(value.unsigned_abs()));
        self.bound = largest.into();
    }

    /// Changes the sums and computes the activations. Returns false if a sum might not fit 16 bits;
    /// the sums are then undefined.
    fn change(
        &mut self,
        network: &Network,
        added: &[u16],
        removed: &[u16],
        hidden: &mut [u8],
    ) -> bool {
        const NONE: &[u16] = &[];
        if self.change_at_once(network, added, removed, hidden) {
            return true;
        }
        let added = added.chunks(PIECE).map(|added| [added, NONE]);
        let removed = removed.chunks(PIECE).map(|removed| [NONE, removed]);
        let mut pieces = added.chain(removed);
        pieces.all(|[added, removed]| self.change_at_once(network, added, removed, hidden))
    }

    /// As [`Sums::change`]. The sums stay as they were if the change might overflow.
    #[inline]
    fn change_at_once(
        &mut self,
        network: &Network,
        added: &[u16],
        removed: &[u16],
        hidden: &mut [u8],
    ) -> bool {
        let (change, growth) = Change::new(added, removed, &network.largest);
        if self.bound + growth > MOST {
            self.measure();
        }
        let fits = self.bound + growth <= MOST;
        if fits {
            network.change(&change, &mut self.values, hidden);
            self.bound += growth;
        }
        fits
    }
}

/// An evaluator with a network and the scratch memory of one game.
///
/// Successive leaves of a search differ in few pieces. The sums of the last position with the same
/// side to move are updated where the features differ. The update is exact, because the sums are
/// integers. In a search it changes about a third of the rows that a fresh computation would add.
pub struct NetworkEvaluator {
    network: Arc<Network>,
    /// The sums for each side to move.
    sums: [Sums; 2],
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
    pub(super) fn new<G: Encoding>() -> Self {
        Self { rows: Vec::new(), count: 0, seen: vec![(0, 0); G::POLICY], position: 0 }
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
    /// Creates the evaluator, without any position.
    #[must_use]
    pub fn new<G: Encoding>(network: Arc<Network>) -> Self {
        Self {
            sums: [Sums::new::<G>(&network), Sums::new::<G>(&network)],
            shown: None,
            features: FeatureSet::new::<G>(),
            // One place more than there can be entries: the last one takes values that are not
            // kept.
            added: vec![0; G::FEATURES + 1],
            removed: vec![0; G::FEATURES + 1],
            hidden: vec![0; network.shape.hidden],
            terms: Vec::with_capacity(ROOM * G::POLICY_FACTORS),
            rows: Distinct::new::<G>(),
            dots: Vec::with_capacity(ROOM),
            outputs: Vec::with_capacity(ROOM),
            network,
        }
    }

    /// Computes the hidden activations of a position.
    fn read<G: Encoding>(&mut self, game: &G) {
        game.features(&mut self.features);
        let side = game.side_to_move();
        let sums = &mut self.sums[side as usize];
        let distance = self.features.distance(&sums.features);
        // The same position again, first for its value and then for its policy.
        if distance == 0 && self.shown == Some(side) {
            return;
        }
        self.shown = Some(side);
        if distance > self.features.len() {
            sums.reset(&self.network);
        }
        let (added, removed) =
            self.features.differences(&sums.features, &mut self.added, &mut self.removed);
        if sums.change(&self.network, added, removed, &mut self.hidden) {
            std::mem::swap(&mut sums.features, &mut self.features);
        } else {
            self.network.activations(&self.features, &mut self.hidden);
            sums.reset(&self.network);
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
