//! Differences between two runs apart from their games.

use super::Side;
use crate::names::short_hash;
use crate::run_folder::RunFolder;
use fusion_runner::measure::MeasureFile;
use std::collections::BTreeSet;

/// Maximum number of rule sets that are named. More rule sets are counted.
const FEW: usize = 6;
/// Settings that are read from the games and the pool instead, which exist without `measure.json`
/// too.
const READ_OFF: [&str; 6] = ["network", "network_hash", "pool", "pool_hash", "rules", "nodes"];

/// Settings that two runs do not share.
#[derive(Debug)]
pub(super) struct Differences {
    /// Name of each setting with its values in A and B.
    pub(super) rows: Vec<[String; 3]>,
    /// Runs without `measure.json`, whose other settings are unknown.
    pub(super) unknown: Vec<&'static str>,
}

impl Differences {
    pub(super) fn of(a: &Side, b: &Side) -> Self {
        let mut rows = vec![
            ["network".to_owned(), networks(a), networks(b)],
            ["pool of openings".to_owned(), pool_name(&a.run), pool_name(&b.run)],
            ["nodes".to_owned(), nodes(a), nodes(b)],
        ];
        rows.extend(own_rules(a, b));
        let unknown: Vec<&str> = [("A", a), ("B", b)]
            .into_iter()
            .filter(|(_, side)| side.run.measured.is_none())
            .map(|(name, _)| name)
            .collect();
        if let (Some(first), Some(second)) = (&a.run.measured, &b.run.measured) {
            rows.extend(recorded(&first.entries, &second.entries));
        }
        rows.retain(|[_, a, b]| a != b);
        for cell in rows.iter_mut().flatten() {
            *cell = short_hash(cell);
        }
        Self { rows, unknown }
    }
}

/// Returns the source of the games' openings as text. Equal texts mean equal openings. The text is
/// the pool's hash or, for openings of the games' own, all values from which they are drawn.
/// Returns `None` if the run does not record it.
pub(super) fn pool(run: &RunFolder) -> Option<String> {
    match run.measure_file() {
        // The text names the network, because each network draws plies from its own visits.
        Some(MeasureFile { seed, settings, .. }) if settings.pool == "own" => {
            let (plies, network) = (settings.own_plies, short_hash(&settings.network));
            Some(format!("{plies} own plies of {network}, seed {seed}"))
        }
        Some(file) => Some(file.settings.pool.clone()),
        None => run.pool.as_ref().map(|pool| pool.hash.clone()),
    }
}

fn pool_name(run: &RunFolder) -> String {
    pool(run).unwrap_or_else(|| "unknown".into())
}

fn networks(side: &Side) -> String {
    let all: BTreeSet<&str> =
        side.arms.iter().flat_map(|arm| &arm.networks).map(String::as_str).collect();
    match all.iter().copied().collect::<Vec<_>>()[..] {
        // Two hashes can share their first characters, so each is kept whole until all are
        // compared.
        [only] => only.to_owned(),
        ref several => several.join("; "),
    }
}

fn nodes(side: &Side) -> String {
    let all: BTreeSet<u64> = side.arms.iter().map(|arm| arm.nodes).collect();
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Returns the rule sets that only one of the runs played.
fn own_rules(a: &Side, b: &Side) -> Option<[String; 3]> {
    let rules = |side: &Side| -> BTreeSet<String> {
        side.arms.iter().map(|arm| arm.rules.clone()).collect()
    };
    let (a, b) = (rules(a), rules(b));
    let only = |one: &BTreeSet<String>, other| {
        let only: Vec<&str> = one.difference(other).map(String::as_str).collect();
        if only.is_empty() { "–".to_owned() } else { listed(&only) }
    };
    (a != b).then(|| ["rules only in this run".to_owned(), only(&a, &b), only(&b, &a)])
}

/// Returns the names of the rule sets if they are few, otherwise their number.
pub(super) fn listed(rules: &[&str]) -> String {
    if rules.len() > FEW { format!("{} rule sets", rules.len()) } else { rules.join("; ") }
}

type Settings = [(String, String)];

/// Returns all recorded settings of both runs, in the order of the first.
fn recorded(a: &Settings, b: &Settings) -> Vec<[String; 3]> {
    let value = |settings: &Settings, key: &str| {
        let found = settings.iter().find(|(name, _)| name == key);
        found.map_or_else(|| "–".to_owned(), |(_, value)| value.clone())
    };
    let known: BTreeSet<&str> = a.iter().map(|(key, _)| key.as_str()).collect();
    let more = b.iter().filter(|(key, _)| !known.contains(key.as_str()));
    a.iter()
        .chain(more)
        .map(|(key, _)| key)
        .filter(|key| !READ_OFF.contains(&key.as_str()))
        .map(|key| [key.clone(), value(a, key), value(b, key)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_both_are_there_once() {
        let settings = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect()
        };
        let a = settings(&[("cap", "600"), ("nodes", "64"), ("search.lcb", "1")]);
        let b = settings(&[("cap", "600"), ("stop.every", "100"), ("search.lcb", "0")]);
        let expected =
            [["cap", "600", "600"], ["search.lcb", "1", "0"], ["stop.every", "–", "100"]];
        assert_eq!(recorded(&a, &b), expected.map(|row| row.map(str::to_owned)));
    }
}
