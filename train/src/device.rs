//! Where and on how many threads libtorch computes.

use std::os::unix::process::CommandExt;
use std::process::Command;

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use tch::Device;

/// How libtorch's threads wait for work.
const WAIT_POLICY: &str = "OMP_WAIT_POLICY";

/// Lets libtorch's threads sleep while they wait; the very first thing in `main`.
///
/// By default they spin, and one busy neighbour then costs more than half the speed. The
/// OpenMP library reads the variable before `main`, so the program starts itself anew with
/// it. Does nothing if the variable is set; carries on if the program cannot be started.
pub fn wait_passively() {
    if std::env::var_os(WAIT_POLICY).is_some() {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    // Returns only on failure, and then spinning threads are no reason to give up.
    let _ =
        Command::new(program).args(std::env::args_os().skip(1)).env(WAIT_POLICY, "passive").exec();
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
