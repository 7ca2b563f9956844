//! The page on which people play, as one file.
//!
//! Its parts lie in `site`: HTML, CSS and small scripts. [`static_page`] adds the engine as WebAssembly and a
//! network, so that the page works from the file system and from any web server. [`served_page`] is the same
//! page for a server that runs the engine itself.

use anyhow::{Context, ensure};
use base64ct::{Base64, Encoding};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

const PAGE: &str = include_str!("../site/play.html");
const STYLE: &str = include_str!("../site/play.css");
/// The position that is shown until the engine is ready. A test of the server compares it with the engine's.
const FIRST: &str = include_str!("../site/first.json");
const WORKER: &str = include_str!("../site/worker.js");

/// The scripts with their names, each after those that it imports. The last one starts the page.
const SCRIPTS: [(&str, &str); 15] = [
    ("drawing", fusion_game::DRAWING),
    ("figures", include_str!("../site/figures.js")),
    ("address", include_str!("../site/address.js")),
    ("engine", include_str!("../site/engine.js")),
    ("board", include_str!("../site/board.js")),
    ("analysis", include_str!("../site/analysis.js")),
    ("dialogs", include_str!("../site/dialogs.js")),
    ("record", include_str!("../site/record.js")),
    ("moves", include_str!("../site/moves.js")),
    ("own", include_str!("../site/own.js")),
    ("archive", include_str!("../site/archive.js")),
    ("store", include_str!("../site/store.js")),
    ("study", include_str!("../site/study.js")),
    ("lab", include_str!("../site/lab.js")),
    ("main", include_str!("../site/main.js")),
];

/// What a page may load and run: only itself. The engine is a worker made of the page's own text.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; \
    script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; connect-src 'self'; \
    base-uri 'none'; form-action 'none'";

/// Returns the page with the engine in it: the bytes of a WebAssembly program, and networks with the paths by which
/// studies name them.
///
/// # Errors
/// Fails if the program is not WebAssembly, if a path has characters other than letters, digits, `-`, `_`, `.` and `/`,
/// or if a part of the page cannot be assembled.
pub fn static_page(program: &[u8], networks: &[(String, Vec<u8>)]) -> anyhow::Result<String> {
    ensure!(program.starts_with(b"\0asm"), "the program is not WebAssembly");
    let mut data = vec![
        format!("<script type=\"text/plain\" id=\"worker\">\n{}</script>", safe(WORKER)?),
        format!("<script type=\"text/plain\" id=\"program\">{}</script>", packed(program)?),
    ];
    for (path, network) in networks {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
        ensure!(path.chars().all(is_plain), "the path of a network has other characters: {path}");
        let network = packed(network)?;
        data.push(format!(
            "<script type=\"text/plain\" class=\"network\" data-path=\"{path}\">{network}</script>"
        ));
    }
    page(&data.join("\n"), "")
}

/// Returns the page for a server, to which it sends its requests.
///
/// # Errors
/// Fails if a part of the page cannot be assembled.
///
/// ```
/// let page = fusion_page::served_page().unwrap();
/// assert!(page.starts_with("<!doctype html>\n<html lang=\"en\" data-server=\"yes\">"));
/// ```
pub fn served_page() -> anyhow::Result<String> {
    page("", " data-server=\"yes\"")
}

fn page(data: &str, attribute: &str) -> anyhow::Result<String> {
    let policy = format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">");
    let first = format!(
        "<script type=\"application/json\" id=\"first-position\">{}</script>",
        safe(FIRST.trim())?
    );
    let mut page = PAGE.to_owned();
    for (mark, text) in [
        ("<html lang=\"en\">", format!("<html lang=\"en\"{attribute}>")),
        ("<meta charset=\"utf-8\">", format!("<meta charset=\"utf-8\">\n{policy}")),
        ("/* play.css */", STYLE.trim().to_owned()),
        ("/* play.js */", safe(&bundled(&SCRIPTS)?)?.to_owned()),
        ("<!-- data -->", format!("{first}\n{data}")),
    ] {
        ensure!(page.matches(mark).count() == 1, "the page has no place for {mark}");
        page = page.replacen(mark, &text, 1);
    }
    Ok(page)
}

/// Returns a script, if it does not end its element.
fn safe(script: &str) -> anyhow::Result<&str> {
    ensure!(!script.to_ascii_lowercase().contains("</script"), "a script has an end tag");
    Ok(script)
}

/// Compresses bytes and writes them as base64.
fn packed(bytes: &[u8]) -> anyhow::Result<String> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(Base64::encode_string(&encoder.finish()?))
}

/// Joins modules into one script: each becomes a function that returns what it exports.
fn bundled(scripts: &[(&str, &str)]) -> anyhow::Result<String> {
    let mut script = String::from("const modules = {};\n");
    for (place, (name, source)) in scripts.iter().enumerate() {
        let (body, exports) = unwrapped(source).with_context(|| format!("{name}.js"))?;
        if place + 1 == scripts.len() {
            script += &body;
        } else {
            script += &format!(
                "modules.{name} = (() => {{\n{body}\nreturn {{ {} }};\n}})();\n",
                exports.join(", ")
            );
        }
    }
    Ok(script)
}

/// Rewrites a module's imports and removes the word `export`. Returns the names that it exports, too.
fn unwrapped(source: &str) -> anyhow::Result<(String, Vec<String>)> {
    let (mut body, mut exports) = (String::new(), Vec::new());
    for line in source.lines() {
        if let Some(import) = line.strip_prefix("import ") {
            let parts =
                import.strip_suffix(".js\";").and_then(|rest| rest.split_once(" from \"./"));
            let (names, module) =
                parts.with_context(|| format!("an import of another form: {line}"))?;
            body += &format!("const {names} = modules.{module};\n");
            continue;
        }
        let declared = line.strip_prefix("export ").unwrap_or(line);
        if declared.len() < line.len() {
            let plain = declared.trim_start_matches("async ").trim_start_matches("function ");
            let plain = plain.trim_start_matches("const ");
            let end = plain.find(|c: char| !c.is_alphanumeric()).unwrap_or(plain.len());
            exports.push(plain[..end].to_owned());
        }
        body += declared;
        body.push('\n');
    }
    Ok((body, exports))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_become_functions() {
        let scripts = [
            ("a", "export function one() {}\nexport const two = 2;\n"),
            ("b", "import { one, two } from \"./a.js\";\none();\n"),
        ];
        let script = bundled(&scripts).unwrap();
        assert_eq!(
            script,
            "const modules = {};\n\
             modules.a = (() => {\nfunction one() {}\nconst two = 2;\n\nreturn { one, two };\n})();\n\
             const { one, two } = modules.a;\none();\n"
        );
        assert!(bundled(&[("a", "import x from \"y\";")]).is_err());
    }

    #[test]
    fn the_page_holds_its_parts() {
        let network = ("data/nets/x.fnet".to_owned(), b"network".to_vec());
        let page = static_page(b"\0asm....", &[network]).unwrap();
        let path = "class=\"network\" data-path=\"data/nets/x.fnet\"";
        for part in ["id=\"program\"", path, "Content-Security-Policy", "--paper"] {
            assert!(page.contains(part), "{part}");
        }
        assert!(!page.contains("\nimport ") && !page.contains("\nexport "));
        assert!(static_page(b"ELF", &[]).is_err());
        assert!(!served_page().unwrap().contains("id=\"program\""));
    }
}
