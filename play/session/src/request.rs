//! Requests and their limits.

use super::Rejection;
use fusion_game::ReadGame;
use serde::Deserialize;

/// Longest request in bytes.
pub const LONGEST_REQUEST: usize = 1 << 19;
/// Most moves of a game.
pub(crate) const MOST_PLIES: usize = 2_000;
/// Longest text of a rule set or position in bytes.
const LONGEST_TEXT: usize = 4_000;
/// Most positions of a search, over all its slices.
pub(crate) const MOST_NODES: u64 = 200_000_000;
/// Most positions of one slice.
pub(crate) const MOST_SLICE: u64 = 5_000_000;
/// Most lines of a search.
pub(crate) const MOST_LINES: usize = 20;
/// Greatest length of counted move sequences.
pub(crate) const MOST_DEPTH: u32 = 3;

/// Creates a rejection.
pub(crate) fn reject(kind: &'static str, message: impl Into<String>) -> Rejection {
    Rejection { kind, message: message.into(), good: None }
}

/// A position: rules, first position, and the moves from there.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Setting {
    pub(crate) rules: String,
    #[serde(default)]
    pub(crate) start: Option<String>,
    #[serde(default)]
    pub(crate) moves: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "request", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Request {
    Start {},
    Rules { rules: String },
    Position { at: Setting },
    Why { at: Setting, from: String, to: String },
    Search { at: Setting, nodes: u64, slice: u64, lines: usize },
    Play { at: Setting, level: usize, slice: u64, seed: u64 },
    Export { game: ReadGame, players: [String; 2] },
    Import { text: String },
    File { name: String, text: String },
    Definition { name: String, text: String },
    Count { at: Setting, depth: u32 },
    New {},
}

impl Request {
    /// Parses a request and checks its limits.
    pub(crate) fn parse(text: &str) -> Result<Self, Rejection> {
        if text.len() > LONGEST_REQUEST {
            return Err(reject(
                "request",
                format!("a request has at most {LONGEST_REQUEST} bytes"),
            ));
        }
        let request: Self = serde_json::from_str(text)
            .map_err(|error| reject("request", format!("not a request: {error}")))?;
        request.check().map_err(|message| reject("request", message))?;
        Ok(request)
    }

    fn check(&self) -> Result<(), String> {
        if self.rules().is_some_and(|rules| rules.len() > LONGEST_TEXT) {
            return Err(format!("rules have at most {LONGEST_TEXT} bytes"));
        }
        if let Some(at) = self.setting() {
            if at.start.as_ref().is_some_and(|start| start.len() > LONGEST_TEXT) {
                return Err(format!("a position has at most {LONGEST_TEXT} bytes"));
            }
            if at.moves.len() > MOST_PLIES {
                return Err(format!("a game has at most {MOST_PLIES} moves here"));
            }
        }
        let within = |name: &str, value: u64, most: u64| {
            if value == 0 || value > most {
                return Err(format!("{name} must be from 1 to {most}"));
            }
            Ok(())
        };
        match self {
            Self::Search { nodes, slice, lines, .. } => {
                within("nodes", *nodes, MOST_NODES)?;
                within("slice", *slice, MOST_SLICE)?;
                within("lines", *lines as u64, MOST_LINES as u64)
            }
            Self::Play { level, slice, .. } => {
                let last = super::LEVELS.len() as u64 - 1;
                if *level as u64 > last {
                    return Err(format!("level must be from 0 to {last}"));
                }
                within("slice", *slice, MOST_SLICE)
            }
            Self::File { name, .. } | Self::Definition { name, .. } => {
                within("the length of a name", name.len() as u64, LONGEST_TEXT as u64)
            }
            Self::Count { depth, .. } => within("depth", (*depth).into(), MOST_DEPTH.into()),
            Self::Export { game, players } => {
                if game.start.as_ref().is_some_and(|start| start.len() > LONGEST_TEXT) {
                    return Err(format!("a position has at most {LONGEST_TEXT} bytes"));
                }
                if game.line.moves.len() > MOST_PLIES {
                    return Err(format!("a game has at most {MOST_PLIES} moves here"));
                }
                let fits = players.iter().all(|name| name.len() <= 200);
                if fits { Ok(()) } else { Err("a player's name has at most 200 bytes".into()) }
            }
            _ => Ok(()),
        }
    }

    fn setting(&self) -> Option<&Setting> {
        match self {
            Self::Position { at }
            | Self::Why { at, .. }
            | Self::Search { at, .. }
            | Self::Play { at, .. }
            | Self::Count { at, .. } => Some(at),
            Self::Start {}
            | Self::Rules { .. }
            | Self::Export { .. }
            | Self::Import { .. }
            | Self::File { .. }
            | Self::Definition { .. }
            | Self::New {} => None,
        }
    }

    /// Returns the rules that the request is about.
    pub(crate) fn rules(&self) -> Option<&str> {
        match self {
            Self::Rules { rules } => Some(rules),
            Self::Export { game, .. } => Some(&game.rules),
            other => other.setting().map(|at| at.rules.as_str()),
        }
    }
}
