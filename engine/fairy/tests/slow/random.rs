//! Random games, as sections of a file.

use std::fmt::Write;

use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt};

/// Pieces that the format knows: name and letter.
const KNOWN: [(&str, char); 30] = [
    ("knight", 'n'),
    ("bishop", 'b'),
    ("rook", 'r'),
    ("queen", 'q'),
    ("fers", 'f'),
    ("alfil", 'a'),
    ("fersAlfil", 'e'),
    ("silver", 's'),
    ("bers", 'd'),
    ("archbishop", 'h'),
    ("chancellor", 'c'),
    ("amazon", 'z'),
    ("knibis", 'i'),
    ("rookni", 'j'),
    ("lance", 'l'),
    ("shogiKnight", 'o'),
    ("gold", 'g'),
    ("dragonHorse", 'x'),
    ("clobber", 'w'),
    ("breakthrough", 't'),
    ("cannon", 'm'),
    ("janggiCannon", 'y'),
    ("soldier", 'v'),
    ("horse", 'u'),
    ("elephant", 'a'),
    ("janggiElephant", 'e'),
    ("banner", 'f'),
    ("wazir", 's'),
    ("commoner", 'c'),
    ("centaur", 'd'),
];

/// A game that grows.
struct Sketch<'r, R> {
    rng: &'r mut R,
    files: usize,
    ranks: usize,
    text: String,
    /// Letters of pieces other than Pawns and Kings.
    letters: Vec<char>,
    /// Names of the same.
    names: Vec<String>,
    /// The letter of the Pawns, if there are any.
    pawn: Option<char>,
    /// Whether the Pawns are the format's own.
    own_pawns: bool,
    king: bool,
    castling: bool,
    /// Whether pieces merge, so that none but Pawns promote.
    fuses: bool,
}

/// Returns a section `[random]` with random pieces, on a random board, with a few random rules. Nearly all of them
/// are valid.
pub fn random_section(rng: &mut impl Rng) -> String {
    let wide = rng.random_bool(0.08);
    let (files, ranks) =
        if wide { (16, 8) } else { (rng.random_range(4..=10), rng.random_range(4..=10)) };
    let mut sketch = Sketch {
        rng,
        files,
        ranks,
        text: format!("[random]\nmaxFile = {files}\nmaxRank = {ranks}\n"),
        letters: Vec::new(),
        names: Vec::new(),
        pawn: None,
        own_pawns: false,
        king: true,
        castling: false,
        fuses: false,
    };
    sketch.pieces();
    sketch.royals();
    sketch.fusion();
    sketch.promotion();
    sketch.steps();
    sketch.castling();
    sketch.drops();
    sketch.rules();
    sketch.ends();
    sketch.regions();
    sketch.start();
    sketch.text
}

