//! Chess games for the alpha-beta search.

use super::{FusionGame, exchange};
use crate::board::{Bitboard, Color, Component, Move, MoveKind, Piece, Position, attacks};
use crate::rules::{BareKing, Repetition, RuleSet, Stalemate};
use fusion_game::{MoveIndices, Outcome, Tactics};

/// The position before a move, and how much of the history counted there.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    pub(super) position: Position,
    since: u32,
    twice_since: u32,
    twice: u32,
}

/// Number of kinds of moving pieces that statistics tell apart.
const MOVERS: usize = 16;

/// Number of kinds of moves that share their squares: of a whole piece, of a component, a fusion.
const WAYS: usize = 3;

/// The kind of a moving piece by its components: simple pieces, pairs, royal compounds, all others.
static KINDS: [u8; Piece::SETS] = {
    let mut kinds = [15; Piece::SETS];
    let mut component = 0;
    while component < Component::COUNT {
        kinds[1 << component] = component as u8;
        component += 1;
    }
    kinds[Piece::QUEEN.index()] = 6;
    kinds[Piece::MARSHALL.index()] = 7;
    kinds[Piece::PALADIN.index()] = 8;
    let mut royal = 0;
    while royal < Piece::SETS {
        if royal & 1 != 0 && royal > 1 {
            kinds[royal] = match royal {
                0b11 => 9,
                0b101 => 10,
                0b1001 => 11,
                _ => 12,
            };
        }
        royal += 2;
    }
    kinds
};

impl FusionGame {
    /// Returns whether the rules decide some games without a check.
    #[inline]
    fn decides_without_check(&self) -> bool {
        self.rules.stalemate == Stalemate::Win || self.rules.bare_king == BareKing::Loses
    }

    /// Returns whether the position may be decided although there is no check.
    fn may_be_decided(&self) -> bool {
        let is_bare = |color| self.position.is_bare(color);
        self.rules.bare_king == BareKing::Loses && Color::ALL.into_iter().any(is_bare)
            || self.rules.stalemate == Stalemate::Win && !self.position.has_legal_move(&self.rules)
    }

    fn undo(&self) -> Undo {
        Undo {
            position: self.position,
            since: self.since as u32,
            twice_since: self.twice_since as u32,
            twice: self.twice.len() as u32,
        }
    }
}

impl Tactics for FusionGame {
    type Undo = Undo;

    /// The parts are the Pawns, and the other pieces of each side.
    fn indices(_: &RuleSet) -> MoveIndices {
        MoveIndices { paths: WAYS * 64 * 64, arrivals: MOVERS * 64, parts: 3 }
    }

    fn make(&mut self, mv: Move) -> Undo {
        let undo = self.undo();
        self.remember();
        undo.position.play_into(mv, &mut self.position);
        if self.position.halfmove_clock() == 0 {
            self.since = self.history.len();
            self.twice_since = self.twice.len();
        }
        undo
    }

    #[inline]
    fn unmake(&mut self, undo: &Undo) {
        self.position = undo.position;
        self.history.pop();
        self.since = undo.since as usize;
        self.twice.truncate(undo.twice as usize);
        self.twice_since = undo.twice_since as usize;
    }

    /// A side that has fewer than two pieces besides Pawns and its royal piece may be in zugzwang.
    fn pass(&mut self) -> Option<Undo> {
        let position = &self.position;
        let own = position.color(position.side_to_move());
        let royal = position.royal(position.side_to_move()).bit();
        if (own & !position.component(Component::Pawn) & !royal).len() < 2 {
            return None;
        }
        let undo = self.undo();
        self.history.push(self.position.hash());
        self.position.pass();
        // Positions before a pass do not occur again after it.
        self.since = self.history.len();
        self.twice_since = self.twice.len();
        Some(undo)
    }

    /// A check, or a position that may be lost by stalemate or with a bare King.
    #[inline]
    fn is_threatened(&self) -> bool {
        self.position.in_check() || self.decides_without_check() && self.may_be_decided()
    }

