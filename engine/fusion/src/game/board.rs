//! Chess games as people see them on a board.

use super::{FusionGame, reasons};
use crate::board::{Color, Component, Move, MoveKind, Piece, Square};
use crate::notation::pgn::{self, PgnGame, PgnLine, PgnMove, PgnResult};
use crate::rules::{Fission, RuleSet};
use fusion_game::prelude::*;
use fusion_game::{
    BoardGame, BoardMove, BoardPiece, BoardShape, FIRST_ONLY, PlacedPiece, ReadGame, ReadLine,
    ReadMove, play_text,
};

/// Returns the name of a piece: `Marshall`, or its components joined by hyphens.
pub(super) fn name(piece: Piece) -> String {
    match piece.letter() {
        Some('q') => "Queen".into(),
        Some('m') => "Marshall".into(),
        Some('d') => "Paladin".into(),
        Some('g') => "Dragon King".into(),
        Some('f') => "Pontiff".into(),
        Some('c') => "Cavalier King".into(),
        _ => components(piece).join("-"),
    }
}

/// Returns the names of a piece's components.
pub(super) fn components(piece: Piece) -> Vec<&'static str> {
    let name = |component| match component {
        Component::King => "King",
        Component::Rook => "Rook",
        Component::Bishop => "Bishop",
        Component::Knight => "Knight",
        Component::Pawn => "Pawn",
        Component::Mann => "Mann",
    };
    piece.components().map(name).collect()
}

/// Returns whether a piece may split in some positions. Only then it moves "as a whole".
pub(super) fn could_split(rules: &RuleSet, piece: Piece) -> bool {
    piece.len() > 1 && rules.fission != Fission::None
}

/// Joins words by commas and a last word such as `and`.
pub(super) fn listed(items: &[String], last: &str) -> String {
    match items {
        [first @ .., end] if !first.is_empty() => format!("{} {last} {end}", first.join(", ")),
        items => items.concat(),
    }
}

impl FusionGame {
    /// Returns a piece as it is drawn. A Queen is one figure where nothing merges or splits.
    fn drawn(&self, color: Color, piece: Piece) -> BoardPiece {
        let whole = piece.len() == 1 || piece == Piece::QUEEN && self.rules.queen_is_whole();
        let figure = if piece == Piece::QUEEN && whole { "Q".into() } else { piece.to_string() };
        let parts: Vec<String> = components(piece).into_iter().map(str::to_owned).collect();
        BoardPiece {
            side: color.into(),
            figure,
            name: name(piece),
            parts: (!whole).then(|| listed(&parts, "and")),
            royal: piece.is_royal(),
        }
    }

    /// Returns the kind of a move and what it does in words.
    fn described(&self, mv: Move, captured: Option<Piece>) -> (&'static str, String) {
        let (from, to) = (mv.from(), mv.to());
        let (mover, target) = (self.position.piece_on(from), self.position.piece_on(to));
        let takes = captured.map_or_else(String::new, |piece| format!(" takes {}", name(piece)));
        let rules = self.rules.of_side(self.position.side_to_move());
        let own_color = self.position.color_on(to) == Some(self.position.side_to_move());
        let plain = if captured.is_some() { "capture" } else { "plain" };
        match mv.kind() {
            MoveKind::Plain if own_color => ("self-capture", format!("{}{takes}", name(mover))),
            MoveKind::Plain if captured.is_some() => (plain, format!("{}{takes}", name(mover))),
            MoveKind::Plain if could_split(&rules, mover) => {
                (plain, format!("{} moves as a whole", name(mover)))
            }
            MoveKind::Plain => (plain, format!("{} moves", name(mover))),
            MoveKind::Fusion => {
                let fused = name(mover.union(target));
                ("fusion", format!("{} and {} fuse: {fused}", name(mover), name(target)))
            }
            MoveKind::Castling => ("castling", "King castles".into()),
            MoveKind::EnPassant => ("en-passant", "Pawn takes Pawn in passing".into()),
            MoveKind::Fission(component) => {
                let leaver = name(Piece::of(component));
                let stays = name(mover.without(component));
                ("fission", format!("{leaver} leaves{takes}, {stays} stays"))
            }
            MoveKind::Promotion(piece) if mover.has(Component::Pawn) => {
                ("promotion", format!("Pawn{takes} becomes {}", name(piece)))
            }
            MoveKind::Promotion(piece) => {
                ("metamorphosis", format!("{} becomes {}", name(mover), name(piece)))
            }
            MoveKind::Demotion => {
                let remains = name(Piece::of(mover.capturer(from, to)));
                ("demotion", format!("{}{takes}, only {remains} remains", name(mover)))
            }
        }
    }
}

