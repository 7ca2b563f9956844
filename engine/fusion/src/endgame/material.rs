//! The components of each side.

use crate::board::{Color, Component, Position};
use std::fmt::{self, Display};
use std::str::FromStr;

/// The largest number of components of a table, Kings included.
pub const MAX_COMPONENTS: usize = 5;

/// The components that a side can have besides its King, in the order of notation.
const EXTRAS: [Component; 3] = [Component::Rook, Component::Bishop, Component::Knight];

/// The components of both sides, fused or not: a King each, Rooks, Bishops and Knights.
///
/// The stronger side comes first and is White in tables. It is the side with more components, else
/// with the more valuable ones (5 for a Rook, 3 for a Bishop or Knight), else with more Rooks, then
/// Bishops. The text names both Kings: `KRBvKR`.
///
/// ```
/// use fusion_chess::endgame::Material;
/// let material: Material = "KRvKRB".parse()?;
/// assert_eq!(material.to_string(), "KRBvKR");
/// # Ok::<(), fusion_chess::endgame::MaterialError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Material {
    /// Numbers of Rooks, Bishops and Knights of the stronger side, then of the weaker side.
    extras: [[u8; 3]; 2],
}

/// The error for text that does not name the material of a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MaterialError {
    /// The text is not of the form `KRBvKR`.
    #[error("'{0}' is not material of the form KRBvKR: a K each, then letters of R, B, N")]
    Form(String),
    /// There are too many components for a table.
    #[error("{0} has {1} components; tables have at most {MAX_COMPONENTS}")]
    TooMany(String, usize),
}

impl Material {
    /// Builds the material of two sides from their numbers of Rooks, Bishops and Knights. Also
    /// returns whether the second side is the stronger one. Returns `None` if there are too many
    /// components.
    #[must_use]
    pub fn new(sides: [[u8; 3]; 2]) -> Option<(Self, bool)> {
        let [first, second] = sides;
        let total: usize = sides.iter().flatten().map(|&count| usize::from(count)).sum();
        if total + 2 > MAX_COMPONENTS {
            return None;
        }
        let swapped = strength(second) > strength(first);
        let extras = if swapped { [second, first] } else { sides };
        Some((Self { extras }, swapped))
    }

    /// Returns the material of a position, and whether Black is the stronger side. Returns `None`
    /// if there are Pawns, Manns, castling rights or too many components.
    #[must_use]
    pub fn of(position: &Position) -> Option<(Self, bool)> {
        let others = position.component(Component::Pawn) | position.component(Component::Mann);
        if others.any() || position.castling_rights() != 0 {
            return None;
        }
        let count = |color, component| {
            // The cast is exact: there are at most 64 squares.
            (position.component(component) & position.color(color)).len() as u8
        };
        Self::new(Color::ALL.map(|color| EXTRAS.map(|component| count(color, component))))
    }

    /// Returns all material of at most this many components, smaller material first.
    #[must_use]
    pub fn all(components: usize) -> Vec<Self> {
        let most = components.saturating_sub(2).min(MAX_COMPONENTS - 2);
        let mut list: Vec<Self> = sides(most)
            .flat_map(|first| sides(most).map(move |second| [first, second]))
            .filter_map(|pair| Self::new(pair).map(|(material, _)| material))
            .filter(|material| material.len() <= components)
            .collect();
        list.sort_by_key(|material| (material.len(), std::cmp::Reverse(*material)));
        list.dedup();
        list
    }

    /// Returns all material of at most this many components and the `endings` by name, smaller
    /// material first. Two bare Kings are left out.
    ///
    /// # Errors
    /// Returns an error if tables cannot have the number of components or an ending. The message
    /// begins with the parameter's name.
    ///
    /// ```
    /// use fusion_chess::endgame::Material;
    /// let list = Material::list(3, &["KBRvKR".to_owned(), "KRvK".to_owned()])?;
    /// let names: Vec<String> = list.iter().map(Material::to_string).collect();
    /// assert_eq!(names, ["KRvK", "KBvK", "KNvK", "KRBvKR"]);
    /// # Ok::<(), String>(())
    /// ```
    pub fn list(components: usize, endings: &[String]) -> Result<Vec<Self>, String> {
        if !(2..=MAX_COMPONENTS).contains(&components) {
            return Err(format!("components must lie between 2 and {MAX_COMPONENTS}"));
        }
        let mut list = Self::all(components);
        for ending in endings {
            let material = ending.parse().map_err(|error| format!("endings: {error}"))?;
            if !list.contains(&material) {
                list.push(material);
            }
        }
        list.retain(|material| material.len() > 2);
        list.sort_by_key(Self::len);
        Ok(list)
    }

    /// Returns every component with its colour: the Kings, White's others, Black's others.
    #[must_use]
    pub fn components(&self) -> Vec<(Color, Component)> {
        let kings = Color::ALL.map(|color| (color, Component::King));
        let others = Color::ALL.into_iter().flat_map(|color| {
            let counts = EXTRAS.into_iter().zip(self.extras[color.index()]);
            counts.flat_map(move |(component, n)| (0..n).map(move |_| (color, component)))
        });
        kings.into_iter().chain(others).collect()
    }

    /// Returns the number of components, Kings included.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there are always two Kings")]
    pub fn len(&self) -> usize {
        2 + self.extras.iter().flatten().map(|&count| usize::from(count)).sum::<usize>()
    }

    /// Returns whether either side has the component.
    #[must_use]
    pub fn has(&self, component: Component) -> bool {
        self.components().iter().any(|&(_, known)| known == component)
    }

