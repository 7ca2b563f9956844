//! What everything above the rules knows of a game.
//!
//! Search, self-play, training and analysis are written against [`Game`] and
//! nothing else. The trait assumes two players and perfect information; it does
//! not assume that turns alternate, that the board is 8x8, or how many moves a
//! position can have.

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
    /// The opponent.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }
}

/// Why a game is over.
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
    /// The runner's limit on the number of plies: no result of the game itself.
    Cap,
    /// Adjudicated: endgame tables prove the result, and the game is not played on.
    Tables,
}

impl Ending {
    /// Every ending, in the order in which tables list them. Records hold the places in this
    /// list.
    pub const ALL: [Ending; 7] = [
        Ending::Checkmate,
        Ending::Stalemate,
        Ending::Threefold,
        Ending::FiftyMove,
        Ending::DeadPosition,
        Ending::Cap,
        Ending::Tables,
    ];

    /// The name used in files and tables.
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

    /// The ending with this [`Ending::name`], if there is one.
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

/// The result of a finished game with its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The winner; `None` is a draw, or no result when `ending` is [`Ending::Cap`].
    pub winner: Option<Side>,
    /// How the game ended.
    pub ending: Ending,
}

impl Outcome {
    /// PGN's result token: `1-0`, `0-1`, `1/2-1/2`, and `*` for a capped game.
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

/// A scheme that has grown into another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlierScheme {
    /// Its name.
    pub name: &'static str,
    /// Number of features.
    pub features: usize,
    /// Number of policy rows.
    pub policy: usize,
}

/// What a move does beyond changing squares, for usage statistics.
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
/// Boards are sets of bits already, and two sets are compared in a few instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureSet(Vec<u64>);

impl FeatureSet {
    /// The empty set of inputs of a game.
    #[must_use]
    pub fn new<G: Game>() -> Self {
        Self(vec![0; G::FEATURES.div_ceil(64)])
    }

    /// The active inputs of a position.
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
    /// If it is beyond the last word of the set.
    pub fn insert(&mut self, feature: usize) {
        self.0[feature / 64] |= 1 << (feature % 64);
    }

    /// The set's words.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// The set's words, to be written.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }

    /// The number of inputs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether no input is active.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// The number of inputs that are in one of two sets.
    #[must_use]
    pub fn distance(&self, other: &Self) -> usize {
        let words = self.0.iter().zip(&other.0);
        words.map(|(a, b)| (a ^ b).count_ones() as usize).sum()
    }

    /// Writes the inputs that `other` lacks to `added`, and those that only `other` has to
    /// `removed`; returns what was written.
    ///
    /// # Panics
    /// If there is no room: either list needs one place more than the game has inputs.
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
                // Written to both lists, kept in one: which of them is not predictable.
                added[more] = input;
                removed[less] = input;
                let is_new = (new >> bit & 1) as usize;
                more += is_new;
                less += 1 - is_new;
            }
        }
        (&added[..more], &removed[..less])
    }

    /// The inputs in increasing order.
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
    /// What there is to see.
    pub what: &'static str,
    /// The position's text form.
    pub position: &'static str,
    /// The move in engine notation.
    pub best: &'static str,
}

/// A symmetry of a game's board that leaves its rules as they are: what inputs and policy
/// rows become under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reflection {
    /// For each input the input that it becomes.
    pub features: Vec<u16>,
    /// For each policy row the row that it becomes.
    pub rows: Vec<u16>,
    /// Inputs of positions that have no mirror image, such as those with castling rights.
    pub forbidden: Vec<u16>,
}

