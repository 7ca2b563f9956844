//! Inputs of an efficiently updatable network.

use crate::{Side, Tactics};

/// The inputs that a move switched on and off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewChange {
    /// Inputs that are active only after the move.
    pub added: Vec<u16>,
    /// Inputs that were active only before it.
    pub removed: Vec<u16>,
}

impl ViewChange {
    /// Forgets all inputs.
    pub fn clear(&mut self) {
        self.added.clear();
        self.removed.clear();
    }

    /// Adds the inputs of a further change.
    #[inline]
    pub fn join(&mut self, other: &Self) {
        // The lists are short: a loop takes less time than a call that copies memory.
        other.added.iter().for_each(|&input| self.added.push(input));
        other.removed.iter().for_each(|&input| self.removed.push(input));
    }
}

/// A game as a network sees it that follows moves: from each side's view, by inputs of which a move
/// changes only a few.
///
/// Which inputs there are, and what they mean, is fixed by [`Views::VIEWS_NAME`]: a network is made
/// for one such scheme.
pub trait Views: Tactics {
    /// Number of inputs of a view.
    const VIEW_INPUTS: usize;

    /// Number of stages of a game. Each has outputs of its own.
    const STAGES: usize = 1;

    /// Name of the inputs and stages.
    const VIEWS_NAME: &'static str;

    /// Replaces `inputs` by the active inputs of a side's view, in any order and each once.
    fn view(&self, side: Side, inputs: &mut Vec<u16>);

    /// Adds to `change` what a move, or a pass, changed in a side's view. `before` is what
    /// [`Tactics::make`] returned. Returns false if so much has changed that the view is better
    /// computed anew; `change` has no meaning then.
    fn view_change(&self, before: &Self::Undo, side: Side, change: &mut ViewChange) -> bool {
        let _ = (before, side, change);
        false
    }

    /// Returns the stage of the game, below [`Views::STAGES`].
    fn stage(&self) -> usize {
        0
    }

    /// Returns a hash of everything in a game that its views, its stage and the side to move depend
    /// on. It need not differ where only the rules do.
    #[inline]
    fn view_hash(&self) -> u64 {
        self.hash()
    }
}
