//! Moves of pieces in Betza's notation, as Fairy-Stockfish reads it.
//!
//! A text is a sequence of atoms. Small letters before an atom say how it moves, a digit or the same
//! letter after it makes a ride of a leap:
//!
//! | | |
//! |---|---|
//! | `W F D N A H C Z G` | leaps by (1,0) (1,1) (2,0) (2,1) (2,2) (3,0) (3,1) (3,2) (3,3); `L` is `C`, `J` is `Z` |
//! | `K` | `W` and `F` |
//! | `R B Q` | rides by (1,0), by (1,1), by both |
//! | `m` `c` | only without, only with a capture |
//! | `i` | only from where Pawns have their double step |
//! | `n` | a leap that pieces on its path stop |
//! | `p` `g` | a ride that leaps over one piece; `g` ends on the square behind it |
//! | `e` | the piece captures in passing, and is so captured |
//! | `f b l r v s h` | directions: forward, back, left, right, both of the vertical, both of the sideways, half |

use std::collections::BTreeMap;

/// How a piece gets to its destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// By a leap: nothing between matters.
    Leap,
    /// By a leap that a piece on its path stops. The path goes straight along the longer axis until both
    /// distances are equal, then diagonally.
    Lame,
    /// By repeating the step over empty squares, at most this often; 0 is no limit.
    Ride(u8),
    /// As a ride that has to leap over exactly one piece. At most this many steps in all; 0 is no limit.
    Hop(u8),
    /// As a ride over exactly one piece, which ends on the square behind that piece.
    Grasshop,
}

/// A step or a ride in one direction, as the first player sees it. The second player's is turned by half a
/// circle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Files to the right.
    pub dx: i8,
    /// Ranks forward.
    pub dy: i8,
    /// How the piece gets there.
    pub way: Way,
    /// Whether it moves to an empty square like this.
    pub quiet: bool,
    /// Whether it captures like this.
    pub capture: bool,
    /// Whether it only does so from the squares of [`Definition::double_step`](crate::Definition). Such
    /// moves never capture.
    pub initial: bool,
}

/// Why a text is no piece's moves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("character {place} of '{text}' {reason}")]
pub struct BetzaError {
    /// The whole text.
    pub text: String,
    /// The place of the wrong character, from 1.
    pub place: usize,
    /// What is wrong with it and what to do, as the rest of a sentence.
    pub reason: String,
}

/// Returns the steps of a piece in a fixed order, each once.
///
/// A later atom replaces an earlier one of the same sort and direction, as in Fairy-Stockfish: `R4R2` is
/// `R2`. The flag `e` is no step; see [`captures_in_passing`].
///
/// # Errors
/// Returns an error with the place for a character that means nothing there. Fairy-Stockfish leaves
/// such characters out.
///
/// ```
/// use fusion_fairy::betza::{Way, parse};
///
/// let steps = parse("fR")?;
/// assert_eq!((steps[0].dx, steps[0].dy, steps[0].way), (0, 1, Way::Ride(0)));
/// assert_eq!(parse("KN")?.len(), 16);
/// assert_eq!(parse("x").unwrap_err().to_string(), "character 1 of 'x' is neither an atom nor a modifier");
/// # Ok::<(), fusion_fairy::betza::BetzaError>(())
/// ```
pub fn parse(text: &str) -> Result<Vec<Step>, BetzaError> {
    let mut reader = Reader { text: text.chars().collect(), next: 0, found: BTreeMap::new() };
    let outcome = reader.read();
    let wrong = |(place, reason)| BetzaError { text: text.into(), place: place + 1, reason };
    outcome.map_err(wrong)?;
    Ok(merged(&reader.found))
}

/// Returns whether a text has the flag `e`: the piece captures in passing, and is so captured.
#[must_use]
pub fn captures_in_passing(text: &str) -> bool {
    text.contains('e')
}

/// The sorts of steps; a later atom replaces an earlier one of the same sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    Leap,
    Ride,
    Hop,
}

/// What a step is filed under: whether it is initial, its sort, its direction, whether it captures.
type Key = (bool, Sort, (i8, i8), bool);

/// A place in the text, from 0, and what is wrong there.
type Wrong = (usize, String);

/// The letters before an atom.
#[derive(Default)]
struct Modifiers {
    quiet: bool,
    capture: bool,
    initial: bool,
    lame: Option<usize>,
    hop: bool,
    grass: bool,
    directions: Vec<[char; 2]>,
}

struct Reader {
    text: Vec<char>,
    next: usize,
    found: BTreeMap<Key, Way>,
}

