//! Monte-Carlo tree search with a policy and a win/draw/loss value.
//!
//! A playout is a descent to a leaf, an evaluation and a backup. Descent and backup are separate
//! steps without threads or clocks. The caller decides how leaves are evaluated and when to stop. A
//! leaf is valued on its first visit. On its second visit it is expanded with its policy. Ends of
//! the game are exact: proven wins, losses and draws are backed up as proofs. The results of an
//! [`Tablebase`], if there is one, are backed up as proofs as well.

mod choice;
mod player;
mod playout;
mod priors;
pub mod pvs;
mod ranking;
mod tablebase;
mod training;
mod tree;
mod turns;

pub use player::{Choices, Effort, Player, PlayerError, Thought, TreePlayer};
pub use ranking::Line;
pub use training::{TrainingConfig, TrainingResult, TrainingSearch};
pub use tree::Proof;

use fusion_game::evaluator::{Evaluation, Wdl};
use fusion_game::tablebase::Tablebase;
use fusion_game::{Game, Side};
use priors::Priors;
use serde::{Deserialize, Serialize};
use std::collections::TryReserveError;
use std::sync::Arc;
use tree::Tree;

/// The parameters of a search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SearchConfig {
    /// Weight of the policy against the value, for scores from 0 to 1 (PUCT).
    pub c_puct: f32,
    /// Divisor of the policy's logits. Above 1, moves with a low prior are tried earlier.
    pub policy_temperature: f32,
    /// Largest value of a shorter win or a longer loss, as a share of the score. Without it a
    /// winning player has no reason to finish the game.
    pub haste: f32,
    /// Number of standard errors that are subtracted from a move's score when the move to play is
    /// chosen. This lower confidence bound reduces the weight of a good score with few visits.
    pub lcb: f32,
    /// Whether the move to play is the most visited one instead of the one with the highest lower
    /// bound, as AlphaZero's is. `lcb` then has no effect.
    pub most_visited: bool,
    /// Largest number of nodes of a tree. A full tree is still searched, but not expanded.
    pub max_nodes: u32,
    /// What a draw lacks for the player who searches, as a share of half a point: a draw is worth
    /// `(1 - contempt) / 2` to this player. Above 0 the player avoids draws, as it should against a
    /// weaker one; below 0 it seeks them.
    pub contempt: f32,
    /// Whether positions before the root count as occurrences. If not, a repetition is a draw only
    /// within the search. What a search found stays in the part of its tree that is kept after a
    /// move, draws by repetition of what is then before the root included.
    pub history: bool,
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self {
            c_puct: 0.5,
            policy_temperature: 1.3,
            haste: 0.1,
            lcb: 1.0,
            most_visited: false,
            max_nodes: 1 << 20,
            contempt: 0.0,
            history: true,
        }
    }
}

/// Bonus for game length: a player who expects to win prefers a shorter game, and a player who
/// expects to lose prefers a longer one.
#[derive(Clone, Copy, Debug)]
struct Urge {
    weight: f32,
    /// Plies that remain after a move of average length.
    usual: f32,
}

impl Urge {
    /// Difference in plies that gives the whole weight.
    const PLIES: f32 = 20.0;
    /// Distance from an even score above which length matters.
    const FROM: f32 = 0.25;

    /// Returns the bonus for the player to move at a node with this score and length.
    fn new(config: &SearchConfig, score: f32, plies: f32) -> Self {
        let ahead = score - 0.5;
        let decided = ((ahead.abs() - Self::FROM) / (0.5 - Self::FROM)).max(0.0);
        Self { weight: config.haste * decided.copysign(ahead), usual: plies - 1.0 }
    }

    /// Returns the gain or loss of a move that leaves this many plies.
    fn of(self, plies: f32) -> f32 {
        self.weight * ((self.usual - plies) / Self::PLIES).clamp(-1.0, 1.0)
    }
}

/// Visits at which the weight of the policy begins to grow logarithmically.
const GROWTH_VISITS: f32 = 4000.0;

/// Initial capacity for the moves of a position and the plies of a path.
const ROOM: usize = 256;

/// The input that a descent needs to continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// A value of [`Search::leaf`], passed to [`Search::backup`].
    Value,
    /// Logits over [`Search::leaf_moves`], passed to [`Search::expand`]. Then the descent
    /// continues.
    Policy,
    /// Nothing: the descent reached a proven node or the end of the game, which is already backed
    /// up.
    Nothing,
}

