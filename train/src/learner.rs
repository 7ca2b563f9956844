//! The training run of one fit, step by step, with checkpoints.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::thread::Scope;
use std::time::{Duration, Instant};

use anyhow::Context;
use fusion_jobs::exit::{Failure, note};
use fusion_jobs::seeds;
use fusion_jobs::stop::Stop;
use fusion_study::TrainConfig;
use indicatif::HumanCount;
use rayon::ThreadPool;
use tch::Device;

use crate::architecture::{Architecture, Losses, Parameters, Weights};
use crate::checkpoint;
use crate::metrics::{self, Row};

use crate::optimiser::{State, rate};
use crate::progress::Progress;
use crate::window::{Sampler, Window};

/// Weight of the loss of the predicted game length relative to the policy loss.
const LENGTH_WEIGHT: f64 = 0.05;
/// Steps between two rows of metrics.
const LOG_STEPS: u64 = 50;
/// Largest number of held-out positions measured for a row. More would cost too much time.
const HELD_OUT: usize = 4096;
/// The same for the last row, by which networks are compared.
const LAST_HELD_OUT: usize = 1 << 17;

/// One fit: positions, settings and output folder.
#[derive(Debug)]
pub struct Job<'a, A: Architecture> {
    /// The positions.
    pub window: &'a Window<A::Layout>,
    /// Sizes of the network.
    pub shape: A,
    /// Number of new positions. A pass draws this many positions from all.
    pub newest: usize,
    /// Settings of the learner.
    pub config: &'a TrainConfig,
    /// Seed of the initial weights and of the order of the positions.
    pub seed: u64,
    /// Folder of checkpoint and metrics.
    pub out: &'a Path,
    /// All values that the result depends on; a checkpoint of another run is rejected.
    pub run: serde_json::Value,
    /// Threads of the optimiser and of kernels. libtorch has its own threads.
    pub pool: &'a ThreadPool,
    /// Device of the computation.
    pub device: Device,
}

/// Largest number of batches that are prepared ahead.
const BATCHES_AHEAD: usize = 4;

/// Name of the checkpoint in a fit's folder.
pub const CHECKPOINT: &str = "checkpoint.safetensors";
/// Name of the table of metrics in a fit's folder.
pub const METRICS: &str = "metrics.csv";

