//! Fusion Chess and its rule sets as a [`Game`]: positions with rules and history.

mod board;
mod checks;
mod describe;
mod examples;
mod exchange;
mod exercise;
mod features;
mod outcome;
mod policy;
mod reasons;
mod sanity;
mod tablebase;
mod tactics;
mod threats;
mod views;

pub use describe::{BARE_KING, CHECKMATE, DEAD_POSITION, FIFTY_MOVE, STALEMATE, THREEFOLD};

use crate::board::position::PawnSteps;
use crate::board::{Bitboard, Component, Move, Position};
use crate::endgame::{Material, Tables, covers};
use crate::notation::pgn::PgnWriteError;
use crate::notation::{PgnGame, PgnMove};
use crate::rules::RuleSet;
use exercise::BareKing;
use fusion_game::tablebase::Tablebase;
use fusion_game::{
    CompleteGame, Encoding, EncodingShape, Exercise, FeatureSet, Game, GameText, Notation,
    OlderEncoding, OpenError, Outcome, Side, Symmetry, TextLayout, invalid, play_text,
};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// A game of chess under any [`RuleSet`].
///
/// ```
/// use fusion_chess::FusionGame;
/// use fusion_chess::game::CHECKMATE;
/// use fusion_game::prelude::*;
///
/// let mut game = FusionGame::new(&"orthodox".parse().unwrap());
/// for text in ["f2f3", "e7e5", "g2g4", "d8h4"] {
///     game.play(game.parse_move(text).unwrap());
/// }
/// assert_eq!(game.outcome_now().unwrap().ending, CHECKMATE);
/// ```
#[derive(Debug)]
pub struct FusionGame {
    rules: RuleSet,
    /// The rules as network inputs.
    rule_features: u64,
    position: Position,
    /// Hashes of the positions before this one.
    history: Vec<u64>,
    /// The first of `history` since the last capture or Pawn move. Earlier ones are kept only while
    /// moves may be taken back.
    since: usize,
    /// The positions before this one that occurred twice, as far as endgame tables can cover them.
    twice: Vec<Position>,
    /// The first of `twice` since the last capture or Pawn move.
    twice_since: usize,
}

/// Room for positions in a copied history. A game that is longer without a capture or Pawn move is
/// a draw.
const HISTORY: usize = 128;

impl Clone for FusionGame {
    fn clone(&self) -> Self {
        let mut history = Vec::with_capacity(HISTORY);
        history.extend_from_slice(self.recent());
        let twice = self.twice[self.twice_since..].to_vec();
        Self { history, since: 0, twice, twice_since: 0, ..*self }
    }

    fn clone_from(&mut self, source: &Self) {
        self.rules = source.rules;
        self.rule_features = source.rule_features;
        self.position = source.position;
        self.history.clear();
        self.history.extend_from_slice(source.recent());
        self.since = 0;
        self.twice.clear();
        self.twice.extend_from_slice(source.recent_twice());
        self.twice_since = 0;
    }
}

impl FusionGame {
    /// Builds the game at a position, without history.
    #[must_use]
    pub fn at(rules: RuleSet, mut position: Position) -> Self {
        position.pawn_steps = PawnSteps::of(&rules);
        let rule_features = features::of_rules(&rules);
        let (history, twice) = (Vec::new(), Vec::new());
        Self { rules, rule_features, position, history, since: 0, twice, twice_since: 0 }
    }

    /// Returns the position on the board.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the hashes of the positions before this one, since the last capture or Pawn move.
    fn recent(&self) -> &[u64] {
        &self.history[self.since..]
    }

    /// Returns the positions among them that occurred twice and that tables may cover.
    fn recent_twice(&self) -> &[Position] {
        &self.twice[self.twice_since..]
    }

    /// Adds the position to the history, before a move.
    fn remember(&mut self) {
        if Material::of(&self.position).is_some() && self.repetitions() == 1 {
            self.twice.push(self.position);
        }
        self.history.push(self.position.hash());
    }

