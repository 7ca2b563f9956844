//! A game against the program, as JSON requests and replies.
//!
//! A page has no rules of its own: it sends the moves to a [`Session`] and draws the reply. The session has no threads and no clock, so it runs in a browser's WebAssembly and
//! behind a server alike. The same requests give the same replies in both.
//!
//! A request is an object. Its key `request` is the kind of request:
//!
//! | `request` | other keys | reply |
//! | --- | --- | --- |
//! | `start` | | presets, levels, limits |
//! | `rules` | `rules` | a rule set: toggles, their values in words, examples |
//! | `position` | `at` | the board, the legal moves, how the game stands |
//! | `why` | `at`, `from`, `to` | why no move leads from `from` to `to`; null if one does |
//! | `search` | `at`, `nodes`, `slice`, `lines` | best lines so far; sent again, the search goes on |
//! | `play` | `at`, `level`, `slice`, `seed` | the same, and the chosen move when it is done |
//! | `export` | `game`, `players` | the game in the format of the game's programs; `players` are used where it names none |
//! | `import` | `text` | the game of such a text: rules, first position, tags, result, moves with comments, glyphs and variations |
//! | `file` | `name`, `text` | the games that a file defines, and all that is wrong with others; rule sets may name it from now on |
//! | `definition` | `name`, `text` | null; the rule set of this name with its hash is known from now on |
//! | `count` | `at`, `depth` | number of move sequences of this length |
//! | `new` | | forgets what searches have found |
//!
//! `at` is a position: an object with `rules`, `start` (a position's text, or null) and `moves` (in
//! engine notation). A reply is `{"ok": ...}`, or `{"error": {"kind": ..., "message": ...}}` for a
//! request that is rejected; `good` is the number of moves before a bad one. No request panics, and the work for a reply is bounded.

mod files;
mod game;
mod lessons;
mod level;
mod position;
mod replay;
mod request;
mod rules;
mod search;

pub use level::{LEVELS, Level};
pub use request::LONGEST_REQUEST;

use files::Files;
use fusion_game::{BoardGame, Game, RuleSet};
use fusion_network::views::ViewSizes;
use fusion_network::{Quantised, SizesFor, TreeSizes};
use fusion_registry::{KnownGame, for_game};
use game::GameSession;
use request::{Request, reject};
use search::Networks;
use serde_json::{Value, json};
use std::sync::Arc;

/// The reason why a request is rejected.
#[derive(Debug)]
pub(crate) struct Rejection {
    /// What is wrong: `request`, `rules`, `position`, `move`, `text` or `over`.
    kind: &'static str,
    /// The reason, for people.
    message: String,
    /// Number of the moves before a bad one.
    good: Option<usize>,
}

type Reply = Result<Value, Rejection>;

/// Answers requests about one game after another, whatever its rules.
///
/// ```
/// use fusion_play::Session;
///
/// let mut session = Session::new(&[]).unwrap();
/// let reply = session.handle(
///     r#"{"request": "position", "at": {"rules": "fusion-2020", "moves": ["e2e4"]}}"#,
/// );
/// let reply: serde_json::Value = serde_json::from_str(&reply).unwrap();
/// assert_eq!(reply["ok"]["history"][0]["words"], "e4");
/// assert_eq!(reply["ok"]["legal"].as_array().unwrap().len(), 22);
/// let reply = session.handle("{}");
/// assert!(reply.starts_with(r#"{"error""#));
/// ```
pub struct Session {
    games: Vec<(KnownGame, Box<dyn Answers>)>,
    files: Files,
}

/// What answers the requests about one kind of game.
pub(crate) trait Answers: Send {
    fn answer(&mut self, request: &Request) -> Reply;

    /// Forgets what searches have found.
    fn forget(&mut self);
}

impl Session {
    /// Creates a session with networks of either search, as the bytes of their files. A game is played
    /// with the first network of the alpha-beta search that fits its rules, else with the first one of
    /// the tree search, else by material.
    ///
    /// # Errors
    /// Returns an error if a network is damaged or fits no preset of any game.
    pub fn new(networks: &[&[u8]]) -> Result<Self, String> {
        let mut used = vec![false; networks.len()];
        let mut games = Vec::new();
        for known in KnownGame::ALL {
            let session = for_game!(known, G => game_session::<G>(networks, &mut used));
            games.push((known, session));
        }
        if used.iter().all(|&used| used) {
            Ok(Self { games, files: Files::default() })
        } else {
            Err("the network is damaged, or made for no game of this program".into())
        }
    }

    /// Answers a request. Both are JSON.
    pub fn handle(&mut self, request: &str) -> String {
        let reply = match Request::parse(request).and_then(|request| self.answer(&request)) {
            Ok(reply) => json!({ "ok": reply }),
            Err(Rejection { kind, message, good }) => {
                json!({ "error": { "kind": kind, "message": message, "good": good } })
            }
        };
        reply.to_string()
    }

    fn answer(&mut self, request: &Request) -> Reply {
        match request {
            Request::Start {} => Ok(rules::start()),
            Request::New {} => {
                self.games.iter_mut().for_each(|(_, game)| game.forget());
                Ok(Value::Null)
            }
            Request::Import { text } => import(text),
            Request::File { name, text } => self.files.read(name, text),
            Request::Definition { name, text } => self.files.know(name, text),
            _ => {
                let rules = request.rules().ok_or_else(|| reject("request", "no rules"))?;
                let known = KnownGame::of_rules(rules);
                let mut games = self.games.iter_mut();
                let game = games.find(|(game, _)| *game == known);
                game.ok_or_else(|| reject("rules", "no such game"))?.1.answer(request)
            }
        }
    }
}

/// Creates the session of a game with the networks that fit its presets. Notes which ones do.
fn game_session<G: BoardGame>(networks: &[&[u8]], used: &mut [bool]) -> Box<dyn Answers> {
    let presets: Vec<G::Rules> = G::Rules::presets().into_iter().map(|(_, rules)| rules).collect();
    let mut fitting = Networks::default();
    for (network, used) in networks.iter().zip(used) {
        if let Some(network) = read::<G, ViewSizes>(network, &presets) {
            *used = true;
            fitting.moves.push(Arc::new(network));
        } else if let Some(network) = read::<G, TreeSizes>(network, &presets) {
            *used = true;
            fitting.tree.push(Arc::new(network));
        }
    }
    Box::new(GameSession::<G>::new(fitting))
}

/// Reads a network that fits one of these rule sets. Rule sets whose networks have the same sizes are
/// tried once.
fn read<G: Game, S: SizesFor<G>>(bytes: &[u8], rules: &[G::Rules]) -> Option<Quantised<S>> {
    let mut tried = Vec::new();
    rules.iter().find_map(|rules| {
        let sizes = S::sizes(rules, 64).ok()?;
        if tried.contains(&sizes) {
            return None;
        }
        tried.push(sizes);
        Quantised::from_bytes::<G>(rules, bytes).ok()
    })
}

/// Reads a game by the first kind of game that accepts the text.
fn import(text: &str) -> Reply {
    let mut first = None;
    for game in KnownGame::ALL {
        let read = for_game!(game, G => {
            <G as BoardGame>::read_game(text).map(|game| game::describe_read::<G>(&game))
        });
        match read {
            Ok(game) => return game,
            Err(reason) => first = first.or(Some(reason)),
        }
    }
    Err(reject("text", first.unwrap_or_default()))
}
