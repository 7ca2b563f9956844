//! `fusion play`: a game against the program, on a page in the browser or in the terminal.

use super::page;
use super::position::Setting;
use crate::uci::lines;
use anyhow::{Context, anyhow};
use fusion_game::evaluator::Evaluator;
use fusion_game::{CompleteGame, GameText, Outcome, Side};
use fusion_jobs::atomic;
use fusion_jobs::exit::say;
use fusion_network::Network;
use fusion_network::model::Model;
use fusion_registry::{KnownGame, for_game};
use fusion_search::{Proof, Search, SearchConfig};
use fusion_study::{open_model, room_for};
use std::io::{self, BufRead, Write};
use std::path::Path;

/// Arguments of `play`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    setting: Setting,
    /// The side that you play
    #[arg(long, value_enum, default_value_t = You::White)]
    side: You,
    /// Port of the page on this machine [default: a free one]
    #[arg(long, value_name = "N", conflicts_with = "terminal")]
    port: Option<u16>,
    /// Play in the terminal
    #[arg(long)]
    terminal: bool,
    /// Nodes of each of the program's moves in the terminal
    #[arg(long, value_name = "N", requires = "terminal", default_value_t = 4000, value_parser = clap::value_parser!(u32).range(1..))]
    nodes: u32,
    /// Network file, in the terminal also uniform, material or rollout [default: the network that is
    /// built in]
    #[arg(long)]
    network: Option<String>,
}

/// The sides that the user plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum You {
    /// The side that moves first
    White,
    /// The side that moves second
    Black,
    /// Both sides; `hint` asks the program
    Both,
    /// No side: the program plays itself
    None,
}

impl You {
    fn plays(self, side: Side) -> bool {
        match self {
            Self::Both => true,
            Self::None => false,
            Self::White => side == Side::First,
            Self::Black => side == Side::Second,
        }
    }
}

const HELP: &str = "\
Type a move as `moves` lists it, in either notation. Other commands:
  moves      list the legal moves
  hint       show what the program would play, and the chances
  undo       take back your last move
  new        begin again
  board      show the position
  save FILE  write the game to a new file
  quit       leave (or the end of the input)";

/// Serves the page, or plays on standard input and output.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let game = args.setting.known_game();
    if args.terminal {
        return for_game!(game, G => play::<G>(args, game, io::stdin().lock()));
    }
    let side = match args.side {
        You::White => "first",
        You::Black => "second",
        You::Both => "both",
        You::None => "none",
    };
    let (port, network) = (args.port.unwrap_or(0), args.network.as_deref());
    for_game!(game, G => page::serve(&args.setting.game::<G>()?, game, side, port, network))
}

/// Returns the network that the program has for a game under a rule set, or material if it has none.
pub(super) fn shipped<G: CompleteGame>(game: KnownGame, rules: &G::Rules) -> anyhow::Result<Model> {
    let Some(bytes) = game.network() else {
        return Ok(open_model::<G>("material", [rules])?);
    };
    let network = Network::from_bytes::<G>(rules, bytes).map_err(|reason| anyhow!(reason));
    Ok(Model::of(network.context("the network that is built in is rejected")?))
}

/// Says that the program has no network of a search for a game, and how to get one.
pub(super) fn say_no_network(search: &str) {
    say(format_args!(
        "No network of the {search} search is built in for this game, so the program counts \
         material. `fusion train loop` trains one, and --network takes it."
    ));
}

fn play<G: CompleteGame>(
    args: &Args,
    known: KnownGame,
    mut input: impl BufRead,
) -> anyhow::Result<()> {
    let start: G = args.setting.game()?;
    let model = match &args.network {
        Some(name) => open_model::<G>(name, [start.rules()])?,
        None => shipped::<G>(known, start.rules())?,
    };
    if args.network.is_none() && known.network().is_none() {
        say_no_network("tree");
    }
    let mut table = Table::new(start, args, &model);
    say(format_args!(
        "{}, {} nodes a move; `help` lists the commands",
        table.start.rules(),
        args.nodes
    ));
    table.show();
    loop {
        table.reply();
        if args.side == You::None && table.outcome().is_some() {
            return Ok(());
        }
        prompt()?;
        match lines::read(&mut input)? {
            None => return Ok(()),
            Some(line) if line.trim() == "quit" => return Ok(()),
            Some(line) => table.command(line.trim()),
        }
    }
}

