//! The search tree: one arena in which siblings are contiguous and sorted by prior.

use fusion_game::Side;
use fusion_game::evaluator::Wdl;

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
    keep: Keep,
    pub(super) mv: Option<M>,
}

/// Whether a node survives [`Tree::descend_root`].
#[derive(Clone, Copy, Debug, PartialEq)]
enum Keep {
    No,
    Yes,
    /// Survives and is the first of its siblings, to which the parent points.
    First,
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
            keep: Keep::No,
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
}

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
        let mut tree = Self { nodes: Vec::new(), capacity };
        tree.clear();
        tree
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.nodes.push(Node::new(None, 1.0));
    }

    pub(super) fn root(&self) -> &Node<M> {
        &self.nodes[0]
    }

    pub(super) fn children(&self, node: usize) -> &[Node<M>] {
        &self.nodes[self.nodes[node].range()]
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

    /// Makes a child of the root the new root and drops all nodes that are not below it. If there
    /// is no such child, the tree is emptied.
    pub(super) fn descend_root(&mut self, mv: M) {
        let Some(child) = self.nodes[0].range().find(|&i| self.nodes[i].mv == Some(mv)) else {
            self.clear();
            return;
        };
        // Surviving nodes slide down in order. Children lie behind their parents, so a parent is
        // moved before its children. Until the first child is moved, two pointers are swapped: the
        // parent's `first_child` holds the child's pointer, and the child's holds the parent's new
        // place (pointer reversal, after Morris 1978). No second arena is needed.
        self.nodes[child].keep = Keep::Yes;
        let mut next = 0;
        for index in child..self.nodes.len() {
            let mut node = self.nodes[index];
            if node.keep == Keep::First {
                let parent = node.first_child as usize;
                node.first_child = self.nodes[parent].first_child;
                self.nodes[parent].first_child = next;
            }
            if node.keep == Keep::No {
                continue;
            }
            node.keep = Keep::No;
            if node.children > 0
                && let [first, rest @ ..] = &mut self.nodes[node.range()]
            {
                first.keep = Keep::First;
                rest.iter_mut().for_each(|sibling| sibling.keep = Keep::Yes);
                node.first_child = std::mem::replace(&mut first.first_child, next);
            }
            self.nodes[next as usize] = node;
            next += 1;
        }
        self.nodes.truncate(next as usize);
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
        tree.descend_root(3);
        assert!(tree.nodes.len() > 100 && tree.nodes.capacity() <= capacity);
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
                tree.descend_root(mv);
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
