//! Piece values: a fit of game results to the pieces of each side.

use super::bootstrap::{Bootstrap, resampled};
use super::tanh_fit::{Rows, Totals};
use super::{Result, StatisticsError, interrupt};
use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView1, aview1};
use std::collections::BTreeMap;

/// Tolerance of the coefficients.
const TOLERANCE: f64 = 1e-10;
/// Tolerance of the coefficients of a resample, which are used only to measure their spread.
const RESAMPLE_TOLERANCE: f64 = 1e-4;

/// One position with the result of its game.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The game's result for White: 1, 0 or −1, or an expectation between them.
    pub result: f64,
    /// Number of White's pieces minus Black's, for each kind of piece.
    pub counts: Vec<i8>,
    /// Weight of the position, such as 1 over the number of positions from its game.
    pub weight: f64,
    /// Game of the position. Positions of one game share one result.
    pub cluster: u64,
}

/// Least squares of the result by `tanh(a + Σ v x)`. x are the differences in pieces, v are their
/// values, and a is White's advantage at equal material.
#[derive(Clone, Debug)]
pub struct PieceValues {
    rows: Rows,
    games: Games,
    coefficients: Vec<Option<f64>>,
}

/// The positions of each game as (row, weight, weighted result), grouped by game.
#[derive(Clone, Debug)]
struct Games {
    /// Number of distinct rows.
    rows: usize,
    entries: Vec<(usize, f64, f64)>,
    /// End of each game's entries.
    ends: Vec<usize>,
}

impl PieceValues {
    /// Fits the values. Positions with the same differences share one row, so repeated positions
    /// cost nothing.
    ///
    /// Source: P. Österlund, *Texel's tuning method* (2014): least squares of results by a logistic
    /// function of the material; `tanh` is the same function for results from −1 to 1.
    ///
    /// # Errors
    /// Fails if there are no samples, if counts have different lengths, if a result is outside −1
    /// to 1, if a weight is negative or not finite, or if all games ended with the same win.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::piece_values::{PieceValues, Sample};
    ///
    /// // Light and heavy pieces, own minus other. Results follow tanh(0.1 light + 0.5 heavy).
    /// let counts = [[1, 0], [-2, 0], [0, 1], [3, -1], [-1, -1], [2, 1]];
    /// let sample = |(cluster, [light, heavy]): (u64, [i8; 2])| Sample {
    ///     result: (0.1 * f64::from(light) + 0.5 * f64::from(heavy)).tanh(),
    ///     counts: vec![light, heavy],
    ///     weight: 1.0,
    ///     cluster,
    /// };
    /// let samples: Vec<Sample> = (0..).zip(counts).map(sample).collect();
    /// let values = PieceValues::fit(&samples)?;
    /// assert!(values.intercept().unwrap().abs() < 1e-9);
    /// // A heavy piece in units of a light one.
    /// let heavy = values.combination(&[(1, 1.0)], Some(0)).unwrap();
    /// assert!((heavy - 5.0).abs() < 1e-9);
    /// # Ok::<(), fusion_statistics::StatisticsError>(())
    /// ```
    pub fn fit(samples: &[Sample]) -> Result<Self> {
        let columns = check(samples)?;
        let mut index: BTreeMap<&[i8], usize> =
            samples.iter().map(|sample| (sample.counts.as_slice(), 0)).collect();
        index.values_mut().zip(0..).for_each(|(at, next)| *at = next);
        let rows = Rows::new(columns, index.keys().copied());
        let games = Games::of(samples, &index);
        let totals = games.totals(0..games.ends.len());
        let coefficients = rows.fit(&totals, &vec![0.0; columns + 1], TOLERANCE)?;
        Ok(Self { rows, games, coefficients })
    }

    /// Returns White's advantage at equal material, inside of `tanh`. Returns `None` if the samples
    /// do not separate it from the pieces' values, for example without a position of equal
    /// material.
    #[must_use]
    pub fn intercept(&self) -> Option<f64> {
        self.coefficients[0]
    }

    /// Returns the value of each kind of piece, inside of `tanh`. A value is `None` if the samples
    /// do not determine it:
    ///
    /// - the difference never varies, as with a piece that never occurs;
    /// - the difference always occurs together with that of another piece;
    /// - the piece decides all games in which it occurs, so that its value has no upper bound.
    #[must_use]
    pub fn coefficients(&self) -> &[Option<f64>] {
        &self.coefficients[1..]
    }

    /// Returns a weighted sum of values, divided by the value of the piece `unit`. `[(heavy, 1.0)]`
    /// in units of a light piece is the value of a heavy one. `[(pair, 1.0), (first, -1.0),
    /// (second, -1.0)]` is the value of a compound minus that of its parts. Without a unit, the
    /// result is the sum itself.
    ///
    /// Returns `None` if a kind has no value, if a kind does not exist, or if the unit's value is
    /// not positive.
    #[must_use]
    pub fn combination(&self, weights: &[(usize, f64)], unit: Option<usize>) -> Option<f64> {
        combination(aview1(&self.coefficients), weights, unit)
    }

