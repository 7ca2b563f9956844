//! One measurement game.

use std::collections::BTreeMap;

use fusion_game::evaluator::Wdl;
use fusion_game::tablebase::Tablebase;
use fusion_game::{CompleteGame, Description, Ending, Outcome, Side};
use fusion_search::{Effort, Thought};
use fusion_study::Seeds;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::row::{EventCounts, GameResult, GameRow, RowEnding};
use super::tables::Tables;
use super::{Settings, drama};
use crate::matches::{Player, Seat, Start};
use crate::openings::Opening;
use crate::play::{self, Turns};
use fusion_jobs::stop::Stop;

/// A searched move as a shard stores it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayedMove(
    /// The move in coordinate notation.
    pub String,
    /// The first player's win, draw and loss per mille, from the search that chose the move.
    pub [u16; 3],
);

/// A game as a shard stores it in JSON, with all data for `games.csv` and the games file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeasuredGame {
    /// The game's row in `games.csv`.
    pub row: GameRow,
    /// The initial position, if the rules have several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The opening's moves in coordinate notation.
    pub opening: String,
    /// The moves after it.
    pub moves: Vec<PlayedMove>,
}

/// A stored game whose row is not parsed yet.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    row: BTreeMap<String, serde_json::Value>,
    start: Option<String>,
    opening: String,
    moves: Vec<PlayedMove>,
}

impl MeasuredGame {
    /// Parses a stored game.
    ///
    /// # Errors
    /// Returns the reason why the bytes are not a game of this kind.
    pub fn parse(game: Description, bytes: &[u8]) -> Result<Self, String> {
        let Stored { row, start, opening, moves } =
            serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let row = GameRow::from_object(game, &row);
        let row = row.map_err(|(column, reason)| format!("{column}: {reason}"))?;
        Ok(Self { row, start, opening, moves })
    }
}

/// Plays a game from the position after its opening, and calls `moved` after each move. Returns `None` if
/// stopped.
///
/// # Errors
/// Fails if a search has no move in a game that is not over.
pub(super) fn play<G: CompleteGame>(
    settings: &Settings,
    start: &G,
    opening: &Opening,
    (player, tables): (&Player, Option<Tables<G>>),
    seed: u64,
    stop: &Stop,
    moved: &dyn Fn(),
) -> anyhow::Result<Option<MeasuredGame>> {
    let mut game = start.clone();
    let judge = tables.clone().filter(|_| settings.adjudicate);
    let first = G::start(start.rules(), opening.start);
    let line: Vec<String> = opening.texts().map(str::to_owned).collect();
    let mut turns = Turns::of_line(&first, opening.texts());
    let begun = Start { game: start.clone(), first: first.to_text(), line, turns };
    let Seat { player: mut mover, nodes } =
        player.sit_with(&begun, &settings.search, tables, Seeds::of(seed))?;
    let mut row = first_row(settings, start, opening, nodes, seed);
    let mut played = Vec::new();
    let mut legal = Vec::new();
    let outcome = loop {
        legal.clear();
        game.legal_moves(&mut legal);
        if let Some(outcome) = ended(&game, &legal, turns, settings.cap, judge.as_deref()) {
            break outcome;
        }
        row.events.add(game.occasions(&legal), row.plies);
        let effort = Effort { nodes, drawn: row.plies < settings.own_plies };
        let thought = mover.think(&game, effort, &|| stop.requested());
        let thought = thought.map_err(anyhow::Error::from_boxed)?;
        let Some(Thought { mv, wdl, entropy }) = thought else { return Ok(None) };
        if let Some(entropy) = entropy {
            *row.opening_entropy.get_or_insert(0.0) += entropy;
        }
        // Another program need not say what it thinks of its move.
        let wdl = wdl.unwrap_or(Wdl::NEUTRAL).seen_by(game.side_to_move(), Side::First);
        played.push(PlayedMove(game.move_text(mv), per_mille(wdl)));
        row.plies += 1;
        row.events.add(game.events(mv), row.plies);
        mover.advance(&game, mv);
        turns.play(&mut game, mv);
        moved();
    };
    finish(&mut row, outcome, opening, &played);
    let rules = start.rules();
    let several = G::starts(rules) > 1;
    let first = several.then(|| G::start(rules, opening.start).to_text());
    let opening = opening.moves.clone();
    Ok(Some(MeasuredGame { row, start: first, opening, moves: played }))
}

