//! Portable Game Notation: whole games, for people and other programs.
//!
//! Besides the standard's tags a game has `RuleSet`, the exact rules (`fusion-2020,castling=no`),
//! and `Variant`, the preset's name. If every move is one of orthodox chess, as in `orthodox` and
//! `no-fusion`, there is no `Variant` and the Queen is Q, so every chess program can read such
//! games. Games without either tag are orthodox, so ordinary PGN files can be read unchanged.
//! Orthodox games in the form of earlier versions, with `Variant` and with RB for the Queen, can be
//! read too.

mod lexer;
mod lines;
mod read;
mod write;

pub use read::{PgnError, PgnErrorKind, PgnReader, read};
pub use write::PgnWriteError;

use super::lenient;
use crate::board::{FenError, Move, Position, fen};
use crate::rules::{RuleSet, RulesError};
use fusion_game::{Ending, Outcome};
use std::fmt::{self, Display};
use std::str::FromStr;

/// The tags that every game has, in their order, with the values for unknown content.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// The result of a game, as written in movetext.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PgnResult {
    /// `1-0`
    White,
    /// `0-1`
    Black,
    /// `1/2-1/2`
    Draw,
    /// `*`: unfinished, or ended without a result.
    Unknown,
}

impl Display for PgnResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PgnResult::White => "1-0",
            PgnResult::Black => "0-1",
            PgnResult::Draw => "1/2-1/2",
            PgnResult::Unknown => "*",
        })
    }
}

/// The error for text that is none of PGN's four results.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a result; results are 1-0, 0-1, 1/2-1/2 and *")]
pub struct PgnResultError(String);

impl FromStr for PgnResult {
    type Err = PgnResultError;

    /// Also parses what people and sites write: `½-½`, `1/2`, `1–0`, `1 : 0`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim() {
            "*" => Ok(PgnResult::Unknown),
            "1/2" | "½" => Ok(PgnResult::Draw),
            other => match PgnResult::leading(other) {
                Some((result, length)) if length == other.len() => Ok(result),
                _ => Err(PgnResultError(text.into())),
            },
        }
    }
}

impl PgnResult {
    /// Parses the points of both sides at the beginning of a text. Also returns the length that
    /// they take, inner blanks included.
    fn leading(text: &str) -> Option<(Self, usize)> {
        let (white, rest) = points(text)?;
        let rest = rest.trim_start_matches([' ', '\t']);
        let rest = rest.strip_prefix(|c: char| c == ':' || lenient::is_dash(c))?;
        let (black, rest) = points(rest.trim_start_matches([' ', '\t']))?;
        let result = match (white, black) {
            (2, 0) => PgnResult::White,
            (0, 2) => PgnResult::Black,
            (1, 1) => PgnResult::Draw,
            _ => return None,
        };
        Some((result, text.len() - rest.len()))
    }
}

/// Parses the points of a side, as half points. Also returns the rest of the text.
fn points(text: &str) -> Option<(u8, &str)> {
    const POINTS: [(&str, u8); 8] =
        [("1/2", 1), ("½", 1), ("0.5", 1), ("0,5", 1), ("1", 2), ("0", 0), ("O", 0), ("o", 0)];
    POINTS.iter().find_map(|&(points, halves)| Some((halves, text.strip_prefix(points)?)))
}

/// One move of a game, with what is said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnMove {
    /// The move.
    pub mv: Move,
    /// The comment after it. Any white space counts as one blank.
    pub comment: Option<String>,
    /// Its numeric annotation glyphs: 1 is `!`.
    pub glyphs: Vec<u8>,
    /// Lines that begin with another move instead of this one.
    pub variations: Vec<PgnLine>,
}

impl From<Move> for PgnMove {
    fn from(mv: Move) -> Self {
        Self { mv, comment: None, glyphs: Vec::new(), variations: Vec::new() }
    }
}

/// Moves in a row: a variation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PgnLine {
    /// The comment before the first move.
    pub comment: Option<String>,
    /// The moves.
    pub moves: Vec<PgnMove>,
}

/// A game with its tags.
///
/// ```
/// use fusion_chess::board::Position;
/// use fusion_chess::notation::parse_san;
/// use fusion_chess::notation::pgn::{self, PgnGame, PgnMove};
///
/// let rules = "fusion-2020".parse().unwrap();
/// let start = Position::start(&rules);
/// let mut game = PgnGame::new(&rules, &start);
/// game.set_tag("White", "Duniho");
/// let mv = parse_san(&start, &rules, "e4").unwrap();
/// game.moves.push(PgnMove { comment: Some("[%wdl 512,300,188]".into()), ..mv.into() });
///
/// let mut file = Vec::new();
/// game.write(&mut file).unwrap();
/// assert!(String::from_utf8_lossy(&file).ends_with("1. e4 {[%wdl 512,300,188]} *\n\n"));
/// assert_eq!(pgn::read(&file[..]).next().unwrap().unwrap(), game);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnGame {
    /// Names and values in the order of the file, except `Result`.
    pub tags: Vec<(String, String)>,
    /// The comment before the first move.
    pub comment: Option<String>,
    /// The moves.
    pub moves: Vec<PgnMove>,
    /// The result. If the `Result` tag differs, the movetext is used.
    pub result: PgnResult,
}

