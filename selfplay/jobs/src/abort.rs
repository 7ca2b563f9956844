//! Memory that is not there.

use signal_hook::consts::SIGABRT;
use signal_hook::low_level;

/// Makes an abort an ordinary error with the exit code 1. The standard library aborts if an
/// allocation fails, after it has said of how many bytes.
pub(crate) fn end_on_abort() {
    const ADVICE: &str = "error: the program cannot go on; if memory is short, use fewer --threads \
        or --games, smaller trees and tables (max_nodes, table_mib, Hash), or raise the limit\n";
    let end = || {
        // SAFETY: the pointer and the length are those of a constant. `write` may be called in a
        // signal handler.
        unsafe { libc::write(libc::STDERR_FILENO, ADVICE.as_ptr().cast(), ADVICE.len()) };
        low_level::exit(1);
    };
    // SAFETY: the handler calls only `write` and `_exit`, neither of which allocates or locks. Without
    // the handler, the abort ends the process as usual.
    let _ = unsafe { low_level::register(SIGABRT, end) };
}