/// A position with as much history as the rules need, and the rules themselves.
///
/// `Clone::clone_from` should reuse allocations: search calls it once a playout.
pub trait Game: Clone + Send + Sync + 'static {
    /// A rule set. Its text form (`Display`) is parsed back by [`Game::parse_rules`].
    type Rules: Clone + PartialEq + Debug + Display + Send + Sync;
    /// A move. Means something only in the position it was generated for.
    type Move: Copy + Eq + Debug + Send + Sync;

    /// Number of network inputs; [`Game::features`] yields indices below this.
    const FEATURES: usize;
    /// Number of rows of a network's policy head.
    const POLICY: usize;
    /// Number of policy rows that together make a move's logit.
    const POLICY_TERMS: usize;
    /// Identifies the meaning of every feature and policy index. A network trained
    /// for another scheme is refused.
    const SCHEME: &'static str;
    /// Schemes whose features and policy rows are the first ones of this scheme, in the same
    /// order. A network made for one of them is read: to what it does not know it gives no
    /// weight.
    const EARLIER: &'static [EarlierScheme] = &[];

    /// Reads a rule set such as `fusion-2020,castling=no`.
    ///
    /// # Errors
    /// Text that names an unknown preset, toggle or value; the message lists what exists.
    fn parse_rules(text: &str) -> Result<Self::Rules, String>;
    /// A rule set drawn at random from all mixes of toggles.
    fn random_rules(rng: &mut impl Rng) -> Self::Rules;
    /// The rule sets that differ from this one in a single toggle.
    fn ablations(rules: &Self::Rules) -> Vec<Self::Rules>;
    /// The rules' initial position.
    fn new(rules: &Self::Rules) -> Self;
    /// A position from its text form (FEN in chess games), without history.
    ///
    /// # Errors
    /// Text that is malformed or a position that cannot occur; the message says why.
    fn from_text(rules: &Self::Rules, text: &str) -> Result<Self, String>;
    /// The position's text form.
    fn to_text(&self) -> String;
    /// The rule set in force.
    fn rules(&self) -> &Self::Rules;
    /// What is known of positions under these rules, such as the endgame tables of a folder.
    ///
    /// # Errors
    /// Nothing in the folder that is for the game and the rules (exit code 66), or something
    /// that is refused (65).
    fn oracle(rules: &Self::Rules, folder: &Path) -> Result<Arc<dyn Oracle<Self>>, Failure> {
        let message = format!("{}: there are no tables for {rules}", folder.display());
        Err(Failure::new(NO_INPUT, message))
    }
    /// [`Game::oracle`] of each of these rule sets, which may share what they hold.
    ///
    /// # Errors
    /// The first one of those.
    fn oracles(
        rules: &[Self::Rules],
        folder: &Path,
    ) -> Result<Vec<Arc<dyn Oracle<Self>>>, Failure> {
        rules.iter().map(|rules| Self::oracle(rules, folder)).collect()
    }

    /// Who moves now. Need not alternate.
    fn side_to_move(&self) -> Side;
    /// Appends all legal moves. The order is fixed for a position.
    fn legal_moves(&self, moves: &mut Vec<Self::Move>);
    /// Makes a legal move. For other moves the result is unspecified, but no panic.
    fn play(&mut self, mv: Self::Move);
    /// The outcome if the game is over. `moves` are this position's legal moves.
    fn outcome(&self, moves: &[Self::Move]) -> Option<Outcome>;
    /// As [`Game::outcome`], for callers with no use for the moves. A game that need not
    /// generate them all to know whether there are any does better than this.
    fn outcome_now(&self) -> Option<Outcome> {
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        self.outcome(&moves)
    }
    /// The number of one of the position's legal moves that wins the game at once; `None` if
    /// none does. Search asks once for each node that it expands, so it pays to be quick.
    fn winning_move(&self, moves: &[Self::Move]) -> Option<usize> {
        let winner = Some(self.side_to_move());
        moves.iter().position(|&mv| {
            let mut next = self.clone();
            next.play(mv);
            next.outcome_now().is_some_and(|outcome| outcome.winner == winner)
        })
    }
    /// Hash of what the rules compare for repetition.
    fn hash(&self) -> u64;

    /// Replaces the set by the active network inputs, seen from the side to move.
    fn features(&self, features: &mut FeatureSet);
    /// Appends [`Game::POLICY_TERMS`] policy rows for each of these legal moves. A move's
    /// logit is the sum of what its rows say. Taken together, the rows of a move are those
    /// of no other legal move of the position.
    fn policy_rows(&self, moves: &[Self::Move], rows: &mut Vec<u16>);
    /// The board's symmetry from left to right; `None` if it has none.
    fn reflection() -> Option<Reflection>;
    /// Conventional material balance for the side to move, in Pawns.
    fn material(&self) -> f32;

    /// Positions in which nobody who knows anything of the game is wrong: what a network is
    /// tried on before it may play.
    fn suite() -> &'static [Known] {
        &[]
    }

    /// Whether the side to move, in check, would be mated if pieces could not merge or split.
    /// `moves` are this position's legal moves. Never in a game without such moves.
    fn saved_by_fusion(&self, moves: &[Self::Move]) -> bool {
        let _ = moves;
        false
    }
    /// What a legal move does, for usage statistics.
    fn events(&self, mv: Self::Move) -> MoveEvents;
    /// A compact stable code of a move for game records.
    fn encode_move(&self, mv: Self::Move) -> u32;
    /// The legal move with that code, if any.
    fn decode_move(&self, code: u32) -> Option<Self::Move>;
    /// The move in engine notation (coordinates in chess games).
    fn move_text(&self, mv: Self::Move) -> String;
    /// The legal move with that engine notation, if any.
    fn parse_move(&self, text: &str) -> Option<Self::Move>;
    /// The move in the notation people read (SAN in chess games).
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