/// A root move with its statistics, for the side to move.
#[derive(Clone, Copy, Debug)]
pub struct Child<M> {
    /// The move.
    pub mv: M,
    /// The policy's probability.
    pub prior: f32,
    /// Playouts through the move.
    pub visits: u32,
    /// Mean chances, exact if proven.
    pub wdl: Wdl,
    /// Proven result of the move.
    pub proof: Proof,
}

/// A search of one game: its position, its tree, and the current descent.
///
/// ```
/// use fusion_game::evaluator::Uniform;
/// use fusion_game::prelude::*;
/// use fusion_game::toy::{TicTacToe, Variant};
/// use fusion_search::{Proof, Search, SearchConfig};
///
/// // Three moves win at once; one of them is enough for a proof.
/// let game = TicTacToe::from_text(&Variant::parse("normal").unwrap(), "xx.oo....").unwrap();
/// let mut search = Search::new(SearchConfig::default(), game);
/// search.run(&mut Uniform { seed: 1 }, 10);
/// assert_eq!(search.proof(), Proof::First);
/// assert_eq!(search.plies_to_mate(), Some(1));
/// ```
#[derive(Clone)]
pub struct Search<G: Game> {
    config: SearchConfig,
    game: G,
    tree: Tree<G::Move>,
    /// The player from whose view the root's statistics are kept.
    root_mover: Side,
    cursor: G,
    /// Nodes from the root to the leaf, each with the player who moved there.
    path: Vec<(u32, Side)>,
    moves: Vec<G::Move>,
    logits: Vec<f32>,
    priors: Priors,
    tablebase: Option<Arc<dyn Tablebase<G>>>,
    tablebase_hits: u64,
}

impl<G: Game> Search<G> {
    /// Bytes of memory for each node of a tree: the node, and its new place when the root changes.
    pub const NODE_BYTES: usize = size_of::<tree::Node<G::Move>>() + size_of::<u32>();

    /// Creates a search with an empty tree.
    #[must_use]
    pub fn new(config: SearchConfig, mut game: G) -> Self {
        if !config.history {
            game.forget_history();
        }
        Self {
            config,
            tree: Tree::new((config.max_nodes as usize).max(1024)),
            root_mover: game.side_to_move().other(),
            cursor: game.clone(),
            game,
            path: Vec::with_capacity(ROOM),
            moves: Vec::with_capacity(ROOM),
            logits: Vec::with_capacity(ROOM),
            priors: Priors::new(ROOM),
            tablebase: None,
            tablebase_hits: 0,
        }
    }

    /// Reserves memory for the whole tree. Without this, the tree takes memory as it grows, and the
    /// process ends if there is none.
    ///
    /// # Errors
    /// Returns an error if there is not so much memory.
    pub fn reserve(&mut self) -> Result<(), TryReserveError> {
        self.tree.reserve()
    }

    /// Creates a search of another game with the same rules and settings.
    #[must_use]
    pub fn afresh(&self, game: G) -> Self {
        Self::new(self.config, game).with_tablebase(self.tablebase.clone())
    }

    /// Returns the game at the root.
    #[must_use]
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Plays a legal move and keeps its subtree.
    pub fn advance(&mut self, mv: G::Move) {
        self.root_mover = self.game.side_to_move();
        self.game.play(mv);
        if !self.config.history {
            self.game.forget_history();
        }
        let same_turn = self.game.side_to_move() == self.root_mover;
        self.tree.descend_root(mv, same_turn);
        if self.tree.root().visits == 0 {
            self.root_mover = self.game.side_to_move().other();
        }
        self.tablebase_hits = 0;
        self.ask_about_moves();
    }

    /// Returns the number of playouts through the root, including those kept from earlier searches.
    #[must_use]
    pub fn visits(&self) -> u32 {
        self.tree.root().visits
    }

