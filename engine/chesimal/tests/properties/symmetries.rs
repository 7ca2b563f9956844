//! Left and right, and White and Black with the ends of the board, can be exchanged.

use crate::games::line;
use fusion_chesimal::ChesimalGame;
use fusion_chesimal::board::{Action, Square};
use fusion_chesimal::counts;
use fusion_chesimal::rules::{FirstTurn, RuleSet};
use fusion_game::prelude::*;
use fusion_game::{FeatureSet, Side, Views};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// What is exchanged.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Exchange {
    Sides,
    Colours,
}

impl Exchange {
    fn square(self, square: Square, rules: &RuleSet) -> Square {
        let (files, ranks) = rules.size();
        match self {
            Exchange::Sides => Square::at(files - 1 - square.file(), square.rank()),
            Exchange::Colours => Square::at(square.file(), ranks - 1 - square.rank()),
        }
        .unwrap()
    }

    fn action(self, action: Action, rules: &RuleSet) -> Action {
        let square = |square| self.square(square, rules);
        match action {
            Action::Choose { leader, mode } => Action::Choose { leader: square(leader), mode },
            Action::Activate { from, to } => {
                Action::Activate { from: square(from), to: square(to) }
            }
            Action::Recruit(at) => Action::Recruit(square(at)),
            Action::End => Action::End,
        }
    }

