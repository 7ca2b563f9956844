//! Checks of a start position.

use super::draft::Draft;
use super::pieces::{KING, Type};
use crate::definition::Castling;

/// Returns what is worth a remark, or what is wrong with the start position and what to do.
///
/// A position is the board, with pieces in hand in brackets or after one more slash, the side to move,
/// and then, as far as the game has them, rights to castle, the square of a Pawn's capture in passing,
/// checks that are left, and two numbers.
pub(super) fn check(draft: &Draft) -> Result<Vec<String>, String> {
    let mut fields = draft.start.split_whitespace();
    let place = fields.next().ok_or("the position is empty")?;
    let (board, hand) = split(draft, place)?;
    let mut kings = [0; 2];
    let ranks: Vec<&str> = board.split('/').collect();
    if ranks.len() != usize::from(draft.ranks) {
        let (found, wanted) = (ranks.len(), draft.ranks);
        return Err(format!(
            "the position has {found} ranks, the board {wanted}: make maxRank and startFen agree"
        ));
    }
    for (place, text) in ranks.iter().enumerate() {
        rank(draft, text, draft.ranks - place as u8, &mut kings)?;
    }
    for letter in hand.chars().filter(|letter| *letter != '-') {
        count(draft, letter, &mut kings)?;
    }
    for (side, number) in ["first", "second"].iter().zip(kings) {
        if number > 1 {
            return Err(format!(
                "the {side} player has {number} Kings, and may have one: write king = - and commoner for several"
            ));
        }
    }
    let mut remarks = Vec::new();
    match fields.next() {
        Some("w" | "b") => {}
        Some(other) => {
            return Err(format!("'{other}' is no side to move: write w or b after the board"));
        }
        None => remarks.push("no side to move is given: it is w, as in Fairy-Stockfish".into()),
    }
    for text in fields {
        field(text)?;
        if let Some(castling) = draft.castles().filter(|_| is_rights(text)) {
            remarks.extend(rights(&castling, draft.files, text)?);
        }
    }
    Ok(remarks)
}

/// Returns whether the start position gives rights to castle.
pub(super) fn has_rights(draft: &Draft) -> bool {
    draft.start.split_whitespace().skip(2).any(is_rights)
}

fn is_rights(text: &str) -> bool {
    text.bytes().all(|letter| letter.is_ascii_alphabetic())
}

/// Checks rights to castle, and names those for which the board has no squares.
fn rights(castling: &Castling, files: u8, text: &str) -> Result<Option<String>, String> {
    let unknown = |letter: &char| !matches!(letter.to_ascii_lowercase(), 'k' | 'q' | 'a'..='p');
    if let Some(letter) = text.chars().find(unknown) {
        return Err(format!(
            "'{letter}' is no right to castle: write K, Q, k, q or the Rook's file"
        ));
    }
    let useless = |letter: &char| match letter.to_ascii_lowercase() {
        'k' => !castling.has_wing(0, files),
        'q' => !castling.has_wing(1, files),
        _ => false,
    };
    let useless: String = text.chars().filter(useless).collect();
    let message = || {
        format!(
            "the rights {useless} have no effect, since castlingKingsideFile or castlingQueensideFile is not on the board"
        )
    };
    Ok((!useless.is_empty()).then(message))
}

/// Splits the pieces in hand from the board.
fn split<'a>(draft: &Draft, place: &'a str) -> Result<(&'a str, &'a str), String> {
    if let Some((board, rest)) = place.split_once('[') {
        let hand = rest.strip_suffix(']');
        return hand
            .map(|hand| (board, hand))
            .ok_or_else(|| "the bracket of the hand is not closed: write ]".into());
    }
    // Other programs write the hand as one more rank.
    let more = place.matches('/').count() == usize::from(draft.ranks);
    Ok(place.rsplit_once('/').filter(|_| more).unwrap_or((place, "")))
}

/// Checks one rank.
fn rank(draft: &Draft, text: &str, number: u8, kings: &mut [u32; 2]) -> Result<(), String> {
    let mut files = 0;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let mut promoted = letter == '+';
        match letter {
            '0'..='9' => {
                let mut empty = letter as usize - '0' as usize;
                while let Some(digit) = letters.peek().and_then(|next| next.to_digit(10)) {
                    empty = (empty * 10 + digit as usize).min(1000);
                    letters.next();
                }
                files += empty;
                continue;
            }
            '*' => {
                files += 1;
                continue;
            }
            _ => {}
        }
        let letter = if promoted {
            letters.next().ok_or("a + at the end of a rank has no piece")?
        } else {
            letter
        };
        let kind = count(draft, letter, kings)?;
        promoted &= draft.promoted[kind].is_none_or(|other| draft.letters[other].is_none());
        if promoted {
            return Err(format!(
                "+{letter} is no piece: promotedPieceType says nothing for '{letter}'"
            ));
        }
        letters.next_if_eq(&'~');
        files += 1;
    }
    let wanted = draft.files;
    let message = || {
        format!(
            "rank {number}, '{text}', has {files} files, the board {wanted}: make maxFile and startFen agree"
        )
    };
    (files == usize::from(wanted)).then_some(()).ok_or_else(message)
}

/// Counts a piece if it is a King, and returns its kind.
fn count(draft: &Draft, letter: char, kings: &mut [u32; 2]) -> Result<Type, String> {
    let upper = letter.to_ascii_uppercase();
    let other =
        |kind: &Type| draft.letters[*kind].is_some_and(|letters| letters.synonym == Some(upper));
    let kind = draft.kind(letter).or_else(|| draft.types().find(other)).ok_or_else(|| {
        let letters: String = draft.types().filter_map(|kind| draft.letters[kind]).map(|letters| letters.own).collect();
        if letters.is_empty() {
            format!("no piece has the letter '{letter}', since the section has none: write lines like queen = q")
        } else {
            format!("no piece has the letter '{letter}': letters are {letters}")
        }
    })?;
    if kind == KING || draft.components[kind].has(KING) {
        kings[usize::from(letter.is_ascii_lowercase())] += 1;
    }
    Ok(kind)
}

/// Checks a field behind the side to move.
fn field(text: &str) -> Result<(), String> {
    let number = |text: &str| {
        text.len() <= 5 && !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_digit())
    };
    let checks = text.split_once('+').is_some_and(|(white, black)| number(white) && number(black));
    let square = text.split_at_checked(1).is_some_and(|(file, rank)| {
        file.bytes().all(|letter| letter.is_ascii_alphabetic()) && number(rank)
    });
    let known = text == "-" || number(text) || checks || is_rights(text) || square;
    known.then_some(()).ok_or_else(|| format!("'{text}' at the end means nothing: leave it out"))
}
