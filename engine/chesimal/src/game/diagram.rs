//! A position as people read it in a terminal.

use crate::board::{Active, Bitboard, Position, Square};
use crate::notation;
use crate::rules::RuleSet;

/// Returns the board with White below, letters as in position texts, with the names of ranks and
/// files. Where AMPs matter, a unit's digit follows its letter. Below it stands the turn in progress,
/// if there is one.
pub(super) fn of(position: &Position, rules: &RuleSet) -> String {
    let (files, ranks) = rules.size();
    let digits = position.amp_digits();
    let standing = |square: Square| match position.unit_on(square) {
        None => " .".to_owned(),
        Some((side, kind)) if rules.has_amps() => {
            format!("{}{}", kind.letter(side), digits(square))
        }
        Some((side, kind)) => format!(" {}", kind.letter(side)),
    };
    let row = |rank: usize| {
        let squares = (0..files).filter_map(|file| Square::at(file, rank)).map(standing);
        format!("{:>2}  {}\n", rank + 1, squares.collect::<Vec<_>>().join(" "))
    };
    let rows: String = (0..ranks).rev().map(row).collect();
    let names: String =
        (0..files).map(|file| format!("  {}", char::from(b'a' + file as u8))).collect();
    format!("{rows}\n   {names}{}", turn(position, rules))
}

/// Returns a line about the turn in progress, or nothing.
fn turn(position: &Position, rules: &RuleSet) -> String {
    let Some(Active { square, mode }) = position.active() else { return String::new() };
    let choice = crate::board::Action::Choose { leader: square, mode };
    let leader = notation::action_words(position, rules, choice);
    let list = |set: Bitboard| match set.map(|square| square.to_string()).collect::<Vec<_>>() {
        squares if squares.is_empty() => "none".to_owned(),
        squares => squares.join(" "),
    };
    let recruits = if rules.recruits() {
        format!("; recruited: {}", list(position.recruited()))
    } else {
        String::new()
    };
    format!(
        "\n\n{leader} moved: {}{recruits}; others left: {}; ready: {}",
        list(position.moved()),
        position.others_left(rules),
        list(position.ready(rules)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_drawn_with_the_turn() {
        let rules: RuleSet = "chesimal-small".parse().unwrap();
        let text = "8/7k/8/8/8/2P5/1K6/8 w - b2k+c3 0 2";
        let drawn = of(&Position::from_text(&rules, text).unwrap(), &rules);
        assert!(drawn.starts_with(" 8   .  .  .  .  .  .  .  .\n 7   .  .  .  .  .  .  .  k\n"));
        let turn = "     a  b  c  d  e  f  g  h\n\nKb2: moved: c3; others left: 2; ready: b2";
        assert!(drawn.ends_with(turn), "{drawn}");
    }

    #[test]
    fn units_show_their_amps() {
        let rules: RuleSet = "chesimal-restricted".parse().unwrap();
        let text = "15k/16/16/16/16/16/16/2KPP11/4pk10/16/16/16 w 110022 c5k+c5*d5 3 4";
        let drawn = of(&Position::from_text(&rules, text).unwrap(), &rules);
        assert!(drawn.contains(" 5   .  . K1 P0 P0  . "), "{drawn}");
        let turn = "Kc5: moved: c5; recruited: d5; others left: 5; ready: none";
        assert!(drawn.ends_with(turn), "{drawn}");
    }
}
