//! Random games by themselves: texts, hashes, legality, whole turns, symmetries.

use super::start;
use fusion_freechess::FreeChess;
use fusion_freechess::board::{Action, Position, Square, Turn};
use fusion_freechess::notation::{read_turn, turn_words};
use fusion_freechess::rules::RuleSet;
use fusion_game::{Encoding, FeatureSet, Side};
use proptest::prelude::*;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;

fn legal(position: &Position, rules: &RuleSet) -> Vec<Action> {
    let mut actions = Vec::new();
    position.legal_actions(rules, &mut actions);
    actions
}

/// Draws rules, and a position with a few random actions after a random beginning.
fn draw(seed: u64) -> (RuleSet, Position, ChaCha8Rng) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let rules = start::rules(&mut rng);
    let scattered = start::scattered(&rules, &mut rng);
    let mut position = scattered.unwrap_or_else(|| Position::start(&rules));
    for _ in 0..rng.random_range(0..12) {
        let actions = legal(&position, &rules);
        let lively = |action: &&Action| !matches!(action, Action::Place { .. });
        let others: Vec<Action> = actions.iter().filter(lively).copied().collect();
        let list = if others.is_empty() || rng.random_bool(0.3) { &actions } else { &others };
        if list.is_empty() {
            break;
        }
        position.play(&rules, list[rng.random_range(0..list.len())]);
    }
    (rules, position, rng)
}

/// Returns the text of a position whose squares are mapped, and whose colours are exchanged if
/// wanted.
fn transformed(position: &Position, map: impl Fn(Square) -> Square, exchange: bool) -> String {
    let (size, name) = (position.size(), |square| map(square).name(position.size()));
    let mut standing = vec![None; size * size];
    let place = |square: Square| {
        let name = square.name(size);
        let file = usize::from(name.as_bytes()[0] - b'a');
        (name[1..].parse::<usize>().unwrap() - 1) * size + file
    };
    for square in position.occupied() {
        let side = usize::from(position.side_on(square) == Some(Side::Second));
        standing[place(map(square))] =
            Some((side ^ usize::from(exchange), position.piece_on(square)));
    }
    let mut reserves = [Side::First, Side::Second].map(|side| position.reserve(side));
    if exchange {
        reserves.reverse();
    }
    let white = (position.side_to_move() == Side::First) != exchange;
    let text = start::text(position, white, reserves, |square| standing[place(square)]);
    let shield =
        position.shield().map(|(kind, square)| format!("{}@{}", kind.letter(), name(square)));
    let multiset = |piece: fusion_freechess::board::Piece| match piece.to_string() {
        text if text.is_empty() => "-".to_owned(),
        text => text,
    };
    let turn = match position.turn() {
        Turn::Start => "-".to_owned(),
        Turn::Move { origin, at, used, captured } => {
            let captured = if captured { "x" } else { "-" };
            format!("move:{}:{}:{}:{captured}", name(origin), name(at), multiset(used))
        }
        Turn::Split { origin, hand } => format!("split:{}:{}", name(origin), multiset(hand)),
    };
    let start = text.strip_suffix("- -").unwrap();
    format!("{start}{} {turn}", shield.unwrap_or("-".into()))
}

fn mapped(action: Action, map: impl Fn(Square) -> Square) -> Action {
    match action {
        Action::Place { kind, to } => Action::Place { kind, to: map(to) },
        Action::Part { from, to, goes_on } => {
            Action::Part { from: map(from), to: map(to), goes_on }
        }
        Action::End => Action::End,
        Action::Lift { from, kind } => Action::Lift { from: map(from), kind },
        Action::SetDown { from, to } => Action::SetDown { from: map(from), to: map(to) },
        Action::Return { from } => Action::Return { from: map(from) },
    }
}

