//! A game with its position, and the search that plays it.

use super::games::UciGame;
use super::limits::{self, Limits};
use super::options::{Change, Options};
use super::output::{Output, one_line};
use super::request::Request;
use super::searcher::UciSearch;
use super::tables::Tables;
use super::variants::Rules;
use super::worker::{self, Job, Supply, Task};
use fusion_chess::FusionGame;
use fusion_fairy::FairyGame;
use fusion_game::{Benchmark, RuleSet as _};
use fusion_registry::KnownGame;
use std::sync::Arc;
use std::time::Instant;

/// Most plies of the sequences that `go perft` counts: no other command is read meanwhile.
const PERFT: u32 = 4;

/// What answers the commands about a game, whatever its kind.
pub(super) trait Session: Send {
    /// Sets the position: `startpos` or `fen ...`, then `moves ...`.
    fn set_position(&mut self, text: &str);

    /// Rejects the position that the other program has set, until it sets another.
    fn reject_position(&mut self, reason: String);

    /// Returns whether the other program has set a position.
    fn is_placed(&self) -> bool;

    /// Applies a change of an option. The game stays one of this kind.
    fn apply(&mut self, change: &Change, options: &Options);

    /// Makes the alpha-beta search before the first `go`, whose clock would run meanwhile, and
    /// answers `isready`.
    fn prepare(&mut self, options: &Options);

    /// Starts a search from the words after `go`.
    fn go(&mut self, text: &str, options: &Options);

    /// Asks the running search to end, if there is one.
    fn stop(&self);

    /// Ends the running search, if any. A preparation goes on.
    fn halt_search(&mut self);

    /// Ends the running search or preparation, if any, and takes its tree or table back.
    fn halt(&mut self);

    /// Drops the tree or table.
    fn discard(&mut self);

    /// Waits for a running search if it ends by itself, stops any other, and waits for tables.
    fn wait(&mut self);

    /// Ends everything. An `isready` that waits is answered.
    fn close(&mut self);

    /// Prints the position for people.
    fn display(&self, options: &Options);
}

/// Creates the session of a rule set at its start position.
///
/// # Errors
/// Returns the reason if the protocol does not play the rules.
pub(super) fn open(rules: &Rules, output: Output) -> Result<Box<dyn Session>, String> {
    match rules.game {
        KnownGame::Fairy => Ok(Box::new(GameSession::<FairyGame>::new(rules, output)?)),
        _ => Ok(Box::new(GameSession::<FusionGame>::new(rules, output)?)),
    }
}

/// The session of a kind of game.
pub(super) struct GameSession<G: UciGame> {
    output: Output,
    start: G,
    moves: Vec<G::Move>,
    /// Whether the other program has set the position.
    placed: bool,
    /// The error in the last requested position.
    misplaced: Option<String>,
    pub(super) tables: Tables<G>,
    /// The search with its tree or table; `None` while a job uses it, or if there is none yet.
    search: Option<Box<dyn UciSearch<G>>>,
    /// A search that is not needed any more. The next job frees its memory, which may take long.
    old: Option<Box<dyn UciSearch<G>>>,
    job: Option<Job<G>>,
}

impl<G: UciGame> GameSession<G> {
    pub(super) fn new(rules: &Rules, output: Output) -> Result<Self, String> {
        Ok(Self {
            output,
            start: G::new(&G::Rules::parse(&rules.text)?),
            moves: Vec::new(),
            placed: false,
            misplaced: None,
            tables: Tables::none(),
            search: None,
            old: None,
            job: None,
        })
    }

    fn read_position(&self, text: &str) -> Result<(G, Vec<G::Move>), String> {
        let rules = self.start.rules();
        let words: Vec<&str> = text.split_whitespace().collect();
        let split = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
        let (start, remarks) = match &words[..split] {
            ["startpos"] => (G::new(rules), Vec::new()),
            ["fen", fields @ ..] => G::read_text(rules, &fields.join(" "))?,
            _ => return Err("'startpos' or 'fen' must follow, then 'moves' if any".into()),
        };
        remarks.iter().for_each(|remark| self.output.remark(&format!("position: {remark}")));
        let mut game = start.clone();
        let mut moves = Vec::new();
        // People write that a capture is en passant as a word of its own.
        let moves_given = words.iter().skip(split + 1).filter(|&&word| word != "e.p.");
        for (i, text) in moves_given.enumerate() {
            let mv = game.read_move(text).map_err(|error| format!("move {}: {error}", i + 1))?;
            game.play(mv);
            moves.push(mv);
        }
        Ok((start, moves))
    }

