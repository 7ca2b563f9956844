//! Fitting a network to a window, step by step, with checkpoints.

use std::path::{Path, PathBuf};

use anyhow::Context;
use fusion_engine::cli::Failure;
use fusion_selfplay::stop::Stop;
use fusion_selfplay::study::TrainConfig;
use indicatif::HumanCount;
use tch::Device;

use crate::checkpoint;
use crate::metrics::{self, Row};
use crate::model::{Losses, Parameters, Shape};
use crate::optimiser::{State, rate};
use crate::progress::Progress;
use crate::window::{Sampler, Window};

/// Steps between two rows of metrics.
const LOG_STEPS: u64 = 50;
/// Held-out positions measured for a row, at most: more would cost more than they tell.
const HELD_OUT: usize = 4096;

/// One fit: what to learn, how, and where the results go.
#[derive(Debug)]
pub struct Job<'a> {
    /// The positions.
    pub window: &'a Window,
    /// Settings of the learner.
    pub config: &'a TrainConfig,
    /// Width of the hidden layer.
    pub hidden: usize,
    /// Seed of the initial weights and of the order of the positions.
    pub seed: u64,
    /// Folder of checkpoint and metrics.
    pub out: &'a Path,
    /// Everything the result depends on; a checkpoint of another run is refused.
    pub run: serde_json::Value,
    /// Where to compute.
    pub device: Device,
}

/// Name of the checkpoint in a fit's folder.
pub const CHECKPOINT: &str = "checkpoint.safetensors";
/// Name of the table of metrics in a fit's folder.
pub const METRICS: &str = "metrics.csv";

