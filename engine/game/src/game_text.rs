//! Games as text.

use crate::{Notation, Outcome, ReadGame, ReadLine, RuleSet};
use std::io::{self, ErrorKind, Write};

/// A game, its moves and position as text.
#[derive(Clone, Debug)]
pub struct GameText {
    /// Name of the event, that is, the purpose of the game.
    pub event: String,
    /// Number of the game in the event.
    pub round: String,
    /// Names of the first and the second player.
    pub players: [String; 2],
    /// The rule set.
    pub rules: String,
    /// The first position; `None` for the rules' initial position.
    pub start: Option<String>,
    /// The moves in engine notation, each with the comment after it.
    pub moves: Vec<(String, Option<String>)>,
    /// How the game ended; `None` if it is not finished.
    pub outcome: Option<Outcome>,
}

impl GameText {
    /// Returns the result and the ending as the plain formats write them: `1-0 row`.
    #[must_use]
    pub fn result(&self) -> String {
        let words = |outcome: Outcome| format!("{} {}", outcome.result(), outcome.ending);
        self.outcome.map_or_else(|| "* unfinished".into(), words)
    }

    /// Returns the position before the first move.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidData`] if the rules or the position cannot be parsed.
    pub fn first_position<G: Notation>(&self) -> io::Result<G> {
        let rules = G::Rules::parse(&self.rules).map_err(|error| invalid(error.into()))?;
        match &self.start {
            None => Ok(G::new(&rules)),
            Some(text) => {
                G::from_text(&rules, text).map_err(|error| invalid(format!("{text}: {error}")))
            }
        }
    }
}

/// Returns the error of a text that is not a game.
pub fn invalid(message: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, message)
}

/// Parses a move and plays it.
///
/// # Errors
/// Returns [`ErrorKind::InvalidData`] if the move is not legal.
pub fn play_text<G: Notation>(game: &mut G, text: &str) -> io::Result<G::Move> {
    let mv = game
        .parse_move(text)
        .ok_or_else(|| invalid(format!("{text} is not legal in {}", game.to_text())))?;
    game.play(mv);
    Ok(mv)
}

/// Writes a game as four lines: event and players, rules and start, result and ending, moves in
/// people's notation.
pub(crate) fn write_plain<G: Notation>(text: &GameText, out: &mut dyn Write) -> io::Result<()> {
    let mut game: G = text.first_position()?;
    let mut words = Vec::new();
    for (mv, comment) in &text.moves {
        let before = game.clone();
        words.push(before.move_words(play_text(&mut game, mv)?));
        words.extend(comment.as_ref().map(|comment| format!("{{{comment}}}")));
    }
    let [first, second] = &text.players;
    writeln!(out, "{} {}: {first} - {second}", text.event, text.round)?;
    writeln!(out, "{} {}", text.rules, text.start.as_deref().unwrap_or("start"))?;
    writeln!(out, "{}", text.result())?;
    writeln!(out, "{}\n", words.join(" "))
}

/// A game as text in lines, as games without a format of their own are written: event and players,
/// rules and start, result and ending, then the turns.
///
/// ```
/// use fusion_game::PlainGame;
/// use fusion_game::toy::TicTacToe;
///
/// let text = "Match 1: Ann - Bob\nnormal start\n1-0 line\na1 {good} a2\n\n";
/// let game = PlainGame::parse::<TicTacToe>(text)?;
/// assert_eq!(game.lines[0], [("a1".into(), Some("good".into())), ("a2".into(), None)]);
/// let read = game.read(Default::default(), None)?;
/// assert_eq!((read.tag("First"), &*read.result), (Some("Ann"), "1-0"));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug)]
pub struct PlainGame {
    /// The rule set.
    pub rules: String,
    /// The first position; `None` for the rules' initial position.
    pub start: Option<String>,
    /// The lines of turns: words, each part with the comment after it.
    pub lines: Vec<Vec<(String, Option<String>)>>,
    tags: Vec<(String, String)>,
    result: String,
    remarks: Vec<String>,
}

