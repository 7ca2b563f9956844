//! Limits of the machine: threads that a variable asks for, and memory that is not there.

use crate::cluster;
use crate::exit::note;
use anyhow::anyhow;
use signal_hook::consts::SIGABRT;
use signal_hook::low_level;
use std::error::Error;

/// Variable by which users set the threads of programs that use rayon.
const VARIABLE: &str = "RAYON_NUM_THREADS";

/// Starts the threads that analyses share: as many as the variable `RAYON_NUM_THREADS` says, else one
/// for each core. There are at most as many as [`cluster::threads`] allows. Does nothing if they
/// run already.
///
/// # Errors
/// Fails if the threads cannot be started.
pub fn start_threads() -> anyhow::Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let most = cluster::most_threads(cores);
    let text = std::env::var(VARIABLE).unwrap_or_default();
    let threads = match text.trim().parse() {
        Ok(0) | Err(_) => cores,
        Ok(asked) if asked > most => {
            note(format_args!("{VARIABLE} is {asked}: {most} threads are used, the most here"));
            most
        }
        Ok(asked) => asked,
    };
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build_global() {
        // An error without a cause says that the threads run already.
        Err(error) if error.source().is_some() => {
            Err(anyhow!("{threads} threads cannot be started; set {VARIABLE} lower: {error}"))
        }
        _ => Ok(()),
    }
}

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
