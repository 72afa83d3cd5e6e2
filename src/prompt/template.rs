//! The prompt's tokens in the order of its format. Control ids come from the vocabulary, never from text.

use super::PromptFormat;
use super::header::header;
use super::healing::heal;
use super::window;
use crate::error::{Error, Result};
use crate::tokenizer::{FimFamily, Start, TokenId, Tokenizer};

/// The header takes at most this part of the room.
const HEADER_SHARE: usize = 4;

/// A prompt, ready for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// Token ids, start token included.
    pub tokens: Vec<TokenId>,
    /// The order they are in.
    pub format: PromptFormat,
    /// Bytes before the caret whose tokens were taken back: the answer has to begin with them.
    pub healed: Vec<u8>,
    /// The same as text of the document, without a dummy space that the vocabulary begins a text with.
    pub healed_text: String,
    /// Tokens of the text before the caret, without those that were taken back.
    pub prefix_tokens: usize,
    /// Tokens of the text after the caret.
    pub suffix_tokens: usize,
}

/// What a prompt is made of.
#[derive(Debug, Clone, Copy)]
pub struct PromptSource<'a> {
    /// The order of the pieces.
    pub format: PromptFormat,
    /// Text before the caret.
    pub prefix: &'a str,
    /// Text after the caret.
    pub suffix: &'a str,
    /// Path of the file, or empty.
    pub path: &'a str,
    /// The editor's language identifier, or empty.
    pub language_id: &'a str,
    /// Whether tokens before the caret may be taken back.
    pub healing: bool,
}

/// A piece of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Header,
    PrefixMarker,
    /// The text before the caret.
    Prefix,
    SuffixMarker,
    /// The text after the caret.
    Suffix,
    MiddleMarker,
}

/// The pieces of a prompt in the order that the family's models were trained with.
fn layout(format: PromptFormat, family: Option<FimFamily>) -> &'static [Piece] {
    use Piece::{Header, MiddleMarker, Prefix, PrefixMarker, Suffix, SuffixMarker};
    match (format, family) {
        (PromptFormat::Prefix, _) => &[Header, Prefix],
        // Both markers stand first, and the middle goes on where the prefix ends.
        (PromptFormat::Spm, Some(FimFamily::CodeLlama)) => {
            &[PrefixMarker, SuffixMarker, Suffix, MiddleMarker, Prefix]
        }
        // As above: no marker stands between the prefix and the middle.
        (PromptFormat::Spm, Some(FimFamily::Codestral)) => &[SuffixMarker, Suffix, PrefixMarker, Prefix],
        // As above. The header stands with the text that it is about.
        (PromptFormat::Spm, Some(FimFamily::Midline)) => {
            &[PrefixMarker, SuffixMarker, Suffix, MiddleMarker, Header, Prefix]
        }
        // The name of the file stands before the markers.
        (PromptFormat::Spm, Some(FimFamily::Mellum)) => {
            &[Header, SuffixMarker, Suffix, PrefixMarker, Prefix, MiddleMarker]
        }
        (PromptFormat::Psm, _) => &[PrefixMarker, Header, Prefix, SuffixMarker, Suffix, MiddleMarker],
        (PromptFormat::Spm, _) => &[SuffixMarker, Suffix, PrefixMarker, Header, Prefix, MiddleMarker],
    }
}

/// Whether the prefix is encoded as a text of its own, with the dummy space of its vocabulary. Code Llama's and
/// Mistral's reference encoders do so for the prefix, and never for the suffix.
fn prefix_start(format: PromptFormat, family: Option<FimFamily>) -> Start {
    let own_text = matches!(family, Some(FimFamily::CodeLlama | FimFamily::Codestral));
    if format == PromptFormat::Prefix || own_text { Start::Document } else { Start::Continuation }
}

impl Prompt {
    /// Builds a prompt of at most `room_tokens` tokens.
    ///
    /// # Errors
    /// `request-invalid` when the room cannot hold markers and one token a side.
    pub fn build(tokenizer: &Tokenizer, source: &PromptSource<'_>, room_tokens: usize) -> Result<Self> {
        let special = tokenizer.special();
        let layout = layout(source.format, special.fim_family);
        let is_marker = |piece: &&Piece| !matches!(piece, Piece::Header | Piece::Prefix | Piece::Suffix);
        let bos = special.bos.filter(|_| special.add_bos);
        let markers = layout.iter().filter(is_marker).count() + usize::from(bos.is_some());
        let room = room_tokens.checked_sub(markers).filter(|room| *room >= 2);
        let room = room.ok_or_else(|| Error::RequestInvalid {
            field: "maxNewTokens".into(),
            expected: "room for a prompt in the context".into(),
            found: format!("{room_tokens} tokens left"),
        })?;
        let header = header(tokenizer, source.path, source.language_id, room / HEADER_SHARE);
        let room = room - header.len();
        let start = prefix_start(source.format, special.fim_family);
        let (mut prefix, suffix) = if layout.contains(&Piece::Suffix) {
            window::around(tokenizer, source.prefix, source.suffix, room, start)
        } else {
            (window::before(tokenizer, source.prefix, room, start), Vec::new())
        };
        let healed = if source.healing { heal(tokenizer, &mut prefix) } else { Vec::new() };

        let mut tokens: Vec<_> = bos.into_iter().collect();
        for piece in layout {
            match piece {
                Piece::Header => tokens.extend(&header),
                Piece::PrefixMarker => tokens.extend(special.fim_prefix),
                Piece::Prefix => tokens.extend(&prefix),
                Piece::SuffixMarker => tokens.extend(special.fim_suffix),
                Piece::Suffix => tokens.extend(&suffix),
                Piece::MiddleMarker => tokens.extend(special.fim_middle),
            }
        }
        if tokens.is_empty() {
            // The start of a document: what stands before its first token is an end, or a line break.
            let line_break = || tokenizer.encode("\n", Start::Continuation).pop();
            tokens.extend(special.bos.or(special.eos).or_else(line_break));
        }
        let typed = source.prefix.len().saturating_sub(healed.len());
        Ok(Self {
            tokens,
            format: source.format,
            healed_text: source.prefix.get(typed..).unwrap_or_default().to_owned(),
            healed,
            prefix_tokens: prefix.len(),
            suffix_tokens: suffix.len(),
        })
    }
}
