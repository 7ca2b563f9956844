//! Alpha-beta search on material: a reference player that needs no network.
//!
//! The search looks a fixed number of plies ahead. It then follows only captures and promotions,
//! until the side to move prefers to make none of them. The plain variant stops at the fixed depth.
//! Positions are valued by material, and positions of equal material by the number of moves of the
//! side to move. Only the choice between moves of equal value is random, so the player is a stable
//! yardstick.

use fusion_game::{Game, Outcome, Side};
use rand::Rng;
use std::fmt::{self, Display};
use std::str::FromStr;

/// The value of an immediate win. A win that is a ply further away is worth one less.
const MATE: i32 = 1_000_000;
/// Larger than every value.
const INFINITY: i32 = 2 * MATE;
/// The value of a unit of material, that of the cheapest piece. Each legal move is worth 1.
const UNIT: f32 = 100.0;
/// Number of positions between two checks for a stop.
const SLICE: u32 = 1 << 10;
/// Ordering bonus of a capture or promotion beyond the material that it gains. It is tried before
/// every other move except the favourite.
const FORCING: i32 = 1 << 24;
/// Ordering bonus of a ply's favourite move, which is tried first.
const FIRST: i32 = 1 << 28;

/// The depth of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depth {
    plies: u32,
    /// Whether captures and promotions are followed beyond the depth.
    captures: bool,
}

impl Depth {
    /// The largest depth.
    pub const MAX: u32 = 8;
    /// Prefix of a player's name, before the depth.
    pub const PREFIX: &'static str = "alphabeta:";
    /// Suffix of the name of a player that stops at the depth.
    pub const PLAIN: &'static str = ":plain";

    /// Returns the number of plies.
    #[must_use]
    pub fn plies(self) -> u32 {
        self.plies
    }
}

impl Display for Depth {
    /// Writes the player's name, such as `alphabeta:3` or `alphabeta:3:plain`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = if self.captures { "" } else { Self::PLAIN };
        write!(f, "{}{}{suffix}", Self::PREFIX, self.plies)
    }
}

impl FromStr for Depth {
    type Err = String;

    /// Parses the player's name, such as `alphabeta:3` or `alphabeta:3:plain`.
    fn from_str(text: &str) -> Result<Self, String> {
        let name = text.strip_suffix(Self::PLAIN).unwrap_or(text);
        let plies = name.strip_prefix(Self::PREFIX).and_then(|plies| plies.parse().ok());
        let depth = plies.filter(|plies| (1..=Self::MAX).contains(plies));
        let captures = name == text;
        depth.map(|plies| Self { plies, captures }).ok_or_else(|| {
            format!(
                "'{text}' is not alphabeta:DEPTH or alphabeta:DEPTH:plain with a depth from 1 to {}",
                Self::MAX
            )
        })
    }
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlphaBetaResult<M> {
    /// Value for the side to move, in hundredths of the cheapest piece. A forced win is worth a
    /// million, less one for every ply until it comes.
    pub value: i32,
    /// The moves of that value, in the order of generation.
    pub best: Vec<M>,
}

/// A ply of the line that is being searched. Its memory is reused for all positions of the ply.
struct Level<G: Game> {
    game: G,
    moves: Vec<G::Move>,
    /// The moves in the order in which they are tried, the most urgent first.
    ordered: Vec<(i32, u16, G::Move)>,
    /// The best move of the last position at this ply, which is often good in the next one too.
    favourite: Option<G::Move>,
}

/// An alpha-beta searcher. Between two searches it keeps only its memory.
///
/// ```
/// use fusion_game::prelude::*;
/// use fusion_game::toy::{TicTacToe, Variant};
/// use fusion_search::alphabeta::AlphaBeta;
///
/// let game = TicTacToe::from_text(&Variant::parse("normal").unwrap(), "xx.oo....").unwrap();
/// let mut player = AlphaBeta::new("alphabeta:2".parse().unwrap());
/// let found = player.search(&game, &|| false).unwrap();
/// assert_eq!(game.move_text(found.best[0]), "c1");
/// ```
pub struct AlphaBeta<G: Game> {
    depth: Depth,
    levels: Vec<Level<G>>,
    /// Positions until the next check for a stop.
    until_look: u32,
    stopped: bool,
}

impl<G: Game> AlphaBeta<G> {
    /// Creates a searcher of this depth.
    #[must_use]
    pub fn new(depth: Depth) -> Self {
        Self { depth, levels: Vec::new(), until_look: SLICE, stopped: false }
    }

    /// Returns one of the best moves, chosen by the seeded generator `rng`. `None` if the game is
    /// over or `stop` returned true.
    pub fn best_move(
        &mut self,
        game: &G,
        rng: &mut impl Rng,
        stop: &dyn Fn() -> bool,
    ) -> Option<G::Move> {
        let best = self.search(game, stop)?.best;
        best.get((rng.next_u64() % best.len() as u64) as usize).copied()
    }

    /// Searches to the full depth. Returns `None` if the game is over or `stop` returned true.
    /// `stop` is called from time to time.
    pub fn search(
        &mut self,
        game: &G,
        stop: &dyn Fn() -> bool,
    ) -> Option<AlphaBetaResult<G::Move>> {
        self.stopped = stop();
        self.begin(game);
        let root = &mut self.levels[0];
        root.game.legal_moves(&mut root.moves);
        if root.game.outcome(&root.moves).is_some() {
            return None;
        }
        let mut found = AlphaBetaResult { value: 0, best: Vec::new() };
        // Shallow searches cost little and find the move to try first.
        for depth in 1..=self.depth.plies() {
            found = self.search_root(depth, stop);
            self.levels[0].favourite = found.best.first().copied();
        }
        (!self.stopped).then_some(found)
    }