    /// Rebuilds the position from texts: a list of units with their AMPs.
    fn position(self, game: &ChesimalGame) -> ChesimalGame {
        let rules = game.rules();
        let text = game.to_text();
        let fields: Vec<&str> = text.split(' ').collect();
        let (files, ranks) = rules.size();
        let grid = grid(fields[0], fields[2], files);
        let at = |file: usize, rank: usize| {
            let square = self.square(Square::at(file, rank).unwrap(), rules);
            let (letter, amp) = grid[ranks - 1 - square.rank()][square.file()];
            let turned = match (self, letter.is_ascii_uppercase()) {
                (Exchange::Sides, _) => letter,
                (Exchange::Colours, true) => letter.to_ascii_lowercase(),
                (Exchange::Colours, false) => letter.to_ascii_uppercase(),
            };
            (turned, amp)
        };
        let rows: Vec<Vec<(char, char)>> =
            (0..ranks).rev().map(|rank| (0..files).map(|file| at(file, rank)).collect()).collect();
        let amps = if rules.has_amps() { renumbered(&rows) } else { "-".into() };
        let placement: Vec<String> = rows.iter().map(|row| row_text(row)).collect();
        let side = match (self, fields[1]) {
            (Exchange::Colours, "w") | (Exchange::Sides, "b") => 'b',
            _ => 'w',
        };
        let turn = self.turn(game);
        let text = format!("{} {side} {amps} {turn} {} 2", placement.join("/"), fields[4]);
        ChesimalGame::from_text(rules, &text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn turn(self, game: &ChesimalGame) -> String {
        let (position, rules) = (game.position(), game.rules());
        let Some(active) = position.active() else { return "-".into() };
        let list = |sign: char, set: fusion_chesimal::board::Bitboard| -> String {
            let squares: BTreeSet<Square> = set.map(|square| self.square(square, rules)).collect();
            squares.into_iter().map(|square| format!("{sign}{square}")).collect()
        };
        format!(
            "{}{}{}{}",
            self.square(active.square, rules),
            active.mode.letter(),
            list('+', position.moved()),
            list('*', position.recruited())
        )
    }
}

/// The squares of a placement: a letter or a point, and the digit of the AMP.
fn grid(placement: &str, amps: &str, files: usize) -> Vec<Vec<(char, char)>> {
    let mut digits = amps.chars();
    let mut rows = Vec::new();
    for rank in placement.split('/') {
        let (mut row, mut empty) = (Vec::new(), String::new());
        for c in rank.chars().chain([' ']) {
            if c.is_ascii_digit() {
                empty.push(c);
                continue;
            }
            row.extend(vec![('.', '.'); empty.parse().unwrap_or(0)]);
            empty.clear();
            if c != ' ' {
                row.push((c, digits.next().unwrap_or('-')));
            }
        }
        assert_eq!(row.len(), files);
        rows.push(row);
    }
    rows
}

/// The digits of AMPs, with leaders numbered in their new order.
fn renumbered(rows: &[Vec<(char, char)>]) -> String {
    let units: Vec<(char, char)> =
        rows.iter().flatten().copied().filter(|(letter, _)| *letter != '.').collect();
    let same_side = |a: char, b: char| a.is_ascii_uppercase() == b.is_ascii_uppercase();
    let number = |(letter, amp): (char, char)| {
        let mut leaders =
            units.iter().filter(|(other, _)| same_side(*other, letter) && "ksKS".contains(*other));
        let place = leaders.position(|(_, other)| *other == amp);
        if amp == '0' { "0".into() } else { (place.unwrap() + 1).to_string() }
    };
    units.iter().map(|&unit| number(unit)).collect()
}

fn row_text(row: &[(char, char)]) -> String {
    let runs = row.chunk_by(|a, b| a.0 == '.' && b.0 == '.');
    runs.map(|run| match run[0].0 {
        '.' => run.len().to_string(),
        letter => letter.to_string(),
    })
    .collect()
}

/// The inputs and each action's policy rows, through a table of mirror images.
fn described(
    game: &ChesimalGame,
    actions: &[Action],
    features: &dyn Fn(u16) -> u16,
    rows: &dyn Fn(u16) -> u16,
) -> (BTreeSet<u16>, BTreeSet<Vec<u16>>) {
    let inputs = FeatureSet::of(game).iter().map(features).collect();
    let mut list = Vec::new();
    game.policy_factors(actions, &mut list);
    let of_actions = list.chunks(ChesimalGame::POLICY_FACTORS);
    (inputs, of_actions.map(|chunk| chunk.iter().map(|&row| rows(row)).collect()).collect())
}

fn views(game: &ChesimalGame) -> [BTreeSet<u16>; 2] {
    [game.side_to_move(), game.side_to_move().other()].map(|side: Side| {
        let mut inputs = Vec::new();
        game.view(side, &mut inputs);
        inputs.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]
    #[test]
    fn rules_and_encodings_have_the_symmetries(line in line(60)) {
        // White's first turn would be limited in one of the two positions only.
        let rules = RuleSet { first_turn: FirstTurn(None), ..line.rules };
        let line = line.under(rules);
        let mirror = ChesimalGame::symmetry(&rules).unwrap();
        let mut games = Vec::new();
        line.each(|game, actions, _| games.push((game.clone(), actions.to_vec())));
        for (game, actions) in games.into_iter().step_by(4) {
            // The history is not exchanged.
            let game = ChesimalGame::from_text(&rules, &game.to_text()).unwrap();
            for exchange in [Exchange::Sides, Exchange::Colours] {
                let other = exchange.position(&game);
                let text = other.to_text();
                let mut found = Vec::new();
                other.legal_moves(&mut found);
                let wanted: BTreeSet<String> =
                    actions.iter().map(|&action| exchange.action(action, &rules).to_string()).collect();
                let texts: BTreeSet<String> = found.iter().map(ToString::to_string).collect();
                prop_assert_eq!(texts, wanted, "{:?} of {} is {}", exchange, game.to_text(), &text);
                let depth = if actions.len() > 40 { 1 } else { 2 };
                let count = |game: &ChesimalGame| counts::actions(game.position(), &rules, depth);
                prop_assert_eq!(count(&other), count(&game));
                let through = |table: &'static dyn Fn(u16) -> u16| table;
                let same = through(&|index| index);
                let seen = described(&other, &found, same, same);
                let wanted = if exchange == Exchange::Sides {
                    let features = |i: u16| mirror.features[usize::from(i)];
                    let rows = |i: u16| mirror.rows[usize::from(i)];
                    described(&game, &actions, &features, &rows)
                } else {
                    described(&game, &actions, same, same)
                };
                prop_assert_eq!(seen, wanted, "{:?} of {} is {}", exchange, game.to_text(), &text);
                if exchange == Exchange::Colours {
                    prop_assert_eq!(views(&other), views(&game));
                    prop_assert_eq!(other.material(), game.material());
                }
            }
        }
    }
}
