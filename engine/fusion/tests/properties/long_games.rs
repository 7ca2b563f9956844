//! Random games under every preset, all that must hold looked at on every ply.
//!
//! The slow generator plays the game beside the engine, from the initial position on, and is
//! never told what the engine thinks. The plain tests play 100,000 plies in all; with
//! `RANDOM_PLIES=10000000` it is so many under each preset (`./tests/long/soak`).

use crate::mailbox::Board;
use crate::moves::repetition_key;
use crate::play::{is_capture, is_metamorphosis};
use fusion_chess::FusionGame;
use fusion_chess::board::{Color, Component, Move, MoveKind, Piece, Position};
use fusion_chess::game::{BARE_KING, CHECKMATE, DEAD_POSITION, FIFTY_MOVE, STALEMATE, THREEFOLD};
use fusion_chess::rules::{PRESETS, RuleSet};
use fusion_game::prelude::*;
use fusion_game::{Ending, Outcome, Side};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Plies of the plain tests, under all presets together.
const PLIES: usize = 100_000;

/// What came up, so that a test that meets nothing fails.
#[derive(Default, Debug)]
struct Seen {
    plies: usize,
    games: usize,
    captures: usize,
    repetitions: usize,
    /// Of each kind, see [`MoveKind`].
    fusions: usize,
    fissions: usize,
    endings: HashMap<&'static str, usize>,
}

/// A game played twice: by the engine and by the slow generator.
struct Twice {
    rules: RuleSet,
    game: FusionGame,
    slow: Board,
    /// How often each position came, by what repetition compares.
    came: HashMap<String, usize>,
    /// Positions by their hashes since the last ply that cannot be taken back.
    hashes: HashMap<u64, String>,
}

impl Twice {
    fn new(rules: RuleSet) -> Self {
        let game = FusionGame::new(&rules);
        let slow = Board::from_fen(&game.to_text());
        Self { rules, game, slow, came: HashMap::new(), hashes: HashMap::new() }
    }

    /// Plays one ply, or tells how the game ended.
    fn ply(&mut self, rng: &mut ChaCha8Rng, seen: &mut Seen) -> Option<Ending> {
        let position = *self.game.position();
        let fen = position.to_fen();
        assert_eq!(fen, self.slow.fen(&self.rules), "the two boards differ under {}", self.rules);
        self.check_position(&position, &fen);
        let mut slow_moves = self.slow.legal_moves(&self.rules);
        let mut moves = Vec::new();
        self.game.legal_moves(&mut moves);
        let mut texts: Vec<String> = moves.iter().map(Move::to_string).collect();
        texts.sort_unstable();
        assert!(texts.iter().eq(slow_moves.keys()), "moves of {fen} under {}", self.rules);
        let came = self.came.entry(repetition_key(&fen).to_owned()).or_default();
        *came += 1;
        let times = *came;
        seen.repetitions += usize::from(times > 1);
        let outcome = self.slow_outcome(moves.is_empty(), times);
        assert_eq!(self.game.outcome(&moves), outcome, "{fen} under {}", self.rules);
        let wins = moves.iter().position(|&mv| {
            let mut next = self.game.clone();
            next.play(mv);
            next.outcome_now().is_some_and(|o| o.winner == Some(self.game.side_to_move()))
        });
        if let Some(outcome) = outcome {
            return Some(outcome.ending);
        }
        assert_eq!(self.game.winning_move(&moves), wins, "{fen} under {}", self.rules);
        let mv = choose(&position, &moves, rng);
        self.game.play(mv);
        check_material(&position, mv, self.game.position(), &self.rules);
        // The slow board goes its own way.
        self.slow = slow_moves.remove(&mv.to_string()).map(|(next, _)| next).unwrap();
        seen.plies += 1;
        seen.captures += usize::from(is_capture(&position, mv));
        seen.fusions += usize::from(mv.kind() == MoveKind::Fusion);
        seen.fissions += usize::from(matches!(mv.kind(), MoveKind::Fission(_)));
        None
    }

    /// What must hold in every position.
    fn check_position(&mut self, position: &Position, fen: &str) {
        assert_eq!(position.hash(), position.fresh_hash(), "{fen}");
        assert_eq!(Position::from_fen(&self.rules, fen).as_ref(), Ok(position), "{fen}");
        for color in [Color::White, Color::Black] {
            let royals = position.component(Component::King) & position.color(color);
            assert_eq!(royals.len(), 1, "{fen}");
        }
        assert!(!self.slow.leaves_royal_attacked(), "{fen}");
        if position.halfmove_clock() == 0 {
            self.hashes.clear();
            self.came.clear();
        }
        let key = repetition_key(fen);
        let first = self.hashes.entry(position.hash()).or_insert_with(|| key.to_owned());
        assert_eq!(first, key, "two positions with one hash");
    }

