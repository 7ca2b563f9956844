//! The search tree: one arena in which siblings are contiguous and sorted by prior.

use fusion_game::Side;
use fusion_game::evaluator::Wdl;
use std::collections::{HashMap, TryReserveError};

/// Proven result of a position with best play by both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Proof {
    /// Not proven.
    #[default]
    Unknown,
    /// A draw.
    Draw,
    /// Won by the first player.
    First,
    /// Won by the second player.
    Second,
}

impl Proof {
    /// Returns the proof of a result; `None` is a draw.
    #[must_use]
    pub fn of(winner: Option<Side>) -> Self {
        match winner {
            None => Proof::Draw,
            Some(Side::First) => Proof::First,
            Some(Side::Second) => Proof::Second,
        }
    }

    /// Returns the proven chances from a player's view.
    #[must_use]
    pub fn wdl(self, side: Side) -> Option<Wdl> {
        let winner = match self {
            Proof::Unknown => return None,
            Proof::Draw => return Some(Wdl::DRAW),
            Proof::First => Side::First,
            Proof::Second => Side::Second,
        };
        Some(Wdl::WIN.seen_by(winner, side))
    }
}

/// A position in the tree and the move that led to it. Statistics are from the view of
/// the player who made that move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<M> {
    /// Sum of expected scores over visits.
    pub(super) score: f64,
    /// Mean draw chance.
    pub(super) draw: f32,
    /// Mean number of plies from here to the end of the game.
    pub(super) plies: f32,
    pub(super) visits: u32,
    /// Probability that the policy gives the move.
    pub(super) prior: f32,
    pub(super) first_child: u32,
    /// Zero until expanded.
    pub(super) children: u16,
    /// Index of the first child that PUCT has not reached: neither this child nor any later one has
    /// visits. PUCT visits children in the order of their priors, so it looks at no more than one
    /// of these.
    pub(super) opened: u16,
    pub(super) proof: Proof,
    /// Side to move in this position. Valid only if the node has children.
    pub(super) to_move: Side,
    /// Whether other nodes with the same position may have the same children.
    pub(super) shares_children: bool,
    pub(super) mv: Option<M>,
}

impl<M> Node<M> {
    pub(super) fn new(mv: Option<M>, prior: f32) -> Self {
        Self {
            score: 0.0,
            draw: 0.0,
            plies: 0.0,
            visits: 0,
            prior,
            first_child: 0,
            children: 0,
            opened: 0,
            proof: Proof::Unknown,
            to_move: Side::First,
            shares_children: false,
            mv,
        }
    }

    /// Returns the mean expected score for the player who made the move. `None` before any visit.
    pub(super) fn mean(&self) -> Option<f32> {
        (self.visits > 0).then(|| (self.score / f64::from(self.visits)) as f32)
    }

    /// Adds the result of a playout for the player who made the move.
    pub(super) fn add(&mut self, wdl: Wdl, plies: f32) {
        self.visits += 1;
        self.score += f64::from(wdl.score());
        let share = 1.0 / self.visits as f32;
        self.draw += (wdl.draw - self.draw) * share;
        self.plies += (plies - self.plies) * share;
    }

    /// Returns the mean chances for the player who made the move.
    pub(super) fn wdl(&self) -> Wdl {
        if self.visits == 0 {
            return Wdl::NEUTRAL;
        }
        let draw = f64::from(self.draw);
        let win = self.score / f64::from(self.visits) - draw / 2.0;
        Wdl { win: win as f32, draw: self.draw, loss: (1.0 - win - draw) as f32 }
    }

    pub(super) fn range(&self) -> std::ops::Range<usize> {
        let first = self.first_child as usize;
        first..first + usize::from(self.children)
    }
}

/// The nodes of one game's search. The root is the first node.
#[derive(Clone, Debug)]
pub(super) struct Tree<M> {
    pub(super) nodes: Vec<Node<M>>,
    capacity: usize,
    /// Children of the positions that different orders of a turn's plies may reach.
    shared: HashMap<Transposition, Siblings>,
    /// New places of the nodes while the root changes. The memory is reused.
    places: Vec<u32>,
}

/// A position that different orders of a turn's plies may reach.
///
/// Only orders within one turn are joined. What lies before the turn is then the same, and with it
/// the history that repetition depends on. Equal numbers of plies exclude cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Transposition {
    /// First child of the position in which the turn began. [`Transposition::BEFORE_ROOT`] if it began
    /// before the root.
    pub(super) turn: u32,
    /// Number of plies of the turn, counted from the root if the turn began before it.
    pub(super) plies: u32,
    /// Hash of the position.
    pub(super) hash: u64,
}

