//! Reliability of predicted chances.

use super::estimate::Estimate;
use super::glm::{Fit, Outcome};
use super::proportion::wilson;
use super::{Confidence, Interval, Proportion, Result, StatisticsError};
use ndarray::{Array2, aview1};

/// Number of bins of equal width.
const BINS: usize = 10;

/// A predicted chance and its outcome. There should be one per game, because predictions of one
/// game share its outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// The predicted chance.
    pub predicted: f64,
    /// Whether the event happened.
    pub happened: bool,
}

/// A bin of forecasts with similar chances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// The chances of this bin. The lower limit is included, the upper limit only if it is 1.
    pub range: Interval,
    /// Number of events among the bin's forecasts.
    pub happened: Proportion,
    /// Wilson's interval of that share.
    pub interval: Interval,
    /// Mean predicted chance.
    pub predicted: f64,
}

/// Parts of the Brier score: `reliability − resolution + uncertainty + within`. In the formulas,
/// bin i has `nᵢ` of n forecasts with mean chance `pᵢ` and observed share `oᵢ`. `o` is the share
/// over all bins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BrierParts {
    /// Mean squared difference of predicted and observed share of the bins: `Σ nᵢ (pᵢ − oᵢ)² / n`.
    /// 0 is best.
    pub reliability: f64,
    /// Variance of the bins' observed shares: `Σ nᵢ (oᵢ − o)² / n`. Higher is better.
    pub resolution: f64,
    /// Variance of the outcomes themselves: `o (1 − o)`.
    pub uncertainty: f64,
    /// Contribution of differences between forecasts of one bin; 0 if the forecasts of each bin are
    /// equal.
    pub within: f64,
}

/// The line `logit(observed) = intercept + slope · logit(predicted)`: 0 and 1 for exact forecasts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recalibration {
    /// The intercept. Above 0, events are more frequent than predicted where even chances are
    /// predicted.
    pub intercept: Estimate,
    /// The slope. Below 1, predictions are too extreme.
    pub slope: Estimate,
}

/// The quality of predicted chances.
#[derive(Clone, Debug, PartialEq)]
pub struct Reliability {
    /// The bins with at least one forecast, in order.
    pub bins: Vec<Bin>,
    /// Expected calibration error: mean absolute difference of predicted and observed share of a
    /// forecast's bin, `Σ nᵢ |pᵢ − oᵢ| / n` with the symbols of [`BrierParts`].
    pub calibration_error: f64,
    /// Mean square of predicted chance minus outcome: `Σ (p − y)² / n`, with y = 1 for an event.
    pub brier: f64,
    /// The parts of the Brier score.
    pub parts: BrierParts,
    /// The recalibration line. `None` where it does not exist: chances of 0 or 1, chances that are
    /// all the same, or outcomes that the chances decide completely.
    pub recalibration: Option<Recalibration>,
}

impl Reliability {
    /// Compares chances with outcomes, in ten bins.
    ///
    /// Source: parts of the Brier score, A. H. Murphy, *A new vector partition of the probability
    /// score*, Journal of Applied Meteorology 12 (1973), and D. B. Stephenson, C. A. S. Coelho and
    /// I. T. Jolliffe, Weather and Forecasting 23 (2008) for forecasts that differ within a bin;
    /// calibration error, M. P. Naeini, G. F. Cooper and M. Hauskrecht, AAAI (2015); line, D. R.
    /// Cox, *Two further applications of a model for binary regression*, Biometrika 45 (1958), with
    /// errors that stay valid if the line does not fit.
    ///
    /// # Errors
    /// Fails if there are no forecasts, or if a chance is outside 0 to 1.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::Confidence;
    /// use fusion_statistics::reliability::{Forecast, Reliability};
    ///
    /// // A chance of 0.2 four times, of which one happened, and one of 0.8 four times, of which
    /// // all did.
    /// let forecast = |predicted, happened| Forecast { predicted, happened };
    /// let mut forecasts = vec![forecast(0.2, false); 3];
    /// forecasts.push(forecast(0.2, true));
    /// forecasts.extend([forecast(0.8, true); 4]);
    /// let found = Reliability::of(&forecasts, Confidence::P95)?;
    /// assert_eq!(found.bins.len(), 2);
    /// // By hand: (|0.2 − 0.25| + |0.8 − 1|) / 2, and the mean of the squares.
    /// assert!((found.calibration_error - 0.125).abs() < 1e-12);
    /// assert!((found.brier - (3.0 * 0.04 + 0.64 + 4.0 * 0.04) / 8.0).abs() < 1e-12);
    /// # Ok::<(), fusion_statistics::StatisticsError>(())
    /// ```
    pub fn of(forecasts: &[Forecast], confidence: Confidence) -> Result<Self> {
        for &Forecast { predicted: value, .. } in forecasts {
            if !(0.0..=1.0).contains(&value) {
                return Err(StatisticsError::OutOfRange { name: "chance", value, range: "[0, 1]" });
            }
        }
        let bins = bins(forecasts, confidence)?;
        let n = forecasts.len() as f64;
        let mean = |of: &dyn Fn(&Bin) -> f64| {
            bins.iter().map(|bin| bin.happened.trials() as f64 * of(bin)).sum::<f64>() / n
        };
        let miss = |bin: &Bin| bin.predicted - bin.happened.share();
        let share = mean(&|bin| bin.happened.share());
        let reliability = mean(&|bin| miss(bin).powi(2));
        let resolution = mean(&|bin| (bin.happened.share() - share).powi(2));
        let uncertainty = share * (1.0 - share);
        let brier = forecasts.iter().map(square).sum::<f64>() / n;
        let within = brier - (reliability - resolution + uncertainty);
        Ok(Self {
            calibration_error: mean(&|bin| miss(bin).abs()),
            brier,
            parts: BrierParts { reliability, resolution, uncertainty, within },
            recalibration: recalibration(forecasts),
            bins,
        })
    }
}

