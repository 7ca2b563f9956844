use super::presets::FUSION_1999;
use super::*;
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

#[test]
fn presets_follow_the_table_of_the_rules() {
    // fusion fission king-fuses onto-king sliders leapers attacked-split castling promotion
    // reach fusion-needs max-components metamorph demote start promotion-unique
    let table = [
        ("fusion-1999", "yes yes yes no yes yes yes no rbn geometric nothing 2 no no queen no"),
        ("fusion-2006", "yes yes no yes no yes yes no rbn geometric nothing 2 no no queen no"),
        ("fusion-2020", "yes yes no yes no no no yes rbn geometric nothing 2 no no queen no"),
        ("fusion-2020-gc", "yes yes no yes no no no yes rbn path nothing 2 no no queen no"),
        ("orthodox", "no no no no yes yes yes yes qrbn geometric nothing 2 no no queen no"),
        ("no-fusion", "no no no no yes yes yes yes rbn geometric nothing 2 no no queen no"),
        ("metamorphin", "yes yes yes no yes yes yes no rbn geometric nothing 2 yes yes queen no"),
        (
            "combination",
            "yes quiet-no-check no no yes yes yes yes rbno geometric nothing 3 no no mann no",
        ),
        ("coronation", "rb no no no yes yes yes yes qrbn geometric no-queen 2 no no queen no"),
        ("union", "yes no no no yes yes yes yes qrbn geometric nothing 2 no no queen no"),
        (
            "confederate",
            "yes capture no no yes yes yes yes qrbn geometric nothing 2 no no queen no",
        ),
        ("empire", "yes no no no yes yes yes yes qmdrbn geometric no-compound 2 no no queen yes"),
    ];
    // pawn-double pawn-back pawn-sideways self-capture castling-from stalemate repetition bare-king
    // move-limit denied
    let rest = "first no no no 1 draw draw none 50 none";
    for (name, expected) in table {
        let rules = RuleSet::preset(name).unwrap();
        let values: Vec<String> = TOGGLES.iter().map(|t| rules.get(t.name).unwrap()).collect();
        assert_eq!(values.join(" "), format!("{expected} {rest}"), "{name}");
    }
    let changes = [
        ("az-no-castling", "castling=no"),
        ("az-no-castling-10", "castling-from=11"),
        ("az-pawn-one-square", "pawn-double=never"),
        ("az-stalemate-win", "stalemate=win"),
        ("az-torpedo", "pawn-double=always"),
        ("az-semi-torpedo", "pawn-double=second-third"),
        ("az-pawn-back", "pawn-back=yes"),
        ("az-pawn-sideways", "pawn-sideways=yes"),
        ("az-self-capture", "self-capture=yes"),
    ];
    for (name, change) in changes {
        assert_eq!(RuleSet::preset(name), format!("orthodox,{change}").parse());
    }
    assert_eq!(table.len() + changes.len(), PRESETS.len());
    for (name, rules) in PRESETS {
        assert_eq!(rules.to_string(), name);
        assert_eq!(rules.check(), Ok(()), "{name}");
    }
}

#[test]
fn errors_list_what_exists() {
    let error = |text: &str| text.parse::<RuleSet>().unwrap_err().to_string();
    assert!(error("fusion").contains("fusion-2020-gc, orthodox"));
    assert!(error("").contains("presets are"));
    assert!(error("fusion-2020,castle=no").contains("leapers-cross-check"));
    assert!(error("fusion-2020,castling=maybe").contains("yes or no"));
    assert!(error("fusion-2020,promotion=").contains("qmdrbno"));
    assert!(error("fusion-2020,promotion=rr").contains("qmdrbno"));
    assert!(error("fusion-2020,castling").contains("toggle=value"));
    assert!(error("fusion-2020,castling=no,castling=yes").contains("twice"));
    assert!(error("fusion-2020,fusion=r").contains("rbno"));
    assert!(error("fusion-2020,fission=loud").contains("quiet-no-check"));
    assert!(error("fusion-2020,max-components=4").contains("2 or 3"));
    assert!(error("orthodox,pawn-double=twice").contains("second-third or always"));
    for value in ["0", "201", "11.", "+11", "011", "none", ""] {
        assert!(error(&format!("orthodox,castling-from={value}")).contains("from 1 to 200"));
    }
    for value in [
        "",
        "castling",
        "black",
        "black:",
        "red:castling",
        "black:castling+castling",
        "white:metamorph",
    ] {
        assert!(error(&format!("orthodox,denied={value}")).contains("such as black:castling"));
    }
    for value in ["0", "1001", "-50", "050", "never"] {
        assert!(error(&format!("orthodox,move-limit={value}")).contains("from 1 to 1000, or none"));
    }
}

