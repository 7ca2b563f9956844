//! Positions and moves as text.

use std::rc::Rc;

use fusion_fairy::Definition;
use fusion_fairy::definition::Role;

use super::Slow;
use super::board::{Board, Man, Origin};
use super::moves::Move;

/// The pieces of games in which that program looks closely at the square of a capture in passing.
const ORDINARY: [&str; 9] =
    ["pawn", "knight", "bishop", "rook", "queen", "king", "archbishop", "chancellor", "commoner"];

impl<'a> Slow<'a> {
    /// Reads a position.
    pub fn from_text(game: &'a Definition, text: &str) -> Result<Slow<'a>, String> {
        let mut fields = text.split_whitespace().peekable();
        let placement = fields.next().ok_or("no board")?;
        let (board, hands) = read_placement(game, placement)?;
        let side = match fields.next() {
            Some("w") => 0,
            Some("b") => 1,
            other => return Err(format!("side {other:?}")),
        };
        let mut slow = Slow {
            game,
            board,
            hands,
            side,
            rights: [[None; 2]; 2],
            castling_king: [None; 2],
            ties: Vec::new(),
            passing: Vec::new(),
            checks: [0; 2],
            quiet_plies: 0,
            plies: 0,
            count_limit: 0,
            count: 0,
            passed: [false; 2],
            added: false,
            past: Vec::new(),
        };
        let is_number = |field: &&str| field.starts_with(|c: char| c.is_ascii_digit());
        if fields.peek().is_some_and(|field| !is_number(field)) {
            slow.read_rights(fields.next().unwrap_or("-"));
            let field = fields.next().unwrap_or("-");
            if game.counting.is_some() && is_number(&field) {
                slow.count_limit = field.parse().map_err(|error| format!("{field}: {error}"))?;
            } else {
                slow.read_passing(field);
            }
        }
        if game.check_counting {
            slow.checks = [1; 2];
            if let Some((first, second)) = fields.peek().and_then(|field| field.split_once('+')) {
                let number = |text: &str| text.parse().map_err(|error| format!("{text}: {error}"));
                slow.checks = [number(first)?, number(second)?];
                fields.next();
            }
        }
        let mut number =
            || fields.next().map_or(Ok(0), str::parse::<u32>).map_err(|error| error.to_string());
        slow.quiet_plies = number()?;
        slow.plies = 2 * number()?.saturating_sub(1) + side as u32;
        if slow.count_limit > 0 && slow.quiet_plies > 0 {
            slow.count = slow.quiet_plies;
            slow.quiet_plies = 0;
        }
        Ok(slow)
    }

    /// Reads the rights to castle.
    fn read_rights(&mut self, field: &str) {
        let Some(castling) = self.game.castling else { return };
        let files = usize::from(self.game.files);
        for letter in field.chars() {
            let side = usize::from(letter.is_ascii_lowercase());
            let rank = self.castling_rank(side);
            let is_rook = |file: &usize| {
                let man = self.board.cells[rank * files + file];
                man.is_some_and(|man| man.side == side && castling.rooks[side] >> man.kind & 1 == 1)
            };
            let file = match letter.to_ascii_uppercase() {
                'K' => (0..=usize::from(castling.rook_from[0]).min(files - 1)).rev().find(is_rook),
                'Q' => (usize::from(castling.rook_from[1])..files).find(is_rook),
                other => Some((other as usize).wrapping_sub('A' as usize))
                    .filter(|f| *f < files)
                    .filter(is_rook),
            };
            self.castling_king[side] =
                self.castling_king[side].or_else(|| self.find_castling_king(side));
            if let (Some(file), Some(_)) = (file, self.castling_king[side]) {
                self.give_right(side, rank * files + file);
            }
        }
    }

    /// Returns the rank on which the side castles, from the first player's.
    pub fn castling_rank(&self, side: usize) -> usize {
        let rank = usize::from(self.game.castling.expect("castling").rank);
        if side == 0 { rank } else { usize::from(self.game.ranks) - 1 - rank }
    }

    /// Returns the square of the piece that castles as a King: the only one on the rank, or the one on its file.
    fn find_castling_king(&self, side: usize) -> Option<usize> {
        let castling = self.game.castling?;
        let kind = usize::from(castling.king[side]?);
        let files = usize::from(self.game.files);
        let rank = self.castling_rank(side);
        let mut kings = self.board.men_of(side, kind);
        kings.retain(|square| square / files == rank);
        let home = rank * files + usize::from(castling.king_from);
        if kings.len() == 1 {
            Some(kings[0])
        } else {
            kings.into_iter().find(|square| *square == home)
        }
    }

    /// Gives the right to castle with the Rook there. Another Rook that had the same right stays tied to it.
    pub fn give_right(&mut self, side: usize, rook: usize) {
        let king = self.castling_king[side].expect("a piece that castles");
        let wing = usize::from(king > rook);
        // Where King or Rook would leave the board there is no castling.
        let castling = self.game.castling.expect("castling");
        let king_to = isize::from(castling.king_to[wing]);
        let rook_to = if wing == 0 { king_to - 1 } else { king_to + 1 };
        let files = isize::from(self.game.files);
        if ![king_to, rook_to].iter().all(|file| (0..files).contains(file)) {
            return;
        }
        self.rights[side][wing] = Some(rook);
        self.ties.extend([(king, side, wing), (rook, side, wing)]);
    }

    /// Reads the squares of captures in passing.
    fn read_passing(&mut self, field: &str) {
        let mut rest = field;
        while let Some(letter) = rest.chars().next().filter(char::is_ascii_lowercase) {
            let digits: String = rest[1..].chars().take_while(char::is_ascii_digit).collect();
            rest = &rest[1 + digits.len()..];
            let file = letter as usize - 'a' as usize;
            let rank: usize = digits.parse().unwrap_or(0);
            if file >= usize::from(self.game.files)
                || rank == 0
                || rank > usize::from(self.game.ranks)
            {
                return;
            }
            let square = (rank - 1) * usize::from(self.game.files) + file;
            let allowed = self.game.en_passant[self.side] >> square & 1 == 1;
            if allowed
                && (!self.looks_closely() || self.pawn_can_take(square))
                && !self.passing.contains(&square)
            {
                self.passing.push(square);
            }
        }
        self.passing.sort_unstable();
    }

    /// Returns whether a square of captures in passing has to make sense.
    fn looks_closely(&self) -> bool {
        let pieces = &self.game.pieces;
        let ordinary = pieces.iter().all(|piece| ORDINARY.contains(&piece.name.as_str()));
        let king = pieces
            .iter()
            .all(|piece| piece.role != Role::King || matches!(piece.betza.as_str(), "" | "K"));
        let all: u128 = u128::MAX >> (128 - self.game.squares());
        let free = pieces.iter().all(|piece| piece.region.iter().all(|region| region & all == all));
        ordinary && king && free && !self.others_take_in_passing(self.side)
    }

    /// Returns whether kinds other than Pawns of the side capture in passing.
    pub fn others_take_in_passing(&self, side: usize) -> bool {
        let takes = |kind: &usize| self.game.en_passant_kinds[side] >> kind & 1 == 1;
        (0..self.game.pieces.len()).filter(takes).any(|kind| self.board.role(kind) != Role::Pawn)
    }

    /// Returns whether a Pawn may capture another one in passing there.
    fn pawn_can_take(&self, square: usize) -> bool {
        let up: isize = if self.side == 0 { 1 } else { -1 };
        let at = |dx: isize, dy: isize| {
            let place = self.board.neighbour(square, dx, dy * up)?;
            self.board.cells[place].map(|man| (man.side, self.board.role(man.kind)))
        };
        let own = Some((self.side, Role::Pawn));
        let enemy = Some((1 - self.side, Role::Pawn));
        (at(-1, -1) == own || at(1, -1) == own)
            && (at(0, -1) == enemy || at(0, -2) == enemy)
            && at(0, 0).is_none()
            && at(0, 1).is_none()
    }

    /// Writes the position.
    pub fn to_text(&self) -> String {
        let (files, ranks) = (usize::from(self.game.files), usize::from(self.game.ranks));
        let mut text = String::new();
        for rank in (0..ranks).rev() {
            let mut empty = 0;
            for file in 0..files {
                let square = rank * files + file;
                if !self.board.occupied(square) {
                    empty += 1;
                    continue;
                }
                if empty > 0 {
                    text += &empty.to_string();
                }
                empty = 0;
                text += &self.board.cells[square].map_or("*".into(), |man| self.man_text(man));
            }
            if empty > 0 {
                text += &empty.to_string();
            }
            text += if rank > 0 { "/" } else { "" };
        }
        if self.game.drops.allowed || self.game.drops.captures {
            text += &format!("[{}{}]", self.hand_text(0), self.hand_text(1));
        }
        text += if self.side == 0 { " w " } else { " b " };
        let letters = [['K', 'Q'], ['k', 'q']];
        let rights: String = (0..4)
            .filter(|n| self.rights[n / 2][n % 2].is_some())
            .map(|n| letters[n / 2][n % 2])
            .collect();
        text += if rights.is_empty() { "-" } else { &rights };
        let passing: String = self.passing.iter().map(|square| self.square_text(*square)).collect();
        if self.count_limit > 0 {
            text += &format!(" {}", self.count_limit);
        } else {
            text += &format!(" {}", if passing.is_empty() { "-" } else { &passing });
        }
        if self.game.check_counting {
            text += &format!(" {}+{}", self.checks[0], self.checks[1]);
        }
        let clock = if self.count_limit > 0 { self.count } else { self.quiet_plies };
        text + &format!(" {clock} {}", 1 + self.plies / 2)
    }

    /// Writes a man.
    fn man_text(&self, man: Man) -> String {
        let letter = |kind: usize| self.letter(man.side, kind);
        let drops = &self.game.drops;
        match man.origin {
            Origin::Kind(kind) => format!("+{}", letter(kind)),
            Origin::Pawn if drops.captures && !drops.keep_promoted => {
                format!("{}~", letter(man.kind))
            }
            _ => letter(man.kind).to_string(),
        }
    }

    /// Returns the letter of a piece.
    fn letter(&self, side: usize, kind: usize) -> char {
        let letter = self.game.pieces[kind].letter;
        if side == 0 { letter } else { letter.to_ascii_lowercase() }
    }

    /// Writes a hand: later kinds come first.
    fn hand_text(&self, side: usize) -> String {
        let times = |kind: usize| self.hands[side][kind] as usize;
        (0..self.game.pieces.len())
            .rev()
            .flat_map(|kind| std::iter::repeat_n(self.letter(side, kind), times(kind)))
            .collect()
    }

    /// Writes a square.
    fn square_text(&self, square: usize) -> String {
        format!(
            "{}{}",
            (b'a' + self.board.file(square) as u8) as char,
            self.board.rank(square, 0) + 1
        )
    }

    /// Writes a move.
    pub fn move_text(&self, mv: Move) -> String {
        let square = |square| self.square_text(square);
        match mv {
            Move::Plain { from, to } | Move::Passing { from, to, .. } => square(from) + &square(to),
            Move::Promote { from, to, kind } => {
                format!("{}{}{}", square(from), square(to), self.letter(1, kind))
            }
            Move::Change { from, to, .. } if self.board.occupied(to) => square(from) + &square(to),
            Move::Change { from, to, kind } | Move::Split { from, to, kind } => {
                format!("{}{}{}", square(from), square(to), self.letter(1, kind))
            }
            Move::PromotePiece { from, to } => format!("{}{}+", square(from), square(to)),
            Move::Demote { from, to } => format!("{}{}-", square(from), square(to)),
            Move::Castle { from, rook, king_to, .. } => {
                let ambiguous = self.is_plain(from, king_to);
                square(from) + &square(if ambiguous { rook } else { king_to })
            }
            Move::Drop { hand, kind, to } => {
                let plus = if hand == kind { "" } else { "+" };
                format!("{plus}{}@{}", self.letter(0, hand), square(to))
            }
            Move::Pass { at } => square(at) + &square(at),
        }
    }
}

/// Reads a board and hands.
fn read_placement<'a>(
    game: &'a Definition,
    text: &str,
) -> Result<(Board<'a>, [Vec<u32>; 2]), String> {
    let (files, ranks) = (usize::from(game.files), usize::from(game.ranks));
    let mut cells = vec![None; files * ranks];
    let mut missing = vec![false; files * ranks];
    let mut hands = [vec![0; game.pieces.len()], vec![0; game.pieces.len()]];
    let (rows, held) = text.split_once('[').unwrap_or((text, ""));
    let read = |letter: char| {
        let kind = game.kind(letter).ok_or_else(|| format!("letter {letter} in {text}"))?;
        Ok::<_, String>((usize::from(kind), usize::from(letter.is_ascii_lowercase())))
    };
    for (row, line) in rows.split('/').enumerate() {
        if row >= ranks {
            return Err(format!("too many ranks in {text}"));
        }
        let start = (ranks - 1 - row) * files;
        let mut file = 0;
        let mut letters = line.chars().peekable();
        while let Some(letter) = letters.next() {
            if let Some(digit) = letter.to_digit(10) {
                let second = letters.peek().and_then(|next| next.to_digit(10));
                if second.is_some() {
                    letters.next();
                }
                file += second.map_or(digit, |second| 10 * digit + second) as usize;
                continue;
            }
            if file >= files {
                return Err(format!("too many files in {text}"));
            }
            if letter == '*' {
                missing[start + file] = true;
            } else if letter == '+' {
                let (base, side) = read(letters.next().ok_or("a lone +")?)?;
                let kind = game.pieces[base].promotes_to.ok_or_else(|| format!("+ in {text}"))?;
                cells[start + file] =
                    Some(Man { kind: usize::from(kind), side, origin: Origin::Kind(base) });
            } else {
                let (kind, side) = read(letter)?;
                let promoted = letters.next_if_eq(&'~').is_some();
                let origin = if promoted { Origin::Pawn } else { Origin::Itself };
                cells[start + file] = Some(Man { kind, side, origin });
            }
            file += 1;
        }
    }
    for letter in held.chars().filter(char::is_ascii_alphabetic) {
        let (kind, side) = read(letter)?;
        hands[side][kind] += 1;
    }
    Ok((Board { game, cells, missing: Rc::new(missing) }, hands))
}