fn prompt() -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    write!(out, "> ")?;
    Ok(out.flush()?)
}

/// A game in progress.
struct Table<G: CompleteGame> {
    start: G,
    moves: Vec<G::Move>,
    search: Search<G>,
    evaluator: Box<dyn Evaluator<G>>,
    nodes: u32,
    you: You,
}

impl<G: CompleteGame> Table<G> {
    fn new(start: G, args: &Args, model: &Model) -> Self {
        let config = SearchConfig { max_nodes: room_for(args.nodes), ..SearchConfig::default() };
        let search = Search::new(config, start.clone());
        let evaluator = model.evaluator(0);
        Self { start, moves: Vec::new(), search, evaluator, nodes: args.nodes, you: args.side }
    }

    fn game(&self) -> &G {
        self.search.game()
    }

    fn legal(&self) -> Vec<G::Move> {
        let mut moves = Vec::new();
        self.game().legal_moves(&mut moves);
        moves
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game().outcome(&self.legal())
    }

    fn command(&mut self, line: &str) {
        match line.split_once(' ').unwrap_or((line, "")) {
            ("", _) => {}
            ("help", _) => say(HELP),
            ("moves", _) => self.list(),
            ("hint", _) => self.hint(),
            ("undo", _) => self.undo(),
            ("new", _) => self.set_moves(0),
            ("board", _) => self.show(),
            ("save", file) => self.save(file.trim()),
            _ => self.play_text(line),
        }
    }

    /// Plays a move that the user has typed.
    fn play_text(&mut self, text: &str) {
        if self.outcome().is_some() {
            return say("the game is over; `undo` or `new`");
        }
        let game = self.game();
        let named = |mv: &G::Move| game.move_text(*mv) == text || game.move_words(*mv) == text;
        let plain = |mv: &G::Move| game.move_words(*mv).trim_end_matches(['+', '#']) == text;
        let legal = self.legal();
        let known = legal.iter().find(|mv| named(mv)).or_else(|| legal.iter().find(|mv| plain(mv)));
        match known.copied().or_else(|| game.parse_move(text)) {
            Some(mv) => {
                self.advance(mv);
                self.show();
            }
            None => {
                say(format_args!("`{text}` is no legal move; `moves` lists them, `help` helps"))
            }
        }
    }

    fn advance(&mut self, mv: G::Move) {
        self.search.advance(mv);
        self.moves.push(mv);
    }

    /// Plays the program's moves until it is the user's turn or the game is over.
    fn reply(&mut self) {
        while !self.you.plays(self.game().side_to_move()) && self.outcome().is_none() {
            let side = side_name(self.game().side_to_move());
            let Some((mv, words)) = self.think() else { return };
            self.advance(mv);
            say(format_args!("{side} plays {words}"));
            self.show();
        }
    }

    /// Searches the position. Returns the best move, and the move and the mover's chances in words.
    fn think(&mut self) -> Option<(G::Move, String)> {
        while self.search.visits() < self.nodes
            && (self.search.proof() == Proof::Unknown || self.search.nodes() == 1)
        {
            self.search.playout(&mut *self.evaluator, None);
        }
        let line = self.search.best_lines(1, |_| true).into_iter().next()?;
        let mv = *line.moves.first()?;
        let percent = |share: f32| (100.0 * share).round();
        let chances = format!(
            "win {}%, draw {}%, loss {}%",
            percent(line.wdl.win),
            percent(line.wdl.draw),
            percent(line.wdl.loss)
        );
        Some((mv, format!("{}  ({chances})", self.game().move_words(mv))))
    }

    fn hint(&mut self) {
        if self.outcome().is_none()
            && let Some((_, words)) = self.think()
        {
            say(words);
        }
    }

    fn list(&self) {
        for mv in self.legal() {
            say(format_args!("{:<7}{}", self.game().move_text(mv), self.game().move_words(mv)));
        }
    }