    /// Checks by the moved piece and discovered ones, but not those by a castled Rook or along the
    /// line of a Pawn that is captured en passant, nor games that end by stalemate or a bare King.
    fn threats(&self) -> impl Fn(Move) -> bool {
        let position = &self.position;
        let side = position.side_to_move();
        let (own, occupied) = (position.color(side), position.occupied());
        let royal = position.royal(!side);
        let lines = (attacks::rook(royal, occupied), attacks::bishop(royal, occupied));
        let leaps = [attacks::knight(royal), attacks::pawn(!side, royal), attacks::king(royal)];
        let rooks = own & position.component(Component::Rook);
        let bishops = own & position.component(Component::Bishop);
        let blockers = own & (lines.0 | lines.1);
        move |mv| {
            let opens = blockers.has(mv.from()) && mv.leaving().is_empty();
            let (rook, bishop) = if opens {
                let occupied = occupied & !mv.from().bit() | mv.to().bit();
                (attacks::rook(royal, occupied), attacks::bishop(royal, occupied))
            } else {
                lines
            };
            let squares = [Bitboard::EMPTY, rook, bishop, leaps[0], leaps[1], leaps[2]];
            let (_, arrived) = exchange::mover(position, mv);
            let joined = match mv.kind() {
                MoveKind::Fusion => position.piece_on(mv.to()),
                _ => Piece::NONE,
            };
            let mut parts = arrived.components().chain(joined.components());
            let sliders = (rook & rooks | bishop & bishops) & !(mv.from().bit() | mv.to().bit());
            parts.any(|part| squares[part as usize].has(mv.to())) || opens && !sliders.is_empty()
        }
    }

    #[inline]
    fn part(&self, part: usize) -> u64 {
        let position = &self.position;
        let pawns = position.component(Component::Pawn);
        // Constants without structure; the upper half of a product depends on all bits.
        let join = |hash: u64, board: Bitboard| {
            let product = u128::from(hash ^ board.0) * 0x9e37_79b9_7f4a_7c15;
            (product >> 64) as u64 ^ product as u64
        };
        if part == 0 {
            return join(join(1, pawns & position.color(Color::White)), pawns);
        }
        let own = position.color(if part == 1 { Color::White } else { Color::Black }) & !pawns;
        let parts = [Component::King, Component::Rook, Component::Bishop, Component::Knight];
        parts.into_iter().fold(2, |hash, part| join(hash, own & position.component(part)))
    }

    #[inline]
    fn is_forcing(&self, mv: Move) -> bool {
        let us = self.position.side_to_move();
        let (own, them) = (self.position.color(us), self.position.color(!us));
        let pawn = self.position.component(Component::Pawn).has(mv.from());
        match mv.kind() {
            MoveKind::EnPassant => true,
            MoveKind::Promotion(_) if pawn => !own.has(mv.to()),
            _ => them.has(mv.to()),
        }
    }

    fn forcing_moves(&self, moves: &mut Vec<Move>) {
        self.position.forcing_moves(&self.rules, moves);
    }

    fn recurrence(&self, plies: usize) -> Option<Outcome> {
        let second_draws = self.rules.repetition == Repetition::Draw;
        let hash = self.position.hash();
        let mut earlier = 0;
        // A position can only recur with the same side to move.
        for (back, &known) in self.recent().iter().rev().enumerate().skip(1).step_by(2) {
            if known == hash {
                earlier += 1;
                if second_draws && back + 1 < plies || earlier == 2 {
                    return Some(self.third_occurrence());
                }
            }
        }
        None
    }

    #[inline]
    fn is_far_from_draw(&self) -> bool {
        let limit = self.rules.move_limit.plies();
        limit.is_none_or(|plies| self.position.halfmove_clock() + 10 < plies)
    }

    #[inline]
    fn gain(&self, mv: Move) -> i32 {
        exchange::gain(&self.position, mv)
    }

    fn exchange_gains(&self, mv: Move, least: i32) -> bool {
        exchange::gains(&self.position, &self.rules, mv, least)
    }

    #[inline]
    fn path(&self, mv: Move) -> usize {
        let way = match mv.kind() {
            MoveKind::Fusion => 2,
            _ if !mv.leaving().is_empty() => 1,
            _ => 0,
        };
        (way * 64 + mv.from().index()) * 64 + mv.to().index()
    }

