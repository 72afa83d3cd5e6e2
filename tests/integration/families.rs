//! Fill-in-the-middle prompts of each family against the forms that were published (tests/golden/PROVENANCE.md).

use crate::support::{BOOT_MODEL, bytes};
use midline::gguf::{Array, Gguf, Metadata, Value};
use midline::prompt::{Formats, Prompt, PromptFormat, PromptSource};
use midline::tokenizer::{FimFamily, TokenId, Tokenizer};

const NORMAL: i64 = 1;
const CONTROL: i64 = 3;
const BYTE: i64 = 6;

fn metadata(vocabulary: &str) -> Metadata {
    let file = bytes(&format!("tests/golden/vocabs/ggml-vocab-{vocabulary}.gguf"));
    Gguf::parse(&file).expect("a vocabulary").metadata
}

/// A metadata with other values under some keys.
fn with(metadata: &Metadata, changes: Vec<(&str, Value)>) -> Metadata {
    let kept = metadata.iter().filter(|(key, _)| changes.iter().all(|(changed, _)| changed != key));
    let kept: Vec<_> = kept.map(|(key, value)| (key.to_owned(), value.clone())).collect();
    kept.into_iter().chain(changes.into_iter().map(|(key, value)| (key.to_owned(), value))).collect()
}

fn strings(items: impl Iterator<Item = String>) -> Value {
    Value::Array(Array::String(items.collect()))
}

/// Text and its ids, recorded from the reference tokenizer, by the number of the case.
fn recorded(vocabulary: &str, case: usize) -> (String, Vec<TokenId>) {
    let read = |ending: &str| {
        let file = bytes(&format!("tests/golden/vocabs/ggml-vocab-{vocabulary}.gguf.{ending}"));
        String::from_utf8(file).expect("text")
    };
    let text = read("inp").split("\n__ggml_vocab_test__\n").nth(case).expect("a case").to_owned();
    let ids = read("out");
    let ids = ids.lines().nth(case).expect("ids").split_whitespace().map(|id| id.parse().expect("an id"));
    (text, ids.collect())
}

fn prompt(tokenizer: &Tokenizer, format: PromptFormat, prefix: &str, suffix: &str, path: &str) -> Prompt {
    let source = PromptSource { format, prefix, suffix, path, language_id: "", healing: false };
    Prompt::build(tokenizer, &source, 512).expect("a prompt")
}

fn automatic(tokenizer: &Tokenizer) -> PromptFormat {
    Formats::new(tokenizer.special(), None, None).resolve("auto").expect("a format").0
}

/// `    Hello\n    Hello` before the caret, `\n =` after it.
const BEFORE: usize = 28;
const AFTER: usize = 30;

/// Ids of prefix, suffix and middle marker: `added_tokens` of the published tokenizers.
#[test]
fn prefix_first_families_with_published_vocabularies() {
    let families = [
        ("qwen2", FimFamily::Qwen, [151_659, 151_661, 151_660]),
        ("deepseek-coder", FimFamily::DeepSeek, [32_016, 32_015, 32_017]),
        ("starcoder", FimFamily::StarCoder, [1, 3, 2]),
        ("refact", FimFamily::StarCoder, [1, 3, 2]),
    ];
    for (name, family, [pre, suf, mid]) in families {
        let tokenizer = Tokenizer::from_metadata(&metadata(name)).expect("a tokenizer");
        assert_eq!(tokenizer.special().fim_family, Some(family), "{name}");
        assert_eq!(automatic(&tokenizer), PromptFormat::Psm, "{name}");
        let ((prefix, before), (suffix, after)) = (recorded(name, BEFORE), recorded(name, AFTER));
        let bos: Vec<_> =
            tokenizer.special().bos.filter(|_| tokenizer.special().add_bos).into_iter().collect();
        let expected = [&bos[..], &[pre], &before, &[suf], &after, &[mid]].concat();
        // A path changes nothing: these models know no header.
        let found = prompt(&tokenizer, PromptFormat::Psm, &prefix, &suffix, "src/main.py");
        assert_eq!(found.tokens, expected, "{name}");
        assert_eq!((found.prefix_tokens, found.suffix_tokens), (before.len(), after.len()), "{name}");
    }
}