/// The remark on a text with several games.
pub const FIRST_ONLY: &str = "The text has several games: this is the first.";

impl PlainGame {
    /// Parses the first game of a text, but not its turns.
    ///
    /// # Errors
    /// Returns the reason why the text is rejected, for example rules that the game `G` does not have.
    pub fn parse<G: Notation>(text: &str) -> Result<Self, String> {
        let text = text.trim_start_matches('\u{feff}');
        let mut lines = text.lines().map(str::trim).skip_while(|line| line.is_empty());
        let mut next =
            |what: &str| lines.next().ok_or_else(|| format!("there is no line with {what}"));
        let (names, rules) = (next("the players")?, next("the rules")?);
        let (result, _) = split(next("the result")?)?;
        if !["1-0", "0-1", "1/2-1/2", "*"].contains(&result) {
            return Err(format!("the third line begins with no result: {result}"));
        }
        let (rules, start) = split(rules)?;
        let rules = G::Rules::parse(rules)?.to_string();
        let start = (start != "start").then(|| start.to_owned());
        let turns: Vec<&str> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
        let more = lines.any(|line| !line.is_empty());
        let remarks = if more { vec![FIRST_ONLY.to_owned()] } else { Vec::new() };
        let lines = turns.into_iter().map(with_comments).collect::<Result<_, _>>()?;
        let (event, players) = names.rsplit_once(": ").ok_or_else(|| no_line(names))?;
        let (first, second) = players.split_once(" - ").ok_or_else(|| no_line(names))?;
        let tags = [("Game", event), ("First", first), ("Second", second)];
        let tags = tags.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        Ok(Self { rules, start, lines, tags, result: result.to_owned(), remarks })
    }

    /// Returns the position before the first move.
    ///
    /// # Errors
    /// Returns the reason why the position is rejected.
    pub fn first_position<G: Notation>(&self) -> Result<G, String> {
        let rules = G::Rules::parse(&self.rules)?;
        self.start.as_ref().map_or_else(|| Ok(G::new(&rules)), |text| G::from_text(&rules, text))
    }

    /// Returns the game with its moves in engine notation. If the last turns could not be read, `unread` is
    /// the reason.
    ///
    /// # Errors
    /// Returns `unread` if there are no moves before it.
    pub fn read(self, line: ReadLine, unread: Option<String>) -> Result<ReadGame, String> {
        let Self { rules, start, tags, result, remarks, .. } = self;
        match unread {
            Some(reason) if line.moves.is_empty() => Err(reason),
            unread => Ok(ReadGame { rules, start, line, tags, result, unread, remarks }),
        }
    }
}

fn no_line(line: &str) -> String {
    format!("the first line names no players: {line}")
}

/// Splits a line at its first blank.
fn split(line: &str) -> Result<(&str, &str), String> {
    line.split_once(' ').ok_or_else(|| format!("the line has one word: {line}"))
}

/// Splits a line into words, each part with the comment in braces after it.
fn with_comments(line: &str) -> Result<Vec<(String, Option<String>)>, String> {
    let mut parts = Vec::new();
    let mut rest = line;
    while let Some((before, comment)) = rest.split_once('{') {
        let (comment, after) =
            comment.split_once('}').ok_or_else(|| format!("a comment does not end: {line}"))?;
        parts.push((before.trim().to_owned(), Some(comment.trim().to_owned())));
        rest = after;
    }
    if !rest.trim().is_empty() {
        parts.push((rest.trim().to_owned(), None));
    }
    Ok(parts)
}

/// Returns the moves of a turn that has not ended, if the text is one: they stand in brackets, in
/// engine notation.
///
/// ```
/// assert_eq!(fusion_game::unfinished("[a1 a2]").unwrap().count(), 2);
/// assert!(fusion_game::unfinished("a1").is_none());
/// ```
pub fn unfinished(turn: &str) -> Option<std::str::SplitWhitespace<'_>> {
    Some(turn.strip_prefix('[')?.strip_suffix(']')?.split_whitespace())
}
