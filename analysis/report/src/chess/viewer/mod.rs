//! Games to play through on a board.
//!
//! The games are replayed here, so that the page's script needs no rules. For each ply the script
//! gets the notation, the kind of move, and the squares that changed.

use crate::html::json_in_script;
use fusion_chess::FusionGame;
use fusion_chess::board::{Color, Move, Piece, Position, Square};
use fusion_chess::rules::RuleSet;
use fusion_game::prelude::*;
use fusion_game::{BoardGame, EventSet};
use serde::Serialize;
use std::collections::BTreeMap;

/// The template with the figures of the pieces.
pub(crate) const FIGURES: (&str, &str) = ("figures.svg", FusionGame::FIGURES);
/// The board's styles.
pub(crate) const STYLE: &str = include_str!("viewer.css");
/// The board's script.
pub(crate) const BOARD: &str = include_str!("viewer.js");
/// The script of the board in a report.
pub(crate) const SCRIPT: &str = concat!(include_str!("viewer.js"), include_str!("report.js"));

/// A game of the measurement.
#[derive(Clone, Debug, Default)]
pub struct SampledGame {
    /// Reason for showing it, in a few words; empty without a particular reason.
    pub title: String,
    /// Explanation of the reason, with its numbers.
    pub why: String,
    /// Rule-set expression.
    pub rules: String,
    /// Nodes per move.
    pub nodes: u64,
    /// Number of the opening in the pool.
    pub opening: u64,
    /// The first position as FEN; the rules' initial position if left out.
    pub start: Option<String>,
    /// PGN's result token.
    pub result: String,
    /// How it ended, in words.
    pub ending: String,
    /// Number of moves that are the opening's.
    pub opening_plies: usize,
    /// Every move in coordinate notation, and White's chances of win, draw and loss per mille by
    /// the search before it. The opening's moves have no chances, because they were not searched.
    pub moves: Vec<(String, Option<[u16; 3]>)>,
}

/// A game that cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ViewerError {
    /// A rule set that does not exist.
    #[error("sampled game {game}: {message}")]
    Rules {
        /// Number of the game, from 1.
        game: usize,
        /// Message of the rules' parser.
        message: String,
    },
    /// A move that is not legal.
    #[error("sampled game {game} ({rules}), ply {ply}: {text} is not a legal move in {position}")]
    IllegalMove {
        /// Number of the game, from 1.
        game: usize,
        /// Rule-set expression.
        rules: String,
        /// Ply of the move, from 1.
        ply: usize,
        /// The move.
        text: String,
        /// The position before it.
        position: String,
    },
    /// An opening that is longer than the game.
    #[error("sampled game {game} ({rules}): an opening of {opening} plies in a game of {plies}")]
    Opening {
        /// Number of the game, from 1.
        game: usize,
        /// Rule-set expression.
        rules: String,
        /// Plies of the opening.
        opening: usize,
        /// Plies of the game.
        plies: usize,
    },
    /// An evaluation that is not a distribution.
    #[error(
        "sampled game {game} ({rules}), ply {ply}: win, draw and loss are {wdl:?}, not 1000 in all"
    )]
    Evaluation {
        /// Number of the game, from 1.
        game: usize,
        /// Rule-set expression.
        rules: String,
        /// Ply of the move, from 1.
        ply: usize,
        /// Win, draw and loss.
        wdl: [u16; 3],
    },
}

/// Tolerance for the sum of three numbers that are each rounded.
const ROUNDING: u32 = 3;

/// Input of the script. Columns are strings of words, one word for each ply. They take half the
/// size of lists.
#[derive(Serialize)]
struct GameView<'a> {
    title: &'a str,
    why: &'a str,
    rules: &'a str,
    nodes: u64,
    opening: u64,
    result: &'a str,
    ending: &'a str,
    opening_plies: usize,
    /// Whether a Queen is drawn as one figure.
    whole_queen: bool,
    /// Placement at the start, as in FEN.
    start: String,
    /// The first position as FEN, if it is not the rules' own.
    from: Option<&'a str>,
    /// Algebraic notation.
    san: String,
    /// From-square and to-square: `e2e4`.
    moves: String,
    /// Any of `f`usion, `s`plit (fission), `c`astling, `x` (capture) and `p`romotion, or `-`.
    kinds: String,
    /// Each changed square and its piece after the ply: `e2-e4P`, `d2-d4{RBN}`.
    changes: String,
    /// Win, draw and loss per mille, `512/300/188`, or `-`.
    wdl: String,
}

