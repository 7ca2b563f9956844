//! How differently a network chooses under several rule sets, in the same positions.
//!
//! Each opening of a pool is searched under every rule set. The share of each move in the visits of
//! the root is the search's policy; of a proven position it is the move to play. Two policies are compared by their Jensen-Shannon divergence:
//! 0 bits if they are the same, 1 bit if they have no move in common (Lin, *Divergence measures
//! based on the Shannon entropy*, IEEE Transactions on Information Theory 37, 1991, page 148).
//! Random play has no part in it, so that a rule set does not diverge from itself.

use std::collections::BTreeMap;

use fusion_game::CompleteGame;
use fusion_jobs::exit::Failure;
use fusion_jobs::seeds;
use fusion_jobs::stop::Stop;
use fusion_search::{Proof, Search, SearchConfig};
use fusion_statistics::bootstrap::BootstrapMeans;
use fusion_statistics::{Confidence, Interval};
use fusion_study::{Searcher, rule_sets};
use rayon::prelude::*;

use crate::openings::{Opening, Pool};

/// Resamples of the openings for an interval, and their seed.
const RESAMPLES: u32 = 4_000;
const SEED: u64 = 2020;

/// Settings of a comparison.
#[derive(Clone, Debug)]
pub struct DivergenceConfig {
    /// Rule sets, two at least.
    pub rules: Vec<String>,
    /// The tree search that chooses.
    pub player: Searcher,
    /// Nodes of each search. With 1, the policy is the network's own.
    pub nodes: u32,
    /// Settings of the search.
    pub search: SearchConfig,
}

/// Two rule sets compared over the openings of a pool.
#[derive(Clone, Debug, PartialEq)]
pub struct DivergenceRow {
    /// The first rule set.
    pub first: String,
    /// The second rule set.
    pub second: String,
    /// The player: see [`Searcher::name`].
    pub network: String,
    /// Nodes of each search.
    pub nodes: u32,
    /// Number of openings.
    pub openings: u64,
    /// Mean Jensen-Shannon divergence of the two policies, in bits.
    pub divergence: f64,
    /// Its 95% interval, from resampled openings.
    pub divergence95: Interval,
    /// Share of the openings in which the most likely moves differ.
    pub other_choice: f64,
    /// Mean share of the first policy on moves that the second rule set does not have.
    pub only_first: f64,
    /// Mean share of the second policy on moves that the first rule set does not have.
    pub only_second: f64,
}

/// The share of each move in coordinate notation.
type Policy = BTreeMap<String, f64>;

/// Compares all pairs of the rule sets over the openings, on the current thread pool. The result
/// does not depend on the number of threads.
///
/// # Errors
/// Fails on a bad setting (exit code 64), on an opening that is not legal under a rule set (65), or
/// on a request to stop.
pub fn compare<G: CompleteGame>(
    config: &DivergenceConfig,
    pool: &Pool,
    stop: &Stop,
) -> anyhow::Result<Vec<DivergenceRow>> {
    let Searcher::Tree(..) = &config.player else {
        return Err(Failure::usage(
            "an alpha-beta search has no policy: name a network of the tree search, such as \
             data/nets/family.fnet",
        )
        .into());
    };
    if config.rules.len() < 2 || config.nodes == 0 {
        let message = "a divergence needs two rule sets (--rules) and 1 node at least";
        return Err(Failure::usage(message).into());
    }
    let rules = rule_sets::<G>(&config.rules)?;
    config.player.check_plays::<G>(&rules)?;
    let policies: anyhow::Result<Vec<Vec<Policy>>> = pool
        .openings()
        .par_iter()
        .map(|opening| {
            rules.iter().map(|rules| policy::<G>(config, opening, rules, stop)).collect()
        })
        .collect();
    let policies = policies?;
    let mut rows = Vec::new();
    for second in 1..rules.len() {
        for first in 0..second {
            let pairs: Vec<Compared> =
                policies.iter().map(|of| Compared::of(&of[first], &of[second])).collect();
            rows.push(row(
                config,
                [&rules[first], &rules[second]].map(ToString::to_string),
                &pairs,
            )?);
        }
    }
    Ok(rows)
}

