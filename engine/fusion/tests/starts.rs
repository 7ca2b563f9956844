//! Initial positions that are given as a FEN or as a file of them.

use fusion_chess::FusionGame;
use fusion_chess::board::Position;
use fusion_chess::notation::pgn::{self, PgnGame};
use fusion_chess::rules::{PRESETS, RuleSet};
use fusion_game::{Game, Notation};
use std::path::Path;

const KNIGHTED: &str = "rnbmkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBMKBNR w KQkq - 0 1";

fn rules(text: &str) -> RuleSet {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn error(text: &str) -> String {
    text.parse::<RuleSet>().expect_err(text).to_string()
}

/// Writes a file into a folder and returns its rule expression.
fn listed(folder: &Path, text: &str) -> String {
    let path = folder.join("starts.fen");
    std::fs::write(&path, text).unwrap();
    format!("orthodox,start={}", path.display())
}

#[test]
fn every_spelling_of_a_fen_is_the_same_start() {
    let written = "orthodox,start=rnbmkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBMKBNR_w_KQkq_-";
    let short = KNIGHTED.strip_suffix(" 0 1").unwrap();
    let from_0 = format!("{short} 0 0");
    for fen in [KNIGHTED, &KNIGHTED.replace(' ', "_"), short, &from_0] {
        let rules = rules(&format!("orthodox,start={fen}"));
        assert_eq!(rules.to_string(), written);
        assert_eq!(rules, written.parse().unwrap());
        assert_eq!(FusionGame::new(&rules).to_text(), KNIGHTED);
        assert_eq!(FusionGame::starts(&rules), 1);
        assert!(!rules.is_chess(), "a chess program does not know the piece");
    }
    // Counters that are not the usual ones are part of the position.
    let late = "orthodox,start=4k3/8/8/8/8/8/4P3/4K3_w_-_-_4_30";
    assert_eq!(rules(late).to_string(), late);
}

#[test]
fn the_start_of_a_preset_is_the_preset() {
    for (name, preset) in PRESETS {
        let start = preset.start.fen(0);
        assert_eq!(rules(&format!("{name},start={start}")), preset);
    }
    assert_eq!(rules(&format!("union,start={KNIGHTED}")).start.positions(), 1);
}

#[test]
fn castling_rights_are_those_of_the_rules() {
    let without = rules(&format!("az-no-castling,start={KNIGHTED}"));
    assert_eq!(Position::start(&without).castling_rights(), 0);
}

#[test]
fn files_are_lists_that_games_take_in_turn() {
    let folder = tempfile::tempdir().unwrap();
    let text = listed(
        folder.path(),
        "# two\n\n4k3/8/8/8/8/8/4P3/4K3 w - -\n4k3/4p3/8/8/8/8/8/4K3 b - - 0 1\n",
    );
    let rules = rules(&text);
    assert_eq!(FusionGame::starts(&rules), 2);
    let first = |number| FusionGame::start(&rules, number).to_text();
    assert_eq!(first(0), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    assert_eq!(first(3), "4k3/4p3/8/8/8/8/8/4K3 b - - 0 1");
    assert_eq!(FusionGame::new(&rules).to_text(), first(0));
    // The text names the contents, and comments and blanks do not count.
    let written = rules.to_string();
    assert_eq!(written.rsplit_once(':').unwrap().0, text);
    assert_eq!(written.parse(), Ok(rules));
    listed(folder.path(), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n4k3/4p3/8/8/8/8/8/4K3 b - -");
    assert_eq!(written.parse(), Ok(rules));
    listed(folder.path(), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n");
    assert!(error(&written).contains("have the checksum"));
    assert_ne!(text.parse(), Ok(rules));
}

#[test]
fn what_no_game_can_begin_with_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let bad_line = listed(folder.path(), "4k3/8/8/8/8/8/4P3/4K3 w - -\nhello\n");
    assert!(error(&bad_line).contains("line 2: a FEN has 6 fields"), "{}", error(&bad_line));
    let over = listed(folder.path(), "4k3/8/8/8/8/8/4P3/4K3 w - -\n4k3/8/8/8/8/8/8/4K3 w - -\n");
    assert!(error(&over).contains("position 2"), "{}", error(&over));
    let empty = listed(folder.path(), "# nothing\n");
    assert!(error(&empty).contains("has no position"));
    for (text, words) in [
        ("orthodox,start=nowhere/x.fen", "cannot read nowhere/x.fen"),
        ("orthodox,start=king", "it takes queen, mann, a FEN"),
        ("orthodox,start=4k3/8/8/8/8/8/8/8_w_-_-", "White has no royal piece"),
        ("orthodox,start=4k3/8/8/8/8/8/8/4K3_w_-_-", "the game is over there"),
        ("orthodox,start=4k3/8/8/8/8/8/8/R3K3_b_K_-", "castling right K needs"),
        ("orthodox,start={rbn}3k3/8/8/8/8/8/P7/4K3_w_-_-", "at most 2"),
        // The step from the third rank is allowed only under other rules.
        ("orthodox,start=4k3/8/8/8/pP6/2P5/8/4K3_b_-_b3_0_9,pawn-double=never", "en-passant"),
    ] {
        assert!(error(text).contains(words), "{text}: {}", error(text));
    }
}

#[test]
fn manns_come_with_a_start() {
    let fen = "rnbokbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let rules = rules(&format!("union,start={fen}"));
    assert!(rules.has_manns() && !rules.is_usual());
    assert!(error(&format!("union,demote-on-capture=yes,start={fen}")).contains("Mann"));
}

#[test]
fn games_carry_their_start() {
    let text = format!("orthodox,start={KNIGHTED}");
    let start = Position::start(&rules(&text));
    let game = PgnGame::new(&rules(&text), &start);
    assert_eq!(game.tag("FEN"), Some(KNIGHTED));
    let mut out = Vec::new();
    game.write(&mut out).unwrap();
    let read = pgn::read(&out[..]).next().unwrap().unwrap();
    assert_eq!(read.rules(), Ok(rules(&text)));
    assert_eq!(read.start(), Ok(start));
}

#[test]
fn the_shuffled_arrays_are_those_of_chess960() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/starts/shuffled.fen");
    let rules = rules(&format!("fusion-2020,start={}", path.display()));
    assert_eq!(rules.start.positions(), 960);
    assert!((0..960).any(|number| rules.start.fen(number).starts_with("rnbqkbnr/")));
    assert!(rules.start.is_orthodox());
}
