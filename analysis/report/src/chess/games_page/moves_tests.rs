//! Tests of the streams: a reader's result against the engine.

use super::*;
use fusion_chess::FusionGame;
use fusion_chess::rules::PRESETS;
use fusion_game::{Game, Notation};

/// A reader like the page's, which has the streams but no rules.
struct Reader<'a> {
    encoder: &'a Encoder,
    at: Vec<usize>,
}

/// The squares after a ply, its notation and its kinds.
type Seen = ([u8; 64], String, u8);

impl Reader<'_> {
    fn next(&mut self, stream: usize) -> u8 {
        self.at[stream] += 1;
        self.encoder.streams[stream][self.at[stream] - 1]
    }

    fn ply(&mut self, board: &mut Board, q: bool) -> Seen {
        let head = self.next(HEADS);
        let marks = ["", "+", "#"];
        let (after, to, text, mark, kinds) = if head >= SPELLED {
            let [_from, to, kinds, changes] = [(); 4].map(|()| self.next(SPECIALS));
            let mut after = board.squares;
            for _ in 0..changes {
                let square = self.next(SPECIALS);
                after[usize::from(square)] = self.next(SPECIALS);
            }
            let length = self.next(SPECIALS);
            let text = (0..length).map(|_| char::from(self.next(SPECIALS))).collect();
            (after, Square::new(to.into()), text, head - SPELLED, kinds)
        } else {
            let coded = head >= CODED;
            let list = &board.lists[usize::from(board.black_to_move)];
            let from = Square::new(list[usize::from(head % 16)].into());
            let mark = if coded { (head - CODED) / 16 } else { head / 16 % 3 };
            let (code, named) = if coded {
                let byte = self.next(SPECIALS);
                (byte % 16, byte / 16)
            } else {
                (0, head / 48)
            };
            let detail = if coded { self.next(SPECIALS) } else { 0 };
            let piece = board.squares[from.index()] & !BLACK;
            let mover = if code == 1 { 1 << detail } else { piece };
            let way = usize::from(self.next(TARGETS + usize::from(mover)));
            let file = from.file() + way % 15 - 7;
            let rank = match board.black_to_move {
                true => from.rank() + 7 - way / 15,
                false => from.rank() + way / 15 - 7,
            };
            let to = Square::at(file, rank);
            let reading = board.read(&Short { from, to, code, detail, named }, q);
            (reading.after, to, reading.text, mark, reading.kinds)
        };
        board.become_after(&after, to);
        (after, text + marks[usize::from(mark)], kinds)
    }
}

/// Returns legal moves that resemble a game: captures, mates and special moves are more frequent.
fn moves(rules: &RuleSet, seed: usize, most: usize) -> Vec<Move> {
    let mut game = FusionGame::new(rules);
    let mut played = Vec::new();
    for ply in 0..most {
        let mut legal = Vec::new();
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            break;
        }
        let special: Vec<Move> =
            legal.iter().copied().filter(|mv| mv.kind() != MoveKind::Plain).collect();
        let among = if ply % 3 == 0 && !special.is_empty() { &special } else { &legal };
        let mv = among[(7 * ply + 31 * seed + ply * ply / 5) % among.len()];
        played.push(mv);
        game.play(mv);
    }
    played
}

#[test]
fn games_under_all_rules_are_read_back() {
    let mut encoder = Encoder::default();
    let mut games = Vec::new();
    for (name, rules) in PRESETS {
        for seed in 0..6 {
            let moves = moves(&rules, seed, 220);
            let start = Position::start(&rules);
            encoder.append(&encode(&rules, &start, &moves, queen_is_q(&rules)));
            games.push((name, rules, moves));
        }
    }
    let mut reader = Reader { encoder: &encoder, at: vec![0; encoder.streams.len()] };
    let mut all_kinds = 0;
    for (name, rules, moves) in games {
        let mut position = Position::start(&rules);
        let mut board = Board::of(&position);
        for (ply, mv) in moves.into_iter().enumerate() {
            let expected = (san(&position, &rules, mv), kinds(&position, mv));
            position.play(mv);
            let (after, text, kinds) = reader.ply(&mut board, queen_is_q(&rules));
            assert_eq!(after, squares(&position), "{name}, ply {ply}: {text}");
            assert_eq!((text, kinds), expected, "{name}, ply {ply}");
            all_kinds |= kinds;
        }
    }
    assert_eq!(reader.at, encoder.lengths(), "nothing is left over");
    assert_eq!(all_kinds, 127, "every kind of move was tried");
    assert!(encoder.streams[HEADS].iter().any(|&head| head >= SPELLED));
}

#[test]
fn a_ply_takes_two_bytes_unless_it_is_special() {
    let rules: RuleSet = "fusion-2020".parse().unwrap();
    let mut game = FusionGame::new(&rules);
    let mut moves = Vec::new();
    // Openings, captures, a check, a fusion, castling.
    for text in "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 d7c6 e1g1 d8d2".split(' ') {
        let mv = game.parse_move(text).unwrap();
        moves.push(mv);
        game.play(mv);
    }
    let encoded = encode(&rules, &Position::start(&rules), &moves, false);
    let mut encoder = Encoder::default();
    encoder.append(&encoded);
    let lengths = encoder.lengths();
    assert_eq!(lengths[HEADS], 10);
    // Only castling is spelled out: origin, target, kinds, four squares, `O-O`.
    assert_eq!(lengths[SPECIALS], 4 + 8 + 1 + 3);
    assert_eq!(lengths[TARGETS..].iter().sum::<usize>(), 9);
}

#[test]
fn positions_in_the_middle_of_a_game_are_starts_too() {
    let rules: RuleSet = "fusion-2020".parse().unwrap();
    let start = Position::from_fen(&rules, "4k3/8/8/8/8/8/3p4/6KR b - - 3 40").unwrap();
    let mut legal = Vec::new();
    start.legal_moves(&rules, &mut legal);
    let mv = *legal.last().unwrap();
    let mut encoder = Encoder::default();
    encoder.append(&encode(&rules, &start, &[mv], false));
    let mut reader = Reader { encoder: &encoder, at: vec![0; encoder.streams.len()] };
    let (after, text, _) = reader.ply(&mut Board::of(&start), false);
    assert_eq!(text, san(&start, &rules, mv));
    let mut position = start;
    position.play(mv);
    assert_eq!(after, squares(&position));
}
