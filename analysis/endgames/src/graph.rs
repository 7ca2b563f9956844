//! Moves between the arrangements of an ending, forwards by the engine's own rules and backwards.

use fusion_chess::board::movegen::GroupKind;
use fusion_chess::board::{Bitboard, Color, Component, MoveKind, Position, Square, attacks};
use fusion_chess::endgame::{Layout, MAX_COMPONENTS, Material, Squares, Value};
use fusion_chess::rules::{Fission, FusionNeeds, FusionSet, RuleSet};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Number of sets of components other than the Kings.
const SETS: usize = 1 << (MAX_COMPONENTS - 2);

/// A solved table in memory.
#[derive(Debug)]
pub struct Solved {
    /// The order of its entries.
    pub layout: Layout,
    /// A code for each entry.
    pub codes: Vec<u16>,
}

/// Solved tables of one rule set.
pub type SolvedTables = HashMap<Material, Arc<Solved>>;

/// Returns the value of a position from tables in memory.
#[must_use]
pub fn look_up(tables: &SolvedTables, position: &Position) -> Option<Value> {
    let (material, swapped) = Material::of(position)?;
    if material.len() == 2 {
        return Some(Value::Draw);
    }
    let table = tables.get(&material)?;
    let (squares, side) = table.layout.arrangement(position, swapped);
    Value::of_code(table.codes[table.layout.index(&squares, side)?])
}

/// An ending whose smaller endings are solved.
pub struct Ending {
    /// The order of its entries.
    pub layout: Layout,
    /// The rules.
    pub rules: RuleSet,
    /// Endings that captures lead to, by the set of captured components: bit i is component i + 2.
    smaller: [Option<Smaller>; SETS],
}

/// The ending that a capture leads to.
struct Smaller {
    /// The ending's table; `None` for bare Kings.
    table: Option<Arc<Solved>>,
    /// For each component of this ending, the index of the same component in the larger ending.
    origin: Vec<usize>,
    /// Whether White and Black change roles.
    swapped: bool,
}

impl Smaller {
    fn code(&self, squares: &Squares, side: Color) -> u16 {
        let Some(table) = &self.table else {
            return Value::DRAW;
        };
        let mut below = Squares::default();
        for (square, &origin) in below.iter_mut().zip(&self.origin) {
            *square = squares[origin];
        }
        let side = if self.swapped { !side } else { side };
        // Kings are never adjacent after a legal move.
        table.layout.index(&below, side).map_or(Value::DRAW, |index| table.codes[index])
    }
}

/// A material whose table has to be solved first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} must be solved first")]
pub struct Unsolved(pub Material);

/// A move that can have led to an arrangement.
#[derive(Clone, Copy, Debug)]
pub struct Unmove {
    /// The entry of the arrangement before it, in which the other side was to move.
    pub before: usize,
    /// The components that moved: bit i is component i.
    pub movers: usize,
    /// The square that the mover left.
    pub from: Square,
    /// The square on which the mover stands now.
    pub to: Square,
    /// The kind of the move.
    pub kind: MoveKind,
    /// Whether the move is legal whenever both arrangements are possible positions. If false, the
    /// caller has to check the move against the rules.
    pub certain: bool,
}

impl Unmove {
    /// Returns the arrangement before the move, given the arrangement after it.
    #[must_use]
    pub fn back(&self, after: &Squares) -> Squares {
        moved(after, self.movers, self.from)
    }
}

impl Ending {
    /// Builds the ending of a material under a rule set.
    ///
    /// # Errors
    /// Returns the first smaller ending that `solved` lacks.
    pub fn new(
        material: Material,
        rules: RuleSet,
        solved: &SolvedTables,
    ) -> Result<Self, Unsolved> {
        let layout = Layout::new(material);
        let mut smaller = [const { None }; SETS];
        for (set, place) in smaller.iter_mut().enumerate().skip(1) {
            if let Some(lost) = captured(&layout, set) {
                *place = Some(after_capture(&layout, &lost, solved)?);
            }
        }
        Ok(Self { layout, rules, smaller })
    }

    /// Returns the position of an arrangement, or `None` if the arrangement is impossible. It is
    /// possible if every square holds at most two different components, all of one side, and the
    /// side not to move is not in check.
    #[must_use]
    pub fn position(&self, squares: &Squares, side: Color) -> Option<Position> {
        let mut single = [Bitboard::EMPTY; 2];
        let mut shared = [Bitboard::EMPTY; 2];
        for (i, &(color, _)) in self.layout.components().iter().enumerate() {
            let square = Square::new(usize::from(squares[i] & 63)).bit();
            let [us, them] = [color.index(), (!color).index()];
            // The order of the entries gives like components different squares.
            if !((single[them] | shared[us]) & square).is_empty() {
                return None;
            }
            shared[us] |= single[us] & square;
            single[us] |= square;
        }
        let position = self.layout.position(squares, side);
        let waiting = position.royal(!side);
        position.attackers(waiting, side, position.occupied()).is_empty().then_some(position)
    }

