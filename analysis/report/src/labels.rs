//! Names that a study gives to its rule sets: `[labels]`, and `title` under `[study]`. Rule sets of a file have
//! the name of their section, if the study has only one file.
//!
//! People read the labels wherever a page or a terminal names a rule set. Files keep the rule
//! expressions, and so do the page's table of the rules, its settings and its commands.

use crate::figures::{WIDTHS, shortened};
use crate::section::{Block, Figure, Section};
use fusion_print::table::{Cell, Table};
use fusion_print::text::Paragraph;
use fusion_results::report_game;
use fusion_study::{MeasureConfig, Study};
use minijinja::Value;
use minijinja::value::Serde;
use serde_json::Value as Json;

/// Anchors of sections that show rule expressions.
const EXACT: [&str; 5] = ["rules", "conditions", "method", "settings", "recompute"];
/// Templates whose values are texts for people.
const TEMPLATES: [&str; 3] = ["verdict.html.j2", "list.html.j2", "lines.html.j2"];

/// The labels of a study. Without a study file there are none.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    /// Title of the report.
    pub title: Option<String>,
    /// Rule sets in canonical form with their labels, the longest first, so that a rule set is not
    /// taken for the beginning of another.
    names: Vec<(String, String)>,
    /// The name of the file that defines all rule sets, up to the name of the section: `my.ini#`.
    file: Option<String>,
}

/// Returns the beginning of all rule sets of a study, if one file defines them.
fn only_file(study: &Study) -> Option<String> {
    let MeasureConfig { rules, base, ablate, .. } = &study.measure;
    let mut all = rules.iter().chain(base).chain(ablate).map(|rules| rules.split_once('#'));
    let (file, _) = all.next()??;
    all.all(|name| name.is_some_and(|(known, _)| known == file)).then(|| format!("{file}#"))
}

impl Labels {
    /// Reads the labels from the text of a study. A text that is no study has none: the program that
    /// played it has checked it.
    #[must_use]
    pub fn of(study: Option<&str>) -> Self {
        let Some(study) = study.and_then(|text| Study::parse(text).ok()) else {
            return Self::default();
        };
        let file = only_file(&study);
        let name =
            |(rules, label): (String, String)| Some((report_game::canonical(&rules)?, label));
        let mut names: Vec<_> = study.labels.into_iter().filter_map(name).collect();
        // Figures have shortened names.
        let short = |(rules, label): &(String, String)| {
            WIDTHS.map(|width| (shortened(rules, width), shortened(label, width)))
        };
        let known = |short: &(String, String)| names.iter().any(|(rules, _)| *rules == short.0);
        let short: Vec<_> = names.iter().flat_map(short).filter(|short| !known(short)).collect();
        names.extend(short);
        names.sort_by_key(|(rules, _)| std::cmp::Reverse(rules.len()));
        Self { title: study.study.title, names, file }
    }

    /// Returns the label of a rule set with its expression, or only the expression.
    #[must_use]
    pub fn full(&self, rules: &str) -> String {
        let found = self.names.iter().find(|(known, _)| known == rules);
        found.map_or_else(|| rules.to_owned(), |(_, label)| format!("{label}: {rules}"))
    }

