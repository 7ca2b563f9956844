//! Selection of the most notable games of a run, each with its reason and the numbers behind it.
//!
//! Candidates are the games of the primary comparison's two rule sets at the main budget. If that
//! pair was not played, they are the games of all rule sets. The selected games are:
//!
//! - the most dramatic decisive game,
//! - an opening that was won under one rule set and drawn under the other,
//! - the game with the most checks that only a fusion or a fission could answer,
//! - the game in which a fusion with the King held a draw at the lowest expectation,
//! - the shortest mate,
//! - the longest game,
//! - the most typical game of each rule set of the pair (`typical.rs`).
//!
//! Of equal games, the first in `games.csv` is shown. A game that several criteria select is shown
//! once.

use super::typical::typical;
use crate::games::{GameResult, GameRow, RowEnding, display};
use crate::notable::Reason;
use fusion_chess::FusionGame;
use fusion_chess::board::{Color, Component, Move, MoveKind, Position};
use fusion_chess::game::CHECKMATE;
use fusion_chess::notation::{PgnGame, san};
use fusion_game::prelude::*;
use fusion_print::format::{capitalised, count, counted, fixed};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// How the games are chosen.
pub const CRITERIA: &str = "Chosen by fixed criteria, each named with the numbers that chose the game: the most dramatic decisive game, an opening won under one rule set and drawn under the other, the most escapes from mate by fusion or fission, a fusion with the King that held a draw, the shortest mate and the longest game, and the most typical game of each compared rule set. All but the last are extremes.";

/// A selected game, by the index of its row.
#[derive(Clone, Debug)]
pub(super) struct Pick {
    pub row: usize,
    pub title: String,
    pub why: String,
}

/// A fusion with the King in a game that was drawn.
#[derive(Clone, Copy, Debug)]
struct Held {
    row: usize,
    /// Index of the ply.
    ply: usize,
    /// Expected score of the side to move before the ply, in units of 1/2000.
    expected: u32,
}

/// The selection of games. It starts from the rows and is completed while their moves are read.
#[derive(Debug)]
pub struct Telling {
    picks: Vec<Pick>,
    /// Whether each row belongs to the comparison.
    compared: Vec<bool>,
    /// The rule sets, in words.
    scope: String,
    /// The drawn game with a fusion of the King at the lowest expectation, and the number of such
    /// games.
    held: Option<Held>,
    royal_draws: u64,
}

impl Telling {
    /// Selects games by the criteria that depend only on the rows.
    pub fn new(rows: &[GameRow], nodes: u64, primary: Option<(&str, &str)>) -> Self {
        let at_budget = |row: &GameRow| row.nodes == nodes && !row.failed();
        let played = |rules: &str| rows.iter().any(|row| at_budget(row) && row.rules == rules);
        let pair = primary.filter(|(first, second)| played(first) && played(second));
        let compared: Vec<bool> = rows
            .iter()
            .map(|row| at_budget(row) && pair.is_none_or(|(a, b)| row.rules == a || row.rules == b))
            .collect();
        let scope = match pair {
            Some((first, second)) => format!("under {first} and {second}"),
            None => "of this run".to_owned(),
        };
        let games: Vec<(usize, &GameRow)> =
            rows.iter().enumerate().filter(|(i, _)| compared[*i]).collect();
        let mut picks = Vec::new();
        picks.extend(dramatic(&games, &scope));
        if let Some(pair) = pair {
            picks.extend(opening(&games, pair));
        }
        picks.extend(escape(&games, &scope));
        picks.extend(shortest_mate(&games, &scope));
        picks.extend(longest(&games, &scope));
        let arms = pair.into_iter().flat_map(|(first, second)| [first, second]);
        picks.extend(arms.filter_map(|rules| typical(&games, rules)));
        Self { picks, compared, scope, held: None, royal_draws: 0 }
    }

    /// Returns whether a game's moves are needed.
    pub fn wants(&self, row: usize) -> bool {
        self.picks.iter().any(|pick| pick.row == row)
    }

    /// Searches a game for a fusion with the King that held a draw.
    ///
    /// Returns `true` if this game is the best so far. `wdl` are White's chances before each ply.
    pub fn looks_at(
        &mut self,
        index: usize,
        row: &GameRow,
        game: &PgnGame,
        wdl: &[Option<[u16; 3]>],
    ) -> bool {
        if !self.compared[index] || !row.drawn() || row.events.of("royal_fusions").count == 0 {
            return false;
        }
        let Some(found) = held(index, game, wdl) else { return false };
        self.royal_draws += 1;
        let better = self.held.is_none_or(|held| found.expected < held.expected);
        if better {
            self.held = Some(found);
        }
        better
    }

