//! Values of options as text.

use super::draft::{Draft, Letters};
use super::fusion;
use super::pieces::{self, KING, KING_MOVES, Type};
use super::region::{MOST, Region, Types, file_letter, rank};
use crate::betza;
use crate::definition::{Counting, Fission, MOST_SQUARES, Material, Value};

/// A part of a draft.
type Part<T> = fn(&mut Draft) -> &mut T;

/// The value of a supported option: its kind, and the part of a draft that holds it.
pub(super) enum Lens {
    Files,
    Ranks,
    /// The letter of a piece, and its moves if it has none of its own.
    Piece(Type),
    /// Where a piece of a side may go; no square means everywhere.
    Mobility(Type, usize),
    Bool(Part<bool>),
    /// A number up to a largest one.
    Number(Part<u16>, u16),
    Rank(Part<u8>),
    File(Part<u8>),
    Region(Part<Region>),
    Types(Part<Types>),
    /// Kinds, or `*` for all.
    TypesOrAll(Part<Types>),
    /// Kinds that may not die out, with `*` for all pieces together.
    Extinct,
    /// Kinds of Pawns of a side.
    Pawns(usize),
    Type(Part<Option<Type>>),
    /// A kind, or `*` for any.
    TypeOrAny(Part<Option<Type>>),
    Value(Part<Value>),
    ValueOrNone(Part<Option<Value>>),
    Counting,
    Material,
    Values,
    Limits,
    Promoted,
    /// What attacked pieces become.
    Attacked,
    /// Compounds with their components.
    Compounds,
    Fission,
    Start,
    PromotionRank,
    DoubleStepRank,
    DoubleStepRankMin,
}

const VALUES: [(&str, Value); 3] =
    [("win", Value::Win), ("draw", Value::Draw), ("loss", Value::Loss)];

const COUNTINGS: [(&str, Option<Counting>); 4] = [
    ("none", None),
    ("makruk", Some(Counting::Makruk)),
    ("cambodian", Some(Counting::Cambodian)),
    ("asean", Some(Counting::Asean)),
];

const MATERIALS: [(&str, Option<Material>); 5] = [
    ("none", None),
    ("janggi", Some(Material::Janggi)),
    ("unweighted", Some(Material::Unweighted)),
    ("whitedrawodds", Some(Material::WhiteDrawOdds)),
    ("blackdrawodds", Some(Material::BlackDrawOdds)),
];

const FISSIONS: [(&str, Fission); 3] =
    [("always", Fission::Always), ("unattacked", Fission::Unattacked), ("never", Fission::Never)];

const BOOLS: [(&str, bool); 2] = [("true", true), ("false", false)];

/// The largest number of squares in a row or of pieces that an option may name.
pub(super) const BYTE: u16 = 255;

impl Lens {
    /// Sets the value.
    ///
    /// # Errors
    /// Returns what is wrong with the text and what to do. The draft may be changed in part.
    pub(super) fn read(&self, draft: &mut Draft, text: &str) -> Result<(), String> {
        match self {
            Self::Files => draft.files = size(text, file(text), "maxFile = 8 or h")?,
            Self::Ranks => draft.ranks = size(text, rank(text), "maxRank = 8")?,
            Self::Piece(kind) => return piece(draft, *kind, text),
            Self::Mobility(kind, side) => {
                draft.mobility[*kind][*side] = Region::read(text, draft.files, draft.ranks)?;
            }
            Self::Bool(part) => *part(draft) = choice(text, &BOOLS)?,
            Self::Number(part, most) => *part(draft) = number(text, u32::from(*most))? as u16,
            Self::Region(part) => *part(draft) = Region::read(text, draft.files, draft.ranks)?,
            Self::Types(part) => *part(draft) = set(&list(draft, text)?),
            Self::TypesOrAll(part) => {
                let value = if text == "*" { Types::ALL } else { set(&list(draft, text)?) };
                *part(draft) = value;
            }
            Self::Extinct => {
                let others = list(draft, &text.replace('*', ""))?;
                draft.extinct = set(&others);
                draft.extinct.add(if text.contains('*') { Types::STAR } else { Types::NONE });
            }
            Self::Pawns(side) => {
                let pawns = list(draft, text)?;
                draft.pawns[*side] = set(&pawns);
                // Fairy-Stockfish keeps the last one, whatever its comment says.
                draft.pawn[*side] = pawns.last().copied();
            }
            Self::Type(part) => *part(draft) = single(draft, text)?,
            Self::TypeOrAny(part) => {
                *part(draft) = if text == "*" { None } else { single(draft, text)? };
            }
            Self::Value(part) => *part(draft) = choice(text, &VALUES)?,
            Self::ValueOrNone(part) => {
                *part(draft) = if text == "none" { None } else { Some(choice(text, &VALUES)?) };
            }
            Self::Counting => draft.counting = choice(text, &COUNTINGS)?,
            Self::Material => draft.material = choice(text, &MATERIALS)?,
            Self::Values | Self::Limits | Self::Promoted | Self::Attacked => {
                return self.pairs(draft, text);
            }
            Self::Compounds => return fusion::read(draft, text),
            Self::Fission => draft.fission = choice(text, &FISSIONS)?,
            Self::Start => draft.start = text.split_whitespace().collect::<Vec<_>>().join(" "),
            Self::Rank(_)
            | Self::File(_)
            | Self::PromotionRank
            | Self::DoubleStepRank
            | Self::DoubleStepRankMin => return self.read_line(draft, text),
        }
        Ok(())
    }

