//! Texts of positions for the slow generator.

use super::{Bag, Board, Grid, LETTERS, Square, Turn, total};

impl Board {
    pub fn read(text: &str) -> Board {
        let fields: Vec<&str> = text.split(' ').collect();
        let rows: Vec<&str> = fields[0].split('/').collect();
        let mut board = Board {
            size: rows.len() as i32,
            squares: Grid(vec![None; 169]),
            reserves: [[0; 6]; 2],
            side: usize::from(fields[1] == "b"),
            shield: None,
            turn: Turn::Start,
        };
        for (y, row) in rows.iter().rev().enumerate() {
            board.read_row(row, y as i32);
        }
        for (reserve, text) in board.reserves.iter_mut().zip(fields[2].split('/')) {
            *reserve = bag(text);
        }
        if let Some((kind, at)) = fields[3].split_once('@') {
            board.shield =
                bag(kind).iter().position(|&count| count > 0).map(|kind| (kind, square(at)));
        }
        let parts: Vec<&str> = fields[4].split(':').collect();
        board.turn = match parts[0] {
            "move" => Turn::Move {
                origin: square(parts[1]),
                at: square(parts[2]),
                used: bag(parts[3]),
                captured: parts[4] == "x",
            },
            "split" => Turn::Split { origin: square(parts[1]), hand: bag(parts[2]) },
            _ => Turn::Start,
        };
        board
    }

    fn read_row(&mut self, row: &str, y: i32) {
        let letters: Vec<char> = row.chars().collect();
        let (mut i, mut x) = (0, 0);
        while i < letters.len() {
            let end = match letters[i] {
                '{' => i + row[i..].find('}').unwrap() + 1,
                c if c.is_ascii_digit() => {
                    i + letters[i..].iter().take_while(|c| c.is_ascii_digit()).count()
                }
                _ => i + 1,
            };
            let item: String = letters[i..end].iter().collect();
            match item.parse::<i32>() {
                Ok(empty) => x += empty,
                Err(_) => {
                    let inner = item.trim_matches(['{', '}']);
                    let side = usize::from(inner.chars().any(|c| c.is_ascii_lowercase()));
                    self.squares.insert((x, y), (side, bag(inner)));
                    x += 1;
                }
            }
            i = end;
        }
    }

    pub fn text(&self) -> String {
        let rows: Vec<String> = (0..self.size).rev().map(|y| self.row(y)).collect();
        let side = ["w", "b"][self.side];
        let of = |bag: &Bag| if total(bag) == 0 { "-".into() } else { spell(bag) };
        let reserves =
            format!("{}/{}", of(&self.reserves[0]).to_uppercase(), of(&self.reserves[1]));
        let shield =
            self.shield.map_or("-".into(), |(kind, at)| format!("{}@{}", LETTERS[kind], name(at)));
        let turn = match &self.turn {
            Turn::Start => "-".into(),
            Turn::Move { origin, at, used, captured } => {
                let captured = if *captured { "x" } else { "-" };
                format!("move:{}:{}:{}:{captured}", name(*origin), name(*at), of(used))
            }
            Turn::Split { origin, hand } => format!("split:{}:{}", name(*origin), of(hand)),
        };
        format!("{} {side} {reserves} {shield} {turn}", rows.join("/"))
    }

    fn row(&self, y: i32) -> String {
        let (mut row, mut empty) = (String::new(), 0);
        for x in 0..=self.size {
            let piece = if x < self.size { self.squares.get((x, y)) } else { None };
            if (piece.is_some() || x == self.size) && empty > 0 {
                row += &empty.to_string();
                empty = 0;
            }
            match piece {
                None => empty += 1,
                Some((side, bag)) => {
                    let text = if side == 0 { spell(&bag).to_uppercase() } else { spell(&bag) };
                    row += &if total(&bag) > 1 { format!("{{{text}}}") } else { text };
                }
            }
        }
        row
    }
}

pub(super) fn spell(bag: &Bag) -> String {
    let item = |(kind, &count): (usize, &u8)| match count {
        0 => String::new(),
        1 => LETTERS[kind].to_string(),
        _ => format!("{}{count}", LETTERS[kind]),
    };
    bag.iter().enumerate().map(item).collect()
}

pub(super) fn bag(text: &str) -> Bag {
    let mut bag = [0; 6];
    let mut last = None;
    for c in text.to_lowercase().chars() {
        if let Some(kind) = LETTERS.iter().position(|&letter| letter == c) {
            bag[kind] = 1;
            last = Some((kind, 0));
        } else if let (Some(digit), Some((kind, number))) = (c.to_digit(10), last) {
            let number = 10 * number + digit as u8;
            bag[kind] = number;
            last = Some((kind, number));
        }
    }
    bag
}

pub(super) fn name((x, y): Square) -> String {
    format!("{}{}", char::from(b'a' + x as u8), y + 1)
}

pub(super) fn square(text: &str) -> Square {
    let file = i32::from(text.as_bytes()[0] - b'a');
    (file, text[1..].parse::<i32>().unwrap() - 1)
}