    /// Returns the selected rows with their reasons, in the order in which they are shown.
    ///
    /// `moves` returns the game of a selected row.
    pub fn finish<'a>(
        mut self,
        rows: &[GameRow],
        game: impl Fn(usize) -> Option<&'a PgnGame>,
    ) -> Vec<(usize, Reason)> {
        for pick in &mut self.picks {
            if pick.title == ESCAPE
                && let Some(text) =
                    game(pick.row).and_then(|game| first_escape(game, rows[pick.row].opening_plies))
            {
                pick.why = format!("{text} {}", pick.why);
            }
        }
        if let Some(held) = self.held
            && let Some(text) =
                game(held.row).and_then(|game| self.held_in_words(held, game, &rows[held.row]))
        {
            let place = self.picks.iter().position(|pick| pick.title == SHORTEST);
            let at = place.unwrap_or(self.picks.len());
            let title = "Draw held by a fusion with the King".to_owned();
            self.picks.insert(at, Pick { row: held.row, title, why: text });
        }
        let mut shown: Vec<(usize, Reason)> = Vec::new();
        for Pick { row, title, why } in self.picks {
            match shown.iter_mut().find(|(known, _)| *known == row) {
                Some((_, reason)) => {
                    reason.title += &format!("; {}", title.to_lowercase());
                    reason.why += &format!(" {why}");
                }
                None => shown.push((row, Reason { title, why })),
            }
        }
        shown
    }

    fn held_in_words(&self, held: Held, game: &PgnGame, row: &GameRow) -> Option<String> {
        let (position, mv) = before(game, held.ply)?;
        let color = position.side_to_move();
        Some(format!(
            "{} expected {} of a point when its King was fused by {}, the least of the {} {} with such a fusion; the game was drawn ({}).",
            name(color),
            fixed(f64::from(held.expected) / 2000.0, 2),
            notation(game, &position, mv),
            counted(self.royal_draws, "drawn game"),
            self.scope,
            display(row.ending)
        ))
    }
}

const ESCAPE: &str = "Escape from mate";
const SHORTEST: &str = "Shortest mate";

type Games<'a> = [(usize, &'a GameRow)];

fn dramatic(games: &Games, scope: &str) -> Option<Pick> {
    let decisive = || games.iter().filter_map(|(i, row)| Some((*i, *row, row.drama?)));
    let (row, game, drama) = decisive().max_by(|a, b| a.2.total_cmp(&b.2).then(b.0.cmp(&a.0)))?;
    let why = format!(
        "Drama {}, the most of the {} {scope}: how far behind the winner was at the plies at which it was. The lead changed {}.",
        fixed(drama, 3),
        counted(decisive().count() as u64, "decisive game"),
        times(game.lead_changes)
    );
    Some(Pick { row, title: "Most dramatic".into(), why })
}

/// Selects both games of an opening that was drawn under one rule set and won under the other.
///
/// The direction is the one with more such openings.
fn opening(games: &Games, (first, second): (&str, &str)) -> Vec<Pick> {
    let of = |rules: &str| -> BTreeMap<u64, (usize, &GameRow)> {
        let of_arm = games.iter().filter(|(_, row)| row.rules == rules);
        of_arm.map(|&(i, row)| (row.opening, (i, row))).collect()
    };
    let (a, b) = (of(first), of(second));
    // The won game and the drawn game.
    let differing = |won: &BTreeMap<u64, (usize, &'_ GameRow)>,
                     drawn: &BTreeMap<u64, (usize, &'_ GameRow)>| {
        let pairs = won.iter().filter_map(|(opening, game)| Some((*game, *drawn.get(opening)?)));
        let pairs = pairs.filter(|((_, won), (_, drawn))| won.drama.is_some() && drawn.drawn());
        pairs.map(|(won, drawn)| (won.0, drawn.0)).collect::<Vec<_>>()
    };
    let (by_first, by_second) = (differing(&a, &b), differing(&b, &a));
    let (chosen, other, [winner, drawer]) = if by_first.len() >= by_second.len() {
        (by_first, by_second.len(), [first, second])
    } else {
        (by_second, by_first.len(), [second, first])
    };
    let rows: BTreeMap<usize, &GameRow> = games.iter().copied().collect();
    let drama = |row: usize| rows[&row].drama.unwrap_or_default();
    let best = chosen.iter().max_by(|a, b| drama(a.0).total_cmp(&drama(b.0)).then(b.0.cmp(&a.0)));
    let Some(&(won, drawn)) = best else { return Vec::new() };
    let (game, counterpart) = (rows[&won], rows[&drawn]);
    let numbers = format!(
        "{} won under {winner} and drawn under {drawer}, and {} the other way round; this is the one whose won game has the most drama, {}.",
        match chosen.len() {
            1 => "One opening was".to_owned(),
            many => format!("{} openings were", count(many as u64)),
        },
        count(other as u64),
        fixed(drama(won), 3)
    );
    let why = format!(
        "From opening {} {} under {winner} ({}, {} plies); under {drawer} the game was drawn ({}, {} plies). {numbers}",
        game.opening,
        winner_of(game),
        display(game.ending),
        game.plies,
        display(counterpart.ending),
        counterpart.plies
    );
    let drawn_why = format!(
        "The same opening {} under {drawer}: drawn ({}), while {} under {winner}.",
        game.opening,
        display(counterpart.ending),
        winner_of(game)
    );
    vec![
        Pick { row: won, title: format!("Won under {winner}, drawn under {drawer}"), why },
        Pick { row: drawn, title: "The same opening, drawn".into(), why: drawn_why },
    ]
}

fn escape(games: &Games, scope: &str) -> Option<Pick> {
    let escaped = || games.iter().filter(|(_, row)| row.events.of("escapes").count > 0);
    let (row, game) =
        escaped().max_by_key(|(i, row)| (row.events.of("escapes").count, Reverse(*i)))?;
    let why = format!(
        "{} in this game could be answered by a fusion or fission only, the most of the {} {scope} with such a check. {} ({}).",
        capitalised(&counted(game.events.of("escapes").count.into(), "check")),
        counted(escaped().count() as u64, "game"),
        capitalised(ended(game)),
        display(game.ending)
    );
    Some(Pick { row: *row, title: ESCAPE.into(), why })
}

fn shortest_mate(games: &Games, scope: &str) -> Option<Pick> {
    let mated = |row: &GameRow| row.ending == RowEnding::Game(CHECKMATE);
    let mates = || games.iter().filter(|(_, row)| mated(row));
    let (row, game) = mates().min_by_key(|(i, row)| (row.plies, *i))?;
    let why = format!(
        "Mate after {} plies, the opening’s {} among them: the fewest of the {} {scope}.",
        game.plies,
        game.opening_plies,
        counted(mates().count() as u64, "mate")
    );
    Some(Pick { row: *row, title: SHORTEST.into(), why })
}

fn longest(games: &Games, scope: &str) -> Option<Pick> {
    let (row, game) = games.iter().max_by_key(|(i, row)| (row.plies, Reverse(*i)))?;
    let why = format!(
        "{} plies, the most of the {} {scope}. {} ({}).",
        game.plies,
        counted(games.len() as u64, "game"),
        capitalised(ended(game)),
        display(game.ending)
    );
    Some(Pick { row: *row, title: "Longest game".into(), why })
}

fn times(number: u32) -> String {
    match number {
        0 => "never".into(),
        1 => "once".into(),
        2 => "twice".into(),
        more => format!("{more} times"),
    }
}

fn winner_of(row: &GameRow) -> &'static str {
    match row.result {
        GameResult::White => "White won",
        GameResult::Black => "Black won",
        GameResult::Draw | GameResult::None => "neither player won",
    }
}

