#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fusion_reliability::targets::run("study", data));
