//! Reading games, one after the other.

use super::lexer::{LexError, Lexer, Token};
use super::lines::Lines;
use super::{PgnGame, PgnLine, PgnResult, PgnTagError};
use crate::board::{Color, Position};
use crate::notation::SanError;
use crate::rules::RuleSet;
use std::io::{self, BufRead};

/// The reason why a game cannot be read, and its place.
#[derive(Debug, thiserror::Error)]
pub enum PgnError {
    /// The input failed. Nothing is read after it.
    #[error("cannot read after line {line}: {cause}")]
    Io {
        /// The last line read, counted from 1.
        line: u64,
        /// The error of the input.
        cause: io::Error,
    },
    /// A game is malformed.
    #[error("game {game}, line {line}: {kind}")]
    Game {
        /// The game's number in the input, counted from 1.
        game: u64,
        /// The line, counted from 1.
        line: u64,
        /// The error in the game.
        kind: PgnErrorKind,
    },
}

/// The error in a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PgnErrorKind {
    /// A malformed line that begins like a tag.
    #[error("'{0}' is not a tag of the form [Name \"value\"]")]
    Tag(String),
    /// Tags that do not determine the game's rules or start.
    #[error("{0}")]
    Tags(PgnTagError),
    /// A move that cannot be parsed or is not legal.
    #[error("move {number} ({color:?}): {error}")]
    Move {
        /// The move's number in the movetext.
        number: u16,
        /// The side to move.
        color: Color,
        /// The error in the move.
        error: SanError,
    },
    /// A comment that is not closed.
    #[error("a comment has no closing brace")]
    Comment,
    /// Parentheses that do not match.
    #[error("a parenthesis has no partner")]
    Parenthesis,
}

/// Reads the games of a PGN file, one at a time.
///
/// Variations and glyphs are kept; what is not legal in a variation becomes a comment. Escaped lines are
/// skipped. A game that has no result in its movetext has that of its tags. After a game that cannot
/// be read, reading continues with the next game.
///
/// ```
/// use fusion_chess::notation::pgn;
///
/// let text = "[RuleSet \"fusion-2020\"]\n\n1. e4 e5 2. Nf3 1/2-1/2\n";
/// let games: Vec<_> = pgn::read(text.as_bytes()).collect::<Result<_, _>>().unwrap();
/// assert_eq!((games.len(), games[0].moves.len()), (1, 3));
/// ```
pub fn read<R: BufRead>(input: R) -> PgnReader<R> {
    PgnReader {
        lexer: Lexer::new(input),
        ahead: None,
        game: 0,
        depth: 0,
        in_tags: true,
        ended: false,
        good: None,
    }
}

/// Iterator over the games of a file; made by [`read`].
pub struct PgnReader<R> {
    lexer: Lexer<R>,
    /// A token that was read ahead, with its line.
    ahead: Option<(Token, u64)>,
    game: u64,
    /// The number of open variations.
    depth: u32,
    in_tags: bool,
    ended: bool,
    good: Option<PgnGame>,
}

impl<R: BufRead> Iterator for PgnReader<R> {
    type Item = Result<PgnGame, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        self.game += 1;
        self.good = None;
        (self.depth, self.in_tags) = (0, true);
        match self.read_game() {
            Ok(None) => {
                self.ended = true;
                None
            }
            Ok(Some(game)) => Some(Ok(game)),
            Err(error) => {
                match error {
                    PgnError::Io { .. } => self.ended = true,
                    PgnError::Game { .. } => self.skip_game(),
                }
                Some(Err(error))
            }
        }
    }
}

impl<R: BufRead> PgnReader<R> {
    /// Takes the part of the last game before the move that could not be read, if it has moves.
    pub fn take_good(&mut self) -> Option<PgnGame> {
        self.good.take()
    }

    fn token(&mut self) -> Result<(Token, u64), PgnError> {
        if let Some(ahead) = self.ahead.take() {
            return Ok(ahead);
        }
        // The error for an unclosed comment names the line where the comment begins.
        let before = self.lexer.line();
        match self.lexer.next() {
            Ok(token) => Ok((token, self.lexer.line())),
            Err(LexError::Io(cause)) => Err(PgnError::Io { line: self.lexer.line(), cause }),
            Err(LexError::Tag(text)) => Err(self.error(self.lexer.line(), PgnErrorKind::Tag(text))),
            Err(LexError::Comment) => Err(self.error(before, PgnErrorKind::Comment)),
        }
    }