/// Mirrors left to right, or exchanges files and ranks.
fn map(transpose: bool) -> impl Fn(Square) -> Square + Copy {
    move |square: Square| {
        let (file, rank) = (square.file(), square.rank());
        if transpose { Square::at(rank, file) } else { Square::at(12 - file, rank) }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The position read has the same pieces, sets and hash, which were kept up to date by each
    /// action.
    #[test]
    fn texts_come_back(seed: u64) {
        let (rules, position, _) = draw(seed);
        let text = position.to_text();
        let read = Position::from_text(&rules, &text).map_err(|error| TestCaseError::fail(format!("{rules}, {text}: {error}")))?;
        prop_assert_eq!(read, position, "{}, {}", rules, text);
        prop_assert_eq!(read.hash(), position.hash());
    }

    /// Rule 27: an action that does not end the turn is followed by another. Inside a turn an action
    /// uses up an attribute or the hand.
    #[test]
    fn no_action_leads_into_a_dead_end(seed: u64) {
        let (rules, position, mut rng) = draw(seed);
        let actions = legal(&position, &rules);
        prop_assert_eq!(actions.iter().collect::<std::collections::HashSet<_>>().len(), actions.len());
        for &action in &actions {
            prop_assert!(position.is_legal(&rules, action));
            let next = position.after(&rules, action);
            prop_assert_eq!(next.turn() == Turn::Start, next.side_to_move() != position.side_to_move());
            if next.turn() != Turn::Start {
                prop_assert!(next.has_legal_action(&rules), "{} in {}, {}", action.text(position.size()), rules, position.to_text());
            }
        }
        for _ in 0..50 {
            let action = Action::from_code(rng.next_u32() & 0x07ff_ff07);
            if let Some(action) = action.filter(|action| !actions.contains(action)) {
                prop_assert!(!position.is_legal(&rules, action), "{:?}", action);
            }
        }
    }

    #[test]
    fn turns_are_read_as_they_are_written(seed: u64) {
        let (rules, begin, mut rng) = draw(seed);
        let (mut position, mut turn) = (begin, Vec::new());
        while turn.is_empty() || position.turn() != Turn::Start {
            let actions = legal(&position, &rules);
            if actions.is_empty() {
                return Ok(());
            }
            let action = actions[rng.random_range(0..actions.len())];
            position.play(&rules, action);
            turn.push(action);
        }
        let words = turn_words(&begin, &rules, &turn);
        let read = read_turn(&begin, &rules, &words);
        prop_assert!(read.is_some(), "{} in {}, {}", words, rules, begin.to_text());
        let read = read.unwrap();
        let end = read.iter().fold(begin, |position, &action| position.after(&rules, action));
        prop_assert_eq!(end.to_text(), position.to_text(), "{} in {}", words, begin.to_text());
        prop_assert_eq!(turn_words(&begin, &rules, &read), words);
    }

    /// No rule has a direction or a colour.
    #[test]
    fn mirrored_positions_have_mirrored_actions(seed: u64, transpose: bool, exchange: bool) {
        let (rules, position, _) = draw(seed);
        let map = map(transpose);
        let text = transformed(&position, map, exchange);
        let mirrored = Position::from_text(&rules, &text);
        prop_assert!(mirrored.is_ok(), "{text}: {:?}", mirrored);
        let mirrored = mirrored.unwrap();
        let texts = |position: &Position, actions: Vec<Action>| -> BTreeSet<String> {
            actions.into_iter().map(|action| action.text(position.size())).collect()
        };
        let wanted = legal(&position, &rules).into_iter().map(|action| mapped(action, map)).collect();
        prop_assert_eq!(texts(&mirrored, legal(&mirrored, &rules)), texts(&position, wanted), "{}", position.to_text());
        for side in [Side::First, Side::Second] {
            let other = if exchange { side.other() } else { side };
            prop_assert_eq!(position.in_check(&rules, side), mirrored.in_check(&rules, other));
        }
    }

    /// The networks' inputs and rows are mirrored as the table says, and the colours make no
    /// difference to them.
    #[test]
    fn networks_see_mirrored_positions_mirrored(seed: u64, exchange: bool) {
        let (rules, position, _) = draw(seed);
        let map = map(false);
        let mirrored = Position::from_text(&rules, &transformed(&position, map, exchange)).unwrap();
        let symmetry = FreeChess::symmetry(&rules).unwrap();
        let (one, two) = (FreeChess::at(rules, position), FreeChess::at(rules, mirrored));
        let mut wanted: Vec<u16> =
            FeatureSet::of(&one).iter().map(|input| symmetry.features[usize::from(input)]).collect();
        wanted.sort_unstable();
        prop_assert_eq!(FeatureSet::of(&two).iter().collect::<Vec<_>>(), wanted);
        let actions = legal(&position, &rules);
        let others: Vec<Action> = actions.iter().map(|&action| mapped(action, map)).collect();
        let (mut rows, mut other_rows) = (Vec::new(), Vec::new());
        one.policy_factors(&actions, &mut rows);
        two.policy_factors(&others, &mut other_rows);
        let rows: Vec<u16> = rows.into_iter().map(|row| symmetry.rows[usize::from(row)]).collect();
        prop_assert_eq!(rows, other_rows);
    }
}
