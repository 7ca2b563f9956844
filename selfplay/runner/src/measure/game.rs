//! One measurement game.

use anyhow::Context;
use fusion_game::evaluator::Wdl;
use fusion_game::tablebase::Oracle;
use fusion_game::{Ending, Game, MoveEvents, Outcome, Side};
use fusion_search::Search;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::tables::Tables;
use super::{Settings, drama};
use crate::openings::Opening;
use crate::play;
use fusion_jobs::progress::Progress;
use fusion_jobs::seeds;
use fusion_jobs::stop::Stop;
use fusion_network::model::Model;

/// A row of `games.csv`.
///
/// Counts cover both sides together, after the opening. A `first_*` is the number of the first such
/// ply in the whole game, from 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameRow {
    /// Rule set in canonical form.
    pub rules: String,
    /// Number of the opening in the pool.
    pub opening: u32,
    /// Plies of the opening.
    pub opening_plies: u32,
    /// Seed of the game's tie-breaks. All games of the opening share it.
    pub seed: u64,
    /// The network's hash, or the evaluator's name.
    pub network: String,
    /// Nodes per move.
    pub nodes: u32,
    /// `1-0`, `0-1`, `1/2-1/2`, or `*` at the cap.
    pub result: String,
    /// How the game ended.
    pub ending: String,
    /// Plies of the whole game.
    pub plies: u32,
    /// Captures.
    pub captures: u32,
    /// Promotions.
    pub promotions: u32,
    /// Fusions, including those with the King.
    pub fusions: u32,
    /// Fusions with the King.
    pub royal_fusions: u32,
    /// Fissions.
    pub fissions: u32,
    /// Castlings.
    pub castlings: u32,
    /// Ply of the first capture.
    pub first_capture: Option<u32>,
    /// Ply of the first fusion.
    pub first_fusion: Option<u32>,
    /// Ply of the first fusion with the King.
    pub first_royal_fusion: Option<u32>,
    /// Ply of the first fission.
    pub first_fission: Option<u32>,
    /// Ply of the first castling.
    pub first_castling: Option<u32>,
    /// Checks that only a fusion or a fission could answer. Without these moves they would be
    /// mates.
    pub escapes: u32,
    /// See [`drama::lead_changes`].
    pub lead_changes: u32,
    /// See [`drama::drama`]. Only for decided games.
    pub drama: Option<f64>,
    /// Sum of the entropies, in bits, of the distributions from which the opening's plies were
    /// drawn in proportion to visits. Only for games with such plies.
    pub opening_entropy: Option<f64>,
    /// The position after the opening. The first search starts from it.
    pub start_fen: String,
    /// Hash of the rule set and all moves, sixteen hexadecimal digits. It identifies duplicates.
    pub moves_hash: String,
    /// Metamorphoses.
    pub metamorphoses: u32,
    /// Ply of the first metamorphosis.
    pub first_metamorphosis: Option<u32>,
    /// Demotions.
    pub demotions: u32,
    /// Ply of the first demotion.
    pub first_demotion: Option<u32>,
}

/// A searched move as a shard stores it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayedMove(
    /// The move in coordinate notation.
    pub String,
    /// The first player's win, draw and loss per mille, from the search that chose the move.
    pub [u16; 3],
);

/// A game as a shard stores it, with all data for `games.csv` and `games.pgn`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredGame {
    /// The game's row in `games.csv`.
    pub row: GameRow,
    /// The opening's moves in coordinate notation.
    pub opening: String,
    /// The moves after it.
    pub moves: Vec<PlayedMove>,
}

const NO_MOVE: &str = "the search found no move in a game that is not over";

/// The player of both sides.
pub(super) struct Player<'a, G: Game> {
    /// Model that evaluates positions.
    pub model: &'a Model,
    /// Nodes per move.
    pub nodes: u32,
    /// Endgame tables that the search probes.
    pub tables: Option<Tables<G>>,
}

/// Plays a game from the position after its opening. Returns `None` if stopped.
///
/// # Errors
/// Fails if a search has no move in a game that is not over.
pub(super) fn play<G: Game>(
    settings: &Settings,
    start: &G,
    opening: &Opening,
    player: &Player<'_, G>,
    seed: u64,
    stop: &Stop,
    progress: &Progress,
) -> anyhow::Result<Option<MeasuredGame>> {
    let mut ties = seeds::stream("tie-breaks", &[seed]);
    let mut own = seeds::stream("own opening", &[seed]);
    let mut evaluator = player.model.evaluator::<G>(seed);
    let search = Search::new(settings.search, start.clone());
    let mut search = search.with_oracle(player.tables.clone());
    let judge = player.tables.as_deref().filter(|_| settings.adjudicate);
    let mut row = first_row(settings, start, opening, player.nodes, seed);
    let mut played = Vec::new();
    let mut legal = Vec::new();
    let outcome = loop {
        legal.clear();
        search.game().legal_moves(&mut legal);
        if let Some(outcome) = ended(search.game(), &legal, row.plies, settings.cap, judge) {
            break outcome;
        }
        row.escapes += u32::from(search.game().saved_by_fusion(&legal));
        if !play::think(&mut search, evaluator.as_mut(), player.nodes, stop) {
            return Ok(None);
        }
        let mv = if row.plies < settings.own_plies {
            let (mv, entropy) = draw_by_visits(&search, &mut own).context(NO_MOVE)?;
            *row.opening_entropy.get_or_insert(0.0) += entropy;
            mv
        } else {
            search.best_move(&mut ties).context(NO_MOVE)?
        };
        played.push(played_move(&search, mv));
        row.plies += 1;
        count(&mut row, search.game().events(mv));
        search.advance(mv);
        progress.count_move();
    };
    finish(&mut row, outcome, opening, &played);
    Ok(Some(MeasuredGame { row, opening: opening.moves.clone(), moves: played }))
}

