//! The players, and how a game ends.

use serde::Serialize;
use std::fmt::{Debug, Display};

/// One of the two players. In chess games `First` is White.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The player who makes the first move of the game.
    First,
    /// The other player.
    Second,
}

impl Side {
    /// Returns the opponent.
    #[inline]
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }
}

/// Which results an ending can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Results {
    /// A side wins.
    Win,
    /// The game is drawn.
    Draw,
    /// A side wins, or the game is drawn.
    Either,
    /// The game has no result.
    None,
}

impl Results {
    /// Returns whether a game that was decided, or drawn, is among the results.
    #[must_use]
    pub fn include(self, decided: bool) -> bool {
        match self {
            Results::Win => decided,
            Results::Draw => !decided,
            Results::Either => true,
            Results::None => false,
        }
    }
}

/// A kind of ending as data: all that files, tables and pages say about it.
#[derive(Debug, PartialEq, Eq)]
pub struct EndingKind {
    /// Name in files: `fifty-move`.
    pub name: &'static str,
    /// Heading of a narrow column: `50 moves`.
    pub short: &'static str,
    /// Words in a report: `fifty-move rule`.
    pub words: &'static str,
    /// The results that it can have.
    pub results: Results,
}

/// The reason why a game is over: one of the game's
/// [`ENDINGS`](crate::Describe::ENDINGS), or one of those that end any game from outside.
///
/// Endings are equal if their names are.
///
/// ```
/// use fusion_game::Ending;
///
/// assert_eq!(Ending::CAP.name(), "cap");
/// assert_ne!(Ending::CAP, Ending::TABLES);
/// ```
#[derive(Clone, Copy)]
pub struct Ending(&'static EndingKind);

impl Ending {
    /// The game reached the runner's limit on the number of plies. The game itself has no result.
    pub const CAP: Self = Self::new(&EndingKind {
        name: "cap",
        short: "cap",
        words: "cap (no result)",
        results: Results::None,
    });

    /// The game was adjudicated: endgame tables prove the result, and the game is not played on.
    pub const TABLES: Self = Self::new(&EndingKind {
        name: "tables",
        short: "tables",
        words: "adjudicated by tables",
        results: Results::Either,
    });

    /// The game was adjudicated: for several plies in a row every search valued it as won for the
    /// same side, and the game is not played on. Only training games end so.
    pub const VALUE: Self = Self::new(&EndingKind {
        name: "value",
        short: "value",
        words: "adjudicated by value",
        results: Results::Win,
    });

    /// The endings from outside.
    pub const OUTSIDE: [Self; 3] = [Self::CAP, Self::TABLES, Self::VALUE];

    /// Creates an ending of a kind.
    #[must_use]
    pub const fn new(kind: &'static EndingKind) -> Self {
        Self(kind)
    }

    /// Returns the kind.
    #[must_use]
    pub fn kind(self) -> &'static EndingKind {
        self.0
    }

    /// Returns the name used in files and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns the column of a file with the number of games that ended like this: `fifty_move`.
    #[must_use]
    pub fn column(self) -> String {
        self.0.name.replace('-', "_")
    }
}

impl PartialEq for Ending {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0) || self.0.name == other.0.name
    }
}

impl Eq for Ending {}

impl std::hash::Hash for Ending {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

impl Debug for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Ending({})", self.0.name)
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
    /// The winner; `None` is a draw, or no result when `ending` is [`Ending::CAP`].
    pub winner: Option<Side>,
    /// How the game ended.
    pub ending: Ending,
}

/// The result is in the text of the game, and its rules do not say why.
const TOLD: Ending = Ending::new(&EndingKind {
    name: "told",
    short: "told",
    words: "result as the text has it",
    results: Results::Either,
});

impl Outcome {
    /// Returns the outcome of a game whose text has a result, although it is not over by its rules;
    /// `None` if the text is `*` or no result.
    pub(crate) fn told(result: &str) -> Option<Self> {
        let winner = match result {
            "1-0" => Some(Side::First),
            "0-1" => Some(Side::Second),
            "1/2-1/2" => None,
            _ => return None,
        };
        Some(Self { winner, ending: TOLD })
    }

    /// Returns the result token: `1-0`, `0-1`, `1/2-1/2`, or `*` for a capped game.
    #[must_use]
    pub fn result(self) -> &'static str {
        match self.winner {
            Some(Side::First) => "1-0",
            Some(Side::Second) => "0-1",
            None if self.ending == Ending::CAP => "*",
            None => "1/2-1/2",
        }
    }
}