fn square(forecast: &Forecast) -> f64 {
    (forecast.predicted - f64::from(u8::from(forecast.happened))).powi(2)
}

fn bins(forecasts: &[Forecast], confidence: Confidence) -> Result<Vec<Bin>> {
    let mut sums = [(0, 0, 0.0); BINS];
    for forecast in forecasts {
        let bin = (forecast.predicted * BINS as f64) as usize;
        let (happened, forecasts, predicted) = &mut sums[bin.min(BINS - 1)];
        *happened += u64::from(forecast.happened);
        *forecasts += 1;
        *predicted += forecast.predicted;
    }
    let limit = |bin: usize| bin as f64 / BINS as f64;
    let occupied = sums.iter().enumerate().filter(|(_, sums)| sums.1 > 0);
    let bins = occupied.map(|(bin, &(happened, forecasts, predicted))| {
        let happened = Proportion::new(happened, forecasts)?;
        Ok(Bin {
            range: Interval { low: limit(bin), high: limit(bin + 1) },
            happened,
            interval: wilson(happened, confidence),
            predicted: predicted / forecasts as f64,
        })
    });
    let bins: Vec<Bin> = bins.collect::<Result<_>>()?;
    if bins.is_empty() { Err(StatisticsError::Empty) } else { Ok(bins) }
}

fn recalibration(forecasts: &[Forecast]) -> Option<Recalibration> {
    let mut design = Array2::ones((forecasts.len(), 2));
    for (logit, forecast) in design.column_mut(1).iter_mut().zip(forecasts) {
        *logit = (forecast.predicted / (1.0 - forecast.predicted)).ln();
    }
    if !design.iter().all(|cell| cell.is_finite()) {
        return None;
    }
    // Each game is its own cluster.
    let outcome = |(row, forecast): (usize, &Forecast)| Outcome {
        happened: forecast.happened,
        row,
        cluster: row as u64,
    };
    let outcomes: Vec<_> = forecasts.iter().enumerate().map(outcome).collect();
    let fit = Fit::new(&design, &outcomes).ok()?;
    let coefficient = |weights: [f64; 2]| fit.logit(aview1(&weights));
    Some(Recalibration { intercept: coefficient([1.0, 0.0]), slope: coefficient([0.0, 1.0]) })
}

/// Isotonic regression of outcomes on predicted chances: the steps that fit best and never fall.
///
/// It corrects forecasts by the outcomes of others, and supposes only that what has a higher chance
/// happens at least as often.
///
/// Source: B. Zadrozny and C. Elkan, *Transforming classifier scores into accurate multiclass
/// probability estimates*, KDD (2002), by pooling adjacent violators: M. Ayer and others, *An
/// empirical distribution function for sampling with incomplete information*, Annals of
/// Mathematical Statistics 26 (1955).
#[derive(Clone, Debug, PartialEq)]
pub struct Isotonic(Vec<Step>);

/// A range of predicted chances for which the same share is observed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Step {
    /// The highest predicted chance.
    highest: f64,
    /// Number of events among its forecasts.
    happened: f64,
    /// Number of its forecasts.
    forecasts: f64,
}

impl Step {
    fn share(&self) -> f64 {
        self.happened / self.forecasts
    }
}