    fn error(&self, line: u64, kind: PgnErrorKind) -> PgnError {
        PgnError::Game { game: self.game, line, kind }
    }

    /// Reads the next game. Returns `None` at the end of the input.
    fn read_game(&mut self) -> Result<Option<PgnGame>, PgnError> {
        let mut game = PgnGame {
            tags: Vec::new(),
            comment: None,
            moves: Vec::new(),
            result: PgnResult::Unknown,
        };
        let mut line = self.lexer.line();
        loop {
            let (token, at) = self.token()?;
            match token {
                Token::End if game.tags.is_empty() => return Ok(None),
                // Comments before the tags belong to the file.
                Token::Comment(_) if game.tags.is_empty() => {}
                Token::Tag(ref name, _) if name == "Event" && game.tag(name).is_some() => {
                    self.ahead = Some((token, at));
                    break;
                }
                Token::Tag(name, value) => {
                    line = at;
                    game.tags.push((name, value));
                }
                other => {
                    self.ahead = Some((other, at));
                    break;
                }
            }
        }
        self.in_tags = false;
        if let Some(Ok(result)) = game.tag("Result").map(str::parse) {
            game.result = result;
        }
        game.tags.retain(|(name, _)| name != "Result");
        let wrong = |error| self.error(line, PgnErrorKind::Tags(error));
        let (rules, start) = (game.rules().map_err(wrong)?, game.start().map_err(wrong)?);
        self.read_moves(&mut game, &rules, start)?;
        Ok(Some(game))
    }

    fn read_moves(
        &mut self,
        game: &mut PgnGame,
        rules: &RuleSet,
        position: Position,
    ) -> Result<(), PgnError> {
        let mut lines = Lines::new(rules, position);
        loop {
            let (token, line) = self.token()?;
            match token {
                Token::Open => lines.begin(),
                Token::Close if self.depth > 0 => lines.end(),
                Token::Close => return Err(self.error(line, PgnErrorKind::Parenthesis)),
                Token::Tag(..) | Token::End => {
                    self.ahead = Some((token, line));
                    if self.depth > 0 {
                        return Err(self.error(line, PgnErrorKind::Parenthesis));
                    }
                    break;
                }
                Token::Comment(comment) => lines.comment(&comment),
                Token::Glyph(number) => lines.glyph(number),
                Token::Result(result) if self.depth == 0 => {
                    game.result = result;
                    break;
                }
                // A result within a variation is about the variation.
                Token::Result(_) => {}
                Token::Move(text) => {
                    if let Err(error) = lines.play(&text) {
                        let position = lines.position();
                        let (number, color) = (position.fullmove(), position.side_to_move());
                        let kind = PgnErrorKind::Move { number, color, error };
                        let PgnLine { comment, moves } = lines.main();
                        self.good =
                            (!moves.is_empty()).then(|| PgnGame { comment, moves, ..game.clone() });
                        return Err(self.error(line, kind));
                    }
                }
            }
            self.depth = lines.depth();
        }
        PgnLine { comment: game.comment, moves: game.moves } = lines.main();
        Ok(())
    }

    /// Skips to the next game: past this one's result, or up to the next tag.
    fn skip_game(&mut self) {
        loop {
            match self.token() {
                Ok((Token::Tag(ref name, _), _)) if self.in_tags && name != "Event" => {}
                Ok((token @ (Token::Tag(..) | Token::End), line)) => {
                    self.ahead = Some((token, line));
                    return;
                }
                Ok((Token::Result(_), _)) if self.depth == 0 => return,
                Ok((token, _)) => {
                    self.in_tags = false;
                    match token {
                        Token::Open => self.depth += 1,
                        Token::Close => self.depth = self.depth.saturating_sub(1),
                        _ => {}
                    }
                }
                Err(PgnError::Io { .. }) => {
                    self.ended = true;
                    return;
                }
                // Another closing brace may be missing. Tags start again after it.
                Err(_) => {}
            }
        }
    }
}
