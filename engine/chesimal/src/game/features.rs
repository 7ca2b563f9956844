//! Network inputs: the active features of a position, seen from the side to move.
//!
//! | block | size | meaning |
//! | --- | --- | --- |
//! | units | 2 x 6 x 192 | own, then enemy unit of a kind on a square |
//! | alert | 2 x 192 | own, then enemy unit that some leader can activate |
//! | attacked | 2 x 192 | own, then enemy unit that an alert unit of the other side can capture |
//! | turn | 4 x 192 | the active leader, units that moved, recruits, units that may be activated |
//! | friends | 192 | units of the active leader's AMP |
//! | leaderless | 2 x 192 | own, then enemy |
//! | royal | 2 x 192 | own, then enemy unit whose AMP has a King |
//! | rules | 64 | toggles, see [`of_rules`] |
//! | state | 64 | the turn and the clocks, see [`state`] |
//!
//! Each block of squares is three words of the set. The board is turned so that the side to move
//! plays up. The small board lies in the middle files, so that both boards have the same mirror image
//! of a square. The blocks of AMPs are empty under `friendly=colour`.

use super::ChesimalGame;
use crate::board::{Bitboard, Kind, Mode, Position, SQUARES, Square};
use crate::rules::{AfterCapture, Kings, PrinceMode, RuleSet, Setup};
use fusion_game::{FeatureSet, Side};

/// Blocks of squares.
const BLOCKS: usize = 2 * Kind::COUNT + 2 + 2 + 4 + 1 + 2 + 2;
/// First feature after the blocks of squares.
const RULES: usize = BLOCKS * SQUARES;
/// Words of a block.
const WORDS: usize = SQUARES / 64;

/// Number of features.
pub(super) const COUNT: usize = RULES + 2 * 64;

/// Returns the feature that corresponds to this one when the board is mirrored left to right.
pub(super) fn reflect(feature: usize) -> usize {
    if feature < RULES { feature ^ 15 } else { feature }
}

/// How a side sees the board: it plays up, and the small board lies in the middle files.
#[derive(Clone, Copy)]
pub(super) struct Orientation {
    ranks: usize,
    /// Files to the left of the board.
    margin: usize,
    turned: bool,
}

impl Orientation {
    #[inline]
    pub(super) fn of(side: Side, rules: &RuleSet) -> Self {
        let margin = if rules.setup == Setup::Small { 4 } else { 0 };
        Self { ranks: rules.size().1, margin, turned: side == Side::Second }
    }

    #[inline]
    pub(super) fn set(self, set: Bitboard) -> Bitboard {
        let set = if self.turned { set.upside_down(self.ranks) } else { set };
        Bitboard(set.0.map(|word| word << self.margin))
    }

    /// Returns the index of a square, below [`SQUARES`].
    #[inline]
    pub(super) fn square(self, square: Square) -> usize {
        let rank = if self.turned { self.ranks - 1 - square.rank() } else { square.rank() };
        rank * 16 + square.file() + self.margin
    }
}

pub(super) fn collect(game: &ChesimalGame, features: &mut FeatureSet) {
    let (position, rules) = (&game.position, &game.rules);
    let orientation = Orientation::of(position.side(), rules);
    let words = features.words_mut();
    let mut blocks = words.chunks_exact_mut(WORDS);
    let mut put = |set: Bitboard| {
        if let Some(block) = blocks.next() {
            block.copy_from_slice(&orientation.set(set).0);
        }
    };
    let sides = [position.side(), position.side().other()];
    for own in sides.map(|side| position.units(side)) {
        Kind::ALL.into_iter().for_each(|kind| put(own & position.kind(kind)));
    }
    let alert = sides.map(|side| position.alert(side, rules));
    alert.into_iter().for_each(&mut put);
    let reached = alert.map(|units| position.reached_by(units, rules));
    put(reached[1] & position.units(sides[0]));
    put(reached[0] & position.units(sides[1]));
    let leader = position.active().map(|active| active.square);
    put(leader.map_or(Bitboard::EMPTY, Square::bit));
    put(position.moved());
    put(position.recruited());
    put(position.ready(rules));
    put(leader
        .filter(|_| rules.has_amps())
        .map_or(Bitboard::EMPTY, |leader| position.friends(leader, rules)));
    let leaderless = position.leaderless(rules);
    let royal = royal(position, rules);
    for set in [leaderless, royal] {
        sides.into_iter().for_each(|side| put(set & position.units(side)));
    }
    words[BLOCKS * WORDS] = of_rules(rules);
    words[BLOCKS * WORDS + 1] = state(game);
}

