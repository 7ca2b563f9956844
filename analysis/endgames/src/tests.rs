use crate::graph::{Ending, Solved, SolvedTables, look_up};
use crate::solve::{Solver, solve};
use crate::summary::{Row, summarise};
use crate::verify::verify;
use fusion_chess::board::{Color, Position};
use fusion_chess::endgame::{Material, Value, covers, equivalent_rules};
use fusion_chess::rules::{PRESETS, RuleSet};
use fusion_jobs::stop::Stop;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;
use std::sync::Arc;

fn rules(text: &str) -> RuleSet {
    text.parse().unwrap()
}

/// Solves and checks an ending and all smaller ones. The tables include the ending's own.
fn solved(material: &str, rules: RuleSet) -> (Ending, SolvedTables) {
    let material: Material = material.parse().unwrap();
    let mut tables = SolvedTables::new();
    for below in material.descendants().into_iter().filter(|below| below.len() > 2) {
        add(below, rules, &mut tables);
    }
    (add(material, rules, &mut tables), tables)
}

fn add(material: Material, rules: RuleSet, tables: &mut SolvedTables) -> Ending {
    let ending = Ending::new(material, rules, tables).unwrap();
    let codes = solve(&ending, &Stop::new()).unwrap();
    let checked = verify(&ending, &codes, &Stop::new()).unwrap();
    assert_eq!(checked, codes.len() as u64);
    tables.insert(material, Arc::new(Solved { layout: ending.layout.clone(), codes }));
    ending
}

fn summary(material: &str, rules: RuleSet) -> Vec<Row> {
    let (ending, tables) = solved(material, rules);
    rows(&ending, &tables)
}

fn rows(ending: &Ending, tables: &SolvedTables) -> Vec<Row> {
    let codes = &tables[&ending.layout.material()].codes;
    summarise(ending, codes, |position| look_up(tables, position))
}

#[test]
fn longest_mates_are_the_published_ones() {
    // Moves to mate: Nunn, Secrets of Pawnless Endings (2002), and any endgame manual.
    for (material, white, moves) in
        [("KRvK", "K+R", 16), ("KRBvK", "K+RB", 10), ("KBNvK", "K+B+N", 33), ("KRvKB", "K+R", 29)]
    {
        let rows = summary(material, rules("orthodox"));
        let longest = rows.iter().filter(|row| row.white == white && !row.black.starts_with("KB"));
        let longest = longest.filter_map(|row| row.white_longest).max();
        assert_eq!(longest.map(|plies| plies.div_ceil(2)), Some(moves), "{material}");
    }
}

#[test]
fn a_lone_bishop_or_knight_never_mates() {
    // The dead-position rule, under all mixes of the toggles that can matter. The only piece
    // besides the Kings can capture nothing and can fuse with one King only. So the family's other
    // toggles have no effect. Metamorphosis is the exception: the rule is different under it.
    const TOGGLES: [(&str, &[&str]); 7] = [
        ("fission", &["no", "yes", "quiet-no-check", "capture"]),
        ("king-fuses", &["yes", "no"]),
        ("fuse-onto-king", &["yes", "no"]),
        ("sliders-cross-check", &["yes", "no"]),
        ("leapers-cross-check", &["yes", "no"]),
        ("attacked-split", &["yes", "no"]),
        ("royal-reach", &["path", "geometric"]),
    ];
    let mut seen = HashSet::new();
    let mixes: usize = TOGGLES.iter().map(|(_, values)| values.len()).product();
    for mix in 0..mixes {
        let (mut rules, mut rest) = (PRESETS[0].1, mix);
        for (toggle, values) in TOGGLES {
            rules.set(toggle, values[rest % values.len()]).unwrap();
            rest /= values.len();
        }
        for material in ["KBvK", "KNvK"] {
            let material: Material = material.parse().unwrap();
            let rules = equivalent_rules(&rules, &material);
            if !seen.insert((material, rules)) {
                continue;
            }
            let ending = Ending::new(material, rules, &SolvedTables::new()).unwrap();
            let codes = solve(&ending, &Stop::new()).unwrap();
            let decided = codes.iter().filter(|&&code| code > Value::NO_POSITION);
            assert_eq!(decided.count(), 0, "{material} under {rules}");
        }
    }
    // The King has two ways to fuse. There are two cases without fission. Each of the three kinds
    // of fission has five different mixes of the other three toggles.
    assert_eq!(seen.len(), 2 * 4 * (2 + 3 * 5));
}

