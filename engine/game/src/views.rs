//! Inputs of an efficiently updatable network.

use crate::{Side, Tactics};
use std::borrow::Cow;

/// The largest count.
pub const MOST_COUNT: u8 = 126;

/// The name and the sizes of the inputs of an efficiently updatable network.
///
/// ```
/// use fusion_game::ViewsShape;
///
/// let shape = ViewsShape { stages: 4, ..ViewsShape::new("draughts, views 1, 10x10", 400) };
/// assert_eq!((shape.inputs, shape.counts, shape.stages), (400, 0, 4));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewsShape {
    /// Identifies the meaning of the inputs, counts and stages. A network trained for others is
    /// rejected.
    pub name: Cow<'static, str>,
    /// Number of inputs of a view. At most 65,536.
    pub inputs: usize,
    /// Number of counts, a multiple of 64.
    pub counts: usize,
    /// Number of stages of a game. Each has outputs of its own.
    pub stages: usize,
    /// Name of an earlier scheme that had the same inputs and stages, but no counts. A network made for it
    /// is accepted. The counts have zero weight there.
    pub without_counts: Option<Cow<'static, str>>,
}

impl ViewsShape {
    /// Returns the shape of inputs without counts and with one stage.
    #[must_use]
    pub fn new(name: impl Into<Cow<'static, str>>, inputs: usize) -> Self {
        Self { name: name.into(), inputs, counts: 0, stages: 1, without_counts: None }
    }
}

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

/// What a network receives of a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewInputs {
    /// The active inputs of the side to move, then those of the other side.
    pub views: [Vec<u16>; 2],
    /// The counts.
    pub counts: Vec<u8>,
}

/// A game as a network sees it that follows moves: from each side's view, by inputs of which a move
/// changes only a few, and by counts, which are computed anew.
///
/// Which inputs there are, and what they mean, is fixed by [`ViewsShape::name`]: a network is made
/// for one such scheme.
pub trait Views: Tactics {
    /// Returns the name and the sizes of the views under a rule set. Rule sets of equal names have
    /// equal sizes.
    ///
    /// The function may be slow. Loops over positions call it once, before they begin.
    fn views(rules: &Self::Rules) -> ViewsShape;

    /// Replaces `inputs` by the active inputs of a side's view, in any order and each once.
    fn view(&self, side: Side, inputs: &mut Vec<u16>);

    /// Adds to `change` what a move, or a pass, changed in a side's view. `before` is what
    /// [`Tactics::make`] returned. Returns false if so much has changed that the view is better
    /// computed anew; `change` has no meaning then.
    fn view_change(&self, before: &Self::Undo, side: Side, change: &mut ViewChange) -> bool {
        let _ = (before, side, change);
        false
    }

    /// Replaces the numbers in `counts`, [`ViewsShape::counts`] of them, by what is counted in a position:
    /// first for the side to move, then for the other. They are from 0 to [`MOST_COUNT`], which stands for 1.
    fn view_counts(&self, counts: &mut [u8]) {
        let _ = counts;
    }

    /// Returns what a network receives of the position.
    fn view_inputs(&self) -> ViewInputs {
        let side = self.side_to_move();
        let counts = vec![0; Self::views(self.rules()).counts];
        let mut inputs = ViewInputs { counts, ..ViewInputs::default() };
        self.view(side, &mut inputs.views[0]);
        self.view(side.other(), &mut inputs.views[1]);
        self.view_counts(&mut inputs.counts);
        inputs
    }

    /// Appends all that [`Views::view_inputs`] depends on, in few bytes. Training keeps many millions of
    /// positions in this form.
    fn pack(&self, bytes: &mut Vec<u8>) {
        self.view_inputs().pack(bytes);
    }

    /// Replaces `inputs` by those of a game that was packed, in the order of [`Views::view_inputs`].
    /// `shape` is what [`Views::views`] returns for its rule set.
    ///
    /// # Panics
    /// May panic if the bytes are not those of [`Views::pack`], or if the shape is another one.
    fn unpack(shape: &ViewsShape, bytes: &[u8], inputs: &mut ViewInputs) {
        inputs.unpack(bytes, shape.counts);
    }

    /// Returns the stage of the game, below [`ViewsShape::stages`].
    fn stage(&self) -> usize {
        0
    }

    /// Returns a hash of everything in a game that its views, its counts, its stage and the side to move
    /// depend on. It need not differ where only the rules do.
    #[inline]
    fn view_hash(&self) -> u64 {
        self.hash()
    }
}

impl ViewInputs {
    /// Appends the inputs as they are: the counts, the number of the first view's inputs, then the inputs of
    /// both, two bytes each.
    pub fn pack(&self, bytes: &mut Vec<u8>) {
        bytes.extend(&self.counts);
        let count = [self.views[0].len() as u16];
        let numbers = count.iter().chain(self.views.iter().flatten());
        bytes.extend(numbers.flat_map(|number| number.to_le_bytes()));
    }

    /// Replaces the inputs by those that [`ViewInputs::pack`] has packed.
    ///
    /// # Panics
    /// May panic if the bytes are others, or if there were not so many counts.
    pub fn unpack(&mut self, bytes: &[u8], counts: usize) {
        let (counts, bytes) = bytes.split_at(counts);
        self.counts.clear();
        self.counts.extend(counts);
        let numbers = bytes.as_chunks().0.iter().map(|bytes| u16::from_le_bytes(*bytes));
        let mut numbers = numbers.into_iter();
        let count = usize::from(numbers.next().expect("packed views begin with a number"));
        self.views.iter_mut().for_each(Vec::clear);
        self.views[0].extend(numbers.by_ref().take(count));
        self.views[1].extend(numbers);
    }
}