#[test]
fn contradictions_are_rejected_with_the_reason() {
    for (text, reason) in [
        ("metamorphin,start=mann", "demote-on-capture"),
        ("combination,demote-on-capture=yes", "captured as"),
        ("orthodox,max-components=3", "three components"),
        ("coronation,max-components=3", "three components"),
        ("empire,max-components=3", "three components"),
        ("orthodox,fusion=ro", "the Mann (o)"),
        ("orthodox,fusion-needs=no-queen", "condition on fusion"),
        ("orthodox,promotion=q,promotion-unique=yes", "nothing to become"),
        ("fusion-1999,castling-from=11", "castling is no"),
        ("az-no-castling-10,castling=no", "castling is no"),
        ("fusion-1999,denied=white:castling", "do not permit all of it"),
        ("union,denied=black:fusion+fission", "do not permit all of it"),
        ("orthodox,denied=black:attacked-split", "has no effect"),
        ("fusion-2020-gc,denied=black:castling", "royal-reach=path"),
    ] {
        let error = text.parse::<RuleSet>().unwrap_err().to_string();
        assert!(error.contains("contradicts itself") && error.contains(reason), "{error}");
    }
    for text in [
        "metamorphin,castling=yes",
        "union,fission=yes",
        "fusion-2020,max-components=3",
        "orthodox,king-fuses=yes,fusion-needs=no-compound",
        "coronation,king-fuses=yes,max-components=3",
        "orthodox,fusion=rbo,promotion=qrbno,max-components=3",
        "fusion-1999,castling=yes,castling-from=200",
        "metamorphin,self-capture=yes,pawn-double=always,pawn-back=yes,pawn-sideways=yes",
        "combination,stalemate=win,repetition=loses,bare-king=loses,move-limit=none",
        "fusion-1999,denied=white:fusion+fission+king-fuses+leapers-cross-check",
    ] {
        assert!(text.parse::<RuleSet>().is_ok(), "{text}");
    }
}

#[test]
fn other_words_for_a_value_are_read() {
    for (text, same) in [
        ("fusion-2020,fission=none", "fusion-2020,fission=no"),
        ("union,fission=quiet", "union,fission=yes"),
        ("fusion-2020,fusion=onrb", "fusion-2020"),
        ("fusion-2020,fusion=rbn", "fusion-2020"),
        ("combination,fusion=no", "combination,fusion=no"),
        ("combination,fusion=on", "combination,max-components=3,fusion=on"),
        ("combination,promotion=orbn", "combination"),
    ] {
        assert_eq!(text.parse::<RuleSet>(), same.parse(), "{text}");
    }
}

#[test]
fn ablations_differ_in_one_toggle() {
    for (name, preset) in PRESETS {
        let ablations = preset.neighbours();
        let changed = |toggle: &&str| ablations.iter().any(|r| r.get(toggle) != preset.get(toggle));
        let kept: Vec<&str> =
            TOGGLES.iter().map(|toggle| toggle.name).filter(|toggle| !changed(toggle)).collect();
        // An ablation changes a rule for both sides.
        assert_eq!(kept.last(), Some(&"denied"));
        let kept = &kept[..kept.len() - 1];
        // Toggles whose other values contradict the preset, or would have no effect.
        let expected: &[&str] = match name {
            "az-no-castling" => &["fusion-needs", "max-components", "castling-from"],
            "az-no-castling-10" => &["castling", "fusion-needs", "max-components"],
            name if name == "orthodox" || name.starts_with("az-") => {
                &["fusion-needs", "max-components"]
            }
            "no-fusion" => &["fusion-needs", "max-components", "promotion-unique"],
            "metamorphin" => &["start", "promotion-unique", "castling-from"],
            "fusion-1999" | "fusion-2006" => &["promotion-unique", "castling-from"],
            "combination" => &["demote-on-capture", "promotion-unique"],
            "coronation" | "empire" => &["max-components"],
            "union" | "confederate" => &[],
            _ => &["promotion-unique"],
        };
        assert_eq!(kept, expected, "{name}");
        for rules in ablations {
            assert_eq!(rules.differences(&preset).len(), 1, "{name} {rules}");
            assert_eq!(rules.check(), Ok(()), "{name} {rules}");
        }
    }
    let unique = |name: &str| {
        let ablations = RuleSet::preset(name).unwrap().neighbours();
        ablations.iter().any(|rules| rules.promotion_unique)
    };
    assert!(unique("orthodox") && !unique("fusion-2020"), "no Pawn becomes a compound there");
}

proptest! {
    /// The comparison of bytes agrees with the comparison of values.
    #[test]
    fn usual_rules_have_the_values_of_fusion_chess(seed: u64) {
        let rules = RuleSet::random(&mut ChaCha8Rng::seed_from_u64(seed));
        let value = |toggle: &str| rules.get(toggle).unwrap();
        let usual = ["yes", "no"].contains(&value("fusion").as_str())
            && ["yes", "no"].contains(&value("fission").as_str())
            && !value("promotion").contains('o')
            && ["fusion-needs", "max-components", "metamorph", "demote-on-capture", "start"]
                .into_iter()
                .chain(["promotion-unique", "pawn-double", "pawn-back", "pawn-sideways", "self-capture"])
                .all(|toggle| FUSION_1999.get(toggle) == rules.get(toggle));
        prop_assert_eq!(rules.is_usual(), usual, "{}", rules);
    }

    #[test]
    fn any_mix_of_toggles_round_trips(seed: u64) {
        let rules = RuleSet::random(&mut ChaCha8Rng::seed_from_u64(seed));
        prop_assert_eq!(rules.to_string().parse::<RuleSet>(), Ok(rules));
    }
}
