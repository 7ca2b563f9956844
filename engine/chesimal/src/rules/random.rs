//! Random rule sets.

use super::presets::CHESIMAL;
use super::{
    AfterCapture, FirstTurn, Friendly, Kings, Number, PrinceMode, QuietLimit, RuleSet, Setup,
};
use rand::Rng;

/// Draws a rule set from all combinations of toggles.
///
/// Choices of two are fair coins, but captures end the turn only in one of four rule sets. Each setup
/// is equally likely. A number is that of `chesimal` half of the time, else any of its smaller
/// values, which matter more often than larger ones. White's first turn is limited, and draws are
/// off, in one of four rule sets.
pub(super) fn draw(rng: &mut impl Rng) -> RuleSet {
    let mut below = |number: u64| (rng.next_u64() % number) as u16;
    let mut rules = CHESIMAL;
    rules.setup = [Setup::Blocks, Setup::Lines, Setup::Small][usize::from(below(3))];
    if below(2) == 0 {
        rules.friendly = Friendly::Amp;
    }
    rules.recruit = below(2) == 0;
    rules.pass = below(2) == 0;
    if below(2) == 0 {
        rules.prince_mode = PrinceMode::Both;
    }
    if below(2) == 0 {
        rules.kings = Kings::Any;
    }
    if below(4) == 0 {
        rules.after_capture = AfterCapture::End;
    }
    if below(2) == 0 {
        rules.king_others = Number::known(below(8));
    }
    if below(2) == 0 {
        rules.prince_total = Number::known(1 + below(10));
    }
    if below(4) == 0 {
        rules.first_turn = FirstTurn(Some(Number::known(1 + below(6))));
    }
    rules.repetition = below(4) != 0;
    match below(4) {
        0 => rules.quiet_limit = QuietLimit(None),
        1 => rules.quiet_limit = QuietLimit(Some(Number::known(1 + below(60)))),
        _ => {}
    }
    rules
}
