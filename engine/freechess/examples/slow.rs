use fusion_freechess::board::Position;
use fusion_freechess::rules::RuleSet;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let rules: RuleSet = args[1].parse().unwrap();
    let (a, b): (u64, u64) = (args[2].parse().unwrap(), args[3].parse().unwrap());
    let mut total = 0.0;
    let mut sig = 0xcbf29ce484222325u64;
    let mut n = 0u64;
    let t0 = Instant::now();
    let mut worst: Vec<(f64, u64, usize, String)> = vec![];
    for seed in a..b {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut p = Position::start(&rules);
        let mut list = vec![];
        for ply in 0..300 {
            list.clear();
            let t = Instant::now();
            p.legal_actions(&rules, &mut list);
            let s = t.elapsed().as_secs_f64();
            total += s;
            n += 1;
            for a in &list {
                sig = (sig ^ u64::from(a.code())).wrapping_mul(0x100000001b3);
            }
            if s > 0.005 {
                worst.push((s, seed, ply, p.to_text()));
            }
            if list.is_empty() {
                break;
            }
            let i = rng.random_range(0..list.len());
            p.play(&rules, list[i]);
        }
    }
    worst.sort_by(|x, y| y.0.total_cmp(&x.0));
    for w in worst.iter().take(25) {
        println!("{:.4} seed {} ply {} {}", w.0, w.1, w.2, w.3);
    }
    println!(
        "signature {sig:016x}; {} lists over 5 ms of {n}, {total:.2} s in lists, {:.1} s in all",
        worst.len(),
        t0.elapsed().as_secs_f64()
    );
}
