//! A measurement in a page, as JSON requests and replies.
//!
//! Several workers of a page play the games of one study, and one of them analyses the results. Each has a
//! [`Measuring`]. Games, results and words are those of the program: this crate only puts its parts in another order.
//! There are no threads, clocks or files here; networks are files in memory ([`fusion_game::files::hold`]).
//!
//! A request is an object. Its key `measure` is the kind of request:
//!
//! | `measure` | other keys | reply |
//! | --- | --- | --- |
//! | `ask` | `rules`, `openings`, `nodes`, `network` or null, `seed` | the text of the study, its rule sets in canonical form, the number of games |
//! | `begin` | `study` | null; the study of this text is begun |
//! | `openings` | | the number of openings found so far and, once all are found, the text of the pool |
//! | `pool` | `pool` | the signature of how the player plays; games begin with the openings of this pool. A study has games of one signature only |
//! | `play` | `number` | the game of this number as a text: scripts cannot read all of its numbers exactly |
//! | `add` | `games`: pairs of numbers and such texts | number of openings that all rule sets have finished |
//! | `results` | | draws, White's score, lengths and endings; the comparisons; the verdict |
//! | `files` | | names and contents of the files of the whole run |
//!
//! A reply is `{"ok": ...}`, or `{"error": {"message": ...}}` for a request that is rejected.

mod question;
mod results;
mod run;

use anyhow::Context;
use fusion_registry::{KnownGame, for_game};
use question::Question;
use run::Run;
use serde::Deserialize;
use serde_json::{Value, json};

/// A request.
#[derive(Deserialize)]
#[serde(tag = "measure", rename_all = "lowercase", deny_unknown_fields)]
enum Request {
    Ask(Question),
    Begin { study: String },
    Openings {},
    Pool { pool: String },
    Play { number: u64 },
    Add { games: Vec<(u64, String)> },
    Results {},
    Files {},
}

/// Answers the requests about one study after another.
///
/// ```
/// use fusion_play_measure::Measuring;
///
/// let mut measuring = Measuring::default();
/// let reply = measuring.handle(
///     r#"{"measure": "ask", "rules": ["fusion-2020", "fusion-1999"], "openings": 20, "nodes": 64,
///         "network": "pvs:material", "seed": 1}"#,
/// );
/// let reply: serde_json::Value = serde_json::from_str(&reply).unwrap();
/// assert_eq!(reply["ok"]["games"], 40);
/// ```
#[derive(Default)]
pub struct Measuring {
    run: Option<Box<dyn Measures>>,
}

/// A study that is measured, whatever its game.
trait Measures {
    fn openings(&mut self) -> anyhow::Result<Value>;
    fn pool(&mut self, csv: &str) -> anyhow::Result<Value>;
    fn play(&self, number: u64) -> anyhow::Result<Value>;
    fn add(&mut self, games: Vec<(u64, String)>) -> anyhow::Result<Value>;
    fn results(&self) -> anyhow::Result<Value>;
    fn files(&self) -> anyhow::Result<Value>;
}

impl Measuring {
    /// Answers a request. Both are JSON.
    pub fn handle(&mut self, request: &str) -> String {
        let request = serde_json::from_str(request).context("not a request");
        let reply = match request.and_then(|request| self.answer(request)) {
            Ok(reply) => json!({ "ok": reply }),
            Err(error) => json!({ "error": { "message": format!("{error:#}") } }),
        };
        reply.to_string()
    }

    fn answer(&mut self, request: Request) -> anyhow::Result<Value> {
        let run = self.run.as_mut().context("no study is begun");
        match request {
            Request::Ask(question) => question.study(),
            Request::Begin { study } => {
                let parsed = fusion_study::Study::parse(&study)?;
                let game: KnownGame = parsed.game();
                self.run = Some(for_game!(game, G => Box::new(Run::<G>::new(parsed, study)?)));
                Ok(Value::Null)
            }
            Request::Openings {} => run?.openings(),
            Request::Pool { pool } => run?.pool(&pool),
            Request::Play { number } => run?.play(number),
            Request::Add { games } => run?.add(games),
            Request::Results {} => run?.results(),
            Request::Files {} => run?.files(),
        }
    }
}
