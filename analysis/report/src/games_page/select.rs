//! Selection of the games of a page.

use fusion_results::games::GameRow;
use fusion_results::run_folder::RunFolder;
use std::collections::BTreeMap;
use std::path::Path;

/// A measurement whose games can be shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    /// `measure`, or the name of its folder in `extra`.
    pub name: &'a str,
    /// Its games.
    pub rows: &'a [GameRow],
    /// The file with its games.
    pub moves: Option<&'a Path>,
}

/// A measurement and the games of it that are on the page.
#[derive(Debug)]
pub(super) struct Measurement<'a> {
    /// `measure`, or the name of its folder in `extra`.
    pub name: &'a str,
    /// Its games.
    pub rows: &'a [GameRow],
    /// The file with its games.
    pub moves: Option<&'a Path>,
    /// Rows that are on the page, with their places on it. The order is by opening, so that games
    /// from one opening stand together and compress better.
    pub wanted: BTreeMap<usize, usize>,
    /// Number of games from openings before the first requested opening.
    pub before: usize,
    /// First opening that did not fit.
    pub next: Option<u64>,
}

impl Measurement<'_> {
    /// Returns the place of a row on the page.
    pub fn place(&self, row: usize) -> usize {
        self.wanted.get(&row).copied().unwrap_or_default()
    }
}

/// Returns the games of the main measurement, then those of the other measurements.
pub(super) fn sources(run: &RunFolder) -> Vec<Source<'_>> {
    let main = Source { name: "measure", rows: &run.games, moves: run.moves.as_deref() };
    let extras = run.extras.iter().map(|extra| Source {
        name: &extra.name,
        rows: &extra.games,
        moves: extra.moves.as_deref(),
    });
    std::iter::once(main).chain(extras).collect()
}

/// Selects whole openings in the order of their numbers, as many as fit. The first measurement
/// comes first.
pub(super) fn select<'a>(
    sources: &[Source<'a>],
    first_opening: u64,
    most: usize,
) -> Vec<Measurement<'a>> {
    let mut room = most;
    let mut measurements = Vec::new();
    for &Source { name, rows, moves } in sources {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|&i| (rows[i].opening, &rows[i].rules, rows[i].nodes));
        let before = order.iter().filter(|&&i| rows[i].opening < first_opening).count();
        let mut chosen = Vec::new();
        let mut next = None;
        let games = if moves.is_some() { &order[before..] } else { &[] };
        for opening in games.chunk_by(|&a, &b| rows[a].opening == rows[b].opening) {
            if opening.len() > room {
                next = Some(rows[opening[0]].opening);
                break;
            }
            room -= opening.len();
            chosen.extend_from_slice(opening);
        }
        let wanted = chosen.into_iter().zip(0..).collect();
        measurements.push(Measurement { name, rows, moves, wanted, before, next });
    }
    measurements
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_openings_fill_the_page_and_the_rest_is_named() {
        let run = RunFolder::open(Path::new("tests/data/run")).unwrap();
        let row = |rules: &str, opening| {
            let known = run.games[0].clone();
            GameRow { rules: rules.to_owned(), opening, nodes: 8, ..known }
        };
        let rows = (0..10).flat_map(|opening| ["a", "b", "c"].map(|rules| row(rules, opening)));
        let rows: Vec<GameRow> = rows.collect();
        let moves = Some(Path::new("games.pgn"));
        let of = |first, most| {
            let selected = select(&[Source { name: "measure", rows: &rows, moves }], first, most);
            let [measurement] = &selected[..] else { panic!() };
            (measurement.wanted.len(), measurement.before, measurement.next)
        };
        assert_eq!(of(0, 30), (30, 0, None));
        assert_eq!(of(0, 29), (27, 0, Some(9)), "no opening is torn apart");
        assert_eq!(of(4, 10), (9, 12, Some(7)));
        assert_eq!(of(99, 10), (0, 30, None));
        let without = Source { name: "measure", rows: &rows, moves: None };
        assert_eq!(select(&[without], 0, 30)[0].wanted.len(), 0);
    }
}