    /// The end of the game by the rules' own words.
    fn slow_outcome(&self, stuck: bool, times: usize) -> Option<Outcome> {
        let rule = |toggle: &str| self.rules.get(toggle).unwrap();
        let limit = rule("move-limit").parse().map_or(u32::MAX, |moves: u32| 2 * moves);
        let us = self.slow.white_to_move();
        let [own, enemy] = [us, !us].map(|white| self.slow.is_bare(white));
        let winner = |wins: bool, white: bool| wins.then_some(white);
        let (ending, winner) = match () {
            () if stuck && self.slow.is_in_check() => (CHECKMATE, Some(!us)),
            () if rule("bare-king") == "loses" && (own || enemy) && !self.may_bare(own, enemy) => {
                (BARE_KING, winner(own != enemy, if enemy { us } else { !us }))
            }
            () if stuck => (STALEMATE, winner(rule("stalemate") == "win", !us)),
            () if times >= 3 => (THREEFOLD, winner(rule("repetition") == "loses", us)),
            () if self.slow.is_dead(&self.rules) => (DEAD_POSITION, None),
            () if self.slow.clock() >= limit => (FIFTY_MOVE, None),
            () => return None,
        };
        let side = |white| if white { Side::First } else { Side::Second };
        Some(Outcome { winner: winner.map(side), ending })
    }

    /// Whether the side to move, which is bare, can bare the other one.
    fn may_bare(&self, own: bool, enemy: bool) -> bool {
        let them = !self.slow.white_to_move();
        own && !enemy
            && self.slow.legal_moves(&self.rules).values().any(|next| next.0.is_bare(them))
    }
}

/// Two in five moves are of a rare kind if there are any: captures, fusions, fissions,
/// promotions; else games are little but pieces that wander about.
fn choose(position: &Position, moves: &[Move], rng: &mut ChaCha8Rng) -> Move {
    let lively = |mv: &&Move| !matches!(mv.kind(), MoveKind::Plain) || is_capture(position, **mv);
    let rare: Vec<Move> = match rng.random_range(0..5) {
        0 | 1 => moves.iter().filter(lively).copied().collect(),
        _ => Vec::new(),
    };
    let candidates = if rare.is_empty() { moves } else { &rare };
    *candidates.choose(rng).expect("a game that is not over has moves")
}

/// Components of a side, Pawns included.
fn components(position: &Position, color: Color) -> usize {
    position.color(color).map(|square| position.piece_on(square).len()).sum()
}

/// Components are only ever lost, to captures and demotion, but for what the rules make on
/// purpose: promotions and metamorphoses.
fn check_material(before: &Position, mv: Move, after: &Position, rules: &RuleSet) {
    let (us, them) = (before.side_to_move(), !before.side_to_move());
    let taken = match mv.kind() {
        MoveKind::EnPassant => 1,
        _ if is_capture(before, mv) => before.piece_on(mv.to()).len(),
        _ => 0,
    };
    assert_eq!(components(after, them), components(before, them) - taken, "{mv} in {before}");
    let mover = before.piece_on(mv.from());
    let made = |piece: Piece| piece.len() - mover.len();
    let (gain, loss) = match mv.kind() {
        MoveKind::Promotion(piece) => {
            assert!(mover.has(Component::Pawn) || is_metamorphosis(before, mv) && rules.metamorph);
            (made(piece), 0)
        }
        MoveKind::Demotion => {
            assert!(rules.demote_on_capture);
            (0, mover.len() - 1)
        }
        _ => (0, 0),
    };
    let own = before.color(us).has(mv.to()) && mv.kind() != MoveKind::Fusion;
    assert!(!own || rules.self_capture, "{mv} in {before}");
    let loss = loss + if own { before.piece_on(mv.to()).len() } else { 0 };
    assert_eq!(components(after, us), components(before, us) + gain - loss, "{mv} in {before}");
}

/// Plays games under a rule set until there are so many plies.
fn play(name: &str, rules: RuleSet, plies: usize) -> Seen {
    let mut seen = Seen::default();
    while seen.plies < plies {
        let mut rng = ChaCha8Rng::seed_from_u64(seen.games as u64);
        let mut twice = Twice::new(rules);
        let ending = loop {
            match twice.ply(&mut rng, &mut seen) {
                None if seen.plies < plies => {}
                ending => break ending,
            }
        };
        seen.games += 1;
        if let Some(ending) = ending {
            *seen.endings.entry(ending.name()).or_default() += 1;
        }
    }
    println!("{name}: {seen:?}");
    seen
}

#[test]
fn random_games_keep_to_the_rules_on_every_ply() {
    let each = std::env::var("RANDOM_PLIES").map_or(PLIES.div_ceil(PRESETS.len()), |text| {
        text.parse().expect("RANDOM_PLIES is a number of plies")
    });
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((name, rules)) = PRESETS.get(next.fetch_add(1, Ordering::Relaxed)) {
            let seen = play(name, *rules, each);
            assert!(seen.captures > each / 50, "{name}: {seen:?}");
            let splits = rules.fission != fusion_chess::rules::Fission::None;
            assert_eq!(
                seen.fusions > 0,
                rules.fusion.any() || rules.king_fuses,
                "{name}: {seen:?}"
            );
            assert_eq!(seen.fissions > 0, splits, "{name}: {seen:?}");
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
}
