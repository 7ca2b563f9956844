//! Progress display: a bar on a terminal, else a plain line at intervals.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::bar::Bar;
use crate::escape::shown;
use crate::exit::note;

/// Pause before the first table where there is no terminal.
const FIRST_TABLE: Duration = Duration::from_secs(20);
/// Pause between two tables where there is no terminal.
const TABLE_EVERY: Duration = Duration::from_secs(300);
/// Pause between two tables below the bar.
const REDRAW_EVERY: Duration = Duration::from_millis(500);

/// Progress display for a number of games, shared by threads.
///
/// # Examples
/// ```
/// use fusion_jobs::progress::Progress;
///
/// // 3 of 10 games are finished already.
/// let progress = Progress::new("games, shard 0 of 4", 10, 3);
/// std::thread::scope(|threads| {
///     for game in 3..10 {
///         let progress = &progress;
///         threads.spawn(move || {
///             progress.count_moves(80);
///             progress.count_games(u64::from(game % 2 == 0));
///         });
///     }
/// });
/// progress.show(|| "White 2, Black 1".to_owned());
/// progress.finish();
/// ```
#[derive(Debug)]
pub struct Progress {
    bar: Bar,
    label: String,
    total: u64,
    /// Number of games that are finished together.
    each: u64,
    started: Instant,
    finished: AtomicU64,
    fresh: AtomicU64,
    moves: AtomicU64,
    drawn: AtomicU64,
    /// Time and text of the last table.
    table: Mutex<(Instant, String)>,
}

impl Progress {
    /// Starts the display of `total` games. `done` of them were finished by an earlier run.
    #[must_use]
    pub fn new(label: &str, total: u64, done: u64) -> Self {
        Self::in_groups(label, total, done, 1)
    }

    /// Starts the display of `groups` of `each` games, such as pairs. [`Progress::count_games`] counts a
    /// group. `done` of them were finished by an earlier run.
    #[must_use]
    pub fn in_groups(label: &str, groups: u64, done: u64, each: u64) -> Self {
        let (total, done) = (groups.saturating_mul(each), done.saturating_mul(each));
        let template = "{prefix} {wide_bar} {pos}/{len}, {eta} left\n{msg}";
        let bar = Bar::new(template, shown(label), Some(total));
        bar.begin_at(done);
        Self { each, ..Self::with_bar(bar, label, total, done) }
    }

    /// Creates a counter without display.
    #[must_use]
    pub fn hidden() -> Self {
        Self::with_bar(Bar::hidden(), "", 0, 0)
    }

    fn with_bar(bar: Bar, label: &str, total: u64, done: u64) -> Self {
        Self {
            bar,
            label: label.to_owned(),
            total,
            each: 1,
            started: Instant::now(),
            finished: AtomicU64::new(done),
            fresh: AtomicU64::new(0),
            moves: AtomicU64::new(0),
            drawn: AtomicU64::new(0),
            table: Mutex::new((Instant::now(), String::new())),
        }
    }

    /// Counts a move.
    pub fn count_move(&self) {
        self.moves.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts moves.
    pub fn count_moves(&self, moves: u64) {
        self.moves.fetch_add(moves, Ordering::Relaxed);
    }

    /// Counts a finished game, or a finished group of games. `drawn` of these were drawn.
    pub fn count_games(&self, drawn: u64) {
        self.finished.fetch_add(self.each, Ordering::Relaxed);
        self.fresh.fetch_add(self.each, Ordering::Relaxed);
        self.drawn.fetch_add(drawn, Ordering::Relaxed);
        self.bar.say(|| self.summary() + &self.table());
        self.bar.add(self.each);
        self.print_line();
    }

    /// Displays a table of interim results at intervals.
    pub fn show(&self, table: impl FnOnce() -> String) {
        // A held lock is not waited for, as for lines.
        let Ok(mut last) = self.table.try_lock() else { return };
        let pause = match (self.bar.prints_lines(), last.1.is_empty()) {
            (false, _) => REDRAW_EVERY,
            (true, true) => FIRST_TABLE,
            (true, false) => TABLE_EVERY,
        };
        if last.0.elapsed() < pause {
            return;
        }
        *last = (Instant::now(), format!("\n{}", shown(table())));
        if self.bar.prints_lines() {
            note(last.1.trim_start());
        }
    }

    /// Returns the last table of [`Progress::show`].
    fn table(&self) -> String {
        self.table.try_lock().map(|table| table.1.clone()).unwrap_or_default()
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish();
    }

    fn summary(&self) -> String {
        let rate = self.moves.load(Ordering::Relaxed) as f64
            / self.started.elapsed().as_secs_f64().max(1e-3);
        let games = self.fresh.load(Ordering::Relaxed).max(1);
        // The counted items are not always games, and only games can be drawn.
        match self.drawn.load(Ordering::Relaxed) {
            0 => format!("{rate:.0} moves/s"),
            drawn => {
                // Whole percent of the games of this run, halves up as everywhere.
                let percent = (200 * drawn + games) / (2 * games);
                format!("{rate:.0} moves/s, {percent}% of these games drawn")
            }
        }
    }

    fn print_line(&self) {
        if !self.bar.is_due() {
            return;
        }
        let finished = self.finished.load(Ordering::Relaxed);
        let fresh = self.fresh.load(Ordering::Relaxed).max(1);
        let left = self.total.saturating_sub(finished);
        let seconds = self.started.elapsed().as_secs_f64() / fresh as f64 * left as f64;
        note(format_args!(
            "{}: {finished}/{}, {}, about {seconds:.0} s left",
            self.label,
            self.total,
            self.summary()
        ));
    }
}
