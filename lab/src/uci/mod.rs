//! The Universal Chess Interface, for ordinary chess programs.
//!
//! [`run`] answers such programs.
//!
//! `UCI_Variant` names a preset, where `chess` is orthodox chess. `Rules` takes any rule expression
//! and overrides the variant unless it is empty. Moves are in coordinate notation. Positions are in
//! the FEN of [`board::fen`](fusion_chess::board::fen). `EndgameTables` names a folder of [endgame
//! tables](fusion_chess::endgame). They are opened again for every change of the rules. If the
//! folder has no tables for the rules, the search runs without tables. Searches, the making of their
//! memory and the opening of tables have their own threads, so input is always answered. `isready`
//! waits for memory and tables.
//!
//! `Search` chooses the tree search or the alpha-beta search of selective depth. Both take the same
//! limits, which `limits.rs` describes. `mate.rs` searches for mates before either.
//!
//! Moves may be in other notations too ([`parse_move`]), and harmless faults of a FEN are mended
//! with a remark ([`Position::read_fen`]). Other input that cannot be parsed is answered by an
//! `info string` and changes nothing, except `go`, which always searches or is rejected. If a
//! decisive option has a wrong value, or the position is wrong, `go` is answered by the error and no
//! move: an earlier position is never played. This lasts until the option or the position is
//! corrected.

mod limits;
pub(crate) mod lines;
mod mate;
mod options;
mod output;
mod pvs;
mod report;
mod request;
mod searcher;
mod strength;
mod tables;
mod tree;
mod worker;

use fusion_chess::FusionGame;
use fusion_chess::board::{Move, Position};
use fusion_chess::notation::{CoordinateError, parse_castling, parse_coordinate, parse_move};
use fusion_chess::rules::RuleSet;
use fusion_game::prelude::*;
use fusion_network::model::Model;
use limits::Limits;
use options::{Change, Options};
use output::Output;
use request::Request;
use searcher::UciSearch;
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::time::Instant;
use tables::Tables;
use worker::{Job, Supply, Task};

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
                engine.wait();
                return Ok(());
            }
            Some(line) if line.len() >= lines::LONGEST => engine.cut_off(&line),
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
    /// Whether the other program has set the position.
    placed: bool,
    /// The error in the last requested position.
    misplaced: Option<String>,
    tables: Tables,
    /// The search with its tree or table; `None` while a job uses it, or if there is none yet.
    search: Option<Box<dyn UciSearch>>,
    /// A search that is not needed any more. The next job frees its memory, which may take long.
    old: Option<Box<dyn UciSearch>>,
    job: Option<Job>,
}

impl Engine {
    fn new(output: Output, shipped: Model) -> anyhow::Result<Self> {
        let options = Options::new(shipped)?;
        Ok(Self {
            output,
            start: Position::start(&options.rules()),
            options,
            moves: Vec::new(),
            placed: false,
            misplaced: None,
            tables: Tables::none(),
            search: None,
            old: None,
            job: None,
        })
    }

    /// Executes one line. Returns `false` for `quit`.
    fn command(&mut self, line: &str) -> bool {
        let line = line.trim();
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match name {
            "" | "debug" | "register" => {}
            "uci" => self.introduce(),
            "isready" => self.prepare(),
            "setoption" => self.set_option(rest),
            "ucinewgame" => {
                self.halt();
                self.discard();
            }
            "position" => {
                self.halt_search();
                self.misplaced = self.set_position(rest).err();
                self.placed = true;
                self.misplaced.iter().for_each(|reason| self.output.error(reason));
            }
            "go" => self.go(rest),
            "stop" | "ponderhit" => {
                self.job.iter().filter(|job| job.is_search()).for_each(Job::stop);
            }
            "d" => self.display(),
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
        for option in Options::describe() {
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
                self.halt_search();
                (self.misplaced, self.placed) = (Some(format!("position: {error}")), true);
                self.output.error(&format!("position: {error}"));
            }
            Some("go") => self.go(line.trim_start().trim_start_matches("go")),
            Some("setoption") => {
                let known: String = line.trim_start().chars().take(200).collect();
                self.set_option(&format!("{}...", known.trim_start_matches("setoption")));
            }
            _ => self.output.error(&error),
        }
    }

