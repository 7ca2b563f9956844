//! Random games of a definition, and what looks wrong in them.

use crate::FairyGame;
use crate::board::Move;
use crate::definition::Kind;
use crate::names;
use crate::rules::FairyRules;
use fusion_game::{Ending, Game, Notation, Outcome, Side};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// Plies after which a random game is given up.
pub const MOST_PLIES: u32 = 1_000;

/// What a kind of piece did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deeds {
    /// Positions in which the side to move had such a piece, on the board or in the hand.
    pub present: u64,
    /// Positions in which one of these pieces could move or be dropped.
    pub free: u64,
    /// Moves and drops.
    pub moves: u64,
    /// Captures by it.
    pub captures: u64,
}

/// What happened in random games.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// Number of games.
    pub games: u32,
    /// Games that the first side won, that were drawn, that the second side won, and that did not end.
    pub results: [u32; 4],
    /// Games by their ending.
    pub endings: BTreeMap<&'static str, u32>,
    /// Plies of all games.
    pub plies: u64,
    /// Legal moves of all positions.
    pub choices: u64,
    /// By kind.
    pub deeds: Vec<Deeds>,
    /// Moves in the initial position that win at once, in engine notation.
    pub winning_starts: Vec<String>,
    /// Number of moves in the initial position.
    pub starts: usize,
}

impl Trial {
    /// Plays random games.
    ///
    /// ```
    /// use fusion_fairy::{rules::FairyRules, trial::Trial};
    ///
    /// let trial = Trial::play(FairyRules::read("variants#atomic")?, 50, 1);
    /// assert_eq!((trial.games, trial.starts), (50, 20));
    /// assert!(trial.warnings(FairyRules::read("variants#atomic")?).is_empty());
    /// # Ok::<(), String>(())
    /// ```
    #[must_use]
    pub fn play(rules: FairyRules, games: u32, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let kinds = rules.definition().pieces.len();
        let mut trial = Self { games, deeds: vec![Deeds::default(); kinds], ..Self::default() };
        trial.look_at_start(rules);
        for _ in 0..games {
            let outcome = trial.game(rules, &mut rng);
            let place = match outcome.map(|outcome| outcome.winner) {
                Some(Some(Side::First)) => 0,
                Some(None) => 1,
                Some(Some(Side::Second)) => 2,
                None => 3,
            };
            trial.results[place] += 1;
            *trial
                .endings
                .entry(outcome.map_or(Ending::CAP, |outcome| outcome.ending).name())
                .or_default() += 1;
        }
        trial
    }

    fn look_at_start(&mut self, rules: FairyRules) {
        let start = FairyGame::new(&rules);
        let mut moves = Vec::new();
        start.legal_moves(&mut moves);
        self.starts = moves.len();
        let wins = |mv: &Move| {
            let mut next = start.clone();
            next.play(*mv);
            next.outcome_now().is_some_and(|outcome| outcome.winner == Some(start.side_to_move()))
        };
        self.winning_starts =
            moves.iter().filter(|mv| wins(mv)).map(|&mv| start.move_text(mv)).collect();
    }

    fn game(&mut self, rules: FairyRules, rng: &mut ChaCha8Rng) -> Option<Outcome> {
        let mut game = FairyGame::new(&rules);
        let mut moves = Vec::new();
        for _ in 0..MOST_PLIES {
            moves.clear();
            game.legal_moves(&mut moves);
            let outcome = game.outcome(&moves);
            if outcome.is_some() {
                return outcome;
            }
            self.count(&game, &moves);
            let mv = *moves.choose(rng)?;
            let captures = game.position().captures(mv);
            if let Some(kind) = game.moving(mv) {
                let deeds = &mut self.deeds[usize::from(kind)];
                deeds.moves += 1;
                deeds.captures += u64::from(captures);
            }
            game.play(mv);
        }
        None
    }

    fn count(&mut self, game: &FairyGame, moves: &[Move]) {
        self.plies += 1;
        self.choices += moves.len() as u64;
        let us = game.position().side_to_move();
        let free =
            moves.iter().filter_map(|&mv| game.moving(mv)).fold(0_u64, |set, kind| set | 1 << kind);
        for (kind, deeds) in self.deeds.iter_mut().enumerate() {
            deeds.present += u64::from(game.position().count(us, kind as u8) > 0);
            deeds.free += free >> kind & 1;
        }
    }

    /// Returns what looks wrong, in sentences.
    #[must_use]
    pub fn warnings(&self, rules: FairyRules) -> Vec<String> {
        let mut out = Vec::new();
        if self.starts == 0 {
            out.push("The side to move has no move in the initial position.".into());
        }
        if let Some(first) = self.winning_starts.first() {
            out.push(format!(
                "The first move {first} wins at once ({} of {}).",
                self.winning_starts.len(),
                self.starts
            ));
        }
        let definition = rules.definition();
        for ((kind, piece), deeds) in definition.pieces.iter().enumerate().zip(&self.deeds) {
            let name = names::name(definition, kind as Kind);
            let name = format!("{} ({name})", piece.letter);
            if deeds.present == 0 {
                out.push(format!("{name} never came onto the board."));
            } else if deeds.free == 0 {
                out.push(format!(
                    "{name} could never move, in {} positions that had it.",
                    deeds.present
                ));
            }
        }
        let [first, drawn, second, endless] = self.results;
        if self.games >= 100 {
            if first + second == 0 {
                out.push("No game was won by either side.".into());
            } else if drawn + endless == 0 {
                out.push("No game was drawn.".into());
            }
            if first * 20 < second || second * 20 < first {
                out.push(format!(
                    "One side won nearly all decided games: White {first}, Black {second}."
                ));
            }
        }
        if endless > 0 {
            out.push(format!(
                "{endless} of {} games had not ended after {MOST_PLIES} plies.",
                self.games
            ));
        }
        out
    }
}
