//! Positions as text: the FEN of the format.

use super::Tables;
use super::movement::for_each;
use super::position::{FROM_PAWN, Position, Rights};
use crate::definition::{Kind, Role, Squares};

/// Why a text is no position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PositionError(String);

fn wrong<T>(message: impl Into<String>) -> Result<T, PositionError> {
    Err(PositionError(message.into()))
}

impl Position {
    /// Returns the initial position of a definition.
    ///
    /// # Errors
    /// Returns the reason why the definition's text is rejected.
    pub fn start(tables: &Tables) -> Result<Self, PositionError> {
        Self::from_text(tables, &tables.rules.start)
    }

    /// Parses a position.
    ///
    /// # Errors
    /// Returns the reason why the text is rejected.
    pub fn from_text(tables: &Tables, text: &str) -> Result<Self, PositionError> {
        let mut position = Self::empty();
        let mut fields = text.split_whitespace().peekable();
        let board = fields.next().unwrap_or_default();
        let (board, hand) = match board.split_once('[') {
            Some((board, hand)) => match hand.strip_suffix(']') {
                Some(hand) => (board, hand),
                None => return wrong("the hand does not end with ]"),
            },
            None => (board, ""),
        };
        position.read_board(tables, board)?;
        position.read_hands(tables, hand)?;
        match fields.next() {
            None | Some("w") => {}
            Some("b") => position.switch(tables),
            Some(other) => return wrong(format!("the side to move is {other}, not w or b")),
        }
        let is_number = |field: &&str| field.parse::<u32>().is_ok();
        if fields.peek().is_some_and(|field| !is_number(field) && !field.contains('+')) {
            position.read_rights(tables, fields.next().unwrap_or_default())?;
            position.read_passing(tables, fields.next().unwrap_or("-"))?;
        }
        position.read_checks(tables, &mut fields)?;
        let mut number = |what: &str, least: u32| match fields.next() {
            None => Ok(least),
            Some(field) => {
                field.parse().or_else(|_| wrong(format!("{what} is {field}, not a number")))
            }
        };
        let clock = number("the count of plies without progress", 0)?;
        let turn = number("the number of the move", 1)?;
        if position.state.counting[0] == 0 {
            position.state.clock = clock.min(u32::from(u16::MAX) / 2) as u16;
        } else {
            position.state.counting[1] = clock.min(u32::from(u16::MAX) / 2) as u16;
        }
        position.ply = 2 * turn.clamp(1, 1 << 20).saturating_sub(1) + position.side as u32;
        if let Some(passes) = fields.next() {
            match passes.strip_prefix("passes:").and_then(|count| count.parse().ok()) {
                Some(count @ 1..=2) => position.set_passes(tables, count),
                _ => {
                    return wrong(format!(
                        "the text goes on with {passes} after the number of the move"
                    ));
                }
            }
        }
        position.check_kings(tables)?;
        Ok(position)
    }

    fn read_board(&mut self, tables: &Tables, board: &str) -> Result<(), PositionError> {
        let (files, ranks) = (usize::from(tables.rules.files), usize::from(tables.rules.ranks));
        let rows: Vec<&str> = board.split('/').collect();
        if rows.len() != ranks {
            return wrong(format!("the board has {} ranks instead of {ranks}", rows.len()));
        }
        for (row, rank) in rows.iter().zip((0..ranks).rev()) {
            let mut file = 0;
            let mut letters = row.chars().peekable();
            while let Some(letter) = letters.next() {
                if letter.is_ascii_digit() {
                    let mut empty = letter.to_digit(10).unwrap_or_default() as usize;
                    while let Some(digit) = letters.next_if(char::is_ascii_digit) {
                        empty =
                            (10 * empty + digit.to_digit(10).unwrap_or_default() as usize).min(99);
                    }
                    file += empty;
                    continue;
                }
                if file >= files {
                    return wrong(format!("rank {} has more than {files} files", rank + 1));
                }
                let square = rank * files + file;
                file += 1;
                if letter == '*' {
                    self.walls |= 1 << square;
                    continue;
                }
                let (letter, upgraded) = match letter {
                    '+' => (letters.next().unwrap_or(' '), true),
                    letter => (letter, false),
                };
                let (side, kind) = Self::read_letter(tables, letter)?;
                let promoted = letters.next_if_eq(&'~').is_some();
                match tables.rules.pieces[usize::from(kind)].promotes_to {
                    Some(to) if upgraded => self.put(tables, square, (side, to), kind + 1),
                    None if upgraded => {
                        return wrong(format!(
                            "{letter} does not promote, so there is no +{letter}"
                        ));
                    }
                    _ => self.put(
                        tables,
                        square,
                        (side, kind),
                        if promoted { tables.from_pawn } else { 0 },
                    ),
                }
            }
            if file != files {
                return wrong(format!("rank {} has {file} files instead of {files}", rank + 1));
            }
        }
        Ok(())
    }

