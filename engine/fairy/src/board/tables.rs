//! All that is computed once for a definition.

use super::lines::Grid;
use super::merging::Merging;
use super::movement::{Movements, for_each};
use super::position::FROM_PAWN;
use crate::betza::Step;
use crate::definition::{Definition, Kind, Kinds, MOST_KINDS, MOST_SQUARES, Role, Squares};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::LazyLock;

/// A definition with the tables made from it.
#[derive(Debug)]
pub struct Tables {
    /// The definition.
    pub rules: Definition,
    pub(crate) grid: Grid,
    pub(crate) movements: Movements,
    /// By square: the squares around it.
    pub(crate) around: Vec<Squares>,
    pub(crate) keys: &'static Keys,
    /// The kind of the King.
    pub(crate) king: Option<Kind>,
    /// The royal kinds: the King's, and compounds with it.
    pub(crate) royals: Kinds,
    pub(crate) merging: Merging,
    /// The kind of the Pawn.
    pub(crate) pawn: Option<Kind>,
    /// The first and the last file.
    edges: [Squares; 2],
    /// The kind of the Cannon of Janggi.
    pub(crate) cannon: Option<Kind>,
    /// The kind whose dropped pieces may not mate.
    pub(crate) shogi_pawn: Option<Kind>,
    /// Whether the second side sees the board turned by half a circle instead of mirrored.
    turns: bool,
    /// Whether all pieces move to the left as to the right.
    pub(crate) is_symmetric: bool,
    /// What a piece that a Pawn has become keeps of its origin: it matters if it goes to a hand.
    pub(crate) from_pawn: u8,
    /// Whether each move that leaves the King safe is legal, but for duties.
    pub(crate) is_plain: bool,
    /// Whether a side that can make some moves may not make others.
    pub(crate) has_duties: bool,
}

/// The same for all definitions.
static KEYS: LazyLock<Keys> = LazyLock::new(Keys::new);

/// Random numbers of which the hash of a position is made.
pub(crate) struct Keys {
    /// By side, kind and square.
    pub pieces: Vec<u64>,
    /// By side, kind and number in the hand.
    pub hands: Vec<u64>,
    /// By square: it is promoted.
    pub promoted: [u64; MOST_SQUARES],
    /// By square: a capture in passing goes there.
    pub passing: [u64; MOST_SQUARES],
    /// By castling right.
    pub castling: [u64; 4],
    /// By side and number of checks left.
    pub checks: [[u64; 16]; 2],
    /// By number of passes in a row, from 1.
    pub passes: [u64; 2],
    /// The second side is to move.
    pub side: u64,
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keys")
    }
}

impl Keys {
    fn new() -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(48);
        let mut many = |count: usize| (0..count).map(|_| rng.next_u64()).collect::<Vec<_>>();
        let pieces = many(2 * MOST_KINDS * MOST_SQUARES);
        let hands = many(2 * MOST_KINDS * MOST_SQUARES);
        let mut one = || rng.next_u64();
        Self {
            pieces,
            hands,
            promoted: std::array::from_fn(|_| one()),
            passing: std::array::from_fn(|_| one()),
            castling: std::array::from_fn(|_| one()),
            checks: std::array::from_fn(|_| std::array::from_fn(|_| one())),
            side: one(),
            passes: std::array::from_fn(|_| one()),
        }
    }
}

