//! A second reading of the rules: slow, plain, and sharing nothing with the engine.
//!
//! Squares are (file, rank) pairs on an array; pieces are FEN letters. Moves are tried
//! and looked at: a move is legal if the royal is not attacked after it. Rule numbers are
//! those of the rules' section "Moves".

use fusion_engine::rules::RuleSet;
use std::collections::BTreeMap;

type Square = (i32, i32);

#[derive(Clone)]
pub struct Board {
    squares: [[Option<char>; 8]; 8],
    white_to_move: bool,
    castling: String,
    en_passant: Option<Square>,
    clock: u32,
    number: u32,
}

const ORTHOGONALS: [Square; 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
const DIAGONALS: [Square; 4] = [(1, 1), (-1, 1), (-1, -1), (1, -1)];

/// The components of a FEN letter.
fn components(piece: char) -> &'static str {
    match piece.to_ascii_lowercase() {
        'q' => "RB",
        'm' => "RN",
        'd' => "BN",
        'g' => "KR",
        'f' => "KB",
        'c' => "KN",
        'r' => "R",
        'b' => "B",
        'n' => "N",
        'k' => "K",
        'p' => "P",
        other => panic!("no piece {other}"),
    }
}

/// The White piece with exactly these components.
fn piece_of(wanted: &str) -> char {
    let same = |letter: &char| {
        let has = components(*letter);
        has.len() == wanted.len() && wanted.chars().all(|c| has.contains(c))
    };
    "QMDGFCRBNKP".chars().find(same).expect("a piece with these components")
}

fn is_white(piece: char) -> bool {
    piece.is_ascii_uppercase()
}

fn coloured(piece: char, white: bool) -> char {
    if white { piece.to_ascii_uppercase() } else { piece.to_ascii_lowercase() }
}

fn is_royal(piece: char) -> bool {
    components(piece).contains('K')
}

fn on_board((file, rank): Square) -> bool {
    (0..8).contains(&file) && (0..8).contains(&rank)
}

fn all_squares() -> impl Iterator<Item = Square> {
    (0..64).map(|i| (i % 8, i / 8))
}

fn name((file, rank): Square) -> String {
    format!("{}{}", (b'a' + file as u8) as char, rank + 1)
}

fn is_king_step(from: Square, to: Square) -> bool {
    from != to && (from.0 - to.0).abs() <= 1 && (from.1 - to.1).abs() <= 1
}

impl Board {
    pub fn from_fen(fen: &str) -> Self {
        let fields: Vec<&str> = fen.split(' ').collect();
        let mut squares = [[None; 8]; 8];
        for (row, text) in fields[0].split('/').enumerate() {
            let mut file = 0;
            for letter in text.chars() {
                match letter.to_digit(10) {
                    Some(empty) => file += empty as usize,
                    None => {
                        squares[7 - row][file] = Some(letter);
                        file += 1;
                    }
                }
            }
        }
        let square = |text: &str| {
            let bytes = text.as_bytes();
            (i32::from(bytes[0] - b'a'), i32::from(bytes[1] - b'1'))
        };
        Self {
            squares,
            white_to_move: fields[1] == "w",
            castling: fields[2].replace('-', ""),
            en_passant: (fields[3] != "-").then(|| square(fields[3])),
            clock: fields[4].parse().unwrap(),
            number: fields[5].parse().unwrap(),
        }
    }

    /// FEN, with the en-passant square only if such a capture is legal.
    pub fn fen(&self, rules: &RuleSet) -> String {
        let mut ranks = Vec::new();
        for row in self.squares.iter().rev() {
            let mut text: String = row.iter().map(|piece| piece.unwrap_or('1')).collect();
            for run in (2..=8).rev() {
                text = text.replace(&"1".repeat(run), &run.to_string());
            }
            ranks.push(text);
        }
        let dash = |text: &str| if text.is_empty() { "-".into() } else { text.to_string() };
        let capture = self
            .en_passant
            .filter(|_| self.legal_moves(rules).values().any(|next| next.1 == "en passant"));
        format!(
            "{} {} {} {} {} {}",
            ranks.join("/"),
            if self.white_to_move { 'w' } else { 'b' },
            dash(&self.castling),
            dash(&capture.map(name).unwrap_or_default()),
            self.clock,
            self.number
        )
    }

