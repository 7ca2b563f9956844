//! Ends of a game that a position shows.

use super::attacks::Danger;
use super::movement::for_each;
use super::moves::Move;
use super::position::Position;
use super::tables::Tables;
use crate::definition::{Connect, Extinction, Flag, Kind, Material, Squares, Value};

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// The royal piece is attacked, and no move saves it.
    Checkmate,
    /// There is no move.
    Stalemate,
    /// Some kind of piece has died out.
    Extinction,
    /// A piece has reached its goal.
    Flag,
    /// A side has given all its checks.
    Checks,
    /// Pieces stand in a row.
    Connection,
    /// Both sides have passed.
    Passes,
    /// A position has occurred too often.
    Repetition,
    /// A side gave check all the time while positions were repeated.
    PerpetualCheck,
    /// Too little material is left.
    Dead,
    /// Too many moves without progress.
    MoveRule,
    /// A counting rule has run out.
    Counting,
}

/// The end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The side that wins; `None` is a draw.
    pub winner: Option<usize>,
    /// Why.
    pub reason: Reason,
}

impl End {
    /// Returns the end with a value for a side.
    pub(crate) fn with(reason: Reason, value: Value, side: usize) -> Self {
        let winner = match value {
            Value::Win => Some(side),
            Value::Draw => None,
            Value::Loss => Some(side ^ 1),
        };
        Self { winner, reason }
    }
}

impl Position {
    /// Returns the end that the last move has brought by a rule of its own, whatever moves there are.
    pub(crate) fn immediate_end(&self, tables: &Tables) -> Option<End> {
        let rules = &tables.rules;
        let us = self.side;
        if let Some(extinction) = &rules.extinction
            && (!rules.pseudo_royal || rules.blast)
            && let Some(side) =
                [us ^ 1, us].into_iter().find(|&side| self.is_extinct(extinction, side))
        {
            return Some(End::with(Reason::Extinction, extinction.value, side));
        }
        if let Some(flag) = &rules.flag
            && let Some(end) = self.flag_end(tables, flag)
        {
            return Some(end);
        }
        if rules.check_counting && self.state.checks[us ^ 1] == 0 {
            return Some(End::with(Reason::Checks, Value::Loss, us));
        }
        if let Some(connect) = &rules.connect
            && self.is_connected(tables, connect, us ^ 1)
        {
            return Some(End::with(Reason::Connection, connect.value, us ^ 1));
        }
        if self.state.passes >= 2 {
            return Some(self.by_material(tables, Reason::Passes));
        }
        None
    }

    /// Returns the end of a position without legal moves that does not end at once.
    pub(crate) fn end_without_moves(&self, tables: &Tables) -> End {
        let rules = &tables.rules;
        let us = self.side;
        let checkers = self.checkers(tables, us);
        if checkers != 0 {
            let by_pawns =
                tables.shogi_pawn.is_some_and(|kind| checkers & !self.of(us ^ 1, kind) == 0);
            if rules.drops.no_pawn_mate && self.state.dropped_pawn && by_pawns {
                return End::with(Reason::Checkmate, Value::Win, us);
            }
            return End::with(Reason::Checkmate, rules.checkmate, us);
        }
        if rules.pseudo_royal && self.pseudo_royal_is_mated(tables) {
            return End::with(Reason::Checkmate, rules.checkmate, us);
        }
        let mut value = rules.stalemate;
        if rules.stalemate_by_count {
            let (own, other) = (self.sides[us].count_ones(), self.sides[us ^ 1].count_ones());
            value = match own.cmp(&other) {
                std::cmp::Ordering::Less => value,
                std::cmp::Ordering::Equal => Value::Draw,
                std::cmp::Ordering::Greater => opposite(value),
            };
        }
        match value {
            Value::Draw => self.by_material(tables, Reason::Stalemate),
            value => End::with(Reason::Stalemate, value, us),
        }
    }

    /// Returns whether the position is drawn by its material or its clocks, if there are legal moves.
    pub(crate) fn clock_end(&self, tables: &Tables) -> Option<End> {
        let [most, count] = self.state.counting;
        if self.is_dead(tables) {
            return Some(self.by_material(tables, Reason::Dead));
        }
        match tables.rules.move_rule {
            limit if limit != 0 && self.state.clock >= 2 * limit => {
                Some(self.by_material(tables, Reason::MoveRule))
            }
            _ if most != 0 && count > most => Some(End { winner: None, reason: Reason::Counting }),
            _ => None,
        }
    }

    /// Returns the end of a drawn game, which a count of material may decide.
    pub(crate) fn by_material(&self, tables: &Tables, reason: Reason) -> End {
        let points = |side| self.points(tables, side);
        let winner = match tables.rules.material {
            None => None,
            Some(Material::WhiteDrawOdds) => Some(0),
            Some(Material::BlackDrawOdds) => Some(1),
            Some(Material::Unweighted) => {
                let counts = [0, 1].map(|side: usize| self.sides[side].count_ones());
                (counts[0] != counts[1]).then(|| usize::from(counts[1] > counts[0]))
            }
            Some(Material::Janggi) => Some(usize::from(points(0) <= points(1) + 15)),
        };
        End { winner, reason }
    }

