//! The rules of a game in words and pictures, under a rule set.

use super::rules::{Example, Toggle, describe_example};
use fusion_game::{BoardGame, BoardShape, Lesson, RulePicture};
use serde::Serialize;

/// A section of the rules as a page shows it.
#[derive(Serialize)]
pub(super) struct Section {
    title: &'static str,
    words: &'static [&'static str],
    sentences: Vec<Sentence>,
    pictures: Vec<Picture>,
}

/// What a toggle's value means.
#[derive(Serialize)]
struct Sentence {
    text: String,
    /// Whether it is another rule than in the rules that readers know.
    differs: bool,
}

#[derive(Serialize)]
struct Picture {
    /// The rules of its board.
    rules: String,
    board: BoardShape,
    /// What it shows; `None` if the rules make something else of the move.
    says: Option<&'static str>,
    #[serde(flatten)]
    example: Example,
}

/// Describes the lessons of a game under a rule set.
pub(super) fn describe<G: BoardGame>(rules: &G::Rules, toggles: &[Toggle]) -> Vec<Section> {
    let section = |lesson: &Lesson| {
        let told = lesson.toggles.iter();
        let told = told.filter_map(|name| toggles.iter().find(|toggle| toggle.name == *name));
        let sentence = |toggle: &Toggle| {
            Some(Sentence { text: toggle.sentence.clone()?, differs: toggle.differs })
        };
        Section {
            title: lesson.title,
            words: lesson.words,
            sentences: told.filter_map(sentence).collect(),
            pictures: lesson.pictures.iter().filter_map(|it| picture::<G>(it, rules)).collect(),
        }
    };
    G::LESSONS.iter().map(section).collect()
}

/// Describes a picture on its board; `None` if the position cannot be there under these rules.
fn picture<G: BoardGame>(picture: &RulePicture, rules: &G::Rules) -> Option<Picture> {
    let text = rules.to_string();
    let name = |change: &str| change.split('=').next().map(str::to_owned);
    let is_kept =
        |part: &&str| !picture.changes.split(',').any(|change| name(change) == name(part));
    let kept: Vec<&str> = text.split(',').filter(is_kept).collect();
    let rules = G::parse_rules(&format!("{},{}", kept.join(","), picture.changes)).ok()?;
    let example = describe_example::<G>(&picture.example, &rules)?;
    let says = (example.label.is_some() == picture.legal).then_some(picture.says);
    Some(Picture { board: G::shape(&rules), rules: rules.to_string(), says, example })
}