    /// Keeps the tree if the new position continues the previous game. A table is always kept.
    fn reuse_tree(&mut self, start: &G, moves: &[G::Move]) {
        let is_same = || start.to_text() == self.start.to_text();
        let continued = moves.strip_prefix(&self.moves[..]).filter(|_| is_same());
        if !self.search.as_mut().is_some_and(|search| search.follow(continued)) {
            self.discard();
        }
    }

    /// Returns the game with its history.
    fn game(&self) -> G {
        let mut game = self.start.clone();
        self.moves.iter().for_each(|&mv| game.play(mv));
        game
    }

    /// Returns the errors in the options and the position.
    fn errors<'a>(&'a self, options: &'a Options) -> Vec<&'a str> {
        let options = options.wrong.values();
        options.chain(&self.misplaced).map(String::as_str).collect()
    }

    /// Counts the sequences of legal moves by their first move, as Stockfish does after `go perft`.
    fn count_moves(&self, game: &G, depth: u32) {
        if !(1..=PERFT).contains(&depth) {
            let error = format!("go perft counts 1 to {PERFT} plies; fusion perft counts more");
            return worker::reject(&self.output, [error]);
        }
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        let mut all = 0;
        for mv in moves {
            let mut next = game.clone();
            next.play(mv);
            let count = Benchmark::perft(&next, depth - 1);
            self.output.line(&format!("{}: {count}", game.move_text(mv)));
            all += count;
        }
        self.output.line(&format!("\nNodes searched: {all}\n"));
    }

    /// Parses the words after `go`.
    fn request(&self, text: &str, game: &G, options: &Options, started: Instant) -> Request<G> {
        let (mut limits, mut remarks) = Limits::parse(text);
        let mut only = Vec::new();
        for text in &limits.moves {
            match game.read_move(text) {
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
            lines: options.lines,
            level: options.level(),
            show_wdl: options.show_wdl,
            output: self.output.clone(),
            started,
            stop: Arc::default(),
        }
    }
}

impl<G: UciGame> Session for GameSession<G> {
    fn set_position(&mut self, text: &str) {
        self.halt_search();
        self.placed = true;
        match self.read_position(text) {
            Ok((start, moves)) => {
                self.misplaced = None;
                self.reuse_tree(&start, &moves);
                (self.start, self.moves) = (start, moves);
            }
            Err(why) => {
                let reason = format!("position: {why}");
                self.output.error(&reason);
                self.misplaced = Some(reason);
            }
        }
    }

    fn reject_position(&mut self, reason: String) {
        (self.misplaced, self.placed) = (Some(reason), true);
    }

    fn is_placed(&self) -> bool {
        self.placed
    }

    fn apply(&mut self, change: &Change, options: &Options) {
        if *change != Change::None {
            self.discard();
        }
        if *change == Change::Rules
            && let Ok(rules) = G::Rules::parse(&options.rules().text)
        {
            self.moves.clear();
            self.start = G::new(&rules);
            if self.placed {
                self.misplaced = Some(OTHER_RULES.into());
            }
        }
        if matches!(change, Change::Rules | Change::Tables) {
            match options.tables_folder.clone() {
                None => self.tables.close(&self.output),
                Some(folder) => {
                    self.tables.open(self.start.rules().clone(), folder, self.output.clone());
                }
            }
        }
    }

    fn prepare(&mut self, options: &Options) {
        let is_new = options.is_pvs() && self.job.is_none() && self.search.is_none();
        // A conflict of options is reported by `go`, and so is a thread that cannot be started.
        if is_new && let Ok(recipe) = options.recipe() {
            let (old, tables, output) = (self.old.take(), self.tables.clone(), self.output.clone());
            self.job = Job::prepare(recipe, self.game(), old, tables, output).ok();
        }
        if !self.job.as_ref().is_some_and(Job::is_awaited) {
            self.tables.answer_when_ready(&self.output);
        }
    }