impl Reader {
    fn read(&mut self) -> Result<(), Wrong> {
        let mut modifiers = Modifiers::default();
        let mut waiting = None;
        while let Some(&letter) = self.text.get(self.next) {
            let place = self.next;
            if let Some(leaps) = atom(letter) {
                self.atom(letter, leaps, &modifiers)?;
                modifiers = Modifiers::default();
                waiting = None;
            } else {
                self.modifier(letter, &mut modifiers)?;
                waiting = waiting.or(Some(place));
            }
        }
        let end =
            |place: usize| (place, "modifies no atom: a capital letter has to follow".to_string());
        waiting.map_or(Ok(()), |place| Err(end(place)))
    }

    fn modifier(&mut self, letter: char, modifiers: &mut Modifiers) -> Result<(), Wrong> {
        let place = self.next;
        self.next += 1;
        match letter {
            'm' => modifiers.quiet = true,
            'c' => modifiers.capture = true,
            'i' => modifiers.initial = true,
            'n' => modifiers.lame = Some(place),
            'p' => modifiers.hop = true,
            'g' => (modifiers.hop, modifiers.grass) = (true, true),
            'e' => {}
            'f' | 'b' | 'l' | 'r' | 'v' | 's' | 'h' => {
                let second =
                    self.text.get(self.next).copied().filter(|&next| combine(letter, next));
                self.next += usize::from(second.is_some());
                modifiers.directions.push([letter, second.unwrap_or(letter)]);
            }
            _ => return Err((place, unknown(letter).into())),
        }
        Ok(())
    }

    fn atom(&mut self, letter: char, leaps: &[(i8, i8)], with: &Modifiers) -> Result<(), Wrong> {
        let start = self.next;
        self.next += 1;
        let follows = self.text.get(self.next).copied();
        let digit = follows.and_then(|next| next.to_digit(10)).map(|digit| digit as u8);
        let rides = matches!(letter, 'R' | 'B' | 'Q') || digit.is_some() || follows == Some(letter);
        self.next += usize::from(digit.is_some() || follows == Some(letter));
        if let Some(next) = self.text.get(self.next).filter(|next| next.is_ascii_digit()) {
            let reason = if digit.is_some() {
                "is a second digit of a limit"
            } else {
                "limits a ride without limit"
            };
            return Err((
                self.next,
                format!("{reason}: {next} has to go, since limits are from 1 to 9"),
            ));
        }
        let way = way(rides, digit, with)?;
        let sort = if with.hop {
            Sort::Hop
        } else if rides {
            Sort::Ride
        } else {
            Sort::Leap
        };
        let both = with.quiet == with.capture;
        for &(long, short) in leaps {
            for step in directed(long, short, leaps.len() == 1, &with.directions)
                .map_err(|pair| (start, pair))?
            {
                for capture in [false, true] {
                    if both || with.capture == capture {
                        self.found.insert((with.initial, sort, step, capture), way);
                    }
                }
            }
        }
        Ok(())
    }
}

fn way(rides: bool, limit: Option<u8>, with: &Modifiers) -> Result<Way, Wrong> {
    if let Some(place) = with.lame {
        if rides || with.hop {
            return Err((place, "is for leaps: pieces stop a ride anyway, so leave n out".into()));
        }
        return Ok(Way::Lame);
    }
    Ok(match (with.hop, limit) {
        // A limit of one square is Fairy-Stockfish's mark for such rides.
        (true, Some(1)) => Way::Grasshop,
        (true, None) if with.grass => Way::Grasshop,
        (true, limit) => Way::Hop(limit.unwrap_or(0)),
        (false, limit) if rides => Way::Ride(limit.unwrap_or(0)),
        (false, _) => Way::Leap,
    })
}

fn atom(letter: char) -> Option<&'static [(i8, i8)]> {
    Some(match letter {
        'W' | 'R' => &[(1, 0)],
        'F' | 'B' => &[(1, 1)],
        'D' => &[(2, 0)],
        'N' => &[(2, 1)],
        'A' => &[(2, 2)],
        'H' => &[(3, 0)],
        'L' | 'C' => &[(3, 1)],
        'J' | 'Z' => &[(3, 2)],
        'G' => &[(3, 3)],
        'K' | 'Q' => &[(1, 0), (1, 1)],
        _ => return None,
    })
}

fn unknown(letter: char) -> &'static str {
    match letter {
        'y' => "bends a ride, which is not supported: leave the atom out",
        'o' => "leaves the board's edge, which is not supported: leave it out",
        '(' | ')' | '[' | ']' | '{' | '}' | ',' | '-' => {
            "belongs to moves of several legs or to a leap by numbers, which are not supported: write atoms"
        }
        _ if letter.is_ascii_digit() => {
            "is a limit without an atom: it has to follow a capital letter"
        }
        _ if letter.is_whitespace() => "is a space: leave it out",
        _ => "is neither an atom nor a modifier",
    }
}

