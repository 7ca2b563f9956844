//! Lets the binaries, tests and benches find libtorch where it was linked from.

fn main() {
    // torch-sys tells the directory of its libraries; a run-time search path in the
    // binary spares everybody from setting LD_LIBRARY_PATH (which still comes first).
    if let Ok(libraries) = std::env::var("DEP_TCH_LIBTORCH_LIB") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{libraries}");
    }
    println!("cargo:rerun-if-changed=build.rs");
}
