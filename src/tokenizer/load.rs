//! From metadata tables to a checked tokenizer.

use super::bpe::Bpe;
use super::hash::Collisions;
use super::merge::NO_TOKEN;
use super::names;
use super::prefixes::Prefixes;
use super::pretokenize::PreTokenizer;
use super::special::{Finder, invalid};
use super::spm::Spm;
use super::user_defined::UserDefined;
use super::vocab::{Spelling, TokenKind, Vocab};
use super::{Model, TokenId, Tokenizer};
use crate::error::{Error, Result};
use crate::gguf::{Array, Metadata, Value};
use std::collections::{HashMap, HashSet};

const MODEL: &str = "tokenizer.ggml.model";
const PRE: &str = "tokenizer.ggml.pre";
const TOKENS: &str = "tokenizer.ggml.tokens";
const TYPES: &str = "tokenizer.ggml.token_type";
const SCORES: &str = "tokenizer.ggml.scores";
const MERGES: &str = "tokenizer.ggml.merges";
const SPACE_PREFIX: &str = "tokenizer.ggml.add_space_prefix";

/// Published vocabularies end at some 260,000 tokens and 10 MiB of text.
const MAX_TOKENS: usize = 1 << 20;
const MAX_MERGES: usize = 1 << 22;
const MAX_TEXT_BYTES: usize = 1 << 26;
const MAX_USER_DEFINED_BYTES: usize = 1 << 20;
/// Longest spelling in [`names`], with room.
const MAX_NAME_BYTES: usize = 40;

/// [`Tokenizer::from_metadata`].
pub(super) fn load(metadata: &Metadata) -> Result<Tokenizer> {
    match metadata.string(MODEL)? {
        "gpt2" => load_bpe(metadata),
        "llama" => load_spm(metadata),
        other => Err(unsupported("the tokenizer model gpt2 or llama", other)),
    }
}

fn load_bpe(metadata: &Metadata) -> Result<Tokenizer> {
    let pre = if metadata.get(PRE).is_some() { metadata.string(PRE)? } else { "default" };
    let pre_tokenizer = PreTokenizer::by_name(pre)
        .ok_or_else(|| unsupported(&format!("a pre-tokenizer out of {}", PreTokenizer::names()), pre))?;
    let merges = metadata.strings(MERGES)?;
    limit(MERGES, MAX_MERGES, merges.len())?;
    let tokens = tokens(metadata)?;
    let mut kinds = kinds(metadata, tokens)?;
    let spelled = spelled(tokens);
    let special = Finder { metadata, spelled, tokens, add_bos_by_default: false }.find()?;
    special.end_of_generation.iter().for_each(|&id| kinds[id as usize] = TokenKind::Control);
    let vocab = vocab(Spelling::ByteLevel, tokens, &kinds)?;
    let bpe = Bpe::new(&vocab, merges, pre_tokenizer).map_err(|collisions| colliding(MERGES, &collisions))?;
    let user_defined = user_defined(&vocab)?;
    Ok(tokenizer(Model::Bpe(bpe), vocab, special, user_defined))
}

fn tokenizer(
    model: Model,
    vocab: Vocab,
    special: super::SpecialTokens,
    user_defined: UserDefined,
) -> Tokenizer {
    Tokenizer { prefixes: Prefixes::new(&vocab), user_defined, model, vocab, special }
}

fn load_spm(metadata: &Metadata) -> Result<Tokenizer> {
    let tokens = tokens(metadata)?;
    let mut kinds = kinds(metadata, tokens)?;
    if metadata.get(TYPES).is_none() {
        let bytes = kinds.iter_mut().zip(tokens).filter(|(_, text)| byte_value(text).is_some());
        bytes.for_each(|(kind, _)| *kind = TokenKind::Byte);
    }
    let scores = scores(metadata, tokens.len())?;
    let spelled = spelled(tokens);
    let special = Finder { metadata, spelled, tokens, add_bos_by_default: true }.find()?;
    special.end_of_generation.iter().for_each(|&id| kinds[id as usize] = TokenKind::Control);
    if let Some(kind) = special.unk.map(|id| &mut kinds[id as usize])
        && *kind == TokenKind::Normal
    {
        *kind = TokenKind::Unknown;
    }
    let space_prefix = metadata.or(SPACE_PREFIX, true, Metadata::bool)?;
    let vocab = vocab(Spelling::Sentencepiece, tokens, &kinds)?;
    let byte_ids = byte_ids(&vocab);
    let unknown = special.unk.filter(|&id| vocab.kind(id) == TokenKind::Unknown);
    let missing = byte_ids.iter().filter(|&&id| id == NO_TOKEN).count();
    if missing > 0 && unknown.is_none() {
        let found = format!("{missing} bytes without a token");
        return Err(invalid(TOKENS, "all byte tokens <0x00> to <0xFF>, or an unknown token", &found));
    }
    let spm = Spm::new(&vocab, &scores, byte_ids, unknown, space_prefix);
    let user_defined = user_defined(&vocab)?;
    Ok(tokenizer(Model::Spm(spm), vocab, special, user_defined))
}

