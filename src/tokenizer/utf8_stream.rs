//! Bytes that arrive in pieces, turned into text without ever showing half a character.

/// Collects the bytes of tokens and gives out whole characters.
///
/// Bytes that no continuation can complete become U+FFFD, exactly as [`String::from_utf8_lossy`] does with the
/// concatenation of all pieces; an incomplete character at the end is held back until [`Utf8Stream::finish`].
#[derive(Debug, Clone, Default)]
pub struct Utf8Stream {
    /// The start of a character: at most three bytes.
    pending: Vec<u8>,
}

impl Utf8Stream {
    /// A stream at the start of a text, or after a whole character.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the bytes of a token; the characters that are complete by now.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.pending.extend_from_slice(bytes);
        let mut text = String::new();
        let mut held_bytes = 0;
        let mut chunks = self.pending.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            if chunks.peek().is_none() && is_incomplete(chunk.invalid()) {
                held_bytes = chunk.invalid().len();
            } else if !chunk.invalid().is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        self.pending.drain(..self.pending.len() - held_bytes);
        text
    }

    /// Whether the text so far ends inside a character.
    pub fn is_partial(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Ends the text: the bytes of a character that was never completed, if any.
    pub fn finish(self) -> Option<Vec<u8>> {
        self.is_partial().then_some(self.pending)
    }
}

/// Whether more bytes could make a character of these.
fn is_incomplete(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}
