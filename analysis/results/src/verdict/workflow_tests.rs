//! How often the advised workflow errs as a whole: measure, read the verdict, play as many openings as the report
//! advises, and look again.

use super::more_games::needed;
use super::{Decision, MATERIAL};
use fusion_statistics::estimate::Estimate;
use fusion_statistics::evalue::{Evidence, Looks};
use fusion_statistics::{Confidence, Interval};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const STUDIES: u64 = 1_000;
/// As many of 1,000 studies err with a chance of at most 0.1% if each errs in 5%
/// (SciPy's `binom.ppf(0.999, 1000, 0.05)`).
const MOST_ERRORS: usize = 72;
/// Openings before the first look.
const FIRST: u64 = 300;
/// Looks after which the user gives up.
const MOST_LOOKS: usize = 4;

/// How a user goes on where the verdict is open.
#[derive(Clone, Copy, Debug)]
enum Growth {
    /// To the number that the report advises, then to twice as many each time.
    Advised,
    /// To twice as many.
    Doubled,
}

/// Openings drawn in the first arm only and in the second only, of all.
#[derive(Clone, Copy, Default)]
struct Counts {
    first: u64,
    second: u64,
    openings: u64,
}

impl Counts {
    /// Plays on to a number of openings with these chances of a draw in one arm only.
    fn play(&mut self, rng: &mut ChaCha8Rng, [first, second]: [f64; 2], openings: u64) {
        while self.openings < openings {
            let luck: f64 = rng.random();
            self.first += u64::from(luck < first);
            self.second += u64::from(luck >= first && luck < first + second);
            self.openings += 1;
        }
    }

    fn share(self, count: u64) -> f64 {
        count as f64 / self.openings as f64
    }

    fn variance(self) -> f64 {
        self.share(self.first + self.second) - self.difference().powi(2)
    }

    fn difference(self) -> f64 {
        self.share(self.first) - self.share(self.second)
    }

    fn interval(self, looks: Looks, confidence: Confidence) -> Interval {
        match looks {
            Looks::Any => {
                Evidence::new(self.first, self.second, self.openings).unwrap().interval(confidence)
            }
            Looks::Once => {
                let error = (self.variance() / self.openings as f64).sqrt();
                let estimate = Estimate { value: self.difference(), error };
                looks.interval(estimate, self.openings, confidence)
            }
        }
    }

    fn decision(self, looks: Looks) -> Decision {
        let [i95, i90] =
            [Confidence::P95, Confidence::P90].map(|level| self.interval(looks, level));
        Decision::by_rule(self.difference(), i95, i90)
    }
}

/// Returns the decision at which the user stops, and whether the last interval missed the truth.
fn workflow(
    rng: &mut ChaCha8Rng,
    chances: [f64; 2],
    (growth, looks): (Growth, Looks),
) -> (Decision, bool) {
    let (mut counts, mut openings) = (Counts::default(), FIRST);
    let mut decision = Decision::Inconclusive;
    for _ in 0..MOST_LOOKS {
        counts.play(rng, chances, openings);
        decision = counts.decision(looks);
        if decision != Decision::Inconclusive {
            break;
        }
        let advised = match growth {
            Growth::Advised => needed(counts.variance(), (Confidence::P90, looks)).unwrap(),
            Growth::Doubled => 0,
        };
        openings = if advised > openings { advised } else { 2 * openings };
    }
    let truth = chances[0] - chances[1];
    (decision, !counts.interval(looks, Confidence::P95).contains(truth))
}

/// Returns how many studies err, and how many intervals miss the truth, at a true difference.
fn errors(difference: f64, growth: Growth, looks: Looks) -> [usize; 2] {
    let found = (0..STUDIES).map(|study| {
        let mut rng = ChaCha8Rng::seed_from_u64(study);
        let other = rng.random_range(0.02..0.2);
        let (decision, missed) = workflow(&mut rng, [other + difference, other], (growth, looks));
        let wrong = match decision {
            Decision::LessDrawish => difference >= 0.0,
            Decision::MoreDrawish => difference <= 0.0,
            Decision::NoMaterialChange => difference.abs() >= MATERIAL,
            Decision::Inconclusive => false,
        };
        [wrong, missed]
    });
    found.fold([0, 0], |sums, found| [0, 1].map(|i| sums[i] + usize::from(found[i])))
}

#[test]
fn the_whole_workflow_errs_in_at_most_a_twentieth_of_the_studies() {
    for (growth, difference) in
        [(Growth::Advised, 0.0), (Growth::Doubled, 0.0), (Growth::Advised, MATERIAL)]
    {
        let [wrong, missed] = errors(difference, growth, Looks::Any);
        println!("{growth:?}, difference {difference}: {wrong} wrong, {missed} missed");
        assert!(wrong <= MOST_ERRORS && missed <= MOST_ERRORS, "{wrong} {missed}");
    }
}

/// With intervals for one look the same workflow errs more often, so that the test above can fail. Where the number
/// of openings is fixed, the program does not let it grow.
#[test]
fn intervals_for_one_look_do_not_suffice_for_it() {
    let [wrong, missed] = errors(0.0, Growth::Doubled, Looks::Once);
    println!("{wrong} wrong, {missed} missed");
    assert!(wrong > MOST_ERRORS && missed > MOST_ERRORS, "{wrong} {missed}");
}