impl Isotonic {
    /// Fits the steps by pooling adjacent violators. Returns `None` without a forecast.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::reliability::{Forecast, Isotonic};
    ///
    /// // What had the chance 0.3 happened more often than what had 0.4: both get 3/4.
    /// let of = |predicted, happened| Forecast { predicted, happened };
    /// let forecasts =
    ///     [of(0.1, false), of(0.3, true), of(0.3, true), of(0.4, false), of(0.4, true), of(0.9, true)];
    /// let fit = Isotonic::of(&forecasts).unwrap();
    /// assert_eq!([0.1, 0.3, 0.4, 0.9].map(|chance| fit.correct(chance)), [0.0, 0.75, 0.75, 1.0]);
    /// ```
    #[must_use]
    pub fn of(forecasts: &[Forecast]) -> Option<Self> {
        let mut sorted = forecasts.to_vec();
        sorted.sort_by(|a, b| a.predicted.total_cmp(&b.predicted));
        let mut steps: Vec<Step> = Vec::new();
        for same in sorted.chunk_by(|a, b| a.predicted == b.predicted) {
            let happened = same.iter().filter(|forecast| forecast.happened).count() as f64;
            let mut step =
                Step { highest: same[0].predicted, happened, forecasts: same.len() as f64 };
            while let Some(lower) = steps.pop_if(|lower| lower.share() >= step.share()) {
                step.happened += lower.happened;
                step.forecasts += lower.forecasts;
            }
            steps.push(step);
        }
        (!steps.is_empty()).then_some(Self(steps))
    }

    /// Returns the share of events where this chance is predicted.
    ///
    /// A chance between two steps belongs to the higher one, a chance above all to the last.
    #[must_use]
    pub fn correct(&self, predicted: f64) -> f64 {
        let at = self.0.partition_point(|step| step.highest < predicted);
        self.0[at.min(self.0.len() - 1)].share()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Makes 300 forecasts from a small generator that any language can reproduce.
    fn forecasts() -> Vec<Forecast> {
        let mut state = 12_345u64;
        let mut uniform = || {
            state = (state * 1_103_515_245 + 12_345) % (1 << 31);
            state as f64 / f64::from(1u32 << 31)
        };
        let mut next = |_| {
            let predicted = 0.02 + 0.83 * uniform();
            Forecast { predicted, happened: uniform() < 0.15 + 0.6 * predicted }
        };
        (0..300).map(&mut next).collect()
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-7, "{found}, expected {expected}");
    }

    /// Expected values: NumPy for bins and scores; statsmodels 0.14, `GLM(y, X, Binomial())
    /// .fit(cov_type="cluster")` with a group for each game, for the line.
    #[test]
    fn agrees_with_numpy_and_statsmodels() {
        let found = Reliability::of(&forecasts(), Confidence::P95).unwrap();
        let counts =
            [(7, 32), (6, 30), (14, 38), (18, 43), (11, 36), (18, 35), (25, 48), (17, 26), (7, 12)];
        assert_eq!(found.bins.len(), counts.len());
        for (bin, (happened, of)) in found.bins.iter().zip(counts) {
            assert_eq!(bin.happened, Proportion::new(happened, of).unwrap());
            assert_eq!(bin.interval, wilson(bin.happened, Confidence::P95));
        }
        close(found.bins[0].predicted, 0.056_228_313_1);
        close(found.bins[8].predicted, 0.823_049_290_0);
        close(found.calibration_error, 0.107_552_078_4);
        close(found.brier, 0.235_117_812_3);
        close(found.parts.reliability, 0.013_997_274_1);
        close(found.parts.resolution, 0.019_439_445_7);
        close(found.parts.uncertainty, 0.2419);
        let Recalibration { intercept, slope } = found.recalibration.unwrap();
        close(intercept.value, -0.181_979_50);
        close(intercept.error, 0.125_616_23);
        close(slope.value, 0.465_155_14);
        close(slope.error, 0.111_901_48);
    }