#[derive(Serialize)]
struct Model<'a> {
    /// The components of each FEN letter: `q` is `RB`.
    pieces: BTreeMap<char, String>,
    games: Vec<GameView<'a>>,
}

/// Returns the games for the page's script, safe inside a script element.
///
/// # Errors
/// Fails if the rules of a game do not allow its moves. The message names game and ply.
pub(crate) fn model(games: &[SampledGame]) -> anyhow::Result<String> {
    let games: Vec<GameView> = games
        .iter()
        .enumerate()
        .map(|(i, game)| replay(i + 1, game))
        .collect::<Result<_, ViewerError>>()?;
    let pieces =
        Piece::LETTERS.iter().map(|&(piece, letter)| (letter, piece.to_string())).collect();
    Ok(json_in_script(&serde_json::to_string(&Model { pieces, games })?))
}

fn replay(number: usize, sampled: &SampledGame) -> Result<GameView<'_>, ViewerError> {
    let rules = <RuleSet as fusion_game::RuleSet>::parse(&sampled.rules)
        .map_err(|message| ViewerError::Rules { game: number, message })?;
    let plies = sampled.moves.len();
    if sampled.opening_plies > plies {
        return Err(ViewerError::Opening {
            game: number,
            rules: sampled.rules.clone(),
            opening: sampled.opening_plies,
            plies,
        });
    }
    let mut game = match &sampled.start {
        None => FusionGame::new(&rules),
        Some(fen) => FusionGame::from_text(&rules, fen)
            .map_err(|message| ViewerError::Rules { game: number, message })?,
    };
    let start = game.to_text().split(' ').next().unwrap_or_default().to_owned();
    let mut columns: [Vec<String>; 5] = Default::default();
    for (i, (text, wdl)) in sampled.moves.iter().enumerate() {
        let Some(mv) = game.parse_move(text) else {
            return Err(ViewerError::IllegalMove {
                game: number,
                rules: sampled.rules.clone(),
                ply: i + 1,
                text: text.clone(),
                position: game.to_text(),
            });
        };
        let wdl = match *wdl {
            None => "-".to_owned(),
            Some(wdl) if adds_up(wdl) => wdl.map(|share| share.to_string()).join("/"),
            Some(wdl) => {
                let rules = sampled.rules.clone();
                return Err(ViewerError::Evaluation { game: number, rules, ply: i + 1, wdl });
            }
        };
        let before = *game.position();
        let (san, kinds) = (game.move_words(mv), kinds(game.events(mv)));
        game.play(mv);
        let row = [san, squares(mv), kinds, changes(&before, game.position()), wdl];
        for (column, word) in columns.iter_mut().zip(row) {
            column.push(word);
        }
    }
    let [san, moves, kinds, changes, wdl] = columns.map(|words| words.join(" "));
    Ok(GameView {
        title: &sampled.title,
        why: &sampled.why,
        whole_queen: rules.queen_is_whole(),
        rules: &sampled.rules,
        nodes: sampled.nodes,
        opening: sampled.opening,
        result: &sampled.result,
        ending: &sampled.ending,
        opening_plies: sampled.opening_plies,
        start,
        from: sampled.start.as_deref(),
        san,
        moves,
        kinds,
        changes,
        wdl,
    })
}

fn adds_up(wdl: [u16; 3]) -> bool {
    wdl.into_iter().map(u32::from).sum::<u32>().abs_diff(1000) <= ROUNDING
}

fn squares(mv: Move) -> String {
    format!("{}{}", mv.from(), mv.to())
}

/// Returns the letters of the events, in the order of tables.
fn kinds(events: EventSet) -> String {
    let kinds = FusionGame::EVENTS.kinds;
    let mut happened: Vec<_> = events.iter().map(|kind| &kinds[kind]).collect();
    happened.sort_by_key(|kind| kind.place);
    let letters: String = happened.into_iter().filter_map(|kind| kind.letter).collect();
    if letters.is_empty() { "-".into() } else { letters }
}

