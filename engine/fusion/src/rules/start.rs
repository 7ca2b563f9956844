//! Initial positions: those of the presets, a FEN, or a file of FENs.

use super::{MaxComponents, PawnDouble, RuleSet};
use crate::FusionGame;
use crate::board::{Component, Piece, Position, fen};
use fusion_game::{Game, OpenError, OpenErrorKind, ToggleValue, files, hex};
use sha2::{Digest, Sha256};
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::sync::{PoisonError, RwLock};

/// Limit of a file's positions.
const MOST: usize = 10_000;
/// Limit of a file's bytes.
const MOST_BYTES: u64 = 4 << 20;
/// End of the name of a file of positions.
const EXTENSION: &str = ".fen";
/// Number of hexadecimal digits of the checksum of a file's positions.
const DIGITS: usize = 8;

/// The initial position, or several that games take in turn.
///
/// It is written as `queen` or `mann` (what stands beside the King), as a FEN, or as the name of a
/// file with a FEN a line. In a FEN, `_` may stand for a blank, and the clock and the move number may
/// be missing. The name of a file is followed by the checksum of its positions, so that results show
/// whether the file has changed since: `data/starts/shuffled.fen:0a1b2c3d`.
///
/// ```
/// use fusion_chess::board::Position;
/// use fusion_chess::rules::RuleSet;
///
/// let army = "rnbmkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBMKBNR w KQkq -";
/// let rules: RuleSet = format!("orthodox,start={army}").parse()?;
/// assert_eq!(rules.to_string(), format!("orthodox,start={}", army.replace(' ', "_")));
/// assert_eq!(Position::start(&rules).to_fen(), format!("{army} 0 1"));
/// # Ok::<(), fusion_chess::rules::RulesError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
// In this order for `RuleSet::is_usual`.
#[repr(C)]
pub struct Start {
    has_manns: bool,
    is_orthodox: bool,
    /// 0 and 1 are those of the presets, 2 is the first of [`GIVEN`]. In bytes, so that it needs no
    /// alignment.
    number: [u8; 2],
}

/// Positions given by a FEN or a file. They are never removed.
struct Given {
    text: String,
    /// What is wrong if no game can begin there.
    fault: OpenErrorKind,
    fens: Vec<String>,
}

static GIVEN: RwLock<Vec<&'static Given>> = RwLock::new(Vec::new());

impl Start {
    /// The array of orthodox chess.
    pub const QUEEN: Self = Self::new(0, false, true);
    /// The same with a Mann in the Queen's place.
    pub const MANN: Self = Self::new(1, true, false);

    const fn new(number: u16, has_manns: bool, is_orthodox: bool) -> Self {
        Self { has_manns, is_orthodox, number: number.to_ne_bytes() }
    }

    const fn number(self) -> u16 {
        u16::from_ne_bytes(self.number)
    }

    /// Returns whether a Mann stands on the board.
    #[inline]
    #[must_use]
    pub const fn has_manns(self) -> bool {
        self.has_manns
    }

    /// Returns whether all pieces are those of orthodox chess.
    #[must_use]
    pub const fn is_orthodox(self) -> bool {
        self.is_orthodox
    }

    /// Returns whether it was given as a FEN or a file.
    #[must_use]
    pub const fn is_given(self) -> bool {
        self.number() > Self::MANN.number()
    }

    /// Returns the number of positions, at least 1.
    #[must_use]
    pub fn positions(self) -> usize {
        self.given().map_or(1, |given| given.fens.len())
    }

