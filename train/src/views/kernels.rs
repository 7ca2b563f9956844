//! The hot loops of the efficiently updatable network.
//!
//! The hidden layer is processed in tiles of [`TILE`] columns. Activations are stored tile by tile, so
//! that what a loop works on stays in the processor's cache.

use crate::simd::{Kernel, LANES, Lanes, Line};
use fusion_network::views::STAGE_HIDDEN;

/// Lines of a tile.
const LINES: usize = 2;
/// Columns of the hidden layer that are processed together.
pub(super) const TILE: usize = LINES * LANES;
/// Lines whose sums stay in registers in the forward pass. They are two tiles: the width of a hidden
/// layer is a multiple of 64.
const CHUNK: usize = 2 * LINES;
/// Positions that share the weights of the second layer in the forward pass.
const GROUP: usize = 8;
/// Positions that share them in the backward pass.
const BACK_GROUP: usize = 4;
/// Units of the second layer whose gradients stay in registers.
const UNITS: usize = STAGE_HIDDEN / 2;

/// Activations, or their gradients, of one view of a position in one tile.
pub(super) type Row = [Line; LINES];
/// The second layer: activations, or their gradients.
pub(super) type Inner = Line;

const _: () = assert!(STAGE_HIDDEN == LANES);

/// The forward pass of positions of one stage through the first two layers.
pub(super) struct Forward<'a> {
    /// Input weights: the lines of the hidden layer, for each input.
    pub input: &'a [Line],
    pub input_bias: &'a [Line],
    /// Weights of the stage's second layer, [`STAGE_HIDDEN`] for each unit of both views.
    pub stage_hidden: &'a [Inner],
    /// Start of each view's inputs, two views a position, and the end of the last.
    pub offsets: &'a [i32],
    /// The inputs that the offsets refer to.
    pub columns: &'a [i32],
    /// Receives the clipped activations: tile by tile, a row for each view.
    pub clipped: &'a mut [Row],
    /// Biases of the second layer; receives its sums.
    pub inner: &'a mut [Inner],
}

impl Forward<'_> {
    /// Computes the activations of a view from line `first` on. Writes the clipped sums, and their
    /// squares to `squares`.
    #[inline(always)]
    fn view<V: Lanes>(&mut self, view: usize, first: usize, squares: &mut [Line; CHUNK]) {
        let lines = self.input_bias.len();
        let mut sums = [V::splat(0.0); CHUNK];
        for (sum, bias) in sums.iter_mut().zip(&self.input_bias[first..first + CHUNK]) {
            *sum = V::load(bias);
        }
        let inputs = self.offsets[view] as usize..self.offsets[view + 1] as usize;
        for &input in &self.columns[inputs] {
            let row = &self.input[input as usize * lines + first..][..CHUNK];
            for (sum, weights) in sums.iter_mut().zip(row) {
                *sum = sum.plus(V::load(weights));
            }
        }
        let (low, high, views) = (V::splat(0.0), V::splat(1.0), 2 * self.inner.len());
        for line in 0..CHUNK {
            let clipped = sums[line].clamped(low, high);
            let row = &mut self.clipped[(first + line) / LINES * views + view];
            clipped.store(&mut row[line % LINES]);
            clipped.times(clipped).store(&mut squares[line]);
        }
    }

    /// Adds what the units of a view from line `first` on contribute to the second layer.
    #[inline(always)]
    fn inner<V: Lanes>(
        &self,
        view: usize,
        first: usize,
        squares: &[[[Line; CHUNK]; 2]; GROUP],
        sums: &mut [V; GROUP],
    ) {
        let unit = (view * self.input_bias.len() + first) * LANES;
        let weights = &self.stage_hidden[unit..][..CHUNK * LANES];
        for (unit, weights) in weights.iter().enumerate() {
            let weights = V::load(weights);
            for position in 0..GROUP {
                let square = squares[position][view].as_flattened()[unit];
                sums[position] = V::splat(square).times_plus(weights, sums[position]);
            }
        }
    }
}

impl Kernel for Forward<'_> {
    #[inline(always)]
    fn run<V: Lanes>(mut self) {
        let mut squares = [[[[0.0; LANES]; CHUNK]; 2]; GROUP];
        for first in (0..self.input_bias.len()).step_by(CHUNK) {
            for start in (0..self.inner.len()).step_by(GROUP) {
                // In a short last group, the other positions' sums have no meaning.
                let count = GROUP.min(self.inner.len() - start);
                for view in 0..2 * count {
                    self.view::<V>(2 * start + view, first, &mut squares[view / 2][view % 2]);
                }
                let mut sums = [V::splat(0.0); GROUP];
                for (sum, inner) in sums.iter_mut().zip(&self.inner[start..]) {
                    *sum = V::load(inner);
                }
                for view in 0..2 {
                    self.inner(view, first, &squares, &mut sums);
                }
                for (sum, inner) in sums.iter().zip(&mut self.inner[start..]) {
                    sum.store(inner);
                }
            }
        }
    }
}

