//! A chess board as SVG: pieces of a FEN placement, an arrow for a move, marked squares.

/// Width and height of a board in user units.
pub const SIZE: u32 = 360;

const SQUARE: f32 = 45.0;

/// Figures of the components, each in a square of 45 units on a base at 33.5; the report's page
/// has the same.
const FIGURES: [(char, &str); 6] = [
    (
        'k',
        r#"<path d="M21 3.5h3v3h3v3h-3v13h-3v-13h-3v-3h3z"/><path d="M22.5 33.5h-9.5l-2.5-11c-.9-4.3 4.2-7.4 8-5.2 1.7 1 3.2 2.6 4 4.7 .8-2.1 2.3-3.7 4-4.7 3.8-2.2 8.9 .9 8 5.2l-2.5 11z"/><path class="d" d="M22.5 22v8.5"/>"#,
    ),
    (
        'r',
        r#"<path d="M12 9.5h5v3.5h3.2v-3.5h4.6v3.5h3.2v-3.5h5v8.5l-3.5 3v8.5l2.5 4h-19l2.5-4v-8.5l-3.5-3z"/><path class="d" d="M16 21h13M16 29.5h13"/>"#,
    ),
    (
        'b',
        r#"<circle cx="22.5" cy="6.8" r="2.6"/><path d="M22.5 9.4c-6 4-9.5 8.6-9.5 13.2 0 3.1 1.7 5.3 4 6.7l-2.5 4.2h16l-2.5-4.2c2.3-1.4 4-3.6 4-6.7 0-4.6-3.5-9.2-9.5-13.2z"/><path class="d" d="M22.5 15.5v9M18.5 19.5h8"/>"#,
    ),
    (
        'n',
        r#"<path d="M12.5 33.5c.3-7 8.3-8.3 9-14.3l-5 3.3c-1 2.1-2.7 3.9-4.6 3.2-2.5-.9-2.5-3.5-1-5.4 2.2-2.9 2.6-6.3 6-9l-.3-5.3 4.7 3.6c7.7 .5 12.4 6.5 12.4 14.4 0 3.8-.8 6.7-1.3 9.5z"/><circle class="e" cx="18.3" cy="14.6" r="1.5"/><path class="d" d="M24.5 12.5c3.5 2 5 5.5 5 10"/>"#,
    ),
    (
        'p',
        r#"<path d="M16.3 33.5c3.2-2.6 4.3-5.7 4.3-9.5h3.8c0 3.8 1.1 6.9 4.3 9.5z"/><circle cx="22.5" cy="18" r="6.2"/>"#,
    ),
    (
        'o',
        r#"<circle cx="22.5" cy="9.5" r="4.6"/><path d="M22.5 33.5h-9.5l-2.5-11c-.9-4.3 4.2-7.4 8-5.2 1.7 1 3.2 2.6 4 4.7 .8-2.1 2.3-3.7 4-4.7 3.8-2.2 8.9 .9 8 5.2l-2.5 11z"/><path class="d" d="M22.5 22v8.5"/>"#,
    ),
];

/// Letters of compounds and their components.
const COMPOUNDS: [(char, &str); 6] =
    [('q', "rb"), ('m', "rn"), ('d', "bn"), ('g', "kr"), ('f', "kb"), ('c', "kn")];

/// The style that a board needs, once in each picture.
pub const STYLE: &str = ".w{fill:#fffefa;stroke:#1c1a17}.b{fill:#38342f;stroke:#0b0a09}\
    .w,.b{stroke-width:1.3;stroke-linejoin:round;stroke-linecap:round}.d{fill:none}\
    .w .d{stroke:#1c1a17}.b .d{stroke:#e9e2d2}.w .e{fill:#1c1a17;stroke:none}\
    .b .e{fill:#e9e2d2;stroke:none}.c{font:600 9px sans-serif;fill:#4a3d25}";