    /// Takes back the user's last move and what followed it.
    fn undo(&mut self) {
        let mut game = self.start.clone();
        let mut last = None;
        for (i, &mv) in self.moves.iter().enumerate() {
            if self.you.plays(game.side_to_move()) {
                last = Some(i);
            }
            game.play(mv);
        }
        match last {
            Some(count) => self.set_moves(count),
            None => say("there is no move to take back"),
        }
    }

    /// Goes back to the position after this many moves.
    fn set_moves(&mut self, count: usize) {
        self.moves.truncate(count);
        let mut game = self.start.clone();
        self.moves.iter().for_each(|&mv| game.play(mv));
        self.search = self.search.afresh(game);
        self.show();
    }

    fn show(&self) {
        say(format_args!("\n{}\n", self.game().diagram()));
        match (self.outcome(), self.game().side_to_move()) {
            (Some(outcome), _) => {
                say(format_args!("{}: {}", outcome.result(), outcome.ending.kind().words));
            }
            (None, side) => say(format_args!("{} moves", side_name(side))),
        }
    }

    fn save(&self, file: &str) {
        let path = Path::new(file);
        let result = if file.is_empty() || path.exists() {
            Err(io::Error::other("name a new file, such as `save game.txt`"))
        } else {
            atomic::write(path, |out| G::write_game(&self.text(), out))
        };
        match result {
            Ok(()) => say(format_args!("the game is in {}", path.display())),
            Err(error) => say(format_args!("not saved: {error}")),
        }
    }

    fn text(&self) -> GameText {
        let mut game = self.start.clone();
        let mut moves = Vec::new();
        for &mv in &self.moves {
            moves.push((game.move_text(mv), None));
            game.play(mv);
        }
        let player =
            |side| if self.you.plays(side) { "You" } else { "Fusion Chess Lab" }.to_owned();
        GameText {
            event: "Game".to_owned(),
            round: "1".to_owned(),
            players: [player(Side::First), player(Side::Second)],
            rules: self.start.rules().to_string(),
            start: Some(self.start.to_text()),
            moves,
            outcome: self.outcome(),
        }
    }
}

fn side_name(side: Side) -> &'static str {
    match side {
        Side::First => "White",
        Side::Second => "Black",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use fusion_game::toy::{TicTacToe, VARIANTS};
    use fusion_game::{Game, Notation};

    #[derive(clap::Parser)]
    struct Program {
        #[command(flatten)]
        args: Args,
    }

    /// A table with the toy game, whose `double` rules give a side two moves a turn.
    fn table(rules: &str, side: &str) -> Table<TicTacToe> {
        let words = ["play", "--terminal", "--rules", rules, "--side", side, "--nodes", "50"];
        let args = Program::try_parse_from(words).unwrap().args;
        let model = open_model::<TicTacToe>("uniform", []).unwrap();
        Table::new(args.setting.game().unwrap(), &args, &model)
    }

    #[test]
    fn the_program_answers_until_it_is_the_users_turn() {
        for (rules, replies) in [("normal", 1), ("double", 2)] {
            let mut table = table(rules, "black");
            table.reply();
            let own = table.moves.len();
            assert_eq!(table.game().side_to_move(), Side::Second, "{rules}");
            for _ in 0..replies {
                let mv = table.legal()[0];
                table.command(&table.game().move_text(mv));
            }
            assert_eq!(table.moves.len(), own + replies);
            table.reply();
            assert!(table.moves.len() > own + replies, "{rules}");
            // Taking back returns to the user's last move.
            table.command("undo");
            assert_eq!(table.moves.len(), own + replies - 1);
            assert_eq!(table.game().side_to_move(), Side::Second);
            table.command("new");
            assert!(table.moves.is_empty());
        }
    }

    #[test]
    fn the_program_plays_whole_games() {
        for rules in VARIANTS {
            let mut table = table(rules, "none");
            table.reply();
            assert!(table.outcome().is_some(), "{rules}");
            table.command("undo");
            assert!(table.outcome().is_some(), "there is no move of the user's");
        }
    }
}
