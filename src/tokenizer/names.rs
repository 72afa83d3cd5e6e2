//! Well-known spellings of special tokens, for files whose metadata does not name the ids. Data, with sources.
//!
//! Spellings are looked up in the vocabulary and never written into a prompt as text.

/// The three markers of one fill-in-the-middle format.
pub(super) struct FimFamily {
    /// For people; formats with equal spellings share one name.
    pub name: &'static str,
    pub prefix: &'static str,
    pub suffix: &'static str,
    pub middle: &'static str,
}

const fn family(
    name: &'static str,
    prefix: &'static str,
    suffix: &'static str,
    middle: &'static str,
) -> FimFamily {
    FimFamily { name, prefix, suffix, middle }
}

/// The first family of which a vocabulary has all three tokens is used.
pub(super) const FIM_FAMILIES: &[FimFamily] = &[
    // Qwen2.5-Coder technical report, arXiv 2409.12186; CodeGemma, arXiv 2406.11409; Midline's own models.
    family("qwen", "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"),
    // StarCoder, arXiv 2305.06161; StarCoder2, arXiv 2402.19173; Refact; Granite Code, arXiv 2405.04324; Mellum.
    family("starcoder", "<fim_prefix>", "<fim_suffix>", "<fim_middle>"),
    // SantaCoder, arXiv 2301.03988.
    family("santacoder", "<fim-prefix>", "<fim-suffix>", "<fim-middle>"),
    // DeepSeek-Coder, arXiv 2401.14196: the bars are U+FF5C, the word separators U+2581.
    family("deepseek", "<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"),
    // Codestral: mistral-common, `SpecialTokens` of the v2 and v3 instruct tokenizers.
    family("codestral", "[PREFIX]", "[SUFFIX]", "[MIDDLE]"),
    // Code Llama, arXiv 2308.12950; the second form is how some conversions spell it.
    family("codellama", "▁<PRE>", "▁<SUF>", "▁<MID>"),
    family("codellama", "<PRE>", "<SUF>", "<MID>"),
    // Seed-Coder, arXiv 2506.03524.
    family("seed-coder", "<[fim-prefix]>", "<[fim-suffix]>", "<[fim-middle]>"),
    // CodeGeeX4 and GLM-4.5; Falcon-H1-Tiny-Coder: as listed in llama.cpp's src/llama-vocab.cpp.
    family("glm", "<|code_prefix|>", "<|code_suffix|>", "<|code_middle|>"),
    family("falcon", "<|prefix|>", "<|suffix|>", "<|middle|>"),
];

/// Padding of fill-in-the-middle training.
pub(super) const FIM_PAD: &[&str] =
    &["<|fim_pad|>", "<fim_pad>", "<fim-pad>", "<PAD>", "[PAD]", "<[fim-pad]>"];

/// Before the name of a repository.
pub(super) const REPO: &[&str] =
    &["<|repo_name|>", "<|fim_repo|>", "<repo_name>", "<reponame>", "<fim-repo>", "<REPO>"];

/// Between two files of a repository.
pub(super) const FILE_SEP: &[&str] =
    &["<|file_sep|>", "<file_sep>", "<|file_separator|>", "<filename>", "<[file-sep]>"];

/// Midline's own: between language and path, and after the path, of the header.
pub(super) const LANG_SEP: &[&str] = &["<|lang_sep|>"];
/// See [`LANG_SEP`].
pub(super) const META_SEP: &[&str] = &["<|meta_sep|>"];

/// Starts of a text, in vocabularies that do not name theirs.
pub(super) const BOS: &[&str] = &["<s>", "<｜begin▁of▁sentence｜>", "<|begin_of_text|>", "<bos>"];

/// Ends of a text, the likeliest first.
pub(super) const EOS: &[&str] =
    &["</s>", "<|endoftext|>", "<|end_of_text|>", "<｜end▁of▁sentence｜>", "<eos>", "[EOS]"];

/// Ends of a turn, a message or a middle: everything else that llama.cpp's src/llama-vocab.cpp stops at.
pub(super) const OTHER_ENDS: &[&str] = &[
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "▁<EOT>",
    "[EOT]",
    "<|EOT|>",
    "<end_of_utterance>",
    "<turn|>",
    "<|tool_response>",
    "[e~[",
];

/// Stands for what the vocabulary cannot express.
pub(super) const UNKNOWN: &[&str] = &["<unk>", "<|unk|>", "[UNK]"];

/// Every spelling above that ends a completion.
pub(super) fn all_ends() -> impl Iterator<Item = &'static str> {
    let fim = FIM_FAMILIES.iter().flat_map(|family| [family.prefix, family.suffix, family.middle]);
    let lists = [FIM_PAD, REPO, FILE_SEP, LANG_SEP, META_SEP, BOS, EOS, OTHER_ENDS];
    fim.chain(lists.into_iter().flatten().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_spelling_has_two_meanings() {
        let mut all: Vec<_> = all_ends().chain(UNKNOWN.iter().copied()).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