    fn at(&self, (file, rank): Square) -> Option<char> {
        self.squares[rank as usize][file as usize]
    }

    fn set(&mut self, (file, rank): Square, piece: Option<char>) {
        self.squares[rank as usize][file as usize] = piece;
    }

    fn without(&self, square: Square) -> Self {
        let mut board = self.clone();
        board.set(square, None);
        board
    }

    fn pieces(&self, white: bool) -> Vec<(Square, char)> {
        let piece = |square| self.at(square).map(|piece| (square, piece));
        all_squares().filter_map(piece).filter(|&(_, piece)| is_white(piece) == white).collect()
    }

    fn royal(&self, white: bool) -> Square {
        let royals: Vec<_> =
            self.pieces(white).into_iter().filter(|&(_, piece)| is_royal(piece)).collect();
        assert_eq!(royals.len(), 1, "every player has exactly one royal piece");
        royals[0].0
    }

    /// Where a component can go from a square, the first piece on each line included.
    fn reach(&self, component: char, white: bool, from: Square) -> Vec<Square> {
        let by = |(file, rank): Square, n| (from.0 + n * file, from.1 + n * rank);
        let slide = |directions: &[Square]| {
            let mut reached = Vec::new();
            for &direction in directions {
                for n in 1..8 {
                    let to = by(direction, n);
                    if !on_board(to) {
                        break;
                    }
                    reached.push(to);
                    if self.at(to).is_some() {
                        break;
                    }
                }
            }
            reached
        };
        let around = |accept: fn(i32, i32) -> bool| {
            let near = |to: &Square| accept((to.0 - from.0).abs(), (to.1 - from.1).abs());
            all_squares().filter(near).collect()
        };
        let forward = if white { 1 } else { -1 };
        match component {
            'R' => slide(&ORTHOGONALS),
            'B' => slide(&DIAGONALS),
            'N' => around(|file, rank| file * rank == 2),
            'K' => around(|file, rank| file.max(rank) == 1),
            // What a Pawn attacks.
            _ => [(-1, forward), (1, forward)]
                .map(|d| by(d, 1))
                .into_iter()
                .filter(|&s| on_board(s))
                .collect(),
        }
    }

    /// The pieces of a colour that attack a square (rule 5: geometry and blockers only).
    fn attackers(&self, square: Square, white: bool) -> Vec<Square> {
        let attacks = |&(from, piece): &(Square, char)| {
            components(piece).chars().any(|c| self.reach(c, white, from).contains(&square))
        };
        self.pieces(white).into_iter().filter(attacks).map(|(from, _)| from).collect()
    }

    pub fn is_attacked(&self, square: Square, by_white: bool) -> bool {
        !self.attackers(square, by_white).is_empty()
    }

    /// Whether the royal of the side that has just moved is attacked.
    pub fn leaves_royal_attacked(&self) -> bool {
        self.is_attacked(self.royal(!self.white_to_move), self.white_to_move)
    }