impl<R: Rng> Sketch<'_, R> {
    /// Returns true with this probability in hundredths.
    fn chance(&mut self, percent: u32) -> bool {
        self.rng.random_ratio(percent, 100)
    }

    /// Sets an option.
    fn set(&mut self, option: &str, value: &str) {
        writeln!(self.text, "{option} = {value}").expect("strings grow");
    }

    /// Sets a switch with this probability in hundredths.
    fn maybe(&mut self, percent: u32, option: &str) -> bool {
        let on = self.chance(percent);
        if on {
            self.set(option, "true");
        }
        on
    }

    /// Returns the letters that may stand in lists: all but the Cannon of Janggi, to which that program does not
    /// apply its own rules when it is royal or has just promoted.
    fn listed(&self) -> Vec<char> {
        let shy = self.names.iter().any(|name| name == "janggiCannon");
        self.letters.iter().copied().filter(|letter| !shy || *letter != 'y').collect()
    }

    /// Returns a random letter of a piece.
    fn letter(&mut self) -> char {
        *self.listed().choose(self.rng).expect("there are pieces")
    }

    /// Returns some letters of pieces.
    fn some_letters(&mut self) -> String {
        let mut letters = self.listed();
        let number = self.rng.random_range(1..=letters.len());
        letters.shuffle(self.rng);
        letters.into_iter().take(number).collect()
    }

    /// Returns some ranks, or single squares.
    fn squares(&mut self) -> String {
        let number = self.rng.random_range(1..=3);
        let square = |sketch: &mut Self| {
            let rank = sketch.rng.random_range(1..=sketch.ranks);
            let file = (b'a' + sketch.rng.random_range(0..sketch.files) as u8) as char;
            match sketch.rng.random_range(0..4) {
                0 => format!("{file}{rank}"),
                1 => format!("{file}*"),
                _ => format!("*{rank}"),
            }
        };
        let squares: Vec<String> = (0..number).map(|_| square(self)).collect();
        squares.join(" ")
    }

    /// Returns ranks from one to another, as the side counts them.
    fn own_ranks(&self, side: usize, from: usize, to: usize) -> String {
        let rank = |rank: usize| if side == 0 { rank } else { self.ranks + 1 - rank };
        let words: Vec<String> =
            (from..=to.min(self.ranks)).map(|n| format!("*{}", rank(n))).collect();
        words.join(" ")
    }

    /// Sets a region of both sides.
    fn set_ranks(&mut self, option: &str, from: usize, to: usize) {
        for (side, name) in ["White", "Black"].iter().enumerate() {
            let ranks = self.own_ranks(side, from, to);
            self.set(&option.replace('?', name), &ranks);
        }
    }

    /// Chooses pieces.
    fn pieces(&mut self) {
        let mut known = KNOWN.to_vec();
        known.shuffle(self.rng);
        let number = self.rng.random_range(2..=5);
        for (name, letter) in known {
            if self.letters.len() < number && !self.letters.contains(&letter) {
                self.set(name, &letter.to_string());
                self.letters.push(letter);
                self.names.push(name.into());
            }
        }
        let spare: Vec<char> =
            ('a'..='z').filter(|l| !"kp".contains(*l) && !self.letters.contains(l)).collect();
        let customs = self.rng.random_range(0..=3);
        for (place, letter) in spare.into_iter().take(customs).enumerate() {
            let betza = self.betza();
            let name = format!("customPiece{}", place + 1);
            self.set(&name, &format!("{letter}:{betza}"));
            self.letters.push(letter);
            self.names.push(name);
        }
        match self.rng.random_range(0..10) {
            0..6 => {
                self.set("pawn", "p");
                (self.pawn, self.own_pawns) = (Some('p'), true);
            }
            6 => {
                self.set("shogiPawn", "p");
                self.pawn = Some('p');
            }
            7 | 8 => {
                let betza = ["fsmWfceFifmnD", "mfFcfeWimfnA", "mfWcfFimfnD", "fFmW", "mfWcfN"]
                    .choose(self.rng);
                self.set("customPiece9", &format!("p:{}", betza.expect("moves")));
                self.pawn = Some('p');
                if self.chance(80) {
                    self.set("pawnTypes", "p");
                }
            }
            _ => {}
        }
    }

    /// Returns random moves in Betza's notation. No two parts move along the same lines.
    fn betza(&mut self) -> String {
        let mut leaps: Vec<&str> = vec!["W", "F", "D", "N", "A", "H", "C", "Z", "G", "K"];
        let mut rides: Vec<&str> = vec!["R", "B", "NN"];
        leaps.shuffle(self.rng);
        rides.shuffle(self.rng);
        let mut text = String::new();
        for _ in 0..self.rng.random_range(1..=3) {
            let ride = self.chance(40);
            let Some(atom) = (if ride { rides.pop() } else { leaps.pop() }) else { continue };
            let kind = *["", "", "", "m", "c", "m", "c", "im"].choose(self.rng).expect("a word");
            text += kind;
            if self.chance(35) {
                let ways = ["f", "b", "v", "s", "l", "r", "fs", "fb", "bs"];
                text += ways.choose(self.rng).expect("a word");
            }
            if ride && atom != "NN" {
                // Hops that are initial would mark their hurdle for a capture in passing.
                let ways: &[&str] = if kind == "im" { &[""] } else { &["", "", "p", "g"] };
                let way = ways.choose(self.rng).expect("a word");
                text += way;
                text += atom;
                if *way != "g" && self.chance(30) {
                    write!(text, "{}", self.rng.random_range(2..=4)).expect("strings grow");
                }
            } else {
                let alone = atom != "N" || rides.contains(&"NN");
                let lame = ["D", "N", "A", "Z"].contains(&atom) && alone && self.chance(30);
                if atom == "N" && lame {
                    rides.retain(|ride| *ride != "NN");
                }
                let lame = lame && atom != "NN";
                text += if lame { "n" } else { "" };
                text += atom;
            }
        }
        if text.is_empty() { "W".into() } else { text }
    }

    /// Chooses what is royal.
    fn royals(&mut self) {
        if self.chance(70) {
            let moves = ["k", "k", "k", "k", "k:N", "k:KN", "k:W", "k:F", "k:FD"].choose(self.rng);
            self.set("king", moves.expect("moves"));
            return;
        }
        self.king = false;
        if !self.letters.contains(&'k') && !self.names.iter().any(|name| name == "commoner") {
            self.set("commoner", "k");
            self.letters.push('k');
            self.names.push("commoner".into());
        }
        match self.rng.random_range(0..4) {
            0 => {
                self.set("extinctionValue", "loss");
                let letters = self.some_letters();
                self.set("extinctionPieceTypes", &letters);
            }
            1 => {
                let value = if self.chance(50) { "win" } else { "loss" };
                self.set("extinctionValue", value);
                self.set("extinctionPieceTypes", "*");
                if self.chance(40) {
                    self.set("extinctionPieceCount", "1");
                    self.set("extinctionOpponentPieceCount", "2");
                    self.maybe(50, "extinctionClaim");
                }
            }
            _ => {
                self.set("extinctionValue", "loss");
                let letter = self.letter().to_string();
                self.set("extinctionPieceTypes", &letter);
                self.set("extinctionPseudoRoyal", "true");
                self.maybe(20, "dupleCheck");
            }
        }
        if self.maybe(30, "blastOnCapture") && self.chance(30) {
            let letters = self.some_letters();
            self.set("blastImmuneTypes", &letters);
        }
    }

    /// Chooses pieces that merge, split and change.
    fn fusion(&mut self) {
        if !self.king || !self.chance(40) {
            return;
        }
        // Kinds with rules of their own are no components.
        let own = ["soldier", "janggiCannon"];
        let names = self.names.iter().zip(&self.letters);
        let mut simple: Vec<char> =
            names.filter(|(name, _)| !own.contains(&name.as_str())).map(|(_, l)| *l).collect();
        simple.push('k');
        let spare =
            ('a'..='z').filter(|letter| !"kp".contains(*letter) && !self.letters.contains(letter));
        let mut spare: Vec<char> = spare.collect();
        let mut compounds: Vec<String> = Vec::new();
        let mut letters: Vec<char> = Vec::new();
        for _ in 0..self.rng.random_range(1..=5) {
            simple.shuffle(self.rng);
            let number = if self.chance(80) { 2 } else { 3 };
            let mut parts: Vec<char> = simple.iter().copied().take(number).collect();
            parts.sort_unstable();
            let parts: String = parts.into_iter().collect();
            let known = compounds.iter().any(|pair| pair.ends_with(&format!(":{parts}")));
            if let Some(letter) = spare.pop().filter(|_| parts.len() > 1 && !known) {
                compounds.push(format!("{letter}:{parts}"));
                letters.push(letter);
            }
        }
        self.set("compounds", &compounds.join(" "));
        let any: String = simple.iter().chain(&letters).collect();
        for option in ["fusionMovers", "fusionTargets"] {
            let some: String = any.chars().filter(|_| self.chance(80)).collect();
            self.set(option, if some.is_empty() { "-" } else { &some });
        }
        let fission = *["always", "unattacked", "never"].choose(self.rng).expect("a word");
        self.set("fission", fission);
        self.maybe(40, "assimilation");
        self.maybe(30, "captureDemotion");
        self.maybe(30, "fusionDrops");
        self.maybe(30, "handsOfComponents");
        for option in ["royalRidesThroughCheck", "royalLeapsThroughCheck"] {
            if self.chance(50) {
                self.set(option, "false");
            }
        }
        if self.chance(30) {
            simple.retain(|letter| *letter != 'k');
            let (from, to) = (simple.choose(self.rng), self.letters.choose(self.rng));
            if let (Some(from), Some(to)) = (from, to) {
                self.set("attackedPromotion", &format!("{from}:{to}"));
            }
        }
        self.fuses = true;
    }

    /// Chooses promotions.
    fn promotion(&mut self) {
        if self.chance(60) {
            let depth = self.rng.random_range(0..=2.min(self.ranks - 3));
            self.set_ranks("promotionRegion?", self.ranks - depth, self.ranks);
        } else {
            self.set_ranks("promotionRegion?", self.ranks, self.ranks);
        }
        // Pieces that change back do so only if they promoted as in Shogi.
        let back = self.chance(7) && !self.fuses;
        let letters = if back { "-".into() } else { self.some_letters() };
        self.set("promotionPieceTypes", &letters);
        if back || self.chance(20) {
            self.set("mandatoryPawnPromotion", "false");
        }
        if self.chance(15) {
            let (letter, limit) = (self.letter(), self.rng.random_range(1..=3));
            self.set("promotionLimit", &format!("{letter}:{limit}"));
        }
        if back || self.chance(30) {
            let mut letters = self.listed();
            letters.shuffle(self.rng);
            // What merges does not promote.
            let most = if self.fuses { 0 } else { letters.len() };
            let pairs: Vec<String> = letters[..most]
                .chunks_exact(2)
                .map(|pair| format!("{}:{}", pair[0], pair[1]))
                .collect();
            let mut words = pairs.join(" ");
            if let Some(pawn) = self.pawn.filter(|_| !self.own_pawns) {
                write!(words, " {pawn}:{}", letters[0]).expect("strings grow");
            }
            self.set("promotedPieceType", &words);
            self.maybe(25, "mandatoryPiecePromotion");
            self.maybe(20, "piecePromotionOnCapture");
            if back {
                self.set("pieceDemotion", "true");
            }
        }
    }

    /// Chooses steps of Pawns.
    fn steps(&mut self) {
        match self.rng.random_range(0..10) {
            0..3 => self.set("doubleStep", "false"),
            3..7 => self.set_ranks("doubleStepRegion?", 2, 2),
            7 => self.set_ranks("doubleStepRegion?", 2, 3),
            _ => self.set_ranks("doubleStepRegion?", 1, self.ranks),
        }
        if self.chance(12) {
            self.set_ranks("tripleStepRegion?", 2, 2);
        }
        if self.chance(12) {
            self.set_ranks("enPassantRegion?", self.ranks / 2 + 1, self.ranks);
        }
        if self.chance(10) {
            let letters = self.some_letters();
            self.set("enPassantTypes", &letters);
        }
    }

    /// Chooses castling.
    fn castling(&mut self) {
        let rook = self.letters.contains(&'r') && self.names.iter().any(|name| name == "rook");
        if !rook || self.files < 6 || !self.king && !self.letters.contains(&'k') || !self.chance(70)
        {
            self.set("castling", "false");
            return;
        }
        self.castling = true;
        let file = |file: usize| ((b'a' + file as u8) as char).to_string();
        self.set("castlingKingFile", &file(self.files / 2));
        // The usual files, c and g, are on the board or not.
        if self.chance(80) {
            self.set("castlingKingsideFile", &file(self.files - 2));
            let queenside = self.rng.random_range(1..=2);
            self.set("castlingQueensideFile", &file(queenside));
        }
        if !self.king {
            self.set("castlingKingPiece", "k");
        }
    }

    /// Chooses drops.
    fn drops(&mut self) {
        if !self.chance(30) {
            return;
        }
        self.set("pieceDrops", "true");
        self.maybe(75, "capturesToHand");
        self.maybe(25, "dropLoop");
        self.maybe(25, "firstRankPawnDrops");
        self.maybe(25, "promotionZonePawnDrops");
        self.maybe(15, "dropPromoted");
        self.maybe(8, "mustDrop");
        self.maybe(10, "castlingDroppedPiece");
        if self.chance(15) {
            self.set("dropChecks", "false");
        }
        if self.chance(20) {
            let letter = self.pawn.unwrap_or(self.letters[0]).to_string();
            self.set("dropNoDoubled", &letter);
            self.maybe(40, "shogiPawnDropMateIllegal");
        }
        if self.chance(15) {
            self.set_ranks("dropRegion?", 1, self.ranks.div_ceil(2));
        }
    }

    /// Chooses other rules.
    fn rules(&mut self) {
        self.maybe(12, "immobilityIllegal");
        if !self.text.contains("mustDrop") {
            self.maybe(8, "mustCapture");
        }
        if self.chance(5) {
            self.set("checking", "false");
        }
        if !self.maybe(6, "pass") {
            self.maybe(6, "passOnStalemate");
        }
        if self.king {
            self.maybe(8, "flyingGeneral");
            self.maybe(5, "makpongRule");
        }
        if self.chance(6) {
            let letters = self.some_letters();
            self.set("mutuallyImmuneTypes", &letters);
        }
        if self.names.iter().any(|name| name == "soldier") {
            let rank = self.rng.random_range(1..=self.ranks).to_string();
            self.set("soldierPromotionRank", &rank);
        }
    }

    /// Chooses ends of the game.
    fn ends(&mut self) {
        let values = ["win", "draw", "loss"];
        let value = |sketch: &mut Self| (*values.choose(sketch.rng).expect("a value")).to_string();
        if self.chance(25) {
            let stalemate = value(self);
            self.set("stalemateValue", &stalemate);
            self.maybe(15, "stalematePieceCount");
        }
        if self.chance(8) {
            let squares = self.squares();
            self.set("flagRegion", &squares);
            let piece = if self.king { 'k' } else { self.letter() }.to_string();
            self.set("flagPiece", &piece);
            self.maybe(30, "flagMove");
            self.maybe(30, "flagPieceSafe");
        }
        if self.king && !self.text.contains("checking") {
            self.maybe(8, "checkCounting");
        }
        if self.chance(5) {
            let number = self.rng.random_range(3..=5).to_string();
            self.set("connectN", &number);
            if self.chance(50) {
                self.set("connectHorizontal", "false");
            }
        }
        if self.chance(20) {
            let number = self.rng.random_range(3..=30).to_string();
            self.set("nMoveRule", &number);
        }
        if self.chance(20) {
            let fold = value(self);
            self.set("nFoldValue", &fold);
            self.maybe(40, "nFoldValueAbsolute");
        }
        if self.chance(15) {
            let number = self.rng.random_range(2..=4).to_string();
            self.set("nFoldRule", &number);
        }
        self.maybe(20, "perpetualCheckIllegal");
        if self.chance(5) {
            let counting =
                ["janggi", "unweighted", "whitedrawodds", "blackdrawodds"].choose(self.rng);
            self.set("materialCounting", counting.expect("a rule"));
        }
        if self.chance(6) {
            let counting = ["makruk", "cambodian", "asean"].choose(self.rng);
            self.set("countingRule", counting.expect("a rule"));
        }
    }

    /// Confines a piece.
    fn regions(&mut self) {
        if !self.chance(12) {
            return;
        }
        let name = self.names.choose(self.rng).expect("there are pieces").clone();
        let (first, rest) = name.split_at(1);
        let option = format!("mobilityRegion?{}{rest}", first.to_ascii_uppercase());
        let most = self.rng.random_range(2..=self.ranks);
        self.set_ranks(&option, 1, most);
    }

    /// Sets up the pieces: the second side mirrors the first.
    fn start(&mut self) {
        let pieces: Vec<char> =
            self.letters.iter().copied().filter(|letter| *letter != 'k').collect();
        let mut row: Vec<char> =
            (0..self.files).map(|_| *pieces.choose(self.rng).unwrap_or(&'k')).collect();
        let king = self.king || self.letters.contains(&'k');
        let drops = self.text.contains("pieceDrops");
        let king_in_hand = drops && self.king && !self.castling && self.chance(25);
        if king {
            row[self.files / 2] = if king_in_hand { '1' } else { 'k' };
        }
        if self.castling {
            row[0] = 'r';
            row[self.files - 1] = 'r';
        }
        let gap = self.rng.random_range(0..self.files);
        if row[gap] != 'k' && self.chance(25) {
            row[gap] = '1';
        }
        let row: String = row.into_iter().collect();
        let pawns = match self.pawn {
            Some(pawn) => pawn.to_string().repeat(self.files),
            None => self.files.to_string(),
        };
        let mut ranks = vec![self.files.to_string(); self.ranks];
        ranks[0] = row.clone();
        ranks[self.ranks - 1] = row.to_uppercase();
        if self.ranks > 4 {
            ranks[1] = pawns.clone();
            ranks[self.ranks - 2] = pawns.to_uppercase();
        }
        if self.ranks > 5 && self.chance(10) {
            let missing = self.rng.random_range(0..self.files);
            let before = if missing > 0 { missing.to_string() } else { String::new() };
            let after = self.files - missing - 1;
            let after = if after > 0 { after.to_string() } else { String::new() };
            ranks[self.ranks / 2] = format!("{before}*{after}");
        }
        let mut board = ranks.join("/");
        if drops {
            let letter = self.letter();
            let mut hand = String::from(if king_in_hand { "Kk" } else { "" });
            if !king || letter != 'k' {
                hand.extend([letter.to_ascii_uppercase(), letter]);
            }
            write!(board, "[{hand}]").expect("strings grow");
        }
        let rights = if self.castling { "KQkq" } else { "-" };
        let checks = if self.text.contains("checkCounting") { "3+3 " } else { "" };
        self.set("startFen", &format!("{board} w {rights} - {checks}0 1"));
    }
}
