//! Turns as people write them: one token a turn, such as `N@e4`, `BNCe4-f6xh8` or
//! `RB2NPe4:RB-e9,N-f6,P-0`.
//!
//! `docs/freechess.md` explains the notation.

use crate::FreeChess;
use crate::board::{Action, Piece, Position, Square, Turn};
use crate::rules::RuleSet;
use fusion_game::{Game, GameText, Notation, PlainGame, ReadGame, ReadLine, play_text, unfinished};
use std::io::{self, Write};

/// Returns a turn as people write it. The actions begin at the position, which may be inside a turn,
/// and are legal. If they do not end the turn, the token is unfinished.
///
/// ```
/// use fusion_freechess::board::{Action, Position};
/// use fusion_freechess::notation::{read_turn, turn_words};
/// use fusion_freechess::rules::RuleSet;
///
/// let rules: RuleSet = "freechess-9".parse().unwrap();
/// let text = "9/9/9/9/9/4{BNC}4/9/9/K7p w -/- - -";
/// let position = Position::from_text(&rules, text).unwrap();
/// let turn = ["e4f6n", "f6h8"].map(|text| Action::parse(text, 9).unwrap());
/// let words = turn_words(&position, &rules, &turn);
/// assert_eq!(words, "BNCe4-f6-h8");
/// assert_eq!(read_turn(&position, &rules, &words), Some(turn.to_vec()));
/// ```
#[must_use]
pub fn turn_words(position: &Position, rules: &RuleSet, actions: &[Action]) -> String {
    let mut position = *position;
    let mut words = String::new();
    for &action in actions {
        words += &added_words(&position, rules, action);
        position.play(rules, action);
        if position.turn() == Turn::Start {
            words += mark(&position, rules);
        }
    }
    words
}

/// Returns one action as people read it in a list: the part of the turn's token that it adds, or for
/// lifted attributes the hand, or `end`.
///
/// ```
/// use fusion_freechess::board::{Action, Position};
/// use fusion_freechess::notation::action_words;
/// use fusion_freechess::rules::RuleSet;
///
/// let rules: RuleSet = "freechess-9".parse().unwrap();
/// let position = Position::from_text(&rules, "9/9/9/9/9/4{RBN}4/9/9/K7p w -/- - -").unwrap();
/// let words = |text| action_words(&position, &rules, Action::parse(text, 9).unwrap());
/// assert_eq!([words("e4f6"), words("e4^n")], ["RBNe4-f6", "RBNe4:N"]);
/// ```
#[must_use]
pub fn action_words(position: &Position, rules: &RuleSet, action: Action) -> String {
    let next = position.after(rules, action);
    let words = match (action, next.turn()) {
        (Action::Lift { from, .. }, Turn::Split { hand, .. }) => {
            format!("{}:{}", standing(position, from), hand.capitals())
        }
        (Action::End, _) => "end".to_owned(),
        _ => added_words(position, rules, action),
    };
    if next.turn() == Turn::Start { words + mark(&next, rules) } else { words }
}

/// Returns the legal actions from the position to the end of the turn that are written like this.
/// Marks of check and mate at the end of the text are optional. `None` if there are none.
#[must_use]
pub fn read_turn(position: &Position, rules: &RuleSet, text: &str) -> Option<Vec<Action>> {
    let text = text.strip_suffix(['+', '#']).unwrap_or(text);
    let mut actions = Vec::new();
    read_rest(position, rules, text, &mut actions).then_some(actions)
}

/// Appends the actions that the rest of a token stands for, and returns whether there are some.
fn read_rest(position: &Position, rules: &RuleSet, text: &str, actions: &mut Vec<Action>) -> bool {
    // Whether the turn can be ended legally takes long to find out, and is asked of its last action only.
    let mut allowed = Vec::new();
    position.each_allowed(rules, |action| allowed.push(action));
    allowed.retain(|&action| may_begin(text, action, position.size()));
    for action in allowed {
        let Some(rest) = text.strip_prefix(&added_words(position, rules, action)) else { continue };
        let next = position.after(rules, action);
        actions.push(action);
        let found = match next.turn() {
            Turn::Start => rest.is_empty() && position.is_legal(rules, action),
            Turn::Split { hand, .. } if !may_be_hand(hand, rest) => false,
            _ => read_rest(&next, rules, rest, actions),
        };
        if found {
            return true;
        }
        actions.pop();
    }
    false
}

/// Returns whether a text may begin with the words of an action, which take longer to write.
fn may_begin(text: &str, action: Action, size: usize) -> bool {
    match action {
        Action::Place { kind, to } => text
            .strip_prefix(kind.capital())
            .and_then(|rest| rest.strip_prefix('@'))
            .is_some_and(|rest| rest.starts_with(&to.name(size))),
        Action::Part { to, .. } => text.contains(&to.name(size)),
        _ => true,
    }
}

