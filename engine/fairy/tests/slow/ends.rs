//! Ends of games.

use fusion_fairy::definition::{Counting, Flag, Material, Role, Value};

use super::moves::Move;
use super::{Past, Slow};

/// Why a game has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Too few pieces of a kind are left.
    Extinction,
    /// A piece has reached its region.
    Flag,
    /// Enough checks were given.
    Checks,
    /// Pieces are in a row.
    Connect,
    /// Both sides passed.
    Passes,
    /// Too little is left.
    Dead,
    /// Nothing has happened for long.
    MoveRule,
    /// A position has come back.
    Repetition,
    /// A position has come back by checks.
    PerpetualCheck,
    /// A counting rule.
    Counting,
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no move.
    Stalemate,
}

/// How a game has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The winner, 0 or 1; `None` for a draw.
    pub winner: Option<usize>,
    /// Why.
    pub reason: Reason,
}

impl Slow<'_> {
    /// Returns the end of the game, if it has ended.
    pub fn outcome(&self) -> Option<Ending> {
        self.immediate_end().or_else(|| self.optional_end()).or_else(|| self.end_without_moves())
    }

    /// Returns the end with this value for the side.
    fn end(&self, value: Value, side: usize, reason: Reason) -> Ending {
        let winner = match value {
            Value::Win => Some(side),
            Value::Draw => None,
            Value::Loss => Some(1 - side),
        };
        Ending { winner, reason }
    }

    /// Returns the end that counting of material gives, or a draw.
    fn counted(&self, reason: Reason) -> Ending {
        let sum = |weights: &[(&str, i64)]| -> i64 {
            let of = |side: usize, name: &str| i64::from(self.number(name, side));
            weights.iter().map(|(name, weight)| weight * (of(0, name) - of(1, name))).sum()
        };
        let winner = match self.game.material {
            None => None,
            Some(Material::WhiteDrawOdds) => Some(0),
            Some(Material::BlackDrawOdds) => Some(1),
            Some(Material::Unweighted) => {
                match self.board.men(0).len().cmp(&self.board.men(1).len()) {
                    std::cmp::Ordering::Less => Some(1),
                    std::cmp::Ordering::Equal => None,
                    std::cmp::Ordering::Greater => Some(0),
                }
            }
            Some(Material::Janggi) => {
                let heavy = sum(&[("rook", 13), ("janggiCannon", 7), ("horse", 5)]);
                let light = sum(&[("janggiElephant", 3), ("wazir", 3), ("soldier", 2)]);
                Some(usize::from(heavy + light - 1 <= 0))
            }
        };
        Ending { winner, reason }
    }

    /// Returns an end after which no move is legal.
    pub fn immediate_end(&self) -> Option<Ending> {
        let them = 1 - self.side;
        if let Some(end) = self.extinction() {
            return Some(end);
        }
        if let Some(end) = self.game.flag.and_then(|flag| self.flag_end(flag)) {
            return Some(end);
        }
        if self.game.check_counting && self.checks[them] == 0 {
            return Some(self.end(Value::Win, them, Reason::Checks));
        }
        if let Some(connect) = self.game.connect.filter(|_| self.has_row(them)) {
            return Some(self.end(connect.value, them, Reason::Connect));
        }
        let passes = self.passed[0] && self.passed[1];
        passes.then(|| self.counted(Reason::Passes))
    }

    /// Returns the end by extinction.
    fn extinction(&self) -> Option<Ending> {
        let rule = self.game.extinction.filter(|_| !self.game.pseudo_royal || self.game.blast)?;
        let number = |side: usize, kind: usize| {
            self.board.men_of(side, kind).len() + self.hands[side][kind] as usize
        };
        let all = |side: usize| {
            self.board.men(side).len() + self.hands[side].iter().sum::<u32>() as usize
        };
        for side in [1 - self.side, self.side] {
            let extra = usize::from(rule.claim && side == self.side);
            let ends = |own: usize, other: usize| {
                own <= usize::from(rule.count) && other >= usize::from(rule.opponent_count) + extra
            };
            let kinds = (0..self.game.pieces.len()).filter(|kind| rule.kinds >> kind & 1 == 1);
            let by_kind =
                kinds.into_iter().any(|kind| ends(number(side, kind), number(1 - side, kind)));
            if by_kind || rule.all && ends(all(side), all(1 - side)) {
                return Some(self.end(rule.value, side, Reason::Extinction));
            }
        }
        None
    }

    /// Returns the end by a flag.
    fn flag_end(&self, flag: Flag) -> Option<Ending> {
        let (us, them) = (self.side, 1 - self.side);
        let royal = |side: usize| {
            flag.kind[side].is_some_and(|kind| self.board.role(usize::from(kind)) == Role::King)
        };
        if (flag.last_move || flag.safe) && self.has_flag(flag, us) {
            let answers = flag.last_move && us == 0 && royal(them) || flag.safe && !flag.last_move;
            let value = if answers && self.has_flag(flag, them) { Value::Draw } else { Value::Win };
            return Some(self.end(value, us, Reason::Flag));
        }
        if !self.has_flag(flag, them) || flag.last_move && !flag.safe && !royal(us) {
            return None;
        }
        let answer = flag.last_move
            && royal(us)
            && us == 1
            && !self.in_check()
            && self.king_reaches_flag(flag);
        (!answer).then(|| self.end(Value::Win, them, Reason::Flag))
    }

    /// Returns whether the King of the side to move can go to its region at once.
    fn king_reaches_flag(&self, flag: Flag) -> bool {
        let us = self.side;
        let Some(king) = self.board.king(us) else { return false };
        let kind = self.board.cells[king].expect("a King").kind;
        let inside = |to: usize| Self::has(flag.region[us], to);
        let reaches =
            |mv: &Move| matches!(mv, Move::Plain { from, to } if *from == king && inside(*to));
        self.board.attacks(us, kind, king).into_iter().any(inside)
            && self.all_moves().into_iter().any(|mv| reaches(&mv) && self.is_legal(mv))
    }

    /// Returns whether the side's pieces have reached their region.
    fn has_flag(&self, flag: Flag, side: usize) -> bool {
        let region = flag.region[side];
        let wanted = |square: &usize| {
            let kind = self.board.cells[*square].expect("a man").kind;
            Self::has(region, *square)
                && flag.kind[side].is_none_or(|wanted| usize::from(wanted) == kind)
        };
        let arrived: Vec<usize> = self.board.men(side).into_iter().filter(wanted).collect();
        let full = (0..self.game.squares())
            .all(|square| !Self::has(region, square) || self.board.occupied(square));
        let enough = arrived.len() >= usize::from(flag.count) || flag.blocked_wins && full;
        if arrived.is_empty() || !enough {
            return false;
        }
        // With an extra move, only pieces of the side that has just moved have to be safe.
        let looks = flag.safe
            && (!flag.last_move || side != self.side)
            && arrived.len() == usize::from(flag.count);
        let attacked = |square: &usize| !self.board.attackers(*square, 1 - side).is_empty();
        !looks || !arrived.iter().any(attacked)
    }

    /// Returns whether the side has a row.
    fn has_row(&self, side: usize) -> bool {
        let Some(rule) = self.game.connect else { return false };
        let counts = |square: usize| {
            self.board.cells[square]
                .is_some_and(|man| man.side == side && rule.kinds >> man.kind & 1 == 1)
        };
        let mut directions = Vec::new();
        directions.extend(Some((0, 1)).filter(|_| rule.lines[0]));
        directions.extend(Some((1, 0)).filter(|_| rule.lines[1]));
        directions.extend([(1, 1), (1, -1)].into_iter().filter(|_| rule.lines[2]));
        let row = |start: usize, dx: isize, dy: isize| {
            let place = |n: isize| self.board.neighbour(start, n * dx, n * dy);
            (0..isize::from(rule.count as i8)).all(|n| place(n).is_some_and(counts))
        };
        (0..self.game.squares()).any(|start| directions.iter().any(|(dx, dy)| row(start, *dx, *dy)))
    }

    /// Returns an end that leaves moves legal.
    pub fn optional_end(&self) -> Option<Ending> {
        let rule = u32::from(self.game.move_rule);
        let mated = || self.in_check() && self.moves().is_empty();
        if rule > 0 && self.quiet_plies >= 2 * rule && !mated() {
            return Some(self.counted(Reason::MoveRule));
        }
        if self.is_dead() && !self.moves().is_empty() {
            return Some(self.counted(Reason::Dead));
        }
        if let Some(end) = self.repetition() {
            return Some(end);
        }
        let counted = self.count_limit > 0 && self.count > self.count_limit && !mated();
        counted.then(|| self.end(Value::Draw, 0, Reason::Counting))
    }

    /// Returns the end by repetition.
    fn repetition(&self) -> Option<Ending> {
        let rule = self.game.repetition;
        let played = self.past.len();
        let reach =
            if self.game.drops.captures { played } else { played.min(self.quiet_plies as usize) };
        let key = self.key();
        let checked = |back: usize| {
            if back == 0 { self.in_check() } else { self.past[played - back].in_check }
        };
        let mut seen = 1;
        for back in (4..=reach).step_by(2).filter(|_| rule.fold > 0) {
            if rule.no_back_and_forth && self.wanders(back, reach) {
                return Some(self.end(Value::Win, self.side, Reason::Repetition));
            }
            if self.past[played - back].key != key {
                continue;
            }
            seen += 1;
            if seen < rule.fold {
                continue;
            }
            let us = rule.no_perpetual_check && (0..=back).step_by(2).all(checked);
            let them = rule.no_perpetual_check && (1..back).step_by(2).all(checked);
            let value = match (us, them) {
                (true, true) => Value::Draw,
                (true, false) => Value::Win,
                (false, true) => Value::Loss,
                (false, false) => {
                    let side = if rule.absolute { 0 } else { self.side };
                    let end = self.end(rule.value, side, Reason::Repetition);
                    return Some(if end.winner.is_none() {
                        self.counted(Reason::Repetition)
                    } else {
                        end
                    });
                }
            };
            let end = self.end(value, self.side, Reason::PerpetualCheck);
            return Some(if end.winner.is_none() {
                self.counted(Reason::PerpetualCheck)
            } else {
                end
            });
        }
        None
    }

    /// Returns whether the other side has, in just this many plies, brought a piece to a square and moved it away and
    /// back twice. A pass before its last move does not count.
    fn wanders(&self, back: usize, reach: usize) -> bool {
        let them = 1 - self.side;
        let mut own: Vec<&Past> = self.past.iter().rev().step_by(2).take(back / 2 + 1).collect();
        let known = own.iter().take(reach.div_ceil(2));
        if own.len() <= back / 2 || known.into_iter().any(|past| past.in_check) {
            return false;
        }
        if matches!(own[1].mv, Move::Pass { .. }) {
            own.remove(1);
        }
        let moves: Vec<Move> = own.iter().map(|past| past.mv).collect();
        let [Move::Plain { from, to }, back, forth, again, arrival] = moves[..] else {
            return false;
        };
        let returns = Move::Plain { from: to, to: from };
        let wanders = [back, forth, again] == [returns, moves[0], returns];
        let kings = self.game.pieces.iter().find(|piece| piece.role == Role::King);
        let kind = self.board.cells[to].expect("a man").kind;
        let meets = kings
            .is_none_or(|king| self.game.pieces[kind].region[them] & king.region[self.side] != 0);
        wanders && meets && arrival.ends().1 == to && !own[4].captured
    }

    /// Returns the end of a side that has no move.
    pub fn end_without_moves(&self) -> Option<Ending> {
        if !self.moves().is_empty() {
            return None;
        }
        let us = self.side;
        if self.in_check() {
            let king = self.board.king(us)?;
            let pawn = self.kind_named("shogiPawn");
            let attackers = self.board.attackers(king, 1 - us);
            let by_pawns =
                attackers.iter().all(|from| self.board.cells[*from].map(|man| man.kind) == pawn);
            if self.game.drops.no_pawn_mate && by_pawns && self.added {
                return Some(self.end(Value::Win, us, Reason::Checkmate));
            }
            return Some(self.end(self.game.checkmate, us, Reason::Checkmate));
        }
        if self.pseudo_royal_is_attacked() {
            return Some(self.end(self.game.checkmate, us, Reason::Checkmate));
        }
        let mut end = self.end(self.game.stalemate, us, Reason::Stalemate);
        if self.game.stalemate_by_count {
            let (own, other) = (self.board.men(us).len(), self.board.men(1 - us).len());
            let side = if own < other { us } else { 1 - us };
            let value = if own == other { Value::Draw } else { self.game.stalemate };
            end = self.end(value, side, Reason::Stalemate);
        }
        Some(if end.winner.is_none() { self.counted(Reason::Stalemate) } else { end })
    }

    /// Returns how many pieces of the side have this name.
    pub fn number(&self, name: &str, side: usize) -> u32 {
        self.kind_named(name).map_or(0, |kind| self.board.men_of(side, kind).len() as u32)
    }

    /// Returns the limit of a counting rule in moves, for the side that may claim a draw; 0 for none.
    pub fn limit(&self, rule: Counting, side: usize) -> u32 {
        let men = |side: usize| self.board.men(side).len();
        let other = |name: &str| self.number(name, 1 - side);
        let pawns = self.number("pawn", 0) + self.number("pawn", 1);
        // Rooks, Rook, Silvers, Knights, Silver, anything else.
        let by_pieces = |limits: [u32; 6]| match (other("rook"), other("silver"), other("knight")) {
            (2.., _, _) => limits[0],
            (1, _, _) => limits[1],
            (_, 2.., _) => limits[2],
            (_, _, 2..) => limits[3],
            (_, 1, _) => limits[4],
            _ => limits[5],
        };
        match rule {
            Counting::Makruk if pawns > 0 || men(1 - side) == 1 => 0,
            Counting::Makruk if men(side) > 1 => 64,
            Counting::Makruk => by_pieces([8, 16, 22, 32, 44, 64]),
            Counting::Cambodian if men(side) > 3 || men(1 - side) == 1 => 0,
            Counting::Cambodian if men(side) > 1 => 63,
            Counting::Cambodian if pawns > 0 => 0,
            Counting::Cambodian => by_pieces([7, 15, 21, 31, 43, 63]),
            Counting::Asean if pawns > 0 || men(side) > 1 => 0,
            Counting::Asean => match (other("rook"), other("silver"), other("knight")) {
                (1.., _, _) => 16,
                (_, 1.., _) => 44,
                (_, _, 1..) => 64,
                _ => 0,
            },
        }
    }
}
