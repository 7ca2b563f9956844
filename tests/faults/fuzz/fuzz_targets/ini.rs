#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fusion_faults::targets::run("ini", data));
