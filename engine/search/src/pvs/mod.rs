//! Alpha-beta search of selective depth: principal variation search with iterative deepening.
//!
//! The search is written against [`Tactics`], which has what is special to a game: forcing moves,
//! threats, exchanges and passes. One thread searches a game. The same positions and limits give
//! the same moves on every machine, because nothing depends on the clock.
//!
//! The methods are those of the field; the names are those of the Chess Programming Wiki. The
//! principal variation search is of Marsland and Campbell, *Parallel search of strongly ordered
//! game trees*, ACM Computing Surveys 14 (1982).

mod config;
mod correction;
mod evaluator;
mod history;
mod kind;
mod mate;
mod node;
mod order;
mod quiescence;
mod transposition;
mod value;

pub use config::{Limits, PvsConfig};
pub use evaluator::MaterialCount;
pub use mate::{Mate, find_mate};
pub use value::{MATE, MATE_FROM, MAX_PLY, chances, chances_of, drawishness, plies_to_end};

use correction::Corrections;
use fusion_game::evaluator::{MOST_VALUE, MoveEvaluator, Wdl};
use fusion_game::math::ln;
use fusion_game::tablebase::Tablebase;
use fusion_game::{Outcome, Side, Tactics};
use history::{History, Indices};
use kind::{Kind, Window};
use rand_chacha::ChaCha8Rng;
use std::collections::TryReserveError;
use std::sync::Arc;
use transposition::Table;
use value::{DECIDED, INFINITY};

/// Number of positions between two checks for a stop.
const SLICE: u64 = 1 << 10;
/// Reduction of late moves, in 1024ths of a ply, before the part that grows with depth and number.
const REDUCTION_BASE: i32 = 614;
/// Growth of the reduction with ln(depth) x ln(number), in 1024ths of a ply.
const REDUCTION_GROWTH: f32 = 465.0;

/// A line of best play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PvsLine<M> {
    /// Value for the side to move, in hundredths of the cheapest piece; [`plies_to_end`] reads
    /// proven ones.
    pub value: i32,
    /// The moves, of which the first is to be played.
    pub moves: Vec<M>,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct PvsResult<M> {
    /// The best lines, best first. There is at least one.
    pub lines: Vec<PvsLine<M>>,
    /// The last depth that was finished.
    pub depth: i32,
    /// Largest number of plies from the root to a visited position.
    pub selective_depth: usize,
    /// Positions visited.
    pub nodes: u64,
    /// Positions whose result a tablebase had.
    pub tablebase_hits: u64,
    /// Chances of the root, without any search.
    pub standing: Wdl,
}

impl<M> PvsResult<M> {
    /// Returns the chances that a value of this search stands for. The evaluation of the root says
    /// how drawish the game is.
    #[must_use]
    pub fn chances(&self, value: i32) -> Wdl {
        chances_of(value, drawishness(self.standing))
    }
}

/// A ply of the line that is being searched. Its memory is reused for all positions of the ply.
struct Frame<M> {
    moves: Vec<M>,
    /// What the moves are picked by; empty as long as none is scored.
    keys: Vec<i64>,
    /// Place of the table's move, which is picked first.
    first: Option<usize>,
    /// Whether quiet moves are not scored yet.
    has_later: bool,
    /// Quiet and forcing moves that were tried.
    tried: Vec<(M, Indices)>,
    tried_forcing: Vec<M>,
    killers: [Option<M>; 2],
    /// The best line from here.
    line: Vec<M>,
    /// Static evaluation; `None` under a threat.
    standing: Option<i32>,
    /// Arrival of the move that is being searched from here; `None` for a pass.
    arrival: Option<usize>,
    /// A move that is left out, to see how good the others are.
    excluded: Option<M>,
}

impl<M> Default for Frame<M> {
    fn default() -> Self {
        Self {
            moves: Vec::new(),
            keys: Vec::new(),
            first: None,
            has_later: false,
            tried: Vec::new(),
            tried_forcing: Vec::new(),
            killers: [None; 2].map(|_: Option<()>| None),
            line: Vec::new(),
            standing: None,
            arrival: None,
            excluded: None,
        }
    }
}

