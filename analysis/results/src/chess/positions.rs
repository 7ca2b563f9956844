//! Data from the moves of the games that `games.csv` lacks: material, forecasts and games to show.
//!
//! The games are read from `games.pgn`, which lists them in the order of `games.csv`. A few
//! positions of each game are sampled. The choice depends only on the game.

use crate::calibration::Forecast;
use crate::chess::telling::Telling;
use crate::games::{GameResult, GameRow, mismatch, too_many};
use crate::notable::ShownGame;
use crate::record::wdl;
use crate::run_folder::files::{self, Granted};
use anyhow::Context;
use fusion_chess::board::{Color, Move, Position};
use fusion_chess::notation::pgn::{self, PgnGame};
use fusion_jobs::exit::Failure;
use fusion_jobs::stop::Stop;
use fusion_print::progress::Progress;
use std::collections::BTreeMap;
use std::path::Path;

/// Distance in plies of the positions that are sampled for piece values. Only quiet positions are
/// used.
const EVERY: usize = 8;

/// Largest size in bytes of a game's PGN tags, and of each ply with its evaluation. Both are many
/// times the usual size.
const HEADER: u64 = 64 << 10;
const PLY: u64 = 512;

/// Kinds of pieces that have a value of their own, named by their components, with the Pawn first.
///
/// A bare King has no value, since both sides have one.
pub const PIECES: [&str; 21] = [
    "P", "R", "B", "N", "RB", "RN", "BN", "KR", "KB", "KN", // Fusion Chess
    "M", "RM", "BM", "NM", "RBN", "RBM", "RNM", "BNM", "KRB", "KRN", "KBN", // the family
];

/// A position of a game at the main budget.
#[derive(Clone, Debug)]
pub struct Material {
    /// Index of the game's row.
    pub row: usize,
    /// White's pieces minus Black's, in the order of [`PIECES`].
    pub counts: Vec<i8>,
    /// One over the number of positions sampled from the game.
    pub weight: f64,
}

/// Data sampled from the games at one budget.
#[derive(Clone, Debug, Default)]
pub struct Positions {
    /// Positions for piece values.
    pub material: Vec<Material>,
    /// One forecast per game. The forecasts are independent of each other.
    pub forecasts: Vec<Forecast>,
    /// The most notable games, in the order in which they are shown.
    pub shown: Vec<ShownGame>,
}

/// Reads the moves of the games at one budget.
///
/// The games to show are chosen for the comparison `primary`.
///
/// # Errors
/// Fails if the file cannot be read, is not PGN, or holds other games than the rows.
pub fn read(
    path: &Path,
    rows: &[GameRow],
    nodes: u64,
    primary: Option<(&str, &str)>,
) -> anyhow::Result<Positions> {
    let mut reading = Reading {
        positions: Positions::default(),
        telling: Telling::new(rows, nodes, primary),
        kept: BTreeMap::new(),
        held: None,
    };
    each_game(path, rows, |index, row, game| {
        if row.nodes == nodes && !row.failed() {
            reading.take(index, row, game);
        }
    })?;
    Ok(reading.finish(rows))
}

/// Calls a function with each row, its place and its game.
///
/// # Errors
/// Fails as [`read`] does.
pub fn each_game<'a>(
    path: &Path,
    rows: &'a [GameRow],
    mut visit: impl FnMut(usize, &'a GameRow, PgnGame),
) -> anyhow::Result<()> {
    let progress = Progress::new("reading games.pgn", rows.len());
    let stop = Stop::of_process();
    let (text, grant) = Granted::new(files::open(path)?);
    let mut games = pgn::read(text);
    for (index, row) in rows.iter().enumerate() {
        stop.check_unsaved()?;
        grant.renew(HEADER + PLY * u64::from(row.plies));
        let game = games.next().ok_or_else(|| mismatch(path, row, "the file ends before it"))?;
        let game = game.map_err(Failure::corrupt).with_context(|| path.display().to_string())?;
        check(path, row, &game)?;
        visit(index, row, game);
        progress.add(1);
    }
    match games.next() {
        None => Ok(()),
        Some(_) => Err(too_many(path).into()),
    }
}