    fn read_letter(tables: &Tables, letter: char) -> Result<(usize, Kind), PositionError> {
        match tables.rules.kind(letter) {
            Some(kind) if letter.is_ascii_alphabetic() => {
                Ok((usize::from(letter.is_ascii_lowercase()), kind))
            }
            _ => wrong(format!("no piece has the letter {letter}")),
        }
    }

    fn read_hands(&mut self, tables: &Tables, hand: &str) -> Result<(), PositionError> {
        for letter in hand.chars().filter(|&letter| letter != '-') {
            let (side, kind) = Self::read_letter(tables, letter)?;
            match self.in_hand(side, kind).checked_add(1).filter(|&count| count < 128) {
                Some(count) => self.set_hand(tables, side, kind, count),
                None => return wrong(format!("there are too many of {letter} in the hand")),
            }
        }
        Ok(())
    }

    fn read_rights(&mut self, tables: &Tables, text: &str) -> Result<(), PositionError> {
        let mut rights = Rights::default();
        let Some(castling) = &tables.rules.castling else {
            return Ok(());
        };
        let (files, ranks) = (usize::from(tables.rules.files), usize::from(tables.rules.ranks));
        for letter in text.chars().filter(|&letter| letter != '-') {
            let side = usize::from(letter.is_ascii_lowercase());
            let rank = usize::from(castling.rank);
            let rank = if side == 0 { rank } else { ranks - 1 - rank };
            let Some(king) = castling.king[side] else { continue };
            let is_rook = |file: &usize| {
                self.piece(rank * files + file).is_some_and(|(owner, kind)| {
                    owner == side && castling.rooks[side] >> kind & 1 == 1
                })
            };
            let rook = match letter.to_ascii_lowercase() {
                'k' => (0..files).rev().find(is_rook),
                'q' => (0..files).find(is_rook),
                file @ 'a'..='p' => Some(usize::from(file as u8 - b'a'))
                    .filter(|&file| file < files)
                    .filter(is_rook),
                _ => return wrong(format!("castling right {letter} is not known")),
            };
            let kings = tables.grid.rank(rank) & self.of(side, king);
            let king_at = match kings.count_ones() {
                1 => kings.trailing_zeros() as usize,
                _ if usize::from(castling.king_from) < files => {
                    rank * files + usize::from(castling.king_from)
                }
                _ => continue,
            };
            let Some(rook) = rook.filter(|_| self.piece(king_at) == Some((side, king))) else {
                continue;
            };
            let rook = rank * files + rook;
            let wing = usize::from(rook < king_at);
            if !castling.has_wing(wing, tables.rules.files) {
                continue;
            }
            let bit = 2 * side + wing;
            rights.bits |= 1 << bit;
            rights.king[side] = king_at as u8;
            rights.rook[bit] = rook as u8;
        }
        self.set_rights(tables, rights);
        Ok(())
    }

    /// Parses the squares of captures in passing, or the limit of a counting rule.
    fn read_passing(&mut self, tables: &Tables, text: &str) -> Result<(), PositionError> {
        if text == "-" {
            return Ok(());
        }
        if let Ok(limit) = text.parse::<u16>() {
            if tables.rules.counting.is_some() {
                self.state.counting = [limit.min(1_000), 0];
            }
            return Ok(());
        }
        let mut squares: Squares = 0;
        let mut rest = text;
        while !rest.is_empty() {
            let digits = rest.bytes().skip(1).take_while(u8::is_ascii_digit).count();
            let Some((name, after)) = rest.split_at_checked(1 + digits) else {
                return wrong(format!("{text} is no square"));
            };
            match tables.square(name) {
                Some(square) => squares |= 1 << square,
                None => return wrong(format!("{name} is no square")),
            }
            rest = after;
        }
        let squares = squares & tables.rules.en_passant[self.side];
        let squares = self.real_passing(tables, squares);
        self.set_passing(tables, squares);
        Ok(())
    }

    /// Returns those of the squares on which a capture in passing is possible by the look of the board.
    fn real_passing(&self, tables: &Tables, squares: Squares) -> Squares {
        let rules = &tables.rules;
        let us = self.side;
        let pawn = rules.pieces.iter().position(|piece| piece.role == Role::Pawn);
        let others = rules.en_passant_kinds[us] & !pawn.map_or(0, |kind| 1 << kind);
        if others != 0 || squares & self.occupied() != 0 {
            return squares;
        }
        let mut real = 0;
        for_each(self.en_passant_targets(tables, us, squares), |square| {
            if self.passed_piece(tables, square).is_some() {
                real |= 1 << square;
            }
        });
        real
    }