    /// Calls `visit` with the code of every position that a legal move leads to, until `visit`
    /// breaks off. `code` looks up this ending's own table.
    #[inline]
    pub fn successors(
        &self,
        squares: &Squares,
        position: &Position,
        code: impl Fn(usize) -> u16,
        mut visit: impl FnMut(u16) -> ControlFlow<()>,
    ) {
        let us = position.side_to_move();
        let enemy = position.color(!us);
        let near = self.layout.neighbours(squares, !us);
        let mut broken_off = false;
        position.legal_groups(&self.rules, |group| {
            let GroupKind::Single(kind) = group.kind else { return };
            if broken_off {
                return;
            }
            let movers = self.movers(squares, group.from, kind);
            let line = near.and_then(|near| near.moved(movers, group.from));
            for to in group.to {
                let code = if enemy.has(to) {
                    self.code_after_capture(squares, movers, to, us)
                } else {
                    let index = match line {
                        Some(line) => Some(line.entry(to)),
                        None => self.layout.index(&moved(squares, movers, to), !us),
                    };
                    // Kings are never adjacent after a legal move.
                    index.map_or(Value::DRAW, &code)
                };
                if visit(code).is_break() {
                    broken_off = true;
                    return;
                }
            }
        });
    }

    /// Calls `visit` with the code of every position that a capture leads to. Returns whether there
    /// are other moves.
    #[inline]
    pub fn captures(
        &self,
        squares: &Squares,
        position: &Position,
        mut visit: impl FnMut(u16),
    ) -> bool {
        let us = position.side_to_move();
        let enemy = position.color(!us);
        let mut others = false;
        position.legal_groups(&self.rules, |group| {
            let GroupKind::Single(kind) = group.kind else { return };
            others |= (group.to & !enemy).any();
            for to in group.to & enemy {
                let movers = self.movers(squares, group.from, kind);
                visit(self.code_after_capture(squares, movers, to, us));
            }
        });
        others
    }

    fn code_after_capture(&self, squares: &Squares, movers: usize, to: Square, us: Color) -> u16 {
        let captured = self.components_on(squares, to) >> 2;
        let smaller = self.smaller[captured % SETS].as_ref();
        smaller.map_or(Value::DRAW, |s| s.code(&moved(squares, movers, to), !us))
    }

    /// Returns the set of components on a square.
    fn components_on(&self, squares: &Squares, square: Square) -> usize {
        let used = self.layout.components().len();
        let here = |i: &usize| usize::from(squares[*i]) == square.index();
        (0..used).filter(here).fold(0, |set, i| set | 1 << i)
    }

    /// Returns the set of components that move together in a move from a square.
    fn movers(&self, squares: &Squares, from: Square, kind: MoveKind) -> usize {
        let here = self.components_on(squares, from);
        let MoveKind::Fission(leaving) = kind else { return here };
        let components = self.layout.components();
        let leaves = |i: &usize| here >> i & 1 != 0 && components[*i].1 == leaving;
        (0..components.len()).filter(leaves).fold(0, |set, i| set | 1 << i)
    }

    /// Calls `visit` with every move without capture that can have led to an arrangement in which
    /// `side` is to move, from an entry that is `open`. Every legal move is visited. Some visited
    /// moves may be illegal or start from an impossible arrangement.
    #[inline]
    pub fn unmoves(
        &self,
        squares: &Squares,
        side: Color,
        open: impl Fn(usize) -> bool,
        mut visit: impl FnMut(Unmove),
    ) {
        let us = !side;
        let board = Board::new(self, squares, us);
        let near = self.layout.neighbours(squares, us);
        let mut came = |to: Square, origins: Bitboard, movers, kind, certain: Bitboard| {
            let line = near.and_then(|near| near.moved(movers, to));
            for from in origins {
                let before = match line {
                    Some(line) => Some(line.entry(from)),
                    None => self.layout.index(&moved(squares, movers, from), us),
                };
                if let Some(before) = before
                    && open(before)
                {
                    visit(Unmove { before, movers, from, to, kind, certain: certain.has(from) });
                }
            }
        };
        for (i, &(color, component)) in self.layout.components().iter().enumerate() {
            if color != us {
                continue;
            }
            let to = Square::new(usize::from(squares[i] & 63));
            let reach = board.reach(component, to);
            let here = self.components_on(squares, to);
            let limited = here & 3 != 0 && !self.unlimited(component);
            let certain = if limited { attacks::king(to) } else { Bitboard::ALL };
            came(to, reach & !board.occupied, here, MoveKind::Plain, certain);
            if here != 1 << i {
                if self.may_fuse(component, here & !(1 << i)) {
                    let always = self.rules.fusion == FusionSet::ALL
                        && self.rules.fusion_needs == FusionNeeds::Nothing;
                    let certain = if always { Bitboard::ALL } else { Bitboard::EMPTY };
                    let origins = reach & !board.occupied;
                    came(to, origins, 1 << i, MoveKind::Fusion, certain);
                }
            } else if self.rules.fission != Fission::None {
                let always =
                    self.rules.attacked_split && self.rules.fission != Fission::QuietNoCheck;
                let certain = if always { Bitboard::ALL } else { Bitboard::EMPTY };
                let origins = reach & board.partners(component);
                came(to, origins, 1 << i, MoveKind::Fission(component), certain);
            }
        }
    }