    /// Returns how often the position occurred before.
    #[must_use]
    pub fn repetitions(&self) -> usize {
        // A position can only recur with the same side to move.
        let earlier = self.recent().iter().rev().skip(1).step_by(2);
        earlier.filter(|&&hash| hash == self.position.hash()).count()
    }

    /// Returns whether some move makes one of [`FusionGame::twice`] occur for the third time.
    fn third_is_near(&self) -> bool {
        if self.recent_twice().is_empty() {
            return false;
        }
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        moves.into_iter().any(|mv| {
            let mut next = self.position;
            next.play(mv);
            self.recent_twice().iter().any(|position| position.hash() == next.hash())
        })
    }
}

impl Game for FusionGame {
    type Rules = RuleSet;
    type Move = Move;

    fn new(rules: &RuleSet) -> Self {
        Self::at(*rules, Position::start(rules))
    }

    fn starts(rules: &RuleSet) -> usize {
        rules.start.positions()
    }

    fn start(rules: &RuleSet, number: u64) -> Self {
        Self::at(*rules, Position::nth_start(rules, number))
    }

    fn rules(&self) -> &RuleSet {
        &self.rules
    }

    #[inline]
    fn side_to_move(&self) -> Side {
        self.position.side_to_move().into()
    }

    fn legal_moves(&self, moves: &mut Vec<Move>) {
        self.position.legal_moves(&self.rules, moves);
    }

    fn play(&mut self, mv: Move) {
        self.remember();
        self.position.play(mv);
        if self.position.halfmove_clock() == 0 {
            self.forget_history();
        }
    }

    fn forget_history(&mut self) {
        self.history.clear();
        self.since = 0;
        self.twice.clear();
        self.twice_since = 0;
    }

    #[inline]
    fn outcome(&self, moves: &[Move]) -> Option<Outcome> {
        self.outcome_if(!moves.is_empty())
    }

    fn outcome_now(&self) -> Option<Outcome> {
        self.outcome_if(self.position.has_legal_move(&self.rules))
    }

    fn winning_move(&self, moves: &[Move]) -> Option<usize> {
        outcome::winning_move(&self.position, &self.rules, moves)
    }

    /// While castling is delayed, the moves that are missing count, too.
    #[inline]
    fn hash(&self) -> u64 {
        let delay = self.rules.castling_from.number().saturating_sub(self.position.fullmove());
        let delay = if self.position.castling_rights() == 0 { 0 } else { delay };
        self.position.hash() ^ u64::from(delay).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    #[inline]
    /// A compound is worth its components and half a Pawn.
    fn material(&self) -> f32 {
        let us = self.position.side_to_move();
        let (own, enemy) = (self.position.color(us), self.position.color(!us));
        let lead = |set: Bitboard| (set & own).len() as i32 - (set & enemy).len() as i32;
        let [rooks, bishops, knights, pawns, manns] = [
            Component::Rook,
            Component::Bishop,
            Component::Knight,
            Component::Pawn,
            Component::Mann,
        ]
        .map(|component| lead(self.position.component(component)));
        let whole = 5 * rooks + 3 * (bishops + knights + manns) + pawns;
        whole as f32 + lead(self.position.compounds()) as f32 / 2.0
    }
}

impl Notation for FusionGame {
    const GAMES_FILE: &'static str = "games.pgn";
    const LAYOUT: TextLayout = TextLayout::Tags;
    const POSITION: &'static str = "fen";
    const START_COLUMN: &'static str = "start_fen";

    fn from_text(rules: &RuleSet, text: &str) -> Result<Self, String> {
        let position = Position::from_fen(rules, text).map_err(|error| error.to_string())?;
        Ok(Self::at(*rules, position))
    }

    fn read_text(rules: &RuleSet, text: &str) -> Result<(Self, Vec<String>), String> {
        let read = Position::read_fen(rules, text).map_err(|error| error.to_string())?;
        Ok((Self::at(*rules, read.0), read.1))
    }

    fn to_text(&self) -> String {
        self.position.to_fen()
    }

    fn encode_move(&self, mv: Move) -> u32 {
        mv.code().into()
    }

    fn decode_move(&self, code: u32) -> Option<Move> {
        let mv = Move::from_code(u16::try_from(code).ok()?);
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        moves.contains(&mv).then_some(mv)
    }

