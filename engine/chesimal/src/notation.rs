//! What people read: actions, turns and games.

use crate::ChesimalGame;
use crate::board::{Action, Kind, Mode, Position, Square};
use crate::rules::RuleSet;
use fusion_game::{Game, GameText, PlainGame, ReadGame, ReadLine, Side, play_text, unfinished};
use std::io::{self, Write};

/// Returns an action as people write it: `Sf3o:`, `Na3xb5`, `+Pd4`, `end`. A capture that wins has
/// `#` after it.
///
/// ```
/// use fusion_chesimal::board::start;
/// use fusion_chesimal::notation::action_words;
/// use fusion_chesimal::rules::RuleSet;
///
/// let rules = RuleSet::preset("chesimal")?;
/// let mut position = start(&rules);
/// let choice = "f3o".parse().unwrap();
/// assert_eq!(action_words(&position, &rules, choice), "Sf3o:");
/// position.play(&rules, choice);
/// assert_eq!(action_words(&position, &rules, "f4f6".parse().unwrap()), "Wf4-f6");
/// # Ok::<(), fusion_chesimal::rules::RulesError>(())
/// ```
#[must_use]
pub fn action_words(position: &Position, rules: &RuleSet, action: Action) -> String {
    match action {
        Action::Choose { leader, mode } => {
            let mode = match mode {
                Mode::Ortho | Mode::Dia => String::from(mode.letter()),
                Mode::King | Mode::Both => String::new(),
            };
            format!("{}{mode}:", unit(position, leader))
        }
        Action::Activate { from, to } => {
            let enemy = position.side().other();
            let sign = if position.units(enemy).has(to) { 'x' } else { '-' };
            let mut next = *position;
            next.play(rules, action);
            let win = if next.has_lost(enemy, rules) { "#" } else { "" };
            format!("{}{sign}{to}{win}", unit(position, from))
        }
        Action::Recruit(square) => format!("+{}", unit(position, square)),
        Action::End => "end".into(),
    }
}

/// Returns the letter and the square of a unit.
fn unit(position: &Position, square: Square) -> String {
    let letter = position.kind_on(square).map(|kind: Kind| kind.letter(Side::First));
    letter.map_or_else(|| square.to_string(), |letter| format!("{letter}{square}"))
}

/// A turn that is being written on one line: `Sf3o: Wf4-f6, Pe4-e5, Sf3-f4`. A turn without
/// activation is `pass`.
///
/// ```
/// use fusion_chesimal::board::start;
/// use fusion_chesimal::notation::TurnWords;
/// use fusion_chesimal::rules::RuleSet;
///
/// let rules = RuleSet::preset("chesimal")?;
/// let mut position = start(&rules);
/// let mut turn = TurnWords::default();
/// for text in ["f3o", "f4f6", "e4e5", "f3f4", "end"] {
///     let action = text.parse().unwrap();
///     turn.add(&position, &rules, action, None);
///     position.play(&rules, action);
/// }
/// assert_eq!(turn.line(), "Sf3o: Wf4-f6, Pe4-e5, Sf3-f4");
/// # Ok::<(), fusion_chesimal::rules::RulesError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct TurnWords {
    choice: String,
    activations: Vec<String>,
    ended: bool,
    /// Comments on the end of the turn.
    rest: Vec<String>,
}

impl TurnWords {
    /// Adds an action of a position, with a comment on it.
    pub fn add(
        &mut self,
        position: &Position,
        rules: &RuleSet,
        action: Action,
        comment: Option<&str>,
    ) {
        let comment = comment.map(|comment| format!("{{{comment}}}"));
        let words = [Some(action_words(position, rules, action)), comment.clone()];
        let words = words.into_iter().flatten().collect::<Vec<_>>().join(" ");
        match action {
            Action::Choose { .. } => self.choice = words,
            Action::Activate { .. } | Action::Recruit(_) => self.activations.push(words),
            Action::End => {
                self.ended = true;
                self.rest.extend(comment);
            }
        }
    }