    /// Rule 6: whether a royal compound may go the way of one component.
    fn may_cross(&self, rules: &RuleSet, component: char, from: Square, to: Square) -> bool {
        let enemy = !is_white(self.at(from).unwrap());
        let lifted = self.without(from);
        let yes = |toggle: &str| rules.get(toggle).unwrap() == "yes";
        match component {
            'R' | 'B' => {
                let (dx, dy) = ((to.0 - from.0).signum(), (to.1 - from.1).signum());
                let distance = (to.0 - from.0).abs().max((to.1 - from.1).abs());
                let crossed = (1..distance).map(|n| (from.0 + n * dx, from.1 + n * dy));
                yes("sliders-cross-check")
                    || crossed.into_iter().all(|s| !lifted.is_attacked(s, enemy))
            }
            'N' => {
                let gateways: Vec<Square> = all_squares()
                    .filter(|&s| is_king_step(from, s) && is_king_step(s, to))
                    .collect();
                assert_eq!(gateways.len(), 2);
                yes("leapers-cross-check")
                    || gateways.iter().any(|&s| !lifted.is_attacked(s, enemy))
            }
            _ => true,
        }
    }

    /// Rule 7, with the fission test of `royal-reach`.
    fn may_split(&self, rules: &RuleSet, square: Square, white: bool) -> bool {
        if rules.get("attacked-split").unwrap() == "yes" {
            return true;
        }
        let counts = |attacker: &Square| {
            let piece = self.at(*attacker).unwrap();
            if rules.get("royal-reach").unwrap() == "geometric"
                || !is_royal(piece)
                || is_king_step(*attacker, square)
            {
                return true;
            }
            components(piece).chars().any(|c| {
                self.reach(c, !white, *attacker).contains(&square)
                    && self.may_cross(rules, c, *attacker, square)
            })
        };
        !self.attackers(square, !white).iter().any(counts)
    }

    /// Rule 2: what a simple piece makes of a friendly piece that it moves onto.
    fn fusion(&self, rules: &RuleSet, mover: char, target: char) -> Option<char> {
        let (a, b) = (components(mover), components(target));
        let simple = a.len() == 1 && b.len() == 1 && a != "P" && b != "P" && a != b;
        let toggle = match (a, b) {
            ("K", _) => "king-fuses",
            (_, "K") => "fuse-onto-king",
            _ => "fusion",
        };
        (simple && rules.get(toggle).unwrap() == "yes")
            .then(|| coloured(piece_of(&format!("{a}{b}")), is_white(mover)))
    }

    /// The board with the turn passed on and clocks advanced; `touched` squares lose
    /// their castling rights.
    fn next(&self, touched: &[Square], zeroing: bool) -> Self {
        let mut board = self.clone();
        board.white_to_move = !self.white_to_move;
        board.en_passant = None;
        board.clock = if zeroing { 0 } else { self.clock + 1 };
        board.number += u32::from(!self.white_to_move);
        for square in touched {
            let lost = match name(*square).as_str() {
                "a1" => "Q",
                "e1" => "KQ",
                "h1" => "K",
                "a8" => "q",
                "e8" => "kq",
                "h8" => "k",
                _ => "",
            };
            board.castling.retain(|right| !lost.contains(right));
        }
        board
    }

    /// Every legal move in coordinate notation, with the board after it and a remark.
    pub fn legal_moves(&self, rules: &RuleSet) -> BTreeMap<String, (Board, &'static str)> {
        let mut moves = Vec::new();
        for (from, piece) in self.pieces(self.white_to_move) {
            if components(piece) == "P" {
                self.pawn_moves(rules, from, &mut moves);
            } else {
                self.piece_moves(rules, from, piece, &mut moves);
            }
        }
        if rules.get("castling").unwrap() == "yes" {
            self.castling_moves(&mut moves);
        }
        moves.retain(|(_, board, _)| !board.leaves_royal_attacked());
        moves.into_iter().map(|(text, board, remark)| (text, (board, remark))).collect()
    }

