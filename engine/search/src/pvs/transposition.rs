//! The transposition table: results of earlier searches by position.
//!
//! A position's entry lies in one cluster of four, which fills a cache line. An entry is found by 32
//! bits of the hash, so a wrong one is found about once in 10^9 probes. Its move is used only if it
//! is legal.

use super::value::MATE_FROM;
use std::collections::TryReserveError;
use std::mem::MaybeUninit;

/// Number of clusters that are made between two looks at a stop: 32 MiB.
const PART: usize = 1 << 19;

/// Whether a stored value is exact or a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// The true value is at most this.
    Upper,
    /// The true value is at least this.
    Lower,
    /// The value is exact.
    Exact,
}

/// The result of a search of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<M> {
    /// The best move, unless all moves failed low.
    pub(super) mv: Option<M>,
    /// Value for the side to move; mates are counted from this position.
    pub(super) value: i32,
    /// Static evaluation for the side to move.
    pub(super) standing: i32,
    /// Remaining depth of the search; 0 for a search of forcing moves.
    pub(super) depth: i32,
    pub(super) bound: Bound,
}

#[derive(Clone, Copy)]
struct Entry<M> {
    key: u32,
    mv: Option<M>,
    value: i16,
    standing: i16,
    depth: u8,
    bound: Bound,
    /// Number of the search that wrote the entry; 0 if none did.
    age: u8,
}

#[derive(Clone)]
#[repr(align(64))]
struct Cluster<M>([Entry<M>; 4]);

/// A table of a fixed size. It belongs to one game, so its contents depend only on that game's
/// searches.
pub(super) struct Table<M> {
    clusters: Vec<Cluster<M>>,
    age: u8,
}

impl<M: Copy> Table<M> {
    /// Creates an empty table of at most this many bytes, and at least one cluster.
    pub(super) fn new(bytes: usize) -> Self {
        let mut clusters = Vec::with_capacity(Self::count(bytes));
        Self::fill(&mut clusters, bytes, &|| false);
        Self { clusters, age: 0 }
    }

    /// Does the same, unless there is no memory. If `stop` returns true, the table has only the
    /// clusters that are ready then, and at least one part.
    pub(super) fn try_new(bytes: usize, stop: &dyn Fn() -> bool) -> Result<Self, TryReserveError> {
        let mut clusters = Vec::new();
        clusters.try_reserve_exact(Self::count(bytes))?;
        Self::fill(&mut clusters, bytes, stop);
        Ok(Self { clusters, age: 0 })
    }

    /// Returns the number of clusters in this many bytes.
    fn count(bytes: usize) -> usize {
        (bytes / size_of::<Cluster<M>>()).max(1)
    }

    /// Fills the reserved memory with empty clusters, part by part until `stop` returns true.
    fn fill(clusters: &mut Vec<Cluster<M>>, bytes: usize, stop: &dyn Fn() -> bool) {
        let empty = Entry {
            key: 0,
            mv: None,
            value: 0,
            standing: 0,
            depth: 0,
            bound: Bound::Upper,
            age: 0,
        };
        let count = Self::count(bytes);
        prefer_large_pages(clusters.spare_capacity_mut());
        loop {
            clusters.resize(count.min(clusters.len() + PART), Cluster([empty; 4]));
            if clusters.len() == count || stop() {
                return;
            }
        }
    }

    /// Begins a search: entries of earlier searches are replaced first.
    pub(super) fn begin(&mut self) {
        self.age = if self.age == u8::MAX { 1 } else { self.age + 1 };
    }

    /// Returns the share of entries that the current search has written, by the first 1,000 entries.
    pub(super) fn share(&self) -> f32 {
        let sample = self.clusters.iter().take(250).flat_map(|cluster| &cluster.0);
        let (count, written) = sample.fold((0, 0), |(count, written), entry| {
            (count + 1, written + u32::from(entry.age == self.age))
        });
        written as f32 / count as f32
    }

    fn index(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.clusters.len() as u128) >> 64) as usize
    }

    /// Prefetches a position's cluster, which will be read soon.
    pub(super) fn prefetch(&self, hash: u64) {
        let cluster = &self.clusters[self.index(hash)];
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch reads nothing, and the address is that of an element.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(cluster).cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = cluster;
    }

    /// Returns the entry of a position that is `ply` plies below the root.
    pub(super) fn get(&self, hash: u64, ply: usize) -> Option<Found<M>> {
        let cluster = &self.clusters[self.index(hash)];
        let entry = cluster.0.iter().find(|entry| entry.age != 0 && entry.key == hash as u32)?;
        let (value, ply) = (i32::from(entry.value), ply as i32);
        let value = match value {
            value if value >= MATE_FROM => value - ply,
            value if value <= -MATE_FROM => value + ply,
            value => value,
        };
        Some(Found {
            mv: entry.mv,
            value,
            standing: entry.standing.into(),
            depth: entry.depth.into(),
            bound: entry.bound,
        })
    }

    /// Stores the result for a position that is `ply` plies below the root. A deeper result of the
    /// same position stays, unless the new one is exact. A position without a best move keeps its
    /// earlier one.
    pub(super) fn put(&mut self, hash: u64, ply: usize, found: Found<M>) {
        let (key, age, index) = (hash as u32, self.age, self.index(hash));
        let cluster = &mut self.clusters[index].0;
        let same = cluster.iter().position(|entry| entry.age != 0 && entry.key == key);
        // Of other positions the shallowest goes, and of those the ones of earlier searches.
        let worth = |entry: &Entry<M>| match entry.age {
            0 => -1000,
            old => i32::from(entry.depth) - 8 * i32::from(age.wrapping_sub(old)),
        };
        let place = same.unwrap_or_else(|| (0..4).min_by_key(|&i| worth(&cluster[i])).unwrap_or(0));
        let old = &mut cluster[place];
        let mv = found.mv.or(if same.is_some() { old.mv } else { None });
        let deeper = i32::from(old.depth) > found.depth + 3 && old.age == age;
        if same.is_some() && deeper && found.bound != Bound::Exact {
            old.mv = mv;
            return;
        }
        let (value, ply) = (found.value, ply as i32);
        let value = match value {
            value if value >= MATE_FROM => value + ply,
            value if value <= -MATE_FROM => value - ply,
            value => value,
        };
        *old = Entry {
            key,
            mv,
            value: value as i16,
            standing: found.standing as i16,
            depth: found.depth.clamp(0, 255) as u8,
            bound: found.bound,
            age,
        };
    }
}