    fn read_checks<'a>(
        &mut self,
        tables: &Tables,
        fields: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
    ) -> Result<(), PositionError> {
        let given = fields.next_if(|field| field.contains('+'));
        if !tables.rules.check_counting {
            return Ok(());
        }
        let left = match given.and_then(|field| field.split_once('+')) {
            None => [1, 1],
            Some((first, second)) => {
                let number = |text: &str| text.parse::<u8>().ok().filter(|&left| left < 16);
                match (number(first), number(second)) {
                    (Some(first), Some(second)) => [first, second],
                    _ => {
                        return wrong(format!(
                            "the checks left are {first}+{second}, not two numbers below 16"
                        ));
                    }
                }
            }
        };
        self.set_checks(tables, 0, left[0]);
        self.set_checks(tables, 1, left[1]);
        Ok(())
    }

    fn check_kings(&self, tables: &Tables) -> Result<(), PositionError> {
        if tables.king.is_none() {
            return Ok(());
        }
        for (side, name) in ["first", "second"].into_iter().enumerate() {
            if self.royals(tables, side).count_ones() > 1 {
                return wrong(format!("the {name} side has more than one King"));
            }
        }
        if self.checkers(tables, self.side ^ 1) != 0 {
            return wrong("the side that is not to move is in check");
        }
        Ok(())
    }

    /// Writes the position. A pass before it stands at the end, ` passes:1`, because another one ends the
    /// game.
    #[must_use]
    pub fn to_text(&self, tables: &Tables) -> String {
        let (most, count) = (self.state.counting[0], self.state.counting[1]);
        let mut text = self.board_text(tables);
        let drops = &tables.rules.drops;
        if drops.allowed || drops.captures {
            text += &self.hands_text(tables);
        }
        text += if self.side == 0 { " w " } else { " b " };
        text += &self.rights_text();
        text += " ";
        let mut passing = String::new();
        for_each(self.state.passing, |square| passing += &tables.square_name(square));
        text += &match () {
            () if most != 0 => most.to_string(),
            () if passing.is_empty() => "-".into(),
            () => passing,
        };
        if tables.rules.check_counting {
            let [first, second] = self.state.checks;
            text += &format!(" {first}+{second}");
        }
        let clock = if most == 0 { self.state.clock } else { count };
        text += &format!(" {clock} {}", self.ply / 2 + 1);
        if self.state.passes > 0 {
            text += &format!(" passes:{}", self.state.passes);
        }
        text
    }

    fn board_text(&self, tables: &Tables) -> String {
        let (files, ranks) = (usize::from(tables.rules.files), usize::from(tables.rules.ranks));
        let mut text = String::new();
        for rank in (0..ranks).rev() {
            let mut empty = 0;
            for square in rank * files..(rank + 1) * files {
                let piece = self.piece(square);
                let is_wall = self.walls >> square & 1 == 1;
                if piece.is_none() && !is_wall {
                    empty += 1;
                    continue;
                }
                if empty > 0 {
                    text += &empty.to_string();
                    empty = 0;
                }
                match piece {
                    None => text.push('*'),
                    Some(piece) => self.write_piece(tables, square, piece, &mut text),
                }
            }
            if empty > 0 {
                text += &empty.to_string();
            }
            if rank > 0 {
                text.push('/');
            }
        }
        text
    }

    fn write_piece(
        &self,
        tables: &Tables,
        square: usize,
        (side, kind): (usize, Kind),
        text: &mut String,
    ) {
        let letter = |kind: Kind| cased(tables.rules.pieces[usize::from(kind)].letter, side);
        match self.origin(square) {
            0 => text.push(letter(kind)),
            FROM_PAWN => text.extend([letter(kind), '~']),
            before => {
                text.push('+');
                text.push(letter(before - 1));
            }
        }
    }

    fn hands_text(&self, tables: &Tables) -> String {
        let mut text = "[".to_owned();
        for side in 0..2 {
            for (kind, piece) in tables.rules.pieces.iter().enumerate().rev() {
                let count = usize::from(self.hands[side][kind]);
                text.extend(std::iter::repeat_n(cased(piece.letter, side), count));
            }
        }
        text + "]"
    }

    fn rights_text(&self) -> String {
        let bits = self.state.rights.bits;
        if bits == 0 {
            return "-".into();
        }
        "KQkq"
            .chars()
            .enumerate()
            .filter(|(bit, _)| bits >> bit & 1 == 1)
            .map(|(_, letter)| letter)
            .collect()
    }
}

/// Returns a letter in the case of a side.
fn cased(letter: char, side: usize) -> char {
    if side == 0 { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() }
}
