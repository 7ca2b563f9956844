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

    /// Appends all that the views depend on, and the side to move, in few bytes. Training keeps many
    /// millions of positions in this form.
    fn pack(&self, bytes: &mut Vec<u8>) {
        let side = self.side_to_move();
        let views = [side, side.other()].map(|side| {
            let mut inputs = Vec::new();
            self.view(side, &mut inputs);
            inputs
        });
        pack_views(&views, bytes);
    }

    /// Replaces `views` by those of a game that was packed: the view of the side to move, then the
    /// other's, with their inputs in the order of [`Views::view`].
    ///
    /// # Panics
    /// May panic if the bytes are not those of [`Views::pack`].
    fn unpack(bytes: &[u8], views: &mut [Vec<u16>; 2]) {
        unpack_views(bytes, views);
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

/// Appends the inputs of two views as they are: the number of the first, then all, two bytes each.
pub fn pack_views(views: &[Vec<u16>; 2], bytes: &mut Vec<u8>) {
    let count = [views[0].len() as u16];
    let numbers = count.iter().chain(views.iter().flatten());
    bytes.extend(numbers.flat_map(|number| number.to_le_bytes()));
}

/// Replaces `views` by those that [`pack_views`] has packed.
///
/// # Panics
/// May panic if the bytes are others.
pub fn unpack_views(bytes: &[u8], views: &mut [Vec<u16>; 2]) {
    let numbers = bytes.as_chunks().0.iter().map(|bytes| u16::from_le_bytes(*bytes));
    let mut numbers = numbers.into_iter();
    let count = usize::from(numbers.next().expect("packed views begin with a number"));
    views.iter_mut().for_each(Vec::clear);
    views[0].extend(numbers.by_ref().take(count));
    views[1].extend(numbers);
}