/// Returns the row of a game after its opening.
fn first_row<G: Game>(
    settings: &Settings,
    start: &G,
    opening: &Opening,
    nodes: u32,
    seed: u64,
) -> GameRow {
    GameRow {
        rules: start.rules().to_string(),
        opening: opening.id,
        opening_plies: opening.plies,
        seed,
        network: settings.network.clone(),
        nodes,
        plies: opening.plies,
        start_fen: start.to_text(),
        ..GameRow::default()
    }
}

/// Returns a move with the evaluation of the search that chose it.
fn played_move<G: Game>(search: &Search<G>, mv: G::Move) -> PlayedMove {
    let game = search.game();
    let wdl = search.wdl().seen_by(game.side_to_move(), Side::First);
    PlayedMove(game.move_text(mv), per_mille(wdl))
}

/// Returns the outcome of a game: by the rules, else by adjudication, else by the cap.
fn ended<G: Game>(
    game: &G,
    legal: &[G::Move],
    plies: u32,
    cap: u32,
    judge: Option<&dyn Oracle<G>>,
) -> Option<Outcome> {
    let outcome = play::outcome(game, legal, plies, cap);
    if outcome.is_some_and(|outcome| outcome.ending != Ending::Cap) {
        return outcome;
    }
    let known = judge.and_then(|judge| judge.result(game));
    known.map(|exact| Outcome { winner: exact.winner, ending: Ending::Tables }).or(outcome)
}

/// Draws a move in proportion to the root's visits. Returns it with the entropy of the draw in
/// bits.
fn draw_by_visits<G: Game>(search: &Search<G>, rng: &mut ChaCha8Rng) -> Option<(G::Move, f64)> {
    let mut children = search.children();
    children.retain(|child| child.visits > 0);
    if children.is_empty() {
        return Some((search.best_move(rng)?, 0.0));
    }
    let total: u32 = children.iter().map(|child| child.visits).sum();
    let chosen = children.choose_weighted(rng, |child| child.visits).ok()?;
    let bits = |visits: u32| {
        let share = f64::from(visits) / f64::from(total);
        -share * share.log2()
    };
    Some((chosen.mv, children.iter().map(|child| bits(child.visits)).sum()))
}

/// Rounds to three decimals. More would be noise in a table.
fn rounded(value: f64) -> f64 {
    (1000.0 * value).round() / 1000.0
}

fn finish(row: &mut GameRow, outcome: Outcome, opening: &Opening, played: &[PlayedMove]) {
    row.result = outcome.result().to_owned();
    row.ending = outcome.ending.to_string();
    let leads: Vec<f64> = played.iter().map(|PlayedMove(_, wdl)| drama::lead(*wdl)).collect();
    row.lead_changes = drama::lead_changes(&leads);
    row.drama = outcome.winner.map(|winner| rounded(drama::drama(&leads, winner)));
    row.opening_entropy = row.opening_entropy.map(rounded);
    let mut hasher = Sha256::new_with_prefix(row.rules.as_bytes());
    for text in opening.texts().chain(played.iter().map(|mv| mv.0.as_str())) {
        hasher.update(b" ");
        hasher.update(text);
    }
    row.moves_hash = hasher.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
}

fn count(row: &mut GameRow, events: MoveEvents) {
    let ply = row.plies;
    let note = |happened: bool, count: &mut u32, first: &mut Option<u32>| {
        if happened {
            *count += 1;
            first.get_or_insert(ply);
        }
    };
    note(events.capture, &mut row.captures, &mut row.first_capture);
    note(events.fusion, &mut row.fusions, &mut row.first_fusion);
    note(events.royal_fusion, &mut row.royal_fusions, &mut row.first_royal_fusion);
    note(events.fission, &mut row.fissions, &mut row.first_fission);
    note(events.castling, &mut row.castlings, &mut row.first_castling);
    note(events.metamorphosis, &mut row.metamorphoses, &mut row.first_metamorphosis);
    note(events.demotion, &mut row.demotions, &mut row.first_demotion);
    row.promotions += u32::from(events.promotion);
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

    #[test]
    fn firsts_are_plies_of_the_whole_game() {
        let mut row = GameRow { plies: 9, ..GameRow::default() };
        let fusion = MoveEvents { fusion: true, ..MoveEvents::default() };
        count(&mut row, fusion);
        row.plies = 12;
        count(&mut row, fusion);
        assert_eq!((row.fusions, row.first_fusion, row.first_capture), (2, Some(9), None));
    }
}
