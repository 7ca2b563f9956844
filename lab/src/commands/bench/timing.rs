//! Medians of interleaved runs.

use std::time::Instant;

/// One contender's work, which returns the seconds that it took.
pub type Work<'a> = Box<dyn FnMut() -> anyhow::Result<f64> + 'a>;

/// Runs `work` and returns the seconds that it took, with its result.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

/// Returns the median seconds of each contender. Every run has all contenders in turn.
pub fn medians(runs: usize, contenders: &mut [Work]) -> anyhow::Result<Vec<f64>> {
    let mut seconds = vec![Vec::with_capacity(runs); contenders.len()];
    for _ in 0..runs {
        for (work, seconds) in contenders.iter_mut().zip(&mut seconds) {
            seconds.push(work()?);
        }
    }
    Ok(seconds.iter_mut().map(|seconds| median(seconds)).collect())
}

/// Returns the middle value, or the mean of the middle two. There must be at least one value.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_taken_per_contender() {
        let mut next = 0.0;
        let rising = || {
            next += 1.0;
            Ok(next)
        };
        let found = medians(4, &mut [Box::new(rising), Box::new(|| Ok(7.0))]).unwrap();
        assert_eq!(found, [2.5, 7.0]);
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert!(medians(1, &mut [Box::new(|| anyhow::bail!("no"))]).is_err());
    }
}
