//! The interface of a game, on which everything above the rules is built.
//!
//! Search, self-play, training and analysis use only [`Game`]. The trait assumes two players and
//! perfect information. It does not assume that turns alternate, that the board is 8x8, or a limit
//! on the number of moves of a position.

use crate::oracle::Oracle;
use fusion_jobs::exit::{Failure, NO_INPUT};
use rand::Rng;
use std::fmt::{Debug, Display};
use std::path::Path;
use std::sync::Arc;

/// One of the two players. In chess games `First` is White.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The player who makes the first move of the game.
    First,
    /// The other player.
    Second,
}

impl Side {
    /// Returns the opponent.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }
}

/// The reason why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The side to move is in check and has no legal move.
    Checkmate,
    /// The side to move is not in check and has no legal move.
    Stalemate,
    /// The position occurred for the third time.
    Threefold,
    /// A hundred plies without a capture or a Pawn move.
    FiftyMove,
    /// Too little material for any mate.
    DeadPosition,
    /// The game reached the runner's limit on the number of plies. The game itself has no result.
    Cap,
    /// The game was adjudicated: endgame tables prove the result, and the game is not played on.
    Tables,
}

impl Ending {
    /// Every ending, in the order in which tables list them. Records store indices into this list.
    pub const ALL: [Ending; 7] = [
        Ending::Checkmate,
        Ending::Stalemate,
        Ending::Threefold,
        Ending::FiftyMove,
        Ending::DeadPosition,
        Ending::Cap,
        Ending::Tables,
    ];

    /// Returns the name used in files and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Ending::Checkmate => "checkmate",
            Ending::Stalemate => "stalemate",
            Ending::Threefold => "threefold",
            Ending::FiftyMove => "fifty-move",
            Ending::DeadPosition => "dead-position",
            Ending::Cap => "cap",
            Ending::Tables => "tables",
        }
    }

    /// Returns the ending with this [`Ending::name`], if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ending| ending.name() == name)
    }
}

impl Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The result of a finished game and its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The winner; `None` is a draw, or no result when `ending` is [`Ending::Cap`].
    pub winner: Option<Side>,
    /// How the game ended.
    pub ending: Ending,
}

impl Outcome {
    /// Returns PGN's result token: `1-0`, `0-1`, `1/2-1/2`, or `*` for a capped game.
    #[must_use]
    pub fn result(self) -> &'static str {
        match (self.winner, self.ending) {
            (_, Ending::Cap) => "*",
            (Some(Side::First), _) => "1-0",
            (Some(Side::Second), _) => "0-1",
            (None, _) => "1/2-1/2",
        }
    }
}

/// An earlier scheme, which has grown into the present one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlierScheme {
    /// Name of the scheme.
    pub name: &'static str,
    /// Number of features.
    pub features: usize,
    /// Number of policy rows.
    pub policy: usize,
}

/// Effects of a move beyond changing squares, for usage statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveEvents {
    /// An enemy piece leaves the board.
    pub capture: bool,
    /// Two friendly pieces merge.
    pub fusion: bool,
    /// The merged piece is royal. Implies `fusion`.
    pub royal_fusion: bool,
    /// A compound splits.
    pub fission: bool,
    /// Castling.
    pub castling: bool,
    /// A Pawn promotes.
    pub promotion: bool,
    /// A simple piece becomes a compound as it moves.
    pub metamorphosis: bool,
    /// A compound that captures becomes one of its components.
    pub demotion: bool,
}

/// A set of network inputs: bit i % 64 of word i / 64 is input i.
///
/// Bits suit the purpose because boards are sets of bits already, and two sets are compared in a
/// few instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureSet(Vec<u64>);

impl FeatureSet {
    /// Returns the empty set of inputs of a game.
    #[must_use]
    pub fn new<G: Game>() -> Self {
        Self(vec![0; G::FEATURES.div_ceil(64)])
    }

    /// Returns the active inputs of a position.
    #[must_use]
    pub fn of<G: Game>(game: &G) -> Self {
        let mut features = Self::new::<G>();
        game.features(&mut features);
        features
    }

    /// Removes all inputs.
    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Adds an input.
    ///
    /// # Panics
    /// Panics if the input is beyond the last word of the set.
    pub fn insert(&mut self, feature: usize) {
        self.0[feature / 64] |= 1 << (feature % 64);
    }

    /// Returns the set's words.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// Returns the set's words for writing.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }

    /// Returns the number of inputs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns whether no input is active.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Returns the number of inputs that are in exactly one of the two sets.
    #[must_use]
    pub fn distance(&self, other: &Self) -> usize {
        let words = self.0.iter().zip(&other.0);
        words.map(|(a, b)| (a ^ b).count_ones() as usize).sum()
    }

