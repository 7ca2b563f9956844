use super::*;
use crate::elo::{elo, expected_score};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn pairing(first: usize, second: usize, pairs: [u64; 5]) -> Pairing {
    Pairing { players: [first, second], pairs: Pentanomial(pairs) }
}

fn close(found: f64, wanted: f64, tolerance: f64) {
    assert!((found - wanted).abs() <= tolerance, "{found} is not {wanted}");
}

/// One match has the whole leverage, 1, so the prior is one drawn game: 30 points of 40 count
/// as 30½ of 41. The information is 40p(1-p). 19/20 of it is free of the fit to 20 pairs. The
/// prior of the variance is two pairs of 1/2.
#[test]
fn two_players_by_hand() {
    let ratings = fit(2, &[pairing(1, 0, [0, 5, 0, 5, 10])]).unwrap();
    assert_eq!(ratings[0], Rating { elo: 0.0, low: 0.0, high: 0.0 });
    let p: f64 = 30.5 / 41.0;
    close(ratings[1].elo, elo(p), 1e-4);
    let information = 40.0 * p * (1.0 - p);
    let spread = 5.0 * (0.5 - 2.0 * p).powi(2)
        + 5.0 * (1.5 - 2.0 * p).powi(2)
        + 10.0 * (2.0 - 2.0 * p).powi(2);
    let dispersion = (spread + 1.0) / (information * 0.95 + 1.0);
    let error = (dispersion / information).sqrt() * 400.0 / 10f64.ln();
    close(ratings[1].high - ratings[1].elo, 1.959_964 * error, 1e-3);
    close(ratings[1].low + ratings[1].high, 2.0 * ratings[1].elo, 1e-9);
    // All signs change from the other player's view.
    let mirrored = fit(2, &[pairing(1, 0, [10, 5, 0, 5, 0])]).unwrap();
    close(mirrored[1].elo, -ratings[1].elo, 1e-6);
}

#[test]
fn sweeps_stay_finite_with_honest_intervals() {
    let sweep = |pairs| fit(2, &[pairing(1, 0, [0, 0, 0, 0, pairs])]).unwrap()[1];
    close(sweep(20).elo, elo(40.5 / 41.0), 1e-4);
    let (few, many) = (sweep(3), sweep(500));
    assert!(few.elo < many.elo && few.low < many.low && many.high < 3000.0, "{few:?} {many:?}");
    // 6 wins of 6 carry little information, 1000 of 1000 a lot.
    assert!(few.low < 100.0 && many.low > 500.0, "{few:?} {many:?}");
    // A chain of sweeps rises step by step.
    let chain: Vec<Pairing> = (1..20).map(|n| pairing(n, n - 1, [0, 0, 0, 0, 20])).collect();
    let ratings = fit(20, &chain).unwrap();
    close(ratings[19].elo, 19.0 * elo(40.5 / 41.0), 1e-3);
    assert!(ratings.windows(2).all(|two| two[0].high - two[0].low < two[1].high - two[1].low));
}

/// No change of one rating, or of several together, increases the likelihood.
#[test]
fn the_fit_is_a_maximum() {
    let pairings = [
        pairing(1, 0, [0, 1, 4, 10, 5]),
        pairing(2, 0, [0, 0, 0, 1, 19]),
        pairing(2, 1, [1, 4, 9, 5, 1]),
        pairing(3, 2, [0, 0, 0, 0, 20]),
        pairing(3, 1, [0, 0, 1, 0, 19]),
    ];
    let duels: Vec<Duel> = pairings.iter().filter_map(Duel::of).collect();
    let state = maximum(&duels, Array1::zeros(3)).unwrap();
    for directions in 1..27 {
        let moved = state
            .ratings
            .iter()
            .enumerate()
            .map(|(i, x)| x + 0.001 * (f64::from(directions / 3_i32.pow(i as u32) % 3) - 1.0));
        let other = State::at(&duels, moved.collect()).unwrap();
        assert!(other.objective < state.objective || other.ratings == state.ratings);
    }
    let leverages: f64 = duels.iter().map(|duel| state.weigh(duel).2).sum();
    close(leverages, 3.0, 1e-9);
}

#[test]
fn what_cannot_be_rated_is_rejected() {
    let error = fit(3, &[pairing(1, 0, [1, 1, 1, 1, 1])]).unwrap_err().to_string();
    assert!(error.contains("player 2"), "{error}");
    let error = fit(3, &[pairing(1, 0, [1; 5]), pairing(1, 2, [0; 5])]).unwrap_err().to_string();
    assert!(error.contains("player 2"), "{error}");
    let error = fit(2, &[pairing(2, 0, [1; 5])]).unwrap_err().to_string();
    assert!(error.contains("not among the 2"), "{error}");
    assert_eq!(fit(1, &[]).unwrap().len(), 1);
}