    /// Sets a value that is a rank or a file of the board.
    fn read_line(&self, draft: &mut Draft, text: &str) -> Result<(), String> {
        let (files, ranks) = (draft.files, draft.ranks);
        if let Self::File(part) = self {
            let last = file_letter(files.saturating_sub(1));
            let wrong =
                || format!("'{text}' is no file of the board: write a letter from a to {last}");
            *part(draft) = file(text).filter(|file| *file < files).ok_or_else(wrong)?;
            return Ok(());
        }
        let wrong =
            || format!("'{text}' is no rank of the board: write a number from 1 to {ranks}");
        let rank = rank(text).filter(|rank| *rank < ranks).ok_or_else(wrong)?;
        match self {
            Self::Rank(part) => *part(draft) = rank,
            Self::PromotionRank => draft.promotion_region = mirrored(draft, rank, ranks - 1),
            Self::DoubleStepRankMin => draft.double_region = mirrored(draft, rank, 1),
            _ => draft.double_region = mirrored(draft, 1, rank),
        }
        Ok(())
    }

    /// Returns the value as text that sets it; `None` for options that only set others.
    pub(super) fn text(&self, draft: &mut Draft) -> Option<String> {
        let (files, ranks) = (draft.files, draft.ranks);
        Some(match self {
            Self::Files => files.to_string(),
            Self::Ranks => ranks.to_string(),
            Self::Piece(kind) => piece_text(draft, *kind),
            Self::Mobility(kind, side) => draft.mobility[*kind][*side].text(files, ranks),
            Self::Bool(part) => word(*part(draft), &BOOLS),
            Self::Number(part, _) => part(draft).to_string(),
            Self::Rank(part) => (u16::from(*part(draft)) + 1).to_string(),
            Self::File(part) => file_letter((*part(draft)).min(files.saturating_sub(1))).into(),
            Self::Region(part) => part(draft).text(files, ranks),
            Self::Types(part) | Self::TypesOrAll(part) => {
                let types = *part(draft);
                if types.star() {
                    "*".into()
                } else {
                    letters(draft, draft.types().filter(|kind| types.has(*kind)))
                }
            }
            Self::Extinct => {
                let star = if draft.extinct.star() { "*" } else { "" };
                let others = letters(draft, draft.types().filter(|kind| draft.extinct.has(*kind)));
                if others == "-" && !star.is_empty() {
                    star.into()
                } else {
                    format!("{star}{others}")
                }
            }
            Self::Pawns(side) => {
                let main = draft.pawn[*side].filter(|&kind| draft.letters[kind].is_some());
                let others = draft
                    .types()
                    .filter(|&kind| draft.pawns[*side].has(kind) && Some(kind) != main);
                letters(draft, others.chain(main))
            }
            Self::Type(part) => {
                let kind = *part(draft);
                letters(draft, kind.into_iter())
            }
            Self::TypeOrAny(part) => {
                let kind = *part(draft);
                let known = kind.filter(|&kind| draft.letters[kind].is_some());
                known.map_or("*".into(), |kind| letters(draft, std::iter::once(kind)))
            }
            Self::Value(part) => word(*part(draft), &VALUES),
            Self::ValueOrNone(part) => {
                (*part(draft)).map_or("none".into(), |value| word(value, &VALUES))
            }
            Self::Counting => word(draft.counting, &COUNTINGS),
            Self::Material => word(draft.material, &MATERIALS),
            Self::Values | Self::Limits | Self::Promoted | Self::Attacked => self.pairs_text(draft),
            Self::Compounds => fusion::text(draft),
            Self::Fission => word(draft.fission, &FISSIONS),
            Self::Start => draft.start.clone(),
            Self::PromotionRank | Self::DoubleStepRank | Self::DoubleStepRankMin => return None,
        })
    }