/// Returns the value of a position if it is decided within `plies`, by trying all moves.
fn plain_search(position: &Position, rules: &RuleSet, plies: u16) -> Option<Value> {
    let mut moves = Vec::new();
    position.legal_moves(rules, &mut moves);
    if moves.is_empty() {
        return position.in_check().then_some(Value::Loss(0));
    }
    if plies == 0 {
        return None;
    }
    let (mut win, mut loss) = (None, Some(0));
    for mv in moves {
        let mut next = *position;
        next.play(mv);
        match plain_search(&next, rules, plies - 1) {
            Some(Value::Loss(after)) => win = Some(after.min(win.unwrap_or(after))),
            Some(Value::Win(after)) => loss = loss.map(|longest| longest.max(after)),
            _ => loss = None,
        }
    }
    win.map(|after| Value::Win(after + 1)).or(loss.map(|after| Value::Loss(after + 1)))
}

#[test]
fn random_positions_agree_with_a_plain_search() {
    const PLIES: u16 = 4;
    let rng = &mut ChaCha8Rng::seed_from_u64(1999);
    let mut cases = vec![
        ("KRvKN", rules("fusion-1999")),
        ("KRBvK", rules("fusion-2020")),
        ("KRvK", rules("fusion-2006")),
    ];
    let covered: Vec<RuleSet> =
        (0..100).map(|_| RuleSet::random(rng)).filter(|rules| covers(rules).is_ok()).collect();
    let family = |rules: &&RuleSet| !rules.is_usual();
    let usual = |rules: &&RuleSet| rules.is_usual();
    cases.extend(covered.iter().filter(usual).take(4).map(|rules| ("KRvK", *rules)));
    cases.extend(covered.iter().filter(usual).skip(4).take(2).map(|rules| ("KRNvK", *rules)));
    cases.extend(covered.iter().filter(family).take(3).map(|rules| ("KRNvK", *rules)));
    assert_eq!(cases.len(), 12);
    let (mut decided, mut open) = (0, 0);
    for (material, rules) in cases {
        let (ending, tables) = solved(material, rules);
        for _ in 0..400 {
            let index = rng.random_range(0..ending.layout.entries());
            let Some((squares, side)) = ending.layout.squares(index) else { continue };
            let Some(position) = ending.position(&squares, side) else { continue };
            let value = look_up(&tables, &position).unwrap();
            let soon = value.plies().is_some_and(|plies| plies <= PLIES).then_some(value);
            let found = plain_search(&position, &rules, PLIES);
            assert_eq!(found, soon, "{} under {rules}", position.to_fen());
            *(if found.is_some() { &mut decided } else { &mut open }) += 1;
        }
    }
    assert!(decided > 50 && open > 500, "{decided} {open}");
}

#[test]
fn an_interrupted_solver_comes_to_the_same_table() {
    let ending =
        Ending::new("KRvK".parse().unwrap(), rules("fusion-1999"), &SolvedTables::new()).unwrap();
    let stop = Stop::new();
    let whole = solve(&ending, &stop).unwrap();
    for plies in [0, 1, 5, 12, 30] {
        let mut solver = Solver::begin(&ending, &stop).unwrap();
        for _ in 0..plies {
            solver.step(&stop).unwrap();
        }
        // A step that is stopped half-way is repeated.
        let stopping = Stop::new();
        stopping.request();
        let _ = solver.step(&stopping);
        let mut solver = Solver::resume(&ending, solver.snapshot());
        while solver.step(&stop).unwrap().is_some() {}
        assert!(solver.codes() == whole, "{plies}");
    }
}

#[test]
fn tables_do_not_depend_on_the_number_of_threads() {
    let table = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let ending =
                Ending::new("KRvK".parse().unwrap(), rules("fusion-2020"), &SolvedTables::new());
            solve(&ending.unwrap(), &Stop::new()).unwrap()
        })
    };
    assert!(table(1) == table(5));
}

#[test]
fn a_wrong_value_is_found() {
    let (ending, tables) = solved("KRvK", rules("fusion-2006"));
    let codes = &tables[&ending.layout.material()].codes;
    let rng = &mut ChaCha8Rng::seed_from_u64(5);
    for _ in 0..20 {
        let mut wrong = codes.clone();
        let index = rng.random_range(0..wrong.len());
        wrong[index] ^= 1 << rng.random_range(0..3);
        assert!(verify(&ending, &wrong, &Stop::new()).is_err(), "{index}");
    }
}

