//! Playouts with an evaluator that returns at once, and expansion of the root.

use super::{Proof, Request, Search};
use fusion_game::Game;
use fusion_game::evaluator::Evaluator;

impl<G: Game> Search<G> {
    /// Runs playouts until the root has `nodes` visits or its result is proven.
    pub fn run(&mut self, evaluator: &mut dyn Evaluator<G>, nodes: u32) {
        while self.visits() < nodes && self.proof() == Proof::Unknown {
            self.playout(evaluator, None);
        }
    }

    /// Searches until the root has `nodes` visits or its result is proven, and then ensures that the
    /// root has children to choose from if the game is not over. A root without children has an
    /// evaluation but no move yet. Returns false if `stop` returned true before the end.
    ///
    /// The question before each playout costs nothing beside it: a playout that plays a long game to
    /// its end takes a quarter of a second.
    pub fn think(
        &mut self,
        evaluator: &mut dyn Evaluator<G>,
        nodes: u32,
        stop: &dyn Fn() -> bool,
    ) -> bool {
        loop {
            if stop() {
                return false;
            }
            let before = self.visits();
            self.run(evaluator, nodes.min(before.saturating_add(1)));
            let after = self.visits();
            if after >= nodes || after == before {
                self.expand_root(evaluator);
                return true;
            }
        }
    }

    /// Runs one playout, through the root child with the index `first` if it is given. The root
    /// must then be expanded.
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

    /// Evaluates a descent's request.
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

    /// Expands the root if it has no children yet. The children need not have visits: a budget of
    /// one node ends before they exist. Returns `None` if the game is over.
    pub fn expand_root(&mut self, evaluator: &mut dyn Evaluator<G>) -> Option<()> {
        if self.is_over() {
            return None;
        }
        while let Some(request) = self.root_request() {
            self.answer(request, evaluator);
        }
        (self.tree.root().children > 0).then_some(())
    }

    /// Returns whether the game is over at the root.
    pub(super) fn is_over(&mut self) -> bool {
        self.moves.clear();
        self.game.legal_moves(&mut self.moves);
        self.game.outcome(&self.moves).is_some()
    }

    /// Returns the input that is needed to expand the root of a game that is not over. `None` once
    /// the root has children.
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
            // A root without children is the whole tree. If its moves do not fit now, they never
            // will, and more values do not help.
            _ => None,
        }
    }
}
