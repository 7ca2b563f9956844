//! Files that define games.

use fusion_fairy::board::{Position, Tables};
use fusion_fairy::ini::File;

/// Most sections of a file, and most plies of a game, that are looked at: a fuzzer gains nothing by more.
const MOST_SECTIONS: usize = 8;
const MOST_PLIES: usize = 12;

/// Reads a file. A section that is accepted is written and comes back, and is played.
pub(super) fn ini(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(file) = File::parse("fuzz.ini", text) else { return };
    for section in file.sections().take(MOST_SECTIONS) {
        let Ok(resolved) = file.resolve(section, &[]) else { continue };
        let definition = resolved.definition;
        let written = definition.to_text();
        let again = File::parse("text.ini", &written)
            .and_then(|file| file.resolve(&definition.name, &[]))
            .unwrap_or_else(|problems| panic!("{problems}\n{written}"));
        assert_eq!(again.definition, definition, "{written}");
        play(&Tables::new(definition), data);
    }
}

/// Plays moves that the bytes choose.
fn play(tables: &Tables, data: &[u8]) {
    let Ok(mut position) = Position::start(tables) else { return };
    for byte in data.iter().rev().take(MOST_PLIES) {
        let text = position.to_text(tables);
        let read = Position::from_text(tables, &text);
        assert_eq!(read.map(|read| read.to_text(tables)).as_deref(), Ok(text.as_str()));
        let mut moves = Vec::new();
        position.legal_moves(tables, &mut moves);
        assert_eq!(position.count_moves(tables), moves.len() as u64, "{text}");
        let Some(&mv) = moves.get(usize::from(*byte) % moves.len().max(1)) else { return };
        position.make(tables, mv);
    }
}