    /// Writes the inputs that `other` lacks to `added`, and those that only `other` has to
    /// `removed`. Returns the written parts.
    ///
    /// # Panics
    /// Panics if a list is too short: each list needs one place more than the game has inputs.
    pub fn differences<'a>(
        &self,
        other: &Self,
        added: &'a mut [u16],
        removed: &'a mut [u16],
    ) -> (&'a [u16], &'a [u16]) {
        let (mut more, mut less) = (0, 0);
        for (i, (&new, &old)) in self.0.iter().zip(&other.0).enumerate() {
            let mut differ = new ^ old;
            while differ != 0 {
                let bit = differ.trailing_zeros();
                differ &= differ - 1;
                let input = (64 * i) as u16 + bit as u16;
                // Each input is written to both lists and kept in one, because a branch would be
                // unpredictable.
                added[more] = input;
                removed[less] = input;
                let is_new = (new >> bit & 1) as usize;
                more += is_new;
                less += 1 - is_new;
            }
        }
        (&added[..more], &removed[..less])
    }

    /// Returns the inputs in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = u16> {
        self.0.iter().enumerate().flat_map(|(i, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some((64 * i) as u16 + bit as u16)
            })
        })
    }
}

/// A position with an obvious move; see [`Game::suite`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Description of the position's obvious point.
    pub what: &'static str,
    /// The position's text form.
    pub position: &'static str,
    /// The move in engine notation.
    pub best: &'static str,
}

/// A symmetry of a game's board that leaves its rules unchanged: a mapping of inputs and policy
/// rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reflection {
    /// For each input, its mirror image.
    pub features: Vec<u16>,
    /// For each policy row, its mirror image.
    pub rows: Vec<u16>,
    /// Inputs of positions that have no mirror image, such as those with castling rights.
    pub forbidden: Vec<u16>,
}

