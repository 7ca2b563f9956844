//! Whether the searches' chances of win, draw and loss came true.

use crate::arms::Arm;
use crate::games::{GameResult, GameRow};
use crate::positions::Forecast;
use fusion_statistics::Confidence;
use fusion_statistics::reliability::{self, Reliability};

/// How forecasts of draws and of White's wins came true under one rule set, one forecast a game.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// Rule-set expression; `None` for all together.
    pub rules: Option<String>,
    /// Forecasts of a draw.
    pub draws: Reliability,
    /// Forecasts of White's win.
    pub wins: Reliability,
}

/// All forecasts together, then those of each arm. Capped games came to nothing and are left
/// out.
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

/// `None` without a forecast.
fn of(rules: Option<String>, games: &[(&GameRow, Forecast)]) -> Option<Calibration> {
    let forecasts = |result: GameResult, at: usize| {
        let forecast = |(row, forecast): &(&GameRow, Forecast)| reliability::Forecast {
            predicted: f64::from(forecast.wdl[at]) / 1000.0,
            happened: row.result == result,
        };
        let all: Vec<_> = games.iter().map(forecast).collect();
        Reliability::of(&all, Confidence::P95).ok()
    };
    Some(Calibration {
        rules,
        draws: forecasts(GameResult::Draw, 1)?,
        wins: forecasts(GameResult::White, 0)?,
    })
}