/// A searcher of one game. Its table and statistics are kept from move to move.
///
/// ```
/// use fusion_game::prelude::*;
/// use fusion_game::toy::{TicTacToe, Variant};
/// use fusion_search::pvs::{Limits, MaterialCount, Pvs, PvsConfig, plies_to_end};
///
/// let rules = Variant::parse("normal").unwrap();
/// let game = TicTacToe::from_text(&rules, "xx.oo....").unwrap();
/// let mut search = Pvs::new(PvsConfig::default(), &rules, Box::new(MaterialCount));
/// let found = search.search(&game, Limits::depth(3), &|| false).unwrap();
/// assert_eq!(game.move_text(found.lines[0].moves[0]), "c1");
/// assert_eq!(plies_to_end(found.lines[0].value), Some(1));
/// ```
pub struct Pvs<G: Tactics> {
    config: PvsConfig,
    table: Table<G::Move>,
    history: History<G>,
    corrections: Corrections<G>,
    evaluator: Box<dyn MoveEvaluator<G>>,
    tablebase: Option<Arc<dyn Tablebase<G>>>,
    tablebase_hits: u64,
    frames: Vec<Frame<G::Move>>,
    reductions: Vec<i32>,
    nodes: u64,
    /// Largest number of plies from the root to a visited position.
    deepest: usize,
    limit: u64,
    until_look: u64,
    stopped: bool,
    /// First moves that are not searched now: those left out, and those of the lines that were found
    /// at this depth.
    found: Vec<G::Move>,
    /// Depth of the current iteration.
    depth: i32,
    /// The first moves to consider; empty for all.
    only: Vec<G::Move>,
    /// Random numbers by which a player draws moves.
    pub(crate) draws: Option<ChaCha8Rng>,
}

/// The position that is being searched, and how the search may be stopped.
struct Run<'a, G> {
    game: G,
    stop: &'a dyn Fn() -> bool,
}

impl<G: Tactics> Pvs<G> {
    /// Creates a searcher of games under a rule set. If there is no memory for its table, the process
    /// ends as after any failed allocation; [`Pvs::try_new`] returns an error instead.
    #[must_use]
    pub fn new(config: PvsConfig, rules: &G::Rules, evaluator: Box<dyn MoveEvaluator<G>>) -> Self {
        Self::with_table(config, rules, evaluator, Table::new(table_bytes(&config)))
    }

