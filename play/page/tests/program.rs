//! The program that joins the page's parts.

use std::path::Path;
use std::process::{Command, Output};

fn run(program: &Path, network: &Path, out: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fusion-page"))
        .args(["--program".as_ref(), program.as_os_str()])
        .args(["--network".as_ref(), network.as_os_str()])
        .args(["--out".as_ref(), out.as_os_str()])
        .output()
        .unwrap()
}

#[test]
fn a_page_is_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let [program, network, page] = ["engine.wasm", "network.fnet", "play.html"].map(path);
    std::fs::write(&network, "weights").unwrap();
    let missing = run(&program, &network, &page);
    assert_eq!(missing.status.code(), Some(66));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("engine.wasm"));
    std::fs::write(&program, "no program").unwrap();
    let wrong = run(&program, &network, &page);
    assert!(!wrong.status.success());
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("is not WebAssembly"));
    assert!(!page.exists());
    std::fs::write(&program, "\0asm and more").unwrap();
    assert!(run(&program, &network, &page).status.success());
    assert!(std::fs::read_to_string(&page).unwrap().contains("id=\"program\""));
}
