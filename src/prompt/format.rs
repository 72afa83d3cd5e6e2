//! Which prompt formats a vocabulary can express, and which one a request gets.

use crate::error::{Error, Result};
use crate::tokenizer::{FimFamily, SpecialTokens};

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

    /// The format of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        [Self::Prefix, Self::Psm, Self::Spm].into_iter().find(|format| format.name() == name)
    }

    /// The formats that the vocabulary has ids for; `Prefix` always. The three markers have to be three tokens.
    pub fn available(special: &SpecialTokens) -> Vec<Self> {
        let (prefix, suffix, middle) = (special.fim_prefix, special.fim_suffix, special.fim_middle);
        let complete = [prefix, suffix, middle].iter().all(Option::is_some);
        if !complete || prefix == suffix || suffix == middle || middle == prefix {
            return vec![Self::Prefix];
        }
        match special.fim_family {
            // Trained on one order only.
            Some(FimFamily::Midline) => vec![Self::Prefix, Self::Spm],
            _ => vec![Self::Prefix, Self::Psm, Self::Spm],
        }
    }

    /// The order that a fill-in-the-middle model was published with. Midline's first model, recognised by its
    /// separators, was trained on both orders: suffix-first is the one that typing only appends to.
    fn published(special: &SpecialTokens) -> Self {
        use FimFamily::{Codestral, Mellum, Midline, SeedCoder};
        let suffix_first = matches!(special.fim_family, Some(Codestral | Mellum | Midline | SeedCoder));
        if special.meta_sep.is_some() || suffix_first { Self::Spm } else { Self::Psm }
    }
}

/// Why a prompt has its format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatReason {
    /// The request names it.
    Requested,
    /// Whoever loaded the model, or the model's file, prefers it.
    Preferred,
    /// The vocabulary has fill-in-the-middle tokens.
    Vocabulary,
    /// The vocabulary has none, or not all of them: only the text before the caret can be shown.
    NoTemplate,
}

impl FormatReason {
    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Preferred => "preferred",
            Self::Vocabulary => "vocabulary",
            Self::NoTemplate => "no-template",
        }
    }
}

/// The formats of a loaded model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formats {
    available: Vec<PromptFormat>,
    automatic: (PromptFormat, FormatReason),
}

impl Formats {
    /// What a vocabulary allows. `order` is the order that the model's file names for fill-in-the-middle,
    /// `preferred` what `auto` takes instead of it.
    pub fn new(
        special: &SpecialTokens,
        order: Option<PromptFormat>,
        preferred: Option<PromptFormat>,
    ) -> Self {
        let available = PromptFormat::available(special);
        let usable = |format: &PromptFormat| available.contains(format);
        let fim = order.unwrap_or_else(|| PromptFormat::published(special));
        let automatic = match preferred.filter(usable) {
            Some(format) => (format, FormatReason::Preferred),
            None if usable(&fim) => (fim, FormatReason::Vocabulary),
            None => (PromptFormat::Prefix, FormatReason::NoTemplate),
        };
        Self { available, automatic }
    }

    /// All of them.
    pub fn available(&self) -> &[PromptFormat] {
        &self.available
    }

    /// Their names, for people.
    pub fn names(&self) -> String {
        self.available.iter().map(|format| format.name()).collect::<Vec<_>>().join(", ")
    }

    /// The format of this name.
    ///
    /// # Errors
    /// `request-invalid` for an unknown name, `format-unavailable` for one that the vocabulary lacks.
    pub fn find(&self, field: &str, name: &str) -> Result<PromptFormat> {
        let format = PromptFormat::by_name(name).ok_or_else(|| Error::RequestInvalid {
            field: field.into(),
            expected: "auto, prefix, psm or spm".into(),
            found: name.chars().take(40).collect(),
        })?;
        if self.available.contains(&format) {
            return Ok(format);
        }
        Err(Error::FormatUnavailable { format: format.name().into(), available: self.names() })
    }

    /// The format for a request that names one, or `auto`, and why.
    ///
    /// # Errors
    /// As [`Self::find`].
    pub fn resolve(&self, requested: &str) -> Result<(PromptFormat, FormatReason)> {
        match requested {
            "auto" => Ok(self.automatic),
            name => Ok((self.find("format", name)?, FormatReason::Requested)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn special(markers: [Option<u32>; 3], family: Option<FimFamily>) -> SpecialTokens {
        let [fim_prefix, fim_suffix, fim_middle] = markers;
        SpecialTokens { fim_prefix, fim_suffix, fim_middle, fim_family: family, ..SpecialTokens::default() }
    }

    #[test]
    fn auto_takes_what_is_preferred_else_what_the_vocabulary_has() {
        use FormatReason::*;
        use PromptFormat::*;
        let qwen = special([Some(1), Some(2), Some(3)], Some(FimFamily::Qwen));
        let auto = |order, preferred| Formats::new(&qwen, order, preferred).resolve("auto");
        assert_eq!(auto(None, None), Ok((Psm, Vocabulary)));
        assert_eq!(auto(Some(Spm), None), Ok((Spm, Vocabulary)));
        assert_eq!(auto(Some(Spm), Some(Prefix)), Ok((Prefix, Preferred)));
        let formats = Formats::new(&qwen, None, Some(Prefix));
        assert_eq!(formats.resolve("spm"), Ok((Spm, Requested)));
        assert_eq!(formats.resolve("fim").map_err(|error| error.code()), Err("request-invalid"));
        let mellum = special([Some(1), Some(2), Some(3)], Some(FimFamily::Mellum));
        assert_eq!(Formats::new(&mellum, None, None).resolve("auto"), Ok((Spm, Vocabulary)));
    }

    #[test]
    fn some_markers_or_one_for_two_are_no_template() {
        for markers in [[None; 3], [Some(1), Some(2), None], [Some(1), Some(1), Some(2)]] {
            let formats = Formats::new(&special(markers, None), Some(PromptFormat::Spm), None);
            assert_eq!(formats.resolve("auto"), Ok((PromptFormat::Prefix, FormatReason::NoTemplate)));
            assert_eq!(formats.resolve("psm").map_err(|error| error.code()), Err("format-unavailable"));
            assert!(formats.resolve("prefix").is_ok());
        }
    }
}
