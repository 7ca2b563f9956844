//! Calibration of the searches' chances of win, draw and loss.

use crate::arms::Arm;
use crate::games::{GameResult, GameRow};
use fusion_print::format::fixed;
use fusion_statistics::Confidence;
use fusion_statistics::reliability::{self, Bin, Isotonic, Reliability};

/// A search's forecast of the result of its game.
#[derive(Clone, Copy, Debug)]
pub struct Forecast {
    /// Index of the game's row.
    pub row: usize,
    /// White's win, draw and loss chances per mille.
    pub wdl: [u16; 3],
}

/// Reliability of the forecasts of draws and of White's wins under one rule set, with one forecast
/// per game.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// Rule-set expression. `None` for all rule sets together.
    pub rules: Option<String>,
    /// Forecasts of a draw.
    pub draws: Reliability,
    /// Forecasts of White's win.
    pub wins: Reliability,
    /// Corrected forecasts of a draw.
    ///
    /// The forecasts of each half of the games are corrected by isotonic regression on the other
    /// half. `None` if a half is empty.
    pub corrected_draws: Option<Reliability>,
    /// Corrected forecasts of White's win.
    pub corrected_wins: Option<Reliability>,
}

/// Returns the reliability of all forecasts together, then of each arm's.
///
/// Capped games have no result and are left out.
#[must_use]
pub fn calibration<'a>(
    arms: impl Iterator<Item = &'a Arm>,
    rows: &[GameRow],
    forecasts: &[Forecast],
) -> Vec<Calibration> {
    let finished: Vec<(&GameRow, Forecast)> = forecasts
        .iter()
        .map(|forecast| (&rows[forecast.row], *forecast))
        .filter(|(row, _)| row.result != GameResult::None)
        .collect();
    let of_arm = |arm: &Arm| {
        let of_arm: Vec<_> =
            finished.iter().filter(|(row, _)| row.rules == arm.rules).copied().collect();
        of(Some(arm.rules.clone()), &of_arm)
    };
    let by_arm: Vec<Calibration> = arms.filter_map(of_arm).collect();
    of(None, &finished).into_iter().chain(by_arm).collect()
}

/// Computes the calibration of one group of games. Returns `None` without a forecast.
fn of(rules: Option<String>, games: &[(&GameRow, Forecast)]) -> Option<Calibration> {
    let forecasts = |result: GameResult, at: usize| -> Vec<reliability::Forecast> {
        let forecast = |(row, forecast): &(&GameRow, Forecast)| reliability::Forecast {
            predicted: f64::from(forecast.wdl[at]) / 1000.0,
            happened: row.result == result,
        };
        games.iter().map(forecast).collect()
    };
    let (draws, wins) = (forecasts(GameResult::Draw, 1), forecasts(GameResult::White, 0));
    let reliability = |of: &[reliability::Forecast]| Reliability::of(of, Confidence::P95).ok();
    Some(Calibration {
        rules,
        draws: reliability(&draws)?,
        wins: reliability(&wins)?,
        corrected_draws: corrected(&draws).and_then(|of| reliability(&of)),
        corrected_wins: corrected(&wins).and_then(|of| reliability(&of)),
    })
}

/// Corrects the forecasts of each half of the games by isotonic regression on the other half.
///
/// Returns `None` if a half is empty.
fn corrected(forecasts: &[reliability::Forecast]) -> Option<Vec<reliability::Forecast>> {
    let fit = |half: usize| {
        Isotonic::of(&forecasts.iter().skip(half).step_by(2).copied().collect::<Vec<_>>())
    };
    let fits = [fit(1)?, fit(0)?];
    let correct = |(i, of): (usize, &reliability::Forecast)| reliability::Forecast {
        predicted: fits[i % 2].correct(of.predicted),
        ..*of
    };
    Some(forecasts.iter().enumerate().map(correct).collect())
}

/// Describes the largest calibration error among the arms, before and after correction.
///
/// Returns `None` without any arm.
#[must_use]
pub fn in_words(calibration: &[Calibration]) -> Option<String> {
    let excess = |of: &Reliability| of.calibration_error - by_chance(of);
    let worse = |of: &Calibration| excess(&of.draws).max(excess(&of.wins));
    // In pooled forecasts, errors of two arms could cancel each other.
    let arms = calibration.iter().filter(|of| of.rules.is_some());
    let worst = arms.max_by(|a, b| worse(a).total_cmp(&worse(b)))?;
    let both = [(&worst.draws, &worst.corrected_draws), (&worst.wins, &worst.corrected_wins)];
    let [draws, wins] = both.map(|(raw, corrected)| {
        let chance = fixed(100.0 * by_chance(raw), 1);
        let corrected = corrected.as_ref().map_or_else(String::new, |corrected| {
            format!(", {} once corrected", fixed(100.0 * corrected.calibration_error, 1))
        });
        let error = fixed(100.0 * raw.calibration_error, 1);
        format!("{error} points ({chance} by chance{corrected})")
    });
    Some(format!(
        "Draw rates are counted results and rest on no forecast. At their worst, under {}, forecast draw shares are off by {draws} on average, forecast wins of White by {wins}.",
        worst.rules.as_deref().unwrap_or_default()
    ))
}

/// Returns the expected calibration error of forecasts that are exactly true.
///
/// It is the mean distance of normal shares from their mean.
fn by_chance(reliability: &Reliability) -> f64 {
    let games = |bin: &Bin| bin.happened.trials() as f64;
    let distance = |bin: &Bin| {
        let variance = bin.predicted * (1.0 - bin.predicted) / games(bin);
        (2.0 / std::f64::consts::PI * variance).sqrt()
    };
    let all: f64 = reliability.bins.iter().map(games).sum();
    reliability.bins.iter().map(|bin| games(bin) / all * distance(bin)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Draws are half as likely as forecast. The correction removes the error.
    #[test]
    fn correction_mends_forecasts_that_are_too_high() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let forecasts: Vec<reliability::Forecast> = (0..4_000)
            .map(|_| {
                let predicted = rng.random_range(0.0..0.9);
                let happened = rng.random_bool(predicted / 2.0);
                reliability::Forecast { predicted, happened }
            })
            .collect();
        let error = |of: &[reliability::Forecast]| {
            Reliability::of(of, Confidence::P95).unwrap().calibration_error
        };
        let mended = corrected(&forecasts).unwrap();
        assert!(error(&forecasts) > 0.2 && error(&mended) < 0.03, "{}", error(&mended));
        let happened =
            |of: &[reliability::Forecast]| of.iter().map(|f| f.happened).collect::<Vec<_>>();
        assert_eq!(happened(&forecasts), happened(&mended));
        assert!(corrected(&forecasts[..1]).is_none());
    }
}
