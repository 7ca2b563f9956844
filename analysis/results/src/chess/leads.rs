//! Material leads: how often they are won, and who is behind in draws, from the moves of the games.

use crate::chess::positions;
use crate::games::{GameResult, GameRow};
use crate::run_folder::{MAIN, RunFolder};
use fusion_chess::board::{Color, Component, Position};
use fusion_chess::notation::pgn::PgnGame;
use fusion_statistics::quantile::quantile;
use std::collections::BTreeMap;
use std::path::Path;

/// A lead: a Knight or Bishop more.
const LEAD: i32 = 3;
/// Plies for which a lead must last, so that exchanges are over.
const LASTING: u32 = 4;

/// The finished games of a measurement under one rule set at one budget.
#[derive(Clone, Debug, Default)]
pub struct Leads {
    /// Name of the measurement.
    pub measurement: String,
    /// The player.
    pub agent: String,
    /// The rule set.
    pub rules: String,
    /// Nodes of each move.
    pub nodes: u64,
    /// Number of games with a result.
    pub games: u64,
    /// Number of draws.
    pub drawn: u64,
    /// Number of draws at whose end a side has less material.
    pub behind: u64,
    /// Number of these in which the royal piece of that side is fused.
    pub fused: u64,
    /// Number of games in which a side came to lead.
    pub led: u64,
    /// Number of these that the side that led first won.
    pub converted: u64,
    /// Median of the plies since the last capture, fusion or move of a Pawn, at the end of the draws.
    pub quiet: Option<f64>,
}

/// What a game shows.
struct Facts {
    /// Whether a side is behind at the end and, if so, whether its royal piece is fused.
    behind: Option<bool>,
    /// The side that led first.
    leader: Option<Color>,
    /// Plies since something happened that cannot be undone.
    quiet: u16,
}

/// Reads the moves of all measurements that have them.
///
/// # Errors
/// Fails if the moves cannot be read or do not belong to the games.
pub fn read(run: &RunFolder) -> anyhow::Result<Vec<Leads>> {
    let extras = run.extras.iter().map(|extra| (extra.name.as_str(), &extra.moves, &extra.games));
    let main = (MAIN, &run.moves, &run.games);
    let mut found = Vec::new();
    for (name, moves, rows) in std::iter::once(main).chain(extras) {
        if let Some(path) = moves {
            found.extend(of_measurement(name, path, rows)?);
        }
    }
    Ok(found)
}

fn of_measurement(name: &str, path: &Path, rows: &[GameRow]) -> anyhow::Result<Vec<Leads>> {
    let mut groups: BTreeMap<(&str, u64), (Leads, Vec<f64>)> = BTreeMap::new();
    positions::each_game(path, rows, |_, row, game| {
        if row.result != GameResult::None
            && let Some(facts) = facts(&game)
        {
            let group = groups.entry((&row.rules, row.nodes)).or_default();
            group.0.take(row, &facts, &mut group.1);
        }
    })?;
    let agent = rows.first().map_or_else(String::new, |row| row.network.clone());
    let finish = |((rules, nodes), (leads, mut quiet)): ((&str, u64), (Leads, Vec<f64>))| {
        quiet.sort_by(f64::total_cmp);
        Leads {
            measurement: name.to_owned(),
            agent: agent.clone(),
            rules: rules.to_owned(),
            nodes,
            quiet: quantile(&quiet, 0.5).ok(),
            ..leads
        }
    };
    Ok(groups.into_iter().map(finish).collect())
}

impl Leads {
    fn take(&mut self, row: &GameRow, facts: &Facts, quiet: &mut Vec<f64>) {
        self.games += 1;
        if row.result == GameResult::Draw {
            self.drawn += 1;
            self.behind += u64::from(facts.behind.is_some());
            self.fused += u64::from(facts.behind == Some(true));
            quiet.push(facts.quiet.into());
        }
        if let Some(leader) = facts.leader {
            let winner = match row.result {
                GameResult::White => Some(Color::White),
                GameResult::Black => Some(Color::Black),
                GameResult::Draw | GameResult::None => None,
            };
            self.led += 1;
            self.converted += u64::from(winner == Some(leader));
        }
    }
}

/// Plays through a game. `None` if its first position cannot be read, which was checked before.
fn facts(game: &PgnGame) -> Option<Facts> {
    let mut position = game.start().ok()?;
    let (mut leader, mut ahead, mut lasting) = (None, None, 0);
    for mv in &game.moves {
        position.play(mv.mv);
        let side = side_ahead(&position, LEAD);
        lasting = if side == ahead { lasting + 1 } else { 1 };
        ahead = side;
        if leader.is_none() && lasting >= LASTING {
            leader = ahead;
        }
    }
    let behind = side_ahead(&position, 1).map(|ahead| {
        let royal = position.piece_on(position.royal(!ahead));
        royal.components().count() > 1
    });
    Some(Facts { behind, leader, quiet: position.halfmove_clock() })
}

/// Returns the side that has at least this much more material: P 1, N, B and M 3, R 5.
fn side_ahead(position: &Position, least: i32) -> Option<Color> {
    let values = [
        (Component::Pawn, 1),
        (Component::Knight, 3),
        (Component::Bishop, 3),
        (Component::Mann, 3),
        (Component::Rook, 5),
    ];
    let [white, black] = [Color::White, Color::Black].map(|color| position.color(color));
    let lead = |(component, value): (Component, i32)| {
        let set = position.component(component);
        value * ((set & white).len() as i32 - (set & black).len() as i32)
    };
    match values.into_iter().map(lead).sum::<i32>() {
        lead if lead >= least => Some(Color::White),
        lead if lead <= -least => Some(Color::Black),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts_of(fen: &str, moves: &str) -> Facts {
        let text = format!(
            "[SetUp \"1\"]\n[FEN \"{fen}\"]\n[Variant \"fusion-1999\"]\n[RuleSet \"fusion-1999\"]\n\n{moves} *\n"
        );
        let game = fusion_chess::notation::pgn::read(text.as_bytes()).next().unwrap().unwrap();
        facts(&game).unwrap()
    }

    #[test]
    fn a_side_that_is_behind_with_a_fused_king_is_seen() {
        // Black's King is fused with a Rook; White has two Rooks more.
        let fen = "g7/8/8/8/8/8/8/1R2K2R w - - 0 1";
        let facts = facts_of(fen, "");
        assert_eq!((facts.behind, facts.leader), (Some(true), None));
        let fen = "k6r/8/8/8/8/8/8/1R2K2R w - - 0 1";
        assert_eq!(facts_of(fen, "").behind, Some(false));
        let fen = "k6r/8/8/8/8/8/8/4K2R w - - 0 1";
        assert_eq!(facts_of(fen, "").behind, None);
    }

    #[test]
    fn a_lead_counts_once_it_has_lasted() {
        let fen = "k6r/8/8/8/8/8/8/1R2K2R w - - 0 1";
        // White's Rook takes Black's on h8; its lead lasts for four plies then.
        let moves = "1. Rxh8+ Ka7 2. Rh7+ Ka6";
        assert_eq!(facts_of(fen, "1. Rxh8+ Ka7").leader, None);
        let facts = facts_of(fen, moves);
        assert_eq!((facts.leader, facts.quiet), (Some(Color::White), 3));
    }
}