/// Code Llama's vocabulary is LLaMA's with sixteen pieces more; old conversions type its markers as normal text.
fn code_llama() -> Tokenizer {
    let base = metadata("llama-spm");
    let pieces = ["▁<SU", "▁<SUF", "▁<PRE", "▁<M", "▁<MID", "▁<E", "▁<EOT"];
    let markers = ["▁<PRE>", "▁<SUF>", "▁<MID>", "▁<EOT>"];
    let added = pieces.iter().chain(&markers).map(|piece| (*piece).to_owned());
    let tokens = base.strings("tokenizer.ggml.tokens").expect("tokens").iter().cloned().chain(added);
    let count = pieces.len() + markers.len();
    let types = base.integers("tokenizer.ggml.token_type").expect("types").into_iter();
    let scores = base.floats("tokenizer.ggml.scores").expect("scores").iter().copied();
    let lowest = (0..count).map(|index| -40_000.0 - index as f64);
    let metadata = with(
        &base,
        vec![
            ("tokenizer.ggml.tokens", strings(tokens)),
            (
                "tokenizer.ggml.token_type",
                Value::Array(Array::Signed(types.chain(vec![NORMAL; count]).collect())),
            ),
            ("tokenizer.ggml.scores", Value::Array(Array::Float(scores.chain(lowest).collect()))),
        ],
    );
    Tokenizer::from_metadata(&metadata).expect("a tokenizer")
}

/// `infilling_prompt_tokens` of meta-llama/codellama: BOS, `<PRE>`, the prefix as a text of its own (with the dummy
/// space), `<SUF>`, the suffix without one, `<MID>`; with `suffix_first` both markers stand in front.
#[test]
fn code_llama_has_one_bos_and_a_dummy_space_before_the_prefix_only() {
    let tokenizer = code_llama();
    let [pre, suf, mid, eot] = [32_007, 32_008, 32_009, 32_010];
    let ((prefix, before), (suffix, after)) = (recorded("llama-spm", BEFORE), recorded("llama-spm", AFTER));
    let after = after.strip_prefix(&[29_871]).expect("the recorded text begins with a dummy space");
    assert_eq!(automatic(&tokenizer), PromptFormat::Psm);
    let psm = [&[1, pre][..], &before, &[suf], after, &[mid]].concat();
    assert_eq!(prompt(&tokenizer, PromptFormat::Psm, &prefix, &suffix, "").tokens, psm);
    let spm = [&[1, pre, suf][..], after, &[mid], &before].concat();
    assert_eq!(prompt(&tokenizer, PromptFormat::Spm, &prefix, &suffix, "").tokens, spm);
    let ends = &tokenizer.special().end_of_generation;
    assert!([1, 2, pre, suf, mid, eot].iter().all(|id| ends.contains(id)), "{ends:?}");
    let spelled = tokenizer.encode(" <EOT> <PRE>", midline::tokenizer::Start::Continuation);
    assert!(spelled.iter().all(|id| !ends.contains(id)), "text stays text");
}

/// A `llama` vocabulary of the control tokens, all bytes, and the space.
fn small_spm(control: &[(TokenId, &str)]) -> Tokenizer {
    let first_byte = control.iter().map(|(id, _)| id + 1).max().unwrap_or(0).max(3);
    let mut tokens: Vec<String> = (0..first_byte).map(|id| format!("[control_{id}]")).collect();
    for (id, name) in [(0, "<unk>"), (1, "<s>"), (2, "</s>")].iter().chain(control) {
        tokens[*id as usize] = (*name).to_owned();
    }
    let mut types = vec![CONTROL; tokens.len()];
    types[0] = 2;
    tokens.extend((0..=255).map(|byte| format!("<0x{byte:02X}>")));
    types.extend([BYTE; 256]);
    tokens.push("▁".into());
    types.push(NORMAL);
    let metadata = [
        ("tokenizer.ggml.model", Value::String("llama".into())),
        ("tokenizer.ggml.tokens", strings(tokens.into_iter())),
        ("tokenizer.ggml.token_type", Value::Array(Array::Signed(types))),
    ];
    let metadata = metadata.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    Tokenizer::from_metadata(&metadata).expect("a tokenizer")
}