    /// Returns the number of nodes in the tree.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.tree.nodes.len()
    }

    /// Returns how full the tree is, from 0 to 1.
    #[must_use]
    pub fn fullness(&self) -> f32 {
        self.nodes() as f32 / self.config.max_nodes.max(1024) as f32
    }

    /// Returns the root's chances for the side to move, exact if proven.
    #[must_use]
    pub fn wdl(&self) -> Wdl {
        let side = self.game.side_to_move();
        let root = self.tree.root();
        root.proof.wdl(side).unwrap_or_else(|| root.wdl().seen_by(self.root_mover, side))
    }

    /// Returns the proven result of the root.
    #[must_use]
    pub fn proof(&self) -> Proof {
        self.tree.root().proof
    }

    /// Starts a descent from the root, or from one of its children.
    pub fn begin(&mut self, first: Option<usize>) {
        self.cursor.clone_from(&self.game);
        self.path.clear();
        self.path.push((0, self.root_mover));
        if let Some(child) = first {
            self.step(0, child);
        }
    }

    /// Returns the position that a [`Request`] refers to.
    #[must_use]
    pub fn leaf(&self) -> &G {
        &self.cursor
    }

    /// Returns the number of moves from the root to [`Search::leaf`].
    #[must_use]
    pub fn depth(&self) -> usize {
        self.path.len().saturating_sub(1)
    }

    /// Returns the legal moves of [`Search::leaf`] when its policy is requested.
    #[must_use]
    pub fn leaf_moves(&self) -> &[G::Move] {
        &self.moves
    }

    fn last(&self) -> usize {
        self.path.last().map_or(0, |&(node, _)| node as usize)
    }

    /// Descends from a node to one of its children.
    fn step(&mut self, node: usize, child: usize) {
        let parent = &mut self.tree.nodes[node];
        parent.opened = parent.opened.max(child as u16 + 1);
        let node = parent.first_child as usize + child;
        if let Some(mv) = self.tree.nodes[node].mv {
            self.path.push((node as u32, self.cursor.side_to_move()));
            self.cursor.play(mv);
        }
    }

    /// Descends to a leaf and returns the input that the leaf needs.
    pub fn descend(&mut self) -> Request {
        loop {
            let index = self.last();
            let node = &self.tree.nodes[index];
            // The root's own proof does not stop a descent: the caller wants the root searched.
            if let Some(wdl) = node.proof.wdl(self.cursor.side_to_move())
                && index != 0
            {
                // The end of a proven game may still be far away.
                let plies = node.plies;
                self.backup(Evaluation { wdl, plies });
                return Request::Nothing;
            }
            if node.children > 0 {
                self.step(index, self.select_child(index));
                continue;
            }
            if node.visits > 0 {
                if self.transposition().is_some_and(|position| self.tree.join(index, position)) {
                    continue;
                }
                self.moves.clear();
                self.cursor.legal_moves(&mut self.moves);
                let room = self.tree.has_room(self.moves.len());
                return if room { Request::Policy } else { Request::Value };
            }
            if let Some(outcome) = self.cursor.outcome_now() {
                self.tree.nodes[index].proof = Proof::of(outcome.winner);
                let winner = outcome.winner;
                let wdl =
                    winner.map_or(Wdl::DRAW, |w| Wdl::WIN.seen_by(w, self.cursor.side_to_move()));
                self.backup(Evaluation::end(wdl));
                return Request::Nothing;
            }
            // The root is excluded: the search has to find a move there, not only the result.
            if self.tablebase.is_some() && index != 0 && self.prove_leaf(index) {
                return Request::Nothing;
            }
            return Request::Value;
        }
    }

    /// Selects a child by PUCT, with scores for the side to move at the node. Of the children that
    /// were never visited only the first is a candidate: it has the highest prior. It is rated like its
    /// parent.
    fn select_child(&self, index: usize) -> usize {
        let node = &self.tree.nodes[index];
        let side = self.cursor.side_to_move();
        let mover = self.path.last().map_or(self.root_mover, |&(_, mover)| mover);
        let own = self.mean(node, mover).unwrap_or(0.5);
        let own = if mover == side { own } else { 1.0 - own };
        let urge = Urge::new(&self.config, own, node.plies);
        let visits = self.tree.visits_below(index) as f32;
        let growth = ((visits + GROWTH_VISITS) / GROWTH_VISITS).ln();
        let weight = self.config.c_puct * (1.0 + growth) * visits.sqrt();

        let children = self.tree.children(index);
        let mut best = (f32::MIN, 0);
        let mut unvisited = None;
        for (i, child) in children.iter().take(usize::from(node.opened) + 1).enumerate() {
            let Some(mean) = self.mean(child, side) else {
                unvisited = unvisited.or(Some(i));
                continue;
            };
            let exploration = weight * child.prior / (1.0 + child.visits as f32);
            let score = if child.proof == Proof::Unknown {
                mean + exploration + urge.of(child.plies)
            } else {
                child.proof.wdl(side).map_or(0.0, |wdl| match wdl {
                    // A proven loss ranks below every unproven move, whatever its prior.
                    Wdl::LOSS => -1.0,
                    _ => wdl.score() + self.bonus_of_draws(side) * wdl.draw + exploration,
                })
            };
            if score > best.0 {
                best = (score, i);
            }
        }
        if let Some(i) = unvisited
            && own + weight * children[i].prior > best.0
        {
            return i;
        }
        best.1
    }

    /// Returns what a draw is worth to a player, above half a point.
    fn bonus_of_draws(&self, side: Side) -> f32 {
        let bonus = self.config.contempt / 2.0;
        if side == self.game.side_to_move() { -bonus } else { bonus }
    }

    /// Returns a node's mean score for the player who made its move. `None` if it has no visits.
    fn mean(&self, node: &tree::Node<G::Move>, mover: Side) -> Option<f32> {
        Some(node.mean()? + self.bonus_of_draws(mover) * node.draw)
    }

    /// Expands the leaf: adds its children, most probable first. `logits` has one logit for each
    /// leaf move.
    ///
    /// A move that wins at once is proven as a win, and so is the leaf. Without this proof the
    /// search would rarely try a winning move with a low prior.
    pub fn expand(&mut self, logits: &[f32]) {
        let winning = self.cursor.winning_move(&self.moves);
        let sorted = self.priors.sorted(logits, self.config.policy_temperature).iter();
        let children = sorted.map(|&(i, prior)| (self.moves[usize::from(i)], prior));
        let node = self.path.last().map_or(0, |&(node, _)| node as usize);
        self.tree.expand(node, self.cursor.side_to_move(), children);
        if let Some(position) = self.transposition() {
            self.tree.share(node, position);
        }
        if let Some(winning) = winning {
            let mv = Some(self.moves[winning]);
            let range = self.tree.nodes[node].range();
            let win = Proof::of(Some(self.cursor.side_to_move()));
            if let Some(child) = self.tree.nodes[range].iter_mut().find(|child| child.mv == mv) {
                child.proof = win;
            }
            self.tree.nodes[node].proof = win;
            self.tree.nodes[node].plies = 1.0;
        }
        if node == 0 {
            self.ask_about_moves();
        }
    }

    /// Backs up the leaf's evaluation, from the view of its side to move, to every node of the
    /// path, and updates the proofs along the path.
    pub fn backup(&mut self, leaf: Evaluation) {
        let Evaluation { wdl, mut plies } = leaf;
        let side = self.cursor.side_to_move();
        let mut child_is_proven = false;
        for depth in (0..self.path.len()).rev() {
            let (index, mover) = self.path[depth];
            let index = index as usize;
            if child_is_proven {
                let to_move = self.path[depth + 1].1;
                self.tree.nodes[index].proof = self.proof_from_children(index, to_move);
            }
            let node = &mut self.tree.nodes[index];
            node.add(wdl.seen_by(side, mover), plies);
            plies += 1.0;
            child_is_proven = node.proof != Proof::Unknown;
            if child_is_proven
                && self.tablebase.is_some()
                && let Some(&(_, to_move)) = self.path.get(depth + 1)
            {
                self.count_plies(index, to_move);
            }
        }
    }

    /// Returns the proof that follows from a node's children. One win for the side to move proves a
    /// win. Otherwise the best child's result is proven once all children are proven.
    fn proof_from_children(&self, index: usize, to_move: Side) -> Proof {
        let win = Proof::of(Some(to_move));
        let mut best = Proof::of(Some(to_move.other()));
        let mut complete = true;
        for child in self.tree.children(index) {
            match child.proof {
                proof if proof == win => return win,
                Proof::Unknown => complete = false,
                Proof::Draw => best = Proof::Draw,
                _ => {}
            }
        }
        if complete { best } else { Proof::Unknown }
    }

    /// Returns the root's moves with their statistics, most probable first.
    #[must_use]
    pub fn children(&self) -> Vec<Child<G::Move>> {
        let side = self.game.side_to_move();
        let child = |node: &tree::Node<G::Move>| {
            let wdl = node.proof.wdl(side).unwrap_or_else(|| node.wdl());
            let (prior, visits, proof) = (node.prior, node.visits, node.proof);
            Some(Child { mv: node.mv?, prior, visits, wdl, proof })
        };
        self.tree.children(0).iter().filter_map(child).collect()
    }

    /// Returns the most visited line from the root.
    #[must_use]
    pub fn principal_variation(&self) -> Vec<G::Move> {
        let mut line = Vec::new();
        let mut index = 0;
        loop {
            let range = self.tree.nodes[index].range();
            let Some(next) = range.rev().max_by_key(|&i| self.tree.nodes[i].visits) else {
                return line;
            };
            let node = &self.tree.nodes[next];
            if node.visits == 0 {
                return line;
            }
            line.extend(node.mv);
            index = next;
        }
    }
}

#[cfg(test)]
mod tests;
