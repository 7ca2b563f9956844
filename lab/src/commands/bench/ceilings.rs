//! Upper limits of one core's throughput.

use super::Effort;
use super::table::Table;
use super::timing::median;
use fusion_network::ceiling;
use fusion_network::kernels::Kernel;
use std::io::Write;

/// Rates that no program exceeds on this core.
pub struct Ceilings {
    /// Multiply-adds per second with each kernel's instructions, for kernels with instructions of
    /// their own.
    multiply_adds: Vec<(Kernel, f64)>,
    /// Bytes per second from the second-level cache.
    pub l2: f64,
}

impl Ceilings {
    /// Returns the operations per second of a kernel. A multiply-add counts as two.
    pub fn operations(&self, kernel: Kernel) -> Option<f64> {
        let known = self.multiply_adds.iter().find(|(known, _)| *known == kernel);
        known.map(|(_, rate)| 2.0 * rate)
    }
}

/// Measures and prints the ceilings.
pub fn measure(table: &mut Table<impl Write>, effort: &Effort) -> anyhow::Result<Ceilings> {
    table.section("Ceilings of this core")?;
    let mut multiply_adds = Vec::new();
    for kernel in Kernel::available() {
        let rate = |_| ceiling::multiply_adds_per_second(kernel);
        let mut rates: Vec<f64> = (0..effort.runs).filter_map(rate).collect();
        if !rates.is_empty() {
            let rate = median(&mut rates);
            let figure = format!("{:.0} GOP/s", 2.0 * rate / 1e9);
            let label = format!("{} multiply-adds", kernel.name());
            table.row(
                &label,
                &figure,
                "of bytes into 32-bit sums, in registers; each counts as two",
            )?;
            multiply_adds.push((kernel, rate));
        }
    }
    let mut rates: Vec<f64> = (0..effort.runs).map(|_| ceiling::l2_bytes_per_second()).collect();
    let l2 = median(&mut rates);
    table.row("second-level cache", &format!("{:.0} GB/s", l2 / 1e9), "sum over 512 KiB")?;
    Ok(Ceilings { multiply_adds, l2 })
}