fn ended(row: &GameRow) -> &'static str {
    match row.result {
        GameResult::Draw => "it was drawn",
        GameResult::None => "it has no result",
        GameResult::White | GameResult::Black => winner_of(row),
    }
}

fn name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// Finds the King's fusion at the lowest expectation of its side.
fn held(row: usize, game: &PgnGame, wdl: &[Option<[u16; 3]>]) -> Option<Held> {
    let mut position = game.start().ok()?;
    let mut lowest: Option<Held> = None;
    for (ply, mv) in game.moves.iter().enumerate() {
        let kings = position.component(Component::King);
        let royal =
            mv.mv.kind() == MoveKind::Fusion && (kings.has(mv.mv.from()) || kings.has(mv.mv.to()));
        if royal && let Some([win, draw, loss]) = wdl.get(ply).copied().flatten() {
            let points = if position.side_to_move() == Color::White { win } else { loss };
            let expected = 2 * u32::from(points) + u32::from(draw);
            if lowest.is_none_or(|lowest| expected < lowest.expected) {
                lowest = Some(Held { row, ply, expected });
            }
        }
        position.play(mv.mv);
    }
    lowest
}

/// Returns the position before a ply, and the move.
fn before(game: &PgnGame, ply: usize) -> Option<(Position, Move)> {
    let mut position = game.start().ok()?;
    for mv in game.moves.get(..ply)? {
        position.play(mv.mv);
    }
    Some((position, game.moves.get(ply)?.mv))
}

/// Formats a move with its number, as in `29… Kg8=KR`.
fn notation(game: &PgnGame, position: &Position, mv: Move) -> String {
    let dots = if position.side_to_move() == Color::White { "." } else { "…" };
    let text = game.rules().map_or_else(|_| mv.to_string(), |rules| san(position, &rules, mv));
    format!("{}{dots} {text}", position.fullmove())
}

/// Finds the first check that only a fusion or a fission could answer.
fn first_escape(game: &PgnGame, opening_plies: u32) -> Option<String> {
    let rules = game.rules().ok()?;
    let mut state = FusionGame::at(rules, game.start().ok()?);
    let mut legal = Vec::new();
    for (ply, mv) in game.moves.iter().enumerate() {
        legal.clear();
        state.legal_moves(&mut legal);
        if ply >= opening_plies as usize && escapes(&state, &legal) {
            let position = *state.position();
            return Some(format!(
                "{} answered check by {} (ply {}); without fusion and fission it would have been mate.",
                name(position.side_to_move()),
                notation(game, &position, mv.mv),
                ply + 1
            ));
        }
        state.play(mv.mv);
    }
    None
}

/// Returns whether only a fusion or a fission can answer a check.
fn escapes(game: &FusionGame, legal: &[Move]) -> bool {
    FusionGame::EVENTS.place("escapes").is_some_and(|kind| game.occasions(legal).has(kind))
}

#[cfg(test)]
#[path = "telling_tests.rs"]
mod tests;