    /// Returns the number of different components besides the King that a side has.
    #[must_use]
    pub(super) fn kinds(&self, color: Color) -> usize {
        self.extras[color.index()].iter().filter(|&&count| count > 0).count()
    }

    /// Returns the material after a side has lost these components, and whether the sides change
    /// roles. Components that the side does not have are ignored.
    #[must_use]
    pub fn without(&self, color: Color, lost: &[Component]) -> (Self, bool) {
        let mut sides = self.extras;
        for component in lost {
            if let Some(kind) = EXTRAS.iter().position(|extra| extra == component) {
                let count = &mut sides[color.index()][kind];
                *count = count.saturating_sub(1);
            }
        }
        let swapped = strength(sides[1]) > strength(sides[0]);
        let extras = if swapped { [sides[1], sides[0]] } else { sides };
        (Self { extras }, swapped)
    }

    /// Returns all smaller material that any number of captures leads to, smaller material first.
    #[must_use]
    pub fn descendants(&self) -> Vec<Self> {
        let fits = |part: [u8; 3], whole: [u8; 3]| part.iter().zip(whole).all(|(&p, w)| p <= w);
        let [strong, weak] = self.extras;
        let below = |other: &Self| {
            let [a, b] = other.extras;
            other != self && (fits(a, strong) && fits(b, weak) || fits(a, weak) && fits(b, strong))
        };
        Self::all(self.len()).into_iter().filter(below).collect()
    }

    fn side_name(&self, side: usize) -> String {
        let extras = EXTRAS.iter().zip(self.extras[side]);
        let letters = extras.flat_map(|(component, n)| (0..n).map(|_| component.letter()));
        std::iter::once('K').chain(letters).collect()
    }
}

/// Returns every choice of Rooks, Bishops and Knights up to a total.
fn sides(most: usize) -> impl Iterator<Item = [u8; 3]> + Clone {
    let most = most as u8;
    (0..=most).flat_map(move |rooks| {
        (0..=most - rooks).flat_map(move |bishops| {
            (0..=most - rooks - bishops).map(move |knights| [rooks, bishops, knights])
        })
    })
}

/// Returns the sort key of a side. See [`Material`].
fn strength(side: [u8; 3]) -> (u8, u8, [u8; 3]) {
    let number: u8 = side.iter().sum();
    // A Rook is worth 5, a Bishop or Knight 3. With equal numbers of components, Rooks decide.
    (number, side[0], side)
}

impl Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.side_name(0), self.side_name(1))
    }
}

impl FromStr for Material {
    type Err = MaterialError;

    fn from_str(text: &str) -> Result<Self, MaterialError> {
        let form = || MaterialError::Form(text.into());
        let (first, second) = text.split_once('v').ok_or_else(form)?;
        let mut sides = [[0u8; 3]; 2];
        for (side, letters) in sides.iter_mut().zip([first, second]) {
            for letter in letters.strip_prefix('K').ok_or_else(form)?.chars() {
                let kind = EXTRAS.iter().position(|extra| extra.letter() == letter);
                let count = &mut side[kind.ok_or_else(form)?];
                *count = count.saturating_add(1);
            }
        }
        let total = 2 + sides.iter().flatten().map(|&n| usize::from(n)).sum::<usize>();
        let material = Self::new(sides).map(|(material, _)| material);
        material.ok_or_else(|| MaterialError::TooMany(text.into(), total))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_and_written() {
        for (text, canonical) in [
            ("KvK", "KvK"),
            ("KRvK", "KRvK"),
            ("KvKN", "KNvK"),
            ("KBRvKR", "KRBvKR"),
            ("KNvKB", "KBvKN"),
            ("KBBvKRN", ""),
            ("KBvKRN", "KRNvKB"),
        ] {
            match text.parse::<Material>() {
                Ok(material) => assert_eq!(material.to_string(), canonical),
                Err(error) => assert!(canonical.is_empty(), "{error}"),
            }
        }
        let many = format!("K{}v{}", "R".repeat(300), "K");
        assert_eq!(many.parse::<Material>(), Err(MaterialError::TooMany(many.clone(), 257)));
        for bad in ["", "KR", "KRvR", "RvK", "KPvK", "KRvKRv"] {
            assert!(matches!(bad.parse::<Material>(), Err(MaterialError::Form(_))), "{bad}");
        }
    }

    #[test]
    fn all_material_has_its_numbers() {
        // One further component: 3. Two further components: 6 for one side and 6 shared.
        assert_eq!([2, 3, 4].map(|n| Material::all(n).len()), [1, 4, 16]);
        // Three further components: 10 for one side, 6 times 3 shared.
        assert_eq!(Material::all(5).len(), 16 + 28);
        for material in Material::all(5) {
            assert_eq!(material.to_string().parse(), Ok(material));
            assert_eq!(material.components().len(), material.len());
        }
    }

    #[test]
    fn descendants_are_closed_under_captures() {
        let text =
            |list: Vec<Material>| -> Vec<String> { list.iter().map(Material::to_string).collect() };
        let material: Material = "KRBvKR".parse().unwrap();
        assert_eq!(
            text(material.descendants()),
            ["KvK", "KRvK", "KBvK", "KRBvK", "KRvKR", "KRvKB"]
        );
        for material in Material::all(5) {
            let descendants = material.descendants();
            for below in &descendants {
                assert!(below.descendants().iter().all(|m| descendants.contains(m)));
            }
        }
    }
}