    /// Reads `p:1 n:3`, or `p:g n:-` for what pieces become. Pieces that the text does not name keep
    /// their values.
    fn pairs(&self, draft: &mut Draft, text: &str) -> Result<(), String> {
        let letters: String = text.split_whitespace().collect();
        let pieces: Vec<char> = letters.chars().filter(char::is_ascii_alphabetic).collect();
        all_known(draft, &pieces)?;
        let mut rest = letters.as_str();
        while let Some(letter) = rest.chars().next().filter(|_| rest != "-") {
            let kind = find(draft, letter)?;
            rest = rest[letter.len_utf8()..].strip_prefix(':').ok_or_else(|| {
                let kinds = matches!(self, Self::Promoted | Self::Attacked);
                let example = if kinds { "p:q" } else { "q:2" };
                format!("after '{letter}' a colon has to follow, as in {example}")
            })?;
            let end = match self {
                Self::Promoted | Self::Attacked => rest.chars().next().map_or(0, char::len_utf8),
                _ => rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len()),
            };
            let (value, after) = rest.split_at(end);
            match self {
                Self::Promoted | Self::Attacked => {
                    let other =
                        value.chars().next().ok_or("after the last colon a letter is missing")?;
                    let becomes = if other == '-' { None } else { Some(find(draft, other)?) };
                    match self {
                        Self::Promoted => draft.promoted[kind] = becomes,
                        _ => draft.attacked[kind] = becomes,
                    }
                }
                Self::Limits => draft.limits[kind] = number(value, BYTE.into())? as u16,
                _ => draft.values[kind] = number(value, 1_000_000)?,
            }
            rest = after;
        }
        Ok(())
    }

    fn pairs_text(&self, draft: &Draft) -> String {
        let value = |kind: Type| match self {
            Self::Promoted | Self::Attacked => {
                let promoted = matches!(self, Self::Promoted);
                let becomes = if promoted { draft.promoted[kind] } else { draft.attacked[kind] };
                let letters = draft.letters[becomes?]?;
                Some(letters.own.to_ascii_lowercase().to_string())
            }
            Self::Limits => {
                Some(draft.limits[kind]).filter(|limit| *limit > 0).map(|limit| limit.to_string())
            }
            _ => Some(draft.values[kind]).filter(|value| *value > 0).map(|value| value.to_string()),
        };
        let pair =
            |kind| Some(format!("{}:{}", letters(draft, std::iter::once(kind)), value(kind)?));
        let pairs: Vec<String> = draft.types().filter_map(pair).collect();
        if pairs.is_empty() { "-".into() } else { pairs.join(" ") }
    }
}

/// Sets a piece: `-` removes it, else a letter, and moves or another letter.
fn piece(draft: &mut Draft, kind: Type, text: &str) -> Result<(), String> {
    if text == "-" {
        draft.remove(kind);
        return Ok(());
    }
    let mut rest = text.chars();
    let letter = rest.next().filter(char::is_ascii_alphabetic);
    let letter = letter
        .ok_or_else(|| format!("'{text}' begins with no letter from a to z: write one, or -"))?;
    let (own, rest) = (letter.to_ascii_uppercase(), rest.as_str().trim());
    let moves = rest.strip_prefix(':').map(str::trim);
    let own_moves = pieces::moves(kind).is_some();
    let mut synonym = None;
    match (moves, own_moves) {
        (None, true) if rest.is_empty() => {}
        (None, true) => {
            let spaced = text.chars().nth(1).is_some_and(char::is_whitespace);
            let mut letters = rest.chars();
            synonym = letters.next().filter(|other| spaced && other.is_ascii_alphabetic());
            synonym = synonym.filter(|_| letters.as_str().is_empty());
            synonym.ok_or_else(|| {
                format!(
                    "'{text}' is no letter: write one, or two with a space for a piece that has two"
                )
            })?;
        }
        (Some(_), true) => {
            let name = pieces::name(kind);
            return Err(format!(
                "{name} has moves of its own: write a letter only, or take customPiece1"
            ));
        }
        (None, false) if kind == KING && rest.is_empty() => {}
        (None, false) => {
            return Err(format!("'{text}' has no moves: write {letter}:MOVES in Betza's notation"));
        }
        (Some(_), false) => {}
    }
    let moves = moves.filter(|_| !own_moves).unwrap_or(KING_MOVES);
    betza::parse(moves).map_err(|error| error.to_string())?;
    draft.add(kind, Letters { own, synonym: synonym.map(|letter| letter.to_ascii_uppercase()) });
    if !own_moves {
        draft.betza[kind] = moves.into();
    }
    if betza::captures_in_passing(moves) && !own_moves && kind != KING {
        draft.passing.iter_mut().for_each(|kinds| kinds.add(Types::one(kind)));
    }
    Ok(())
}