impl BoardGame for FusionGame {
    const PLAYERS: [&'static str; 2] = ["White", "Black"];
    const KNOWN_RULES: &'static str = "orthodox";
    const KNOWN_NAME: &'static str = "chess";
    const FIGURES: &'static str = include_str!("figures.svg");

    fn parse_rules(text: &str) -> Result<RuleSet, String> {
        if names_file(text) {
            return Err(NO_FILES.into());
        }
        Ok(<RuleSet as fusion_game::RuleSet>::parse(text)?)
    }

    fn shape(_: &RuleSet) -> BoardShape {
        BoardShape::lettered(8, 8)
    }

    fn pieces(&self) -> Vec<PlacedPiece> {
        let placed = |square| {
            let color = self.position.color_on(square)?;
            let piece = self.drawn(color, self.position.piece_on(square));
            Some(PlacedPiece { space: square.to_string(), piece })
        };
        Square::all().filter_map(placed).collect()
    }

    fn codes(&self) -> Vec<u32> {
        let code = |square| {
            let piece = self.position.piece_on(square).index() as u32;
            self.position.color_on(square).map_or(0, |color| 1 + 2 * piece + color as u32)
        };
        Square::all().map(code).collect()
    }

    fn threatened(&self) -> Vec<String> {
        let royal = self.position.royal(self.position.side_to_move());
        if self.position.in_check() { vec![royal.to_string()] } else { Vec::new() }
    }

    fn board_move(&self, mv: Move) -> BoardMove {
        let (from, to, us) = (mv.from(), mv.to(), self.position.side_to_move());
        let captured = match mv.kind() {
            MoveKind::Fusion | MoveKind::Castling => None,
            MoveKind::EnPassant => Some((!us, Piece::of(Component::Pawn))),
            _ => self.position.color_on(to).map(|owner| (owner, self.position.piece_on(to))),
        };
        let (kind, label) = self.described(mv, captured.map(|(_, piece)| piece));
        let mut after = self.position;
        after.play(mv);
        let stays = after.piece_on(from);
        BoardMove {
            from: Some(from.to_string()),
            to: Some(to.to_string()),
            kind,
            label,
            becomes: Some(self.drawn(us, after.piece_on(to))),
            stays: (!stays.is_empty()).then(|| self.drawn(us, stays)),
            captures: captured.map(|(owner, piece)| self.drawn(owner, piece)),
        }
    }

    fn why_illegal(&self, from: &str, to: &str) -> Option<String> {
        match (from.parse(), to.parse()) {
            (Ok(from), Ok(to)) => reasons::why(self, from, to),
            (Err(_), _) => Some(format!("There is no square {from}.")),
            (_, Err(_)) => Some(format!("There is no square {to}.")),
        }
    }

    fn restriction(&self, space: &str) -> Option<String> {
        reasons::restriction(self, space.parse().ok()?)
    }

    fn read_game(text: &str) -> Result<ReadGame, String> {
        if names_file(text) {
            return Err(NO_FILES.into());
        }
        Self::read_record(text)
    }

    fn read_record(text: &str) -> Result<ReadGame, String> {
        let mut games = pgn::read(text.as_bytes());
        let (game, unread) = match games.next() {
            Some(Ok(game)) => (game, None),
            Some(Err(error)) => match games.take_good() {
                Some(good) => (good, Some(error.to_string())),
                None => return Err(error.to_string()),
            },
            None => return Err("there is no game in the text".into()),
        };
        let rules = game.rules().map_err(|error| error.to_string())?;
        let mut remarks = game.remarks().map_err(|error| error.to_string())?;
        if unread.is_none() && games.next().is_some() {
            remarks.push(FIRST_ONLY.into());
        }
        Ok(ReadGame {
            rules: rules.to_string(),
            start: start(&game, &rules),
            line: read_line(game.comment.as_ref(), &game.moves),
            tags: game.tags,
            result: game.result.to_string(),
            unread,
            remarks,
        })
    }

    /// Writes PGN: the tags and the result of the game, unless it is over by its rules, and the moves with
    /// all that is said about them.
    fn write_text(game: &ReadGame, players: &[String; 2]) -> Result<String, String> {
        let rules = Self::parse_rules(&game.rules)?;
        let start = match &game.start {
            Some(text) => Self::from_text(&rules, text)?,
            None => Self::new(&rules),
        };
        let mut pgn = PgnGame::new(&rules, &start.position);
        for (name, player) in ["White", "Black"].into_iter().zip(players) {
            pgn.set_tag(name, player);
        }
        // Those that say what is played come from the game, not from its text.
        let told = game.tags.iter().filter(|(name, _)| !TAGS_OF_RULES.contains(&name.as_str()));
        told.for_each(|(name, value)| pgn.set_tag(name, value));
        let PgnLine { comment, moves } = pgn_line(&start, &game.line)?;
        let mut end = start;
        moves.iter().for_each(|mv| end.play(mv.mv));
        (pgn.comment, pgn.moves) = (comment, moves);
        pgn.result = game.result.parse().unwrap_or(PgnResult::Unknown);
        if let Some(outcome) = end.outcome_now() {
            pgn.set_outcome(outcome);
        }
        let mut bytes = Vec::new();
        pgn.write(&mut bytes).map_err(|error| error.to_string())?;
        String::from_utf8(bytes).map_err(|error| error.to_string())
    }
}

/// Tags that follow from the rules and the first position.
const TAGS_OF_RULES: [&str; 5] = ["Result", "RuleSet", "Variant", "SetUp", "FEN"];

/// Returns moves as text.
fn read_line(comment: Option<&String>, moves: &[PgnMove]) -> ReadLine {
    let variation = |line: &PgnLine| read_line(line.comment.as_ref(), &line.moves);
    let read = |mv: &PgnMove| ReadMove {
        text: mv.mv.to_string(),
        comment: mv.comment.clone(),
        glyphs: mv.glyphs.clone(),
        variations: mv.variations.iter().map(variation).collect(),
    };
    ReadLine { comment: comment.cloned(), moves: moves.iter().map(read).collect() }
}

/// Returns moves as PGN has them, from a position.
fn pgn_line(before: &FusionGame, line: &ReadLine) -> Result<PgnLine, String> {
    let mut game = before.clone();
    let mut moves = Vec::with_capacity(line.moves.len());
    for ReadMove { text, comment, glyphs, variations } in &line.moves {
        let variations =
            variations.iter().map(|line| pgn_line(&game, line)).collect::<Result<_, _>>()?;
        let mv = play_text(&mut game, text).map_err(|error| error.to_string())?;
        moves.push(PgnMove { mv, comment: comment.clone(), glyphs: glyphs.clone(), variations });
    }
    Ok(PgnLine { comment: line.comment.clone(), moves })
}

const NO_FILES: &str = "toggle 'start': files of positions cannot be read here; write a FEN";

/// Returns whether rules in a text name a file of initial positions.
fn names_file(text: &str) -> bool {
    text.split([',', '"', '\n'])
        .filter_map(|change| change.split_once('='))
        .any(|(toggle, value)| toggle.trim() == "start" && value.contains('.'))
}

/// Returns the first position of a game, unless it is the rules' initial one.
fn start(game: &PgnGame, rules: &RuleSet) -> Option<String> {
    let start = game.start().ok()?.to_fen();
    (start != FusionGame::new(rules).to_text()).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::PRESETS;
    use fusion_game::Side;
    use proptest::prelude::*;

    fn game(rules: &str, fen: &str) -> FusionGame {
        FusionGame::from_text(&rules.parse().unwrap(), fen).unwrap()
    }

    fn moves(game: &FusionGame) -> Vec<Move> {
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        moves
    }

    #[test]
    fn moves_between_the_same_squares_have_their_words() {
        let game = game("fusion-2020", "k7/8/8/8/3Q4/8/8/6K1 w - - 0 1");
        let labels: Vec<String> = moves(&game)
            .into_iter()
            .filter(|mv| mv.to().to_string() == "d7")
            .map(|mv| game.board_move(mv).label)
            .collect();
        assert_eq!(labels, ["Queen moves as a whole", "Rook leaves, Bishop stays"]);
    }

    #[test]
    fn only_what_could_split_moves_as_a_whole() {
        for (rules, whole) in [("orthodox", false), ("no-fusion", false), ("fusion-2020", true)] {
            let game = game(rules, "k7/8/8/8/3Q4/8/6P1/6K1 w - - 0 1");
            for mv in moves(&game) {
                let label = game.board_move(mv).label;
                let is_queen = mv.from().to_string() == "d4";
                assert_eq!(
                    label.contains("as a whole"),
                    whole && is_queen && label.starts_with("Queen"),
                    "{rules}: {label}"
                );
            }
        }
    }

    #[test]
    fn a_queen_is_one_figure_where_nothing_fuses() {
        let queen = |rules: &str| {
            let pieces = FusionGame::new(&rules.parse().unwrap()).pieces();
            pieces.into_iter().find(|piece| piece.space == "d1").unwrap().piece
        };
        assert_eq!(queen("orthodox").figure, "Q");
        let compound = queen("fusion-2020");
        assert_eq!(compound.figure, "RB");
        assert_eq!(compound.parts.as_deref(), Some("Rook and Bishop"));
        assert_eq!((compound.name.as_str(), compound.side), ("Queen", Side::First));
    }

    #[test]
    fn files_are_not_read() {
        let error = FusionGame::parse_rules("orthodox,start=data/starts/shuffled.fen").unwrap_err();
        assert!(error.contains("cannot be read here"), "{error}");
        let army = "orthodox,start=rnbmkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBMKBNR_w_KQkq_-";
        assert!(FusionGame::parse_rules(army).is_ok());
    }

    #[test]
    fn the_board_conforms() {
        assert!(fusion_game::conformance::check_board::<FusionGame>(2, 1).unwrap() > 500);
    }

    proptest! {
        #[test]
        fn games_come_back(choices in prop::collection::vec(any::<prop::sample::Index>(), 0..60), preset in 0..PRESETS.len()) {
            let rules = PRESETS[preset].1;
            let mut game = FusionGame::new(&rules);
            let mut pgn = PgnGame::new(&rules, game.position());
            for choice in choices {
                let moves = moves(&game);
                if moves.is_empty() {
                    break;
                }
                let mv = *choice.get(&moves);
                pgn.moves.push(mv.into());
                game.play(mv);
            }
            let mut text = Vec::new();
            pgn.write(&mut text).unwrap();
            let read = FusionGame::read_game(std::str::from_utf8(&text).unwrap()).unwrap();
            prop_assert_eq!(&read.rules, &rules.to_string());
            prop_assert_eq!(&read.start, &None);
            let moves: Vec<String> = pgn.moves.iter().map(|mv| mv.mv.to_string()).collect();
            prop_assert_eq!(read.moves(), moves);
        }
    }
}
