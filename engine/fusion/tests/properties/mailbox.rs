//! A second reading of the rules: slow, plain, and sharing nothing with the engine.
//!
//! Squares are (file, rank) pairs on an array; pieces are sets of letters. Moves are tried
//! and looked at: a move is legal if the royal is not attacked after it. Rule numbers are
//! those of the rules' section "Moves"; what has none is from "Family members".

mod piece;

use fusion_chess::rules::RuleSet;
use piece::Piece;
use std::collections::BTreeMap;

type Square = (i32, i32);

/// Moves in coordinate notation, with the board after each and a remark.
type Moves = Vec<(String, Board, &'static str)>;

#[derive(Clone)]
pub struct Board {
    squares: [[Option<Piece>; 8]; 8],
    white_to_move: bool,
    castling: String,
    en_passant: Option<Square>,
    clock: u32,
    number: u32,
}

const ORTHOGONALS: [Square; 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
const DIAGONALS: [Square; 4] = [(1, 1), (-1, 1), (-1, -1), (1, -1)];

fn yes(rules: &RuleSet, toggle: &str) -> bool {
    rules.get(toggle).unwrap() == "yes"
}

/// The rules by which a side moves, which deny nothing.
fn of_side(rules: &RuleSet, white: bool) -> RuleSet {
    let denied = rules.get("denied").unwrap();
    let mut own = *rules;
    own.set("denied", "none").unwrap();
    if let Some(toggles) = denied.strip_prefix(if white { "white:" } else { "black:" }) {
        toggles.split('+').for_each(|toggle| own.set(toggle, "no").unwrap());
    }
    own
}

fn on_board((file, rank): Square) -> bool {
    (0..8).contains(&file) && (0..8).contains(&rank)
}

fn all_squares() -> impl Iterator<Item = Square> {
    (0..64).map(|i| (i % 8, i / 8))
}

fn name((file, rank): Square) -> String {
    [b'a' + file as u8, b'1' + rank as u8].map(char::from).iter().collect()
}

fn is_king_step(from: Square, to: Square) -> bool {
    from != to && (from.0 - to.0).abs() <= 1 && (from.1 - to.1).abs() <= 1
}

/// Whether a component could attack a square on some board: only then it is worth a look.
fn may_reach(component: char, from: Square, to: Square) -> bool {
    let (file, rank) = ((from.0 - to.0).abs(), (from.1 - to.1).abs());
    match component {
        'R' => file == 0 || rank == 0,
        'B' => file == rank,
        'N' => file * rank == 2,
        _ => file <= 1 && rank <= 1,
    }
}

impl Board {
    pub fn from_fen(fen: &str) -> Self {
        let fields: Vec<&str> = fen.split(' ').collect();
        let mut squares = [[None; 8]; 8];
        for (row, text) in fields[0].split('/').enumerate() {
            let (mut file, mut letters) = (0, text.chars());
            while let Some(letter) = letters.next() {
                if let Some(empty) = letter.to_digit(10) {
                    file += empty as usize;
                    continue;
                }
                let mut piece = String::from(letter);
                if letter == '{' {
                    piece.extend(letters.by_ref().take_while(|&letter| letter != '}'));
                    piece.push('}');
                }
                squares[7 - row][file] = Some(Piece::from_fen(&piece));
                file += 1;
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
            let mut text = String::new();
            for run in row.chunk_by(|one, two| one.is_none() && two.is_none()) {
                text += &run[0].map_or(run.len().to_string(), Piece::fen);
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

    fn at(&self, (file, rank): Square) -> Option<Piece> {
        self.squares[rank as usize][file as usize]
    }

    fn set(&mut self, (file, rank): Square, piece: Option<Piece>) {
        self.squares[rank as usize][file as usize] = piece;
    }

    fn without(&self, square: Square) -> Self {
        let mut board = self.clone();
        board.set(square, None);
        board
    }

    fn pieces(&self, white: bool) -> impl Iterator<Item = (Square, Piece)> {
        let piece = |square| self.at(square).map(|piece| (square, piece));
        all_squares().filter_map(piece).filter(move |(_, piece)| piece.white == white)
    }

    fn royal(&self, white: bool) -> Square {
        let mut royals = self.pieces(white).filter(|(_, piece)| piece.is_royal());
        let (Some((square, _)), None) = (royals.next(), royals.next()) else {
            panic!("every player has exactly one royal piece")
        };
        square
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
            'K' | 'O' => around(|file, rank| file.max(rank) == 1),
            // What a Pawn attacks.
            _ => [(-1, forward), (1, forward)]
                .map(|d| by(d, 1))
                .into_iter()
                .filter(|&s| on_board(s))
                .collect(),
        }
    }

    /// The pieces of a colour that attack a square (rule 5: geometry and blockers only).
    fn attackers(&self, square: Square, white: bool) -> impl Iterator<Item = Square> {
        let attacks = move |&(from, piece): &(Square, Piece)| {
            piece
                .components()
                .chars()
                .any(|c| may_reach(c, from, square) && self.reach(c, white, from).contains(&square))
        };
        self.pieces(white).filter(attacks).map(|(from, _)| from)
    }

    pub fn is_attacked(&self, square: Square, by_white: bool) -> bool {
        self.attackers(square, by_white).next().is_some()
    }

    pub fn is_in_check(&self) -> bool {
        self.is_attacked(self.royal(self.white_to_move), !self.white_to_move)
    }

    /// Plies since the last capture or Pawn move.
    pub fn clock(&self) -> u32 {
        self.clock
    }

    /// Whether a colour has nothing but a King that is not fused.
    pub fn is_bare(&self, white: bool) -> bool {
        self.pieces(white).all(|(_, piece)| piece.components() == "K")
    }

    pub fn white_to_move(&self) -> bool {
        self.white_to_move
    }

    /// King against King, or King and one Bishop or Knight, fused or not, against King; the
    /// latter not where that one may become more or stalemate wins.
    pub fn is_dead(&self, rules: &RuleSet) -> bool {
        let others: String = [true, false]
            .into_iter()
            .flat_map(|white| self.pieces(white))
            .flat_map(|(_, piece)| piece.components().chars())
            .filter(|c| *c != 'K')
            .collect();
        match others.as_str() {
            "" => true,
            "B" | "N" => !yes(rules, "metamorph") && rules.get("stalemate").unwrap() == "draw",
            _ => false,
        }
    }

    /// Whether the royal of the side that has just moved is attacked.
    pub fn leaves_royal_attacked(&self) -> bool {
        self.is_attacked(self.royal(!self.white_to_move), self.white_to_move)
    }

    /// Rule 6: whether a royal compound may go the way of one component.
    fn may_cross(&self, rules: &RuleSet, component: char, from: Square, to: Square) -> bool {
        let enemy = !self.at(from).unwrap().white;
        let lifted = self.without(from);
        match component {
            'R' | 'B' => {
                let (dx, dy) = ((to.0 - from.0).signum(), (to.1 - from.1).signum());
                let distance = (to.0 - from.0).abs().max((to.1 - from.1).abs());
                let crossed = (1..distance).map(|n| (from.0 + n * dx, from.1 + n * dy));
                yes(rules, "sliders-cross-check")
                    || crossed.into_iter().all(|s| !lifted.is_attacked(s, enemy))
            }
            'N' => {
                let gateways: Vec<Square> = all_squares()
                    .filter(|&s| is_king_step(from, s) && is_king_step(s, to))
                    .collect();
                assert_eq!(gateways.len(), 2);
                yes(rules, "leapers-cross-check")
                    || gateways.iter().any(|&s| !lifted.is_attacked(s, enemy))
            }
            _ => true,
        }
    }

    /// Rule 7, with the fission test of `royal-reach`.
    fn may_split(&self, rules: &RuleSet, square: Square, white: bool) -> bool {
        if yes(rules, "attacked-split") {
            return true;
        }
        let counts = |attacker: Square| {
            let piece = self.at(attacker).unwrap();
            if rules.get("royal-reach").unwrap() == "geometric"
                || !piece.is_royal()
                || is_king_step(attacker, square)
            {
                return true;
            }
            piece.components().chars().any(|c| {
                self.reach(c, !white, attacker).contains(&square)
                    && self.may_cross(rules, c, attacker, square)
            })
        };
        !self.attackers(square, !white).any(counts)
    }

    /// Rule 2: what a piece makes of a friendly piece that it moves onto.
    fn fusion(&self, rules: &RuleSet, mover: Piece, target: Piece) -> Option<Piece> {
        let both = format!("{}{}", mover.components(), target.components());
        // The King fuses with pieces of R, B and N, by toggles of its own.
        let partners = match rules.get("fusion").unwrap().as_str() {
            _ if mover.is_royal() && yes(rules, "king-fuses") => "KRBN".into(),
            _ if target.is_royal() && yes(rules, "fuse-onto-king") => "KRBN".into(),
            "yes" => "RBNO".into(),
            "no" => String::new(),
            letters => letters.to_ascii_uppercase(),
        };
        let most: usize = rules.get("max-components").unwrap().parse().unwrap();
        let fuse = both.chars().all(|c| partners.contains(c))
            && !mover.components().chars().any(|c| target.has(c))
            && both.len() <= most
            && self.meets_fusion_needs(rules, mover.white);
        fuse.then(|| Piece::new(mover.white, &both))
    }

    fn meets_fusion_needs(&self, rules: &RuleSet, white: bool) -> bool {
        let mut own = self.pieces(white);
        match rules.get("fusion-needs").unwrap().as_str() {
            "no-queen" => own.all(|(_, piece)| piece.components() != "RB"),
            "no-compound" => own.all(|(_, piece)| !piece.is_compound()),
            _ => true,
        }
    }

    /// What an attacked simple piece may become on an empty square.
    fn metamorphosis(&self, rules: &RuleSet, from: Square, piece: Piece) -> Option<Piece> {
        let becomes = match piece.components() {
            "N" => "RB",
            "R" => "RN",
            "B" => "BN",
            _ => return None,
        };
        (yes(rules, "metamorph") && self.is_attacked(from, !piece.white))
            .then(|| Piece::new(piece.white, becomes))
    }

    /// What is left of a piece that captures as one of its components.
    fn capturer(rules: &RuleSet, piece: Piece, component: char) -> Piece {
        if !yes(rules, "demote-on-capture") {
            return piece;
        }
        let left = if piece.is_royal() { 'K' } else { component };
        Piece::new(piece.white, &left.to_string())
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
            let lost = match square {
                (0, 0) => "Q",
                (4, 0) => "KQ",
                (7, 0) => "K",
                (0, 7) => "q",
                (4, 7) => "kq",
                (7, 7) => "k",
                _ => "",
            };
            board.castling.retain(|right| !lost.contains(right));
        }
        board
    }

    /// Every legal move in coordinate notation, with the board after it and a remark.
    pub fn legal_moves(&self, rules: &RuleSet) -> BTreeMap<String, (Board, &'static str)> {
        let rules = &of_side(rules, self.white_to_move);
        let mut moves = Vec::new();
        for (from, piece) in self.pieces(self.white_to_move) {
            if piece.has('P') {
                self.pawn_moves(rules, from, &mut moves);
            } else {
                self.whole_moves(rules, from, piece, &mut moves);
                self.fissions(rules, from, piece, &mut moves);
            }
        }
        let first: u32 = rules.get("castling-from").unwrap().parse().unwrap();
        if yes(rules, "castling") && self.number >= first {
            self.castling_moves(&mut moves);
        }
        moves.retain(|(_, board, _)| !board.leaves_royal_attacked());
        moves.into_iter().map(|(text, board, remark)| (text, (board, remark))).collect()
    }

    /// The board after what left a square has arrived on another. Other pieces there are captured.
    fn arrived(
        &self,
        (from, stays): (Square, Option<Piece>),
        (to, arrives): (Square, Piece),
        fuses: bool,
    ) -> Self {
        let capture = self.at(to).is_some() && !fuses;
        let mut board = self.next(&[from, to], capture);
        board.set(from, stays);
        board.set(to, Some(arrives));
        board
    }

    /// The moves of a piece that stays together: plain moves, fusions, metamorphoses.
    fn whole_moves(&self, rules: &RuleSet, from: Square, piece: Piece, moves: &mut Moves) {
        let metamorphosis = self.metamorphosis(rules, from, piece);
        for component in piece.components().chars() {
            for to in self.reach(component, piece.white, from) {
                if piece.is_royal() && !self.may_cross(rules, component, from, to) {
                    continue;
                }
                let text = name(from) + &name(to);
                let other = self.at(to);
                let friend = other.filter(|other| other.white == piece.white);
                let fused = friend.and_then(|friend| self.fusion(rules, piece, friend));
                let becomes = match other {
                    None => Some(piece),
                    _ if fused.is_some() => fused,
                    Some(other) if !Self::may_capture(rules, piece, other) => None,
                    Some(_) => Some(Self::capturer(rules, piece, component)),
                };
                if let Some(becomes) = becomes {
                    let board = self.arrived((from, None), (to, becomes), fused.is_some());
                    moves.push((text.clone(), board, ""));
                }
                if let (Some(becomes), None) = (metamorphosis, self.at(to)) {
                    let board = self.arrived((from, None), (to, becomes), false);
                    moves.push((text + &becomes.fen().to_ascii_lowercase(), board, ""));
                }
            }
        }
    }

    /// Whether a piece may capture another: an enemy, or with `self-capture` a friend that is not
    /// royal.
    fn may_capture(rules: &RuleSet, piece: Piece, other: Piece) -> bool {
        other.white != piece.white || yes(rules, "self-capture") && !other.is_royal()
    }

    /// Rule 3: one component leaves a compound.
    fn fissions(&self, rules: &RuleSet, from: Square, piece: Piece, moves: &mut Moves) {
        let fission = rules.get("fission").unwrap();
        if !piece.is_compound() || fission == "no" || !self.may_split(rules, from, piece.white) {
            return;
        }
        for component in piece.components().chars() {
            for to in self.reach(component, piece.white, from) {
                let free = match self.at(to) {
                    None => true,
                    Some(other) => fission == "capture" && Self::may_capture(rules, piece, other),
                };
                if !free {
                    continue;
                }
                let leaves = Piece::new(piece.white, &component.to_string());
                let stays = piece.without(component);
                let board = self.arrived((from, Some(stays)), (to, leaves), false);
                let royal = board.royal(!piece.white);
                let checks = board.reach(component, piece.white, to).contains(&royal);
                if fission == "quiet-no-check" && checks {
                    continue;
                }
                let text = format!("{}{}{component}", name(from), name(to)).to_ascii_lowercase();
                moves.push((text, board, ""));
            }
        }
    }

    /// Rule 8 and `promotion-unique`: what a Pawn may become.
    fn promotions(&self, rules: &RuleSet, white: bool) -> Vec<Piece> {
        let pieces = rules.get("promotion").unwrap();
        let piece = |letter: char| Piece { white, ..Piece::from_fen(&letter.to_string()) };
        let has = |piece: Piece| self.pieces(white).any(|(_, own)| own == piece);
        let rejected =
            |piece: Piece| yes(rules, "promotion-unique") && piece.is_compound() && has(piece);
        pieces.chars().map(piece).filter(|&piece| !rejected(piece)).collect()
    }

    fn pawn_moves(&self, rules: &RuleSet, from: Square, moves: &mut Moves) {
        let white = self.white_to_move;
        let (forward, last) = if white { (1, 7) } else { (-1, 0) };
        let rank = if white { from.1 + 1 } else { 8 - from.1 };
        let pawn = self.at(from).unwrap();
        let mut arrive = |to: Square, passed: Option<Square>| {
            let promotes = to.1 == last;
            let captures = self.at(to).is_some() || passed.is_some();
            // A step is progress if no step of a Pawn takes it back.
            let ahead = (to.1 - from.1) * forward > 0;
            let progress = captures || promotes || ahead && !yes(rules, "pawn-back");
            let mut board = self.next(&[from, to], progress);
            let text = name(from) + &name(to);
            board.set(from, None);
            if let Some(passed) = passed {
                board.set(passed, None);
            }
            if (to.1 - from.1).abs() == 2 && !promotes {
                board.en_passant = Some((from.0, from.1 + forward));
            }
            if !promotes {
                board.set(to, self.at(from));
                moves.push((text, board, if passed.is_some() { "en passant" } else { "" }));
                return;
            }
            for piece in self.promotions(rules, white) {
                let mut board = board.clone();
                board.set(to, Some(piece));
                moves.push((text.clone() + &piece.fen().to_ascii_lowercase(), board, ""));
            }
        };
        let step = |files: i32, ranks: i32| (from.0 + files, from.1 + ranks * forward);
        let empty = |to: Square| on_board(to) && self.at(to).is_none();
        let double: &[i32] = match rules.get("pawn-double").unwrap().as_str() {
            "never" => &[],
            "first" => &[2],
            "second-third" => &[2, 3],
            _ => &[2, 3, 4, 5, 6],
        };
        if empty(step(0, 1)) {
            arrive(step(0, 1), None);
            if double.contains(&rank) && empty(step(0, 2)) {
                arrive(step(0, 2), None);
            }
        }
        if yes(rules, "pawn-back") && rank > 2 && empty(step(0, -1)) {
            arrive(step(0, -1), None);
        }
        for to in [step(-1, 0), step(1, 0)] {
            if yes(rules, "pawn-sideways") && empty(to) {
                arrive(to, None);
            }
        }
        for to in self.reach('P', white, from) {
            if self.at(to).is_some_and(|other| Self::may_capture(rules, pawn, other)) {
                arrive(to, None);
            } else if self.en_passant == Some(to) {
                arrive(to, Some((to.0, from.1)));
            }
        }
    }

    fn castling_moves(&self, moves: &mut Moves) {
        let white = self.white_to_move;
        let rank = if white { 0 } else { 7 };
        let (king_piece, rook_piece) = (Some(Piece::new(white, "K")), Some(Piece::new(white, "R")));
        let letters = if white { ["K", "Q"] } else { ["k", "q"] };
        for (right, [rook, rook_to, king_to]) in letters.into_iter().zip([[7, 5, 6], [0, 3, 2]]) {
            let between = if rook == 7 { 5..7 } else { 1..4 };
            let king_path = if rook == 7 { 4..=6 } else { 2..=4 };
            if self.castling.contains(right)
                && between.into_iter().all(|file| self.at((file, rank)).is_none())
                && king_path.into_iter().all(|file| !self.is_attacked((file, rank), !white))
            {
                assert_eq!(self.at((4, rank)), king_piece);
                assert_eq!(self.at((rook, rank)), rook_piece);
                let mut board = self.next(&[(4, rank), (rook, rank)], false);
                board.set((4, rank), None);
                board.set((rook, rank), None);
                board.set((king_to, rank), king_piece);
                board.set((rook_to, rank), rook_piece);
                moves.push((name((4, rank)) + &name((king_to, rank)), board, ""));
            }
        }
    }
}