/// Searches the position after an opening.
fn policy<G: CompleteGame>(
    config: &DivergenceConfig,
    opening: &Opening,
    rules: &G::Rules,
    stop: &Stop,
) -> anyhow::Result<Policy> {
    let Searcher::Tree(settings, model) = &config.player else { return Ok(Policy::new()) };
    let game: G = opening.play(rules)?;
    // The same evaluations under all rule sets, should an evaluator draw random numbers.
    let mut evaluator = model.evaluator::<G>(seeds::number("divergence", &[opening.id.into()]));
    let mut settings = settings.over(config.search);
    let plain = config.nodes == 1;
    if plain {
        // The search softens the network's policy.
        settings.policy_temperature = 1.0;
    }
    let mut search = Search::new(settings, game.clone());
    if !search.think(evaluator.as_mut(), config.nodes, &|| stop.requested()) {
        stop.check_unsaved()?;
    }
    let children = search.children();
    let visits: f64 = children.iter().map(|child| f64::from(child.visits)).sum();
    // A search stops at a proof, which its visits do not show.
    let proven = (search.proof() != Proof::Unknown)
        .then(|| search.best_move(&mut seeds::stream("divergence", &[opening.id.into()])))
        .flatten();
    let share = |child: &fusion_search::Child<G::Move>| match proven {
        _ if plain || visits == 0.0 => f64::from(child.prior),
        Some(best) => f64::from(u8::from(child.mv == best)),
        None => f64::from(child.visits) / visits,
    };
    Ok(children.iter().map(|child| (game.move_text(child.mv), share(child))).collect())
}

/// Two policies in one position.
struct Compared {
    divergence: f64,
    other_choice: bool,
    only_first: f64,
    only_second: f64,
}

impl Compared {
    fn of(first: &Policy, second: &Policy) -> Self {
        let only = |of: &Policy, other: &Policy| {
            let own = of.iter().filter(|(mv, _)| !other.contains_key(*mv));
            own.fold(0.0, |total, (_, share)| total + share)
        };
        Self {
            divergence: jensen_shannon(first, second),
            other_choice: most_likely(first) != most_likely(second),
            only_first: only(first, second),
            only_second: only(second, first),
        }
    }
}

/// Returns the first of the most likely moves in the order of their texts.
fn most_likely(policy: &Policy) -> Option<&str> {
    let mut best: Option<(&str, f64)> = None;
    for (mv, &share) in policy {
        if best.is_none_or(|(_, most)| share > most) {
            best = Some((mv, share));
        }
    }
    best.map(|(mv, _)| mv)
}

/// Returns the Jensen-Shannon divergence of two policies in bits, from 0 to 1.
fn jensen_shannon(first: &Policy, second: &Policy) -> f64 {
    let towards = |of: &Policy, other: &Policy| {
        let terms = of.iter().filter(|(_, share)| **share > 0.0).map(|(mv, share)| {
            let mean = (share + other.get(mv).copied().unwrap_or(0.0)) / 2.0;
            share * (share / mean).log2()
        });
        terms.sum::<f64>()
    };
    ((towards(first, second) + towards(second, first)) / 2.0).clamp(0.0, 1.0)
}