/// `encode_fim` of mistral-common: BOS, `[SUFFIX]`, the suffix without a dummy space, `[PREFIX]`, the prefix with one.
/// No middle marker: the answer goes on where the prefix ends.
#[test]
fn codestral_goes_on_where_the_prefix_ends() {
    let [pre, mid, suf] = [17, 18, 19];
    let tokenizer = small_spm(&[(3, "[INST]"), (pre, "[PREFIX]"), (mid, "[MIDDLE]"), (suf, "[SUFFIX]")]);
    assert_eq!(automatic(&tokenizer), PromptFormat::Spm);
    let byte = |byte: u8| 20 + TokenId::from(byte);
    let space = 20 + 256;
    let found = prompt(&tokenizer, PromptFormat::Spm, "ab", "\nc", "main.py").tokens;
    assert_eq!(found, [1, suf, byte(b'\n'), byte(b'c'), pre, space, byte(b'a'), byte(b'b')]);
    assert!([pre, mid, suf].iter().all(|id| tokenizer.special().end_of_generation.contains(id)));
    // Without text after the caret the marker stays.
    assert_eq!(prompt(&tokenizer, PromptFormat::Spm, "a", "", "").tokens, [1, suf, pre, space, byte(b'a')]);
}

/// A `gpt2` vocabulary of the bytes and these control tokens.
fn small_bpe(control: &[&str], name: &str) -> Tokenizer {
    let printable = |code: &u32| matches!(code, 0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF);
    let alphabet = (0..0x100).filter(printable).chain(0x100..0x144).filter_map(char::from_u32);
    let mut tokens: Vec<String> = alphabet.map(String::from).collect();
    let types = [vec![NORMAL; tokens.len()], vec![CONTROL; control.len()]].concat();
    tokens.extend(control.iter().map(|token| (*token).to_owned()));
    let metadata = [
        ("general.name", Value::String(name.into())),
        ("tokenizer.ggml.model", Value::String("gpt2".into())),
        ("tokenizer.ggml.merges", strings(std::iter::empty())),
        ("tokenizer.ggml.tokens", strings(tokens.into_iter())),
        ("tokenizer.ggml.token_type", Value::Array(Array::Signed(types))),
    ];
    let metadata = metadata.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    Tokenizer::from_metadata(&metadata).expect("a tokenizer")
}

/// The published forms, written out, `P` for the prefix and `S` for the suffix.
#[test]
fn the_order_of_each_family_is_the_published_one() {
    let forms: [(&str, &[&str], &str); 9] = [
        (
            "Qwen2.5-Coder",
            &["<|endoftext|>", "<|repo_name|>", "<|file_sep|>", "<|fim_pad|>"],
            "<|fim_prefix|>P<|fim_suffix|>S<|fim_middle|>",
        ),
        ("codegemma", &["<|file_separator|>", "<eos>"], "<|fim_prefix|>P<|fim_suffix|>S<|fim_middle|>"),
        (
            "starcoder2",
            &[
                "<|endoftext|>",
                "<fim_pad>",
                "<repo_name>",
                "<file_sep>",
                "<filename>",
                "<gh_stars>",
                "<issue_start>",
                "<jupyter_code>",
                "<commit_before>",
            ],
            "<fim_prefix>P<fim_suffix>S<fim_middle>",
        ),
        (
            "granite-3b-code-base",
            &["<|endoftext|>", "<fim_pad>", "<filename>", "<reponame>"],
            "<fim_prefix>P<fim_suffix>S<fim_middle>",
        ),
        ("santacoder", &["<|endoftext|>", "<fim-pad>"], "<fim-prefix>P<fim-suffix>S<fim-middle>"),
        (
            "deepseek-coder",
            &["<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<|EOT|>"],
            "<｜fim▁begin｜>P<｜fim▁hole｜>S<｜fim▁end｜>",
        ),
        (
            "Seed-Coder-8B-Base",
            &["<[begin▁of▁sentence]>", "<[end▁of▁sentence]>", "<[fim-pad]>", "<[file-sep]>"],
            "<[fim-suffix]>S<[fim-prefix]>P<[fim-middle]>",
        ),
        ("GLM-4.5", &["<|endoftext|>"], "<|code_prefix|>P<|code_suffix|>S<|code_middle|>"),
        (
            "Mellum 4b Base",
            &["<|endoftext|>", "<filename>", "<reponame>", "<fim_pad>"],
            "<filename>app/Example.kt\n<fim_suffix>S<fim_prefix>P<fim_middle>",
        ),
    ];
    for (name, others, form) in forms {
        let markers: Vec<String> = form
            .split_inclusive('>')
            .filter_map(|part| part.find('<').map(|at| part[at..].to_owned()))
            .collect();
        let mut control: Vec<&str> =
            markers.iter().map(String::as_str).chain(others.iter().copied()).collect();
        control.sort_unstable();
        control.dedup();
        let tokenizer = small_bpe(&control, name);
        let found = prompt(&tokenizer, automatic(&tokenizer), "P", "S", "app/Example.kt");
        let shown: String = found.tokens.iter().map(|id| tokenizer.name(*id)).collect();
        assert_eq!(shown, form, "{name}");
        for control in control {
            let id = tokenizer.id_of(control).expect("a control token");
            assert!(
                tokenizer.special().end_of_generation.contains(&id),
                "{control} ends a completion of {name}"
            );
            assert_eq!(tokenizer.bytes(id), b"", "{control} has no text");
        }
    }
}

