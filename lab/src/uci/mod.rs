//! The Universal Chess Interface, for ordinary chess programs.
//!
//! [`run`] answers such programs.
//!
//! `UCI_Variant` names a preset, where `chess` is orthodox chess, a built-in game of Fairy-Stockfish, or
//! a section of a file that `VariantPath` names, as in that program (`variants.rs`). `Rules` takes any
//! rule expression and overrides the variant unless it is empty. Moves are in coordinate notation, those
//! of a file's game as Fairy-Stockfish writes them. Positions are in FEN. `EndgameTables` names a folder
//! of [endgame tables](fusion_chess::endgame). They are opened again for every change of the rules. If
//! the folder has no tables for the rules, the search runs without tables. Searches, the making of their
//! memory and the opening of tables have their own threads, so input is always answered. `isready`
//! waits for memory and tables.
//!
//! `Search` chooses the tree search or the alpha-beta search of selective depth. Both take the same
//! limits, which `limits.rs` describes. `mate.rs` searches for mates before either.
//!
//! Moves of chess may be in other notations too, and harmless faults of a FEN are mended with a remark
//! (`games.rs`). Other input that cannot be parsed is answered by an
//! `info string` and changes nothing, except `go`, which always searches or is rejected. If a
//! decisive option has a wrong value, or the position is wrong, `go` is answered by the error and no
//! move: an earlier position is never played. This lasts until the option or the position is
//! corrected.

mod games;
mod limits;
pub(crate) mod lines;
mod mate;
mod options;
mod output;
mod pvs;
mod report;
mod request;
mod searcher;
mod session;
mod strength;
mod tables;
mod tree;
mod variants;
mod worker;

use fusion_network::model::Model;
use options::{Change, Options};
use output::Output;
use session::{OTHER_RULES, Session};
use std::io::{BufRead, Write};

/// Answers commands until `quit`, until the end of the input, or until the output is closed.
/// `shipped` evaluates positions unless the option `Network` names another evaluator.
///
/// At the end of the input, a search that soon ends by itself is completed, and any other stopped.
///
/// # Errors
/// Fails if the input cannot be read.
pub fn run(
    mut input: impl BufRead,
    output: impl Write + Send + 'static,
    shipped: Model,
) -> anyhow::Result<()> {
    let mut engine = Engine::new(Output::new(output), shipped)?;
    while !engine.output.is_closed() {
        match lines::read(&mut input)? {
            None => {
                engine.session.wait();
                return Ok(());
            }
            Some(line) if line.len() >= lines::LONGEST => engine.cut_off(&line),
            Some(line) if !engine.command(&line) => break,
            Some(_) => {}
        }
    }
    engine.session.halt();
    Ok(())
}

struct Engine {
    output: Output,
    options: Options,
    session: Box<dyn Session>,
}

impl Engine {
    fn new(output: Output, shipped: Model) -> anyhow::Result<Self> {
        let options = Options::new(shipped).map_err(anyhow::Error::msg)?;
        let session = session::open(options.rules(), output.clone()).map_err(anyhow::Error::msg)?;
        Ok(Self { output, options, session })
    }

    /// Executes one line. Returns `false` for `quit`.
    fn command(&mut self, line: &str) -> bool {
        let line = line.trim();
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match name {
            "" | "debug" | "register" => {}
            "uci" => self.introduce(),
            "isready" => self.session.prepare(&self.options),
            "setoption" => self.set_option(rest),
            "ucinewgame" => {
                self.session.halt();
                self.session.discard();
            }
            "position" => self.session.set_position(rest),
            "go" => self.session.go(rest, &self.options),
            "stop" | "ponderhit" => self.session.stop(),
            "d" => self.session.display(&self.options),
            "quit" => return false,
            _ => self.output.error(&format!(
                "no command '{name}'; commands are uci, isready, setoption, ucinewgame, \
                 position, go, stop, d, quit"
            )),
        }
        true
    }

    fn introduce(&self) {
        self.output.line(concat!("id name Fusion Chess Lab ", env!("CARGO_PKG_VERSION")));
        self.output.line("id author the Fusion Chess Lab authors");
        for option in self.options.describe() {
            self.output.line(&option);
        }
        self.output.remark(&format!("network {}", self.options.network()));
        self.output.line("uciok");
    }

    /// Answers a line that was cut off. What depends on it is not done with what was said earlier, so a
    /// position or an option is wrong.
    fn cut_off(&mut self, line: &str) {
        let error = format!("lines of {} bytes are ignored", lines::LONGEST);
        match line.split_whitespace().next() {
            Some("position") => {
                self.session.halt_search();
                self.session.reject_position(format!("position: {error}"));
                self.output.error(&format!("position: {error}"));
            }
            Some("go") => {
                self.session.go(line.trim_start().trim_start_matches("go"), &self.options);
            }
            Some("setoption") => {
                let known: String = line.trim_start().chars().take(200).collect();
                self.set_option(&format!("{}...", known.trim_start_matches("setoption")));
            }
            _ => self.output.error(&error),
        }
    }

    fn set_option(&mut self, text: &str) {
        self.session.halt();
        let before = (self.options.rules().game, self.options.network());
        match self.options.set(text) {
            Ok(change) => {
                self.options.remarks(text).iter().for_each(|remark| self.output.remark(remark));
                if change == Change::Rules && self.options.network() != before.1 {
                    self.output.remark(&format!("network {}", self.options.network()));
                }
                if self.options.rules().game == before.0 {
                    self.session.apply(&change, &self.options);
                } else {
                    self.change_game(&change);
                }
            }
            Err(reason) => self.output.error(&reason),
        }
    }

    /// Begins a session of another kind of game.
    fn change_game(&mut self, change: &Change) {
        match session::open(self.options.rules(), self.output.clone()) {
            Ok(mut session) => {
                if self.session.is_placed() {
                    session.reject_position(OTHER_RULES.into());
                }
                self.session.close();
                self.session = session;
                self.session.apply(change, &self.options);
            }
            Err(reason) => self.output.error(&reason),
        }
    }
}