/// Returns the row of a game after its opening.
fn first_row<G: CompleteGame>(
    settings: &Settings,
    start: &G,
    opening: &Opening,
    nodes: u32,
    seed: u64,
) -> GameRow {
    GameRow {
        line: 0,
        game: Description::of::<G>(),
        rules: start.rules().to_string(),
        opening: opening.id.into(),
        opening_plies: opening.plies,
        seed,
        network: settings.network.clone(),
        nodes: nodes.into(),
        // The result and the ending are set at the end.
        result: GameResult::None,
        ending: RowEnding::Error,
        plies: opening.plies,
        events: EventCounts::new(G::EVENTS),
        lead_changes: 0,
        drama: None,
        opening_entropy: None,
        start: start.to_text(),
        moves_hash: 0,
    }
}

/// Returns the outcome of a game: by the rules, else by adjudication, else by the cap.
fn ended<G: CompleteGame>(
    game: &G,
    legal: &[G::Move],
    turns: Turns,
    cap: u32,
    judge: Option<&dyn Tablebase<G>>,
) -> Option<Outcome> {
    let outcome = play::outcome(game, legal, turns, cap);
    if outcome.is_some_and(|outcome| outcome.ending != Ending::CAP) {
        return outcome;
    }
    let known = judge.and_then(|judge| judge.probe(game));
    known.map(|exact| Outcome { winner: exact.winner, ending: Ending::TABLES }).or(outcome)
}

/// Rounds to three decimals. More would be noise in a table.
fn rounded(value: f64) -> f64 {
    (1000.0 * value).round() / 1000.0
}

fn finish(row: &mut GameRow, outcome: Outcome, opening: &Opening, played: &[PlayedMove]) {
    row.result = GameResult::of(outcome);
    row.ending = RowEnding::Game(outcome.ending);
    let leads: Vec<f64> = played.iter().map(|PlayedMove(_, wdl)| drama::lead(*wdl)).collect();
    row.lead_changes = drama::lead_changes(&leads);
    row.drama = outcome.winner.map(|winner| rounded(drama::drama(&leads, winner)));
    row.opening_entropy = row.opening_entropy.map(rounded);
    let mut hasher = Sha256::new_with_prefix(row.rules.as_bytes());
    for text in opening.texts().chain(played.iter().map(|mv| mv.0.as_str())) {
        hasher.update(b" ");
        hasher.update(text);
    }
    row.moves_hash =
        hasher.finalize()[..8].iter().fold(0, |hash, &byte| hash << 8 | u64::from(byte));
}

/// Returns win, draw and loss per mille, adding up to 1000.
fn per_mille(wdl: Wdl) -> [u16; 3] {
    let share = |value: f32| (value * 1000.0).round().clamp(0.0, 1000.0) as u16;
    let win = share(wdl.win);
    let loss = share(wdl.loss).min(1000 - win);
    [win, 1000 - win - loss, loss]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn per_mille_adds_up() {
        let wdl = |win, draw, loss| Wdl { win, draw, loss };
        assert_eq!(per_mille(wdl(0.2504, 0.4992, 0.2504)), [250, 500, 250]);
        assert_eq!(per_mille(wdl(0.5005, 0.0, 0.4995)), [501, 0, 499]);
        assert_eq!(per_mille(Wdl::LOSS), [0, 0, 1000]);
    }
}