    /// Two bins by hand: 0.2 four times, of which one happened; 0.8 four times, of which four
    /// happened.
    #[test]
    fn two_bins_by_hand() {
        let forecast = |predicted, happened| Forecast { predicted, happened };
        let forecasts: Vec<_> =
            (0..8).map(|i| forecast(if i < 4 { 0.2 } else { 0.8 }, i >= 3)).collect();
        let found = Reliability::of(&forecasts, Confidence::P95).unwrap();
        assert_eq!(found.bins.len(), 2);
        assert_eq!(found.bins[0].range, Interval { low: 0.2, high: 0.3 });
        assert_eq!(found.bins[1].happened, Proportion::new(4, 4).unwrap());
        close(found.calibration_error, (0.05 + 0.2) / 2.0);
        close(found.brier, (3.0 * 0.04 + 0.64 + 4.0 * 0.04) / 8.0);
        close(found.parts.reliability, (0.05f64.powi(2) + 0.2f64.powi(2)) / 2.0);
        close(found.parts.resolution, 0.375f64.powi(2));
        close(found.parts.uncertainty, 5.0 / 8.0 * 3.0 / 8.0);
        close(found.parts.within, 0.0);
        // All events of the greater chance happened: the line is infinitely steep.
        assert_eq!(found.recalibration, None);
    }

    #[test]
    fn input_that_says_nothing() {
        let of = |forecasts: &[Forecast]| Reliability::of(forecasts, Confidence::P95);
        assert_eq!(of(&[]), Err(StatisticsError::Empty));
        for predicted in [-0.1, 1.1, f64::NAN] {
            assert!(of(&[Forecast { predicted, happened: true }]).is_err());
        }
        // A chance of 1 belongs to the last bin, and has no logit.
        let mut certain = forecasts();
        certain.push(Forecast { predicted: 1.0, happened: true });
        let found = of(&certain).unwrap();
        assert_eq!(found.bins.last().unwrap().range.high, 1.0);
        assert_eq!(found.recalibration, None);
        assert!(
            of(&[Forecast { predicted: 0.5, happened: true }; 9]).unwrap().recalibration.is_none()
        );
    }

    proptest! {
        /// Of all steps that never fall, these have the least squares: each step is the mean of its
        /// outcomes, and no split of a step has a higher mean above than below (the conditions of
        /// Kuhn and Tucker).
        #[test]
        fn isotonic_regression_never_falls_and_fits_best(raw in prop::collection::vec((0u8..12, any::<bool>()), 1..80)) {
            let mut forecasts: Vec<_> = raw
                .iter()
                .map(|&(chance, happened)| Forecast { predicted: f64::from(chance) / 12.0, happened })
                .collect();
            let fit = Isotonic::of(&forecasts).unwrap();
            forecasts.sort_by(|a, b| a.predicted.total_cmp(&b.predicted));
            let corrected: Vec<f64> =
                forecasts.iter().map(|forecast| fit.correct(forecast.predicted)).collect();
            prop_assert!(corrected.is_sorted());
            let share = |of: &[Forecast]| {
                of.iter().filter(|forecast| forecast.happened).count() as f64 / of.len() as f64
            };
            let mut rest = &forecasts[..];
            for step in corrected.chunk_by(|a, b| a == b) {
                let (own, others) = rest.split_at(step.len());
                prop_assert!((share(own) - step[0]).abs() < 1e-12);
                for i in 1..own.len() {
                    if own[i].predicted > own[i - 1].predicted {
                        prop_assert!(share(&own[..i]) >= share(&own[i..]) - 1e-12);
                    }
                }
                rest = others;
            }
        }

        #[test]
        fn opposites_are_as_reliable(raw in prop::collection::vec((0.001f64..0.999, any::<bool>()), 1..200)) {
            let forecasts: Vec<_> =
                raw.iter().map(|&(predicted, happened)| Forecast { predicted, happened }).collect();
            let opposite: Vec<_> = raw
                .iter()
                .map(|&(predicted, happened)| Forecast { predicted: 1.0 - predicted, happened: !happened })
                .collect();
            let found = Reliability::of(&forecasts, Confidence::P95).unwrap();
            let other = Reliability::of(&opposite, Confidence::P95).unwrap();
            prop_assert!((found.brier - other.brier).abs() < 1e-12);
            prop_assert!((found.calibration_error - other.calibration_error).abs() < 1e-9);
            prop_assert!((0.0..=1.0).contains(&found.calibration_error));
            let BrierParts { reliability, resolution, uncertainty, .. } = found.parts;
            prop_assert!(reliability >= 0.0 && resolution >= 0.0);
            prop_assert!(resolution <= uncertainty + 1e-12);
            for bin in &found.bins {
                prop_assert!(bin.range.contains(bin.predicted));
                prop_assert!(bin.interval.contains(bin.happened.share()));
            }
            if let (Some(a), Some(b)) = (found.recalibration, other.recalibration) {
                prop_assert!((a.slope.value - b.slope.value).abs() < 1e-6);
                prop_assert!((a.intercept.value + b.intercept.value).abs() < 1e-6);
            }
        }
    }
}
