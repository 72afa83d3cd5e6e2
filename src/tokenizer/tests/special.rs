//! Special ids by key and by spelling.

use super::*;
use crate::tokenizer::{FimFamily, TokenKind};

const FIM: [(&str, i64); 6] = [
    ("<|fim_prefix|>", CONTROL),
    ("<|fim_suffix|>", NORMAL),
    ("<|fim_middle|>", USER_DEFINED),
    ("<|endoftext|>", NORMAL),
    ("<|file_sep|>", USER_DEFINED),
    ("<|im_start|>", CONTROL),
];

#[test]
fn well_known_spellings_are_control_tokens_whatever_their_type() {
    let tokenizer = Tables::bpe(&FIM, &[]).load();
    let special = tokenizer.special();
    assert_eq!(special.fim_prefix, Some(256));
    assert_eq!(special.fim_suffix, Some(257));
    assert_eq!(special.fim_middle, Some(258));
    assert_eq!(special.eos, Some(259));
    assert_eq!(special.file_sep, Some(260));
    assert_eq!(special.fim_family, Some(FimFamily::Qwen));
    assert_eq!((special.bos, special.unk, special.add_bos), (None, None, false));
    assert_eq!(special.end_of_generation, [256, 257, 258, 259, 260]);
    let text: String = FIM.iter().map(|(spelling, _)| *spelling).collect();
    let ids = tokenizer.encode(&text, Start::Continuation);
    assert!(ids.iter().all(|&id| id < 256));
    assert_eq!(tokenizer.decode(&ids), text.as_bytes());
    assert!((256..=261).all(|id| tokenizer.kind(id) == TokenKind::Control && tokenizer.bytes(id).is_empty()));
}

#[test]
fn keys_win_over_spellings_and_older_keys_work() {
    let tables = Tables::bpe(&FIM, &[])
        .with_id("tokenizer.ggml.fim_pre_token_id", 261)
        .with_id("tokenizer.ggml.suffix_token_id", 260)
        .with_id("tokenizer.ggml.eot_token_id", 65)
        .with_id("midline.lang_sep_token_id", 66)
        .with_id("midline.meta_sep_token_id", 67);
    let tokenizer = tables.load();
    let special = tokenizer.special();
    assert_eq!(
        (special.fim_prefix, special.fim_suffix, special.fim_middle),
        (Some(261), Some(260), Some(258))
    );
    assert_eq!((special.lang_sep, special.meta_sep), (Some(66), Some(67)));
    assert_eq!(special.fim_family, None);
    assert!(special.end_of_generation.contains(&65));
    assert!(special.end_of_generation.is_sorted());
}

#[test]
fn a_family_needs_all_three_markers() {
    let tokenizer = Tables::bpe(
        &[
            ("<PRE>", CONTROL),
            ("<fim-prefix>", CONTROL),
            ("<fim-suffix>", CONTROL),
            ("<fim-middle>", CONTROL),
        ],
        &[],
    )
    .load();
    assert_eq!(tokenizer.special().fim_prefix, Some(257));
    assert_eq!(tokenizer.special().fim_family, Some(FimFamily::SantaCoder));
    // Not the prefix of any family in use, but no text of ours either.
    assert!(tokenizer.special().end_of_generation.contains(&256));
    let alone = Tables::bpe(&[("<fim_prefix>", CONTROL)], &[]).load();
    assert_eq!(alone.special().fim_prefix, None);
}

#[test]
fn full_width_and_sentencepiece_spellings() {
    let deepseek =
        [("<｜fim▁begin｜>", USER_DEFINED), ("<｜fim▁hole｜>", USER_DEFINED), ("<｜fim▁end｜>", NORMAL)];
    let tokenizer = Tables::bpe(&deepseek, &[]).load();
    let special = tokenizer.special();
    assert_eq!(
        (special.fim_prefix, special.fim_suffix, special.fim_middle),
        (Some(256), Some(257), Some(258))
    );
    let tokenizer = Tables::spm(&[
        ("▁<PRE>", NORMAL, 0.0),
        ("▁<SUF>", NORMAL, 0.0),
        ("▁<MID>", NORMAL, 0.0),
        ("▁<EOT>", NORMAL, 0.0),
    ])
    .load();
    assert_eq!(tokenizer.special().fim_middle, tokenizer.id_of("▁<MID>"));
    assert_eq!(tokenizer.special().end_of_generation, [1, 2, 259, 260, 261, 262]);
    assert_eq!(tokenizer.decode(&tokenizer.encode(" <EOT>", Start::Continuation)), b" <EOT>");
}

#[test]
fn a_well_known_spelling_is_not_text_even_where_merges_would_form_it() {
    let tokens =
        [("<E", NORMAL, -1.0), ("OT", NORMAL, -2.0), ("<EOT", NORMAL, -3.0), ("<EOT>", NORMAL, -4.0)];
    let single = ["<", ">", "E", "O", "T"].map(|text| (text, NORMAL, -9.0));
    let tokenizer = Tables::spm(&[tokens.as_slice(), single.as_slice()].concat()).load();
    assert_eq!(shown(&tokenizer, "<EOT><E", Start::Continuation), "<EOT|>|<E");
    assert_eq!(tokenizer.special().end_of_generation, [1, 2, 262]);
}

#[test]
fn a_llama_vocabulary_starts_with_bos_unless_the_file_says_no() {
    let tables = Tables::spm(&[]);
    let special = tables.load().special().clone();
    assert_eq!((special.bos, special.eos, special.unk, special.add_bos), (Some(1), Some(2), Some(0), true));
    let key = "tokenizer.ggml.add_bos_token";
    assert!(!tables.clone().with(key, Value::Bool(false)).load().special().add_bos);
    let error = Tables::bpe(&[], &[]).with(key, Value::Bool(true)).try_load().unwrap_err();
    assert_eq!(error.code(), "tokenizer-invalid");
}