/// Returns every square that differs, with its piece after the ply.
fn changes(before: &Position, after: &Position) -> String {
    let on = |position: &Position, square| (position.piece_on(square), position.color_on(square));
    Square::all()
        .filter(|&square| on(before, square) != on(after, square))
        .map(|square| format!("{square}{}", text(after, square)))
        .collect()
}

/// Returns the contents of a square as FEN writes them, or `-` for an empty square.
fn text(position: &Position, square: Square) -> String {
    match position.color_on(square) {
        None => "-".into(),
        Some(Color::White) => position.piece_on(square).fen().to_ascii_uppercase(),
        Some(Color::Black) => position.piece_on(square).fen(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn game(rules: &str, moves: &str) -> SampledGame {
        SampledGame {
            rules: rules.into(),
            result: "*".into(),
            moves: moves.split(' ').map(|text| (text.to_owned(), None)).collect(),
            ..SampledGame::default()
        }
    }

    fn view(games: &[SampledGame]) -> Value {
        serde_json::from_str(&model(games).unwrap()).unwrap()
    }

    #[test]
    fn special_moves_are_told_apart() {
        // En passant, castling, and a Knight onto a Rook.
        let moves = "e2e4 d7d5 e4e5 f7f5 e5f6 g7f6 g1f3 b8c6 f1e2 a7a6 e1g1 a6a5 b1c3 a5a4 \
                     a1b1 a4a3 c3b1 a8a6";
        let view = view(&[game("fusion-2020", moves)]);
        let columns: Vec<Vec<&str>> = ["san", "moves", "kinds", "changes", "wdl"]
            .iter()
            .map(|name| view["games"][0][name].as_str().unwrap().split(' ').collect())
            .collect();
        let ply = |i: usize| columns.iter().map(|column| column[i - 1]).collect::<Vec<_>>();
        assert_eq!(ply(1), ["e4", "e2e4", "-", "e2-e4P", "-"]);
        assert_eq!(ply(5), ["exf6", "e5f6", "x", "e5-f5-f6P", "-"]);
        assert_eq!(ply(11), ["O-O", "e1g1", "c", "e1-f1Rg1Kh1-", "-"]);
        assert_eq!(ply(17), ["Nb1=RN", "c3b1", "f", "b1Mc3-", "-"]);
        assert_eq!(view["pieces"]["m"], "RN");
        assert_eq!(view["games"][0]["start"], "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    }

    #[test]
    fn fission_and_promotion() {
        let moves = "a2a4 b7b5 a4b5 a7a6 b5a6 c7c6 a6a7 d7d6 d1b3 h7h6 a7b8n h6h5 b3d3b";
        let error = model(&[game("fusion-2020", moves)]).unwrap_err().to_string();
        assert!(error.contains("ply 9: d1b3"), "{error}");
        let moves = "a2a4 b7b5 a4b5 a7a6 b5a6 c7c6 a6a7 d7d6 c2c3 h7h6 a7b8n h6h5 d1b3b";
        let view = view(&[game("fusion-2020", moves)]);
        let last = |name: &str, back: usize| {
            let words = view["games"][0][name].as_str().unwrap();
            words.split(' ').rev().nth(back).unwrap().to_owned()
        };
        assert_eq!((last("kinds", 0), last("changes", 0)), ("s".into(), "d1Rb3B".into()));
        assert_eq!((last("kinds", 2), last("changes", 2)), ("xp".into(), "a7-b8N".into()));
    }

    /// Returns the first piece of a text, in braces or a letter, and the rest.
    fn piece(text: &str) -> (&str, &str) {
        text.split_at(if text.starts_with('{') { text.find('}').unwrap() + 1 } else { 1 })
    }

    /// Returns the placement after replaying the view, as in FEN.
    fn replayed(view: &Value) -> String {
        let mut board = vec![String::new(); 64];
        let mut index = 0;
        let start = view["start"].as_str().unwrap().replace('/', "");
        let mut rest = start.as_str();
        while !rest.is_empty() {
            let (first, after) = piece(rest);
            match first.parse::<usize>() {
                Ok(empty) => index += empty,
                Err(_) => {
                    board[index] = first.to_owned();
                    index += 1;
                }
            }
            rest = after;
        }
        let changes = view["changes"].as_str().unwrap().replace(' ', "");
        let mut rest = changes.as_str();
        while !rest.is_empty() {
            let (square, after) = rest.split_at(2);
            let (now, after) = piece(after);
            let [file, rank] = *square.as_bytes() else { panic!("{square}") };
            board[8 * usize::from(b'8' - rank) + usize::from(file - b'a')] = now.replace('-', "");
            rest = after;
        }
        let rank = |squares: &[String]| {
            let mut text = String::new();
            for part in squares.chunk_by(|a, b| a.is_empty() && b.is_empty()) {
                match part {
                    [piece] if !piece.is_empty() => text.push_str(piece),
                    empty => text.push_str(&empty.len().to_string()),
                }
            }
            text
        };
        board.chunks(8).map(rank).collect::<Vec<_>>().join("/")
    }

    #[test]
    fn changes_lead_to_the_engines_positions() {
        let all = ["fusion-1999", "fusion-2020", "orthodox", "metamorphin", "combination"];
        let (mut braces, mut manns, mut kinds) = (false, false, String::new());
        for (i, rules) in all.into_iter().enumerate() {
            let mut game = FusionGame::new(&rules.parse().unwrap());
            let mut moves = Vec::new();
            for ply in 0..250 {
                let mut legal = Vec::new();
                game.legal_moves(&mut legal);
                if game.outcome(&legal).is_some() {
                    break;
                }
                let mv = legal[(7 * ply + 31 * i + 3) % legal.len()];
                moves.push(game.move_text(mv));
                game.play(mv);
            }
            let view = view(&[self::game(rules, &moves.join(" "))]);
            let expected = game.to_text().split(' ').next().unwrap().to_owned();
            assert_eq!(replayed(&view["games"][0]), expected, "{rules}");
            braces |= view["games"][0]["changes"].as_str().unwrap().contains('{');
            manns |= view["games"][0]["start"].as_str().unwrap().contains('O');
            kinds += view["games"][0]["kinds"].as_str().unwrap();
        }
        assert!(braces && manns && kinds.contains('m') && kinds.contains('d'), "{kinds}");
    }

    #[test]
    fn what_cannot_be_is_rejected() {
        let error = |game: SampledGame| model(&[game]).unwrap_err().to_string();
        let illegal = error(game("orthodox", "e2e4 e7e5 e4e5"));
        assert!(illegal.contains("sampled game 1 (orthodox), ply 3: e4e5"), "{illegal}");
        assert!(error(game("chess", "e2e4")).starts_with("sampled game 1: "));
        let long = SampledGame { opening_plies: 2, ..game("orthodox", "e2e4") };
        assert!(error(long).contains("an opening of 2 plies in a game of 1"));
        let mut odd = game("orthodox", "e2e4");
        odd.moves[0].1 = Some([400, 100, 400]);
        assert!(error(odd).contains("[400, 100, 400]"));
    }

    #[test]
    fn a_queen_is_one_piece_where_nothing_merges_or_splits() {
        let whole: Vec<&str> = fusion_chess::rules::PRESETS
            .iter()
            .filter(|(_, rules)| rules.queen_is_whole())
            .map(|(name, _)| *name)
            .collect();
        let (first, others) = whole.split_at(2);
        assert_eq!(first, ["orthodox", "no-fusion"]);
        assert!(others.len() == 9 && others.iter().all(|name| name.starts_with("az-")));
        let games = [game("orthodox", "e2e4"), game("fusion-2020", "e2e4")];
        let view = view(&games);
        assert_eq!(view["games"][0]["whole_queen"], true);
        assert_eq!(view["games"][1]["whole_queen"], false);
    }

    #[test]
    fn text_from_outside_stays_in_its_element() {
        let hostile = SampledGame { ending: "</script>".into(), ..game("orthodox", "e2e4") };
        let json = model(&[hostile]).unwrap();
        assert!(!json.contains('<'));
    }
}