    fn move_text(&self, mv: Move) -> String {
        mv.to_string()
    }

    fn parse_move(&self, text: &str) -> Option<Move> {
        crate::notation::parse_move(&self.position, &self.rules, text).ok()
    }

    fn move_words(&self, mv: Move) -> String {
        crate::notation::san::san(&self.position, &self.rules, mv)
    }

    fn write_game(text: &GameText, out: &mut dyn Write) -> io::Result<()> {
        let mut game: Self = text.first_position()?;
        let mut pgn = PgnGame::new(&game.rules, &game.position);
        pgn.set_tag("Event", &text.event);
        pgn.set_tag("Round", &text.round);
        pgn.set_tag("White", &text.players[0]);
        pgn.set_tag("Black", &text.players[1]);
        if let Some(outcome) = text.outcome {
            pgn.set_outcome(outcome);
        }
        for (mv, comment) in &text.moves {
            let mv = play_text(&mut game, mv)?;
            pgn.moves.push(PgnMove { comment: comment.clone(), ..mv.into() });
        }
        pgn.write(out).map_err(|error| match error {
            PgnWriteError::Io(error) => error,
            other => invalid(other.to_string()),
        })
    }
}

impl Encoding for FusionGame {
    const POLICY_FACTORS: usize = policy::TERMS;

    fn encoding(_: &RuleSet) -> EncodingShape {
        let older = OlderEncoding {
            name: "fusion chess, features 2, policy 2".into(),
            features: features::USUAL_COUNT,
            policy: policy::USUAL_COUNT,
        };
        let name = "fusion chess, features 4, policy 4";
        EncodingShape {
            older: Some(older),
            ..EncodingShape::new(name, features::COUNT, policy::COUNT)
        }
    }

    fn features(&self, features: &mut FeatureSet) {
        features::collect(self, features);
    }

    fn policy_factors(&self, moves: &[Move], rows: &mut Vec<u16>) {
        policy::rows(&self.position, moves, rows);
    }

    fn symmetry(_: &RuleSet) -> Option<Symmetry> {
        let table = |count, reflect: fn(usize) -> usize| {
            (0..count).map(|index| reflect(index) as u16).collect()
        };
        Some(Symmetry {
            features: table(features::COUNT, features::reflect),
            rows: table(policy::COUNT, policy::reflect),
            forbidden: features::CASTLING_RIGHTS.map(|feature| feature as u16).collect(),
        })
    }
}

impl CompleteGame for FusionGame {
    fn exercises(_: &RuleSet) -> Vec<String> {
        ["R", "RB", "R+R"].map(str::to_owned).to_vec()
    }

    fn exercise(name: &str) -> Result<Arc<dyn Exercise<Self>>, String> {
        Ok(Arc::new(name.parse::<BareKing>()?))
    }

    fn tablebases(
        rules: &[RuleSet],
        folder: &Path,
    ) -> Result<Vec<Arc<dyn Tablebase<Self>>>, OpenError> {
        let tables = Tables::open_all(folder, rules)?.into_iter();
        Ok(tables.map(|tables| Arc::new(tables) as Arc<dyn Tablebase<Self>>).collect())
    }

    fn check_covered(rules: &RuleSet) -> Result<(), String> {
        covers(rules).map_err(|error| error.to_string())
    }

