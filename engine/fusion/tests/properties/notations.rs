//! Round trips: FEN, coordinates, SAN and PGN.

use crate::play::{after, legal, line};
use fusion_chess::board::{Color, Component, Move, MoveKind, Piece, Position};
use fusion_chess::notation::pgn::{self, PgnGame, PgnMove, PgnResult};
use fusion_chess::notation::{parse_coordinate, parse_move, parse_san, san};
use fusion_chess::rules::RuleSet;
use proptest::prelude::*;
use std::collections::HashSet;

/// FEN's capital for a piece; its components if it has none, and where M may be the Mann.
fn capital(rules: &RuleSet, piece: Piece) -> String {
    match piece.letter() {
        Some('m') if rules.has_manns() => piece.to_string(),
        Some(letter) if piece != Piece::of(Component::Mann) => letter.to_ascii_uppercase().into(),
        _ => piece.to_string(),
    }
}

/// SAN as another program may write it: FEN's letters for compounds, the whole origin,
/// no check marks.
fn foreign(position: &Position, rules: &RuleSet, mv: Move, own: &str) -> String {
    let letter = |piece: Piece| capital(rules, piece);
    let moving = position.piece_on(mv.from());
    let mover = match mv.kind() {
        MoveKind::Castling => {
            return own.trim_end_matches(['+', '#']).replace('O', "0");
        }
        MoveKind::Fission(component) => Piece::of(component),
        _ => moving,
    };
    let result = match mv.kind() {
        MoveKind::Fusion => Some(moving.union(position.piece_on(mv.to()))),
        MoveKind::Promotion(piece) => Some(piece),
        _ => None,
    };
    let made = result.map(letter).unwrap_or_default();
    format!("{}{}{}{made}", letter(mover), mv.from(), mv.to())
}

/// Comments as they come back: no white space but single blanks.
fn comment() -> impl Strategy<Value = Option<String>> {
    let text = prop_oneof![
        "[a-z%;{}()\\[\\]\" $*0-9.-]{0,120}",
        any::<String>(),
        Just("[%wdl 512,300,188] [Event \"x\"] %eval".repeat(3)),
    ];
    prop::option::weighted(0.2, text).prop_map(|text| {
        let text = text?;
        let words: Vec<&str> = text.split_whitespace().collect();
        (!words.is_empty()).then(|| words.join(" "))
    })
}

/// A tag's value may be anything on one line.
fn tag_value() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z\"\\\\\\]\\[{;% ]{0,20}", any::<String>()]
        .prop_map(|text| text.chars().filter(|c| !c.is_control()).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn positions_round_trip_through_fen(line in line(120)) {
        for position in line.positions() {
            let fen = position.to_fen();
            prop_assert_eq!(Position::from_fen(&line.rules, &fen), Ok(position), "{}", fen);
        }
    }

    #[test]
    fn moves_round_trip_and_no_two_are_written_alike(line in line(60)) {
        for position in line.positions() {
            let mut texts = HashSet::new();
            for mv in legal(&position, &line.rules) {
                let coordinates = parse_coordinate(&position, &line.rules, &mv.to_string());
                prop_assert_eq!(coordinates, Ok(mv));
                // The lenient parser takes the text for coordinates, too.
                let read = parse_move(&position, &line.rules, &mv.to_string());
                prop_assert_eq!(read, Ok(mv));
                let text = san(&position, &line.rules, mv);
                let read = parse_san(&position, &line.rules, &text);
                prop_assert_eq!(read, Ok(mv), "{} in {}", text, position);
                let foreign = foreign(&position, &line.rules, mv, &text);
                let read = parse_san(&position, &line.rules, &foreign);
                prop_assert_eq!(read, Ok(mv), "{} in {}", foreign, position);
                let next = after(&position, mv);
                prop_assert_eq!(text.ends_with(['+', '#']), next.in_check());
                let mate = next.in_check() && legal(&next, &line.rules).is_empty();
                prop_assert_eq!(text.ends_with('#'), mate);
                prop_assert!(texts.insert(text.clone()), "{} twice in {}", text, position);
            }
        }
    }

    #[test]
    fn games_round_trip_through_pgn(
        games in prop::collection::vec(
            (line(60), prop::collection::vec(comment(), 61), tag_value(), 0..4usize),
            1..4,
        ),
    ) {
        let mut file = Vec::new();
        let mut expected = Vec::new();
        for (line, mut comments, value, result) in games {
            let mut game = PgnGame::new(&line.rules, &line.start());
            let moves = line.moves().into_iter();
            game.comment = comments.pop().flatten();
            game.moves = moves.zip(comments).map(|(mv, comment)| PgnMove { comment, ..mv.into() }).collect();
            game.set_tag("White", &value);
            game.set_tag("Custom_1", &value);
            use PgnResult::{Black, Draw, Unknown, White};
            game.result = [White, Black, Draw, Unknown][result];
            game.write(&mut file).unwrap();
            expected.push(game);
        }
        let read: Result<Vec<PgnGame>, _> = pgn::read(&file[..]).collect();
        prop_assert_eq!(read.unwrap(), expected);
        let text = String::from_utf8(file).unwrap();
        prop_assert!(!text.lines().any(|line| line.starts_with('%')));
    }

    /// A position's colour says whose move it is, whatever was played.
    #[test]
    fn sides_alternate(line in line(20)) {
        let positions = line.positions();
        for pair in positions.windows(2) {
            prop_assert_ne!(pair[0].side_to_move(), pair[1].side_to_move());
            let black = pair[0].side_to_move() == Color::Black;
            prop_assert_eq!(pair[1].fullmove(), pair[0].fullmove() + u16::from(black));
        }
    }
}
