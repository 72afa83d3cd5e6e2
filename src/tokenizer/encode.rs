//! The way of a text: user-defined tokens, words, pieces, merges.

use super::merge::{Joints, Merger, Merges};
use super::spm::SpmMerges;
use super::{Model, Start, TokenId, Tokenizer};
use std::collections::HashMap;

/// Longer pieces hardly ever repeat.
const MAX_REMEMBERED_BYTES: usize = 32;
/// Bounds the memory of the table of pieces.
const MAX_REMEMBERED: usize = 1 << 15;

/// [`Tokenizer::encode`].
pub(super) fn encode(tokenizer: &Tokenizer, text: &str, start: Start) -> Vec<TokenId> {
    let user_defined = tokenizer.user_defined.find(text.as_bytes());
    let first_end = user_defined.first().map_or(text.len(), |found| found.start);
    let head = match &tokenizer.model {
        Model::Spm(spm) if spm.space_prefix && start == Start::Document && first_end > 0 => {
            Some(format!(" {}", &text[..first_end]))
        }
        _ => None,
    };
    let mut encoder = Encoder::default();
    encoder.out.reserve(text.len() / 4 + 1);
    encoder.fragment(tokenizer, head.as_deref().unwrap_or(&text[..first_end]));
    for (index, found) in user_defined.iter().enumerate() {
        encoder.out.push(found.id);
        let end = user_defined.get(index + 1).map_or(text.len(), |next| next.start);
        encoder.fragment(tokenizer, &text[found.end..end]);
    }
    encoder.out
}

#[derive(Default)]
struct Encoder<'t> {
    out: Vec<TokenId>,
    merger: Merger,
    /// Where in `out` the ids of a piece lie: most pieces of a text are repetitions.
    seen: HashMap<&'t str, (usize, usize)>,
}

impl<'t> Encoder<'t> {
    /// Text between user-defined tokens.
    fn fragment(&mut self, tokenizer: &Tokenizer, text: &'t str) {
        match &tokenizer.model {
            Model::Bpe(bpe) => bpe.pre_tokenizer.words(text, &mut |word| self.word(word, &bpe.joints, bpe)),
            Model::Spm(spm) => self.word(text, &spm.joints, &SpmMerges { spm, vocab: &tokenizer.vocab }),
        }
    }

    fn word(&mut self, word: &'t str, joints: &Joints, model: &impl Merges) {
        joints.pieces(word, |piece| self.piece(piece, model));
    }

    fn piece(&mut self, piece: &'t str, model: &impl Merges) {
        if let Some(&(start, end)) = self.seen.get(piece) {
            self.out.extend_from_within(start..end);
            return;
        }
        let start = self.out.len();
        self.merger.merge(piece, model, &mut self.out);
        if piece.len() <= MAX_REMEMBERED_BYTES && self.seen.len() < MAX_REMEMBERED {
            self.seen.insert(piece, (start, self.out.len()));
        }
    }
}