/// The error for tags that do not determine the game's rules or start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PgnTagError {
    /// The `RuleSet` tag.
    #[error("RuleSet: {0}")]
    Rules(RulesError),
    /// The `Variant` tag.
    #[error("Variant: {0}; Standard and Chess are orthodox")]
    Variant(RulesError),
    /// The `FEN` tag.
    #[error("FEN: {0}")]
    Fen(FenError),
}

impl PgnGame {
    /// Builds a game without moves. Its tags come from the rules and the first position.
    #[must_use]
    pub fn new(rules: &RuleSet, start: &Position) -> Self {
        let tags = ROSTER[..6].iter().map(|&(name, value)| (name.into(), value.into()));
        let mut game = Self {
            tags: tags.collect(),
            comment: None,
            moves: Vec::new(),
            result: PgnResult::Unknown,
        };
        let expression = rules.to_string();
        let preset = expression.split(',').next().unwrap_or_default();
        let is_chess = rules.is_chess() && has_only_chess_pieces(start);
        if !is_chess {
            game.set_tag("Variant", preset);
        }
        game.set_tag("RuleSet", &expression);
        // Without castling the start has no castling rights. A chess program can learn this only
        // from the FEN, nor does another program know other initial positions.
        let usual = if is_chess || rules.start.is_given() {
            start.to_fen() == fen::START
        } else {
            *start == Position::start(rules)
        };
        if !usual {
            game.set_tag("SetUp", "1");
            game.set_tag("FEN", &start.to_fen());
        }
        game
    }

    /// Returns the value of a tag.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Sets a tag to a value, in its place if it exists already.
    pub fn set_tag(&mut self, name: &str, value: &str) {
        match self.tags.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value.into(),
            None => self.tags.push((name.into(), value.into())),
        }
    }

    /// Sets the result and the tags that describe how it came about: `Termination` in the
    /// standard's words, `Ending` in this project's words.
    pub fn set_outcome(&mut self, outcome: Outcome) {
        // An outcome's result is one of the four by construction.
        self.result = outcome.result().parse().unwrap_or(PgnResult::Unknown);
        let termination = if outcome.ending == Ending::CAP {
            "unterminated"
        } else if outcome.ending == Ending::TABLES {
            "adjudication"
        } else {
            "normal"
        };
        self.set_tag("Termination", termination);
        self.set_tag("Ending", outcome.ending.name());
    }

    /// Returns the rule set: of the tag `RuleSet`, else of `Variant`, else orthodox.
    ///
    /// # Errors
    /// Returns an error for a tag that names no rule set.
    pub fn rules(&self) -> Result<RuleSet, PgnTagError> {
        if let Some(expression) = self.tag("RuleSet") {
            return expression.parse().map_err(PgnTagError::Rules);
        }
        let variant = self.tag("Variant").unwrap_or("orthodox").trim();
        match variant.to_ascii_lowercase().as_str() {
            "" | "?" | "standard" | "chess" | "normal" | "from position" => {
                RuleSet::preset("orthodox").map_err(PgnTagError::Variant)
            }
            lower => lower.parse().map_err(|error| {
                // The error has the name as written in the file.
                PgnTagError::Variant(match error {
                    RulesError::Preset { known, .. } => {
                        RulesError::Preset { name: variant.into(), known }
                    }
                    other => other,
                })
            }),
        }
    }

    /// Returns the position before the first move: of the tag `FEN`, in which harmless faults are
    /// mended, else the initial position.
    ///
    /// # Errors
    /// Returns an error if the tags name no rule set, or if the FEN is rejected under it.
    pub fn start(&self) -> Result<Position, PgnTagError> {
        Ok(self.read_start()?.0)
    }

    /// Returns what [`PgnGame::start`] mends.
    ///
    /// # Errors
    /// Returns the errors of [`PgnGame::start`].
    pub fn remarks(&self) -> Result<Vec<String>, PgnTagError> {
        Ok(self.read_start()?.1)
    }

    fn read_start(&self) -> Result<(Position, Vec<String>), PgnTagError> {
        let rules = self.rules()?;
        match self.tag("FEN") {
            Some(fen) => Position::read_fen(&rules, fen).map_err(PgnTagError::Fen),
            None => Ok((Position::start(&rules), Vec::new())),
        }
    }
}

/// Returns whether there are no compounds except Queens. Under the rules of orthodox
/// chess, only a FEN can bring others onto the board.
fn has_only_chess_pieces(position: &Position) -> bool {
    position.occupied().into_iter().all(|square| position.piece_on(square).is_orthodox())
}

/// Replaces each run of white space by one blank and trims the ends. Returns `None` for empty text.
fn normalised(comment: &str) -> Option<String> {
    let words: Vec<&str> = comment.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}
