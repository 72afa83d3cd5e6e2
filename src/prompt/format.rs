//! Which prompt formats a vocabulary can express, and which one a request gets.

use crate::error::{Error, Result};
use crate::tokenizer::SpecialTokens;

/// The order of the pieces of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptFormat {
    /// Only the text before the caret.
    Prefix,
    /// Prefix, suffix, middle.
    Psm,
    /// Suffix, prefix, middle: typing only appends, so that the cache is reused best.
    Spm,
}

impl PromptFormat {
    /// The name in requests and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prefix => "prefix",
            Self::Psm => "psm",
            Self::Spm => "spm",
        }
    }

    /// The formats that the vocabulary has ids for; `Prefix` always.
    pub fn available(special: &SpecialTokens) -> Vec<Self> {
        let fim = [special.fim_prefix, special.fim_suffix, special.fim_middle];
        if fim.iter().all(Option::is_some) {
            vec![Self::Prefix, Self::Psm, Self::Spm]
        } else {
            vec![Self::Prefix]
        }
    }

    /// The format for a request that names one, or `auto`.
    ///
    /// `auto` is fill-in-the-middle where the vocabulary has it. Suffix-first is used for vocabularies with
    /// Midline's own separators, whose models are trained on both orders; others are trained prefix-first.
    ///
    /// # Errors
    /// `request-invalid` for an unknown name, `format-unavailable` for one that the vocabulary lacks.
    pub fn resolve(requested: &str, special: &SpecialTokens) -> Result<Self> {
        let available = Self::available(special);
        let fim = if special.meta_sep.is_some() { Self::Spm } else { Self::Psm };
        let format = match requested {
            "auto" if available.contains(&fim) => fim,
            "auto" | "prefix" => Self::Prefix,
            "psm" => Self::Psm,
            "spm" => Self::Spm,
            other => {
                return Err(Error::RequestInvalid {
                    field: "format".into(),
                    expected: "auto, prefix, psm or spm".into(),
                    found: other.chars().take(40).collect(),
                });
            }
        };
        if available.contains(&format) {
            return Ok(format);
        }
        let names: Vec<_> = available.iter().map(|format| format.name()).collect();
        Err(Error::FormatUnavailable { format: format.name().into(), available: names.join(", ") })
    }
}
