//! Players that are other programs. By UCI they play orthodox chess, and every rule set that has a
//! [`Variant`]: changes to it, and those of files in the format of Fairy-Stockfish.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::UciClient;
use anyhow::Context;
use fusion_game::evaluator::Wdl;
use fusion_game::{CompleteGame, RuleSet, Variant};
use fusion_jobs::exit::Failure;

use super::seat::Start;
use fusion_search::{Effort, Player, PlayerError, Thought};
use fusion_study::PROGRAM;
use fusion_study::command::{split_settings, words};

/// Default limit of seconds per move.
const TIMEOUT: u64 = 60;

/// The option for chances of win, draw and loss, which some programs have.
const CHANCES: &str = "UCI_ShowWDL";

/// The most characters of a move in a message.
const LONGEST_MOVE: usize = 40;

/// A program with its settings, and its processes that are not in a game.
#[derive(Debug)]
pub(super) struct Program {
    /// The program with its arguments.
    command: Vec<String>,
    options: Vec<(String, String)>,
    nodes: u32,
    timeout: Duration,
    name: String,
    /// Processes that are not in a game, each with the variant that it plays.
    idle: Mutex<Vec<(UciClient, Option<Variant>)>>,
}

impl Program {
    /// The rules that other programs play without being told.
    pub(super) const RULES: &'static str = "orthodox";

    /// Parses `COMMAND[?SETTING=VALUE[&SETTING=VALUE]...]` and starts the program.
    ///
    /// # Errors
    /// Fails like [`super::Player::open`].
    pub(super) fn open(text: &str, nodes: u32) -> anyhow::Result<Self> {
        let (command, settings) = split_settings(text);
        let mut program = Self {
            command: words(command)?,
            options: Vec::new(),
            nodes,
            timeout: Duration::from_secs(TIMEOUT),
            name: String::new(),
            idle: Mutex::default(),
        };
        for setting in settings.split('&').filter(|setting| !setting.is_empty()) {
            program.set(setting)?;
        }
        let client = program.start()?;
        program.name = program.describe(client.name());
        program.give_back(client, None);
        Ok(program)
    }

    /// Returns whether other programs can be told to play these rules.
    pub(super) fn can_play<R: RuleSet>(rules: &R) -> bool {
        rules.to_string() == Self::RULES || rules.variant().is_some()
    }

    fn set(&mut self, setting: &str) -> Result<(), Failure> {
        let wrong = |why: &str| {
            Failure::usage(format!("{PROGRAM}{}: {setting}: {why}", self.command.join(" ")))
        };
        let form = "must be nodes=N, timeout=SECONDS or option.NAME=VALUE";
        let (key, value) = setting.split_once('=').ok_or_else(|| wrong(form))?;
        let number = || value.parse().ok().filter(|&n: &u32| n > 0);
        let positive = "must be a whole number from 1";
        match (key, key.strip_prefix("option.")) {
            ("nodes", _) => self.nodes = number().ok_or_else(|| wrong(positive))?,
            ("timeout", _) => {
                let seconds = number().ok_or_else(|| wrong(positive))?;
                self.timeout = Duration::from_secs(seconds.into());
            }
            (_, Some(name)) => self.options.push((name.to_owned(), value.to_owned())),
            _ => return Err(wrong(form)),
        }
        Ok(())
    }

    /// Returns the program's own name with its options.
    fn describe(&self, name: &str) -> String {
        let options: Vec<String> =
            self.options.iter().map(|(name, value)| format!("{name} {value}")).collect();
        if options.is_empty() {
            name.to_owned()
        } else {
            format!("{name} ({})", options.join(", "))
        }
    }

    /// Returns the name in files.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the nodes per move.
    pub(super) fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Starts another process and sets the options.
    pub(super) fn start(&self) -> anyhow::Result<UciClient> {
        let (program, arguments) = self.command.split_first().context("a command has a program")?;
        let arguments = arguments.iter().map(String::as_str);
        let mut client = UciClient::start(Path::new(program), arguments)?;
        if client.options().iter().any(|known| known == CHANCES) {
            client.set_option(CHANCES, "true")?;
        }
        for (name, value) in &self.options {
            client.set_option(name, value)?;
        }
        client.synchronise()?;
        Ok(client)
    }

    /// Seats an idle process, or a new one if there is none.
    pub(super) fn sit<G: CompleteGame>(
        self: &Arc<Self>,
        start: &Start<G>,
        nodes: u32,
    ) -> anyhow::Result<ProgramSeat> {
        let variant = start.game.rules().variant();
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let place = idle.iter().position(|(_, known)| *known == variant);
        // A program cannot be told to play what it plays without being told.
        let place = place.or(idle.len().checked_sub(1).filter(|_| variant.is_some()));
        let taken = place.map(|place| idle.swap_remove(place));
        drop(idle);
        let (mut client, known) = match taken {
            Some(taken) => taken,
            None => (self.start()?, None),
        };
        if let Some(variant) = variant.as_ref().filter(|variant| known.as_ref() != Some(variant)) {
            client.set_variant(variant)?;
        }
        client.send("ucinewgame")?;
        client.synchronise()?;
        let setup = start.first.clone();
        let moves = start.line.iter().map(|text| format!(" {text}")).collect();
        Ok(ProgramSeat {
            program: self.clone(),
            nodes,
            client: Some(client),
            variant,
            setup,
            moves,
        })
    }

