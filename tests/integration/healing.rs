//! Token healing at every caret of real files: what is taken back is exactly what the answer has to begin with.

use crate::support::bytes;
use midline::generation::{Constraint, Vocabulary};
use midline::gguf::{Array, Gguf, Metadata, Value};
use midline::prompt::{Prompt, PromptFormat, PromptSource};
use midline::tokenizer::{Start, TokenId, Tokenizer};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

const FILES: usize = 200;
/// Small enough that windows move often.
const ROOM_TOKENS: usize = 40;

struct Words<'a>(&'a Tokenizer);

impl Vocabulary for Words<'_> {
    fn bytes(&self, token: u32) -> &[u8] {
        self.0.bytes(token)
    }

    fn starting_with(&self, bytes: &[u8]) -> &[u32] {
        self.0.starting_with(bytes)
    }

    fn is_end(&self, token: u32) -> bool {
        self.0.special().end_of_generation.contains(&token)
    }

    fn banned(&self) -> &[u32] {
        &[]
    }
}

/// Where cargo unpacked the sources of the dependencies: they are there wherever the tests are built.
fn registry() -> PathBuf {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo"))).expect("a home");
    home.join("registry/src")
}

fn walk(folder: &Path, found: &mut BTreeMap<PathBuf, u64>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let entry = entry.expect("an entry");
        let kind = entry.file_type().expect("a type");
        if kind.is_dir() {
            walk(&entry.path(), found);
        } else if kind.is_file() {
            found.insert(entry.path(), entry.metadata().expect("metadata").len());
        }
    }
}

/// Small files of several languages, spread over all dependencies.
fn real_files() -> Vec<(String, String)> {
    let mut all = BTreeMap::new();
    walk(&registry(), &mut all);
    let kinds = [
        (&["rs"][..], 120),
        (&["toml", "md"], 40),
        (&["c", "h", "js", "json", "py", "sh", "txt", "yml"], 40),
    ];
    let mut files = Vec::new();
    for (endings, count) in kinds {
        let of_kind =
            |path: &Path| path.extension().is_some_and(|ending| endings.iter().any(|kind| ending == *kind));
        let sized = all.iter().filter(|(path, size)| of_kind(path) && (400..1_300).contains(*size));
        let texts = sized
            .filter_map(|(path, _)| Some((path.display().to_string(), std::fs::read_to_string(path).ok()?)));
        let texts: Vec<_> = texts.filter(|(_, text)| !text.contains('\u{0}')).collect();
        assert!(texts.len() >= count, "{} files of {endings:?}", texts.len());
        files.extend((0..count).map(|index| texts[index * texts.len() / count].clone()));
    }
    assert_eq!(files.len(), FILES);
    files
}

fn load(path: &str, user_defined: &[&str]) -> Tokenizer {
    let metadata = Gguf::parse(&bytes(path)).expect("a file").metadata;
    let added = |key: &str, value: &Value| match (key, value.clone()) {
        ("tokenizer.ggml.tokens", Value::Array(Array::String(mut tokens))) => {
            tokens.extend(user_defined.iter().map(|text| (*text).to_owned()));
            Value::Array(Array::String(tokens))
        }
        ("tokenizer.ggml.token_type", Value::Array(Array::Signed(mut types))) => {
            types.extend(user_defined.iter().map(|_| 4));
            Value::Array(Array::Signed(types))
        }
        (_, value) => value,
    };
    let metadata: Metadata =
        metadata.iter().map(|(key, value)| (key.to_owned(), added(key, value))).collect();
    Tokenizer::from_metadata(&metadata).expect("a tokenizer")
}

/// The tokens of a prompt that stand for the text before the caret.
fn before<'p>(prompt: &'p Prompt, tokenizer: &Tokenizer) -> &'p [TokenId] {
    let special = tokenizer.special();
    let bos = usize::from(special.add_bos && special.bos.is_some());
    let from = match prompt.format {
        PromptFormat::Prefix => bos,
        PromptFormat::Psm => bos + 1,
        PromptFormat::Spm => bos + 1 + prompt.suffix_tokens + 1,
    };
    &prompt.tokens[from..from + prompt.prefix_tokens]
}

