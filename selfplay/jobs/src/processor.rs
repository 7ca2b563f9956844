//! Whether the processor has the instructions that the program was built with.

use std::path::Path;

/// Instructions of x86-64-v3, as the system names them, each with whether this program may contain them.
const INSTRUCTIONS: [(&str, bool); 4] = [
    ("avx2", cfg!(target_feature = "avx2")),
    ("bmi2", cfg!(target_feature = "bmi2")),
    ("fma", cfg!(target_feature = "fma")),
    ("movbe", cfg!(target_feature = "movbe")),
];

/// Checks the processor, where the system describes it in `/proc/cpuinfo`.
///
/// # Errors
/// Returns what the processor lacks, and how to build the program without it.
pub(crate) fn check() -> Result<(), String> {
    let path = Path::new("/proc/cpuinfo");
    let wanted = INSTRUCTIONS.iter().filter(|(_, is_used)| *is_used).map(|(name, _)| *name);
    std::fs::read_to_string(path).map_or(Ok(()), |text| check_text(&text, wanted))
}

/// Checks the first processor of such a description.
fn check_text<'a>(text: &str, wanted: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let Some(flags) = text.lines().find(|line| line.starts_with("flags")) else { return Ok(()) };
    let lacks: Vec<&str> =
        wanted.filter(|name| !flags.split_whitespace().any(|flag| flag == *name)).collect();
    if lacks.is_empty() {
        return Ok(());
    }
    Err(format!(
        "this program was built with instructions that this processor lacks ({}); \
         build it with RUSTFLAGS=\"-C target-cpu=x86-64\"",
        lacks.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_instructions_are_named() {
        let check = |text: &str| check_text(text, ["avx2", "bmi2"].into_iter());
        assert_eq!(check("model name\t: x\nflags\t\t: fpu avx2 bmi1 bmi2\n"), Ok(()));
        let lacks = check("flags\t\t: fpu avx bmi1 bmi2\nflags\t\t: avx2 bmi2\n").unwrap_err();
        assert!(lacks.contains("lacks (avx2); build it with RUSTFLAGS"), "{lacks}");
        // Other processors are described in other words.
        assert_eq!(check("Features\t: fp asimd\n"), Ok(()));
    }

    /// Otherwise this test would not run.
    #[test]
    fn this_processor_has_all() {
        assert_eq!(super::check(), Ok(()));
    }
}