    /// Makes the alpha-beta search before the first `go`, whose clock would run meanwhile, and
    /// answers `isready`.
    fn prepare(&mut self) {
        let is_new = self.options.is_pvs() && self.job.is_none() && self.search.is_none();
        // A conflict of options is reported by `go`, and so is a thread that cannot be started.
        if is_new && let Ok(recipe) = self.options.recipe() {
            let (old, tables, output) = (self.old.take(), self.tables.clone(), self.output.clone());
            self.job = Job::prepare(recipe, self.game(), old, tables, output).ok();
        }
        if !self.job.as_ref().is_some_and(Job::is_awaited) {
            self.tables.answer_when_ready(&self.output);
        }
    }

    /// Drops the tree or table.
    fn discard(&mut self) {
        self.old = self.search.take().or(self.old.take());
    }

    /// Ends the running search, if any. A preparation goes on.
    fn halt_search(&mut self) {
        if self.job.as_ref().is_some_and(Job::is_search) {
            self.halt();
        }
    }

    /// Ends the running search or preparation, if any, and takes its tree or table back.
    fn halt(&mut self) {
        if let Some(job) = self.job.take() {
            job.stop();
            self.search = job.finish();
        }
    }

    /// Waits for a running search if it ends by itself, stops any other, and waits for tables.
    fn wait(&mut self) {
        if let Some(job) = self.job.take_if(|job| job.ends_soon()) {
            self.search = job.finish();
        }
        self.halt();
        // Errors in the tables were reported already.
        let _ = self.tables.wait(|| self.output.is_closed());
    }

    fn set_option(&mut self, text: &str) {
        self.halt();
        match self.options.set(text) {
            Ok(change) => {
                let remarks = self.options.remarks(text);
                remarks.iter().for_each(|remark| self.output.remark(remark));
                self.apply(&change);
            }
            Err(reason) => self.output.error(&reason),
        }
    }

    fn apply(&mut self, change: &Change) {
        if *change != Change::None {
            self.discard();
        }
        if *change == Change::Rules {
            self.moves.clear();
            self.start = Position::start(&self.options.rules());
            if self.placed {
                self.misplaced = Some("position: it was set under other rules".into());
            }
        }
        if matches!(change, Change::Rules | Change::Tables) {
            match self.options.tables_folder.clone() {
                None => self.tables.close(&self.output),
                Some(folder) => {
                    self.tables.open(self.options.rules(), folder, self.output.clone());
                }
            }
        }
    }

    /// Returns the errors in the options and the position.
    fn errors(&self) -> Vec<&str> {
        let options = self.options.wrong.values();
        options.chain(&self.misplaced).map(String::as_str).collect()
    }

    /// Parses `startpos` or `fen ...`, then `moves ...`.
    fn set_position(&mut self, text: &str) -> Result<(), String> {
        let (start, moves) = self.read_position(text).map_err(|why| format!("position: {why}"))?;
        self.reuse_tree(&start, &moves);
        (self.start, self.moves) = (start, moves);
        Ok(())
    }

    fn read_position(&self, text: &str) -> Result<(Position, Vec<Move>), String> {
        let rules = self.options.rules();
        let words: Vec<&str> = text.split_whitespace().collect();
        let split = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
        let start = match &words[..split] {
            ["startpos"] => rules.start.fen(0).to_string(),
            ["fen", fields @ ..] => fields.join(" "),
            _ => return Err("'startpos' or 'fen' must follow, then 'moves' if any".into()),
        };
        let read = Position::read_fen(&rules, &start).map_err(|error| error.to_string())?;
        let (start, remarks) = read;
        remarks.iter().for_each(|remark| self.output.remark(&format!("position: {remark}")));
        let mut position = start;
        let mut moves = Vec::new();
        // People write that a capture is en passant as a word of its own.
        let moves_given = words.iter().skip(split + 1).filter(|&&word| word != "e.p.");
        for (i, text) in moves_given.enumerate() {
            let mv = read_move(&position, &rules, text)
                .map_err(|error| format!("move {}: {error}", i + 1))?;
            position.play(mv);
            moves.push(mv);
        }
        Ok((start, moves))
    }

    /// Keeps the tree if the new position continues the previous game. A table is always kept.
    fn reuse_tree(&mut self, start: &Position, moves: &[Move]) {
        let continued = moves.strip_prefix(&self.moves[..]).filter(|_| *start == self.start);
        if !self.search.as_mut().is_some_and(|search| search.follow(continued)) {
            self.discard();
        }
    }

    /// Returns the game with its history.
    fn game(&self) -> FusionGame {
        let mut game = FusionGame::at(self.options.rules(), self.start);
        self.moves.iter().for_each(|&mv| game.play(mv));
        game
    }