    fn piece_moves(
        &self,
        rules: &RuleSet,
        from: Square,
        piece: char,
        moves: &mut Vec<(String, Board, &'static str)>,
    ) {
        let white = self.white_to_move;
        let royal_compound = is_royal(piece) && components(piece).len() == 2;
        let may_split = components(piece).len() == 2
            && rules.get("fission").unwrap() == "yes"
            && self.may_split(rules, from, white);
        for component in components(piece).chars() {
            for to in self.reach(component, white, from) {
                let target = self.at(to);
                let text = format!("{}{}", name(from), name(to));
                let arrived = match target {
                    Some(other) if is_white(other) == white => self.fusion(rules, piece, other),
                    _ => Some(piece),
                };
                let may_go = !royal_compound || self.may_cross(rules, component, from, to);
                if let Some(arrived) = arrived.filter(|_| may_go) {
                    let capture = target.is_some_and(|other| is_white(other) != white);
                    let mut board = self.next(&[from, to], capture);
                    board.set(from, None);
                    board.set(to, Some(arrived));
                    moves.push((text.clone(), board, ""));
                }
                if may_split && target.is_none() {
                    let staying = components(piece).replace(component, "");
                    let mut board = self.next(&[from, to], false);
                    board.set(from, Some(coloured(piece_of(&staying), white)));
                    board.set(to, Some(coloured(component, white)));
                    moves.push((format!("{text}{}", component.to_ascii_lowercase()), board, ""));
                }
            }
        }
    }

    fn pawn_moves(
        &self,
        rules: &RuleSet,
        from: Square,
        moves: &mut Vec<(String, Board, &'static str)>,
    ) {
        let white = self.white_to_move;
        let (forward, home, last) = if white { (1, 1, 7) } else { (-1, 6, 0) };
        let mut arrive = |to: Square, passed: Option<Square>, double: bool| {
            let mut board = self.next(&[from, to], true);
            let text = format!("{}{}", name(from), name(to));
            board.set(from, None);
            if let Some(passed) = passed {
                board.set(passed, None);
            }
            if double {
                board.en_passant = Some((from.0, from.1 + forward));
            }
            if to.1 != last {
                board.set(to, self.at(from));
                moves.push((text, board, if passed.is_some() { "en passant" } else { "" }));
                return;
            }
            for piece in rules.get("promotion").unwrap().chars() {
                let mut board = board.clone();
                board.set(to, Some(coloured(piece, white)));
                moves.push((format!("{text}{piece}"), board, ""));
            }
        };
        let (one, two) = ((from.0, from.1 + forward), (from.0, from.1 + 2 * forward));
        if self.at(one).is_none() {
            arrive(one, None, false);
            if from.1 == home && self.at(two).is_none() {
                arrive(two, None, true);
            }
        }
        for to in self.reach('P', white, from) {
            if self.at(to).is_some_and(|other| is_white(other) != white) {
                arrive(to, None, false);
            } else if self.en_passant == Some(to) {
                arrive(to, Some((to.0, from.1)), false);
            }
        }
    }

    fn castling_moves(&self, moves: &mut Vec<(String, Board, &'static str)>) {
        let white = self.white_to_move;
        let rank = if white { 0 } else { 7 };
        for (right, rook, rook_to, king_to) in [('K', 7, 5, 6), ('Q', 0, 3, 2)] {
            let between = if rook == 7 { 5..7 } else { 1..4 };
            let king_path = if rook == 7 { 4..=6 } else { 2..=4 };
            if self.castling.contains(coloured(right, white))
                && between.into_iter().all(|file| self.at((file, rank)).is_none())
                && king_path.into_iter().all(|file| !self.is_attacked((file, rank), !white))
            {
                assert_eq!(self.at((4, rank)), Some(coloured('K', white)));
                assert_eq!(self.at((rook, rank)), Some(coloured('R', white)));
                let mut board = self.next(&[(4, rank), (rook, rank)], false);
                board.set((4, rank), None);
                board.set((rook, rank), None);
                board.set((king_to, rank), Some(coloured('K', white)));
                board.set((rook_to, rank), Some(coloured('R', white)));
                moves.push((format!("{}{}", name((4, rank)), name((king_to, rank))), board, ""));
            }
        }
    }
}