/// True ratings of a ladder with its usual pairings: generations with decreasing gains, and two
/// fixed players.
const TRUE: [f64; 12] =
    [0.0, 180.0, 320.0, 430.0, 510.0, 570.0, 620.0, 660.0, 690.0, 710.0, -250.0, 240.0];

/// Parameters of simulated games.
#[derive(Clone, Copy, Debug)]
struct World {
    /// Number of pairs of each pairing.
    pairs: u64,
    /// Factor by which the true ratings differ from [`TRUE`].
    stretch: f64,
    /// Largest shift of the expected scores of a pair's games by its opening, as a share of the
    /// possible shift. It has the same sign for both games if `common`, else opposite signs.
    swing: f64,
    common: bool,
    /// Share of drawn games between equals.
    draws: f64,
}

const USUAL: World = World { pairs: 20, stretch: 1.0, swing: 0.8, common: false, draws: 0.35 };

impl World {
    fn truth(&self) -> [f64; 12] {
        TRUE.map(|elo| elo * self.stretch)
    }

    /// Plays the match of two players, the first with the expected score `expected` a game.
    fn play(&self, expected: f64, rng: &mut impl Rng) -> Pentanomial {
        let mut counts = Pentanomial::default();
        for _ in 0..self.pairs {
            let room = expected.min(1.0 - expected) * self.swing;
            let shift = if room > 0.0 { rng.random_range(-room..room) } else { 0.0 };
            let second = if self.common { shift } else { -shift };
            let halves = [expected + shift, expected + second].map(|score| {
                let draw = 2.0 * self.draws * score.min(1.0 - score);
                let thrown: f64 = rng.random();
                usize::from(thrown < score - draw / 2.0) + usize::from(thrown < score + draw / 2.0)
            });
            counts.add(halves.iter().sum());
        }
        counts
    }

    /// Plays the matches of a ladder of training: player 0, nine generations after it, each against
    /// player 0 and the generations 1, 2 and 4 before it, and two references against some of them.
    fn ladder(&self, seed: u64) -> Vec<Rating> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let truth = self.truth();
        let duel = |players: [usize; 2]| {
            let expected = expected_score(truth[players[0]] - truth[players[1]]);
            Pairing { players, pairs: self.play(expected, &mut rng) }
        };
        let pairings: Vec<Pairing> = schedule().into_iter().map(duel).collect();
        fit(TRUE.len(), &pairings).unwrap()
    }

    /// Returns how often each player's interval contains the truth, and the mean of the estimates.
    fn repeat(&self, ladders: u64) -> ([f64; 12], [f64; 12]) {
        let (mut held, mut sums) = ([0.0; 12], [0.0; 12]);
        for ladder in 0..ladders {
            for (player, (rating, truth)) in
                self.ladder(ladder).iter().zip(self.truth()).enumerate()
            {
                held[player] += f64::from(u8::from(rating.low <= truth && truth <= rating.high));
                sums[player] += rating.elo;
            }
        }
        (held.map(|count| count / ladders as f64), sums.map(|sum| sum / ladders as f64))
    }
}

fn schedule() -> Vec<[usize; 2]> {
    let generations = (1..=9).flat_map(|late| {
        let before = [1, 2, 4].into_iter().filter(move |back| *back < late);
        before.map(move |back| [late, late - back]).chain([[late, 0]])
    });
    let references = [10, 11].into_iter();
    let references = references.flat_map(|player| [0, 1, 2, 4, 8, 9].map(|other| [player, other]));
    generations.chain(references).collect()
}

#[test]
fn many_games_recover_the_true_ratings() {
    let many = World { pairs: 20_000, ..USUAL };
    for (rating, wanted) in many.ladder(1).iter().zip(TRUE) {
        close(rating.elo, wanted, 6.0);
        assert!(rating.high - rating.low < 16.0, "{rating:?}");
    }
}

/// Intervals contain the truth in 95% of the ladders. This holds for all settings of draws and
/// openings, with few games, and with ratings so far apart that most matches are clean sweeps.
#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    for world in [
        USUAL,
        World { swing: 0.0, draws: 0.0, ..USUAL },
        World { swing: 1.0, common: true, draws: 0.1, ..USUAL },
        World { pairs: 60, swing: 1.0, draws: 0.8, ..USUAL },
        World { pairs: 5, ..USUAL },
        World { stretch: 2.5, ..USUAL },
        World { stretch: 2.5, pairs: 5, ..USUAL },
    ] {
        let (held, _) = world.repeat(400);
        let coverage = held[1..].iter().sum::<f64>() / (held.len() - 1) as f64;
        assert!((0.93..=0.97).contains(&coverage), "{world:?}: {coverage}, {held:?}");
        // For a single player 400 ladders are less precise: one standard error is 0.011.
        assert!(held[1..].iter().all(|&share| share > 0.85), "{world:?}: {held:?}");
    }
}

#[test]
fn the_estimates_lie_around_the_truth() {
    let (_, means) = USUAL.repeat(400);
    for (mean, truth) in means.into_iter().zip(TRUE) {
        close(mean, truth, 8.0);
    }
}
