//! Searches whose evaluator answers at once, and the way to the root's children.

use super::{Proof, Request, Search};
use crate::evaluator::Evaluator;
use crate::game::Game;

impl<G: Game> Search<G> {
    /// Playouts until the root has `nodes` visits or its result is proven.
    pub fn run(&mut self, evaluator: &mut dyn Evaluator<G>, nodes: u32) {
        while self.visits() < nodes && self.proof() == Proof::Unknown {
            self.playout(evaluator, None);
        }
    }

    /// One playout, through a given child of the expanded root if `first` names one.
    pub fn playout(&mut self, evaluator: &mut dyn Evaluator<G>, first: Option<usize>) {
        self.begin(first);
        loop {
            let request = self.descend();
            self.answer(request, evaluator);
            if request != Request::Policy {
                return;
            }
        }
    }

    /// Gives a descent what it asks for.
    pub fn answer(&mut self, request: Request, evaluator: &mut dyn Evaluator<G>) {
        match request {
            Request::Value => {
                let value = evaluator.value(&self.cursor);
                self.backup(value);
            }
            Request::Policy => {
                let mut logits = std::mem::take(&mut self.logits);
                evaluator.policy(&self.cursor, &self.moves, &mut logits);
                self.expand(&logits);
                self.logits = logits;
            }
            Request::Nothing => {}
        }
    }

    /// Makes sure that the root has children, though none need have visits: a budget of one
    /// node ends before they exist. `None` if the game is over.
    pub fn expand_root(&mut self, evaluator: &mut dyn Evaluator<G>) -> Option<()> {
        if self.is_over() {
            return None;
        }
        while let Some(request) = self.root_request() {
            self.answer(request, evaluator);
        }
        (self.tree.root().children > 0).then_some(())
    }

    /// Whether the game is over at the root.
    pub(super) fn is_over(&mut self) -> bool {
        self.moves.clear();
        self.game.legal_moves(&mut self.moves);
        self.game.outcome(&self.moves).is_some()
    }

    /// What is needed before the root of a game that is not over has children; `None` once
    /// it has them.
    pub(super) fn root_request(&mut self) -> Option<Request> {
        let root = self.tree.root();
        if root.children > 0 {
            return None;
        }
        let valued = root.visits > 0;
        self.begin(None);
        match self.descend() {
            Request::Policy => Some(Request::Policy),
            Request::Value if !valued => Some(Request::Value),
            // A root without children is the whole tree: if its moves do not fit even so,
            // they never will, and more values would not help.
            _ => None,
        }
    }
}
