//! Where and on how many threads libtorch computes.

use std::os::unix::process::CommandExt;
use std::process::Command;

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use tch::Device;

/// What libraries that read their settings before `main` should find.
///
/// libtorch's threads spin while they wait by default, and one busy neighbour then costs more
/// than half the speed. glibc by default gives almost every thread a heap of its own and learns
/// to keep ever larger blocks there when they are freed: those of windows and shards are
/// different in every generation, so that the process grows. With few heaps and a fixed limit
/// they go back to the system; batches and tensors, below the limit, are reused.
pub const ENVIRONMENT: [(&str, &str); 4] = [
    ("OMP_WAIT_POLICY", "passive"),
    ("MALLOC_ARENA_MAX", "2"),
    ("MALLOC_MMAP_THRESHOLD_", "8388608"),
    ("MALLOC_TRIM_THRESHOLD_", "8388608"),
];

/// Starts the program anew with [`ENVIRONMENT`]; the very first thing in `main`.
///
/// What the user has set is left as it is; does nothing if all is set, and carries on if the
/// program cannot be started.
pub fn set_environment() {
    let missing: Vec<_> =
        ENVIRONMENT.into_iter().filter(|(name, _)| std::env::var_os(name).is_none()).collect();
    let Ok(program) = std::env::current_exe() else { return };
    if !missing.is_empty() {
        // Returns only on failure, and then slower threads are no reason to give up.
        let _ = Command::new(program).args(std::env::args_os().skip(1)).envs(missing).exec();
    }
}

/// Sets the number of libtorch's threads and finds a GPU if there is one.
///
/// The program links libtorch's CPU libraries alone. Where the CUDA ones can be found too
/// (through `LD_LIBRARY_PATH`, or because the libtorch in use has them) loading them makes
/// libtorch see its GPUs.
#[must_use]
pub fn prepare(threads: usize) -> Device {
    tch::set_num_threads(i32::try_from(threads).unwrap_or(i32::MAX));
    // SAFETY: loading runs the library's initialisers, which libtorch means to be run this
    // way: it loads the same library itself where it is linked to it. No symbol is used.
    match unsafe { Library::open(Some("libtorch_cuda.so"), RTLD_NOW | RTLD_GLOBAL) } {
        // Never unloaded: libtorch keeps pointers into it.
        Ok(library) => std::mem::forget(library),
        Err(_) => return Device::Cpu,
    }
    Device::cuda_if_available()
}

/// The device in words.
#[must_use]
pub fn describe(device: Device, threads: usize) -> String {
    match device {
        Device::Cpu if threads == 1 => "the CPU, 1 thread".to_owned(),
        Device::Cpu => format!("the CPU, {threads} threads"),
        _ => "a CUDA GPU".to_owned(),
    }
}
