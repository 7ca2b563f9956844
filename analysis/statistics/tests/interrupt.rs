//! Resampling that is not wanted any more. In a process of its own: the question is asked
//! everywhere.

use fusion_statistics::bootstrap::BootstrapMeans;
use fusion_statistics::{StatisticsError, interrupt};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

static ASKED: AtomicU32 = AtomicU32::new(0);

#[test]
fn resampling_ends_soon() {
    interrupt::ask(|| ASKED.fetch_add(1, Ordering::Relaxed) > 50);
    let values = vec![1.0; 10_000];
    let started = Instant::now();
    // Hours of work.
    let error = BootstrapMeans::draw(&values, 100_000_000, 1).unwrap_err();
    assert_eq!(error, StatisticsError::Interrupted);
    let samples = [vec![1; 10_000]];
    let error = BootstrapMeans::draw_many(&samples, 10_000_000, 1, |_| ()).unwrap_err();
    assert_eq!(error, StatisticsError::Interrupted);
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}
