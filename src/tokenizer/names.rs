//! Well-known spellings of special tokens, for files whose metadata does not name the ids. Data, with sources.
//!
//! Spellings are looked up in the vocabulary and never written into a prompt as text.

/// Models that share marker spellings and the order of the pieces of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FimFamily {
    /// Qwen2.5-Coder, CodeGemma, Midline's first model.
    Qwen,
    /// Midline's own models since then: suffix first, and the middle right behind the prefix.
    Midline,
    /// StarCoder, StarCoder2, Refact, Granite Code, Stable Code.
    StarCoder,
    /// Mellum: StarCoder's spellings, suffix first, after a file name.
    Mellum,
    /// SantaCoder.
    SantaCoder,
    /// DeepSeek-Coder.
    DeepSeek,
    /// Codestral: suffix first, no middle marker.
    Codestral,
    /// Code Llama.
    CodeLlama,
    /// Seed-Coder: suffix first.
    SeedCoder,
    /// GLM-4.5.
    Glm,
    /// Falcon-H1-Tiny-Coder.
    Falcon,
}

/// The three markers of one fill-in-the-middle format.
pub(super) struct FimSpelling {
    pub family: FimFamily,
    pub prefix: &'static str,
    pub suffix: &'static str,
    pub middle: &'static str,
}

const fn spelling(
    family: FimFamily,
    prefix: &'static str,
    suffix: &'static str,
    middle: &'static str,
) -> FimSpelling {
    FimSpelling { family, prefix, suffix, middle }
}

/// The first one of which a vocabulary has all three tokens is used.
pub(super) const FIM_SPELLINGS: &[FimSpelling] = &[
    // Qwen2.5-Coder technical report, arXiv 2409.12186; CodeGemma, arXiv 2406.11409; Midline's own models (`midline.fim.contiguous`).
    spelling(FimFamily::Qwen, "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"),
    // StarCoder, arXiv 2305.06161; StarCoder2, arXiv 2402.19173; Refact; Granite Code, arXiv 2405.04324; Mellum.
    spelling(FimFamily::StarCoder, "<fim_prefix>", "<fim_suffix>", "<fim_middle>"),
    // SantaCoder, arXiv 2301.03988.
    spelling(FimFamily::SantaCoder, "<fim-prefix>", "<fim-suffix>", "<fim-middle>"),
    // DeepSeek-Coder, arXiv 2401.14196: the bars are U+FF5C, the word separators U+2581.
    spelling(FimFamily::DeepSeek, "<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"),
    // Codestral: mistral-common, `SpecialTokens` of the v2 and v3 instruct tokenizers.
    spelling(FimFamily::Codestral, "[PREFIX]", "[SUFFIX]", "[MIDDLE]"),
    // Code Llama, arXiv 2308.12950; the second form is how some conversions spell it.
    spelling(FimFamily::CodeLlama, "▁<PRE>", "▁<SUF>", "▁<MID>"),
    spelling(FimFamily::CodeLlama, "<PRE>", "<SUF>", "<MID>"),
    // Seed-Coder, arXiv 2506.03524.
    spelling(FimFamily::SeedCoder, "<[fim-prefix]>", "<[fim-suffix]>", "<[fim-middle]>"),
    // GLM-4.5; Falcon-H1-Tiny-Coder: as listed in llama.cpp's src/llama-vocab.cpp.
    spelling(FimFamily::Glm, "<|code_prefix|>", "<|code_suffix|>", "<|code_middle|>"),
    spelling(FimFamily::Falcon, "<|prefix|>", "<|suffix|>", "<|middle|>"),
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
pub(super) const BOS: &[&str] =
    &["<s>", "<｜begin▁of▁sentence｜>", "<[begin▁of▁sentence]>", "<|begin_of_text|>", "<bos>"];

/// Ends of a text, the likeliest first.
pub(super) const EOS: &[&str] = &[
    "</s>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<｜end▁of▁sentence｜>",
    "<[end▁of▁sentence]>",
    "<eos>",
    "[EOS]",
];

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

/// What else the data of StarCoder and its relatives (arXiv 2305.06161, appendix) is structured with.
pub(super) const STRUCTURE: &[&str] = &[
    "<gh_stars>",
    "<issue_start>",
    "<issue_comment>",
    "<issue_closed>",
    "<jupyter_start>",
    "<jupyter_text>",
    "<jupyter_code>",
    "<jupyter_output>",
    "<jupyter_script>",
    "<empty_output>",
    "<commit_before>",
    "<commit_msg>",
    "<commit_after>",
];

/// Stands for what the vocabulary cannot express.
pub(super) const UNKNOWN: &[&str] = &["<unk>", "<|unk|>", "[UNK]"];

/// Every spelling above that ends a completion.
pub(super) fn all_ends() -> impl Iterator<Item = &'static str> {
    let fim = FIM_SPELLINGS.iter().flat_map(|fim| [fim.prefix, fim.suffix, fim.middle]);
    let lists = [FIM_PAD, REPO, FILE_SEP, LANG_SEP, META_SEP, BOS, EOS, OTHER_ENDS, STRUCTURE];
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