/// Writes a game as four lines: event and players, rules and start, result and ending, turns. A turn
/// is one word; comments on its actions follow it in braces. The actions of a turn that has not ended
/// stand in brackets, in engine notation.
pub(crate) fn write_game(text: &GameText, out: &mut dyn Write) -> io::Result<()> {
    let mut game: FreeChess = text.first_position()?;
    let (mut words, mut turn, mut comments) = (Vec::new(), Vec::new(), Vec::new());
    let mut begin = *game.position();
    for (mv, comment) in &text.moves {
        turn.push(play_text(&mut game, mv)?);
        comments.extend(comment.as_ref().map(|comment| format!("{{{comment}}}")));
        if game.position().turn() == Turn::Start {
            words.push(turn_words(&begin, game.rules(), &turn));
            words.append(&mut comments);
            turn.clear();
            begin = *game.position();
        }
    }
    if !turn.is_empty() {
        let size = begin.size();
        let actions: Vec<String> = turn.iter().map(|action| action.text(size)).collect();
        words.push(format!("[{}]", actions.join(" ")));
        words.append(&mut comments);
    }
    let [first, second] = &text.players;
    writeln!(out, "{} {}: {first} - {second}", text.event, text.round)?;
    writeln!(out, "{} {}", text.rules, text.start.as_deref().unwrap_or("start"))?;
    writeln!(out, "{}", text.result())?;
    writeln!(out, "{}\n", words.join(" "))
}

/// Parses the first game of a text as [`write_game`] writes it.
///
/// # Errors
/// Returns an error that quotes the turn, if no turn before it can be read.
pub(crate) fn read_game(text: &str) -> Result<ReadGame, String> {
    let game = PlainGame::parse::<FreeChess>(text)?;
    let mut state: FreeChess = game.first_position()?;
    let mut moves = ReadLine::default();
    let unread = game.lines.iter().flatten().try_for_each(|(words, comment)| {
        read_turns(&mut state, words, &mut moves)?;
        comment.iter().for_each(|comment| moves.comment(comment));
        Ok(())
    });
    game.read(moves, unread.err())
}

/// Plays the turns of a part of a game, and adds their actions to the line.
fn read_turns(state: &mut FreeChess, words: &str, line: &mut ReadLine) -> Result<(), String> {
    let (turns, rest) = match words.find('[') {
        Some(place) => (&words[..place], unfinished(&words[place..]).ok_or("a turn does not end")?),
        None => (words, "".split_whitespace()),
    };
    for words in turns.split_whitespace() {
        let turn = read_turn(state.position(), state.rules(), words);
        let turn = turn.ok_or_else(|| format!("{words} is not legal in {}", state.to_text()))?;
        for action in turn {
            line.push(state.move_text(action));
            state.play(action);
        }
    }
    for text in rest {
        play_text(state, text).map_err(|error| error.to_string())?;
        line.push(text.to_owned());
    }
    Ok(())
}

/// Returns whether a text can begin with a hand that has at least these attributes.
fn may_be_hand(hand: Piece, text: &str) -> bool {
    let written = text.split('-').next().unwrap_or_default().to_lowercase();
    hand.is_empty() || Piece::parse(&written).is_some_and(|written| hand.is_part_of(written))
}

/// Returns `+` if the side to move is in check, `#` if it has no legal turn.
fn mark(position: &Position, rules: &RuleSet) -> &'static str {
    match () {
        () if !position.has_legal_action(rules) => "#",
        () if position.in_check(rules, position.side_to_move()) => "+",
        () => "",
    }
}

/// Returns a piece and its square: `RBe4`.
fn standing(position: &Position, square: Square) -> String {
    format!("{}{}", position.piece_on(square).capitals(), square.name(position.size()))
}

/// Returns what an action adds to the token of its turn.
fn added_words(position: &Position, rules: &RuleSet, action: Action) -> String {
    let size = position.size();
    let hand = match position.turn() {
        Turn::Split { hand, .. } => hand.capitals(),
        _ => String::new(),
    };
    match action {
        Action::Place { kind, to } => {
            let after = becomes(position, rules, action, to, Piece::of(kind));
            format!("{}@{}{after}", kind.capital(), to.name(size))
        }
        Action::Part { from, to, goes_on } => {
            let begins = position.turn() == Turn::Start;
            let head = if begins { standing(position, from) } else { String::new() };
            let kind = goes_on.filter(|_| lead_there(position, rules, from, to) > 1);
            let kind = kind.map(|kind| kind.letter().to_string()).unwrap_or_default();
            let us = position.side_to_move();
            let (sign, after) = match () {
                () if to == from || position.piece_on(to).is_empty() => ('-', String::new()),
                () => {
                    let sign = if position.of(us).has(to) { '&' } else { 'x' };
                    (sign, becomes(position, rules, action, to, position.piece_on(from)))
                }
            };
            format!("{head}{kind}{sign}{}{after}", to.name(size))
        }
        Action::End => String::new(),
        Action::Lift { from, .. } if position.turn() == Turn::Start => {
            format!("{}:", standing(position, from))
        }
        // A new hand.
        Action::Lift { .. } if hand.is_empty() => ",".to_owned(),
        Action::Lift { .. } => String::new(),
        Action::SetDown { to, .. } => format!("{hand}-{}", to.name(size)),
        Action::Return { .. } => format!("{hand}-0"),
    }
}