    /// Returns the points of a side's pieces in Janggi, in tenths without the second side's extra.
    fn points(&self, tables: &Tables, side: usize) -> u32 {
        let points = |name: &str| match name {
            "rook" => 130,
            "janggiCannon" => 70,
            "horse" => 50,
            "janggiElephant" | "wazir" => 30,
            "soldier" => 20,
            _ => 0,
        };
        let pieces = tables.rules.pieces.iter().enumerate();
        pieces
            .map(|(kind, piece)| points(&piece.name) * self.of(side, kind as Kind).count_ones())
            .sum()
    }

    fn is_extinct(&self, extinction: &Extinction, side: usize) -> bool {
        let least =
            u32::from(extinction.opponent_count) + u32::from(extinction.claim && side == self.side);
        let most = u32::from(extinction.count);
        let kind_is = |kind| self.owned(side, kind) <= most && self.owned(side ^ 1, kind) >= least;
        let all_are = extinction.all
            && self.owned_in_all(side) <= most
            && self.owned_in_all(side ^ 1) >= least;
        all_are || Tables::kinds(extinction.kinds).any(kind_is)
    }

    fn flag_end(&self, tables: &Tables, flag: &Flag) -> Option<End> {
        let us = self.side;
        let reached = [0, 1].map(|side| self.has_reached(tables, flag, side));
        let by_king = |side: usize| flag.kind[side].is_some() && flag.kind[side] == tables.king;
        if (flag.last_move || flag.safe) && reached[us] {
            let late = if flag.last_move { us == 0 && by_king(1) } else { flag.safe };
            let value = if late && reached[us ^ 1] { Value::Draw } else { Value::Win };
            return Some(End::with(Reason::Flag, value, us));
        }
        let ends = !flag.last_move || flag.safe || by_king(us);
        if !reached[us ^ 1] || !ends {
            return None;
        }
        let may_follow = flag.last_move && us == 1 && by_king(1);
        if may_follow && self.king_can_reach(tables, flag.region[1]) {
            return None;
        }
        Some(End::with(Reason::Flag, Value::Loss, us))
    }

    fn has_reached(&self, tables: &Tables, flag: &Flag, side: usize) -> bool {
        let pieces = flag.kind[side].map_or(self.sides[side], |kind| self.of(side, kind));
        let there = flag.region[side] & pieces;
        let (count, enough) = (there.count_ones(), u32::from(flag.count));
        let blocked = flag.blocked_wins && flag.region[side] & !self.occupied() == 0;
        if count == 0 || (count < enough && !blocked) {
            return false;
        }
        if !flag.safe || (flag.last_move && side == self.side) || count > enough {
            return true;
        }
        let view = self.view(tables);
        let mut safe = count == enough;
        for_each(there, |square| safe &= self.attackers(tables, square, side ^ 1, view) == 0);
        safe
    }

    /// Returns whether the King of the side to move, which is not in check, can go to one of these squares.
    fn king_can_reach(&self, tables: &Tables, squares: Squares) -> bool {
        let danger = Danger::of(self, tables);
        let Some(king) = danger.king else { return false };
        if danger.checkers != 0 {
            return false;
        }
        let mut moves: Vec<Move> = Vec::new();
        self.moves_now(tables, &danger, &mut moves);
        moves.iter().any(|mv| mv.from() == king && !mv.is_drop() && squares >> mv.to() & 1 == 1)
    }

    fn is_connected(&self, tables: &Tables, connect: &Connect, side: usize) -> bool {
        let kinds = Tables::kinds(connect.kinds);
        let pieces =
            self.sides[side] & kinds.fold(0, |set, kind| set | self.kinds[usize::from(kind)]);
        let [files, ranks, diagonals] = connect.lines;
        let steps = [((0, 1), files), ((1, 0), ranks), ((1, 1), diagonals), ((1, -1), diagonals)];
        steps.into_iter().filter(|(_, counts)| *counts).any(|(step, _)| {
            let mut rows = pieces;
            for _ in 1..connect.count {
                // A longer row begins on a piece beside the first square of a row.
                let mut longer = 0;
                for_each(pieces, |square| {
                    if tables.grid.step(square, step).is_some_and(|next| rows >> next & 1 == 1) {
                        longer |= 1 << square;
                    }
                });
                rows = longer;
            }
            rows != 0
        })
    }

    /// Returns whether a pseudo-royal piece of the side to move is attacked, or all of a duple check.
    pub(crate) fn pseudo_royal_is_mated(&self, tables: &Tables) -> bool {
        let us = self.side;
        let royals = self.pseudo_royals(tables);
        let theirs = royals & self.sides[us ^ 1];
        let view = self.view(tables);
        let attacked = |square: usize| {
            let immune = tables.rules.blast && theirs & tables.around[square] != 0;
            !immune && self.attackers(tables, square, us ^ 1, view) != 0
        };
        let mut any = false;
        for_each(royals & self.sides[us], |square| any |= attacked(square));
        if any || !tables.rules.duple_check {
            return any;
        }
        let candidates = self.candidates(tables, us);
        let mut all = candidates != 0;
        for_each(candidates, |square| all &= attacked(square));
        all
    }
}

/// Returns a value seen by the other side.
pub(crate) fn opposite(value: Value) -> Value {
    match value {
        Value::Win => Value::Loss,
        Value::Draw => Value::Draw,
        Value::Loss => Value::Win,
    }
}
