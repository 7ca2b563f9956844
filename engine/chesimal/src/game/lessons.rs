//! The rules in words and pictures, on the small board.

use fusion_game::{Lesson, RulePicture};

/// The pictures name no AMPs, and what they show holds with AMPs as well.
const fn picture(position: &'static str, mv: &'static str, says: &'static str) -> RulePicture {
    RulePicture::new("setup=small,friendly=colour", position, mv, says)
}

/// The rules of `docs/chesimal.md`.
pub(super) const LESSONS: &[Lesson] = &[
    Lesson {
        title: "Units",
        words: &[
            "King and Prince are leaders. A leader moves one or two King steps: from an empty square it may step once more, in any direction, but not back to where it began. It passes over nothing, and a capture ends its move.",
            "A Knight leaps as in chess. A Warmachine moves one or two squares along a rank or a file, an Elephant one or two squares along a diagonal; two squares are a leap over whatever stands between. A Pawn makes one step. The leader that activates it decides the directions: all eight for a King, straight for an ortho Prince, diagonal for a dia Prince.",
            "A leader and its units are an AMP, an autonomous multi-unit piece.",
        ],
        toggles: &["setup"],
        pictures: &[
            picture(
                "7k/8/8/3E4/3W4/3K4/8/8 w - d3k 0 2",
                "d4d6",
                "A Warmachine leaps over an Elephant.",
            ),
            picture(
                "7k/8/8/8/8/3K4/8/8 w - d3k 0 2",
                "d3f4",
                "A King makes two steps in different directions.",
            ),
        ],
    },
    Lesson {
        title: "A turn",
        words: &[
            "White begins. First the player chooses a leader by a click. A King activates units of all kinds, an ortho Prince leaders, Warmachines and Pawns, a dia Prince leaders, Elephants and Pawns.",
            "Then the leader activates units one after another, and each moves at once. A unit may be activated if it has not moved in this turn, and if it is connected to the leader at that moment: an unbroken line of friendly units joins them, each of which touches the next on one of its eight sides. Units that have moved join as well; enemies do not. The leader may move, too, and connections then begin at its new square. Other leaders can be activated and move as leaders, but activate nothing.",
            "The player ends the turn by the button below the board. A player whose leaders can activate nothing passes.",
        ],
        toggles: &[
            "friendly",
            "recruit",
            "king-others",
            "prince-total",
            "prince-mode",
            "pass",
            "first-turn",
        ],
        pictures: &[
            picture(
                "7k/8/8/5P2/4N3/3P4/2K5/8 w - c2k 0 2",
                "f5f6",
                "The Pawn is connected to the King by the units between them.",
            ),
            picture(
                "7k/8/8/6P1/4N3/3P4/2K5/8 w - c2k 0 2",
                "g5g6",
                "Not legal: the Pawn touches no unit that is connected to the King.",
            )
            .illegal(),
            picture(
                "7k/8/8/3N4/3W4/3S4/8/K7 w - d3o 0 2",
                "d5e7",
                "Not legal: a Prince does not activate a Knight.",
            )
            .illegal(),
        ],
    },
    Lesson {
        title: "Captures",
        words: &[
            "A unit that moves onto an enemy unit removes it. It never moves onto a unit of its own colour. There is no castling, no double step and no promotion.",
        ],
        toggles: &["after-capture"],
        pictures: &[picture(
            "7k/8/3p4/3p4/3W4/3K4/8/8 w - d3k 0 2",
            "d4d6",
            "A Warmachine leaps over a Pawn and takes the one behind it.",
        )],
    },
    Lesson {
        title: "The end of the game",
        words: &[
            "The game is lost at once, in the middle of the opponent’s turn, with the Kings that a side has to keep. There is no check: a King may stay or go where it can be taken. The loss of a Prince does not end the game.",
        ],
        toggles: &["kings", "repetition", "quiet-limit"],
        pictures: &[picture(
            "8/8/4p3/3k4/4W3/3PK3/8/8 w - e3k 3 30",
            "e3d5",
            "The King takes the last King of the other side and wins.",
        )],
    },
];
