//! Metrics of training: rows of a CSV file.

use std::path::Path;

use anyhow::Context;
use fusion_jobs::atomic::write_bytes;
use fusion_jobs::exit::Failure;
use fusion_jobs::plain;
use serde::{Deserialize, Serialize};

use crate::architecture::Losses;

/// One row of `metrics.csv`. Training columns are means over the steps since the last row.
/// Held-out columns are measured with the averaged weights, and are empty without held-out
/// positions. Cross-entropies are in nats.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Steps done.
    pub step: u64,
    /// Passes over the training positions.
    pub epoch: f64,
    /// Learning rate of the last step.
    pub learning_rate: f64,
    /// Mean norm of the gradients before clipping.
    pub gradient_norm: f64,
    /// The policy's cross-entropy.
    pub policy_loss: Option<f64>,
    /// Entropy of the policy targets, a lower bound of the policy loss.
    pub policy_entropy: Option<f64>,
    /// Share of positions where the most likely move equals the search's.
    pub policy_top1: Option<f64>,
    /// The value's cross-entropy.
    pub value_loss: Option<f64>,
    /// The policy's cross-entropy on held-out games.
    pub held_out_policy_loss: Option<f64>,
    /// As `policy_top1`, on held-out games.
    pub held_out_policy_top1: Option<f64>,
    /// The value's cross-entropy on held-out games.
    pub held_out_value_loss: Option<f64>,
    /// The cross-entropy of the value a few plies ahead.
    pub horizon_loss: Option<f64>,
    /// The same as `horizon_loss`, on held-out games.
    pub held_out_horizon_loss: Option<f64>,
}

/// Sums over the steps since the last row. They are part of a checkpoint, so that an interrupted
/// run writes the same rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Since {
    /// The steps' losses.
    pub losses: Losses,
    /// Norms of their gradients.
    pub norms: f64,
    /// Number of steps.
    pub steps: u64,
}

impl Row {
    /// Makes a row from sums of losses.
    #[must_use]
    pub fn new(
        step: u64,
        epoch: f64,
        learning_rate: f64,
        since: &Since,
        held_out: &Losses,
    ) -> Self {
        let train = &since.losses;
        let share = |sum: f64, weight: f64| (weight > 0.0).then(|| sum / weight);
        let policy = |losses: &Losses, sum: f64| share(sum, losses.policy_weight);
        Self {
            step,
            epoch,
            learning_rate,
            gradient_norm: since.norms / since.steps.max(1) as f64,
            policy_loss: policy(train, train.policy),
            policy_entropy: policy(train, train.entropy),
            policy_top1: policy(train, train.agreeing),
            value_loss: share(train.value, train.value_weight),
            held_out_policy_loss: policy(held_out, held_out.policy),
            held_out_policy_top1: policy(held_out, held_out.agreeing),
            held_out_value_loss: share(held_out.value, held_out.value_weight),
            horizon_loss: share(train.horizon, train.value_weight),
            held_out_horizon_loss: share(held_out.horizon, held_out.value_weight),
        }
    }
}

/// Reads the rows up to a step. Rows after it belong to steps that were lost.
///
/// # Errors
/// The file cannot be read or is not such a table.
pub fn read(path: &Path, step: u64) -> anyhow::Result<Vec<Row>> {
    let Some(file) = plain::read_if_there(path, plain::TABLE)? else { return Ok(Vec::new()) };
    let rows =
        csv::Reader::from_reader(&file[..]).into_deserialize().collect::<Result<Vec<Row>, _>>();
    let mut rows =
        rows.map_err(|error| Failure::corrupt(format!("{}: {error}", path.display())))?;
    rows.retain(|row| row.step <= step);
    Ok(rows)
}

/// Writes the whole table, atomically. It is small, and no reader can see half a row.
///
/// # Errors
/// Failures of the file system.
pub fn write(path: &Path, rows: &[Row]) -> anyhow::Result<()> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row)?;
    }
    write_bytes(path, &writer.into_inner().context("writing the table")?)
}
