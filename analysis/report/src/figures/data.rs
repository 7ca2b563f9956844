//! Data of a figure, as CSV within the page, for its download button.

use fusion_print::table::Table;
use serde::Serialize;

/// A figure's data. The page's script reverses the escaping and offers the text as a file.
#[derive(Serialize)]
pub(crate) struct Data {
    /// The element's id.
    id: String,
    /// Name of the downloaded file.
    file: String,
    /// The CSV, escaped so that it cannot end the script element around it.
    text: String,
}

impl Data {
    /// Returns the table under a header of its own, with names between spaces. The table's name is
    /// unique among the figures.
    pub fn of(table: &Table, header: &str) -> Self {
        let csv = table.to_csv().expect("writing to memory succeeds");
        let csv = String::from_utf8(csv).expect("the CSV of text is text");
        let (keys, rows) = csv.split_once('\n').unwrap_or_default();
        let header = header.split_whitespace().collect::<Vec<_>>().join(",");
        debug_assert_eq!(header.matches(',').count(), keys.matches(',').count(), "{header}");
        let text = escape(&format!("{header}\n{rows}"));
        Self { id: format!("data-{}", table.id), file: format!("{}.csv", table.id), text }
    }
}

/// Escapes text for a script element. Such an element ends at `</script`, and `<!--` changes how it
/// is parsed. Text without `<` has neither.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Escapes JSON for a script element. JSON parsers reverse these escapes.
pub(crate) fn json_in_script(json: &str) -> String {
    // U+2028 and U+2029 end a line where the text is parsed as JavaScript.
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// Returns the text in a form that is safe in a file name.
pub(crate) fn slug(text: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    text.chars().map(|c| if safe(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_print::table::Fields;

    #[test]
    fn nothing_ends_the_element() {
        let hostile = "</script><!-- a, \"b\" & c".to_owned();
        let fields = Fields::<String>::default().text("name", "Name", String::clone);
        let data = Data::of(&fields.whole_table("x", "X", [hostile]), "name");
        assert_eq!(data.text, "name\n\"&lt;/script>&lt;!-- a, \"\"b\"\" &amp; c\"\n");
        assert_eq!((data.id.as_str(), data.file.as_str()), ("data-x", "x.csv"));
        let json = serde_json::to_string("</script>\u{2028}").unwrap();
        let safe = json_in_script(&json);
        assert!(!safe.contains('<') && !safe.contains('\u{2028}'));
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), "</script>\u{2028}");
    }

    #[test]
    fn file_names() {
        assert_eq!(slug("fusion-2020,castling=no"), "fusion-2020_castling_no");
        assert_eq!(slug("../x y"), ".._x_y");
    }
}