impl Transposition {
    /// No first child has this index, since it is the root's.
    pub(super) const BEFORE_ROOT: u32 = 0;
    /// A single ply has no other order.
    pub(super) const LEAST_PLIES: u32 = 2;
}

/// The children of a position.
#[derive(Clone, Copy, Debug)]
struct Siblings {
    first: u32,
    count: u16,
    to_move: Side,
}

/// Place of a node that is dropped.
const DROPPED: u32 = u32::MAX;
/// Place of a node that is kept and has no place yet.
const KEPT: u32 = u32::MAX - 1;

/// Reserves memory for more elements. The capacity doubles as in a vector, but doubling never takes
/// it beyond `limit`: the memory limit of a tree is documented for users.
fn make_room<T>(nodes: &mut Vec<T>, more: usize, limit: usize) {
    let needed = nodes.len() + more;
    if needed > nodes.capacity() {
        let wanted = (2 * nodes.capacity()).min(limit).max(needed);
        nodes.reserve_exact(wanted - nodes.len());
    }
}

impl<M: Copy + PartialEq> Tree<M> {
    pub(super) fn new(capacity: usize) -> Self {
        let (nodes, places) = (Vec::new(), Vec::new());
        let mut tree = Self { nodes, capacity, shared: HashMap::new(), places };
        tree.clear();
        tree
    }

    /// Reserves memory for all nodes, so that none has to be found during the search.
    pub(super) fn reserve(&mut self) -> Result<(), TryReserveError> {
        self.nodes.try_reserve_exact(self.capacity - self.nodes.len())?;
        self.places.try_reserve_exact(self.capacity)
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.nodes.push(Node::new(None, 1.0));
        self.shared.clear();
    }

    pub(super) fn root(&self) -> &Node<M> {
        &self.nodes[0]
    }

    pub(super) fn children(&self, node: usize) -> &[Node<M>] {
        &self.nodes[self.nodes[node].range()]
    }

    /// Returns the number of playouts at an expanded node, those of other nodes with the same
    /// children included.
    pub(super) fn visits_below(&self, node: usize) -> u32 {
        let Node { visits, shares_children, .. } = self.nodes[node];
        if !shares_children {
            return visits;
        }
        1 + self.children(node).iter().map(|child| child.visits).sum::<u32>()
    }

    /// Returns whether `nodes` more nodes fit.
    pub(super) fn has_room(&self, nodes: usize) -> bool {
        self.nodes.len() + nodes <= self.capacity
    }

    /// Adds the moves of the side to move as children, unless they would exceed the capacity.
    pub(super) fn expand(
        &mut self,
        node: usize,
        to_move: Side,
        children: impl ExactSizeIterator<Item = (M, f32)>,
    ) {
        let count = children.len();
        let (Ok(first), Ok(count16)) = (u32::try_from(self.nodes.len()), u16::try_from(count))
        else {
            return;
        };
        if !self.has_room(count) {
            return;
        }
        make_room(&mut self.nodes, count, self.capacity);
        self.nodes.extend(children.map(|(mv, prior)| Node::new(Some(mv), prior)));
        self.nodes[node].first_child = first;
        self.nodes[node].children = count16;
        self.nodes[node].to_move = to_move;
    }

    /// Gives a node without children those of the same position, if another order of the turn's
    /// plies has expanded it. Returns whether it has.
    pub(super) fn join(&mut self, node: usize, position: Transposition) -> bool {
        let Some(&Siblings { first, count, to_move }) = self.shared.get(&position) else {
            return false;
        };
        let node = &mut self.nodes[node];
        (node.first_child, node.children, node.to_move) = (first, count, to_move);
        (node.opened, node.shares_children) = (count, true);
        true
    }

    /// Lets other orders of the turn's plies have an expanded node's children.
    pub(super) fn share(&mut self, node: usize, position: Transposition) {
        let node = &mut self.nodes[node];
        if node.children > 0 {
            (node.opened, node.shares_children) = (node.children, true);
            let (first, count, to_move) = (node.first_child, node.children, node.to_move);
            self.shared.insert(position, Siblings { first, count, to_move });
        }
    }