    /// Returns the position with this number, counted round, as FEN. Its castling rights apply only
    /// if their side may castle.
    #[must_use]
    pub fn fen(self, number: u64) -> &'static str {
        match self.given() {
            Some(given) => &given.fens[(number % given.fens.len() as u64) as usize],
            None if self == Self::MANN => fen::MANN_START,
            None => fen::START,
        }
    }

    fn given(self) -> Option<&'static Given> {
        let index = usize::from(self.number()).checked_sub(2)?;
        GIVEN.read().unwrap_or_else(PoisonError::into_inner).get(index).copied()
    }

    /// Checks that every position is possible under the rules and that a game can begin there.
    pub(super) fn check(self, rules: &RuleSet) -> Result<(), OpenError> {
        let Some(given) = self.given() else { return Ok(()) };
        for (number, fen) in (1..).zip(&given.fens) {
            let fault = match Position::from_fen(rules, fen) {
                Err(error) => error.to_string(),
                Ok(position) => {
                    if FusionGame::at(*rules, position).outcome_now().is_none() {
                        continue;
                    }
                    "the game is over there".to_owned()
                }
            };
            let number =
                if given.fens.len() > 1 { format!("position {number}, ") } else { String::new() };
            return Err(OpenError::new(given.fault, format!("{number}{fen}: {fault}")));
        }
        Ok(())
    }

    /// Parses the text of a FEN or the name of a file.
    fn parse(text: &str) -> Result<Self, OpenError> {
        let (name, checksum) = match text.rsplit_once(':') {
            Some((name, checksum)) => (name, Some(checksum)),
            None => (text, None),
        };
        if !name.ends_with(EXTENSION) {
            let fault = OpenErrorKind::Unsupported;
            let position =
                read(&text.replace('_', " ")).map_err(|why| OpenError::new(fault, why))?;
            return Self::keep(written(&position).replace(' ', "_"), fault, &[position]);
        }
        let fault = OpenErrorKind::Rejected;
        let positions = read_file(Path::new(name))?;
        let mut hasher = Sha256::new();
        positions.iter().for_each(|position| hasher.update(written(position) + "\n"));
        let mut digits = hex(&hasher.finalize());
        digits.truncate(DIGITS);
        if checksum.is_some_and(|checksum| checksum != digits) {
            let why = format!("the positions of {name} have the checksum {digits} now");
            return Err(OpenError::new(fault, why));
        }
        Self::keep(format!("{name}:{digits}"), fault, &positions)
    }

    /// Returns the start with these positions, which is kept if it is new.
    fn keep(text: String, fault: OpenErrorKind, positions: &[Position]) -> Result<Self, OpenError> {
        let fens: Vec<String> = positions.iter().map(Position::to_fen).collect();
        if let Some(usual) =
            [Self::QUEEN, Self::MANN].into_iter().find(|usual| fens == [usual.fen(0)])
        {
            return Ok(usual);
        }
        let mut given = GIVEN.write().unwrap_or_else(PoisonError::into_inner);
        let index = match given.iter().position(|known| known.text == text) {
            Some(index) => index,
            None => {
                given.push(Box::leak(Box::new(Given { text, fault, fens })));
                given.len() - 1
            }
        };
        let too_many = |_| OpenError::new(OpenErrorKind::Unsupported, "too many start positions");
        let number = u16::try_from(index + 2).map_err(too_many)?;
        let is_orthodox = |position: &Position| {
            position.occupied().into_iter().map(|at| position.piece_on(at)).all(Piece::is_orthodox)
        };
        let has_manns = positions.iter().any(|at| at.component(Component::Mann).any());
        Ok(Self::new(number, has_manns, positions.iter().all(is_orthodox)))
    }
}

impl ToggleValue for Start {
    fn allowed() -> String {
        "queen, mann, a FEN (with _ for blanks, if you like), or a file whose \
                                   name ends in .fen with a FEN a line"
            .into()
    }

    fn read(text: &str) -> Option<Self> {
        match text {
            "queen" => Some(Self::QUEEN),
            "mann" => Some(Self::MANN),
            _ => Self::parse(text).ok(),
        }
    }

    fn reason(text: &str) -> Option<OpenError> {
        let is_meant = text.contains(['/', '.', ' ', '_']);
        Self::parse(text).err().filter(|_| is_meant)
    }

    fn text(self) -> String {
        match self {
            Self::QUEEN => "queen".into(),
            Self::MANN => "mann".into(),
            _ => self.given().map(|given| given.text.clone()).unwrap_or_default(),
        }
    }
}

/// Parses a FEN under rules that allow every piece, castling and double step. Whether the position is
/// possible under the rules in force is checked when these are known. What other commands mend with a
/// remark is an error here, since a remark would be lost in a study.
fn read(fen: &str) -> Result<Position, String> {
    let rules = RuleSet {
        start: Start::MANN,
        max_components: MaxComponents::Three,
        castling: true,
        pawn_double: PawnDouble::Always,
        ..super::presets::FUSION_1999
    };
    // Some programs count moves from 0.
    let fen = fen.strip_suffix(" 0 0").unwrap_or(fen);
    Position::from_fen(&rules, fen).map_err(|error| error.to_string())
}

/// Returns the FEN, without clock and move number if they are the usual ones.
fn written(position: &Position) -> String {
    let fen = position.to_fen();
    fen.strip_suffix(" 0 1").unwrap_or(&fen).to_owned()
}

/// Reads a file with a FEN a line, which [`files::find`] finds. Empty lines and lines that begin with `#`
/// are skipped.
fn read_file(name: &Path) -> Result<Vec<Position>, OpenError> {
    let path = &files::find(name);
    let cannot = |error: std::io::Error| {
        let why = format!("cannot read {}: {error}", path.display());
        OpenError::new(OpenErrorKind::of(&error), why)
    };
    let rejected = |why: String| OpenError::new(OpenErrorKind::Rejected, why);
    let file = files::open(path).map_err(cannot)?;
    let mut text = String::new();
    file.take(MOST_BYTES + 1).read_to_string(&mut text).map_err(|error| match error.kind() {
        ErrorKind::InvalidData => rejected(format!("{} is no text in UTF-8", path.display())),
        _ => cannot(error),
    })?;
    if text.len() as u64 > MOST_BYTES {
        return Err(rejected(format!("{} has more than {MOST_BYTES} bytes", path.display())));
    }
    // Windows editors begin a text with a mark of its byte order.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let lines = (1..).zip(text.lines().map(str::trim));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let positions: Result<Vec<_>, _> = lines
        .map(|(number, line)| {
            let wrong = |error| rejected(format!("{}, line {number}: {error}", path.display()));
            read(line).map_err(wrong)
        })
        .collect();
    let positions = positions?;
    match positions.len() {
        1..=MOST => Ok(positions),
        0 => Err(rejected(format!("{} has no position", path.display()))),
        more => {
            let why = format!("{} has {more} positions, more than {MOST}", path.display());
            Err(rejected(why))
        }
    }
}