/// Asks the system for large pages of memory that is not in use yet. A probe's address is then
/// seldom looked up in the page tables, which takes longer than the probe itself.
fn prefer_large_pages<T>(memory: &mut [MaybeUninit<T>]) {
    #[cfg(target_os = "linux")]
    {
        /// What both ends are rounded to; large pages are larger.
        const PAGE: usize = 1 << 16;
        let (start, end) =
            (memory.as_ptr_range().start as usize, memory.as_ptr_range().end as usize);
        let (start, end) = (start.next_multiple_of(PAGE), end / PAGE * PAGE);
        if start < end {
            // SAFETY: the advice changes no contents, and the pages lie within the slice. If the
            // system rejects the advice, small pages stay.
            unsafe { libc::madvise(start as *mut _, end - start, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(value: i32, depth: i32, bound: Bound) -> Found<u16> {
        Found { mv: Some(7), value, standing: 12, depth, bound }
    }

    #[test]
    fn the_share_is_that_of_the_current_search() {
        let mut table = Table::<u16>::new(2 * 64);
        table.begin();
        assert_eq!(table.share(), 0.0);
        table.put(1, 0, found(0, 1, Bound::Lower));
        table.put(u64::MAX, 0, found(0, 1, Bound::Lower));
        assert_eq!(table.share(), 0.25);
        table.begin();
        assert_eq!(table.share(), 0.0);
    }

    #[test]
    fn a_table_may_be_refused_or_stay_small() {
        let full = Table::<u16>::try_new(3 * 64, &|| true).unwrap();
        assert_eq!(full.clusters.len(), 3);
        let stopped = Table::<u16>::try_new(3 * PART * 64, &|| true).unwrap();
        assert_eq!(stopped.clusters.len(), PART);
        assert!(Table::<u16>::try_new(usize::MAX, &|| false).is_err());
    }

    #[test]
    fn a_cluster_fills_a_cache_line() {
        assert_eq!((size_of::<Cluster<u16>>(), size_of::<Cluster<u8>>()), (64, 64));
    }

    #[test]
    fn mates_are_counted_from_the_position() {
        let mut table = Table::<u16>::new(1 << 16);
        table.begin();
        table.put(1 << 40, 5, found(MATE_FROM + 100, 3, Bound::Exact));
        assert_eq!(table.get(1 << 40, 5).unwrap().value, MATE_FROM + 100);
        assert_eq!(table.get(1 << 40, 9).unwrap().value, MATE_FROM + 96);
        table.put(2 << 40, 4, found(-MATE_FROM - 100, 3, Bound::Exact));
        assert_eq!(table.get(2 << 40, 2).unwrap().value, -MATE_FROM - 102);
    }

    #[test]
    fn deeper_results_stay_and_moves_are_kept() {
        let mut table = Table::<u16>::new(64);
        table.begin();
        table.put(9, 0, found(10, 8, Bound::Lower));
        table.put(9, 0, Found { mv: None, ..found(20, 2, Bound::Upper) });
        let kept = table.get(9, 0).unwrap();
        assert_eq!((kept.value, kept.depth, kept.mv), (10, 8, Some(7)));
        table.put(9, 0, Found { mv: None, ..found(30, 7, Bound::Upper) });
        assert_eq!(table.get(9, 0).map(|kept| (kept.value, kept.mv)), Some((30, Some(7))));
    }

    #[test]
    fn the_shallowest_entry_goes_and_old_ones_first() {
        let mut table = Table::<u16>::new(64);
        table.begin();
        for (key, depth) in [(1, 9), (2, 3), (3, 6), (4, 5)] {
            table.put(key, 0, found(0, depth, Bound::Lower));
        }
        table.put(5, 0, found(0, 1, Bound::Lower));
        assert!(table.get(2, 0).is_none() && table.get(5, 0).is_some());
        table.begin();
        table.put(6, 0, found(0, 1, Bound::Lower));
        table.put(7, 0, found(0, 1, Bound::Lower));
        assert!(table.get(1, 0).is_some() && table.get(6, 0).is_some());
    }
}
