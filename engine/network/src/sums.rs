//! The sums of the input layer for one set of inputs.

use crate::kernels::Change;
use crate::layers::Sizes;
use crate::network::Quantised;

/// The largest magnitude of a sum.
const MOST: u32 = i16::MAX as u32;

/// Number of inputs that are changed at a time if changing all of them at once might overflow.
const PIECE: usize = 4;

/// The sums of the input layer for one set of inputs.
///
/// Sums have 16 bits and the kernels wrap. So that no sum ever wraps, whatever the network and the
/// number of active inputs, each set of sums has an upper bound of its magnitudes. A change adds the
/// largest weight of every changed input to the bound. Where the bound is too large, it is measured
/// again. Where it is still too large, the sums are computed in 32 bits.
#[derive(Clone)]
pub(crate) struct Sums {
    values: Vec<i16>,
    /// No value is further from zero.
    bound: u32,
}

impl Sums {
    /// Returns the sums without any input.
    pub(crate) fn new<S: Sizes>(network: &Quantised<S>) -> Self {
        let mut sums = Self { values: network.bias().to_vec(), bound: 0 };
        sums.measure();
        sums
    }

    /// Returns to the sums without any input.
    pub(crate) fn reset<S: Sizes>(&mut self, network: &Quantised<S>) {
        self.values.copy_from_slice(network.bias());
        self.measure();
    }

    fn measure(&mut self) {
        let largest = self.values.iter().fold(0u16, |most, value| most.max(value.unsigned_abs()));
        self.bound = largest.into();
    }

    /// Changes the sums and computes the activations. Returns false if a sum might not fit 16 bits;
    /// the sums are then undefined.
    #[inline]
    pub(crate) fn change<S: Sizes>(
        &mut self,
        network: &Quantised<S>,
        added: &[u16],
        removed: &[u16],
        hidden: &mut [u8],
    ) -> bool {
        self.change_at_once(network, added, removed, hidden)
            || self.change_in_pieces(network, added, removed, hidden)
    }

    /// As [`Sums::change`], from other sums to these.
    #[inline]
    pub(crate) fn change_from<S: Sizes>(
        &mut self,
        earlier: &Self,
        network: &Quantised<S>,
        added: &[u16],
        removed: &[u16],
        hidden: &mut [u8],
    ) -> bool {
        let (change, growth) = Change::new(added, removed, &network.largest);
        self.bound = earlier.bound;
        if self.bound + growth > MOST {
            self.values.copy_from_slice(&earlier.values);
            return self.change(network, added, removed, hidden);
        }
        network.change(&change, Some(&earlier.values), &mut self.values, hidden);
        self.grow(growth);
        true
    }

    /// Raises the bound after a change.
    fn grow(&mut self, growth: u32) {
        self.bound += growth;
        if self.bound > MOST / 2 {
            self.measure();
        }
    }

    fn change_in_pieces<S: Sizes>(
        &mut self,
        network: &Quantised<S>,
        added: &[u16],
        removed: &[u16],
        hidden: &mut [u8],
    ) -> bool {
        const NONE: &[u16] = &[];
        let added = added.chunks(PIECE).map(|added| [added, NONE]);
        let removed = removed.chunks(PIECE).map(|removed| [NONE, removed]);
        let mut pieces = added.chain(removed);
        pieces.all(|[added, removed]| self.change_at_once(network, added, removed, hidden))
    }

    /// As [`Sums::change`]. The sums stay as they were if the change might overflow.
    #[inline]
    fn change_at_once<S: Sizes>(
        &mut self,
        network: &Quantised<S>,
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
            network.change(&change, None, &mut self.values, hidden);
            self.grow(growth);
        }
        fits
    }

    /// Replaces the sums by those of these inputs, and computes the activations, in 32 bits. Returns
    /// false if a sum does not fit 16 bits; the sums are then undefined, the activations are not.
    pub(crate) fn replace<S: Sizes>(
        &mut self,
        network: &Quantised<S>,
        inputs: impl IntoIterator<Item = u16>,
        hidden: &mut [u8],
    ) -> bool {
        let wide = network.in_32_bits(inputs, hidden);
        self.bound = wide.iter().fold(0, |most, sum| most.max(sum.unsigned_abs()));
        self.values.iter_mut().zip(wide).for_each(|(value, sum)| *value = sum as i16);
        self.bound <= MOST
    }
}