/// Midline's contiguous form, as models/train/examples.py writes it: both markers and the suffix, then the middle marker
/// and the header, and the prefix last, so that the middle goes on where it ends.
#[test]
fn midline_has_its_middle_right_behind_the_prefix() {
    let gguf = Gguf::parse(&bytes(BOOT_MODEL)).expect("a model");
    let contiguous = |value| with(&gguf.metadata, vec![("midline.fim.contiguous", value)]);
    let tokenizer = Tokenizer::from_metadata(&contiguous(Value::Bool(true))).expect("a tokenizer");
    assert_eq!(tokenizer.special().fim_family, Some(FimFamily::Midline));
    assert_eq!(PromptFormat::available(tokenizer.special()), [PromptFormat::Prefix, PromptFormat::Spm]);
    let found = prompt(&tokenizer, automatic(&tokenizer), "def f(x):\n", "\nf(1)\n", "a/b/c/d.py");
    let shown: String = found.tokens.iter().map(|id| tokenizer.name(*id).replace('▁', " ")).collect();
    let markers = "<|fim_prefix|><|fim_suffix|>\nf(1)\n<|fim_middle|>";
    assert_eq!(shown, format!("{markers}py<|lang_sep|>b/c/d.py<|meta_sep|>def f(x):\n"));
    let wrong = Tokenizer::from_metadata(&contiguous(Value::Unsigned(1))).map_err(|error| error.code());
    assert_eq!(wrong.err(), Some("gguf-metadata"));
    let not = Tokenizer::from_metadata(&contiguous(Value::Bool(false))).expect("a tokenizer");
    assert_eq!(not.special().fim_family, Some(FimFamily::Qwen));
}

/// Ids from the metadata are used whatever the tokens are called, under the present keys and the older ones.
#[test]
fn ids_from_the_metadata_need_no_known_spelling() {
    let base = metadata("gpt-2");
    let keys = [
        [
            "tokenizer.ggml.fim_pre_token_id",
            "tokenizer.ggml.fim_suf_token_id",
            "tokenizer.ggml.fim_mid_token_id",
        ],
        [
            "tokenizer.ggml.prefix_token_id",
            "tokenizer.ggml.suffix_token_id",
            "tokenizer.ggml.middle_token_id",
        ],
    ];
    for keys in keys {
        let ids = keys.iter().zip([100, 101, 102]).map(|(key, id)| (*key, Value::Unsigned(id))).collect();
        let tokenizer = Tokenizer::from_metadata(&with(&base, ids)).expect("a tokenizer");
        assert_eq!(tokenizer.special().fim_family, None);
        let ((prefix, before), (suffix, after)) = (recorded("gpt-2", BEFORE), recorded("gpt-2", AFTER));
        let found = prompt(&tokenizer, automatic(&tokenizer), &prefix, &suffix, "").tokens;
        assert_eq!(found, [&[100][..], &before, &[101], &after, &[102]].concat());
    }
}
