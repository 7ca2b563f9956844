//! The players, and how a game ends.

use std::fmt::Display;

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
