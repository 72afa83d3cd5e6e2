//! Keys, tokens and private keys: by their published shapes, and by the name of what they are assigned to.

use super::secret_rules::{Alphabet, RULES, Rule, SECRET_NAMES};
use std::ops::Range;

/// A token that the end of the text cuts off counts from this length on.
const MIN_CUT_BYTES: usize = 16;
/// A token is not read further than this.
const MAX_BYTES: usize = 512;
/// Different bytes that a random token has at least; what people write as a placeholder has fewer.
const MIN_DIFFERENT_BYTES: usize = 8;
/// The lengths of a value that its name declares secret.
const VALUE_BYTES: Range<usize> = 20..151;
/// Digits and letters of such a value, each at least.
const MIN_DIGITS: usize = 3;

/// Finds secrets.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let mut places: Vec<_> = RULES.iter().flat_map(|rule| by_shape(text, rule)).collect();
    places.extend(private_keys(text));
    places.extend(web_tokens(text));
    places.extend(by_name(text));
    places
}

/// How many bytes from `start` on belong to an alphabet.
fn run(text: &[u8], start: usize, alphabet: Alphabet) -> usize {
    let bytes = text.get(start..).unwrap_or_default();
    bytes.iter().take(MAX_BYTES).take_while(|byte| alphabet.contains(**byte)).count()
}

/// Whether a word can start at a place.
fn starts_word(text: &[u8], at: usize) -> bool {
    !text[..at].last().is_some_and(|byte| Alphabet::Word.contains(*byte) || *byte >= 0x80)
}

/// Whether bytes look drawn by lot: many different ones, some of them digits or upper case amid lower case.
fn looks_random(token: &[u8]) -> bool {
    let mut seen = [false; 256];
    token.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    let different = seen.iter().filter(|seen| **seen).count();
    let is_mixed = token.iter().any(u8::is_ascii_digit)
        || token.iter().any(u8::is_ascii_lowercase) && token.iter().any(u8::is_ascii_uppercase);
    different >= MIN_DIFFERENT_BYTES && is_mixed && !token.ends_with(b"EXAMPLE")
}

/// Tokens with the prefix of a rule.
fn by_shape<'t>(text: &'t str, rule: &'t Rule) -> impl Iterator<Item = Range<usize>> + 't {
    let &(_, prefix, alphabet, least) = rule;
    let bytes = text.as_bytes();
    let starts = text.match_indices(prefix).filter(|(at, _)| starts_word(bytes, *at));
    starts.filter_map(move |(at, _)| {
        let start = at + prefix.len();
        let length = run(bytes, start, alphabet);
        let is_cut = start + length == text.len();
        let is_long = length >= least || is_cut && length >= MIN_CUT_BYTES;
        // A longer name that only begins like a token of one case.
        let ends = alphabet != Alphabet::Upper
            || bytes.get(start + length).is_none_or(|byte| !Alphabet::Word.contains(*byte));
        (is_long && ends && looks_random(&bytes[start..start + length])).then_some(at..start + length)
    })
}

/// Opens the header of a text in PEM form (RFC 7468).
const BEGIN: &str = "-----BEGIN";
/// A line of a key in PEM form is 64 bytes long; this much of it is enough.
const MIN_PEM_BYTES: usize = 32;

/// Whether a text goes on with a private key whose header stands in the document.
pub(super) fn continues_private_key(before: &str, text: &str) -> bool {
    let Some((_, block)) = before.rsplit_once(BEGIN) else { return false };
    let is_open = private_keys(&before[before.len() - block.len() - BEGIN.len()..]).next().is_some()
        && !block.contains("-----END");
    let bytes = text.trim_start().as_bytes();
    is_open
        && (0..bytes.len()).step_by(MIN_PEM_BYTES).any(|at| run(bytes, at, Alphabet::Any) >= MIN_PEM_BYTES)
}

/// Headers of private keys (gitleaks: `private-key`).
fn private_keys(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.match_indices(BEGIN).filter_map(|(at, _)| {
        let label = text[at + BEGIN.len()..].split("-----").next()?;
        let is_private = label.len() <= 64 && label.contains("PRIVATE KEY");
        is_private.then_some(at..at + BEGIN.len() + label.len())
    })
}

/// JSON web tokens (RFC 7519; gitleaks: `jwt`): two parts that are JSON objects in base64, and a signature.
fn web_tokens(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    text.match_indices("eyJ").filter(|(at, _)| starts_word(bytes, *at)).filter_map(|(at, _)| {
        let header = run(bytes, at, Alphabet::Word);
        let claims_at = at + header + 1;
        let is_token = header >= 17 && text[at + header..].starts_with(".eyJ");
        is_token.then(|| at..claims_at + run(bytes, claims_at, Alphabet::Any))
    })
}