/// Everything that has to hold at one caret.
fn check(tokenizer: &Tokenizer, format: PromptFormat, text: &str, caret: usize) -> Result<Vec<u8>, String> {
    let (prefix, suffix) = text.split_at(caret);
    let source = PromptSource { format, prefix, suffix, path: "", language_id: "", healing: true };
    let prompt = Prompt::build(tokenizer, &source, ROOM_TOKENS).map_err(|error| error.to_string())?;
    if prompt.tokens.len() > ROOM_TOKENS {
        return Err(format!("{} tokens", prompt.tokens.len()));
    }
    let before = before(&prompt, tokenizer);
    let healed = &prompt.healed;
    // An empty document is shown as what stands before a document.
    if !prefix.is_empty() {
        if let Some(control) = before.iter().find(|id| !tokenizer.is_text(**id)) {
            return Err(format!("the text became {}", tokenizer.name(*control)));
        }
        let seen = [tokenizer.decode(before), healed.clone()].concat();
        let dummy = || seen.strip_prefix(b" ").is_some_and(|seen| prefix.as_bytes().ends_with(seen));
        if seen.is_empty() || !prefix.as_bytes().ends_with(&seen) && !dummy() {
            return Err(format!("the prompt and the constraint are {:?}", String::from_utf8_lossy(&seen)));
        }
        if !prefix.ends_with(&prompt.healed_text) || prompt.healed_text.len() > healed.len() {
            return Err(format!("taken back: {:?} as {:?}", healed, prompt.healed_text));
        }
    }
    if std::str::from_utf8(healed).is_err() {
        return Err(format!("{healed:?} cuts a character"));
    }
    let longer = |bytes: &[u8]| {
        tokenizer.starting_with(bytes).iter().any(|id| tokenizer.bytes(*id).len() > bytes.len())
    };
    if !healed.is_empty() && !longer(healed) {
        return Err(format!("no token extends {:?}", prompt.healed_text));
    }
    let last = before.last().map_or(&[][..], |id| tokenizer.bytes(*id));
    if healed.is_empty() && std::str::from_utf8(last).is_ok_and(|last| !last.is_empty()) && longer(last) {
        return Err(format!("{:?} could be longer and stays", String::from_utf8_lossy(last)));
    }
    admits(tokenizer, healed, suffix)?;
    Ok(prompt.healed)
}

/// What really follows the caret can be generated.
fn admits(tokenizer: &Tokenizer, healed: &[u8], suffix: &str) -> Result<(), String> {
    let rest = &suffix[..suffix.floor_char_boundary(24)];
    let whole = String::from_utf8_lossy(healed).into_owned() + rest;
    let mut constraint = Constraint::new(healed.to_vec());
    for token in tokenizer.encode(&whole, Start::Continuation) {
        if constraint.is_satisfied() {
            break;
        }
        if !constraint.allowed(&Words(tokenizer)).contains(&token) {
            return Err(format!("{:?} is refused at {whole:?}", tokenizer.name(token)));
        }
        constraint.advance(tokenizer.bytes(token));
    }
    if constraint.is_satisfied() { Ok(()) } else { Err(format!("{whole:?} does not fulfil the constraint")) }
}

/// Whatever is chosen, there is a next choice: here always the shortest.
fn never_ends_early(tokenizer: &Tokenizer, healed: &[u8]) -> Result<(), String> {
    let mut constraint = Constraint::new(healed.to_vec());
    while !constraint.is_satisfied() {
        let allowed = constraint.allowed(&Words(tokenizer));
        let shortest = allowed.iter().min_by_key(|id| tokenizer.bytes(**id).len());
        let shortest = shortest.ok_or_else(|| format!("a dead end in {healed:?}"))?;
        constraint.advance(tokenizer.bytes(*shortest));
    }
    Ok(())
}

