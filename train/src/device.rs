//! Device and number of threads of libtorch.

use std::os::unix::process::CommandExt;
use std::process::Command;

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use tch::{Device, Kind, Tensor};

/// Environment for libraries that read their settings before `main`.
///
/// By default, libtorch's threads spin while they wait, and one busy neighbour then costs more
/// than half the speed. By default, glibc gives almost every thread its own heap and raises the
/// size of the freed blocks that it keeps there. The blocks of windows and shards are
/// different in every generation, so the process grows. With few heaps and a fixed limit
/// these blocks return to the system. Batches and tensors are below the limit, the largest that glibc
/// accepts, and are reused.
pub const ENVIRONMENT: [(&str, &str); 4] = [
    ("OMP_WAIT_POLICY", "passive"),
    ("MALLOC_ARENA_MAX", "2"),
    ("MALLOC_MMAP_THRESHOLD_", "33554432"),
    ("MALLOC_TRIM_THRESHOLD_", "33554432"),
];

/// Restarts the program with [`ENVIRONMENT`]; call this first in `main`.
///
/// Variables that the user has set stay as they are. The function does nothing if all are set,
/// and returns if the program cannot be started.
pub fn set_environment() {
    let missing: Vec<_> =
        ENVIRONMENT.into_iter().filter(|(name, _)| std::env::var_os(name).is_none()).collect();
    let Ok(program) = std::env::current_exe() else { return };
    if !missing.is_empty() {
        // `exec` returns only on failure. Slower threads are no reason to stop.
        let _ = Command::new(program).args(std::env::args_os().skip(1)).envs(missing).exec();
    }
}

/// Sets the number of libtorch's threads and finds a GPU if there is one.
///
/// The program links only libtorch's CPU libraries. If the CUDA libraries can be found too
/// (through `LD_LIBRARY_PATH`, or because the libtorch in use has them), loading them makes
/// its GPUs available to libtorch.
#[must_use]
pub fn prepare(threads: usize) -> Device {
    tch::set_num_threads(i32::try_from(threads).unwrap_or(i32::MAX));
    select_kernels();
    // SAFETY: loading runs the initialisers of libtorch, which are designed for this: libtorch
    // loads the same library in this way where it is linked to it. No symbol is used.
    match unsafe { Library::open(Some("libtorch_cuda.so"), RTLD_NOW | RTLD_GLOBAL) } {
        // Never unloaded: libtorch keeps pointers into it.
        Ok(library) => std::mem::forget(library),
        Err(_) => return Device::Cpu,
    }
    Device::cuda_if_available()
}

/// Makes MKL select its kernels for the elementwise functions that the networks use.
///
/// MKL selects the kernel of each function at its first call. If two threads make that call at the
/// same time, one of them may run a kernel of low accuracy, and training would not be reproducible
/// (<https://github.com/pytorch/pytorch/issues/188792>). A tensor of one number needs one thread.
fn select_kernels() {
    let one = Tensor::ones([1], (Kind::Float, Device::Cpu));
    for function in [Tensor::exp, Tensor::log, Tensor::sqrt] {
        let _ = function(&one);
    }
}

/// Returns the name of the device for messages.
#[must_use]
pub fn describe(device: Device, threads: usize) -> String {
    match device {
        Device::Cpu if threads == 1 => "the CPU, 1 thread".to_owned(),
        Device::Cpu => format!("the CPU, {threads} threads"),
        _ => "a CUDA GPU".to_owned(),
    }
}