    fn check_endings(components: usize, endings: &[String]) -> Result<(), String> {
        Material::list(components, endings).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::MoveKind;
    use fusion_game::Ending;
    use proptest::prelude::*;

    fn game(rules: &str, fen: &str) -> FusionGame {
        FusionGame::from_text(&rules.parse().unwrap(), fen).unwrap()
    }

    fn outcome(game: &FusionGame) -> Option<Outcome> {
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        game.outcome(&moves)
    }

    fn ending(rules: &str, fen: &str) -> Option<Ending> {
        outcome(&game(rules, fen)).map(|outcome| outcome.ending)
    }

    #[test]
    fn endings_have_their_reasons() {
        let table = [
            ("8/8/8/8/8/5k2/8/5K2 w - - 0 1", Some(DEAD_POSITION)),
            ("8/8/8/8/8/5k2/8/2B2K2 w - - 0 1", Some(DEAD_POSITION)),
            ("8/8/8/8/8/5k2/8/5F2 w - - 0 1", Some(DEAD_POSITION)),
            ("8/8/8/8/8/5c2/8/4K3 w - - 0 1", Some(DEAD_POSITION)),
            ("8/8/8/8/8/5c2/8/4F3 w - - 0 1", None),
            ("8/8/8/8/8/5k2/8/4G3 w - - 0 1", None),
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Some(STALEMATE)),
            ("7k/6Q1/6K1/8/8/8/8/8 b - - 100 80", Some(CHECKMATE)),
            ("7k/8/6K1/8/8/8/8/Q7 b - - 100 80", Some(FIFTY_MOVE)),
            ("7k/8/6K1/8/8/8/8/1Q6 b - - 99 80", None),
        ];
        for (fen, expected) in table {
            assert_eq!(ending("fusion-2020", fen), expected, "{fen}");
        }
        let bishop = "8/8/8/8/8/5k2/8/2B2K2 w - - 0 1";
        assert_eq!(ending("metamorphin", bishop), None, "it may become Bishop and Knight");
        assert_eq!(ending("metamorphin", table[0].0), Some(DEAD_POSITION));
        let mann = "8/8/8/8/8/5k2/8/2O2K2 w - - 0 1";
        assert_eq!(ending("combination", mann), None);
    }

    #[test]
    fn the_third_occurrence_is_a_draw() {
        let mut game = FusionGame::new(&RuleSet::preset("fusion-2020").unwrap());
        for round in 0..2 {
            for text in ["g1f3", "g8f6", "f3g1", "f6g8"] {
                assert_eq!(outcome(&game), None, "round {round}");
                game.play(game.parse_move(text).unwrap());
            }
        }
        assert_eq!(outcome(&game).unwrap().ending, THREEFOLD);
    }

    /// Inputs of a position, and its moves' policy rows in no particular order.
    type Described = (Vec<u16>, Vec<Vec<u16>>);

    fn described(game: &FusionGame) -> Described {
        let (mut moves, mut rows) = (Vec::new(), Vec::new());
        game.legal_moves(&mut moves);
        game.policy_factors(&moves, &mut rows);
        let mut rows: Vec<Vec<u16>> =
            rows.chunks(FusionGame::POLICY_FACTORS).map(<[u16]>::to_vec).collect();
        rows.sort();
        (FeatureSet::of(game).iter().collect(), rows)
    }

    /// Reflects a position's description.
    fn reflected(game: &FusionGame) -> Described {
        let reflection = FusionGame::symmetry(game.rules()).unwrap();
        let (features, rows) = described(game);
        let map = |list: &[u16], table: &[u16]| -> Vec<u16> {
            list.iter().map(|&i| table[usize::from(i)]).collect()
        };
        let mut features = map(&features, &reflection.features);
        features.sort_unstable();
        let mut rows: Vec<Vec<u16>> = rows.iter().map(|row| map(row, &reflection.rows)).collect();
        rows.sort();
        (features, rows)
    }

    /// Reverses a rank of FEN. Text in braces stays unchanged.
    fn reversed(rank: &str) -> String {
        let parts = rank.split_inclusive('}').flat_map(|part| {
            let (plain, braces) = part.split_at(part.find('{').unwrap_or(part.len()));
            plain.chars().map(String::from).chain([braces.to_string()]).collect::<Vec<_>>()
        });
        let mut parts: Vec<String> = parts.collect();
        parts.reverse();
        parts.concat()
    }