/// Every caret of a file; the carets, and those where something was taken back.
fn check_file(tokenizer: &Tokenizer, format: PromptFormat, text: &str) -> Result<(usize, usize), String> {
    let (mut carets, mut healed) = (0, 0);
    let mut seen = HashSet::new();
    for caret in (0..=text.len()).filter(|caret| text.is_char_boundary(*caret)) {
        carets += 1;
        let at = |what: String| format!("at {caret}: {what}");
        let taken_back = check(tokenizer, format, text, caret).map_err(at)?;
        healed += usize::from(!taken_back.is_empty());
        if !seen.contains(&taken_back) {
            never_ends_early(tokenizer, &taken_back).map_err(at)?;
            seen.insert(taken_back);
        }
    }
    Ok((carets, healed))
}

#[test]
fn t18_every_caret_of_200_real_files_is_healed_without_a_violation() {
    let vocabulary = |name: &str| format!("tests/golden/vocabs/ggml-vocab-{name}.gguf");
    let user_defined = ["    ", "\n\n", "<user>", "return ", "().", "한글", "fn"];
    let boot = load(crate::support::BOOT_MODEL, &[]);
    let others = [
        load(&vocabulary("starcoder"), &[]),
        load(&vocabulary("deepseek-coder"), &[]),
        load(&vocabulary("llama-spm"), &[]),
        load(&vocabulary("starcoder"), &user_defined),
        load(&vocabulary("gpt-2"), &[]),
    ];
    let files = real_files();
    let (next, carets, healed) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        let mut violations = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some((path, text)) = files.get(index) else { return violations };
            for tokenizer in [&boot, &others[index % others.len()]] {
                let formats = PromptFormat::available(tokenizer.special());
                match check_file(tokenizer, formats[index % formats.len()], text) {
                    Ok((all, taken_back)) => {
                        carets.fetch_add(all, Ordering::Relaxed);
                        healed.fetch_add(taken_back, Ordering::Relaxed);
                    }
                    Err(violation) => violations.push(format!("{path} {violation}")),
                }
            }
        }
    };
    let violations: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread")).collect()
    });
    let (carets, healed) = (carets.into_inner(), healed.into_inner());
    assert!(violations.is_empty(), "{} of {}:\n{}", violations.len(), 2 * FILES, violations.join("\n"));
    assert!(carets > 200_000 && healed * 2 > carets, "{healed} of {carets} carets");
}

#[test]
fn carets_after_characters_of_several_bytes() {
    let text = "s = \"한글 😀 naïve\"\n// 日本語のコメント\nπ = 3\n\tlet ünïcode = '\u{10FFFF}';\n";
    for tokenizer in
        [load(crate::support::BOOT_MODEL, &[]), load("tests/golden/vocabs/ggml-vocab-qwen2.gguf", &[])]
    {
        for format in PromptFormat::available(tokenizer.special()) {
            check_file(&tokenizer, format, text).unwrap_or_else(|violation| panic!("{format:?} {violation}"));
        }
    }
}

/// `<user>` is one token: behind `<us` it has to be among the choices, and behind all of it nothing is taken back for it.
#[test]
fn user_defined_tokens_are_completed() {
    let tokenizer = load("tests/golden/vocabs/ggml-vocab-starcoder.gguf", &["<user>", "    "]);
    let user = tokenizer.id_of("<user>").expect("the token");
    let prompt = |prefix: &str| {
        let source = PromptSource {
            format: PromptFormat::Prefix,
            prefix,
            suffix: "",
            path: "",
            language_id: "",
            healing: true,
        };
        Prompt::build(&tokenizer, &source, 64).expect("a prompt")
    };
    let inside = prompt("x\n<us");
    assert_eq!(inside.healed_text, "<us");
    assert!(Constraint::new(inside.healed).allowed(&Words(&tokenizer)).contains(&user));
    assert_eq!(prompt("x = <user>").tokens.last(), Some(&user));
}