    fn begin(&mut self, game: &G) {
        match self.levels.first_mut() {
            Some(root) => root.game.clone_from(game),
            None => self.levels.push(Level::new(game)),
        }
        for level in &mut self.levels {
            level.favourite = None;
        }
        self.levels[0].moves.clear();
    }

    /// Returns the best moves of the root, whose moves must be generated.
    fn search_root(&mut self, depth: u32, stop: &dyn Fn() -> bool) -> AlphaBetaResult<G::Move> {
        let mut found = AlphaBetaResult { value: -INFINITY, best: Vec::new() };
        self.order(0, false);
        for i in 0..self.levels[0].ordered.len() {
            let mv = self.levels[0].ordered[i].2;
            self.step(0, mv);
            // The window begins one below the best value, because otherwise a tie would look worse.
            let value = self.below(0, depth - 1, found.value - 1, INFINITY, stop);
            if value > found.value {
                found.value = value;
                found.best.clear();
            }
            if value == found.value {
                found.best.push(mv);
            }
        }
        let moves = &self.levels[0].moves;
        found.best.sort_by_key(|mv| moves.iter().position(|known| known == mv));
        found
    }

    /// Makes a move in a ply's position and stores the result at the next ply.
    fn step(&mut self, ply: usize, mv: G::Move) {
        if self.levels.len() == ply + 1 {
            self.levels.push(Level::new(&self.levels[ply].game));
        }
        let (before, after) = self.levels.split_at_mut(ply + 1);
        after[0].game.clone_from(&before[ply].game);
        after[0].game.play(mv);
    }

    /// Returns the value of the position after [`Self::step`] for the player to move at `ply`,
    /// within that player's window.
    fn below(
        &mut self,
        ply: usize,
        depth: u32,
        alpha: i32,
        beta: i32,
        stop: &dyn Fn() -> bool,
    ) -> i32 {
        let side = |level: &Level<G>| level.game.side_to_move();
        if side(&self.levels[ply]) == side(&self.levels[ply + 1]) {
            self.value(ply + 1, depth, alpha, beta, stop)
        } else {
            -self.value(ply + 1, depth, -beta, -alpha, stop)
        }
    }

    /// Returns the value of a ply's position for its side to move. The value is exact between
    /// `alpha` and `beta`, and a bound outside. At depth 0 only captures and promotions are tried,
    /// if any moves are.
    fn value(
        &mut self,
        ply: usize,
        depth: u32,
        mut alpha: i32,
        beta: i32,
        stop: &dyn Fn() -> bool,
    ) -> i32 {
        if self.must_stop(stop) {
            return 0;
        }
        let level = &mut self.levels[ply];
        level.moves.clear();
        level.game.legal_moves(&mut level.moves);
        if let Some(outcome) = level.game.outcome(&level.moves) {
            return decided(outcome, level.game.side_to_move(), ply);
        }
        let mut best = -INFINITY;
        if depth == 0 {
            best = standing(&level.game, level.moves.len());
            alpha = alpha.max(best);
            if best >= beta || !self.depth.captures {
                return best;
            }
        }
        self.order(ply, depth == 0);
        for i in 0..self.levels[ply].ordered.len() {
            let mv = self.levels[ply].ordered[i].2;
            self.step(ply, mv);
            let value = self.below(ply, depth.saturating_sub(1), alpha, beta, stop);
            if value > best {
                best = value;
                self.levels[ply].favourite = Some(mv);
            }
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    fn must_stop(&mut self, stop: &dyn Fn() -> bool) -> bool {
        self.until_look -= 1;
        if self.until_look == 0 {
            self.until_look = SLICE;
            self.stopped |= stop();
        }
        self.stopped
    }

    /// Orders a ply's moves: the favourite, then captures and promotions by the material that they
    /// gain, then the rest. With `forcing` the rest is left out.
    fn order(&mut self, ply: usize, forcing: bool) {
        self.levels[ply].ordered.clear();
        for i in 0..self.levels[ply].moves.len() {
            let level = &self.levels[ply];
            let mv = level.moves[i];
            let is_forcing = level.game.is_forcing(mv);
            if forcing && !is_forcing {
                continue;
            }
            let mut urgency = if level.favourite == Some(mv) { FIRST } else { 0 };
            if is_forcing {
                urgency += FORCING + self.gain(ply, mv);
            }
            self.levels[ply].ordered.push((-urgency, i as u16, mv));
        }
        self.levels[ply].ordered.sort_unstable_by_key(|&(urgency, i, _)| (urgency, i));
    }

    /// Returns the material that a move gains for its mover, in hundredths of the cheapest piece.
    fn gain(&mut self, ply: usize, mv: G::Move) -> i32 {
        self.step(ply, mv);
        let [before, after] = [&self.levels[ply].game, &self.levels[ply + 1].game];
        let same = before.side_to_move() == after.side_to_move();
        let after = if same { after.material() } else { -after.material() };
        (UNIT * (after - before.material())) as i32
    }
}

impl<G: Game> Level<G> {
    fn new(game: &G) -> Self {
        Self { game: game.clone(), moves: Vec::new(), ordered: Vec::new(), favourite: None }
    }
}

/// Returns the value of a position whose moves are not tried.
fn standing<G: Game>(game: &G, moves: usize) -> i32 {
    (UNIT * game.material()).round() as i32 + moves as i32
}

/// Returns the value of a game that is over `ply` plies after the root.
fn decided(outcome: Outcome, side: Side, ply: usize) -> i32 {
    let distance = MATE - ply as i32;
    match outcome.winner {
        None => 0,
        Some(winner) if winner == side => distance,
        Some(_) => -distance,
    }
}

#[cfg(test)]
mod tests;
