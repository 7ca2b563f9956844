//! Once a search is warm, its playouts allocate nothing.

use fusion_chess::FusionGame;
use fusion_game::prelude::*;
use fusion_network::model::Model;
use fusion_search::{Search, SearchConfig};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, counting what the current thread asks for.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

fn allocations() -> usize {
    ALLOCATIONS.with(Cell::get)
}

// SAFETY: everything is passed on to the system's allocator unchanged; the counter needs no
// memory of its own.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn playouts_allocate_nothing() {
    let presets = ["fusion-2020", "fusion-1999", "orthodox"].map(|name| name.parse().unwrap());
    let network = fusion_network::benchmark_network::<FusionGame>(&presets[0]).unwrap();
    let mut evaluator = Model::of(network).evaluator::<FusionGame>(1);
    for rules in presets {
        let game = FusionGame::new(&rules);
        let mut search = Search::new(SearchConfig::default(), game);
        search.run(evaluator.as_mut(), 6_000);
        assert!(allocations() > 0, "the counter counts");
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..4 {
            search.advance(search.best_move(&mut rng).unwrap());
            let (before, visits) = (allocations(), search.visits());
            search.run(evaluator.as_mut(), visits + 1_000);
            assert_eq!(search.visits(), visits + 1_000);
            assert_eq!(allocations(), before, "{rules}");
        }
    }
}
