//! Lines of actions that are taken back, and repetitions in them.

use crate::games::rules;
use fusion_chesimal::ChesimalGame;
use fusion_chesimal::rules::RuleSet;
use fusion_game::Tactics;
use fusion_game::prelude::*;
use proptest::prelude::*;
use proptest::sample::Index;

/// Positions in which few units repeat positions soon.
const FEW: [&str; 2] =
    ["15k/16/16/16/16/16/16/16/16/16/16/K15 w - - 0 1", "7k/7p/8/8/8/8/P7/K7 b - - 3 2"];

fn state(game: &ChesimalGame) -> (String, u64, usize, bool) {
    (game.to_text(), game.hash(), game.repetitions(), game.outcome_now().is_some())
}

fn begin(rules: &RuleSet, start: usize) -> ChesimalGame {
    let few = FEW.get(start).and_then(|text| ChesimalGame::from_text(rules, text).ok());
    few.unwrap_or_else(|| ChesimalGame::new(rules))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn lines_are_taken_back(
        rules in rules(),
        start in 0..3usize,
        choices in prop::collection::vec(any::<Index>(), 1..200),
    ) {
        let mut line = begin(&rules, start);
        let mut played = line.clone();
        let mut undone = Vec::new();
        // Positions at the starts of turns, with the number of actions before each.
        let mut starts: Vec<(String, usize)> = Vec::new();
        for (ply, choice) in choices.into_iter().enumerate() {
            let mut actions = Vec::new();
            line.legal_moves(&mut actions);
            if line.outcome(&actions).is_some() {
                break;
            }
            // Two Kings that have few squares to choose from meet old positions.
            let few = if start < FEW.len() { 2 } else { usize::MAX };
            let action = match ply % 2 {
                0 => actions[actions.len() - 1],
                _ => actions[choice.index(actions.len().min(few))],
            };
            if line.position().active().is_none() {
                starts.push((same_position(&line), ply));
            }
            if line.is_forcing(action) {
                starts.clear();
            }
            undone.push((state(&line), line.make(action)));
            played.play(action);
            prop_assert_eq!(state(&line), state(&played));
            check_recurrence(&line, &starts, ply + 1)?;
            let before = state(&line);
            if let Some(undo) = line.pass() {
                prop_assert_eq!(line.position().hash(), line.position().fresh_hash());
                prop_assert!(line.recurrence(300).is_none());
                line.unmake(&undo);
            }
            prop_assert_eq!(state(&line), before);
        }
        while let Some((before, undo)) = undone.pop() {
            line.unmake(&undo);
            prop_assert_eq!(state(&line), before);
        }
    }
}

/// The first four fields.
fn same_position(game: &ChesimalGame) -> String {
    game.to_text().split(' ').take(4).collect::<Vec<_>>().join(" ")
}

fn check_recurrence(
    line: &ChesimalGame,
    starts: &[(String, usize)],
    plies: usize,
) -> Result<(), TestCaseError> {
    let here = same_position(line);
    let is_start = line.position().active().is_none();
    let earlier: Vec<usize> = starts
        .iter()
        .filter(|(text, _)| is_start && *text == here)
        .map(|(_, at)| plies - at)
        .collect();
    prop_assert_eq!(line.repetitions(), earlier.len());
    for within in [0, 7, 13, 300] {
        let near = earlier.iter().any(|&back| back < within);
        let wanted = line.rules().repetition && (near || earlier.len() >= 2);
        prop_assert_eq!(line.recurrence(within).is_some(), wanted, "{:?} {}", &earlier, within);
    }
    Ok(())
}
