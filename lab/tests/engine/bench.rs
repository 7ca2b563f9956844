//! Tests the `bench` subcommand: its signature, its table and its errors. No figure is tested.

use std::sync::LazyLock;

use assert_cmd::Command;

/// What `fusion bench --signature` prints.
static SIGNATURE: LazyLock<String> = LazyLock::new(|| bench(&["--signature"]).1);

/// Returns exit code, standard output and standard error.
fn bench(arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("fusion").unwrap();
    let output = command.arg("bench").args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_signature_is_the_same_every_time() {
    let (code, first, _) = bench(&["--signature"]);
    let digits = |line: &str, name: &str| line.strip_prefix(name).map(str::to_owned).unwrap();
    let mut lines = first.lines();
    let tree = digits(lines.next().unwrap(), "signature: ");
    let pvs = digits(lines.next().unwrap(), "alpha-beta signature: ");
    for digits in [&tree, &pvs] {
        assert!(digits.len() == 16 && digits.chars().all(|c| c.is_ascii_hexdigit()));
    }
    assert!(code == 0 && lines.next().is_none() && tree != pvs);
    assert_eq!(*SIGNATURE, first);
}

#[test]
fn the_table_has_every_section_and_ends_with_the_signature() {
    let (code, table, errors) = bench(&["--quick", "--runs", "1"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    for part in [
        "--quick: smaller",
        "Ceilings",
        "every move made",
        "in bulk",
        "fusion-2020, depth",
        "Inference",
        "portable: value, then policy",
        "12 middle games",
        "tree and rest",
        "Alpha-beta search under fusion-2020, 10,000 nodes",
        "shipped network",
        "efficiently updatable network",
        "64 simulations",
    ] {
        assert!(table.contains(part), "{part} in\n{table}");
    }
    assert!(!table.split([' ', '%']).any(|word| ["NaN", "inf"].contains(&word)), "{table}");
    assert!(table.ends_with(&*SIGNATURE), "{} at the end of\n{table}", *SIGNATURE);
}

#[test]
fn searches_are_measured_under_the_rule_set_that_is_named() {
    let (code, table, _) = bench(&["--quick", "--runs", "1", "--rules", "chesimal-small"]);
    assert_eq!(code, 0, "{table}");
    for part in ["Search under chesimal-small,", "Self-play under chesimal-small,"] {
        assert!(table.contains(part), "{part} in\n{table}");
    }
    for more in [&[][..], &["--signature"]] {
        let (code, table, errors) = bench(&[&["--rules", "no-such-rules"], more].concat());
        assert_eq!((code, table.as_str()), (64, ""));
        assert!(errors.contains("--rules: unknown rule set"), "{errors}");
    }
}

#[test]
fn a_network_is_measured_if_it_can_be_read() {
    use fusion_chess::FusionGame;
    use fusion_network::{FloatNetwork, Network};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.fnet");
    let rules = "fusion-2020".parse().unwrap();
    let random = FloatNetwork::random::<FusionGame>(&rules, 64, 1).unwrap();
    let network = Network::quantise::<FusionGame>(&rules, &random).unwrap();
    std::fs::write(&path, network.bytes()).unwrap();
    let path = path.to_str().unwrap();
    let (code, table, _) = bench(&["--quick", "--runs", "1", "--network", path]);
    assert!(code == 0 && table.contains("net.fnet, 64 wide"), "{table}");
    // The signature depends on the program, not on the network.
    assert!(table.ends_with(&*SIGNATURE), "{table}");

    std::fs::write(path, "no network").unwrap();
    let (code, table, errors) = bench(&["--network", path]);
    assert_eq!((code, table.as_str()), (65, ""));
    assert!(errors.contains("net.fnet is rejected: "), "{errors}");
    let (code, _, errors) = bench(&["--network", "/no/such/file.fnet"]);
    assert!(code == 66 && errors.contains("/no/such/file.fnet"), "{code} {errors}");
}

#[test]
fn bad_arguments_are_usage_errors() {
    for arguments in [
        &["--runs", "0"][..],
        &["--runs", "many"],
        &["--signature", "--quick"],
        &["--signature", "--network", "x"],
        &["--depth", "3"],
    ] {
        let (code, table, errors) = bench(arguments);
        assert_eq!((code, table.as_str()), (64, ""), "{arguments:?}: {errors}");
    }
}

#[cfg(unix)]
mod uci_peers {
    use super::bench;
    use std::os::unix::fs::PermissionsExt;

    /// Writes a UCI engine in the shell. It answers `go perft` with `count`.
    fn engine(folder: &std::path::Path, count: &str) -> String {
        let path = folder.join("engine");
        let script = format!(
            "#!/bin/sh\nwhile read -r word rest; do case $word in\n\
             uci) echo 'id name Shell 1'; echo uciok;;\n\
             isready) echo readyok;;\n\
             go) echo 'e2e4: 1'; echo; echo 'Nodes searched: {count}';;\n\
             esac; done\n"
        );
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path.to_str().unwrap().into()
    }

    #[test]
    fn a_missing_or_strange_program_is_an_error() {
        let (code, _, errors) = bench(&["--uci-peer", "/no/such/engine"]);
        assert_eq!(code, 66);
        assert!(errors.contains("--uci-peer: cannot start /no/such/engine: "), "{errors}");

        let (code, table, errors) = bench(&["--uci-peer", "/bin/true"]);
        assert_eq!((code, table.as_str()), (1, ""));
        assert!(errors.contains("/bin/true") && errors.contains("a UCI engine"), "{errors}");
    }

    #[test]
    fn a_program_that_talks_without_end_is_not_listened_to_forever() {
        let (code, table, errors) = bench(&["--uci-peer", "/usr/bin/yes"]);
        assert_eq!((code, table.as_str()), (1, ""));
        assert!(errors.contains("no answer to 'uci'"), "{errors}");
    }

    #[test]
    fn a_wrong_count_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        for (count, message) in [
            ("4865608", "Shell 1 counts 4865608 nodes where we count 4865609"),
            ("many", "counts 'many' nodes"),
        ] {
            let peer = engine(folder.path(), count);
            let (code, _, errors) = bench(&["--quick", "--runs", "1", "--uci-peer", &peer]);
            assert_eq!(code, 1);
            assert!(errors.contains(message), "{errors}");
        }
    }
}
