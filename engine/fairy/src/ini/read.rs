//! From the text of a file to its sections.

use super::{File, Problem, Problems, Section, Setting};

impl File {
    /// Reads the sections of a file with this name, which messages give.
    ///
    /// # Errors
    /// Returns all problems with the sections: one without a name, a bracket that is not closed, lines before the first
    /// section. Problems with options, and two sections of one name, are left to [`File::resolve`].
    pub fn parse(name: &str, text: &str) -> Result<Self, Problems> {
        let mut reader = Reader { name, sections: Vec::new(), problems: Vec::new(), early: None };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (place, line) in text.split('\n').enumerate() {
            reader.line(place + 1, line.trim());
        }
        reader.report_early();
        reader.join_sections();
        if reader.sections.is_empty() && reader.problems.is_empty() {
            reader.wrong(
                None,
                None,
                "the file has no section: write a line such as [my-game:chess]".into(),
            );
        }
        if !reader.problems.is_empty() {
            return Err(Problems(reader.problems));
        }
        Ok(Self { name: name.into(), sections: reader.sections })
    }
}

struct Reader<'a> {
    name: &'a str,
    sections: Vec<Section>,
    problems: Vec<Problem>,
    /// The first and the last line with an option before the first section.
    early: Option<[usize; 2]>,
}

impl Reader<'_> {
    fn report_early(&mut self) {
        let Some([first, last]) = self.early else { return };
        let message = if first == last {
            "the line is before the first section: put a line such as [my-game:chess] above it"
                .into()
        } else {
            format!(
                "lines {first} to {last} are before the first section: put a line such as [my-game:chess] above them"
            )
        };
        self.wrong(Some(first), None, message);
    }

    /// Keeps the first of sections with one name. It has a remark if the others are equal, otherwise a problem.
    fn join_sections(&mut self) {
        let mut kept: Vec<Section> = Vec::new();
        for section in std::mem::take(&mut self.sections) {
            let Some(first) = kept.iter_mut().find(|first| first.name == section.name) else {
                kept.push(section);
                continue;
            };
            let pairs = |section: &Section| {
                let pair = |it: &Setting| (it.option.clone(), it.value.clone());
                section.options.iter().map(pair).collect::<Vec<_>>()
            };
            let equal = pairs(first) == pairs(&section) && first.parent == section.parent;
            let line = first.line;
            let note = |message: String| Problem {
                file: self.name.into(),
                line: Some(section.line),
                section: Some(section.name.clone()),
                option: None,
                message,
            };
            if equal {
                first.remarks.push(note(format!("line {line} begins an equal section already")));
            } else {
                first.problems.push(note(format!(
                    "line {line} begins a section of this name already: give it another one"
                )));
            }
        }
        self.sections = kept;
    }

    fn line(&mut self, number: usize, line: &str) {
        if line.is_empty() || line.starts_with(['#', ';']) {
            return;
        }
        if let Some(header) = line.strip_prefix('[') {
            return self.header(number, header);
        }
        if self.sections.is_empty() {
            let [_, last] = self.early.get_or_insert([number, number]);
            *last = number;
            return;
        }
        self.setting(number, line);
    }

    fn header(&mut self, number: usize, header: &str) {
        let (inside, rest) = header.split_once(']').unwrap_or_else(|| {
            self.wrong(
                Some(number),
                None,
                format!("the bracket in '[{header}' is not closed: write ]"),
            );
            (header, "")
        });
        let rest = rest.trim();
        if !rest.is_empty() && !rest.starts_with(['#', ';']) {
            self.wrong(
                Some(number),
                Some(inside),
                format!("'{rest}' after the bracket means nothing: leave it out"),
            );
        }
        let (name, parent) = match inside.split_once(':') {
            Some((name, parent)) => (name.trim(), Some(parent.trim())),
            None => (inside.trim(), None),
        };
        if name.is_empty() {
            self.wrong(
                Some(number),
                None,
                "the section has no name: write one into the brackets".into(),
            );
        }
        if parent == Some("") {
            self.wrong(
                Some(number),
                Some(name),
                "no parent follows the colon: write one, or no colon".into(),
            );
        }
        self.sections.push(Section {
            name: name.into(),
            parent: parent.map(Into::into),
            line: number,
            options: Vec::new(),
            problems: Vec::new(),
            remarks: Vec::new(),
        });
    }

    fn setting(&mut self, number: usize, line: &str) {
        let Some(section) = self.sections.last_mut() else { return };
        let note = |option: Option<&str>, message: String| Problem {
            file: self.name.into(),
            line: Some(number),
            section: Some(section.name.clone()),
            option: option.map(Into::into),
            message,
        };
        let Some((option, value)) = line.split_once('=') else {
            let message =
                format!("'{}' is no option with a value: write option = value", shortened(line));
            section.problems.push(note(None, message));
            return;
        };
        let (option, value) = (option.trim(), value.trim());
        let (value, comment) = uncommented(value);
        if option.is_empty() {
            section.problems.push(note(
                None,
                "no option is before the equals sign: write option = value".into(),
            ));
        } else if let Some(first) = section.options.iter().find(|other| other.option == option) {
            let first = first.line.unwrap_or(0);
            section
                .problems
                .push(note(Some(option), format!("line {first} gives it already: leave one out")));
        } else if value.is_empty() {
            let message =
                "it has no value and is left out, as in Fairy-Stockfish: write - for none";
            section.remarks.push(note(Some(option), message.into()));
        } else {
            if comment {
                let message = "the comment behind the value is left out; Fairy-Stockfish may take it for a part of it";
                section.remarks.push(note(Some(option), message.into()));
            }
            section.options.push(Setting {
                option: option.into(),
                value: value.into(),
                line: Some(number),
            });
        }
    }

    fn wrong(&mut self, line: Option<usize>, section: Option<&str>, message: String) {
        let section = section.map(Into::into);
        self.problems.push(Problem {
            file: self.name.into(),
            line,
            section,
            option: None,
            message,
        });
    }
}

/// Returns a value without a comment behind it, and whether there was one.
fn uncommented(value: &str) -> (&str, bool) {
    let mut space = false;
    let begins = |(_, letter): &(usize, char)| {
        let found = space && matches!(letter, '#' | ';');
        space = letter.is_whitespace();
        found
    };
    let first = value.char_indices().find(begins);
    first.map_or((value, false), |(at, _)| (value[..at].trim(), true))
}

/// Returns the beginning of a long text.
fn shortened(text: &str) -> String {
    let beginning: String = text.chars().take(40).collect();
    if beginning.len() < text.len() { format!("{beginning}...") } else { beginning }
}