    /// Replaces each rule set in a text by its label.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        // Whether a rule set can begin here.
        let mut begins = true;
        while let Some(next) = rest.chars().next() {
            let found = self.names.iter().find(|(rules, _)| {
                let after = rest.strip_prefix(rules.as_str());
                begins && after.is_some_and(ends)
            });
            let (written, length) = match found {
                Some((rules, label)) => (label.as_str(), rules.len()),
                None if begins => self.section_name(rest).unwrap_or_else(|| first(rest)),
                None => first(rest),
            };
            out += written;
            begins = !is_part(next);
            rest = &rest[length..];
        }
        out
    }

    /// Returns the name of the section with which a text begins as a rule set, and the length of all that
    /// names it there: the file, the section, and the hash of its rules.
    fn section_name<'a>(&self, text: &'a str) -> Option<(&'a str, usize)> {
        let file = self.file.as_ref()?;
        let name = text.strip_prefix(file.as_str())?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let length = name.find(|c| !is_name(c)).unwrap_or(name.len());
        let hash = name[length..].strip_prefix('@').map_or(0, |hash| {
            1 + hash.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hash.len())
        });
        Some((&name[..length], file.len() + length + hash))
    }

    /// Returns whether no rule set has another name than its own.
    fn is_empty(&self) -> bool {
        self.names.is_empty() && self.file.is_none()
    }

    /// Names the rule sets of a section by their labels.
    pub(crate) fn section(&self, section: Section) -> Section {
        if self.is_empty() || EXACT.contains(&section.anchor) {
            return section;
        }
        let blocks = section.blocks.into_iter().map(|block| self.block(block)).collect();
        Section { heading: self.text(&section.heading), blocks, ..section }
    }

    /// Names the rule sets of a block by their labels.
    pub(crate) fn block(&self, block: Block) -> Block {
        if self.is_empty() {
            return block;
        }
        let all = |blocks: Vec<Block>| blocks.into_iter().map(|of| self.block(of)).collect();
        match block {
            Block::Paragraph(text) => Block::Paragraph(self.text(&text)),
            Block::Fine(text) => Block::Fine(self.text(&text)),
            Block::Subheading(anchor, text) => Block::Subheading(anchor, self.text(&text)),
            Block::Table(table) => Block::Table(self.table(table)),
            Block::Figure(figure) => Block::Figure(Figure {
                plot: self.value(&figure.plot),
                caption: self.text(&figure.caption),
                below: all(figure.below),
                ..figure
            }),
            Block::Folded(text, blocks) => Block::Folded(self.text(&text), all(blocks)),
            Block::Grid(blocks) => Block::Grid(all(blocks)),
            Block::Template(name, values) if TEMPLATES.contains(&name) => {
                Block::Template(name, self.value(&values))
            }
            other @ (Block::Template(..) | Block::Markup(_)) => other,
        }
    }

    /// Names the rule sets of a paragraph of the terminal by their labels.
    pub(crate) fn paragraph(&self, paragraph: Paragraph) -> Paragraph {
        match paragraph {
            Paragraph::Table(table) => Paragraph::Table(self.table(table)),
            Paragraph::Text(text) => Paragraph::Text(self.text(&text)),
            Paragraph::Item(mark, text) => Paragraph::Item(mark, self.text(&text)),
            other @ (Paragraph::Line(_) | Paragraph::Gap) => other,
        }
    }

    fn table(&self, mut table: Table) -> Table {
        table.title = self.text(&table.title);
        for column in &mut table.columns {
            column.heading.long = self.text(&column.heading.long);
            column.heading.short = self.text(&column.heading.short);
        }
        for cell in table.rows.iter_mut().flatten() {
            if let Cell::Text(text) = cell {
                *text = self.text(text);
            }
        }
        table
    }

    /// Replaces the texts of a template's value. They are plain texts, which the template escapes.
    fn value(&self, value: &Value) -> Value {
        match serde_json::to_value(value) {
            Ok(mut json) => {
                self.replace(&mut json);
                Value::from(Serde(json))
            }
            Err(_) => value.clone(),
        }
    }

    fn replace(&self, json: &mut Json) {
        match json {
            Json::String(text) => *text = self.text(text),
            Json::Array(items) => items.iter_mut().for_each(|item| self.replace(item)),
            Json::Object(fields) => fields.values_mut().for_each(|field| self.replace(field)),
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }
}

/// Returns the first character of a text, and its length.
fn first(text: &str) -> (&str, usize) {
    let length = text.chars().next().map_or(0, char::len_utf8);
    (&text[..length], length)
}

/// Returns whether a character can be part of a rule expression.
fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '=' | '/' | '.' | ',' | ':' | '+' | '…')
}

/// Returns whether a rule expression can end before this text. Punctuation after it is not its part.
fn ends(after: &str) -> bool {
    let mut characters = after.chars();
    match characters.next() {
        Some('.' | ',' | ':') => characters.next().is_none_or(|next| !is_part(next)),
        other => other.is_none_or(|next| !is_part(next)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_replace_whole_rule_sets() {
        let labels = Labels::of(Some(
            "[study]\nname = 'x'\ntitle = 'A question'\n[labels]\n'fusion-2020,fission=yes' = 'New'\n\
             'fusion-2020,castling=no,metamorph=yes' = 'No castling'\n",
        ));
        assert_eq!(labels.title.as_deref(), Some("A question"));
        for (text, expected) in [
            ("fusion-2020", "New"),
            (
                "Is fusion-2020 less drawish than fusion-2020,castling=no,metamorph=yes?",
                "Is New less drawish than No castling?",
            ),
            ("fusion-2020, fusion-2020: and (fusion-2020).", "New, New: and (New)."),
            ("fusion-2020-gc fusion-2020,castling=yes", "fusion-2020-gc fusion-2020,castling=yes"),
            ("usage-fusion-2020 é fusion-2020", "usage-fusion-2020 é New"),
            ("fusion-1999", "fusion-1999"),
            (&shortened("fusion-2020,castling=no,metamorph=yes", 30), "No castling"),
        ] {
            assert_eq!(labels.text(text), expected);
        }
        let one =
            "[study]\nname = 'x'\n[measure]\nrules = ['my.ini#a', 'my.ini#b-c,castling=no']\n";
        let several = one.replace("my.ini#b-c", "other.ini#b-c");
        let text = "my.ini#a, (my.ini#b-c@7ff019c0,castling=no) xmy.ini#a";
        assert_eq!(Labels::of(Some(one)).text(text), "a, (b-c,castling=no) xmy.ini#a");
        assert_eq!(Labels::of(Some(&several)).text(text), text);
        assert_eq!(labels.full("fusion-2020"), "New: fusion-2020");
        assert_eq!(labels.full("orthodox"), "orthodox");
        assert_eq!(Labels::of(Some("no toml =")).text("fusion-2020"), "fusion-2020");
    }
}