    /// Returns the line.
    #[must_use]
    pub fn line(&self) -> String {
        let turn = if self.ended && self.activations.is_empty() {
            "pass".to_owned()
        } else {
            let activations = self.activations.join(", ");
            let parts = [self.choice.as_str(), activations.as_str()];
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
        };
        [&[turn], self.rest.as_slice()].concat().join(" ")
    }
}

/// Writes a game: event and players, rules and start, result and ending, then a line for each turn,
/// `1. ` before White's and `1... ` before Black's, and an empty line. The actions of a turn that has
/// not ended stand in brackets, in engine notation.
pub(crate) fn write_game(text: &GameText, out: &mut dyn Write) -> io::Result<()> {
    let mut game: ChesimalGame = text.first_position()?;
    let mut lines = Vec::new();
    let (mut turn, mut actions) = (TurnWords::default(), Vec::new());
    for (action, comment) in &text.moves {
        let before = *game.position();
        actions.push(action.as_str());
        let action = play_text(&mut game, action)?;
        turn.add(&before, game.rules(), action, comment.as_deref());
        if game.side_to_move() != before.side() {
            lines.push(numbered(&before, &turn.line()));
            turn = TurnWords::default();
            actions.clear();
        }
    }
    if !actions.is_empty() {
        lines.push(numbered(game.position(), &format!("[{}]", actions.join(" "))));
    }
    let [first, second] = &text.players;
    writeln!(out, "{} {}: {first} - {second}", text.event, text.round)?;
    writeln!(out, "{} {}", text.rules, text.start.as_deref().unwrap_or("start"))?;
    writeln!(out, "{}", text.result())?;
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    writeln!(out)
}

/// Parses the first game of a text as [`ChesimalGame::write_game`](fusion_game::Notation::write_game)
/// writes it.
///
/// # Errors
/// Returns an error that quotes the line, if no turn before it can be read.
pub(crate) fn read_game(text: &str) -> Result<ReadGame, String> {
    let game = PlainGame::parse::<ChesimalGame>(text)?;
    let mut position: ChesimalGame = game.first_position()?;
    let mut moves = ReadLine::default();
    let unread = game.lines.iter().try_for_each(|parts| {
        let words: Vec<&str> = parts.iter().map(|(words, _)| words.as_str()).collect();
        // A comment may stand before the comma after an action.
        read_turn(&mut position, &words.join(" ").replace(" ,", ","), &mut moves)?;
        parts.iter().filter_map(|(_, comment)| comment.as_deref()).for_each(|it| moves.comment(it));
        Ok(())
    });
    game.read(moves, unread.err())
}

/// Plays the turn of a line, and adds its actions to the moves.
fn read_turn(game: &mut ChesimalGame, line: &str, moves: &mut ReadLine) -> Result<(), String> {
    let (_, turn) = line.split_once(". ").ok_or_else(|| format!("no turn: {line}"))?;
    let actions = match unfinished(turn) {
        Some(actions) => actions.map(str::to_owned).collect(),
        None => {
            let actions = parse_turn(game.position(), game.rules(), turn)?;
            actions.iter().map(ToString::to_string).collect::<Vec<_>>()
        }
    };
    actions.into_iter().try_for_each(|text| {
        play_text(game, &text).map_err(|error| error.to_string())?;
        moves.push(text);
        Ok(())
    })
}

fn numbered(position: &Position, turn: &str) -> String {
    let dots = if position.side() == Side::First { "." } else { "..." };
    format!("{}{dots} {turn}", position.number())
}