/// The backward pass of positions of one stage through the first two layers, for one tile.
pub(super) struct Backward<'a> {
    /// Weights of the tile's units for each unit of the second layer, for either view.
    pub stage_hidden: &'a [[Row; STAGE_HIDDEN]; 2],
    /// Clipped activations, a row for each view.
    pub clipped: &'a [[Row; 2]],
    /// Gradients of the second layer's sums.
    pub inner: &'a [Inner],
    /// Receives the gradients of the first layer's sums, a row for each view.
    pub sums: &'a mut [[Row; 2]],
    /// The gradient of the bias is added here.
    pub bias: &'a mut Row,
    /// The gradient of `stage_hidden` is added here.
    pub gradient: &'a mut [[Row; STAGE_HIDDEN]; 2],
}

impl Backward<'_> {
    /// Computes the gradients of the first layer's sums for `N` positions from `start` on.
    #[inline(always)]
    fn sums<V: Lanes, const N: usize>(&mut self, start: usize, view: usize) {
        let mut sums = [[V::splat(0.0); LINES]; N];
        let inner = &self.inner[start..][..N];
        for (unit, row) in self.stage_hidden[view].iter().enumerate() {
            for line in 0..LINES {
                let weights = V::load(&row[line]);
                for position in 0..N {
                    let inner = V::splat(inner[position][unit]);
                    let sum = &mut sums[position][line];
                    *sum = inner.times_plus(weights, *sum);
                }
            }
        }
        let one = V::splat(1.0);
        let mut bias = [V::splat(0.0); LINES];
        for (bias, line) in bias.iter_mut().zip(&*self.bias) {
            *bias = V::load(line);
        }
        for (position, sums) in (start..).zip(sums) {
            for (line, sum) in sums.into_iter().enumerate() {
                let clipped = V::load(&self.clipped[position][view][line]);
                // The derivative of clamp(x)^2; below 0 the factor `x` is 0 already.
                let sum = sum.times(clipped.where_below(one, clipped.plus(clipped)));
                sum.store(&mut self.sums[position][view][line]);
                bias[line] = bias[line].plus(sum);
            }
        }
        for (bias, line) in bias.iter().zip(&mut *self.bias) {
            bias.store(line);
        }
    }

    /// Adds the gradients of the second layer's weights for some of its units.
    #[inline(always)]
    fn weights<V: Lanes>(&mut self, view: usize, first: usize) {
        let gradient = &mut self.gradient[view][first..][..UNITS];
        let mut sums = [[V::splat(0.0); LINES]; UNITS];
        for unit in 0..UNITS {
            for line in 0..LINES {
                sums[unit][line] = V::load(&gradient[unit][line]);
            }
        }
        for (inner, rows) in self.inner.iter().zip(self.clipped) {
            for line in 0..LINES {
                let clipped = V::load(&rows[view][line]);
                let square = clipped.times(clipped);
                for unit in 0..UNITS {
                    let sum = &mut sums[unit][line];
                    *sum = V::splat(inner[first + unit]).times_plus(square, *sum);
                }
            }
        }
        for unit in 0..UNITS {
            for line in 0..LINES {
                sums[unit][line].store(&mut gradient[unit][line]);
            }
        }
    }
}

impl Kernel for Backward<'_> {
    #[inline(always)]
    fn run<V: Lanes>(mut self) {
        let whole = self.inner.len() / BACK_GROUP * BACK_GROUP;
        for view in 0..2 {
            for start in (0..whole).step_by(BACK_GROUP) {
                self.sums::<V, BACK_GROUP>(start, view);
            }
            for start in whole..self.inner.len() {
                self.sums::<V, 1>(start, view);
            }
            for first in (0..STAGE_HIDDEN).step_by(UNITS) {
                self.weights::<V>(view, first);
            }
        }
    }
}

/// The gradient of one tile of the input weights: for every input, the sum of the rows where it is
/// active.
pub(super) struct Gather<'a, 'b> {
    /// Gradients of the first layer's sums.
    pub sums: &'a [Row],
    /// Start of each input's rows, and the end of the last.
    pub offsets: &'a [i32],
    /// The rows that the offsets refer to.
    pub rows: &'a [i32],
    /// Receives the gradient, a row for each input.
    pub gradient: &'a mut [&'b mut Row],
}

impl Kernel for Gather<'_, '_> {
    #[inline(always)]
    fn run<V: Lanes>(self) {
        for (gradient, ends) in self.gradient.iter_mut().zip(self.offsets.windows(2)) {
            let rows = &self.rows[ends[0] as usize..ends[1] as usize];
            // Several chains of sums, so that they do not wait for one another.
            let mut sums = [[V::splat(0.0); LINES]; 4];
            let (groups, rest) = rows.as_chunks::<4>();
            for group in groups {
                for chain in 0..4 {
                    let row = &self.sums[group[chain] as usize];
                    for line in 0..LINES {
                        sums[chain][line] = sums[chain][line].plus(V::load(&row[line]));
                    }
                }
            }
            for &row in rest {
                let row = &self.sums[row as usize];
                for line in 0..LINES {
                    sums[0][line] = sums[0][line].plus(V::load(&row[line]));
                }
            }
            let [a, b, c, d] = sums;
            for line in 0..LINES {
                let total = a[line].plus(b[line]).plus(c[line].plus(d[line]));
                total.store(&mut gradient[line]);
            }
        }
    }
}
