//! Rule sets as text.

use super::RuleSet;

fn canonical(text: &str) -> String {
    text.parse::<RuleSet>().unwrap().to_string()
}

#[test]
fn the_text_is_canonical() {
    for (text, wanted) in [
        ("chesimal", "chesimal"),
        ("chesimal,quiet-limit=100", "chesimal"),
        ("chesimal, friendly = amp ,recruit=yes", "chesimal-restricted"),
        ("chesimal,friendly=amp", "chesimal,friendly=amp"),
        ("chesimal-restricted,recruit=no", "chesimal,friendly=amp"),
        ("chesimal,setup=small,prince-total=4", "chesimal-small,king-others=6"),
        ("chesimal-small,recruit=yes,friendly=amp", "chesimal-small,friendly=amp,recruit=yes"),
    ] {
        assert_eq!(canonical(text), wanted);
        assert_eq!(canonical(wanted), wanted);
    }
}

#[test]
fn bad_expressions_are_rejected_with_a_reason() {
    for (text, reason) in [
        ("", "unknown rule set ''; presets are chesimal, chesimal-restricted, chesimal-small"),
        ("chesimal,foo=1", "unknown toggle 'foo'; toggles are friendly, recruit,"),
        ("chesimal,pass", "'pass' is not a change of the form toggle=value"),
        ("chesimal,pass=maybe", "toggle 'pass' cannot be 'maybe'; it takes yes or no"),
        ("chesimal,king-others=32", "cannot be '32'; it takes 0 to 31"),
        ("chesimal,king-others=+3", "cannot be '+3'"),
        ("chesimal,prince-total=0", "it takes 1 to 32"),
        ("chesimal,first-turn=0", "it takes full or 1 to 32"),
        ("chesimal,quiet-limit=1001", "it takes none or 1 to 1000"),
        ("chesimal,quiet-limit=010", "cannot be '010'"),
        ("chesimal,pass=yes,pass=no", "toggle 'pass' is given twice"),
    ] {
        let error = text.parse::<RuleSet>().unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
}
