//! The examples of the rule toggles, and a picture of each.

use super::board;
use fusion_chess::FusionGame;
use fusion_chess::rules::RuleSet;
use fusion_game::prelude::*;
use std::error::Error;
use std::path::{Path, PathBuf};

/// A result whose error is for the terminal.
pub type Fallible<T> = Result<T, Box<dyn Error>>;

/// A move under a rule set: a row of `data/rules/examples.csv`.
#[derive(Clone, Debug, serde::Deserialize)]
pub struct Example {
    /// The toggle that it explains.
    pub toggle: String,
    /// The rule set.
    #[serde(deserialize_with = "parsed")]
    pub rules: RuleSet,
    /// The rule set as the table writes it.
    #[serde(skip)]
    pub rules_text: String,
    /// The position, or `start` for the initial one of the rule set. Moves that lead to the example
    /// may follow it: `FEN moves a2b2 g8h8`.
    pub fen: String,
    /// The move in coordinate notation.
    #[serde(rename = "move")]
    pub mv: String,
    /// The move in algebraic notation; empty if it is not legal.
    pub san: String,
    /// Squares to mark in the picture, separated by spaces.
    pub marks: String,
    /// How the game ends by the move: `1-0 stalemate`; empty if it goes on.
    pub then: String,
}

fn parsed<'de, D: serde::Deserializer<'de>>(field: D) -> Result<RuleSet, D::Error> {
    <String as serde::Deserialize>::deserialize(field)?.parse().map_err(serde::de::Error::custom)
}

impl Example {
    /// The game before the move.
    pub fn game(&self) -> FusionGame {
        let (fen, moves) = self.fen.split_once(" moves ").unwrap_or((&self.fen, ""));
        let fen = if fen == "start" { self.rules.start.fen(0) } else { fen };
        let mut game = FusionGame::from_text(&self.rules, fen).expect("a valid position");
        for text in moves.split_whitespace() {
            game.play(game.parse_move(text).expect("a legal move"));
        }
        game
    }

    /// What the move is: `not legal`, or the move and how the game ends by it.
    fn result(&self) -> String {
        match (&*self.san, &*self.then) {
            ("", _) => "not legal".into(),
            (san, "") => san.into(),
            (san, then) => format!("{san}, {then}"),
        }
    }

    /// The whole SVG file.
    pub fn picture(&self) -> String {
        let marks: Vec<&str> = self.marks.split_whitespace().collect();
        let position = self.game().to_text();
        let placement = position.split(' ').next().unwrap_or_default();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"270\" height=\"270\" \
             viewBox=\"0 0 {size} {size}\">\n<title>{fen}: {mv} ({san})</title>\n\
             <style>{style}</style>\n{board}\n</svg>\n",
            size = board::SIZE,
            fen = position,
            mv = self.mv,
            san = self.result(),
            style = board::STYLE,
            board = board::board(placement, &self.mv, &marks),
        )
    }
}

/// The folder of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All examples, in the order of the table.
pub fn read() -> Fallible<Vec<Example>> {
    let path = root().join("data/rules/examples.csv");
    let mut reader = csv::Reader::from_path(path)?;
    let headers = reader.headers()?.clone();
    let mut examples = Vec::new();
    for record in reader.records() {
        let record = record?;
        let mut example: Example = record.deserialize(Some(&headers))?;
        example.rules_text = record[1].into();
        examples.push(example);
    }
    Ok(examples)
}

/// The examples that share a board, with the name of its picture: `fission.svg`,
/// `fission-2.svg` and so on for the boards of one toggle.
pub fn boards() -> Fallible<Vec<(String, Vec<Example>)>> {
    let mut boards: Vec<(String, Vec<Example>)> = Vec::new();
    for example in read()? {
        let earlier = boards.iter_mut().find(|(_, examples)| {
            let first = &examples[0];
            first.toggle == example.toggle && first.fen == example.fen && first.mv == example.mv
        });
        if let Some((_, examples)) = earlier {
            examples.push(example);
            continue;
        }
        let toggle = example.toggle.clone();
        let number = 1 + boards.iter().filter(|(_, all)| all[0].toggle == toggle).count();
        let name =
            if number == 1 { format!("{toggle}.svg") } else { format!("{toggle}-{number}.svg") };
        boards.push((name, vec![example]));
    }
    Ok(boards)
}

/// Writes a picture of each board into a folder.
#[allow(dead_code, reason = "the test that shares this module draws nothing")]
pub fn draw_all(folder: &Path) -> Fallible<()> {
    std::fs::create_dir_all(folder)?;
    for (name, examples) in boards()? {
        std::fs::write(folder.join(name), examples[0].picture())?;
    }
    Ok(())
}
