//! No circle of imports inside a crate has more than two files: what a file imports can be read
//! without reading the rest of its crate.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Largest number of files of a circle: a module and its child may need each other.
const MOST: usize = 2;

/// The modules of a crate, each with the modules that it imports. The crate's root is not a module:
/// it declares all others.
type Imports = BTreeMap<String, BTreeSet<String>>;

#[test]
fn no_circle_of_imports_has_more_than_two_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut crates = vec![root.join("train"), root.join("lab"), root.join("tests/faults")];
    for top in ["engine", "selfplay", "analysis", "play"] {
        crates.extend(fs::read_dir(root.join(top)).unwrap().map(|entry| entry.unwrap().path()));
    }
    crates.retain(|folder| folder.join("src").is_dir());
    assert!(crates.len() > 20, "{} crates", crates.len());
    let mut found = Vec::new();
    for folder in crates {
        let imports = imports(&sources(&folder.join("src"), ""));
        let large = circles(&imports).into_iter().filter(|circle| circle.len() > MOST);
        found.extend(large.map(|circle| format!("{}: {}", folder.display(), circle.join(", "))));
    }
    assert!(found.is_empty(), "circles of imports:\n{}", found.join("\n"));
}

/// Returns the source of each module of a folder, by its path such as `verdict/order`.
fn sources(folder: &Path, before: &str) -> BTreeMap<String, String> {
    let mut modules = BTreeMap::new();
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    for path in entries.collect::<BTreeSet<PathBuf>>() {
        let name = path.file_name().unwrap().to_str().unwrap();
        let module = format!("{before}{}", name.trim_end_matches(".rs"));
        if path.is_dir() {
            modules.extend(sources(&path, &format!("{module}/")));
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            let module = module.trim_end_matches("/mod").to_owned();
            modules.insert(module, fs::read_to_string(&path).unwrap());
        }
    }
    modules
}

fn imports(sources: &BTreeMap<String, String>) -> Imports {
    let is_root = |name: &str| ["lib", "main"].contains(&name);
    let of = |(module, text): (&String, &String)| {
        let code = text.split("#[cfg(test)]\nmod").next().unwrap().lines();
        let code = code.filter(|line| !line.trim_start().starts_with("//"));
        let code = code.collect::<Vec<_>>().join(" ");
        let mut paths: Vec<String> = code.split("use ").skip(1).flat_map(used).collect();
        let named = code.split("crate::").skip(1).map(|rest| {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || "_:".contains(c)));
            format!("crate::{}", &rest[..end.unwrap_or(rest.len())])
        });
        paths.extend(named);
        let resolved = paths.iter().filter_map(|path| resolve(path, module, sources));
        let resolved = resolved.filter(|other| other != module && !is_root(other));
        (module.clone(), resolved.collect())
    };
    sources.iter().filter(|(module, _)| !is_root(module)).map(of).collect()
}

/// Returns the paths of a use declaration, of which braces list several.
fn used(declaration: &str) -> Vec<String> {
    let tree = declaration.split(';').next().unwrap().replace([' ', '\n'], "");
    let mut paths = vec![String::new()];
    let mut before: Vec<String> = Vec::new();
    for c in tree.chars() {
        let last = paths.last_mut().unwrap();
        match c {
            '{' => before.push(last.clone()),
            '}' => drop(before.pop()),
            ',' => paths.push(before.last().cloned().unwrap_or_default()),
            c => last.push(c),
        }
    }
    paths
}

/// Returns the module that a path within the crate leads to or into.
fn resolve(path: &str, module: &str, modules: &BTreeMap<String, String>) -> Option<String> {
    let mut place: Vec<&str> = module.split('/').collect();
    let mut parts = path.split("::").peekable();
    match parts.next()? {
        "crate" => place.clear(),
        "self" => {}
        "super" => {
            place.pop();
            while parts.next_if_eq(&"super").is_some() {
                place.pop();
            }
        }
        _ => return None,
    }
    place.extend(parts);
    while !place.is_empty() && !modules.contains_key(&place.join("/")) {
        place.pop();
    }
    (!place.is_empty()).then(|| place.join("/"))
}

/// Returns the groups of modules that import each other, directly or by others.
fn circles(imports: &Imports) -> Vec<Vec<&str>> {
    let all: BTreeSet<Vec<&str>> = imports.keys().map(|from| circle(from, imports)).collect();
    all.into_iter().collect()
}

fn circle<'a>(from: &'a str, imports: &'a Imports) -> Vec<&'a str> {
    let back = |to: &&str| reached(to, imports).contains(from);
    reached(from, imports).into_iter().filter(back).collect()
}

/// Returns the modules that a module imports, directly or by others.
fn reached<'a>(from: &'a str, imports: &'a Imports) -> BTreeSet<&'a str> {
    let (mut all, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(next) = open.pop() {
        let others = imports.get(next).into_iter().flatten().map(String::as_str);
        open.extend(others.filter(|to| all.insert(*to)));
    }
    all
}

#[test]
fn circles_are_found() {
    let sources = |files: &[(&str, &str)]| -> BTreeMap<String, String> {
        files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    };
    let modules = sources(&[
        ("lib", "mod a; use crate::a::X;"),
        ("a", "use crate::b::{self, Thing};"),
        ("b", "mod inner;\nfn f() { crate::c::g() }\n#[cfg(test)]\nmod tests { use crate::d; }"),
        ("b/inner", "use super::super::{d::D, a};"),
        ("c", "// use crate::d;\nuse super::{x, b::inner::{Y, Z}};"),
        ("d", "use std::fmt;"),
    ]);
    let found = imports(&modules);
    let to = |module: &str| found[module].iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!((to("a"), to("b"), to("d")), (vec!["b"], vec!["c"], vec![]));
    assert_eq!((to("b/inner"), to("c")), (vec!["a", "d"], vec!["b/inner"]));
    assert_eq!(circles(&found), [vec![], vec!["a", "b", "b/inner", "c"]]);
}