    fn go(&mut self, text: &str) {
        let started = Instant::now();
        self.halt_search();
        let errors = self.errors();
        if !errors.is_empty() {
            worker::reject(&self.output, errors);
            return;
        }
        let game = self.game();
        let recipe = match self.options.recipe() {
            Ok(recipe) => recipe,
            Err(conflict) => return worker::reject(&self.output, [conflict]),
        };
        let supply = match (self.search.take(), self.job.take()) {
            (Some(searcher), _) => Supply::Ready(searcher),
            (None, Some(preparation)) => Supply::Preparation(preparation),
            (None, None) => Supply::New,
        };
        let task = Task {
            request: self.request(text, &game, started),
            supply,
            recipe,
            old: self.old.take(),
            game,
            tables: self.tables.clone(),
        };
        match Job::start(task) {
            Ok(job) => self.job = Some(job),
            Err(error) => {
                worker::reject(&self.output, [format!("cannot start a search: {error}")]);
            }
        }
    }

    /// Parses the words after `go`.
    fn request(&self, text: &str, game: &FusionGame, started: Instant) -> Request {
        let (mut limits, mut remarks) = Limits::parse(text);
        let mut only = Vec::new();
        for text in &limits.moves {
            match read_move(game.position(), &self.options.rules(), text) {
                Ok(mv) => only.push(mv),
                Err(error) => {
                    limits.is_unread = true;
                    remarks.push(format!("searchmoves: {error}"));
                }
            }
        }
        remarks.truncate(limits::MOST_REMARKS);
        if only.is_empty() && !limits.moves.is_empty() {
            remarks.push("searchmoves: no move is left, so all are searched".into());
        }
        remarks.extend(limits.remark(game.side_to_move()));
        remarks.iter().for_each(|remark| self.output.remark(remark));
        Request {
            limits,
            only,
            lines: self.options.lines,
            level: self.options.level(),
            show_wdl: self.options.show_wdl,
            output: self.output.clone(),
            started,
            stop: Arc::default(),
        }
    }

    /// Prints the position for people.
    fn display(&self) {
        let game = self.game();
        let position = game.position();
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        self.output.line(&game.diagram());
        self.output.line("");
        self.output.line(&format!("fen      {position}"));
        self.output.line(&format!("rules    {}", self.options.rules()));
        self.output.line(&format!("network  {}", self.options.network_hash()));
        let state = match game.outcome(&moves) {
            Some(outcome) => format!("over: {} {}", outcome.ending, outcome.result()),
            None if position.in_check() => "check".into(),
            None => "in play".into(),
        };
        self.output.line(&format!("state    {state}"));
        let moves: Vec<String> = moves.iter().map(Move::to_string).collect();
        self.output.line(&format!("moves    {}", moves.join(" ")));
        for error in self.errors() {
            self.output.line(&format!("error    {}", output::one_line(error)));
        }
    }
}

/// Parses a move in coordinate notation, or else in any other.
fn read_move(position: &Position, rules: &RuleSet, text: &str) -> Result<Move, CoordinateError> {
    parse_coordinate(position, rules, text).or_else(|error| {
        let castling = || parse_castling(position, rules, text);
        parse_move(position, rules, text).ok().or_else(castling).ok_or(error)
    })
}

#[cfg(test)]
mod tests {
    use super::output::tests::Written;
    use super::*;

    /// Input is answered even if the tables take long to open.
    #[test]
    fn input_is_answered_while_tables_are_opened() {
        let written = Written::default();
        let shipped = Model::open::<FusionGame>("material", []).unwrap();
        let mut engine = Engine::new(Output::new(written.clone()), shipped).unwrap();
        engine.tables = Tables::on_their_way();
        for command in ["isready", "position startpos", "go nodes 5"] {
            engine.command(command);
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert_eq!(written.take(), "");
        engine.command("uci");
        assert!(written.take().ends_with("uciok\n"));
        engine.command("stop");
        engine.halt();
        let stopped = written.take();
        assert!(stopped.starts_with("info string endgame tables are not open yet"), "{stopped}");
        assert!(stopped.contains("\nbestmove "), "{stopped}");
        // The search waits for tables at most for its thinking time.
        engine.command("go movetime 1");
        std::thread::sleep(std::time::Duration::from_millis(200));
        engine.halt();
        assert!(written.take().contains("not open yet"));
        engine.command("go nodes 5");
        engine.tables.arrive(&engine.output);
        engine.wait();
        let opened = written.take();
        assert!(opened.starts_with("info string opened\nreadyok\n"), "{opened}");
        assert!(opened.contains("\nbestmove ") && !opened.contains("not open"), "{opened}");
    }
}
