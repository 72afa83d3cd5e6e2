//! Ids with a meaning of their own: by metadata key first, else by well-known spelling.

use super::TokenId;
use super::names::{self, FIM_SPELLINGS, FimFamily, FimSpelling};
use crate::error::{Error, Result};
use crate::gguf::Metadata;
use std::collections::HashMap;

/// Special ids of a vocabulary. All but `unk` are [`Control`](super::TokenKind::Control) tokens, whatever type the
/// file gives them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpecialTokens {
    /// Beginning of a text.
    pub bos: Option<TokenId>,
    /// End of a text.
    pub eos: Option<TokenId>,
    /// Stands for text that the vocabulary cannot express.
    pub unk: Option<TokenId>,
    /// Whether a prompt starts with `bos`; false when there is none.
    pub add_bos: bool,
    /// Before the text in front of the caret.
    pub fim_prefix: Option<TokenId>,
    /// Before the text behind the caret.
    pub fim_suffix: Option<TokenId>,
    /// Before the text to be written.
    pub fim_middle: Option<TokenId>,
    /// Padding of fill-in-the-middle training.
    pub fim_pad: Option<TokenId>,
    /// Whose markers these are, when the spellings are known ones.
    pub fim_family: Option<FimFamily>,
    /// Before the name of a repository.
    pub repo: Option<TokenId>,
    /// Between files, before a path.
    pub file_sep: Option<TokenId>,
    /// Between language and path in Midline's header.
    pub lang_sep: Option<TokenId>,
    /// After the path in Midline's header.
    pub meta_sep: Option<TokenId>,
    /// Every id that ends a completion, ascending: all of the above but `unk`, and ends of turns and messages.
    pub end_of_generation: Vec<TokenId>,
}

/// Whether the middle stands right behind the prefix, with no marker between them.
const CONTIGUOUS: &str = "midline.fim.contiguous";

/// Where special ids are looked up.
pub(super) struct Finder<'a> {
    pub metadata: &'a Metadata,
    /// Tokens by spelling, as far as they look special.
    pub spelled: HashMap<&'a str, TokenId>,
    pub tokens: &'a [String],
    /// Whether prompts start with `bos` when the file does not say.
    pub add_bos_by_default: bool,
}

impl Finder<'_> {
    /// # Errors
    /// `tokenizer-invalid` for an id beyond the vocabulary, `gguf-metadata` for a key of the wrong type.
    pub fn find(&self) -> Result<SpecialTokens> {
        let bos = self.id("bos", &[], names::BOS)?;
        let eos = self.id("eos", &[], names::EOS)?;
        let add_bos_key = "tokenizer.ggml.add_bos_token";
        let add_bos =
            self.metadata.or(add_bos_key, self.add_bos_by_default && bos.is_some(), Metadata::bool)?;
        if add_bos && bos.is_none() {
            return Err(invalid(add_bos_key, "a vocabulary with a BOS token", "none"));
        }
        let spelling = FIM_SPELLINGS.iter().find(|spelling| self.has(spelling));
        let fim = |role, older: &'static str, name: fn(&FimSpelling) -> &'static str| {
            let name: Option<&str> = spelling.map(name);
            self.id(role, &[older], name.as_slice())
        };
        let fim_prefix = fim("fim_pre", "tokenizer.ggml.prefix_token_id", |spelling| spelling.prefix)?;
        let mut special = SpecialTokens {
            bos,
            eos,
            unk: self.id("unknown", &[], names::UNKNOWN)?,
            add_bos,
            fim_prefix,
            fim_suffix: fim("fim_suf", "tokenizer.ggml.suffix_token_id", |spelling| spelling.suffix)?,
            fim_middle: fim("fim_mid", "tokenizer.ggml.middle_token_id", |spelling| spelling.middle)?,
            fim_pad: self.id("fim_pad", &[], names::FIM_PAD)?,
            fim_family: fim_prefix.map(|id| self.family(id)).transpose()?.flatten(),
            repo: self.id("fim_rep", &[], names::REPO)?,
            file_sep: self.id("fim_sep", &[], names::FILE_SEP)?,
            lang_sep: self.id("", &["midline.lang_sep_token_id"], names::LANG_SEP)?,
            meta_sep: self.id("", &["midline.meta_sep_token_id"], names::META_SEP)?,
            end_of_generation: Vec::new(),
        };
        special.end_of_generation = self.ends(&special)?;
        Ok(special)
    }

    fn ends(&self, special: &SpecialTokens) -> Result<Vec<TokenId>> {
        let SpecialTokens { bos, eos, fim_prefix, fim_suffix, fim_middle, .. } = *special;
        let SpecialTokens { fim_pad, repo, file_sep, lang_sep, meta_sep, .. } = *special;
        let turns = [self.id("eot", &[], &[])?, self.id("eom", &[], &[])?];
        let roles =
            [bos, eos, fim_prefix, fim_suffix, fim_middle, fim_pad, repo, file_sep, lang_sep, meta_sep];
        let spelled = names::all_ends().filter_map(|name| self.spelled.get(name).copied());
        let mut ends: Vec<_> = roles.into_iter().chain(turns).flatten().chain(spelled).collect();
        ends.sort_unstable();
        ends.dedup();
        Ok(ends)
    }

    fn has(&self, spelling: &FimSpelling) -> bool {
        [spelling.prefix, spelling.suffix, spelling.middle].iter().all(|name| self.spelled.contains_key(name))
    }

    /// Midline's models say what they are. Mellum spells its markers as StarCoder does, but puts them in another order:
    /// only its name tells.
    fn family(&self, prefix: TokenId) -> Result<Option<FimFamily>> {
        if self.metadata.or(CONTIGUOUS, false, Metadata::bool)? {
            return Ok(Some(FimFamily::Midline));
        }
        let spelling = self.spelling(prefix);
        let known = FIM_SPELLINGS.iter().find(|known| known.prefix == spelling).map(|known| known.family);
        let name = self.metadata.string("general.name").unwrap_or_default().to_ascii_lowercase();
        let mellum = known == Some(FimFamily::StarCoder) && name.contains("mellum");
        Ok(if mellum { Some(FimFamily::Mellum) } else { known })
    }

    fn spelling(&self, id: TokenId) -> &str {
        &self.tokens[id as usize]
    }

    /// The id under `tokenizer.ggml.{role}_token_id` or one of `other_keys`, else that of the first known spelling.
    fn id(&self, role: &str, other_keys: &[&str], spellings: &[&str]) -> Result<Option<TokenId>> {
        let standard = format!("tokenizer.ggml.{role}_token_id");
        for key in [standard.as_str()].iter().chain(other_keys) {
            if self.metadata.get(key).is_none() {
                continue;
            }
            let id = self.metadata.usize(key)?;
            if id >= self.tokens.len() {
                let expected = format!("an id below {}", self.tokens.len());
                return Err(invalid(key, &expected, &id.to_string()));
            }
            return Ok(Some(id as TokenId));
        }
        Ok(spellings.iter().find_map(|name| self.spelled.get(name).copied()))
    }
}

pub(super) fn invalid(what: &str, expected: &str, found: &str) -> Error {
    Error::TokenizerInvalid { what: what.into(), expected: expected.into(), found: found.into() }
}
