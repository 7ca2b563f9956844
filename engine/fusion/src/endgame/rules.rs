//! The rules that matter in an ending.

use super::Material;
use crate::board::{Color, Component};
use crate::rules::{
    BareKing, Denied, Fission, MaxComponents, PRESETS, Repetition, RuleSet, Stalemate,
};

/// The reason why rules cannot have tables.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("endgame tables do not cover {rules}: {reason}")]
pub struct Uncovered {
    rules: String,
    reason: &'static str,
}

/// Checks that tables cover a rule set. A move may remove components by capture and must not add
/// any, and a piece has at most two components.
///
/// # Errors
/// Returns the reason why tables do not cover the rules.
pub fn covers(rules: &RuleSet) -> Result<(), Uncovered> {
    let reason = match () {
        () if rules.metamorph => "metamorphosis (metamorph=yes) makes new components",
        () if rules.demote_on_capture => {
            "a capture (demote-on-capture=yes) costs the side that captures components, too"
        }
        () if rules.max_components == MaxComponents::Three => {
            "pieces of three components (max-components=3) have no place in them"
        }
        () if rules.self_capture => {
            "a self-capture (self-capture=yes) costs the side that captures components"
        }
        () if rules.stalemate == Stalemate::Win => "stalemate (stalemate=win) is no draw",
        () if rules.repetition == Repetition::Loses => {
            "repetition (repetition=loses) may decide what the tables call a draw"
        }
        () if rules.denied != Denied::NOTHING => {
            "what is denied to one side (denied) makes White's endings differ from Black's"
        }
        () if rules.bare_king == BareKing::Loses => "a bare King (bare-king=loses) loses",
        () => return Ok(()),
    };
    Err(Uncovered { rules: rules.to_string(), reason })
}

/// Returns the toggles that can change a move in an ending of this material. Such an ending has no
/// castling rights, no Pawns and no Manns. Castling, promotion and the start never matter.
fn relevant_toggles(rules: &RuleSet, material: &Material) -> Vec<&'static str> {
    let slider = material.has(Component::Rook) || material.has(Component::Bishop);
    let leaper = material.has(Component::Knight);
    let compound = slider || leaper;
    let pair = Color::ALL.into_iter().any(|color| material.kinds(color) > 1);
    let limited = slider && !rules.sliders_cross_check || leaper && !rules.leapers_cross_check;
    let fission = rules.fission != Fission::None;
    let fuses = compound && (pair || rules.king_fuses || rules.fuse_onto_king) && rules.fuses();
    let split_test = compound && fission && !rules.attacked_split;
    [
        ("fusion", pair),
        ("fission", compound),
        ("king-fuses", compound),
        ("fuse-onto-king", compound),
        ("sliders-cross-check", slider),
        ("leapers-cross-check", leaper),
        ("attacked-split", compound && fission),
        ("royal-reach", split_test && limited),
        ("fusion-needs", fuses),
        ("max-components", fuses),
        ("metamorph", compound),
        ("demote-on-capture", compound),
    ]
    .into_iter()
    .filter_map(|(toggle, relevant)| relevant.then_some(toggle))
    .collect()
}

/// Returns the rule set nearest to a preset with the same moves in endings of this material. Rule
/// sets that differ only in toggles without effect on the ending share it, and so share a table.
///
/// ```
/// use fusion_chess::endgame::equivalent_rules;
/// let rules = "fusion-2020,castling=no,leapers-cross-check=yes".parse()?;
/// let material = "KRBvKR".parse().unwrap();
/// assert_eq!(equivalent_rules(&rules, &material).to_string(), "fusion-2020");
/// # Ok::<(), fusion_chess::rules::RulesError>(())
/// ```
#[must_use]
pub fn equivalent_rules(rules: &RuleSet, material: &Material) -> RuleSet {
    let rules = &RuleSet { fusion: rules.fusion.without_manns(), ..*rules };
    let toggles = relevant_toggles(rules, material);
    let near = |preset: RuleSet| {
        let mut near = preset;
        for toggle in &toggles {
            // Setting a toggle to its own value always succeeds.
            let _ = near.set(toggle, &rules.get(toggle).unwrap_or_default());
        }
        let changes = toggles.iter().filter(|toggle| near.get(toggle) != preset.get(toggle));
        (changes.count(), near)
    };
    let candidates = PRESETS.into_iter().map(|(_, preset)| near(preset));
    // A preset may have a toggle that contradicts the toggles that were set.
    let candidates = candidates.filter(|(_, near)| near.check().is_ok());
    candidates.min_by_key(|&(changes, _)| changes).map_or(*rules, |(_, near)| near)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Position, Square};
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 4_000,
            max_global_rejects: 100_000,
            ..ProptestConfig::default()
        })]
        #[test]
        fn equivalent_rules_have_the_same_moves(
            seed: u64,
            choice: prop::sample::Index,
            squares: [prop::sample::Index; 5],
            white: bool,
            limits: bool,
        ) {
            let mut rules = RuleSet::random(&mut ChaCha8Rng::seed_from_u64(seed));
            if limits {
                // Most toggles matter under these rules.
                rules.attacked_split = false;
            }
            let all = Material::all(5);
            let material = choice.get(&all);
            prop_assume!(covers(&rules).is_ok());
            let equivalent = equivalent_rules(&rules, material);
            prop_assert_eq!(equivalent_rules(&equivalent, material), equivalent);
            prop_assert_eq!(equivalent.to_string().parse(), Ok(equivalent));
            // Rule sets that share an ending also share its smaller endings, which a table reads.
            for below in material.descendants() {
                let own = equivalent_rules(&rules, &below);
                prop_assert_eq!(equivalent_rules(&equivalent, &below), own);
            }

            let components = material.components();
            let placed = components.iter().zip(squares);
            let placed = placed.map(|(&(color, component), square)| {
                // Few squares, so that compounds and attacks are common.
                (color, component, Square::at(square.index(4), square.index(16) / 4))
            });
            let placed: Vec<_> = placed.collect();
            let crowded = |(color, component, square)| {
                let here = placed.iter().filter(|other| other.2 == square);
                let alike = placed.iter().filter(|other| **other == (color, component, square));
                here.clone().count() > 2 || here.clone().any(|o| o.0 != color) || alike.count() > 1
            };
            prop_assume!(!placed.iter().any(|&component| crowded(component)));
            let side = if white { Color::White } else { Color::Black };
            let position = Position::of_components(placed.iter().copied(), side);
            prop_assert_eq!(position.hash(), position.fresh_hash());
            let moves = |rules: &RuleSet| {
                let mut moves = Vec::new();
                position.legal_moves(rules, &mut moves);
                moves
            };
            prop_assert_eq!(moves(&rules), moves(&equivalent), "{} {}", rules, position.to_fen());
        }
    }
}