/// Returns `=` and what stands on a square after an action, if that is not the expected piece.
fn becomes(
    position: &Position,
    rules: &RuleSet,
    action: Action,
    square: Square,
    expected: Piece,
) -> String {
    let after = position.after(rules, action).piece_on(square);
    match () {
        () if after.is_empty() => "=0".to_owned(),
        // Onto an enemy piece, an attribute alone is what it has left.
        () if after == expected
            && position.side_on(square) != Some(position.side_to_move().other()) =>
        {
            String::new()
        }
        () if after == expected && matches!(action, Action::Part { .. }) => String::new(),
        () => format!("={}", after.capitals()),
    }
}

/// Returns the number of parts that lead a piece to a square.
fn lead_there(position: &Position, rules: &RuleSet, from: Square, to: Square) -> usize {
    let mut number = 0;
    position.each_part(rules, from, |action| {
        number += usize::from(matches!(action, Action::Part { to: other, .. } if other == to));
    });
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_game::{Ending, Outcome};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn games_come_back(choices in prop::collection::vec(any::<prop::sample::Index>(), 0..40)) {
            let rules: RuleSet = "freechess-7".parse().unwrap();
            let mut game = FreeChess::new(&rules);
            let mut moves = Vec::new();
            for choice in choices {
                let mut legal = Vec::new();
                game.legal_moves(&mut legal);
                if game.outcome(&legal).is_some() {
                    break;
                }
                let mv = *choice.get(&legal);
                moves.push((game.move_text(mv), None));
                game.play(mv);
            }
            let text = GameText {
                event: "Test".into(),
                round: "1".into(),
                players: ["a".into(), "b".into()],
                rules: rules.to_string(),
                start: None,
                moves: moves.clone(),
                outcome: Some(Outcome { winner: None, ending: Ending::CAP }),
            };
            let mut out = Vec::new();
            write_game(&text, &mut out).unwrap();
            let read = read_game(std::str::from_utf8(&out).unwrap()).unwrap();
            prop_assert_eq!(&read.rules, "freechess-7");
            let replay = |moves: &[String]| {
                let mut game = FreeChess::new(&rules);
                moves.iter().for_each(|text| { play_text(&mut game, text).unwrap(); });
                game.to_text()
            };
            prop_assert_eq!(replay(&read.moves()), game.to_text());
        }
    }

    fn words(rules: &str, text: &str, turn: &[&str]) -> String {
        let rules: RuleSet = rules.parse().unwrap();
        let start = Position::from_text(&rules, text).unwrap();
        let mut position = start;
        let mut actions = Vec::new();
        for text in turn {
            let action = Action::parse(text, position.size()).unwrap();
            assert!(position.is_legal(&rules, action), "{text} in {}", position.to_text());
            position.play(&rules, action);
            actions.push(action);
        }
        let words = turn_words(&start, &rules, &actions);
        if position.turn() == Turn::Start {
            let read = read_turn(&start, &rules, &words).unwrap();
            assert_eq!(turn_words(&start, &rules, &read), words);
            let end = read.iter().fold(start, |position, &action| position.after(&rules, action));
            assert_eq!(end.to_text(), position.to_text());
        }
        words
    }

    #[test]
    fn turns_are_written_as_the_rules_say() {
        let free = "9/9/9/9/9/4{BNC}4/9/9/K7p w -/- - -";
        let fight = "9/7nk/9/3N1n3/5b3/4{BNC}4/9/2N6/K8 w -/- - -";
        let place = "8k/9/9/9/4n{bn}3/9/4R4/9/K8 w BN/- - -";
        let split = "8k/9/9/9/9/4{RB2NP}4/9/9/K8 w -/- - -";
        let royal = "8k/9/9/9/9/4{KRC}4/9/9/9 w -/- - -";
        for (text, turn, wanted) in [
            (free, &["e4f6n", "f6h8"][..], "BNCe4-f6-h8"),
            (free, &["e4f6n", "end"], "BNCe4-f6"),
            (fight, &["e4f6n", "f6h8"], "BNCe4xf6=BCxh8"),
            (fight, &["e4f5b", "f5d6n", "end"], "BNCe4xf5=NC&d6=N2C"),
            (place, &["N@e5"], "N@e5=0"),
            (place, &["N@f5"], "N@f5=B"),
            (place, &["B@e3"], "B@e3=RB"),
            (place, &["B@e4"], "B@e4"),
            (
                split,
                &["e4^r", "e4^b", "e4>e9", "e4^n", "e4>f6", "e4^p", "e4>-"],
                "RB2NPe4:RB-e9,N-f6,P-0+",
            ),
            (split, &["e4^b", "e4^b", "e4>-", "end"], "RB2NPe4:B2-0"),
            (royal, &["e4e5k", "e5a5"], "KRCe4k-e5-a5"),
            ("1r5k1/9/9/9/8r/9/9/9/K8 b -/- - -", &["i5a5"], "Ri5-a5#"),
            ("7k1/9/9/9/9/9/9/R8/4K4 w -/p - -", &["a2a9"], "Ra2-a9+"),
        ] {
            assert_eq!(words("freechess-9", text, turn), wanted, "{text}");
        }
    }
}