#[test]
fn both_colours_have_the_same_values() {
    // In an ending of equal material, Black's results are White's with the colours exchanged.
    let rows = summary("KNvKN", rules("fusion-1999"));
    for row in &rows {
        let to_move = if row.to_move == 'w' { 'b' } else { 'w' };
        let find = |other: &&Row| {
            (&other.white, &other.black, other.to_move) == (&row.black, &row.white, to_move)
        };
        let mirror = rows.iter().find(find).unwrap();
        let both = (mirror.positions, mirror.black_wins, mirror.black_longest);
        assert_eq!((row.positions, row.white_wins, row.white_longest), both);
    }
    let (ending, tables) = solved("KRvKN", rules("fusion-2020"));
    for index in (0..ending.layout.entries()).step_by(997) {
        let Some((squares, side)) = ending.layout.squares(index) else { continue };
        let Some(position) = ending.position(&squares, side) else { continue };
        let turned = position.flipped();
        assert_eq!(turned.side_to_move() == Color::White, side == Color::Black);
        assert_eq!(look_up(&tables, &position), look_up(&tables, &turned));
    }
}

#[derive(serde::Deserialize)]
struct Reference {
    rules: String,
    material: String,
    white: String,
    black: String,
    to_move: char,
    positions: u64,
    white_wins: u64,
    draws: u64,
    black_wins: u64,
    longest_plies: Option<u16>,
}

/// Compares with numbers from another program. tests/data/endgames/README.md describes their
/// origin. Returns the number of rows.
fn compare(csv: &str, wanted: impl Fn(&Reference) -> bool) -> usize {
    let rows: Result<Vec<Reference>, _> =
        csv::Reader::from_reader(csv.as_bytes()).deserialize().collect();
    let rows: Vec<Reference> = rows.unwrap().into_iter().filter(wanted).collect();
    let mut tables = (String::new(), SolvedTables::new());
    for group in rows.chunk_by(|a, b| a.rules == b.rules && a.material == b.material) {
        let Reference { rules: text, material, .. } = &group[0];
        if tables.0 != *text {
            tables = (text.clone(), SolvedTables::new());
        }
        let (rules, material) = (rules(text), material.parse::<Material>().unwrap());
        let below = material.descendants().into_iter().filter(|below| below.len() > 2);
        for below in below.filter(|below| !tables.1.contains_key(below)).collect::<Vec<_>>() {
            add(below, rules, &mut tables.1);
        }
        let ending = add(material, rules, &mut tables.1);
        let found = self::rows(&ending, &tables.1);
        for row in group {
            let same = |found: &&Row| {
                (&found.white, &found.black, found.to_move) == (&row.white, &row.black, row.to_move)
            };
            let found = found.iter().find(same).unwrap();
            let counts = [found.positions, found.white_wins, found.draws, found.black_wins];
            let name = format!("{} {}", row.rules, row.material);
            assert_eq!(
                counts,
                [row.positions, row.white_wins, row.draws, row.black_wins],
                "{name}"
            );
            assert_eq!(found.white_longest.max(found.black_longest), row.longest_plies, "{name}");
        }
    }
    rows.len()
}

const ORTHODOX: &str = include_str!("../../report/tests/data/endgames/orthodox.csv");
const FUSION: &str = include_str!("../../report/tests/data/endgames/fusion.csv");

#[test]
fn orthodox_counts_are_those_of_syzygy_tables() {
    let wanted = ["KRvK", "KBvK", "KNvK", "KRvKR", "KRvKB", "KBNvK", "KRBvK"];
    assert_eq!(compare(ORTHODOX, |row| wanted.contains(&&*row.material)), 16);
}

#[test]
fn fusion_counts_are_those_of_an_independent_solver() {
    let large = |row: &Reference| {
        row.material == "KRvKN" && ["fusion-2006", "fusion-2020"].contains(&&*row.rules)
    };
    assert_eq!(compare(FUSION, |row| row.material.len() <= 4 || large(row)), 244);
}

#[test]
#[ignore = "takes minutes: cargo test --release -p fusion-endgames all_counts -- --ignored"]
fn all_counts_of_up_to_four_components_agree() {
    assert_eq!(compare(ORTHODOX, |row| row.material.len() <= 5), 32);
    assert_eq!(compare(FUSION, |_| true), 484);
}
