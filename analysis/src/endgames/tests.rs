use super::graph::{Ending, Solved, SolvedTables};
use super::solve::solve;
use super::verify::verify;
use fusion_engine::endgame::{Material, Value};
use fusion_engine::rules::RuleSet;
use fusion_selfplay::stop::Stop;
use std::sync::Arc;

/// The ending with all smaller ones solved and checked.
fn solved(material: &str, rules: &str) -> (Ending, Vec<u16>) {
    let (material, rules): (Material, RuleSet) =
        (material.parse().unwrap(), rules.parse().unwrap());
    let mut tables = SolvedTables::new();
    let below = material.descendants().into_iter().filter(|below| below.len() > 2);
    for below in below.chain([material]) {
        let ending = Ending::new(below, rules, &tables).unwrap();
        let t = std::time::Instant::now();
        let codes = solve(&ending, &Stop::new()).unwrap();
        let t1 = t.elapsed();
        verify(&ending, &codes, &Stop::new()).unwrap();
        eprintln!("{below} {rules}: solve {t1:?} verify {:?}", t.elapsed() - t1);
        if below == material {
            return (ending, codes);
        }
        tables.insert(below, Arc::new(Solved { layout: ending.layout, codes }));
    }
    unreachable!("the material itself comes last")
}

#[test]
fn longest_mates_are_the_published_ones() {
    for (material, moves) in [("KRvK", 16), ("KBNvK", 33)] {
        let (_, codes) = solved(material, "orthodox");
        let wins = codes.iter().filter_map(|&code| match Value::of_code(code) {
            Some(Value::Win(plies)) => Some(plies),
            _ => None,
        });
        assert_eq!(wins.max(), Some(2 * moves - 1), "{material}");
    }
}
