//! Files in the format of Fairy-Stockfish's `variants.ini`.
//!
//! A file has sections, `[name]` or `[name:parent]`, with lines `option = value`. A parent is a section of
//! the same file or a built-in game. A section without parent begins with the rules of chess and without
//! pieces. Lines that begin with `#` or `;` are comments.
//!
//! All that a section says has to be understood: a misspelt option, a rule that is not supported or a
//! piece whose moves do not parse is a [`Problem`], and all of them are reported at once.

mod build;
mod draft;
mod fusion;
mod lens;
mod options;
mod pieces;
mod problem;
mod read;
mod region;
mod resolve;
mod start;
mod text;

pub(crate) use options::sets_others;
pub use options::{Support, options, support};
pub use problem::{Problem, Problems};
pub use resolve::{Resolved, builtin, builtins};

/// A file whose sections are known. Their options are checked when a section is resolved, so that a
/// mistake in one game does not stop the others.
///
/// ```
/// use fusion_fairy::ini::File;
///
/// let file = File::parse("my.ini", "[my:chess]\nstalemateValue = loss\ncastling = false\n")?;
/// let resolved = file.resolve("my", &[("castling", "true")])?;
/// assert!(resolved.definition.castling.is_some());
///
/// let problems = file.resolve("my", &[("castlng", "true")]).unwrap_err();
/// assert_eq!(problems.to_string(), "my.ini: [my] castlng: no option has this name; did you mean castling?");
/// # Ok::<(), fusion_fairy::ini::Problems>(())
/// ```
#[derive(Clone, Debug)]
pub struct File {
    name: String,
    sections: Vec<Section>,
}

/// A section as it is written.
#[derive(Clone, Debug)]
struct Section {
    name: String,
    parent: Option<String>,
    /// Number of the line with its name.
    line: usize,
    options: Vec<Setting>,
    /// What is wrong with its lines.
    problems: Vec<Problem>,
    /// What is unusual about its lines.
    remarks: Vec<Problem>,
}

/// A line `option = value`.
#[derive(Clone, Debug)]
struct Setting {
    option: String,
    value: String,
    /// Number of the line; `None` for a change.
    line: Option<usize>,
}

impl File {
    /// Returns the names of the sections, in their order.
    pub fn sections(&self) -> impl Iterator<Item = &str> {
        self.sections.iter().map(|section| section.name.as_str())
    }

    /// Returns the name of the file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}
