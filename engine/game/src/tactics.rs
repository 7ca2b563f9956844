//! The hooks of an alpha-beta search in a game.

use crate::{Game, Outcome};

/// The sizes of the statistics of a search: how many indices there are of moves and of parts.
///
/// ```
/// use fusion_game::MoveIndices;
///
/// let paths = 64 * 64;
/// let indices = MoveIndices { paths, ..MoveIndices::default() };
/// assert_eq!((indices.paths, indices.arrivals, indices.parts), (4096, 1, 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveIndices {
    /// Number of indices of [`Tactics::path`].
    pub paths: usize,
    /// Number of indices of [`Tactics::arrival`]. Some statistics have an entry for each pair of
    /// arrivals, of two bytes.
    pub arrivals: usize,
    /// Number of parts of a position that [`Tactics::part`] distinguishes.
    pub parts: usize,
}

/// The indices of the default bodies of [`Tactics`]: one path, one arrival and no part.
impl Default for MoveIndices {
    fn default() -> Self {
        Self { paths: 1, arrivals: 1, parts: 0 }
    }
}

/// Hooks of an alpha-beta search of selective depth: moves that are taken back, forcing moves,
/// exchanges, and indices of moves for statistics. A game needs the first two functions; the default
/// bodies of the others are correct for every game, and better ones make the search faster.
///
/// Values are in hundredths of the cheapest piece.
pub trait Tactics: Game {
    /// What is needed to take a move back.
    type Undo: Copy + Send;

    /// Returns the numbers of paths, arrivals and parts under a rule set. A search calls it once, when
    /// it is created.
    fn indices(rules: &Self::Rules) -> MoveIndices {
        let _ = rules;
        MoveIndices::default()
    }

    /// Makes a legal move that [`Tactics::unmake`] can take back.
    fn make(&mut self, mv: Self::Move) -> Self::Undo;

    /// Takes back the last move of [`Tactics::make`] or [`Tactics::pass`].
    fn unmake(&mut self, undo: &Self::Undo);

    /// Passes the turn. Returns `None`, and changes nothing, if the rules or the position make a
    /// pass worthless as a bound: if the side to move may have no better move than to pass.
    fn pass(&mut self) -> Option<Self::Undo> {
        None
    }

    /// Returns whether the side to move is under a threat that it has to answer, or may have lost:
    /// check in chess games. A search does not value such positions without all replies.
    fn is_threatened(&self) -> bool {
        false
    }

    /// Returns a function that tells whether a legal move threatens the other side, as
    /// [`Tactics::is_threatened`] says after it. It may be wrong in rare cases: it orders moves only.
    fn threats(&self) -> impl Fn(Self::Move) -> bool {
        |_| false
    }

    /// Returns whether a move is forcing: a capture or a promotion in chess games. Searches follow
    /// such moves beyond their depth.
    fn is_forcing(&self, mv: Self::Move) -> bool {
        let _ = mv;
        false
    }

    /// Appends the legal moves for which [`Tactics::is_forcing`] is true.
    fn forcing_moves(&self, moves: &mut Vec<Self::Move>) {
        let mut legal = Vec::new();
        self.legal_moves(&mut legal);
        moves.extend(legal.into_iter().filter(|&mv| self.is_forcing(mv)));
    }

    /// Returns the outcome if the position occurred twice before. Where repetition is a draw, one
    /// occurrence within the last `plies` plies is enough, because what was possible once is
    /// possible again.
    fn recurrence(&self, plies: usize) -> Option<Outcome> {
        let _ = plies;
        None
    }

    /// Returns whether a draw by the length of the game is so far away that the value of the
    /// position does not depend on it.
    fn is_far_from_draw(&self) -> bool {
        true
    }

    /// Returns the value of what a move captures and gains by promotion.
    fn gain(&self, mv: Self::Move) -> i32 {
        let _ = mv;
        0
    }

    /// Returns whether the exchange that a move begins on its destination gains at least this
    /// much, if both sides capture with the piece of least value and stop when they like.
    fn exchange_gains(&self, mv: Self::Move, least: i32) -> bool {
        self.gain(mv) >= least
    }

    /// Returns a hash of a part of the position, below [`MoveIndices::parts`]: positions alike in a part
    /// are expected to be misjudged alike by a static evaluation.
    fn part(&self, part: usize) -> u64 {
        let _ = part;
        0
    }

    /// Returns an index of where a move comes from and goes to, below [`MoveIndices::paths`].
    fn path(&self, mv: Self::Move) -> usize {
        let _ = mv;
        0
    }

    /// Returns an index of what a move puts where, below [`MoveIndices::arrivals`].
    fn arrival(&self, mv: Self::Move) -> usize {
        let _ = mv;
        0
    }
}
