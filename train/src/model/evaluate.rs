//! Evaluation of positions for searches.

use fusion_network::MOST_LENGTH;
use tch::{Device, Tensor};

use super::{INPUT, Parameters, TreeSizes, forward, to_device};
use crate::window::Batch;

impl Parameters<TreeSizes> {
    /// Returns the outputs that a search needs for a batch. The first list has four numbers a
    /// position: shares of win, draw and loss, and the plies to the end of the game. The second has
    /// the logit of each move of the batch, in its order.
    #[must_use]
    pub fn evaluate(&self, batch: &Batch) -> (Vec<f32>, Vec<f32>) {
        let _guard = tch::no_grad_guard();
        let pass = forward(self, batch, &to_device(batch, self.0[INPUT].device()));
        let plies = pass.length.clamp(0.0, f64::from(MOST_LENGTH)).expm1().unsqueeze(1);
        let values = Tensor::cat(&[pass.value_log.exp(), plies], 1);
        (numbers(&values), numbers(&pass.logits))
    }

    /// Returns new handles to the same tensors, without a copy, for use by another thread.
    /// Neither set may be written from now on.
    #[must_use]
    pub(crate) fn share(&self) -> Self {
        self.map(Tensor::shallow_clone)
    }
}

fn numbers(tensor: &Tensor) -> Vec<f32> {
    let mut numbers = vec![0.0; tensor.numel()];
    tensor.to(Device::Cpu).copy_data(&mut numbers, tensor.numel());
    numbers
}
