//! Figures of the page: positions of all elements, which the macros in `charts.html.j2` draw.
//!
//! Horizontal positions are percentages of the figure's width, so that text keeps its size on a
//! narrow screen.

pub(crate) mod changes;
pub(crate) mod data;
pub(crate) mod endings;
pub(crate) mod forest;
pub(crate) mod incidence;
pub(crate) mod ladder;
pub(crate) mod lengths;
pub(crate) mod reliability;
pub(crate) mod series;

/// Widths to which figures shorten names, in characters.
pub(crate) const WIDTHS: [usize; 2] = [lengths::NAME, endings::LABEL];

/// Shortens a name to at most `most` characters from its beginning and its end, because mixes of
/// toggles differ at the end. The tooltip and the tables have the full name.
pub(crate) fn shortened(name: &str, most: usize) -> String {
    let characters: Vec<char> = name.chars().collect();
    if characters.len() <= most {
        return name.to_owned();
    }
    let head = most / 3;
    let tail = characters.len() - (most - head - 1);
    characters[..head].iter().chain(&['…']).chain(&characters[tail..]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(shortened("fusion-2020", 11), "fusion-2020");
        let name = "fusion-2020,castling=no,attacked-split=yes";
        assert_eq!(shortened(name, 30), "fusion-202…,attacked-split=yes");
    }
}