/// Returns whether two letters of direction belong together.
fn combine(first: char, second: char) -> bool {
    let vertical = |letter| "fbvh".contains(letter);
    let horizontal = |letter| "rlsh".contains(letter);
    first == second
        || (vertical(first) && horizontal(second))
        || (horizontal(first) && vertical(second))
}

/// Returns the leaps of an atom that its directions allow, or what is wrong with the directions.
fn directed(
    long: i8,
    short: i8,
    alone: bool,
    directions: &[[char; 2]],
) -> Result<Vec<(i8, i8)>, String> {
    // The eight leaps, each with the directions that name it.
    let leaps: [((i8, i8), &str); 8] = [
        ((short, long), "ff vv rf rv fh rh hr"),
        ((-short, -long), "bb vv lb lv bh lh hr"),
        ((long, -short), "rr ss br bs bh rh hr"),
        ((-long, short), "ll ss fl fs fh lh hr"),
        ((long, short), "rr ss fr fs fh rh hl"),
        ((-long, -short), "ll ss bl bs bh lh hl"),
        ((short, -long), "bb vv rb rv bh rh hl"),
        ((-short, long), "ff vv lf lv fh lh hl"),
    ];
    let mut wanted: Vec<String> = Vec::new();
    for &[first, second] in directions {
        if alone && short == 0 && first != second {
            wanted.extend([first, second].map(|letter| String::from_iter([letter, letter])));
        } else {
            wanted.push(String::from_iter([first, second]));
        }
    }
    let names = |name: &str, all: &str| all.split(' ').any(|known| known == name);
    if let Some(nothing) = wanted.iter().find(|name| !leaps.iter().any(|(_, all)| names(name, all)))
    {
        return Err(format!(
            "has the directions '{nothing}', which name nothing: write ones such as f, fs, rf, fh or rh"
        ));
    }
    let kept = leaps
        .iter()
        .filter(|(_, all)| wanted.is_empty() || wanted.iter().any(|name| names(name, all)));
    Ok(kept.map(|&(leap, _)| leap).collect())
}

/// Returns the steps, without those that others make needless, with captures and other moves together.
fn merged(found: &BTreeMap<Key, Way>) -> Vec<Step> {
    // Whether each does not capture, and whether it does.
    let mut steps: BTreeMap<(bool, Way, (i8, i8)), [bool; 2]> = BTreeMap::new();
    for (&(initial, _, (dx, dy), capture), &way) in found {
        let way = match way {
            Way::Ride(1) => Way::Leap,
            Way::Lame if dx.abs().max(dy.abs()) == 1 => Way::Leap,
            way => way,
        };
        let flags = steps.entry((initial, way, (dx, dy))).or_default();
        flags[usize::from(capture)] = true;
    }
    let all: Vec<Step> = (steps.into_iter())
        .map(|((initial, way, (dx, dy)), [quiet, capture])| Step {
            dx,
            dy,
            way,
            quiet,
            capture,
            initial,
        })
        .collect();
    let needed = |step: &Step| {
        let covers = |other: &&Step| covers(other, step);
        let quiet = step.quiet && !all.iter().filter(covers).any(|other| other.quiet);
        let capture = step.capture && !all.iter().filter(covers).any(|other| other.capture);
        (quiet || capture).then_some(Step { quiet, capture, ..*step })
    };
    all.iter().filter_map(needed).collect()
}