/// Quoted values that look random and are assigned to a name such as `api_key`.
fn by_name(text: &str) -> Vec<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    let names =
        SECRET_NAMES.iter().flat_map(|name| lower.match_indices(name).map(|(at, name)| at + name.len()));
    names.filter_map(|end| assigned(text.as_bytes(), end)).collect()
}

/// The secret value that is assigned to the name which ends at a place, or a little after it.
fn assigned(text: &[u8], name_end: usize) -> Option<Range<usize>> {
    let skip = |at: usize, limit: usize, is_skipped: &dyn Fn(u8) -> bool| {
        at + text
            .get(at..)
            .unwrap_or_default()
            .iter()
            .take(limit)
            .take_while(|byte| is_skipped(**byte))
            .count()
    };
    let name_end = skip(name_end, 20, &|byte| Alphabet::Word.contains(byte));
    let sign = skip(name_end, 4, &|byte| b"\"' ]".contains(&byte));
    let after_sign = skip(sign, 3, &|byte| b"=:>".contains(&byte));
    let quote_at = skip(after_sign, 4, &|byte| byte == b' ');
    let quote = *text.get(quote_at).filter(|byte| b"\"'`".contains(byte))?;
    let start = quote_at + 1;
    let length = run(text, start, Alphabet::Any);
    let value = &text[start..start + length];
    let closes = text.get(start + length).is_none_or(|byte| *byte == quote);
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = value.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let is_secret = after_sign > sign
        && closes
        && VALUE_BYTES.contains(&length)
        && digits >= MIN_DIGITS
        && letters >= MIN_DIGITS
        && looks_random(value);
    is_secret.then_some(start..start + length)
}

#[cfg(test)]
mod tests {
    use super::{RULES, SECRET_NAMES, find};

    /// A token as random as a real one, which is none.
    fn random(length: usize) -> String {
        "q7Zk2Xw9Lr4Tn8Vb3Jc6".chars().cycle().take(length).collect()
    }

    #[test]
    fn the_tables_are_sorted() {
        assert!(RULES.is_sorted_by_key(|rule| (rule.0, rule.1)));
        assert!(SECRET_NAMES.is_sorted());
    }

    #[test]
    fn every_rule_finds_its_token_and_not_a_placeholder() {
        use super::Alphabet::{Hex, Upper};
        for rule in RULES {
            let token = match rule.2 {
                Hex => "7d2e9f04b61c".chars().cycle().take(rule.3).collect(),
                Upper => random(rule.3).to_uppercase(),
                _ => random(rule.3),
            };
            let text = format!("key = \"{}{token}\"", rule.1);
            assert!(!find(&text).is_empty(), "{text}");
            for placeholder in [&"x".repeat(rule.3), "", "..."] {
                let text = format!("f(\"{}{placeholder}\")", rule.1);
                assert!(find(&text).is_empty(), "{text}");
            }
            let inside = format!("x{}{token}", rule.1);
            assert!(find(&inside).is_empty(), "{inside}");
        }
    }

    #[test]
    fn secrets_are_found() {
        for text in [
            format!("-----BEGIN RSA PRIVATE KEY-----\n{}", random(64)),
            "key = \"-----BEGIN PRIVATE KEY".into(),
            format!("Bearer eyJhbGciOiJIUzI1NiJ9.eyJ{}.{}", random(30), random(40)),
            format!("ghp_{}", random(16)),
            format!("API_KEY = '{}'", random(24)),
            format!("\"client_secret\": \"{}\"", random(32)),
            format!("config['password'] = \"{}\"", random(20)),
        ] {
            assert!(!find(&text).is_empty(), "{text}");
        }
    }

    #[test]
    fn ordinary_code_has_no_secrets() {
        for text in [
            "token = get_token()",
            "struct sk_buff *skb = alloc_skb(len, GFP_KERNEL);",
            "NAKIAABCDEFGHIJKLMNOPQ1",
            "AKIAIOSFODNN7EXAMPLE",
            "AKIA_ACCOUNT_IDENTIFIER_1234",
            "-----BEGIN PUBLIC KEY-----",
            "-----BEGIN CERTIFICATE-----",
            "hf_hub_download(repo_id)",
            "npm_config_registry_url_for_all_scopes",
            "api_key = os.environ['OPENAI_API_KEY_2']",
            "password = \"correct horse battery staple\"",
            "token_url = 'https://x.org/oauth2/v1/token'",
            "secret_name = \"my-service-account-secret\"",
            "const token: Token = { kind: 'identifier' }",
            "sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'",
            "SKIP_1234567890123456789012345678901",
            "task-abcdefghijklmnopqrstuvwxyz012345678901234567890123",
            "eyJ = 1",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }
}