impl<A: Architecture> Job<'_, A> {
    /// Returns the number of steps of the whole fit.
    #[must_use]
    pub fn steps(&self) -> u64 {
        let batches = self.newest as f64 / self.sampler().batch() as f64;
        (batches * self.config.epochs).ceil().max(1.0) as u64
    }

    fn weights(&self) -> Weights {
        Weights { value: 1.0, length: LENGTH_WEIGHT, horizon: self.config.horizon_weight }
    }

    fn sampler(&self) -> Sampler<'_> {
        Sampler::new(self.seed, self.config.batch as usize, self.window.train())
    }

    fn checkpoint(&self) -> PathBuf {
        self.out.join(CHECKPOINT)
    }

    /// Trains to the end, from the checkpoint if it exists, else from `initial`.
    ///
    /// # Errors
    /// There are too few positions; a loss is not finite, in which case no checkpoint of it is
    /// written; a stop is requested, for which a checkpoint is written; or the file system fails.
    pub fn run(
        &self,
        initial: impl FnOnce() -> anyhow::Result<Parameters<A>>,
        stop: &Stop,
        progress: &Progress,
    ) -> anyhow::Result<(State<A>, Vec<Row>)> {
        enough(self.window.train().len() as u64, self.config.min_positions)?;
        let mut state = match self.resume()? {
            Some(state) => state,
            None => State::new(initial()?),
        };
        let steps = self.steps();
        let metrics = self.out.join(METRICS);
        let mut rows = metrics::read(&metrics, state.step)?;
        self.check_rows(&rows, state.step, steps)?;
        progress.start(steps, state.step);
        let (first, start, mut waited) = (state.step, Instant::now(), Duration::ZERO);
        std::thread::scope(|scope| {
            let batches = self.load(scope, state.step..steps);
            let mut saved = state.step;
            while state.step < steps {
                if stop.requested() {
                    self.save(&state, saved)?;
                    stop.check()?;
                }
                let asked = Instant::now();
                let batch = batches.recv().context("the loader of batches ended early")?;
                waited += asked.elapsed();
                self.step(&mut state, &batch, steps, saved)?;
                progress.count();
                let last = state.step == steps;
                // Rows and checkpoints fall on fixed steps, independent of interruptions.
                if state.step.is_multiple_of(LOG_STEPS) || last {
                    let row = self.row(&mut state, steps);
                    progress.say(summary(&row));
                    rows.push(row);
                    metrics::write(&metrics, &rows)?;
                }
                if state.step.is_multiple_of(u64::from(self.config.checkpoint_steps)) || last {
                    self.save(&state, saved)?;
                    saved = state.step;
                }
            }
            anyhow::Ok(())
        })?;
        let positions = (state.step - first) * self.sampler().batch() as u64;
        report_speed(positions, start.elapsed(), waited);
        Ok((state, rows))
    }

    /// Prepares the batches of these steps ahead, on a separate thread.
    fn load<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        steps: Range<u64>,
    ) -> Receiver<A::Batch> {
        let (sender, receiver) = mpsc::sync_channel(BATCHES_AHEAD);
        scope.spawn(move || {
            let mut sampler = self.sampler();
            for step in steps {
                let mut coins = seeds::stream("reflections", &[self.seed, step]);
                let batch = self.window.varied_batch(sampler.positions(step), &mut coins);
                // The receiver is gone if training was stopped or failed.
                if sender.send(batch).is_err() {
                    return;
                }
            }
        });
        receiver
    }

    /// Rejects a table that lacks rows of finished steps.
    fn check_rows(&self, rows: &[Row], step: u64, steps: u64) -> Result<(), Failure> {
        let ended = step == steps && !step.is_multiple_of(LOG_STEPS);
        let due = (1..=step / LOG_STEPS).map(|row| row * LOG_STEPS).chain(ended.then_some(step));
        if rows.iter().map(|row| row.step).eq(due) {
            return Ok(());
        }
        Err(Failure::corrupt(format!(
            "{} is damaged: it has not the rows of the {step} steps that are done. Remove {} to \
             train again from the start.",
            self.out.join(METRICS).display(),
            self.checkpoint().display()
        )))
    }

    fn resume(&self) -> anyhow::Result<Option<State<A>>> {
        let path = self.checkpoint();
        let Some((state, run)) = checkpoint::load(&path, self.shape, self.device)? else {
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
        state: &mut State<A>,
        batch: &A::Batch,
        steps: u64,
        saved: u64,
    ) -> anyhow::Result<()> {
        let (losses, gradients) = state.weights.gradients(batch, self.weights(), self.pool);
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
        let rate = rate(self.config, state.step, steps);
        self.pool.install(|| state.apply(gradients, norm, rate, self.config));
        state.since.losses.add(&losses);
        state.since.norms += norm;
        state.since.steps += 1;
        Ok(())
    }

    /// Writes a checkpoint, unless the weights are not finite.
    fn save(&self, state: &State<A>, saved: u64) -> anyhow::Result<()> {
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

    fn row(&self, state: &mut State<A>, steps: u64) -> Row {
        // Evenly spaced over the whole window, which is in the order of play.
        let all = self.window.held_out();
        let most = if state.step == steps { LAST_HELD_OUT } else { HELD_OUT };
        let stride = all.len().div_ceil(most).max(1);
        let held_out: Vec<u32> = all.iter().copied().step_by(stride).collect();
        let mut measured = Losses::default();
        let batch = self.sampler().batch();
        for positions in held_out.chunks(batch) {
            measured.add(&state.average.losses(&self.window.batch(positions), self.pool));
        }
        let epoch = (state.step * batch as u64) as f64 / self.newest.max(1) as f64;
        let rate = rate(self.config, state.step - 1, steps);
        Row::new(state.step, epoch, rate, &std::mem::take(&mut state.since), &measured)
    }
}

/// Reports the training speed, and the share of time spent waiting for positions.
fn report_speed(positions: u64, took: Duration, waited: Duration) {
    let seconds = took.as_secs_f64();
    if positions > 0 {
        note(format_args!(
            "learned from {} positions a second; {:.1}% of the time was spent waiting for data",
            HumanCount((positions as f64 / seconds) as u64),
            100.0 * waited.as_secs_f64() / seconds
        ));
    }
}

/// Rejects a window with too few positions.
///
/// # Errors
/// There are too few positions; the message has their number and the number needed.
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