    /// Fits resamples of whole games.
    ///
    /// Resample i uses stream i of ChaCha8 keyed by `seed`, so the result does not depend
    /// on the number of threads.
    ///
    /// # Errors
    /// Fails if there are no resamples, or if an [`interrupt`] was requested.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::Confidence;
    /// use fusion_statistics::piece_values::{PieceValues, Sample};
    ///
    /// // 60 games with one position each. The side with more material usually wins.
    /// let sample = |game: u64| {
    ///     let (light, heavy) = ((game % 5) as i8 - 2, (game % 3) as i8 - 1);
    ///     let ahead = light + 5 * heavy > (game * 7 % 11) as i8 - 5;
    ///     let result = if ahead { 1.0 } else { -1.0 };
    ///     Sample { result, counts: vec![light, heavy], weight: 1.0, cluster: game }
    /// };
    /// let values = PieceValues::fit(&(0..60).map(sample).collect::<Vec<_>>())?;
    /// let heavy = values.coefficients()[1].unwrap();
    /// let resampled = values.bootstrap(200, 1)?;
    /// let interval = resampled.combination(&[(1, 1.0)], None)?.interval(Confidence::P95)?;
    /// assert!(interval.low > 0.0 && interval.contains(heavy));
    /// # Ok::<(), fusion_statistics::StatisticsError>(())
    /// ```
    pub fn bootstrap(&self, resamples: u32, seed: u64) -> Result<ResampledValues> {
        if resamples == 0 {
            return Err(StatisticsError::Empty);
        }
        let start: Vec<f64> = self.coefficients.iter().map(|value| value.unwrap_or(0.0)).collect();
        let mut fits = Array2::from_elem((resamples as usize, start.len()), None);
        let rows = fits.outer_iter_mut().into_par_iter();
        rows.zip(0..resamples).try_for_each(|(mut row, resample)| {
            interrupt::check()?;
            let totals = self.games.totals(resampled(self.games.ends.len(), seed, resample));
            if let Ok(fit) = self.rows.fit(&totals, &start, RESAMPLE_TOLERANCE) {
                row.assign(&aview1(&fit));
            }
            Ok(())
        })?;
        Ok(ResampledValues { fits })
    }
}

/// The coefficients of each resample of the games.
#[derive(Clone, Debug)]
pub struct ResampledValues {
    /// One row per resample; `None` everywhere in a resample without a fit.
    fits: Array2<Option<f64>>,
}

impl ResampledValues {
    /// Returns the bootstrap distribution of [`PieceValues::combination`].
    ///
    /// # Errors
    /// Fails if more than 5% of the resamples lack the value, as with pieces that occur in few
    /// games.
    pub fn combination(&self, weights: &[(usize, f64)], unit: Option<usize>) -> Result<Bootstrap> {
        self.distribution(|fit| combination(fit, weights, unit))
    }

    /// Returns the bootstrap distribution of [`PieceValues::intercept`].
    ///
    /// # Errors
    /// Fails if more than 5% of the resamples have no fit.
    pub fn intercept(&self) -> Result<Bootstrap> {
        self.distribution(|fit| fit[0])
    }

    fn distribution(
        &self,
        of: impl Fn(ArrayView1<Option<f64>>) -> Option<f64>,
    ) -> Result<Bootstrap> {
        Bootstrap::of(self.fits.rows().into_iter().map(of).collect())
    }
}

fn combination(
    fit: ArrayView1<Option<f64>>,
    weights: &[(usize, f64)],
    unit: Option<usize>,
) -> Option<f64> {
    let value = |piece: usize| *fit.get(piece + 1)?;
    let unit = unit.map_or(Some(1.0), value).filter(|&unit| unit > 0.0)?;
    let terms = weights.iter().map(|&(piece, weight)| Some(weight * value(piece)? / unit));
    terms.sum()
}

impl Games {
    fn of(samples: &[Sample], index: &BTreeMap<&[i8], usize>) -> Self {
        let mut games = BTreeMap::<u64, Vec<_>>::new();
        for sample in samples {
            let row = index[sample.counts.as_slice()];
            let entry = (row, sample.weight, sample.weight * sample.result);
            games.entry(sample.cluster).or_default().push(entry);
        }
        let ends = games.values().scan(0, |end, entries| {
            *end += entries.len();
            Some(*end)
        });
        let ends = ends.collect();
        Self { rows: index.len(), entries: games.into_values().flatten().collect(), ends }
    }

    /// Adds up games, each as often as its index occurs.
    fn totals(&self, games: impl Iterator<Item = usize>) -> Totals {
        let mut totals = Totals::zeros(self.rows);
        for game in games {
            let start = if game == 0 { 0 } else { self.ends[game - 1] };
            for &(row, weight, result) in &self.entries[start..self.ends[game]] {
                totals.weights[row] += weight;
                totals.results[row] += result;
            }
        }
        totals
    }
}

/// Checks the samples and returns the number of columns.
fn check(samples: &[Sample]) -> Result<usize> {
    let columns = samples.first().ok_or(StatisticsError::Empty)?.counts.len();
    for Sample { result, counts, weight, .. } in samples {
        if counts.len() != columns {
            return Err(StatisticsError::Undefined("positions with different kinds of pieces"));
        }
        for (name, value, range, fits) in [
            ("result", *result, "[-1, 1]", (-1.0..=1.0).contains(result)),
            ("weight", *weight, "[0, ∞)", *weight >= 0.0 && weight.is_finite()),
        ] {
            if !fits {
                return Err(StatisticsError::OutOfRange { name, value, range });
            }
        }
    }
    if samples.iter().all(|sample| sample.weight == 0.0) {
        return Err(StatisticsError::Empty);
    }
    Ok(columns)
}

#[cfg(test)]
#[path = "piece_values_tests.rs"]
mod tests;
