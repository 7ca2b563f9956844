//! The model of a section of the page: its heading and its blocks.

use crate::figures::data::Data;
use fusion_print::table::Table;
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

/// A section of the page.
pub(crate) struct Section {
    /// Anchor; empty for a section without a heading.
    pub anchor: &'static str,
    /// Name in the page's table of contents; `None` for a section that is not listed there.
    pub name: Option<&'static str>,
    /// Heading.
    pub heading: String,
    /// Whether the page shows only the heading until a reader opens the section.
    pub folded: bool,
    /// Contents, in order.
    pub blocks: Vec<Block>,
}

/// A part of a section of the page.
pub(crate) enum Block {
    /// A paragraph.
    Paragraph(String),
    /// A paragraph in small print.
    Fine(String),
    /// HTML that is the same on every page.
    Markup(&'static str),
    /// An anchor and a heading within the section; the anchor may be empty.
    Subheading(&'static str, String),
    /// A table.
    Table(Table),
    /// A figure.
    Figure(Figure),
    /// A line that unfolds to blocks.
    Folded(String, Vec<Block>),
    /// Blocks beside each other where the screen has room.
    Grid(Vec<Block>),
    /// A template with its values.
    Template(&'static str, Value),
}

/// A figure.
pub(crate) struct Figure {
    /// Macro that draws it.
    pub draw: &'static str,
    /// Input of the macro.
    pub plot: Value,
    /// Line above it; may be empty.
    pub title: &'static str,
    /// Explanation of the figure and how to read it.
    pub caption: String,
    /// Whether it takes the page's full width.
    pub full: bool,
    /// Data of the figure.
    pub data: Data,
    /// Blocks below the caption.
    pub below: Vec<Block>,
}

impl Section {
    /// Returns a section without contents.
    pub(crate) fn new(
        anchor: &'static str,
        name: &'static str,
        heading: impl Into<String>,
    ) -> Self {
        Self { name: Some(name), ..Self::unlisted(anchor, heading) }
    }

    /// Returns a section that is not in the table of contents.
    pub(crate) fn unlisted(anchor: &'static str, heading: impl Into<String>) -> Self {
        Self { anchor, name: None, heading: heading.into(), folded: false, blocks: Vec::new() }
    }

    /// Shows only the heading until a reader opens the section.
    pub(crate) fn folded(mut self) -> Self {
        self.folded = true;
        self
    }

    /// Adds blocks: several, or an optional one.
    pub(crate) fn with(mut self, blocks: impl IntoIterator<Item = Block>) -> Self {
        self.blocks.extend(blocks);
        self
    }
}

impl Figure {
    pub(crate) fn new(
        draw: &'static str,
        plot: impl Serialize,
        caption: String,
        data: Data,
    ) -> Self {
        let plot = Value::from(Serde(plot));
        Self { draw, plot, title: "", caption, full: false, data, below: Vec::new() }
    }
}

/// Renders the items with a template.
pub(crate) fn list(name: &'static str, items: impl Serialize) -> Block {
    Block::Template(name, context! { items => Value::from(Serde(items)) })
}