    /// Creates a searcher of games under a rule set. A table of several GiB takes seconds. If `stop`
    /// returns true meanwhile, it stays smaller.
    ///
    /// # Errors
    /// Returns an error if there is no memory for the table.
    pub fn try_new(
        config: PvsConfig,
        rules: &G::Rules,
        evaluator: Box<dyn MoveEvaluator<G>>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Self, TryReserveError> {
        let table = Table::try_new(table_bytes(&config), stop)?;
        Ok(Self::with_table(config, rules, evaluator, table))
    }

    fn with_table(
        config: PvsConfig,
        rules: &G::Rules,
        evaluator: Box<dyn MoveEvaluator<G>>,
        table: Table<G::Move>,
    ) -> Self {
        let indices = G::indices(rules);
        let reduction = |i: usize| {
            let (depth, count) = ((i / 64).max(1) as f32, (i % 64).max(1) as f32);
            let growth = REDUCTION_GROWTH * ln(depth) * ln(count);
            REDUCTION_BASE + growth as i32
        };
        Self {
            config,
            table,
            history: History::new(indices),
            corrections: Corrections::new(indices.parts),
            evaluator,
            tablebase: None,
            tablebase_hits: 0,
            frames: std::iter::repeat_with(Frame::default).take(MAX_PLY + 2).collect(),
            reductions: (0..64 * 64).map(reduction).collect(),
            nodes: 0,
            deepest: 0,
            limit: u64::MAX,
            until_look: SLICE,
            stopped: false,
            found: Vec::new(),
            depth: 0,
            only: Vec::new(),
            draws: None,
        }
    }

    /// Adds a tablebase, which must be for the game's rules.
    #[must_use]
    pub fn with_tablebase(mut self, tablebase: Option<Arc<dyn Tablebase<G>>>) -> Self {
        self.tablebase = tablebase;
        self
    }

    /// Sets the random numbers by which a player of this search draws moves where it shall. Without them it
    /// plays the best move.
    #[must_use]
    pub fn with_draws(mut self, draws: ChaCha8Rng) -> Self {
        self.draws = Some(draws);
        self
    }

    /// Returns whether the search has a tablebase.
    #[must_use]
    pub fn has_tablebase(&self) -> bool {
        self.tablebase.is_some()
    }

    /// Returns the share of the transposition table that this search has filled, by a sample of 1,000
    /// entries.
    #[must_use]
    pub fn table_share(&self) -> f32 {
        self.table.share()
    }

    /// Restricts the next searches to these moves of the position that is searched. If none of them
    /// is legal there, all moves are searched.
    pub fn restrict(&mut self, only: &[G::Move]) {
        self.only = only.to_vec();
    }

    /// Searches until a limit is reached or `stop`, which is called from time to time, returns
    /// true. Returns `None` if the game is over.
    pub fn search(
        &mut self,
        game: &G,
        limits: Limits,
        stop: &dyn Fn() -> bool,
    ) -> Option<PvsResult<G::Move>> {
        self.search_with(game, limits, stop, |_, _| {})
    }

    /// Searches like [`Pvs::search`], and calls `report` with the searcher and the result of each
    /// depth.
    pub fn search_with(
        &mut self,
        game: &G,
        limits: Limits,
        stop: &dyn Fn() -> bool,
        report: impl FnMut(&Self, &PvsResult<G::Move>),
    ) -> Option<PvsResult<G::Move>> {
        self.search_on(game, limits, stop, report, None)
    }

    /// Continues a search of the same position that ended by its number of positions. `limits.nodes`
    /// counts those of the earlier search as well. The depth that was not finished begins anew, with
    /// the table of what was searched. So a search in parts may visit other positions than one
    /// without a break.
    pub fn resume(
        &mut self,
        game: &G,
        limits: Limits,
        stop: &dyn Fn() -> bool,
        before: PvsResult<G::Move>,
    ) -> Option<PvsResult<G::Move>> {
        self.search_on(game, limits, stop, |_, _| {}, Some(before))
    }

    fn search_on(
        &mut self,
        game: &G,
        limits: Limits,
        stop: &dyn Fn() -> bool,
        mut report: impl FnMut(&Self, &PvsResult<G::Move>),
        before: Option<PvsResult<G::Move>>,
    ) -> Option<PvsResult<G::Move>> {
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        if game.outcome(&moves).is_some() {
            return None;
        }
        let is_restricted = moves.iter().any(|mv| self.only.contains(mv));
        let is_left_out = |mv: &mut G::Move| is_restricted && !self.only.contains(mv);
        let left_out: Vec<G::Move> = moves.extract_if(.., is_left_out).collect();
        self.begin(game, limits, before.as_ref());
        let mut run = Run { game: game.clone(), stop };
        let mut result = before.unwrap_or_else(|| PvsResult {
            lines: vec![PvsLine { value: 0, moves: moves[..1].to_vec() }],
            depth: 0,
            selective_depth: 0,
            nodes: 0,
            tablebase_hits: 0,
            standing: self.evaluator.chances(game),
        });
        let count = limits.lines.clamp(1, moves.len());
        for depth in result.depth + 1..=limits.depth.min(MAX_PLY as i32 / 2) {
            self.depth = depth;
            self.found.clone_from(&left_out);
            let before = std::mem::take(&mut result.lines);
            for i in 0..count {
                let guess = before.get(i).map(|line| line.value);
                match self.aspire(&mut run, depth, guess) {
                    Some(line) => {
                        self.found.extend(line.moves.first());
                        result.lines.push(line);
                    }
                    None => break,
                }
            }
            result.lines.sort_by_key(|line| -line.value);
            let finished = !self.stopped;
            // Lines of the unfinished depth come first; of the depth before, those that they lack.
            let first = |line: &PvsLine<G::Move>| line.moves.first().copied();
            for line in before {
                let known = result.lines.iter().any(|other| first(other) == first(&line));
                if result.lines.len() < count && !known {
                    result.lines.push(line);
                }
            }
            (result.nodes, result.tablebase_hits) = (self.nodes, self.tablebase_hits);
            result.selective_depth = self.deepest;
            if !finished {
                break;
            }
            result.depth = depth;
            report(self, &result);
            let best = result.lines[0].value;
            let is_proven = plies_to_end(best).is_some_and(|plies| plies.abs() <= depth);
            if self.nodes >= limits.nodes || is_proven && count == 1 {
                break;
            }
        }
        Some(result)
    }

    fn begin(&mut self, game: &G, limits: Limits, before: Option<&PvsResult<G::Move>>) {
        if before.is_none() {
            self.table.begin();
        }
        self.evaluator.begin(game);
        self.nodes = before.map_or(0, |before| before.nodes);
        self.deepest = before.map_or(0, |before| before.selective_depth);
        self.limit = limits.nodes;
        self.until_look = SLICE;
        self.stopped = false;
        self.tablebase_hits = before.map_or(0, |before| before.tablebase_hits);
        for frame in &mut self.frames {
            frame.killers = [None; 2];
            frame.excluded = None;
            frame.standing = None;
            frame.arrival = None;
        }
    }

    /// Searches the root to a depth, first with a narrow window about the value that is expected.
    /// Returns `None` if the search was stopped before it found a move.
    fn aspire(
        &mut self,
        run: &mut Run<'_, G>,
        depth: i32,
        guess: Option<i32>,
    ) -> Option<PvsLine<G::Move>> {
        let mut margin = 25;
        let mut window = match guess {
            Some(guess) if depth >= 5 && guess.abs() < DECIDED => Window {
                alpha: (guess - margin).max(-INFINITY),
                beta: (guess + margin).min(INFINITY),
            },
            _ => Window::OPEN,
        };
        let mut best = None;
        loop {
            self.frames[0].line.clear();
            let Window { alpha, beta } = window;
            let value = self.node(run, Kind::Pv, 0, depth, window);
            let line = &self.frames[0].line;
            // A stopped search keeps the moves that it has finished, if one raised alpha.
            if !line.is_empty() && value > alpha {
                best = Some(PvsLine { value, moves: line.clone() });
            }
            if self.stopped {
                return best;
            }
            if value <= alpha && alpha > -INFINITY {
                window.beta = i32::midpoint(alpha, beta);
                window.alpha = (value - margin).max(-INFINITY);
            } else if value >= beta && beta < INFINITY {
                window.beta = (value + margin).min(INFINITY);
            } else {
                return best;
            }
            margin += margin / 2 + 10;
            if margin > 1_000 {
                window = Window::OPEN;
            }
        }
    }

    /// Counts a position. Returns true if the search has to stop; a stopped one counts no more.
    fn count(&mut self, run: &Run<'_, G>, ply: usize) -> bool {
        if self.stopped {
            return true;
        }
        self.nodes += 1;
        self.deepest = self.deepest.max(ply);
        self.until_look -= 1;
        if self.until_look == 0 {
            self.until_look = SLICE;
            self.stopped |= (run.stop)();
        }
        self.stopped |= self.nodes >= self.limit;
        self.stopped
    }

    /// Makes a move in the position of a ply.
    fn make(&mut self, run: &mut Run<'_, G>, mv: G::Move) -> G::Undo {
        let undo = run.game.make(mv);
        self.table.prefetch(run.game.hash());
        self.evaluator.make(&run.game, &undo);
        undo
    }

    fn unmake(&mut self, run: &mut Run<'_, G>, undo: &G::Undo) {
        run.game.unmake(undo);
        self.evaluator.unmake();
    }

    /// Returns the static evaluation of the current position.
    fn standing(&mut self, run: &Run<'_, G>) -> i32 {
        self.evaluator.value(&run.game).clamp(-MOST_VALUE, MOST_VALUE)
    }

    /// Returns the static evaluation of the current position as the game's searches correct it.
    fn corrected(&self, run: &Run<'_, G>, standing: i32) -> i32 {
        let correction = self.corrections.of(&run.game);
        (standing + correction).clamp(-MOST_VALUE, MOST_VALUE)
    }

    /// Returns the arrivals one and two plies before a ply.
    fn arrivals_before(&self, ply: usize) -> [Option<usize>; 2] {
        [1, 2].map(|back| ply.checked_sub(back).and_then(|ply| self.frames[ply].arrival))
    }
}

fn table_bytes(config: &PvsConfig) -> usize {
    (config.table_mib as usize) << 20
}

/// Returns the value of a game that is over `ply` plies after the root.
fn decided(outcome: Outcome, side: Side, ply: usize) -> i32 {
    match outcome.winner {
        None => 0,
        Some(winner) if winner == side => MATE - ply as i32,
        Some(_) => ply as i32 - MATE,
    }
}

/// Returns the value of a game that ends by repetition. A win depends on the way to the position, so
/// it is not among the proven wins.
fn repeated(outcome: Outcome, side: Side) -> i32 {
    match outcome.winner {
        None => 0,
        Some(winner) if winner == side => DECIDED,
        Some(_) => -DECIDED,
    }
}

#[cfg(test)]
mod tests;