    #[inline]
    fn arrival(&self, mv: Move) -> usize {
        let leaving = mv.leaving();
        let mover = if leaving.is_empty() { self.position.piece_on(mv.from()) } else { leaving };
        usize::from(KINDS[mover.index()]) * 64 + mv.to().index()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{PRESETS, RuleSet};
    use fusion_game::{Game, Notation};
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    fn moves(game: &FusionGame) -> Vec<Move> {
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        moves
    }

    /// Everything on which rules, networks and tables depend.
    fn state(game: &FusionGame) -> (Position, Vec<u64>, Vec<u64>) {
        let twice = game.recent_twice().iter().map(Position::hash).collect();
        (game.position, game.recent().to_vec(), twice)
    }

    proptest! {
        #[test]
        fn lines_are_taken_back(
            choices in prop::collection::vec(any::<prop::sample::Index>(), 1..200),
            preset in prop::option::of(0..PRESETS.len()),
            seed: u64,
            start in 0..3usize,
        ) {
            let random = || RuleSet::random(&mut ChaCha8Rng::seed_from_u64(seed));
            let rules = preset.map_or_else(random, |preset| PRESETS[preset].1);
            let rules = rules.denying_at_random(seed);
            // Few pieces repeat positions.
            let bare = ["", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "4k3/8/8/3n4/8/8/4P3/R3K3 w - - 0 1"];
            let mut line = match start {
                0 => FusionGame::new(&rules),
                _ => FusionGame::from_text(&rules, bare[start]).unwrap(),
            };
            let mut played = line.clone();
            let mut undone = Vec::new();
            for choice in choices {
                let legal = moves(&line);
                if line.outcome(&legal).is_some() {
                    break;
                }
                let mv = *choice.get(&legal);
                undone.push((state(&line), line.make(mv)));
                played.play(mv);
                prop_assert_eq!(state(&line), state(&played));
                prop_assert_eq!(line.outcome_now(), played.outcome_now());
                let hash = line.position.hash();
                let earlier: Vec<usize> = (1..=line.recent().len())
                    .filter(|back| line.recent()[line.recent().len() - back] == hash)
                    .collect();
                let draws = rules.repetition == Repetition::Draw;
                for plies in [0, 3, 8, 300] {
                    let near = draws && earlier.iter().any(|&back| back < plies);
                    let wanted = near || earlier.len() >= 2;
                    prop_assert_eq!(line.recurrence(plies).is_some(), wanted, "{:?} {}", &earlier, plies);
                }
                let before = state(&line);
                if let Some(undo) = line.pass() {
                    prop_assert_eq!(line.position.hash(), line.position.fresh_hash());
                    prop_assert!(line.position.en_passant().is_none() && line.recurrence(300).is_none());
                    line.unmake(&undo);
                }
                prop_assert_eq!(state(&line), before);
            }
            while let Some((before, undo)) = undone.pop() {
                line.unmake(&undo);
                prop_assert_eq!(state(&line), before);
            }
        }
    }

    proptest! {
        /// All checks except those by castling and en passant.
        #[test]
        fn checks_are_predicted_before_the_move(
            choices in prop::collection::vec(any::<prop::sample::Index>(), 1..120),
            preset in prop::option::of(0..PRESETS.len()),
            seed: u64,
        ) {
            let random = || RuleSet::random(&mut ChaCha8Rng::seed_from_u64(seed));
            let mut game = FusionGame::new(&preset.map_or_else(random, |preset| PRESETS[preset].1));
            for choice in choices {
                let legal = moves(&game);
                if game.outcome(&legal).is_some() {
                    break;
                }
                for &mv in &legal {
                    if matches!(mv.kind(), MoveKind::Castling | MoveKind::EnPassant) {
                        continue;
                    }
                    let predicted = game.threats()(mv);
                    let undo = game.make(mv);
                    let checks = game.position.in_check();
                    game.unmake(&undo);
                    prop_assert_eq!(predicted, checks, "{} in {}", mv, game.to_text());
                }
                game.play(*choice.get(&legal));
            }
        }
    }

    #[test]
    fn sides_with_few_pieces_do_not_pass() {
        let passes = |fen: &str| {
            FusionGame::from_text(&"fusion-1999".parse().unwrap(), fen).unwrap().pass().is_some()
        };
        assert!(!passes("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"));
        assert!(!passes("4k3/8/8/8/8/8/4P3/N3K3 w - - 0 1"));
        assert!(passes("4k3/8/8/8/8/8/4P3/NB2K3 w - - 0 1"));
        // A royal compound without other pieces.
        assert!(!passes("4k3/8/8/8/8/8/4P3/4G3 w - - 0 1"));
    }
}
