//! What the traits of games promise.

use fusion_freechess::FreeChess;

#[test]
fn the_game_conforms() {
    let coverage = fusion_game::conformance::check::<FreeChess>(1, 20).unwrap();
    assert!(coverage.positions > 500, "{coverage:?}");
    assert!(coverage.events.iter().all(|&moves| moves > 0), "{coverage:?}");
}