/// The data sampled so far.
struct Reading {
    positions: Positions,
    telling: Telling,
    /// Games that are shown because of their rows.
    kept: BTreeMap<usize, PgnGame>,
    /// The game that is shown because of its moves, so far.
    held: Option<(usize, PgnGame)>,
}

/// Rejects a game that does not match its row.
fn check(path: &Path, row: &GameRow, game: &PgnGame) -> Result<(), Failure> {
    let wrong = |what: &str| Err(mismatch(path, row, what));
    let rules = game.rules().map(|rules| rules.to_string());
    if game.tag("RuleSet") != Some(&row.rules) && rules.as_ref() != Ok(&row.rules) {
        return wrong("another rule set");
    }
    if game.tag("Round") != Some(row.opening.to_string().as_str()) {
        return wrong("another opening");
    }
    if game.moves.len() != row.plies as usize {
        return wrong("another length");
    }
    if game.result.to_string() != row.result.text() {
        return wrong("another result");
    }
    Ok(())
}

impl Reading {
    fn take(&mut self, index: usize, row: &GameRow, game: PgnGame) {
        let chances = chances(&game);
        let searched: Vec<[u16; 3]> = chances.iter().copied().flatten().collect();
        // The game's hash selects the ply, so that the forecasts cover all stages of games.
        if let Some(&wdl) = searched.get((row.moves_hash % searched.len().max(1) as u64) as usize) {
            self.positions.forecasts.push(Forecast { row: index, wdl });
        }
        if row.result != GameResult::None {
            self.positions.take_material(index, row, &game);
        }
        if self.telling.looks_at(index, row, &game, &chances) {
            self.held = Some((index, game.clone()));
        }
        if self.telling.wants(index) {
            self.kept.insert(index, game);
        }
    }

    fn finish(mut self, rows: &[GameRow]) -> Positions {
        self.kept.extend(self.held);
        let kept = &self.kept;
        let chosen = self.telling.finish(rows, |row| kept.get(&row));
        let show = |(row, reason)| {
            let game = kept.get(&row)?;
            let moves = game.moves.iter().map(|mv| mv.mv.to_string());
            // The tags were read before.
            let start = Some(game.start().ok()?.to_fen());
            Some(ShownGame { row, reason, start, moves: moves.zip(chances(game)).collect() })
        };
        self.positions.shown = chosen.into_iter().filter_map(show).collect();
        self.positions
    }
}

/// Returns White's win, draw and loss chances from the search before each ply. They are `None` for
/// plies without a search.
fn chances(game: &PgnGame) -> Vec<Option<[u16; 3]>> {
    game.moves.iter().map(|mv| mv.comment.as_deref().and_then(wdl)).collect()
}

impl Positions {
    fn take_material(&mut self, index: usize, row: &GameRow, game: &PgnGame) {
        // The tags were read before, so this does not fail.
        let Ok(mut position) = game.start() else { return };
        let offset = (row.moves_hash % EVERY as u64) as usize;
        let mut taken = Vec::new();
        for (ply, mv) in game.moves.iter().enumerate() {
            let due = ply >= row.opening_plies as usize && ply % EVERY == offset;
            if due && !position.in_check() && !captures(&position, mv.mv) {
                taken.push(counts(&position));
            }
            position.play(mv.mv);
        }
        let weight = 1.0 / taken.len().max(1) as f64;
        self.material.extend(taken.into_iter().map(|counts| Material {
            row: index,
            counts,
            weight,
        }));
    }
}

/// Returns whether the move captures a piece, in which case the count would mislead.
fn captures(position: &Position, mv: Move) -> bool {
    position.color(!position.side_to_move()).has(mv.to())
}

/// Counts White's pieces minus Black's, by kind.
fn counts(position: &Position) -> Vec<i8> {
    let mut counts = vec![0; PIECES.len()];
    for (color, sign) in [(Color::White, 1), (Color::Black, -1)] {
        for square in position.color(color) {
            let name = position.piece_on(square).to_string();
            // Only the bare King is missing from the list.
            if let Some(kind) = PIECES.iter().position(|known| *known == name) {
                counts[kind] += sign;
            }
        }
    }
    counts
}