/// Parses the turn of a line as [`TurnWords::line`] writes it, without comments, and returns its
/// actions. The end of the turn is among them, unless the turn ended by itself.
///
/// # Errors
/// Returns an error that quotes the part that is no legal action.
///
/// ```
/// use fusion_chesimal::board::start;
/// use fusion_chesimal::notation::parse_turn;
/// use fusion_chesimal::rules::RuleSet;
///
/// let rules = RuleSet::preset("chesimal").unwrap();
/// let actions = parse_turn(&start(&rules), &rules, "Sf3o: Wf4-f6, Pe4-e5")?;
/// let texts: Vec<String> = actions.iter().map(ToString::to_string).collect();
/// assert_eq!(texts, ["f3o", "f4f6", "e4e5", "end"]);
/// assert!(parse_turn(&start(&rules), &rules, "Sf3o: Wf4-f7").is_err());
/// # Ok::<(), String>(())
/// ```
pub fn parse_turn(position: &Position, rules: &RuleSet, line: &str) -> Result<Vec<Action>, String> {
    let (mut position, side) = (*position, position.side());
    let mut actions = Vec::new();
    let (choice, activations) = match line.split_once(':') {
        Some((choice, activations)) => (Some(format!("{choice}:")), activations),
        None => (None, line),
    };
    let is_pass = line == "pass";
    let parts = activations.split(',').map(|part| part.trim().to_owned());
    let parts = parts.filter(|part| !part.is_empty() && !is_pass);
    for words in choice.into_iter().chain(parts) {
        let mut legal = Vec::new();
        position.actions(rules, &mut legal);
        let known =
            legal.into_iter().find(|&action| action_words(&position, rules, action) == words);
        let action = known.ok_or_else(|| format!("'{words}' is not legal in this turn: {line}"))?;
        position.play(rules, action);
        actions.push(action);
    }
    if position.side() == side {
        if !position.is_legal(rules, Action::End) {
            return Err(format!("the turn cannot end there: {line}"));
        }
        actions.push(Action::End);
    }
    Ok(actions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::KINGS;
    use fusion_game::{Notation, Outcome};

    fn written(rules: &str, start: &str, actions: &[(&str, Option<&str>)]) -> String {
        let text = GameText {
            event: "Test".into(),
            round: "1".into(),
            players: ["a".into(), "b".into()],
            rules: rules.into(),
            start: Some(start.into()),
            moves: actions
                .iter()
                .map(|(action, comment)| ((*action).to_owned(), comment.map(str::to_owned)))
                .collect(),
            outcome: Some(Outcome { winner: Some(Side::First), ending: KINGS }),
        };
        let mut out = Vec::new();
        ChesimalGame::write_game(&text, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn games_are_written_turn_by_turn() {
        let start = "8/8/8/8/8/2k5/1S6/1K6 w 112 - 0 1";
        let rules = "chesimal-small,friendly=amp,recruit=yes,pass=yes";
        let actions = [
            ("b2b", None),
            ("b2b3", Some("0.5")),
            ("end", Some("late")),
            ("end", None),
            ("b1k", None),
            ("b1b2", None),
        ];
        let rules = format!("{rules},prince-mode=both");
        assert_eq!(
            written(&rules, start, &actions),
            format!(
                "Test 1: a - b\n{rules} {start}\n1-0 kings\n1. Sb2: Sb2-b3 {{0.5}} {{late}}\n\
                 1... pass\n2. [b1k b1b2]\n\n"
            )
        );
    }

    #[test]
    fn wins_and_recruits_have_their_signs() {
        let rules: RuleSet = "chesimal-restricted".parse().unwrap();
        let position = "16/16/16/16/16/3wkk10/4P11/3NKW10/16/16/16/16 w 1120111 e5k+f7 0 2";
        assert!(Position::from_text(&rules, position).is_err(), "f7 is no unit of White");
        let position = "16/16/16/16/16/3wkk10/4P11/3NKW10/16/16/16/16 w 1120111 e5k 0 2";
        let mut position = Position::from_text(&rules, position).unwrap();
        let mut turn = TurnWords::default();
        for text in ["e6r", "f5f7", "d5e7"] {
            let action = text.parse().unwrap();
            turn.add(&position, &rules, action, None);
            position.play(&rules, action);
        }
        assert_eq!(turn.line(), "+Pe6, Wf5xf7, Nd5xe7#");
    }
}