    fn give_back(&self, client: UciClient, variant: Option<Variant>) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push((client, variant));
    }
}

/// A process in a game. A process that fails or is stopped is not used again.
pub(super) struct ProgramSeat {
    program: Arc<Program>,
    nodes: u32,
    client: Option<UciClient>,
    variant: Option<Variant>,
    /// The text of the initial position.
    setup: String,
    /// The moves from there, each after a blank.
    moves: String,
}

impl ProgramSeat {
    /// Asks for a move and the chances of the side to move. `None` if stopped.
    fn ask<G: CompleteGame>(
        &mut self,
        game: &G,
        stop: &dyn Fn() -> bool,
    ) -> anyhow::Result<Option<Thought<G::Move>>> {
        let mut client = self.client.take().context("the program has left the game")?;
        let moves = if self.moves.is_empty() { "" } else { " moves" };
        let (keyword, setup) = (G::POSITION, &self.setup);
        client.send(&format!("position {keyword} {setup}{moves}{}", self.moves))?;
        let question = format!("go nodes {}", self.nodes);
        client.send(&question)?;
        let limit = self.program.timeout;
        let mut wdl = None;
        let answer = client.wait_unless(&question, limit, stop, |line| {
            wdl = chances(line).or(wdl);
            let rest = line.strip_prefix("bestmove")?;
            Some(rest.split_whitespace().next().unwrap_or_default().to_owned())
        })?;
        let Some(text) = answer else { return Ok(None) };
        let mv = game.parse_move(&text).ok_or_else(|| {
            let text: String = text.chars().take(LONGEST_MOVE).collect();
            let is_told = self.variant.as_ref().is_some_and(|variant| variant.definition.is_some());
            let hint = if is_told { "; it may be too old for the options of the game" } else { "" };
            let position = game.to_text();
            client.error(&format!("played the illegal move '{text}' in {position}{hint}"))
        })?;
        self.client = Some(client);
        Ok(Some(Thought { mv, wdl, entropy: None }))
    }
}

/// Returns the chances of the side to move by a line with the score of its best line of moves. Where the
/// program says only centipawns, they count as a difference of Elo, without draws: 400 are ten to one.
fn chances(line: &str) -> Option<Wdl> {
    let words: Vec<&str> = line.strip_prefix("info ")?.split_whitespace().collect();
    let after = |key: &str| {
        words
            .iter()
            .position(|word| *word == key)
            .map(|place| words.get(place + 1..).unwrap_or(&[]))
    };
    if after("multipv").is_some_and(|words| words.first() != Some(&"1")) {
        return None;
    }
    if let Some([win, draw, loss, ..]) = after("wdl") {
        let share = |text: &str| text.parse::<u16>().ok().map(|n| f32::from(n.min(1000)) / 1000.0);
        return Some(Wdl { win: share(win)?, draw: share(draw)?, loss: share(loss)? });
    }
    match after("score")? {
        ["mate", moves, ..] => {
            Some(if moves.starts_with('-') || *moves == "0" { Wdl::LOSS } else { Wdl::WIN })
        }
        ["cp", value, ..] => {
            let value: f32 = value.parse().ok()?;
            let win = 1.0 / (1.0 + 10_f32.powf(-value / 400.0));
            Some(Wdl { win, draw: 0.0, loss: 1.0 - win })
        }
        _ => None,
    }
}

impl<G: CompleteGame> Player<G> for ProgramSeat {
    fn think(
        &mut self,
        game: &G,
        _: Effort,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Thought<G::Move>>, PlayerError> {
        Ok(self.ask(game, stop)?)
    }

    fn advance(&mut self, game: &G, mv: G::Move) {
        self.moves.push(' ');
        self.moves.push_str(&game.move_text(mv));
    }
}

impl Drop for ProgramSeat {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            self.program.give_back(client, self.variant.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_follow_the_score_of_the_best_line() {
        let of = |line: &str| chances(line).map(|Wdl { win, draw, loss }| [win, draw, loss]);
        let head = "info depth 9 seldepth 12 multipv 1";
        assert_eq!(
            of(&format!("{head} score cp 31 wdl 90 870 40 nodes 7")),
            Some([0.09, 0.87, 0.04])
        );
        assert_eq!(of(&format!("{head} score mate 3 nodes 7")), Some([1.0, 0.0, 0.0]));
        assert_eq!(of("info depth 1 score mate -2"), Some([0.0, 0.0, 1.0]));
        let [win, draw, loss] = of("info score cp 400 lowerbound nodes 1").unwrap();
        assert!(
            (win - 10.0 / 11.0).abs() < 1e-6 && draw == 0.0 && (loss - 1.0 / 11.0).abs() < 1e-6
        );
        assert_eq!(of("info depth 9 multipv 2 score cp 10"), None);
        for other in
            ["bestmove e2e4", "info string score cp", "info depth 3 score cp x", "info score"]
        {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