/// A position with as much history as the rules need, and the rules themselves.
///
/// `Clone::clone_from` should reuse allocations, because search calls it once a playout.
pub trait Game: Clone + Send + Sync + 'static {
    /// A rule set. [`Game::parse_rules`] parses its text form (`Display`).
    type Rules: Clone + PartialEq + Debug + Display + Send + Sync;
    /// A move. It is valid only in the position that it was generated for.
    type Move: Copy + Eq + Debug + Send + Sync;

    /// Number of network inputs; [`Game::features`] yields indices below this.
    const FEATURES: usize;
    /// Number of rows of a network's policy head.
    const POLICY: usize;
    /// Number of policy rows whose sum is a move's logit.
    const POLICY_TERMS: usize;
    /// Identifies the meaning of every feature and policy index. A network trained for another
    /// scheme is rejected.
    const SCHEME: &'static str;
    /// Schemes whose features and policy rows are the first ones of this scheme, in the same order.
    /// A network made for one of them is accepted. The features and rows that it lacks have zero
    /// weight.
    const EARLIER: &'static [EarlierScheme] = &[];

    /// Parses a rule set such as `fusion-2020,castling=no`.
    ///
    /// # Errors
    /// Returns an error if the text names an unknown preset, toggle or value. The message lists the
    /// known ones.
    fn parse_rules(text: &str) -> Result<Self::Rules, String>;
    /// Samples a rule set from all combinations of toggles.
    fn random_rules(rng: &mut impl Rng) -> Self::Rules;
    /// Returns the rule sets that differ from this one in a single toggle.
    fn ablations(rules: &Self::Rules) -> Vec<Self::Rules>;
    /// Returns the rules' initial position.
    fn new(rules: &Self::Rules) -> Self;
    /// Parses a position from its text form (FEN in chess games), without history.
    ///
    /// # Errors
    /// Returns an error if the text is malformed or the position cannot occur. The message names
    /// the reason.
    fn from_text(rules: &Self::Rules, text: &str) -> Result<Self, String>;
    /// Returns the position's text form.
    fn to_text(&self) -> String;
    /// Returns the rule set in force.
    fn rules(&self) -> &Self::Rules;
    /// Opens the oracle for these rules, such as the endgame tables in a folder.
    ///
    /// # Errors
    /// Returns an error if the folder has nothing for the game and the rules (exit code 66), or if
    /// a file in it is rejected (65).
    fn oracle(rules: &Self::Rules, folder: &Path) -> Result<Arc<dyn Oracle<Self>>, Failure> {
        let message = format!("{}: there are no tables for {rules}", folder.display());
        Err(Failure::new(NO_INPUT, message))
    }
    /// Opens [`Game::oracle`] for each of these rule sets. The oracles may share their data.
    ///
    /// # Errors
    /// Returns the first error of [`Game::oracle`].
    fn oracles(
        rules: &[Self::Rules],
        folder: &Path,
    ) -> Result<Vec<Arc<dyn Oracle<Self>>>, Failure> {
        rules.iter().map(|rules| Self::oracle(rules, folder)).collect()
    }

    /// Returns the side to move. The sides need not alternate.
    fn side_to_move(&self) -> Side;
    /// Appends all legal moves. The order is fixed for a position.
    fn legal_moves(&self, moves: &mut Vec<Self::Move>);
    /// Makes a legal move. For other moves the result is unspecified, but the function does not
    /// panic.
    fn play(&mut self, mv: Self::Move);
    /// Returns the outcome if the game is over. `moves` are this position's legal moves.
    fn outcome(&self, moves: &[Self::Move]) -> Option<Outcome>;
    /// Returns the same as [`Game::outcome`], for callers that do not need the moves. A game should
    /// override this if it can find out whether there are legal moves without generating them all.
    fn outcome_now(&self) -> Option<Outcome> {
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        self.outcome(&moves)
    }
    /// Returns the index of a legal move that wins the game at once. `None` if there is none.
    /// Search calls this once for each node that it expands, so it should be fast.
    fn winning_move(&self, moves: &[Self::Move]) -> Option<usize> {
        let winner = Some(self.side_to_move());
        moves.iter().position(|&mv| {
            let mut next = self.clone();
            next.play(mv);
            next.outcome_now().is_some_and(|outcome| outcome.winner == winner)
        })
    }
    /// Returns a hash of the state that the rules compare for repetition.
    fn hash(&self) -> u64;

    /// Replaces the set by the active network inputs, seen from the side to move.
    fn features(&self, features: &mut FeatureSet);
    /// Appends [`Game::POLICY_TERMS`] policy rows for each of these legal moves. A move's logit is
    /// the sum of the outputs of its rows. No two legal moves of a position have the same
    /// combination of rows.
    fn policy_rows(&self, moves: &[Self::Move], rows: &mut Vec<u16>);
    /// Returns the board's symmetry from left to right. `None` if it has none.
    fn reflection() -> Option<Reflection>;
    /// Returns the conventional material balance for the side to move, in Pawns.
    fn material(&self) -> f32;

    /// Returns positions in which the best move is obvious to every experienced player. A network
    /// is tested on them before it may play.
    fn suite() -> &'static [Known] {
        &[]
    }

    /// Returns whether the side to move, in check, would be mated if pieces could not merge or
    /// split. `moves` are this position's legal moves. Always false in a game without such moves.
    fn saved_by_fusion(&self, moves: &[Self::Move]) -> bool {
        let _ = moves;
        false
    }
    /// Returns the effects of a legal move, for usage statistics.
    fn events(&self, mv: Self::Move) -> MoveEvents;
    /// Returns a compact and stable code of a move for game records.
    fn encode_move(&self, mv: Self::Move) -> u32;
    /// Returns the legal move with this code, if there is one.
    fn decode_move(&self, code: u32) -> Option<Self::Move>;
    /// Returns the move in engine notation (coordinates in chess games).
    fn move_text(&self, mv: Self::Move) -> String;
    /// Returns the legal move with this engine notation, if there is one.
    fn parse_move(&self, text: &str) -> Option<Self::Move>;
    /// Returns the move in the notation for human readers (SAN in chess games).
    fn move_san(&self, mv: Self::Move) -> String;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fusion::FusionGame;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn feature_sets_are_sets(
            one in prop::collection::btree_set(0..FusionGame::FEATURES, 0..60),
            two in prop::collection::btree_set(0..FusionGame::FEATURES, 0..60),
        ) {
            let make = |inputs: &BTreeSet<usize>| {
                let mut set = FeatureSet::new::<FusionGame>();
                inputs.iter().for_each(|&input| set.insert(input));
                set
            };
            let list = |inputs: &[u16]| inputs.iter().map(|&i| usize::from(i)).collect::<Vec<_>>();
            let (a, b) = (make(&one), make(&two));
            prop_assert_eq!(list(&a.iter().collect::<Vec<_>>()), one.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(a.len(), one.len());
            prop_assert_eq!(a.is_empty(), one.is_empty());
            prop_assert_eq!(a.distance(&b), one.symmetric_difference(&two).count());
            let mut room = (vec![0; FusionGame::FEATURES + 1], vec![0; FusionGame::FEATURES + 1]);
            let (added, removed) = a.differences(&b, &mut room.0, &mut room.1);
            prop_assert_eq!(list(added), one.difference(&two).copied().collect::<Vec<_>>());
            prop_assert_eq!(list(removed), two.difference(&one).copied().collect::<Vec<_>>());
        }
    }
}