impl Job<'_> {
    /// The sizes of the network.
    #[must_use]
    pub fn shape(&self) -> Shape {
        Shape { ends: self.window.ends(), hidden: self.hidden }
    }

    /// Number of steps of the whole fit.
    #[must_use]
    pub fn steps(&self) -> u64 {
        let batches = self.sampler().batches_per_pass() as f64;
        (batches * self.config.epochs).ceil().max(1.0) as u64
    }

    fn sampler(&self) -> Sampler {
        let batch = self.config.batch as usize;
        Sampler::new(self.seed, batch, self.window.train().to_vec())
    }

    fn checkpoint(&self) -> PathBuf {
        self.out.join(CHECKPOINT)
    }

    /// Trains to the end, from the checkpoint if there is one, else from `initial`.
    ///
    /// # Errors
    /// Too few positions; a loss that is not finite, in which case no checkpoint of it is
    /// written; a request to stop, for which one is; failures of the file system.
    pub fn run(
        &self,
        initial: impl FnOnce() -> anyhow::Result<Parameters>,
        stop: &Stop,
        progress: &Progress,
    ) -> anyhow::Result<(State, Vec<Row>)> {
        enough(self.window.train().len() as u64, self.config.min_positions)?;
        let mut state = match self.resume()? {
            Some(state) => state,
            None => State::new(initial()?),
        };
        let steps = self.steps();
        let metrics = self.out.join(METRICS);
        let mut rows = metrics::read(&metrics, state.step)?;
        let mut sampler = self.sampler();
        let mut saved = state.step;
        progress.start(steps, state.step);
        while state.step < steps {
            if stop.requested() {
                self.save(&state, saved)?;
                stop.check()?;
            }
            self.step(&mut state, &mut sampler, steps, saved)?;
            progress.count();
            let last = state.step == steps;
            // Rows and checkpoints fall on fixed steps, whatever was interrupted where.
            if state.step.is_multiple_of(LOG_STEPS) || last {
                let row = self.row(&mut state, &sampler, steps);
                progress.say(summary(&row));
                rows.push(row);
                metrics::write(&metrics, &rows)?;
            }
            if state.step.is_multiple_of(u64::from(self.config.checkpoint_steps)) || last {
                self.save(&state, saved)?;
                saved = state.step;
            }
        }
        Ok((state, rows))
    }

    fn resume(&self) -> anyhow::Result<Option<State>> {
        let path = self.checkpoint();
        let Some((state, run)) = checkpoint::load(&path, self.shape(), self.device)? else {
            return Ok(None);
        };
        match crate::runs::difference(&run, &self.run, &crate::fit::FREE) {
            None => Ok(Some(state)),
            Some(difference) => Err(Failure::usage(format!(
                "{} is of another run: {difference}. Choose another folder, or remove it to train from the start.",
                path.display()
            ))
            .into()),
        }
    }

    fn step(
        &self,
        state: &mut State,
        sampler: &mut Sampler,
        steps: u64,
        saved: u64,
    ) -> anyhow::Result<()> {
        let batch = self.window.batch(sampler.positions(state.step));
        let (losses, gradients) = state.weights.gradients(&batch, self.config.value_weight);
        let norm = gradients.norm();
        if !(losses.policy + losses.value + norm).is_finite() {
            let numbers = format!(
                "policy {}, value {}, gradient {norm}",
                losses.policy / losses.policy_weight.max(f64::MIN_POSITIVE),
                losses.value / losses.value_weight
            );
            return Err(self.diverged(
                &format!("the loss is not finite ({numbers})"),
                state.step + 1,
                saved,
            ));
        }
        state.apply(&gradients, norm, rate(self.config, state.step, steps), self.config);
        state.since.losses.add(&losses);
        state.since.norms += norm;
        state.since.steps += 1;
        Ok(())
    }

    /// Writes a checkpoint, unless the weights are useless.
    fn save(&self, state: &State, saved: u64) -> anyhow::Result<()> {
        for parameters in [&state.weights, &state.first, &state.second, &state.average] {
            if let Some(name) = parameters.not_finite() {
                return Err(self.diverged(&format!("{name} is not finite"), state.step, saved));
            }
        }
        checkpoint::save(&self.checkpoint(), state, &self.run)
    }

    fn diverged(&self, what: &str, step: u64, saved: u64) -> anyhow::Error {
        let last = if saved > 0 {
            format!("the last good checkpoint, of step {saved}, is {}", self.checkpoint().display())
        } else {
            "there is no earlier checkpoint".to_owned()
        };
        anyhow::anyhow!(
            "training diverged at step {step}: {what}. Nothing of it was saved; {last}. \
             Lower `learning_rate` or look at the shards, and train into another folder."
        )
    }

    fn row(&self, state: &mut State, sampler: &Sampler, steps: u64) -> Row {
        // Evenly from the whole window, which is in the order of play.
        let all = self.window.held_out();
        let stride = all.len().div_ceil(HELD_OUT).max(1);
        let held_out: Vec<u32> = all.iter().copied().step_by(stride).collect();
        let mut measured = Losses::default();
        for positions in held_out.chunks(sampler.batch()) {
            measured.add(&state.average.losses(&self.window.batch(positions)));
        }
        let epoch = state.step as f64 / sampler.batches_per_pass().max(1) as f64;
        let rate = rate(self.config, state.step - 1, steps);
        Row::new(state.step, epoch, rate, &std::mem::take(&mut state.since), &measured)
    }
}

/// Refuses a window that is too small to learn from.
///
/// # Errors
/// The number of positions there are and how many are needed.
pub fn enough(have: u64, need: u64) -> anyhow::Result<()> {
    if have >= need.max(1) {
        return Ok(());
    }
    let (need, have) = (HumanCount(need.max(1)), HumanCount(have));
    let message = format!(
        "need {need} positions to train, have {have}: play more games or lower `min_positions`"
    );
    Err(Failure::new(1, message)).context("the window is too small")
}

fn summary(row: &Row) -> String {
    let number = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| format!("{x:.3}"));
    format!(
        "policy {} (held out {}), value {} (held out {})",
        number(row.policy_loss),
        number(row.held_out_policy_loss),
        number(row.value_loss),
        number(row.held_out_value_loss)
    )
}

#[cfg(test)]
#[path = "learner_tests.rs"]
mod tests;