/// A board of [`SIZE`] by [`SIZE`] units, as the content of an SVG element.
///
/// `placement` is the first field of a FEN, `mv` a move in coordinate notation, over which an
/// arrow is drawn; `marks` are squares to be tinted red.
pub fn board(placement: &str, mv: &str, marks: &[&str]) -> String {
    let mut svg = format!(r##"<rect width="{SIZE}" height="{SIZE}" fill="#ece3d0"/>"##);
    let dark = (0..64).filter(|i| (i / 8 + i % 8) % 2 == 1);
    let dark: String = dark.map(|i| format!("M{} {}h45v45h-45z", i % 8 * 45, i / 8 * 45)).collect();
    svg += &format!(r##"<path d="{dark}" fill="#b3a083"/>"##);
    for (i, name) in "abcdefgh".chars().enumerate() {
        let (along, rank) = (i * 45, 8 - i);
        svg += &format!(r#"<text class="c" x="{}" y="357">{name}</text>"#, along + 38);
        svg += &format!(r#"<text class="c" x="2" y="{}">{rank}</text>"#, along + 10);
    }
    for mark in marks {
        let (x, y) = corner(mark);
        svg += &format!(r##"<path d="M{x} {y}h45v45h-45z" fill="#c0392b" opacity=".5"/>"##);
    }
    for (place, piece) in pieces(placement) {
        let (x, y) = ((place % 8) as f32 * SQUARE, (place / 8) as f32 * SQUARE);
        svg += &format!(r#"<g transform="translate({x} {y})">{}</g>"#, figure(&piece));
    }
    if mv.len() >= 4 {
        svg += &arrow(&mv[..2], &mv[2..4]);
    }
    svg
}

/// The upper left corner of a square such as `e4`.
fn corner(square: &str) -> (f32, f32) {
    let mut bytes = square.bytes();
    let (file, rank) = (bytes.next().unwrap_or(b'a'), bytes.next().unwrap_or(b'1'));
    (f32::from(file - b'a') * SQUARE, f32::from(b'8' - rank) * SQUARE)
}

/// Squares from the upper left corner, 0 to 63, and the pieces on them.
fn pieces(placement: &str) -> Vec<(usize, String)> {
    let (mut place, mut found) = (0, Vec::new());
    let mut letters = placement.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '/' => {}
            '1'..='8' => place += letter as usize - '0' as usize,
            '{' => {
                found.push((place, letters.by_ref().take_while(|c| *c != '}').collect()));
                place += 1;
            }
            _ => {
                found.push((place, letter.to_string()));
                place += 1;
            }
        }
    }
    found
}

/// A piece in a square of 45 units. The components of a compound stand on one plate.
fn figure(piece: &str) -> String {
    let class = if piece.chars().all(char::is_uppercase) { "w" } else { "b" };
    let piece = piece.to_lowercase();
    let compound = COMPOUNDS.iter().find(|(letter, _)| piece == letter.to_string());
    let parts: Vec<char> = compound.map_or(&*piece, |(_, parts)| parts).chars().collect();
    let path = |part: char| FIGURES.iter().find(|(known, _)| *known == part).map_or("", |f| f.1);
    if let [part] = parts[..] {
        let base = r#"<rect x="10" y="33.5" width="25" height="5" rx="1.5"/>"#;
        return format!(r#"<g class="{class}">{}{base}</g>"#, path(part));
    }
    let (scale, apart) = if parts.len() == 2 { (0.74, 19.8) } else { (0.56, 13.4) };
    let mut svg = format!(r#"<g class="{class}">"#);
    for (i, part) in parts.iter().enumerate() {
        let middle = 22.5 + (i as f32 - (parts.len() - 1) as f32 / 2.0) * apart;
        svg += &format!(
            r#"<g transform="translate({:.2} .67) scale({scale} .98)">{}</g>"#,
            middle - 22.5 * scale,
            path(*part)
        );
    }
    svg + r#"<rect x="2.5" y="33.5" width="40" height="6.5" rx="3.2"/></g>"#
}

/// An arrow from the middle of one square to near the middle of another.
fn arrow(from: &str, to: &str) -> String {
    let middle = |square| {
        let (x, y) = corner(square);
        (x + SQUARE / 2.0, y + SQUARE / 2.0)
    };
    let ((x, y), (to_x, to_y)) = (middle(from), middle(to));
    let length = (to_x - x).hypot(to_y - y);
    let angle = (to_y - y).atan2(to_x - x).to_degrees();
    format!(
        r##"<path transform="translate({x} {y}) rotate({angle:.1})" d="M14 -3.5H{0}V-11L{1} 0L{0} 11V3.5H14z" fill="#0b6e4f" opacity=".8"/>"##,
        length - 18.0,
        length - 1.0
    )
}
