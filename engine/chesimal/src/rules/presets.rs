//! Rule sets with a name.

use super::{
    AfterCapture, FirstTurn, Friendly, Kings, Number, PrinceMode, QuietLimit, RuleSet, Setup,
};

pub(super) const CHESIMAL: RuleSet = RuleSet {
    friendly: Friendly::Colour,
    recruit: false,
    king_others: Number::known(6),
    prince_total: Number::known(9),
    prince_mode: PrinceMode::Choose,
    kings: Kings::All,
    pass: false,
    after_capture: AfterCapture::Continue,
    first_turn: FirstTurn(None),
    setup: Setup::Blocks,
    repetition: true,
    quiet_limit: QuietLimit(Some(Number::known(100))),
};

const RESTRICTED: RuleSet = RuleSet { friendly: Friendly::Amp, recruit: true, ..CHESIMAL };

const SMALL: RuleSet = RuleSet {
    king_others: Number::known(3),
    prince_total: Number::known(4),
    setup: Setup::Small,
    ..CHESIMAL
};

/// Every preset with its name.
pub const PRESETS: [(&str, RuleSet); 3] =
    [("chesimal", CHESIMAL), ("chesimal-restricted", RESTRICTED), ("chesimal-small", SMALL)];