    /// Describes a position whose board was mirrored left to right as text.
    fn mirrored(game: &FusionGame) -> Described {
        let text = game.to_text();
        let fields: Vec<&str> = text.split(' ').collect();
        let ranks = fields[0].split('/').map(reversed);
        let board = ranks.collect::<Vec<_>>().join("/");
        let file = |c: char| match c {
            'a'..='h' => (b'a' + b'h' - c as u8) as char,
            other => other,
        };
        let en_passant: String = fields[3].chars().map(file).collect();
        let text = [&board, fields[1], fields[2], &en_passant, fields[4], fields[5]].join(" ");
        let mut mirrored = FusionGame::from_text(&game.rules, &text).unwrap();
        mirrored.history.clone_from(&game.history);
        let (mut features, rows) = described(&mirrored);
        // Repetition depends on the history, which this game does not have.
        if game.repetitions() > 0 {
            features.push(features::REPEATED as u16);
            features.sort_unstable();
        }
        (features, rows)
    }

    /// Checks inputs and rows where there are more pieces than at the start. The game prefers
    /// metamorphosis and fission, and avoids captures.
    #[test]
    fn crowded_boards_have_inputs_and_rows() {
        let mut game = FusionGame::new(&"metamorphin".parse().unwrap());
        let mut most = 0;
        for ply in 0..400 {
            let mut moves = Vec::new();
            game.legal_moves(&mut moves);
            if game.outcome(&moves).is_some() {
                break;
            }
            let mut rows = Vec::new();
            game.policy_factors(&moves, &mut rows);
            let distinct: std::collections::HashSet<_> =
                rows.chunks(FusionGame::POLICY_FACTORS).collect();
            assert_eq!(distinct.len(), moves.len(), "{}", game.to_text());
            assert!(rows.iter().all(|&row| usize::from(row) < policy::COUNT));
            let components = |position: &Position| -> usize {
                Component::ALL.into_iter().map(|c| position.component(c).len()).sum()
            };
            let count = components(game.position());
            let features = FeatureSet::of(&game);
            assert!(features.len() >= count && features.iter().all(|f| f < features::COUNT as u16));
            most = most.max(count);
            let growth = |mv: &Move| {
                let mut next = *game.position();
                next.play(*mv);
                let mut replies = Vec::new();
                next.legal_moves(&game.rules, &mut replies);
                // Among the moves that add most, choose the one that leaves the fewest captures.
                let captures = replies.iter().filter(|mv| next.color_on(mv.to()).is_some()).count();
                (
                    components(&next),
                    matches!(mv.kind(), MoveKind::Fission(_)),
                    usize::MAX - captures,
                )
            };
            let start = ply % moves.len();
            let best = moves[start..].iter().chain(&moves[..start]).max_by_key(|mv| growth(mv));
            game.play(*best.unwrap());
        }
        assert!(most > 40, "{most}");
    }

    proptest! {
        #[test]
        fn policy_indices_and_features_are_distinct_and_in_range(
            choices in prop::collection::vec(any::<prop::sample::Index>(), 0..120),
            preset in 0..crate::rules::PRESETS.len(),
        ) {
            let mut game = FusionGame::new(&crate::rules::PRESETS[preset].1);
            for choice in choices {
                let mut moves = Vec::new();
                game.legal_moves(&mut moves);
                prop_assert_eq!(game.outcome_now(), game.outcome(&moves));
                if game.outcome(&moves).is_some() {
                    break;
                }
                let mut rows = Vec::new();
                game.policy_factors(&moves, &mut rows);
                prop_assert_eq!(rows.len(), moves.len() * FusionGame::POLICY_FACTORS);
                prop_assert!(rows.iter().all(|&row| usize::from(row) < policy::COUNT));
                let mut seen = std::collections::HashSet::new();
                for (&mv, rows) in moves.iter().zip(rows.chunks(FusionGame::POLICY_FACTORS)) {
                    prop_assert!(seen.insert(rows), "{mv:?}");
                    prop_assert_eq!(game.decode_move(game.encode_move(mv)), Some(mv));
                }
                let features = FeatureSet::of(&game);
                prop_assert!(features.iter().all(|f| usize::from(f) < features::COUNT));

                if game.position.castling_rights() == 0 {
                    prop_assert_eq!(mirrored(&game), reflected(&game), "{}", game.to_text());
                }
                let flipped = FusionGame::at(game.rules, game.position.flipped());
                if game.repetitions() == 0 {
                    prop_assert_eq!(FeatureSet::of(&flipped), features);
                }
                game.play(*choice.get(&moves));
            }
        }
    }
}
