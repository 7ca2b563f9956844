//! The Universal Chess Interface, for ordinary chess programs.
//!
//! [`run`] answers them; [`Client`] asks another engine.
//!
//! `UCI_Variant` names a preset, `chess` being orthodox; the option `Rules` takes any
//! rule expression. Moves are in coordinate notation, positions in the FEN of
//! [`board::fen`](crate::board::fen). `EndgameTables` names a folder of
//! [endgame tables](crate::endgame), which are opened again for every change of the rules;
//! without tables for them the search goes without. Searching happens on a thread of its
//! own, so input is always answered. What cannot be understood is answered by an
//! `info string` and changes nothing.

mod client;
mod limits;
mod lines;
mod options;
mod worker;

pub use client::{Client, HANDSHAKE};

use crate::board::{Color, Move, Position, Square, fen};
use crate::fusion::FusionGame;
use crate::game::Game;
use crate::notation::parse_coordinate;
use crate::search::Search;
use limits::Limits;
use options::{Change, Options};
use std::io::{BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use worker::{Job, Task};

/// Where answers go: whole lines, from any thread.
#[derive(Clone)]
struct Output {
    writer: Arc<Mutex<dyn Write + Send>>,
    closed: Arc<AtomicBool>,
}

impl Output {
    fn line(&self, text: &str) {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        // Nobody listens any more: there is nobody to tell either.
        if writeln!(writer, "{text}").and_then(|()| writer.flush()).is_err() {
            self.closed.store(true, Ordering::Relaxed);
        }
    }

    /// Says something to people.
    fn remark(&self, text: &str) {
        let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        self.line(&format!("info string {text}"));
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }
}

/// Answers commands until `quit`, the end of the input, or until nobody listens.
///
/// At the end of the input a search that ends by itself is waited for.
///
/// # Errors
/// Input that cannot be read.
pub fn run(mut input: impl BufRead, output: impl Write + Send + 'static) -> anyhow::Result<()> {
    let closed = Arc::new(AtomicBool::new(false));
    let output = Output { writer: Arc::new(Mutex::new(output)), closed };
    let mut engine = Engine::new(output).map_err(anyhow::Error::msg)?;
    while !engine.output.is_closed() {
        match lines::read(&mut input)? {
            None => {
                engine.wait();
                return Ok(());
            }
            Some(line) if line.len() >= lines::LONGEST => {
                engine.output.remark(&format!("lines of {} bytes are ignored", lines::LONGEST));
            }
            Some(line) if !engine.command(&line) => break,
            Some(_) => {}
        }
    }
    engine.halt();
    Ok(())
}

struct Engine {
    output: Output,
    options: Options,
    start: Position,
    moves: Vec<Move>,
    /// The tree; `None` while a job has it, or if there is none yet.
    search: Option<Search<FusionGame>>,
    job: Option<Job>,
}

impl Engine {
    fn new(output: Output) -> Result<Self, String> {
        let options = Options::new()?;
        let start = Position::start(&options.rules);
        Ok(Self { output, options, start, moves: Vec::new(), search: None, job: None })
    }

    /// Answers one line; `false` on `quit`.
    fn command(&mut self, line: &str) -> bool {
        let line = line.trim();
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match name {
            "" | "debug" | "register" => {}
            "uci" => self.introduce(),
            "isready" => self.output.line("readyok"),
            "setoption" => self.set_option(rest),
            "ucinewgame" => {
                self.halt();
                self.search = None;
            }
            "position" => {
                self.halt();
                if let Err(reason) = self.set_position(rest) {
                    self.output.remark(&format!("position: {reason}; it stays as it was"));
                }
            }
            "go" => self.go(rest),
            "stop" | "ponderhit" => {
                if let Some(job) = &self.job {
                    job.stop();
                }
            }
            "d" => self.display(),
            "quit" => return false,
            _ => self.output.remark(&format!(
                "no command '{name}'; commands are uci, isready, setoption, ucinewgame, \
                 position, go, stop, d, quit"
            )),
        }
        true
    }

    fn introduce(&self) {
        self.output.line(concat!("id name Fusion Chess Lab ", env!("CARGO_PKG_VERSION")));
        self.output.line("id author the Fusion Chess Lab authors");
        for option in Options::describe() {
            self.output.line(&option);
        }
        self.output.line("uciok");
    }

    /// Ends the search under way, if any, and takes its tree back.
    fn halt(&mut self) {
        if let Some(job) = self.job.take() {
            job.stop();
            self.search = job.finish();
        }
    }

    /// Lets the search under way end by itself if it does so.
    fn wait(&mut self) {
        if let Some(job) = self.job.take_if(|job| job.bounded()) {
            self.search = job.finish();
        }
        self.halt();
    }

    fn set_option(&mut self, text: &str) {
        self.halt();
        match self.options.set(text) {
            Ok(Change::Rules) => {
                self.search = None;
                self.moves.clear();
                self.start = Position::start(&self.options.rules);
                self.open_tables();
            }
            Ok(Change::Tables) => {
                self.search = None;
                self.open_tables();
            }
            Ok(Change::Search) => self.search = None,
            Ok(Change::None) => {}
            Err(reason) => self.output.remark(&reason),
        }
    }

    /// Opens the endgame tables for the rules, if there is a folder, and says what was found.
    fn open_tables(&mut self) {
        if let Some(remark) = self.options.open_tables() {
            self.output.remark(&remark);
        }
    }

    /// Reads `startpos` or `fen ...`, then `moves ...`.
    fn set_position(&mut self, text: &str) -> Result<(), String> {
        let rules = self.options.rules;
        let words: Vec<&str> = text.split_whitespace().collect();
        let split = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
        let start = match &words[..split] {
            ["startpos"] => fen::start(&rules).to_string(),
            ["fen", fields @ ..] => fields.join(" "),
            _ => return Err("'startpos' or 'fen' must follow, then 'moves' if any".into()),
        };
        let start = Position::from_fen(&rules, &start).map_err(|error| error.to_string())?;
        let mut position = start;
        let mut moves = Vec::new();
        for (i, text) in words.iter().skip(split + 1).enumerate() {
            let mv = parse_coordinate(&position, &rules, text)
                .map_err(|error| format!("move {}: {error}", i + 1))?;
            position.play(mv);
            moves.push(mv);
        }
        self.reuse_tree(&start, &moves);
        (self.start, self.moves) = (start, moves);
        Ok(())
    }

    /// Keeps the tree if the new position continues the game of the old one.
    fn reuse_tree(&mut self, start: &Position, moves: &[Move]) {
        let continued = moves.strip_prefix(&self.moves[..]).filter(|_| *start == self.start);
        match (continued, &mut self.search) {
            (Some(continued), Some(search)) => {
                continued.iter().for_each(|&mv| search.advance(mv));
            }
            _ => self.search = None,
        }
    }

    /// The game with its history.
    fn game(&self) -> FusionGame {
        let mut game = FusionGame::at(self.options.rules, self.start);
        self.moves.iter().for_each(|&mv| game.play(mv));
        game
    }

    fn go(&mut self, text: &str) {
        let started = Instant::now();
        self.halt();
        let (limits, remarks) = Limits::parse(text);
        remarks.iter().for_each(|remark| self.output.remark(remark));
        let game = self.game();
        let mut only = Vec::new();
        for text in &limits.moves {
            match parse_coordinate(game.position(), &self.options.rules, text) {
                Ok(mv) => only.push(mv),
                Err(error) => self.output.remark(&format!("searchmoves: {error}")),
            }
        }
        let search = self.search.take().unwrap_or_else(|| self.options.search(game));
        let task = Task {
            search,
            evaluator: self.options.model.evaluator(0),
            limits,
            only,
            show_wdl: self.options.show_wdl,
            output: self.output.clone(),
            started,
        };
        match Job::start(task) {
            Ok(job) => self.job = Some(job),
            Err(error) => self.output.remark(&format!("cannot start a search: {error}")),
        }
    }

    /// Shows the position to people.
    fn display(&self) {
        let game = self.game();
        let position = game.position();
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        for rank in (0..8).rev() {
            let row = (0..8).map(|file| standing(position, Square::at(file, rank)));
            let row: Vec<String> = row.collect();
            self.output.line(&format!("{}  {}", rank + 1, row.join(" ")));
        }
        self.output.line("\n   a b c d e f g h\n");
        self.output.line(&format!("fen      {position}"));
        self.output.line(&format!("rules    {}", self.options.rules));
        self.output.line(&format!("network  {}", self.options.model.hash()));
        let state = match game.outcome(&moves) {
            Some(outcome) => format!("over: {} {}", outcome.ending, outcome.result()),
            None if position.in_check() => "check".into(),
            None => "in play".into(),
        };
        self.output.line(&format!("state    {state}"));
        let moves: Vec<String> = moves.iter().map(Move::to_string).collect();
        self.output.line(&format!("moves    {}", moves.join(" ")));
    }
}

/// What stands on a square as FEN has it, a point if nothing does.
fn standing(position: &Position, square: Square) -> String {
    let piece = position.piece_on(square);
    match () {
        () if piece.is_empty() => ".".into(),
        () if position.color(Color::White).has(square) => piece.fen().to_ascii_uppercase(),
        () => piece.fen(),
    }
}