impl Tables {
    /// Makes the tables of a definition.
    ///
    /// # Panics
    /// Panics if the definition has more squares or kinds of pieces than there may be.
    #[must_use]
    pub fn new(rules: Definition) -> Self {
        assert!(rules.squares() <= MOST_SQUARES && rules.pieces.len() <= MOST_KINDS);
        let grid = Grid { files: rules.files, ranks: rules.ranks };
        let movements = Movements::new(grid, &rules);
        let ring = |square| {
            let steps = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy)));
            let steps = steps.filter(|&step| step != (0, 0));
            steps.filter_map(|step| grid.step(square, step)).fold(0, |set, at| set | 1 << at)
        };
        let named = |name: &str| rules.pieces.iter().position(|piece| piece.name == name);
        let with_role = |role| rules.pieces.iter().position(|piece| piece.role == role);
        let drops = &rules.drops;
        let is_plain = !rules.pseudo_royal
            && rules.checking
            && !rules.king_stays_in_check
            && rules.mutually_immune == 0
            && drops.checks
            && !drops.opposite_bishops;
        let has_duties =
            rules.must_capture || drops.must || rules.pass_on_stalemate.iter().any(|&yes| yes);
        let mirrored = |step: Step| Step { dx: -step.dx, ..step };
        let is_symmetric = rules
            .pieces
            .iter()
            .all(|piece| piece.steps.iter().all(|&step| piece.steps.contains(&mirrored(step))));
        let mut tables = Self {
            turns: false,
            is_symmetric,
            around: (0..grid.squares()).map(ring).collect(),
            keys: &KEYS,
            king: rules.king(),
            royals: rules.royals(),
            merging: Merging::of(&rules),
            pawn: with_role(Role::Pawn).map(|kind| kind as Kind),
            edges: [grid.file(0), grid.file(usize::from(grid.files) - 1)],
            cannon: with_role(Role::JanggiCannon).map(|kind| kind as Kind),
            shogi_pawn: named("shogiPawn").map(|kind| kind as Kind),
            from_pawn: if drops.captures && !drops.keep_promoted { FROM_PAWN } else { 0 },
            is_plain,
            has_duties,
            grid,
            movements,
            rules,
        };
        tables.turns = tables.start_is_turned();
        tables
    }

    /// Returns the name of a square: `e4`.
    #[must_use]
    pub fn square_name(&self, square: usize) -> String {
        let files = usize::from(self.grid.files);
        format!("{}{}", char::from(b'a' + (square % files) as u8), square / files + 1)
    }

    /// Returns the square with this name.
    #[must_use]
    pub fn square(&self, name: &str) -> Option<usize> {
        let file = name.chars().next().filter(char::is_ascii_lowercase)?;
        let (file, rank) = (usize::from(file as u8 - b'a'), name[1..].parse::<usize>().ok()?);
        let inside = file < usize::from(self.grid.files)
            && (1..=usize::from(self.grid.ranks)).contains(&rank);
        inside.then(|| (rank - 1) * usize::from(self.grid.files) + file)
    }

    /// Returns where the King and the Rook on these squares arrive if they castle with each other.
    pub(crate) fn castled(&self, king: usize, rook: usize) -> (usize, usize) {
        let files = usize::from(self.grid.files);
        let kingside = rook > king;
        let file = self
            .rules
            .castling
            .as_ref()
            .map_or(0, |castling| castling.king_to[usize::from(!kingside)]);
        let to = king / files * files + usize::from(file);
        (to, if kingside { to.wrapping_sub(1) } else { to + 1 })
    }

    /// Returns the squares between two squares of a rank, file or diagonal; none if they are on no such line.
    pub(crate) fn between(&self, from: usize, to: usize) -> Squares {
        let files = i32::from(self.rules.files);
        let place = |square: usize| (square as i32 % files, square as i32 / files);
        let ((x, y), (to_x, to_y)) = (place(from), place(to));
        let (dx, dy) = (to_x - x, to_y - y);
        if dx != 0 && dy != 0 && dx.abs() != dy.abs() {
            return 0;
        }
        let squares = 1..dx.abs().max(dy.abs());
        squares.fold(0, |set, i| set | 1 << ((y + i * dy.signum()) * files + x + i * dx.signum()))
    }

    /// Returns a square as the second side sees it.
    #[inline]
    pub(crate) fn turned(&self, square: usize) -> usize {
        if self.turns { self.grid.squares() - 1 - square } else { self.mirrored(square) }
    }

    /// Returns the square on the opposite file.
    #[inline]
    pub(crate) fn flipped(&self, square: usize) -> usize {
        let files = usize::from(self.grid.files);
        let file = square % files;
        square + files - 1 - 2 * file
    }

    /// Returns the square on the opposite rank.
    fn mirrored(&self, square: usize) -> usize {
        let files = usize::from(self.grid.files);
        self.grid.squares() - files - square / files * files + square % files
    }

    /// Returns whether the second side's initial position is more like the first one's turned by half a
    /// circle than like its mirror image.
    fn start_is_turned(&self) -> bool {
        let Ok(start) = super::Position::from_text(self, &self.rules.start) else { return false };
        let squares = self.grid.squares();
        let alike = |map: &dyn Fn(usize) -> usize| {
            let same = |&square: &usize| match (start.piece(square), start.piece(map(square))) {
                (Some((0, kind)), Some((1, other))) => kind == other,
                _ => false,
            };
            (0..squares).filter(same).count()
        };
        alike(&|square| squares - 1 - square) > alike(&|square| self.mirrored(square))
    }

    /// Returns the squares straight ahead of these, as a side sees it.
    #[inline]
    pub(crate) fn ahead(&self, squares: Squares, side: usize) -> Squares {
        let files = self.grid.files;
        if side == 0 { squares << files & self.grid.all() } else { squares >> files }
    }

    /// Returns the squares to the left of these, and those to the right.
    #[inline]
    pub(crate) fn aside(&self, squares: Squares) -> [Squares; 2] {
        [(squares & !self.edges[0]) >> 1, (squares & !self.edges[1]) << 1]
    }

    /// Returns these squares and those beside them.
    #[inline]
    pub(crate) fn beside(&self, squares: Squares) -> Squares {
        let [left, right] = self.aside(squares);
        squares | left | right
    }

    /// Returns the step straight forward of a side.
    #[inline]
    pub(crate) fn forward(&self, side: usize) -> (i8, i8) {
        (0, if side == 0 { 1 } else { -1 })
    }

    /// Returns the squares of the first rank, as a side sees it.
    pub(crate) fn first_rank(&self, side: usize) -> Squares {
        self.grid.rank(if side == 0 { 0 } else { usize::from(self.grid.ranks) - 1 })
    }

    /// Returns the kinds of a set, in order.
    pub(crate) fn kinds(set: u64) -> impl Iterator<Item = Kind> {
        (0..MOST_KINDS as Kind).filter(move |kind| set >> kind & 1 == 1)
    }

    /// Returns the squares of one colour: those with an even sum of file and rank.
    pub(crate) fn dark(&self) -> Squares {
        let files = usize::from(self.grid.files);
        let mut dark = 0;
        for_each(self.grid.all(), |at| {
            if (at % files + at / files).is_multiple_of(2) {
                dark |= 1 << at;
            }
        });
        dark
    }
}
