//! Check whether a study continues the results of an earlier one.

use fusion_jobs::exit::Failure;
use serde_json::Value;

use super::Study;

/// Keys whose values may grow: the earlier games are then the first games of the larger study. `*`
/// stands for the name of a section.
const GROWING: [&str; 4] = ["openings.count", "measure.games", "extra.*.games", "train.minutes"];

impl Study {
    /// Checks that results of an earlier study in the same folder are valid for this study. All
    /// keys must have the same values, except numbers of openings that have grown.
    ///
    /// # Errors
    /// Fails if keys differ, and names them with both values (exit code 64).
    pub fn check_continues(&self, earlier: &Self) -> Result<(), Failure> {
        let value = |study: &Self| serde_json::to_value(study).map_err(Failure::usage);
        let mut differences = Vec::new();
        collect("", &value(earlier)?, &value(self)?, &mut differences);
        differences.retain(|difference| {
            let may_grow = !earlier.study.fixed || difference.key == "train.minutes";
            let grows = may_grow && difference.is_growth(self.openings.count);
            !(difference.is_of_words() || grows)
        });
        if differences.is_empty() {
            return Ok(());
        }
        let each: Vec<String> = differences.iter().map(Difference::words).collect();
        let may = match earlier.study.fixed {
            true => "its numbers of openings are final (study.fixed)".to_owned(),
            false => format!("only {} may grow", GROWING.join(", ").replace('*', "NAME")),
        };
        Err(Failure::usage(format!(
            "the folder holds results of this study with other values: {}; {may}. Give the study \
             another name or folder, or move the old one away",
            each.join("; ")
        )))
    }
}

/// A key with its two values. Null is a key that is left out.
#[derive(Debug)]
struct Difference {
    key: String,
    old: Value,
    new: Value,
}

impl Difference {
    fn words(&self) -> String {
        let word = |value: &Value| match value {
            Value::Null => "left out".to_owned(),
            value => value.to_string(),
        };
        format!("{} was {} and is now {}", self.key, word(&self.old), word(&self.new))
    }

    /// Returns whether the key changes only what the report says, or where the file lies.
    fn is_of_words(&self) -> bool {
        let is_in = |section: &str| {
            self.key
                .strip_prefix(section)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        ["study.title", "study.relative_to"].contains(&&*self.key)
            || ["labels", "published", "pooled"].into_iter().any(is_in)
    }

    /// Returns whether the key may grow and has grown. A key that is left out means the whole pool.
    fn is_growth(&self, pool: u32) -> bool {
        let extra = self.key.starts_with("extra.") && self.key.ends_with(".games");
        let grows = extra || GROWING.contains(&self.key.as_str());
        let new = if self.new.is_null() { Some(pool.into()) } else { self.new.as_u64() };
        if self.key == "train.minutes" {
            return self.old.as_f64().zip(self.new.as_f64()).is_some_and(|(old, new)| old <= new);
        }
        grows && self.old.as_u64().zip(new).is_some_and(|(old, new)| old <= new)
    }
}

fn collect(path: &str, old: &Value, new: &Value, differences: &mut Vec<Difference>) {
    let (Value::Object(olds), Value::Object(news)) = (old, new) else {
        if old != new {
            let key = path.to_owned();
            differences.push(Difference { key, old: old.clone(), new: new.clone() });
        }
        return;
    };
    let keys = olds.keys().chain(news.keys().filter(|key| !olds.contains_key(*key)));
    for key in keys {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        let value =
            |map: &serde_json::Map<String, Value>| map.get(key).cloned().unwrap_or_default();
        collect(&path, &value(olds), &value(news), differences);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn study(text: &str) -> Study {
        Study::parse(&format!("[study]\nname = 'x'\n{text}")).unwrap()
    }

    #[test]
    fn fixed_numbers_of_openings_do_not_grow() {
        let fixed = |count| study(&format!("fixed = true\n[openings]\ncount = {count}\n"));
        fixed(20).check_continues(&fixed(20)).unwrap();
        let error = fixed(30).check_continues(&fixed(20)).unwrap_err().to_string();
        assert!(error.contains("openings.count was 20 and is now 30"), "{error}");
        assert!(error.contains("are final (study.fixed)"), "{error}");
        let grown = study("[openings]\ncount = 20\n");
        let error = fixed(20).check_continues(&grown).unwrap_err().to_string();
        assert!(error.contains("study.fixed was left out and is now true"), "{error}");
        let error = grown.check_continues(&fixed(20)).unwrap_err().to_string();
        assert!(error.contains("study.fixed was true and is now left out"), "{error}");
    }

    #[test]
    fn numbers_of_openings_may_grow_and_nothing_else_may_change() {
        let all = "[openings]\ncount = 20\n[measure]\ngames = 10\n[extra.a]\ngames = 5\n";
        for more in [
            all,
            &all.replace("20", "30"),
            &all.replace("10", "20"),
            &all.replace("games = 10\n", ""),
            &all.replace("= 5", "= 6"),
            &format!("# a comment\n{all}"),
            &format!("{all}[labels]\northodox = 'chess'\n"),
        ] {
            study(more).check_continues(&study(all)).unwrap();
        }
        for (other, words) in [
            (all.replace("20", "19"), "openings.count was 20 and is now 19"),
            (all.replace("= 5", "= 4"), "extra.a.games was 5 and is now 4"),
            (
                all.replace("games = 10", "games = 10\ncap = 500"),
                "measure.cap was 600 and is now 500",
            ),
            (format!("{all}[random]\ngames = 5\n"), "random was left out and is now {"),
            (format!("{all}[strength]\ngames = 500\n"), "strength.games was 200 and is now 500"),
        ] {
            let error = study(&other).check_continues(&study(all)).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