    fn go(&mut self, text: &str, options: &Options) {
        let started = Instant::now();
        self.halt_search();
        let errors = self.errors(options);
        if !errors.is_empty() {
            worker::reject(&self.output, errors);
            return;
        }
        let game = self.game();
        if let Some(depth) = text.trim().strip_prefix("perft ").and_then(|n| n.trim().parse().ok())
        {
            return self.count_moves(&game, depth);
        }
        let recipe = match options.recipe() {
            Ok(recipe) => recipe,
            Err(conflict) => return worker::reject(&self.output, [conflict]),
        };
        let supply = match (self.search.take(), self.job.take()) {
            (Some(searcher), _) => Supply::Ready(searcher),
            (None, Some(preparation)) => Supply::Preparation(preparation),
            (None, None) => Supply::New,
        };
        let task = Task {
            request: self.request(text, &game, options, started),
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

    fn stop(&self) {
        self.job.iter().filter(|job| job.is_search()).for_each(Job::stop);
    }

    fn halt_search(&mut self) {
        if self.job.as_ref().is_some_and(Job::is_search) {
            self.halt();
        }
    }

    fn halt(&mut self) {
        if let Some(job) = self.job.take() {
            job.stop();
            self.search = job.finish();
        }
    }

    fn discard(&mut self) {
        self.old = self.search.take().or(self.old.take());
    }

    fn wait(&mut self) {
        if let Some(job) = self.job.take_if(|job| job.ends_soon()) {
            self.search = job.finish();
        }
        self.halt();
        // Errors in the tables were reported already.
        let _ = self.tables.wait(|| self.output.is_closed());
    }

    fn close(&mut self) {
        self.halt();
        self.tables.close(&self.output);
    }

    fn display(&self, options: &Options) {
        let game = self.game();
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        self.output.line(&game.diagram());
        self.output.line("");
        self.output.line(&format!("fen      {}", game.to_text()));
        self.output.line(&format!("rules    {}", game.rules()));
        self.output.line(&format!("network  {}", options.network_hash()));
        let state = match game.outcome(&moves) {
            Some(outcome) => format!("over: {} {}", outcome.ending, outcome.result()),
            None if !game.threatened().is_empty() => "check".into(),
            None => "in play".into(),
        };
        self.output.line(&format!("state    {state}"));
        let moves: Vec<String> = moves.iter().map(|&mv| game.move_text(mv)).collect();
        self.output.line(&format!("moves    {}", moves.join(" ")));
        for error in self.errors(options) {
            self.output.line(&format!("error    {}", one_line(error)));
        }
    }
}

/// Why a position is rejected after a change of the rules.
pub(super) const OTHER_RULES: &str = "position: it was set under other rules";

#[cfg(test)]
mod tests {
    use super::super::output::tests::Written;
    use super::*;
    use fusion_network::model::Model;

    /// Input is answered even if the tables take long to open.
    #[test]
    fn input_is_answered_while_tables_are_opened() {
        let written = Written::default();
        let output = Output::new(written.clone());
        let options = Options::new(Model::open::<FusionGame>("material", []).unwrap()).unwrap();
        let mut session = GameSession::<FusionGame>::new(options.rules(), output.clone()).unwrap();
        session.tables = Tables::on_their_way();
        session.prepare(&options);
        session.set_position("startpos");
        session.go("nodes 5", &options);
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert_eq!(written.take(), "");
        session.stop();
        session.halt();
        let stopped = written.take();
        assert!(stopped.starts_with("info string endgame tables are not open yet"), "{stopped}");
        assert!(stopped.contains("\nbestmove "), "{stopped}");
        // The search waits for tables at most for its thinking time.
        session.go("movetime 1", &options);
        std::thread::sleep(std::time::Duration::from_millis(200));
        session.halt();
        assert!(written.take().contains("not open yet"));
        session.go("nodes 5", &options);
        session.tables.arrive(&output);
        session.wait();
        let opened = written.take();
        assert!(opened.starts_with("info string opened\nreadyok\n"), "{opened}");
        assert!(opened.contains("\nbestmove ") && !opened.contains("not open"), "{opened}");
    }
}
