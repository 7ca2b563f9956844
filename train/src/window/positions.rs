//! Positions for the network of the tree search, in flat arrays.

use std::io;

use fusion_game::{CompleteGame, EncodingShape, Symmetry};
use fusion_network::TreeSizes;
use fusion_runner::samples::Sample;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::batch::{Batch, Builder, Target, distinct};
use super::{BadSample, Ragged, Spool};
use crate::architecture::Layout;
use crate::views::is_distribution;

/// Scale of stored policy shares; a batch normalises them to a sum of 1.
const SHARE_SCALE: f32 = u16::MAX as f32;

/// Scale of stored shares of the value ahead.
const PARTS: u16 = u16::MAX;

/// Marks an unknown length: the game was capped.
pub(super) const UNKNOWN_LENGTH: f32 = -1.0;

/// The sizes of a game's network inputs and outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// Number of inputs, [`EncodingShape::features`].
    pub features: usize,
    /// Number of policy rows, [`EncodingShape::policy`].
    pub policy: usize,
    /// Rows of each move, [`fusion_game::Encoding::POLICY_FACTORS`].
    pub terms: usize,
}

impl From<TreeSizes> for Ends {
    fn from(sizes: TreeSizes) -> Self {
        Self { features: sizes.features, policy: sizes.policy, terms: sizes.terms }
    }
}

impl Ends {
    /// Returns the sizes under a rule set of the game `G`.
    #[must_use]
    pub fn of<G: CompleteGame>(rules: &G::Rules) -> Self {
        let EncodingShape { features, policy, .. } = G::encoding(rules);
        Self { features, policy, terms: G::POLICY_FACTORS }
    }
}

/// The layout of positions for the network of the tree search.
#[derive(Debug)]
pub struct TreeLayout {
    ends: Ends,
    root_share: f32,
    reflection: Option<Symmetry>,
}

/// Positions of a few games. A position takes about 700 bytes with a policy, 150 without.
#[derive(Debug, Default)]
pub struct TreeBlock {
    features: Ragged<u16>,
    /// The distinct policy rows of each position.
    rows: Ragged<u16>,
    /// The places of all moves' rows in `rows`.
    terms: Ragged<u16>,
    shares: Vec<u16>,
    values: Vec<[f32; 3]>,
    lengths: Vec<f32>,
    /// Shares of win and loss a few plies ahead, scaled by [`PARTS`]; the rest is the draw's.
    horizons: Vec<[u16; 2]>,
    weights: Vec<f32>,
}

impl TreeBlock {
    /// Sets a position's value target to NaN, which no sample can do.
    #[cfg(test)]
    pub(crate) fn poison(&mut self, place: usize) {
        self.values[place] = [f32::NAN; 3];
    }

    fn target(&self, place: usize) -> Target {
        let [win, loss] = self.horizons[place];
        let share = |parts: u16| f32::from(parts) / f32::from(PARTS);
        Target {
            values: self.values[place],
            length: self.lengths[place],
            horizon: [win, PARTS - win - loss, loss].map(share),
            weight: self.weights[place],
        }
    }
}

impl TreeLayout {
    /// Makes a layout. The value target of each position is a mixture: `root_share` of the search's
    /// root value, and the rest of the game's result. With a reflection, random variations mirror
    /// positions.
    #[must_use]
    pub fn new(ends: Ends, root_share: f64, reflection: Option<Symmetry>) -> Self {
        Self { ends, root_share: root_share as f32, reflection }
    }

    fn check(&self, sample: &Sample) -> Result<(), BadSample> {
        let beyond =
            |items: &[u16], end: usize| items.iter().map(|&i| usize::from(i)).find(|&i| i >= end);
        if let Some(feature) = beyond(&sample.features, self.ends.features) {
            return Err(BadSample::Feature(feature, self.ends.features));
        }
        if let Some(row) = beyond(&sample.rows, self.ends.policy) {
            return Err(BadSample::Move(row, self.ends.policy));
        }
        if sample.policy.len() * self.ends.terms != sample.rows.len() {
            return Err(BadSample::Lengths(sample.rows.len(), sample.policy.len()));
        }
        let named = [
            ("policy", &sample.policy[..]),
            ("result", &sample.result),
            ("root value", &sample.root),
            ("value ahead", &sample.horizon),
        ];
        for (name, shares) in named {
            if !(is_distribution(shares) || name == "policy" && shares.is_empty()) {
                return Err(BadSample::Distribution(name));
            }
        }
        if !sample.weight.is_finite() || sample.weight < 0.0 {
            return Err(BadSample::Weight(sample.weight.to_string()));
        }
        Ok(())
    }

    /// Returns the reflection of a position that is mirrored: one that has a mirror image is, with
    /// a chance of one half.
    fn drawn(&self, features: &[u16], coins: &mut ChaCha8Rng) -> Option<&Symmetry> {
        let reflection = self.reflection.as_ref()?;
        let allowed = !features.iter().any(|feature| reflection.forbidden.contains(feature));
        (allowed && coins.random_bool(0.5)).then_some(reflection)
    }
}

impl Layout for TreeLayout {
    type Sample = Sample;
    type Block = TreeBlock;
    type Batch = Batch;

    fn push(&self, block: &mut TreeBlock, sample: &Sample) -> Result<(), BadSample> {
        self.check(sample)?;
        let (rows, terms) = distinct(&sample.rows)?;
        block.features.check_room(sample.features.len())?;
        block.rows.check_room(rows.len())?;
        block.terms.check_room(terms.len())?;
        block.features.push(&sample.features);
        block.rows.push(&rows);
        block.terms.push(&terms);
        let quanta = |share: &f32| (share * SHARE_SCALE).round() as u16;
        block.shares.extend(sample.policy.iter().map(quanta));
        let mix = |i: usize| {
            self.root_share * sample.root[i] + (1.0 - self.root_share) * sample.result[i]
        };
        block.values.push([mix(0), mix(1), mix(2)]);
        block
            .lengths
            .push(sample.remaining.map_or(UNKNOWN_LENGTH, |plies| f32::from(plies).ln_1p()));
        let parts = |share: f32| (share * f32::from(PARTS)).round() as u16;
        let (win, loss) = (parts(sample.horizon[0]), parts(sample.horizon[2]));
        block.horizons.push([win, loss.min(PARTS - win)]);
        block.weights.push(sample.weight);
        Ok(())
    }

    fn store(block: &mut TreeBlock, _: &mut Spool) -> io::Result<()> {
        block.features.shrink();
        block.rows.shrink();
        block.terms.shrink();
        block.shares.shrink_to_fit();
        block.values.shrink_to_fit();
        block.lengths.shrink_to_fit();
        block.horizons.shrink_to_fit();
        block.weights.shrink_to_fit();
        Ok(())
    }

    fn batch(&self, places: &[(&TreeBlock, usize)], mut coins: Option<&mut ChaCha8Rng>) -> Batch {
        let mut builder = Builder::with_capacity(self.ends, places.len());
        for &(block, place) in places {
            let features = block.features.list(place);
            let table = coins.as_deref_mut().and_then(|coins| self.drawn(features, coins));
            builder.inputs(features, table.map(|reflection| &reflection.features[..]));
            builder.moves(
                block.rows.list(place),
                table.map(|reflection| &reflection.rows[..]),
                block.terms.list(place),
            );
            let terms = block.terms.range(place);
            let shares = &block.shares[terms.start / self.ends.terms..terms.end / self.ends.terms];
            builder.target(shares, &block.target(place));
        }
        builder.finish()
    }
}
