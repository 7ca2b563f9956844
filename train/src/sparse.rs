//! Products of sparse matrices of zeros and ones with dense ones.

use tch::{Device, Tensor};

use crate::window::Incidence;

/// [`Incidence`] as tensors.
pub(crate) struct Sparse {
    row_offsets: Tensor,
    pub(crate) columns: Tensor,
    rows: Tensor,
    column_offsets: Tensor,
    by_column: Tensor,
    rows_by_column: Tensor,
}

impl Sparse {
    pub(crate) fn new(incidence: &Incidence, device: Device) -> Self {
        let tensor = |list: &[i32]| Tensor::from_slice(list).to(device);
        Self {
            row_offsets: tensor(&incidence.row_offsets),
            columns: tensor(&incidence.columns),
            rows_by_column: tensor(&incidence.rows_by_column),
            rows: tensor(&incidence.rows),
            column_offsets: tensor(&incidence.column_offsets),
            by_column: tensor(&incidence.by_column),
        }
    }

    /// Multiplies by a matrix with one row per column of this one: sums of that matrix's rows.
    pub(crate) fn times(&self, matrix: &Tensor, values: Option<&Tensor>) -> Tensor {
        bag(matrix, &self.columns, &self.row_offsets, values)
    }

    /// Multiplies the transpose by a matrix with one row per row of this one.
    pub(crate) fn transposed_times(&self, matrix: &Tensor, values: Option<&Tensor>) -> Tensor {
        let values = values.map(|values| values.index_select(0, &self.by_column));
        bag(matrix, &self.rows_by_column, &self.column_offsets, values.as_ref())
    }

    /// Returns the dot products of `left`'s rows with `right`'s rows at the nonzero places of this
    /// matrix. This equals the gradient of a bag by its per-sample weights.
    pub(crate) fn sampled_product(&self, left: &Tensor, right: &Tensor) -> Tensor {
        let starts = self.row_offsets.narrow(0, 0, self.row_offsets.size()[0] - 1);
        Tensor::internal_embedding_bag_per_sample_weights_backward(
            left,
            right,
            &self.columns,
            &starts,
            &self.rows,
            0,
            -1,
        )
    }
}

fn bag(matrix: &Tensor, indices: &Tensor, offsets: &Tensor, values: Option<&Tensor>) -> Tensor {
    Tensor::embedding_bag(matrix, indices, offsets, false, 0, false, values, true).0
}
