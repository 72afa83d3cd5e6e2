//! The vocabulary: the bytes and kind of every token, and the token of given bytes.

use super::TokenId;
use super::hash::{self, Collisions, Index};
use std::collections::HashMap;

/// What a token is for; `tokenizer.ggml.token_type` in the file, corrected for tokens of known meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// Text that merges form.
    Normal,
    /// Stands for text that the vocabulary cannot express; has no text itself.
    Unknown,
    /// Structure: ends, fill-in-the-middle markers, chat roles. Has no text.
    Control,
    /// Text that is matched as a whole before anything else.
    UserDefined,
    /// A hole in the vocabulary. Has no text.
    Unused,
    /// One byte of text.
    Byte,
}

impl TokenKind {
    /// Whether tokens of this kind stand for text.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Normal | Self::UserDefined | Self::Byte)
    }
}

/// How a file spells text inside normal tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// The byte-level alphabet.
    ByteLevel,
    /// UTF-8 with U+2581 for the space.
    Sentencepiece,
}

const SPACE_MARK: &str = "\u{2581}";

/// Token texts lie in one arena: bytes of text where the kind has text, else the spelling.
#[derive(Debug)]
pub(super) struct Vocab {
    spelling: Spelling,
    arena: Vec<u8>,
    /// `arena[ends[id - 1]..ends[id]]` belongs to `id`.
    ends: Vec<u32>,
    kinds: Vec<TokenKind>,
    /// Tokens that text can become, by their bytes.
    text: Index,
    /// All others, by their spelling.
    named: HashMap<Box<str>, TokenId>,
    longest_bytes: usize,
}

impl Vocab {
    /// An empty vocabulary with room for `count` tokens.
    pub fn new(spelling: Spelling, count: usize, arena_bytes: usize) -> Self {
        Self {
            spelling,
            arena: Vec::with_capacity(arena_bytes),
            ends: Vec::with_capacity(count),
            kinds: Vec::with_capacity(count),
            text: Index::with_capacity(count),
            named: HashMap::new(),
            longest_bytes: 0,
        }
    }

    /// Appends a token. The caller bounds the sum of all lengths by `u32::MAX` and gives the value of `Byte` tokens.
    pub fn push(&mut self, text: &str, kind: TokenKind, byte: Option<u8>) -> Result<(), Collisions> {
        let id = self.kinds.len() as TokenId;
        let start = self.arena.len();
        let from_text = match (kind, byte) {
            (TokenKind::Byte, Some(value)) => {
                self.arena.push(value);
                false
            }
            (TokenKind::Normal, _) => self.push_normal(text),
            _ => {
                self.arena.extend_from_slice(text.as_bytes());
                false
            }
        };
        self.ends.push(self.arena.len() as u32);
        self.kinds.push(kind);
        if from_text {
            let bytes = &self.arena[start..];
            self.longest_bytes = self.longest_bytes.max(bytes.len());
            self.text.insert(hash::bytes(bytes), id, |other| {
                other != id && stored(&self.arena, &self.ends, other) == bytes
            })
        } else {
            self.named.entry(text.into()).or_insert(id);
            Ok(())
        }
    }

    /// Writes the text of a normal token; true when text can become this token.
    fn push_normal(&mut self, text: &str) -> bool {
        match self.spelling {
            Spelling::ByteLevel => {
                let in_alphabet = super::byte_level::decode_into(text, &mut self.arena);
                if !in_alphabet {
                    self.arena.extend_from_slice(text.as_bytes());
                }
                in_alphabet
            }
            Spelling::Sentencepiece => {
                self.arena.extend_from_slice(text.replace(SPACE_MARK, " ").as_bytes());
                !text.contains(' ')
            }
        }
    }

    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    pub fn kind(&self, id: TokenId) -> TokenKind {
        self.kinds.get(id as usize).copied().unwrap_or(TokenKind::Unused)
    }

    pub fn bytes(&self, id: TokenId) -> &[u8] {
        if self.kind(id).is_text() { self.stored(id) } else { &[] }
    }

    /// The text, or the spelling of a token without text.
    pub fn stored(&self, id: TokenId) -> &[u8] {
        if (id as usize) < self.len() { stored(&self.arena, &self.ends, id) } else { &[] }
    }

    /// The token that exactly these bytes of text are.
    pub fn find(&self, bytes: &[u8]) -> Option<TokenId> {
        if bytes.len() > self.longest_bytes {
            return None;
        }
        self.text.find(hash::bytes(bytes), |id| self.stored(id) == bytes)
    }

    /// Tokens that text can become by merging.
    pub fn mergeable(&self) -> impl Iterator<Item = &[u8]> {
        let normal = self.kinds.iter().enumerate().filter(|(_, kind)| **kind == TokenKind::Normal);
        normal.map(|(id, _)| self.stored(id as TokenId))
    }

    pub fn id_of(&self, spelling: &str) -> Option<TokenId> {
        self.named.get(spelling).copied().or_else(|| self.find_spelled(spelling))
    }

    fn find_spelled(&self, spelling: &str) -> Option<TokenId> {
        match self.spelling {
            Spelling::ByteLevel => {
                let mut bytes = Vec::new();
                super::byte_level::decode_into(spelling, &mut bytes).then(|| self.find(&bytes))?
            }
            Spelling::Sentencepiece if spelling.contains(' ') => None,
            Spelling::Sentencepiece => self.find(spelling.replace(SPACE_MARK, " ").as_bytes()),
        }
    }
}

fn stored<'a>(arena: &'a [u8], ends: &[u32], id: TokenId) -> &'a [u8] {
    let index = id as usize;
    let start = if index == 0 { 0 } else { ends[index - 1] };
    &arena[start as usize..ends[index] as usize]
}
