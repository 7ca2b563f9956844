//! What lies behind a figure, as CSV within the page, for its download button.

pub(crate) use crate::table::number;

use serde::Serialize;

/// A figure's data. The page's script undoes the escaping and offers the text as a file.
#[derive(Serialize)]
pub(crate) struct Data {
    /// The element's id.
    id: String,
    /// Name of the file that a reader gets.
    file: String,
    /// The CSV, escaped so that nothing in it can end the script element around it.
    text: String,
}

impl Data {
    /// The rows under the header; `name` is unique in the page.
    pub fn new(name: &str, header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        let mut text = line(header.iter().copied());
        for row in rows {
            debug_assert_eq!(row.len(), header.len(), "{name}");
            text.push_str(&line(row.iter().map(String::as_str)));
        }
        Self { id: format!("data-{name}"), file: format!("{name}.csv"), text: escape(&text) }
    }
}

/// A row, fields quoted where RFC 4180 wants it.
fn line<'a>(fields: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = fields
        .map(|field| {
            if field.contains(['"', ',', '\n', '\r']) {
                format!("\"{}\"", field.replace('"', "\"\""))
            } else {
                field.to_owned()
            }
        })
        .collect();
    quoted.join(",") + "\n"
}

/// A script element ends at `</script` and changes its rules at `<!--`: without `<` it
/// can do neither.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// JSON for a script element: the same characters in an escape that JSON undoes itself.
pub(crate) fn json_in_script(json: &str) -> String {
    // U+2028 and U+2029 end a line in JavaScript, should anyone read it as that.
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// Text as part of a file name.
pub(crate) fn slug(text: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    text.chars().map(|c| if safe(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_the_element() {
        let hostile = "</script><!-- a, \"b\" & c".to_owned();
        let data = Data::new("x", &["name"], [vec![hostile]]);
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
