//! How wide the draw's margin is, apart from the first-move advantage.

/// Width of the draw in the logistic model of game results, in Elo:
/// `200 log₁₀[((1−L)/L) ((1−W)/W)]` with shares W and L of wins and losses.
///
/// `None` when either side never won: the margin then has no finite estimate.
///
/// Source: R. Coulom, *Bayeselo* (2005), after P. V. Rao and L. L. Kupper, JASA 62 (1967).
#[must_use]
pub fn draw_elo(wins: u64, draws: u64, losses: u64) -> Option<f64> {
    let n = wins as f64 + draws as f64 + losses as f64;
    let odds = |count: u64| (n - count as f64) / count as f64;
    (wins > 0 && losses > 0).then(|| 200.0 * (odds(losses) * odds(wins)).log10())
}

/// Davidson's tie parameter `ν = D / √(W L)`.
///
/// `None` when either side never won.
///
/// Source: R. R. Davidson, *On extending the Bradley-Terry model to accommodate ties*,
/// JASA 65 (1970).
#[must_use]
pub fn davidson_nu(wins: u64, draws: u64, losses: u64) -> Option<f64> {
    (wins > 0 && losses > 0).then(|| draws as f64 / (wins as f64 * losses as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn golden_values() {
        let elo = draw_elo(772, 8820, 409).unwrap();
        assert!((elo - 489.54).abs() < 0.0051, "{elo}");
        let nu = davidson_nu(772, 8820, 409).unwrap();
        assert!((nu - 15.696).abs() < 0.00051, "{nu}");
    }

    #[test]
    fn no_finite_margin_without_wins_of_both() {
        assert_eq!(draw_elo(0, 5, 3), None);
        assert_eq!(davidson_nu(3, 5, 0), None);
        assert_eq!(draw_elo(0, 0, 0), None);
    }

    proptest! {
        #[test]
        fn symmetric_and_growing_with_draws(w in 1u64..5000, d in 0u64..5000, l in 1u64..5000) {
            let (elo, nu) = (draw_elo(w, d, l).unwrap(), davidson_nu(w, d, l).unwrap());
            prop_assert!((elo - draw_elo(l, d, w).unwrap()).abs() < 1e-9);
            prop_assert!((nu - davidson_nu(l, d, w).unwrap()).abs() < 1e-9);
            prop_assert!(elo >= -1e-9 && nu >= 0.0);
            prop_assert!(draw_elo(w, d + 1, l).unwrap() > elo && davidson_nu(w, d + 1, l).unwrap() > nu);
        }
    }
}