/// Returns whether a step makes another one of the same direction needless.
fn covers(step: &Step, other: &Step) -> bool {
    let larger = match (step.way, other.way) {
        (Way::Ride(_), Way::Leap) | (Way::Leap, Way::Lame) => true,
        (Way::Ride(limit), Way::Ride(less)) => less != 0 && (limit == 0 || limit > less),
        _ => false,
    };
    let same = step.way == other.way;
    (step.dx, step.dy) == (other.dx, other.dy)
        && ((larger && step.initial <= other.initial) || (same && !step.initial && other.initial))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn directions(text: &str) -> Vec<(i8, i8)> {
        parse(text).unwrap().iter().map(|step| (step.dx, step.dy)).collect()
    }

    fn only(text: &str) -> Step {
        let steps = parse(text).unwrap();
        assert_eq!(steps.len(), 1, "{text}: {steps:?}");
        steps[0]
    }

    #[test]
    fn directions_are_fairy_stockfishs() {
        assert_eq!(directions("fsW"), [(-1, 0), (0, 1), (1, 0)]);
        assert_eq!(
            directions("fsK"),
            [(-1, 0), (-1, 1), (1, 0), (1, 1)],
            "two leaps are not split"
        );
        assert_eq!(directions("fN"), [(-1, 2), (1, 2)]);
        assert_eq!(directions("ffN"), directions("fN"));
        assert_eq!(directions("fhN"), [(-2, 1), (-1, 2), (1, 2), (2, 1)]);
        assert_eq!(directions("frN"), [(2, 1)]);
        assert_eq!(directions("rfN"), [(1, 2)]);
        assert_eq!(directions("hrN"), [(-2, 1), (-1, -2), (1, 2), (2, -1)]);
        assert_eq!(directions("vW"), [(0, -1), (0, 1)]);
        assert_eq!(directions("frlR"), [(-1, 0), (0, 1), (1, 0)]);
        assert_eq!(directions("flF"), [(-1, 1)]);
    }

    #[test]
    fn ways_follow_their_letters() {
        let way = |text| only(text).way;
        assert_eq!(way("fW"), Way::Leap);
        assert_eq!(way("fW1"), Way::Leap);
        assert_eq!(way("nfW"), Way::Leap, "no square is between");
        assert_eq!(way("fWW"), Way::Ride(0));
        assert_eq!(way("fR0"), Way::Ride(0));
        assert_eq!(way("fR4"), Way::Ride(4));
        assert_eq!(way("frnN"), Way::Lame);
        assert_eq!(way("pfR"), Way::Hop(0));
        assert_eq!(way("pfR3"), Way::Hop(3));
        assert_eq!(way("gfR"), Way::Grasshop);
        assert_eq!(way("gfR3"), Way::Hop(3));
        assert_eq!(way("gfR0"), Way::Hop(0));
        assert_eq!(way("pfR1"), Way::Grasshop);
    }

    #[test]
    fn needless_steps_are_left_out() {
        let Step { quiet, capture, initial, .. } = only("fmWcfWmifW");
        assert!(quiet && capture && !initial);
        assert_eq!(only("fR4fR2").way, Way::Ride(2), "the later limit holds");
        assert_eq!(only("fRfW").way, Way::Ride(0));
        assert_eq!(parse("RcW").unwrap(), parse("R").unwrap());
        assert_eq!(parse("fmRfcW").unwrap().len(), 2);
        assert_eq!(parse("KNJ").unwrap().len(), 24);
        assert_eq!(parse("").unwrap(), []);
        assert!(captures_in_passing("fmWfceF") && !captures_in_passing("fmWfcF"));
    }

    #[test]
    fn errors_name_the_place() {
        let error = |text: &str| parse(text).unwrap_err().to_string();
        for (text, message) in [
            ("XyzR", "character 1 of 'XyzR' is neither an atom nor a modifier"),
            (
                "WR12",
                "character 4 of 'WR12' is a second digit of a limit: 2 has to go, since limits are from 1 to 9",
            ),
            (
                "WW3",
                "character 3 of 'WW3' limits a ride without limit: 3 has to go, since limits are from 1 to 9",
            ),
            ("WnR", "character 2 of 'WnR' is for leaps: pieces stop a ride anyway, so leave n out"),
            ("npF", "character 1 of 'npF' is for leaps: pieces stop a ride anyway, so leave n out"),
            ("Wfm", "character 2 of 'Wfm' modifies no atom: a capital letter has to follow"),
            (
                "3W",
                "character 1 of '3W' is a limit without an atom: it has to follow a capital letter",
            ),
            ("yF", "character 1 of 'yF' bends a ride, which is not supported: leave the atom out"),
            (
                "oR",
                "character 1 of 'oR' leaves the board's edge, which is not supported: leave it out",
            ),
            ("R mB", "character 2 of 'R mB' is a space: leave it out"),
            (
                "sfN",
                "character 3 of 'sfN' has the directions 'sf', which name nothing: write ones such as f, fs, rf, fh or rh",
            ),
            ("a(2,1)", "character 1 of 'a(2,1)' is neither an atom nor a modifier"),
            (
                "(2,1)",
                "character 1 of '(2,1)' belongs to moves of several legs or to a leap by numbers, which are not \
                 supported: write atoms",
            ),
        ] {
            assert_eq!(error(text), message);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_rejected(text: String) {
            let _ = parse(&text);
        }

        #[test]
        fn likely_texts_give_each_step_once(text in "[mcinpgefblrvsh]{0,3}[WFDNAHLCJZGKRBQ][0-9]?([fmcs][WFNRB]){0,3}") {
            if let Ok(steps) = parse(&text) {
                for (place, step) in steps.iter().enumerate() {
                    prop_assert!(step.quiet || step.capture);
                    prop_assert!((step.dx, step.dy) != (0, 0));
                    let same = |other: &Step| {
                        (other.dx, other.dy, other.way, other.initial) == (step.dx, step.dy, step.way, step.initial)
                    };
                    prop_assert!(!steps[..place].iter().any(same));
                }
            }
        }
    }
}