fn row(
    config: &DivergenceConfig,
    [first, second]: [String; 2],
    pairs: &[Compared],
) -> anyhow::Result<DivergenceRow> {
    let mean = |value: fn(&Compared) -> f64| {
        pairs.iter().map(value).sum::<f64>() / pairs.len().max(1) as f64
    };
    let divergences: Vec<f64> = pairs.iter().map(|pair| pair.divergence).collect();
    let resampled = BootstrapMeans::draw(&divergences, RESAMPLES, SEED)?;
    Ok(DivergenceRow {
        first,
        second,
        network: config.player.name(),
        nodes: config.nodes,
        openings: pairs.len() as u64,
        divergence: mean(|pair| pair.divergence),
        divergence95: resampled.interval(Confidence::P95)?,
        other_choice: mean(|pair| f64::from(u8::from(pair.other_choice))),
        only_first: mean(|pair| pair.only_first),
        only_second: mean(|pair| pair.only_second),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_chess::FusionGame;
    use proptest::prelude::*;

    fn policy_of(shares: &[(&str, f64)]) -> Policy {
        shares.iter().map(|(mv, share)| (mv.to_string(), *share)).collect()
    }

    #[test]
    fn divergences_have_their_known_values() {
        let even = policy_of(&[("a", 0.5), ("b", 0.5)]);
        let sure = policy_of(&[("a", 1.0), ("b", 0.0)]);
        let other = policy_of(&[("c", 1.0)]);
        assert_eq!(jensen_shannon(&even, &even), 0.0);
        assert_eq!(jensen_shannon(&even, &other), 1.0);
        // Entropy of (3/4, 1/4) less half an entropy of one bit.
        assert!((jensen_shannon(&even, &sure) - (0.811_278_124_459 - 0.5)).abs() < 1e-9);
        let compared = Compared::of(&sure, &other);
        assert!(compared.other_choice && compared.only_first == 1.0 && compared.only_second == 1.0);
        let compared = Compared::of(&even, &sure);
        assert!(!compared.other_choice && compared.only_first == 0.0);
    }

    proptest! {
        #[test]
        fn a_divergence_is_symmetric_and_at_most_a_bit(
            shares in prop::collection::vec((0.0f64..1.0, 0.0f64..1.0), 1..8)
        ) {
            let normed = |pick: fn(&(f64, f64)) -> f64| -> Policy {
                let total: f64 = shares.iter().map(pick).sum();
                shares.iter().enumerate().map(|(i, of)| (i.to_string(), pick(of) / total.max(1e-9))).collect()
            };
            let (first, second) = (normed(|of| of.0 + 1e-3), normed(|of| of.1 + 1e-3));
            let there = jensen_shannon(&first, &second);
            prop_assert!((0.0..=1.0).contains(&there));
            prop_assert!((there - jensen_shannon(&second, &first)).abs() < 1e-12);
        }
    }

    fn config(rules: &[&str], nodes: u32) -> DivergenceConfig {
        DivergenceConfig {
            rules: rules.iter().map(ToString::to_string).collect(),
            player: Searcher::open::<FusionGame>("material", []).unwrap(),
            nodes,
            search: SearchConfig::default(),
        }
    }

    #[test]
    fn only_moves_that_one_rule_set_has_are_its_own() {
        // The same rules under two names, and rules without fusion.
        let rules = ["fusion-1999", "fusion-1999,promotion-unique=yes", "fusion-1999,fusion=no"];
        let config = config(&rules, 60);
        let stop = Stop::new();
        let pool = Pool::without_plies(1);
        let rows = compare::<FusionGame>(&config, &pool, &stop).unwrap();
        let pairs: Vec<_> = rows.iter().map(|row| (&*row.first, &*row.second)).collect();
        assert_eq!(pairs, [(rules[0], rules[1]), (rules[0], rules[2]), (rules[1], rules[2])]);
        assert_eq!((rows[0].divergence, rows[0].other_choice, rows[0].only_first), (0.0, 0.0, 0.0));
        // Pieces fuse at once in the initial position: Ra1 with b1, Ng1 not with a Pawn.
        assert!(rows[1].only_first > 0.0 && rows[1].only_second == 0.0, "{rows:?}");
        assert!(rows[1].divergence > 0.0);
        assert_eq!(rows, compare::<FusionGame>(&config, &pool, &stop).unwrap());
    }

    /// A search that finds a mate stops before its visits show it.
    #[test]
    fn a_proven_position_counts_with_the_move_to_play() {
        let moves = "f2f3 e7e5 g2g4".to_owned();
        let opening = Opening { id: 0, start: 0, plies: 3, moves, position: String::new() };
        let rules = "orthodox".parse().unwrap();
        let config = config(&["orthodox", "union"], 60);
        let policy = policy::<FusionGame>(&config, &opening, &rules, &Stop::new()).unwrap();
        assert_eq!(most_likely(&policy), Some("d8h4"));
        assert_eq!(policy.values().sum::<f64>(), 1.0);
    }

    #[test]
    fn bad_settings_are_rejected() {
        let pool = Pool::without_plies(1);
        let stop = Stop::new();
        let error = |config: &DivergenceConfig| {
            compare::<FusionGame>(config, &pool, &stop).unwrap_err().to_string()
        };
        assert!(error(&config(&["orthodox"], 10)).contains("two rule sets"));
        assert!(error(&config(&["orthodox", "union"], 0)).contains("1 node"));
        let alpha_beta = Searcher::open::<FusionGame>("pvs:material", []).unwrap();
        let config = DivergenceConfig { player: alpha_beta, ..config(&["orthodox", "union"], 10) };
        assert!(error(&config).contains("has no policy"));
    }
}
