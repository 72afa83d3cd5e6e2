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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_character_comes_out_when_it_is_complete() {
        let mut stream = Utf8Stream::new();
        assert_eq!(stream.push(b"a\xF0\x9F"), "a");
        assert!(stream.is_partial());
        assert_eq!(stream.push(b"\x98"), "");
        assert_eq!(stream.push(b"\x80b"), "😀b");
        assert_eq!(stream.finish(), None);
    }

    #[test]
    fn what_cannot_become_a_character_is_replaced_at_once() {
        let mut stream = Utf8Stream::new();
        assert_eq!(stream.push(b"\xE6\xBC"), "");
        assert_eq!(stream.push(b"x\xFF"), "\u{FFFD}x\u{FFFD}");
        assert_eq!(stream.push(b"\xE6"), "");
        assert_eq!(stream.finish(), Some(vec![0xE6]));
    }

    proptest! {
        #[test]
        fn chunks_do_not_matter(
            pieces in prop::collection::vec(prop_oneof![
                prop::collection::vec(any::<u8>(), 0..6),
                "[a漢é😀]{0,3}".prop_map(String::into_bytes),
                "[a漢é😀]{1,3}".prop_map(|text| text.as_bytes()[..text.len() - 1].to_vec()),
            ], 0..8),
            cuts in prop::collection::vec(0..40usize, 0..8),
        ) {
            let whole: Vec<u8> = pieces.concat();
            let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(whole.len())).collect();
            cuts.extend([0, whole.len()]);
            cuts.sort_unstable();
            let mut stream = Utf8Stream::new();
            let mut text: String = cuts.windows(2).map(|cut| stream.push(&whole[cut[0]..cut[1]])).collect();
            if let Some(rest) = stream.finish() {
                prop_assert!(rest.len() < 4);
                text.push(char::REPLACEMENT_CHARACTER);
            }
            prop_assert_eq!(text, String::from_utf8_lossy(&whole));
        }
    }
}