/// Returns the units whose AMP has a King; none under `friendly=colour`.
pub(super) fn royal(position: &Position, rules: &RuleSet) -> Bitboard {
    if !rules.has_amps() {
        return Bitboard::EMPTY;
    }
    let kings = position.kind(Kind::King);
    kings.fold(Bitboard::EMPTY, |set, king| set | position.friends(king, rules))
}

/// A word that is filled from its lowest bit.
#[derive(Default)]
struct Bits {
    word: u64,
    next: u32,
}

impl Bits {
    fn flag(&mut self, on: bool) {
        self.word |= u64::from(on) << self.next;
        self.next += 1;
    }

    /// Adds a bit for each step that the number reaches.
    fn steps(&mut self, number: u16, steps: &[u16]) {
        steps.iter().for_each(|&step| self.flag(number >= step));
    }
}

/// Returns the toggles as bits: amp, recruiting, other units of a King and units of a Prince by
/// steps, both modes at once, any King, passing, captures that end the turn, the small board,
/// repetition, no quiet limit, a quiet limit of 50 and of 100 or more. Bits after these are 0.
pub(super) fn of_rules(rules: &RuleSet) -> u64 {
    let mut bits = Bits::default();
    bits.flag(rules.has_amps());
    bits.flag(rules.recruits());
    bits.steps(rules.king_others.get(), &[1, 2, 3, 4, 6, 8, 12, 20]);
    bits.steps(rules.prince_total.get(), &[2, 3, 4, 6, 9, 12, 16, 24]);
    bits.flag(rules.prince_mode == PrinceMode::Both);
    bits.flag(rules.kings == Kings::Any);
    bits.flag(rules.pass);
    bits.flag(rules.after_capture == AfterCapture::End);
    bits.flag(rules.setup == Setup::Small);
    bits.flag(rules.repetition);
    let limit = rules.quiet_limit.0;
    bits.flag(limit.is_none());
    bits.steps(limit.map_or(0, |limit| limit.get()), &[50, 100]);
    bits.word
}

/// Returns the turn and the clocks as bits: the mode; whether the leader has moved, the turn may end,
/// the position occurred before, one capture of a King wins, one loses; other units left, from 1 to
/// 9; quiet turns by sixteenths of the limit.
fn state(game: &ChesimalGame) -> u64 {
    let (position, rules) = (&game.position, &game.rules);
    let mut bits = Bits::default();
    let active = position.active();
    for mode in Mode::ALL {
        bits.flag(active.is_some_and(|active| active.mode == mode));
    }
    bits.flag(active.is_some_and(|active| position.moved().has(active.square)));
    bits.flag(position.has_activated());
    bits.flag(game.repetitions() > 0);
    for side in [position.side().other(), position.side()] {
        let kings = (position.kind(Kind::King) & position.units(side)).len();
        bits.flag(kings <= rules.kings_needed());
    }
    bits.steps(position.others_left(rules), &[1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let limit = rules.quiet_limit.0.map_or(1000, |limit| limit.get());
    let sixteenths = u32::from(position.quiet()) * 16 / u32::from(limit);
    bits.steps(sixteenths.min(16) as u16, &[1, 2, 4, 6, 8, 10, 12, 14, 15]);
    bits.word
}
