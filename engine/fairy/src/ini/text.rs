//! The canonical text of a definition.

use super::draft::Draft;
use super::options::{Effect, TABLE, entry};
use super::pieces;
use crate::definition::Definition;
use std::fmt::Write as _;

impl Definition {
    /// Returns the canonical text: a section without parent that gives this definition. It lists the
    /// size of the board, the pieces and the initial position, and those options whose values differ from what a section
    /// with only these has. Equal definitions have equal texts.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut draft = Draft::of(self);
        let mut plain = draft.plain();
        let mut text = format!("[{}]\n", self.name);
        for option in TABLE.iter() {
            let Effect::Set(_) = option.effect else { continue };
            // No double step has no regions.
            if option.name.starts_with("doubleStepRegion") && !draft.double_step {
                continue;
            }
            let Some(value) = option.text(&mut draft) else { continue };
            let shown = pieces::kind(&option.name)
                .is_some_and(|kind| draft.letters[kind].is_some())
                || ["maxRank", "maxFile", "startFen"].contains(&option.name.as_str());
            if shown || option.text(&mut plain).as_ref() != Some(&value) {
                let _ = writeln!(text, "{} = {value}", option.name);
            }
        }
        text
    }

    /// Returns an option's value as text: to give the option this value changes nothing. `None` for an
    /// option that is not supported, and for one that sets several others, if they differ.
    ///
    /// ```
    /// let chess = fusion_fairy::ini::builtin("chess", &[])?.definition;
    /// assert_eq!(chess.option_value("promotionPieceTypes").as_deref(), Some("nbrq"));
    /// # Ok::<(), fusion_fairy::ini::Problems>(())
    /// ```
    #[must_use]
    pub fn option_value(&self, option: &str) -> Option<String> {
        entry(option)?.text(&mut Draft::of(self))
    }
}

impl Draft {
    /// Returns what a section with the same board, pieces and initial position and without further options gives.
    fn plain(&self) -> Self {
        let mut plain = Self::new();
        (plain.files, plain.ranks) = (self.files, self.ranks);
        plain.start.clone_from(&self.start);
        for kind in self.types() {
            plain.letters[kind] = self.letters[kind];
            plain.betza[kind].clone_from(&self.betza[kind]);
            if pieces::moves(kind).is_none()
                && kind != pieces::KING
                && crate::betza::captures_in_passing(self.moves(kind))
            {
                plain
                    .passing
                    .iter_mut()
                    .for_each(|kinds| kinds.add(super::region::Types::one(kind)));
            }
        }
        plain.conclude();
        Self::of(&plain.definition(""))
    }
}