    /// Makes a child of the root the new root and drops all nodes that are not below it. If there
    /// is no such child, the tree is emptied. `same_turn` says whether the turn goes on.
    pub(super) fn descend_root(&mut self, mv: M, same_turn: bool) {
        let Some(child) = self.nodes[0].range().find(|&i| self.nodes[i].mv == Some(mv)) else {
            self.clear();
            return;
        };
        let turn = self.nodes[0].first_child;
        self.mark_below(child);
        // The old root makes room for the new one. The others slide down in order.
        self.places[child] = 0;
        self.nodes[0] = self.nodes[child];
        let mut next = 1;
        for index in 1..self.nodes.len() {
            if self.places[index] == KEPT {
                self.places[index] = next;
                self.nodes[next as usize] = self.nodes[index];
                next += 1;
            }
        }
        self.nodes.truncate(next as usize);
        let places = &self.places;
        let parents = self.nodes.iter_mut().filter(|node| node.children > 0);
        parents.for_each(|node| node.first_child = places[node.first_child as usize]);
        if !self.shared.is_empty() {
            self.move_shared(turn, same_turn);
        }
    }

    /// Marks the nodes below a node to be kept, and all others to be dropped.
    fn mark_below(&mut self, node: usize) {
        self.places.clear();
        make_room(&mut self.places, self.nodes.len(), self.capacity);
        self.places.resize(self.nodes.len(), DROPPED);
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let range = self.nodes[node].range();
            if range.is_empty() || self.places[range.start] == KEPT {
                continue;
            }
            self.places[range.clone()].fill(KEPT);
            open.extend(range.filter(|&child| self.nodes[child].children > 0));
        }
    }

    /// Renames the shared children after the root has changed, and drops those that are gone.
    /// `root_turn` is the old root's first child.
    fn move_shared(&mut self, root_turn: u32, same_turn: bool) {
        let places = &self.places;
        let place = |first: u32| Some(places[first as usize]).filter(|&place| place != DROPPED);
        let moved = |(at, siblings): (Transposition, Siblings)| {
            let siblings = Siblings { first: place(siblings.first)?, ..siblings };
            if at.turn != Transposition::BEFORE_ROOT && at.turn != root_turn {
                return Some((Transposition { turn: place(at.turn)?, ..at }, siblings));
            }
            let at = Transposition { turn: Transposition::BEFORE_ROOT, plies: at.plies - 1, ..at };
            (same_turn && at.plies >= Transposition::LEAST_PLIES).then_some((at, siblings))
        };
        self.shared = std::mem::take(&mut self.shared).into_iter().filter_map(moved).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn memory_stays_within_the_capacity() {
        let capacity = 1_100;
        let mut tree = Tree::new(capacity);
        for node in 0.. {
            if !tree.has_room(10) {
                break;
            }
            tree.expand(node, Side::First, (0..10u8).map(|mv| (mv, 0.1)));
        }
        assert!(tree.nodes.len() > 1_080 && tree.nodes.capacity() <= capacity);
        tree.descend_root(3, false);
        assert!(tree.nodes.len() > 100 && tree.nodes.capacity() <= capacity);
        assert!(tree.places.capacity() <= capacity);
    }

    /// Returns the nodes below a node, in order, with everything but their places.
    fn below(tree: &Tree<u16>, node: usize) -> Vec<(Option<u16>, u32, u16, Side)> {
        let Node { mv, visits, children, to_move, .. } = tree.nodes[node];
        let mut list = vec![(mv, visits, children, to_move)];
        list.extend(tree.nodes[node].range().flat_map(|child| below(tree, child)));
        list
    }

    proptest! {
        #[test]
        fn what_lies_below_a_move_is_kept(
            expansions in prop::collection::vec((any::<prop::sample::Index>(), 0u16..9), 1..60),
            moves in prop::collection::vec(0u16..9, 1..5),
        ) {
            let mut tree = Tree::new(10_000);
            tree.expand(0, Side::First, (0..9).map(|mv| (mv, 0.1)));
            for (choice, count) in expansions {
                let node = choice.index(tree.nodes.len());
                if tree.nodes[node].children == 0 {
                    let side = [Side::First, Side::Second][node % 2];
                    tree.expand(node, side, (0..count).map(|mv| (mv, 0.1)));
                }
                tree.nodes[node].visits = tree.nodes.len() as u32;
            }
            for mv in moves {
                let Some(child) = tree.nodes[0].range().nth(mv.into()) else {
                    break;
                };
                let expected = below(&tree, child);
                tree.descend_root(mv, false);
                prop_assert_eq!(below(&tree, 0), &*expected);
                prop_assert_eq!(tree.nodes.len(), expected.len());
            }
        }
    }

    #[test]
    fn nodes_are_small() {
        assert!(size_of::<Node<fusion_chess::board::Move>>() <= 40);
    }
}