fn piece_text(draft: &Draft, kind: Type) -> String {
    let Some(letters) = draft.letters[kind] else { return "-".into() };
    let own = letters.own.to_ascii_lowercase();
    match (pieces::moves(kind), letters.synonym) {
        (Some(_), Some(synonym)) => format!("{own} {}", synonym.to_ascii_lowercase()),
        (Some(_), None) => own.into(),
        (None, _) if kind == KING && draft.betza[kind] == KING_MOVES => own.into(),
        (None, _) => format!("{own}:{}", draft.betza[kind]),
    }
}

/// Returns the ranks of an interval for the first side, and their mirror image for the second.
fn mirrored(draft: &Draft, from: u8, to: u8) -> [Region; 2] {
    let last = draft.ranks - 1;
    [Region::ranks(from, to), Region::ranks(last.saturating_sub(to), last.saturating_sub(from))]
        .map(|region| if from > to { Region::NONE } else { region })
}

fn size(text: &str, last: Option<u8>, example: &str) -> Result<u8, String> {
    let wrong =
        || format!("'{text}' is no size of a board: it is from 1 to {MOST}, as in {example}");
    Ok(last.filter(|last| *last < MOST).ok_or_else(wrong)? + 1)
}

/// Reads a file, as a letter or as a number from 1, and returns it from 0.
fn file(text: &str) -> Option<u8> {
    let mut letters = text.chars();
    match (letters.next()?, letters.as_str()) {
        (letter, "") if letter.is_ascii_alphabetic() => {
            Some(letter.to_ascii_lowercase() as u8 - b'a')
        }
        _ => rank(text),
    }
}

fn number(text: &str, most: u32) -> Result<u32, String> {
    let digits = !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_digit());
    let number = text.parse().ok().filter(|number| digits && *number <= most);
    number.ok_or_else(|| format!("'{text}' is no number from 0 to {most}"))
}

fn choice<T: Copy>(text: &str, all: &[(&str, T)]) -> Result<T, String> {
    let found = all.iter().find(|(name, _)| *name == text);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        let (last, first) =
            names.split_last().map_or(("", &[][..]), |(last, first)| (*last, first));
        format!("'{text}' is not known here: write {} or {last}", first.join(", "))
    })
}

fn word<T: Copy + PartialEq>(value: T, all: &[(&str, T)]) -> String {
    all.iter().find(|(_, known)| *known == value).map_or("", |(name, _)| *name).into()
}

/// Reads letters of pieces, until a `-`.
fn list(draft: &Draft, text: &str) -> Result<Vec<Type>, String> {
    let letters = text.chars().filter(|letter| !letter.is_whitespace());
    let letters: Vec<char> = letters.take_while(|letter| *letter != '-').collect();
    all_known(draft, &letters)?;
    letters.into_iter().map(|letter| find(draft, letter)).collect()
}

/// Names all letters that no piece has, if they are several.
fn all_known(draft: &Draft, given: &[char]) -> Result<(), String> {
    let is_unknown = |letter: &&char| **letter != '*' && draft.kind(**letter).is_none();
    let unknown: Vec<String> =
        given.iter().filter(is_unknown).map(|letter| format!("'{letter}'")).collect();
    if unknown.len() < 2 {
        return Ok(());
    }
    let known = letters(draft, draft.types());
    Err(format!("no piece has the letters {}: letters are '{known}'", unknown.join(", ")))
}

fn set(kinds: &[Type]) -> Types {
    let mut types = Types::NONE;
    kinds.iter().for_each(|kind| types.add(Types::one(*kind)));
    types
}

/// Reads the letter of one piece, or `-` for none.
fn single(draft: &Draft, text: &str) -> Result<Option<Type>, String> {
    match list(draft, text)?.as_slice() {
        [] => Ok(None),
        [kind] => Ok(Some(*kind)),
        _ => Err(format!("'{text}' names several pieces: write one letter, or -")),
    }
}

pub(super) fn find(draft: &Draft, letter: char) -> Result<Type, String> {
    draft.kind(letter).ok_or_else(|| match letter {
        '*' => "'*' is not possible here: write letters of pieces".into(),
        _ => format!(
            "no piece has the letter '{letter}': letters are '{}'",
            letters(draft, draft.types())
        ),
    })
}

/// Returns the letters of kinds that have one, `-` if none has.
pub(super) fn letters(draft: &Draft, kinds: impl Iterator<Item = Type>) -> String {
    let letters: String = kinds
        .filter_map(|kind| draft.letters[kind])
        .map(|letters| letters.own.to_ascii_lowercase())
        .collect();
    if letters.is_empty() { "-".into() } else { letters }
}

/// Returns what is wrong with the size of a board.
pub(super) fn board(draft: &Draft) -> Option<String> {
    let squares = usize::from(draft.files) * usize::from(draft.ranks);
    let (files, ranks) = (draft.files, draft.ranks);
    let message = || {
        format!("{files} files and {ranks} ranks are {squares} squares: at most {MOST_SQUARES} fit")
    };
    (squares > MOST_SQUARES).then(message)
}