    /// Returns whether a royal compound moves as this component without through-check limits.
    fn unlimited(&self, component: Component) -> bool {
        match component {
            Component::Knight => self.rules.leapers_cross_check,
            Component::King => true,
            _ => self.rules.sliders_cross_check,
        }
    }

    /// Returns whether a component may, in some position, move onto another, given by its bit.
    fn may_fuse(&self, mover: Component, target: usize) -> bool {
        if mover == Component::King {
            self.rules.king_fuses
        } else if target & 3 != 0 {
            self.rules.fuse_onto_king
        } else {
            self.rules.fusion.any()
        }
    }

    /// Returns whether the rules allow a move in a position.
    #[must_use]
    pub fn allows(&self, position: &Position, unmove: &Unmove) -> bool {
        let mut found = false;
        position.legal_groups(&self.rules, |group| {
            found |= group.from == unmove.from
                && group.kind == GroupKind::Single(unmove.kind)
                && group.to.has(unmove.to);
        });
        found
    }
}

/// Returns the arrangement with these components on another square.
#[inline]
fn moved(squares: &Squares, movers: usize, to: Square) -> Squares {
    let mut moved = *squares;
    for (i, square) in moved.iter_mut().enumerate() {
        if movers >> i & 1 != 0 {
            *square = to.index() as u8;
        }
    }
    moved
}

/// Blockers and fusion targets, for the side whose moves are taken back.
struct Board<'a> {
    ending: &'a Ending,
    occupied: Bitboard,
    /// Simple pieces of that side by component.
    simple: [Bitboard; 4],
}

impl<'a> Board<'a> {
    fn new(ending: &'a Ending, squares: &Squares, us: Color) -> Self {
        let mut board = Self { ending, occupied: Bitboard::EMPTY, simple: [Bitboard::EMPTY; 4] };
        for (i, &(color, component)) in ending.layout.components().iter().enumerate() {
            let square = Square::new(usize::from(squares[i] & 63));
            board.occupied |= square.bit();
            if color == us && ending.components_on(squares, square) == 1 << i {
                board.simple[component.index()] |= square.bit();
            }
        }
        board
    }

    fn reach(&self, component: Component, square: Square) -> Bitboard {
        match component {
            Component::King => attacks::king(square),
            Component::Rook => attacks::rook(square, self.occupied),
            Component::Bishop => attacks::bishop(square, self.occupied),
            _ => attacks::knight(square),
        }
    }

    /// Returns the simple pieces that a component can have left.
    fn partners(&self, component: Component) -> Bitboard {
        let others = self.ending.layout.components().iter().map(|&(_, other)| other);
        let different = others.filter(|&other| other != component);
        different.fold(Bitboard::EMPTY, |set, other| set | self.simple[other.index()])
    }
}

/// Returns the indices of the components of a set if one side can lose them in one capture. Bit i
/// of the set is component i + 2.
fn captured(layout: &Layout, set: usize) -> Option<Vec<usize>> {
    let components = layout.components();
    let lost: Vec<usize> = (2..MAX_COMPONENTS).filter(|i| set << 2 >> i & 1 != 0).collect();
    if lost.iter().any(|&i| i >= components.len()) {
        return None;
    }
    let possible = match lost[..] {
        [_] => true,
        [one, other] => {
            components[one].0 == components[other].0 && components[one].1 != components[other].1
        }
        _ => false,
    };
    possible.then_some(lost)
}

/// Returns the ending that remains when one side loses these components.
fn after_capture(
    layout: &Layout,
    lost: &[usize],
    solved: &SolvedTables,
) -> Result<Smaller, Unsolved> {
    let components = layout.components();
    let kinds: Vec<Component> = lost.iter().map(|&i| components[i].1).collect();
    let (material, swapped) = layout.material().without(components[lost[0]].0, &kinds);
    let mut left: Vec<usize> = (0..components.len()).filter(|i| !lost.contains(i)).collect();
    let origin = material.components().into_iter().filter_map(|(color, component)| {
        let color = if swapped { !color } else { color };
        let place = left.iter().position(|&i| components[i] == (color, component))?;
        Some(left.remove(place))
    });
    let origin = origin.collect();
    let table = match material.len() {
        2 => None,
        _ => Some(solved.get(&material).ok_or(Unsolved(material))?.clone()),
    };
    Ok(Smaller { table, origin, swapped })
}
