//! Text to token ids and back, from the tokenizer tables of a GGUF file.
//!
//! Two models, named by `tokenizer.ggml.model`: `gpt2` (byte-level BPE by merge rank, [`bpe`]) and `llama`
//! (SentencePiece-style BPE by score with byte fallback, [`spm`]). Both run on the same merge loop ([`merge`]),
//! over text bytes: a vocabulary is decoded once, at load, so that neither text nor tokens are escaped later.
//!
//! Invariants:
//! * text never becomes a control, unknown or unused id, whatever it spells: such tokens are not in the table
//!   that text is looked up in ([`vocab`]), and the special ids that callers need come from [`SpecialTokens`];
//! * `decode(encode(text, Start::Continuation))` is `text`, unless the vocabulary lacks a byte of it (StarCoder's
//!   and SmolLM2's have no tokens for some control characters and unassigned planes: those bytes are dropped);
//! * time is `O(n log n)` and scratch memory is bounded for any text.

mod bpe;
mod byte_level;
mod encode;
mod hash;
mod load;
mod merge;
mod names;
mod prefixes;
mod pretokenize;
mod special;
mod spm;
mod user_defined;
mod utf8_stream;
mod vocab;

#[cfg(test)]
mod tests;

pub use names::FimFamily;
pub use special::SpecialTokens;
pub use utf8_stream::Utf8Stream;
pub use vocab::TokenKind;

use crate::error::Result;
use crate::gguf::Metadata;
use prefixes::Prefixes;
use user_defined::UserDefined;
use vocab::Vocab;

/// Index into the vocabulary.
pub type TokenId = u32;

/// Where a text stands, which decides about the dummy space that some `llama` vocabularies start a text with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// The first text of a prompt: gets the dummy space when the file asks for it.
    Document,
    /// Text after other tokens, a suffix or a middle: never gets one.
    Continuation,
}

/// How pieces of text become ids.
#[derive(Debug)]
enum Model {
    Bpe(bpe::Bpe),
    Spm(spm::Spm),
}

/// An immutable tokenizer; share it by `Arc`.
#[derive(Debug)]
pub struct Tokenizer {
    vocab: Vocab,
    prefixes: Prefixes,
    user_defined: UserDefined,
    model: Model,
    special: SpecialTokens,
}

impl Tokenizer {
    /// Builds the tokenizer that the `tokenizer.ggml.*` keys of a file describe.
    ///
    /// # Errors
    /// `tokenizer-unsupported` for a model or pre-tokenizer that is not implemented, `tokenizer-invalid` for tables
    /// that contradict each other, `gguf-metadata` for a required key that is missing or of the wrong type.
    pub fn from_metadata(metadata: &Metadata) -> Result<Self> {
        load::load(metadata)
    }

    /// Ids of plain text. No text, also one that spells them, yields the id of a control token.
    ///
    /// User-defined tokens are text and are matched first. No BOS is added: see [`SpecialTokens::add_bos`].
    pub fn encode(&self, text: &str, start: Start) -> Vec<TokenId> {
        encode::encode(self, text, start)
    }

    /// The text of one token: often less than a character, and empty for control, unknown, unused and
    /// out-of-range ids.
    pub fn bytes(&self, id: TokenId) -> &[u8] {
        self.vocab.bytes(id)
    }

    /// The text of a sequence of tokens. Not necessarily UTF-8: see [`Utf8Stream`].
    pub fn decode(&self, ids: &[TokenId]) -> Vec<u8> {
        ids.iter().flat_map(|&id| self.bytes(id)).copied().collect()
    }

    /// The tokens whose text begins with `bytes`, those that equal it included, in the order of their bytes.
    pub fn starting_with(&self, bytes: &[u8]) -> &[TokenId] {
        self.prefixes.starting_with(&self.vocab, bytes)
    }

    /// Length of the longest token text in bytes.
    pub fn longest_token_bytes(&self) -> usize {
        self.prefixes.longest_bytes()
    }

    /// What a token is for. Ids beyond the vocabulary are [`TokenKind::Unused`].
    pub fn kind(&self, id: TokenId) -> TokenKind {
        self.vocab.kind(id)
    }

    /// Whether a token stands for text: everything else must be banned from, or end, a completion.
    pub fn is_text(&self, id: TokenId) -> bool {
        self.kind(id).is_text()
    }

    /// Number of ids.
    pub fn vocab_size(&self) -> usize {
        self.vocab.len()
    }

    /// The id of a vocabulary entry by its exact spelling in the file: `<fim_prefix>`, `Ġreturn`, `▁return`.
    /// The lowest one where a file repeats a spelling.
    pub fn id_of(&self, spelling: &str) -> Option<TokenId> {
        self.vocab.id_of(spelling)
    }

    /// A token for people to read: the spelling of control tokens, else the text, lossily.
    pub fn name(&self, id: TokenId) -> String {
        String::from_utf8_lossy(self.vocab.stored(id)).into_owned()
    }

    /// The ids with a meaning of their own.
    pub fn special(&self) -> &SpecialTokens {
        &self.special
    }
}
