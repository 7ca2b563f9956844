//! The rules in words and pictures, on a board of 7x7 squares.

use fusion_game::{Lesson, RulePicture};

const fn picture(position: &'static str, mv: &'static str, says: &'static str) -> RulePicture {
    RulePicture::new("board=7", position, mv, says)
}

/// The rules of `docs/freechess.md`.
pub(super) const LESSONS: &[Lesson] = &[
    Lesson {
        title: "Pieces",
        words: &[
            "The board is empty at first. Each player holds attributes in a reserve. A piece is any set of attributes on one square, and it moves by any of them.",
            "A royal makes one step, as the King of chess. Rook, Bishop and Knight move as in chess. An Opawn goes one or two squares straight over empty squares, forwards, backwards or sideways, and captures one square diagonally, in any direction. A combinator does not move: it lets the other attributes of its piece move one after the other.",
            "A piece has at most one royal and at most one combinator. The number on a figure is how often the piece has the attribute.",
        ],
        toggles: &["board", "reserve"],
        pictures: &[
            picture("6k/7/7/7/3P3/7/K6 w -/- - -", "d3f3", "An Opawn goes two squares sideways."),
            picture(
                "6k/7/7/3{RN}3/7/7/K6 w -/- - -",
                "d4e6",
                "A piece of Rook and Knight moves by its Knight.",
            ),
        ],
    },
    Lesson {
        title: "Placements",
        words: &[
            "White begins. A turn is one placement, one move or one split. Passing is not allowed.",
            "A placement puts one attribute of the own reserve on the board. On an empty square it is a piece of its own. On a friendly piece it is added. On an enemy piece that has the same attribute it cancels: both attributes leave the game. A combinator never cancels.",
        ],
        toggles: &["valid-squares", "shield", "royal-cancel"],
        pictures: &[
            picture("6k/7/7/3R3/7/7/K6 w B/- - -", "B@d4", "A Bishop is added to the Rook."),
            picture(
                "6k/7/4{bn}2/3R3/7/7/K6 w N/- - -",
                "N@e5",
                "A Knight cancels the Knight of the enemy piece, and its Bishop stays.",
            ),
        ],
    },
    Lesson {
        title: "Moves",
        words: &[
            "A piece without a combinator moves by one kind of its attributes. Knights add up to a ride: with two of them a piece leaps twice in the same direction if the square between is empty. So do Opawns: two of them go up to four squares straight. Of the other kinds, more than one adds nothing.",
            "A piece with a combinator moves by one attribute after another, each once in a turn. After each part the player may end the turn. A piece may not end its turn where it began unless it has captured or fused.",
        ],
        toggles: &["combinators"],
        pictures: &[
            picture("k6/7/7/7/7/7/1{N2}4K w -/- - -", "b1d5", "Two Knights ride two leaps."),
            picture(
                "7/7/7/7/7/7/1{RBC}4K w -/k - -",
                "b4e7",
                "With a combinator, the Bishop goes on from where the Rook went.",
            )
            .after("b1b4r"),
        ],
    },
    Lesson {
        title: "Fusing and capturing",
        words: &[
            "A piece that lands on a friendly piece fuses with it: their attributes add up. Two pieces that both have a combinator do not fuse.",
            "A piece that lands on an enemy piece captures it, and all its attributes leave the game. Attributes that both pieces have cancel: the capturing piece loses as many of the kind as both have, and these return to the reserve of its owner. If nothing is left of it, the square is empty.",
            "A royal piece captures only by the step of its royal, friendly pieces too. The enemy royal is never captured, nor is an enemy combinator that stands alone.",
        ],
        toggles: &["fusing", "royal-to-capture"],
        pictures: &[
            picture("k6/7/7/4N2/7/2B4/6K w -/- - -", "c2e4", "Bishop and Knight fuse."),
            picture(
                "6k/7/3{rb}3/7/7/3{RN}3/K6 w -/- - -",
                "d2d5",
                "The Rooks cancel: a Knight is left, and the Rook returns to White’s reserve.",
            ),
        ],
    },
    Lesson {
        title: "Splits",
        words: &[
            "Instead of moving, a piece may shed attributes. One or more parts leave it in one turn, one after the other. A part returns to the own reserve, or goes to an empty square that it could move to from there. Splits neither capture nor fuse.",
            "On the page, a second click on a chosen piece opens a menu. Lift the attributes of a part one by one, then click where it goes, or return it to the reserve by the button below the board.",
        ],
        toggles: &["splitting", "recall", "royal-return"],
        pictures: &[picture(
            "6k/7/7/7/3{RBN}3/7/K6 w -/- - -",
            "d3>e5",
            "The Knight leaves the piece; Rook and Bishop stay.",
        )
        .after("d3^n")],
    },
    Lesson {
        title: "Check and the end of the game",
        words: &[
            "No turn may end with the own royal in check. Any turn may give check, also a placement. Only the end of a turn counts: on its way, a royal may pass through check.",
            "A player without a legal turn has lost: by checkmate if the royal is in check, otherwise by stalemate. The third occurrence of a position at the start of a turn is a draw, and so is a position in which neither player has anything but a royal.",
        ],
        toggles: &["pinned-checks"],
        pictures: &[picture(
            "k6/7/6p/6R/7/7/1R3K1 w -/- - -",
            "g4a4",
            "Checkmate: the other Rook guards the way out.",
        )],
    },
];
