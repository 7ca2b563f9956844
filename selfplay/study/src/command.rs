//! The command of a player that is a program, `uci:COMMAND?SETTINGS`: its words, quoted as in a shell.

use std::path::Path;

use fusion_jobs::exit::Failure;

/// Characters that quote others.
const QUOTES: [char; 3] = ['\'', '"', '\\'];

/// Returns the place of the first character outside quotes that `ends` accepts, else the text's end.
fn unquoted(text: &str, ends: impl Fn(char) -> bool) -> usize {
    let mut quote = None;
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match (quote, character) {
            (None, end) if ends(end) => return at,
            (None | Some('"'), '\\') => drop(characters.next()),
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), close) if open == close => quote = None,
            _ => {}
        }
    }
    text.len()
}

/// Splits the text after `uci:` at its first `?` outside quotes, into a command and its settings.
///
/// ```
/// use fusion_study::command::split_settings;
///
/// assert_eq!(split_settings("'what?' -x?nodes=2"), ("'what?' -x", "nodes=2"));
/// ```
#[must_use]
pub fn split_settings(text: &str) -> (&str, &str) {
    let at = unquoted(text, |character| character == '?');
    (&text[..at], text.get(at + 1..).unwrap_or_default())
}

/// Returns the program of the text after `uci:`, without quotes, and what follows it. `None` if its
/// quotes are not closed, or if there is none.
pub(super) fn split_program(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    let (program, rest) = text.split_at(unquoted(text, |end| end == '?' || end.is_whitespace()));
    if !program.contains(QUOTES) {
        return (!program.is_empty()).then(|| (program.to_owned(), rest));
    }
    match &mut shlex::split(program)?[..] {
        [program] => Some((std::mem::take(program), rest)),
        _ => None,
    }
}

/// Returns a program as a word of a command, in quotes if it needs them.
pub(super) fn quoted(program: &str) -> String {
    let is_plain = |c: char| !c.is_whitespace() && c != '?' && !QUOTES.contains(&c);
    if program.chars().all(is_plain) {
        return program.to_owned();
    }
    shlex::try_quote(program).map_or_else(|_| program.to_owned(), Into::into)
}

/// Splits a command into its words, as a shell does: at blanks that are outside quotes. The first word is
/// the program.
///
/// # Errors
/// Fails without a program, if a quote is not closed, and if blanks split the path of a file that exists
/// (exit code 64).
pub fn words(command: &str) -> Result<Vec<String>, Failure> {
    // Texts without quotes are read as earlier versions read them: a shell takes `#` for a comment.
    if !command.contains(QUOTES) {
        reject_split_path(command)?;
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        return if words.is_empty() { Err(no_program()) } else { Ok(words) };
    }
    let words = shlex::split(command).ok_or_else(|| {
        Failure::usage(format!(
            "uci:{command}: a quote is not closed, or a backslash ends the text"
        ))
    })?;
    match words.first() {
        Some(program) if !program.is_empty() => Ok(words),
        _ => Err(no_program()),
    }
}

fn no_program() -> Failure {
    Failure::usage("uci: needs a program, as in uci:stockfish")
}

/// Rejects a command without quotes of which several words together are the path of a file.
fn reject_split_path(command: &str) -> Result<(), Failure> {
    let blanks = command.match_indices(char::is_whitespace).map(|(at, _)| at);
    let paths = blanks.chain([command.len()]).map(|end| command[..end].trim());
    let mut paths = paths.filter(|path| path.contains(char::is_whitespace));
    let Some(path) = paths.find(|path| Path::new(path).is_file()) else { return Ok(()) };
    let first = path.split_whitespace().next().unwrap_or_default();
    Err(Failure::usage(format!(
        "uci:{command}: blanks end a word, so that this would start '{first}', but the file '{path}' \
         exists: quote the path, as in \"uci:'{path}'{}\"",
        &command[path.len() + (command.len() - command.trim_start().len())..]
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        words(text).unwrap()
    }

    #[test]
    fn words_are_quoted_as_in_a_shell() {
        assert_eq!(split("stockfish"), ["stockfish"]);
        assert_eq!(split(" java  -jar engine.jar "), ["java", "-jar", "engine.jar"]);
        for text in [
            "'/My Engines/engine' -x",
            "\"/My Engines/engine\" -x",
            "/My\\ Engines/engine -x",
            "/My' 'Engines/engine \"-x\"",
        ] {
            assert_eq!(split(text), ["/My Engines/engine", "-x"], "{text}");
        }
        assert_eq!(split("sh -c 'echo \"$1\"' \"\""), ["sh", "-c", "echo \"$1\"", ""]);
        // Earlier versions knew no comments.
        assert_eq!(split("engine #1"), ["engine", "#1"]);
        for text in ["", "  ", "''", "'engine", "\"engine", "engine\\"] {
            assert!(words(text).is_err(), "{text}");
        }
    }

    #[test]
    fn settings_begin_at_the_first_question_mark_outside_quotes() {
        for (text, command, settings) in [
            ("engine?nodes=2", "engine", "nodes=2"),
            ("engine?option.A=b?c", "engine", "option.A=b?c"),
            ("'what?' -x?nodes=2", "'what?' -x", "nodes=2"),
            ("\"a\\\"?\"?nodes=2", "\"a\\\"?\"", "nodes=2"),
            ("what\\??nodes=2", "what\\?", "nodes=2"),
            ("'a\\'?nodes=2", "'a\\'", "nodes=2"),
            ("engine", "engine", ""),
        ] {
            assert_eq!(split_settings(text), (command, settings), "{text}");
        }
    }

    #[test]
    fn a_path_that_blanks_would_split_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my engine");
        std::fs::write(&path, "").unwrap();
        let path = path.to_str().unwrap();
        for arguments in ["", " --threads 2"] {
            let error = words(&format!("{path}{arguments}")).unwrap_err().to_string();
            assert!(error.contains(&format!("\"uci:'{path}'{arguments}\"")), "{error}");
            assert_eq!(words(&format!("'{path}'{arguments}")).unwrap()[0], path);
        }
        assert_eq!(split(&path.replace("my engine", "my engines")).len(), 2);
    }
}