fn tokens(metadata: &Metadata) -> Result<&[String]> {
    let tokens = metadata.strings(TOKENS)?;
    if tokens.is_empty() {
        return Err(invalid(TOKENS, "at least one token", "none"));
    }
    limit(TOKENS, MAX_TOKENS, tokens.len())?;
    limit("bytes of all tokens", MAX_TEXT_BYTES, tokens.iter().map(String::len).sum())?;
    Ok(tokens)
}

/// `llama_token_type` of llama.h: 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused, 6 byte; 0 is undefined.
fn kinds(metadata: &Metadata, tokens: &[String]) -> Result<Vec<TokenKind>> {
    if metadata.get(TYPES).is_none() {
        return Ok(vec![TokenKind::Normal; tokens.len()]);
    }
    let types = metadata.integers(TYPES)?;
    same_length(TYPES, types.len(), tokens.len())?;
    let kind = |(id, (number, text)): (usize, (i64, &String))| match number {
        _ if text.is_empty() => Ok(TokenKind::Unused),
        1 => Ok(TokenKind::Normal),
        2 => Ok(TokenKind::Unknown),
        3 => Ok(TokenKind::Control),
        4 => Ok(TokenKind::UserDefined),
        0 | 5 => Ok(TokenKind::Unused),
        6 if byte_value(text).is_some() => Ok(TokenKind::Byte),
        6 => Err(invalid(&format!("byte token {id}"), "a spelling from <0x00> to <0xFF>", text)),
        _ => Err(invalid(&format!("type of token {id}"), "a number from 0 to 6", &number.to_string())),
    };
    types.into_iter().zip(tokens).enumerate().map(kind).collect()
}

/// Scores as `f32`, which is what the order of merges is defined on; all equal when the file has none.
fn scores(metadata: &Metadata, count: usize) -> Result<Vec<f32>> {
    let scores = match metadata.get(SCORES) {
        None => vec![0.0; count],
        Some(Value::Array(Array::Signed(scores))) => scores.iter().map(|&score| score as f32).collect(),
        Some(_) => metadata.floats(SCORES)?.iter().map(|&score| score as f32).collect(),
    };
    same_length(SCORES, scores.len(), count)?;
    match scores.iter().position(|score| score.is_nan()) {
        Some(id) => Err(invalid(&format!("score of token {id}"), "a number", "NaN")),
        None => Ok(scores),
    }
}

/// The value of a byte token's spelling, `<0x0A>`.
fn byte_value(text: &str) -> Option<u8> {
    let digits = text.strip_prefix("<0x")?.strip_suffix('>')?;
    let exact = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    exact.then(|| u8::from_str_radix(digits, 16).ok())?
}

/// Known special names in the vocabulary, by spelling.
fn spelled(tokens: &[String]) -> HashMap<&str, TokenId> {
    let known: HashSet<&str> = names::all_ends().chain(names::UNKNOWN.iter().copied()).collect();
    let mut spelled = HashMap::new();
    for (id, text) in tokens.iter().enumerate() {
        let special_looking = text.len() <= MAX_NAME_BYTES && text.ends_with(['>', ']', '[']);
        if special_looking && known.contains(text.as_str()) {
            spelled.entry(text.as_str()).or_insert(id as TokenId);
        }
    }
    spelled
}

fn vocab(spelling: Spelling, tokens: &[String], kinds: &[TokenKind]) -> Result<Vocab> {
    let arena_bytes = tokens.iter().map(String::len).sum();
    let mut vocab = Vocab::new(spelling, tokens.len(), arena_bytes);
    for (text, &kind) in tokens.iter().zip(kinds) {
        let byte = if kind == TokenKind::Byte { byte_value(text) } else { None };
        vocab.push(text, kind, byte).map_err(|collisions| colliding(TOKENS, &collisions))?;
    }
    Ok(vocab)
}

fn byte_ids(vocab: &Vocab) -> [TokenId; 256] {
    let mut ids = [NO_TOKEN; 256];
    for id in (0..vocab.len() as TokenId).rev() {
        if let (TokenKind::Byte, &[byte]) = (vocab.kind(id), vocab.bytes(id)) {
            ids[byte as usize] = id;
        }
    }
    ids
}

fn user_defined(vocab: &Vocab) -> Result<UserDefined> {
    let ids = (0..vocab.len() as TokenId).filter(|&id| vocab.kind(id) == TokenKind::UserDefined);
    let texts = ids.map(|id| (id, vocab.bytes(id)));
    limit(
        "bytes of user-defined tokens",
        MAX_USER_DEFINED_BYTES,
        texts.clone().map(|(_, text)| text.len()).sum(),
    )?;
    UserDefined::new(texts).map_err(|collisions| colliding(TOKENS, &collisions))
}

fn same_length(what: &str, found: usize, count: usize) -> Result<()> {
    if found == count {
        return Ok(());
    }
    Err(invalid(what, &format!("{count} entries, one a token"), &format!("{found} entries")))
}

fn limit(what: &str, limit: usize, found: usize) -> Result<()> {
    if found <= limit {
        return Ok(());
    }
    Err(invalid(what, &format!("at most {limit}"), &found.to_string()))
}

fn colliding(what: &str, _: &Collisions) -> Error {
    invalid(what, "entries that differ in their hashes", "more than a thousand with one hash")
}

fn unsupported(expected: &str, found: &str) -> Error {
    Error::TokenizerUnsupported { expected: expected.into(), found: found.into() }
}
