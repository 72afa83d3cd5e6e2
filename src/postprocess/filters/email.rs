//! E-mail addresses of people. Not: decorators, matrix products, versions, places reserved for examples.

use std::ops::Range;

/// Top-level domains that count, sorted. Those that are also endings of file names or common attributes are left out,
/// because `a@b.real` is a matrix product and `icon@2x.rs` a file. Source: IANA's root zone database.
const TOP_LEVEL: &[&str] = &[
    "ai", "app", "at", "au", "be", "biz", "br", "ca", "ch", "cloud", "cn", "co", "com", "cz", "de", "dev",
    "dk", "edu", "es", "eu", "fi", "fr", "gov", "gr", "hk", "hu", "ie", "in", "info", "int", "io", "it",
    "jp", "kr", "me", "mil", "mx", "net", "nl", "no", "nz", "org", "pl", "pt", "ro", "ru", "se", "tech",
    "tr", "tv", "ua", "uk", "us", "xyz", "za",
];

/// Domains that nobody owns (RFC 2606, RFC 6761).
const RESERVED: &[&str] = &["example.com", "example.net", "example.org"];

/// Longest parts that are looked at, in bytes (RFC 5321).
const MAX_LOCAL_BYTES: usize = 64;
const MAX_DOMAIN_BYTES: usize = 255;

/// Finds e-mail addresses.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    text.match_indices('@').filter_map(|(at, _)| address(bytes, at)).collect()
}

/// The address around the `@` at a place.
fn address(text: &[u8], at: usize) -> Option<Range<usize>> {
    let is_local = |byte: &&u8| byte.is_ascii_alphanumeric() || b"._%+-".contains(byte);
    let is_domain = |byte: &&u8| byte.is_ascii_alphanumeric() || b".-".contains(byte);
    let local_length = text[..at].iter().rev().take(MAX_LOCAL_BYTES + 1).take_while(is_local).count();
    let domain_length = text[at + 1..].iter().take(MAX_DOMAIN_BYTES + 1).take_while(is_domain).count();
    let (start, end) = (at - local_length, at + 1 + domain_length);
    let (local, next) = (&text[start..at], text.get(end));
    let domain = std::str::from_utf8(&text[at + 1..end]).ok()?.trim_end_matches(['.', '-']);
    let (name, top) = domain.rsplit_once('.')?;
    let label = name.rsplit('.').next().unwrap_or_default();
    let is_call_or_remote = next.is_some_and(|byte| b"([_:@".contains(byte));
    let is_address = (2..=MAX_LOCAL_BYTES).contains(&local.len())
        && local[0].is_ascii_alphanumeric()
        && TOP_LEVEL.binary_search(&top).is_ok()
        && label.len() >= 2
        && label.bytes().any(|byte| byte.is_ascii_alphabetic());
    let is_reserved = RESERVED.iter().any(|reserved| {
        domain.strip_suffix(reserved).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    });
    (is_address && !is_reserved && !is_call_or_remote).then_some(start..at + 1 + domain.len())
}

#[cfg(test)]
mod tests {
    use super::{TOP_LEVEL, find};

    #[test]
    fn addresses_are_told_from_code() {
        assert!(TOP_LEVEL.is_sorted());
        for text in ["mail = 'jane.doe@corp.com'", "# by j_d+x@mail.uni-x.de.", "<abc@gmail.com>"] {
            assert_eq!(find(text).len(), 1, "{text}");
        }
        assert_eq!(&"to jane@corp.com."[find("to jane@corp.com.")[0].clone()], "jane@corp.com");
        for text in [
            "@app.route('/')",
            "@property.setter",
            "y = a@b",
            "x = W@x.real",
            "h = weights@inputs.mT",
            "q = aa@bb.co(dtype)",
            "npm i pkg@1.2.3",
            "'@types/node': '1'",
            "icon@2x.png",
            "git@github.com:org/repo",
            "user@example.com",
            "a.b@mail.example.org",
            "root@localhost",
            "uses: actions/checkout@v4",
            "@",
            "a@",
            "é@b.com",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }
}
