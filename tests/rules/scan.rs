//! Just enough of Rust's lexical grammar to tell code from comments and strings.

/// A word (identifier, keyword, number) or one character of punctuation, with its line counted from 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    pub line: usize,
    pub text: String,
}

/// Splits Rust code into tokens; comments, strings and character literals are left out.
pub fn tokens(code: &str) -> Vec<Token> {
    let chars: Vec<char> = code.chars().collect();
    let mut found = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < chars.len() {
        let end = match skip_literal(&chars, at) {
            Some(end) => end,
            None if is_word(chars[at]) => {
                let end = (at..chars.len()).find(|&i| !is_word(chars[i])).unwrap_or(chars.len());
                found.push(Token { line, text: chars[at..end].iter().collect() });
                end
            }
            None => {
                if !chars[at].is_whitespace() {
                    found.push(Token { line, text: chars[at].to_string() });
                }
                at + 1
            }
        };
        line += chars[at..end].iter().filter(|&&c| c == '\n').count();
        at = end;
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The end of the comment, string or character literal that starts at `at`, if one does.
fn skip_literal(chars: &[char], at: usize) -> Option<usize> {
    let peek = |offset: usize| chars.get(at + offset).copied().unwrap_or('\0');
    match (peek(0), peek(1)) {
        ('/', '/') => Some((at..chars.len()).find(|&i| chars[i] == '\n').unwrap_or(chars.len())),
        ('/', '*') => Some(block_comment_end(chars, at)),
        ('"', _) => Some(quoted_end(chars, at, '"')),
        ('r', '"' | '#') => raw_string_end(chars, at + 1),
        ('b', 'r') if matches!(peek(2), '"' | '#') => raw_string_end(chars, at + 2),
        ('b' | 'c', '"') => Some(quoted_end(chars, at + 1, '"')),
        // `'a'` and `'\n'` are characters, `'a` is a lifetime.
        ('\'', '\\') => Some(quoted_end(chars, at, '\'')),
        ('\'', _) if peek(2) == '\'' => Some(at + 3),
        _ => None,
    }
}

fn block_comment_end(chars: &[char], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0);
    while at + 1 < chars.len() {
        match (chars[at], chars[at + 1]) {
            ('/', '*') => (at, depth) = (at + 2, depth + 1),
            ('*', '/') => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    chars.len()
}

fn quoted_end(chars: &[char], start: usize, quote: char) -> usize {
    let mut at = start + 1;
    while at < chars.len() && chars[at] != quote {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(chars.len())
}

/// `hashes` is the index after the `r`; `None` for a raw identifier such as `r#type`.
fn raw_string_end(chars: &[char], hashes: usize) -> Option<usize> {
    let count = chars[hashes..].iter().take_while(|&&c| c == '#').count();
    let open = hashes + count;
    if chars.get(open) != Some(&'"') {
        return None;
    }
    let closes = |i: usize| {
        chars[i] == '"' && chars[i + 1..].iter().take(count).filter(|&&c| c == '#').count() == count
    };
    Some((open + 1..chars.len()).find(|&i| closes(i)).map_or(chars.len(), |i| i + 1 + count))
}

#[test]
fn comments_strings_and_characters_are_not_code() {
    let code = r##"a "b \" c" 'd' '\'' 'e r#"f " g"# // h
/* i /* j */ k */ l::m b"n" r#type"##;
    let words: Vec<String> = tokens(code).into_iter().map(|t| t.text).collect();
    assert_eq!(words, ["a", "'", "e", "l", ":", ":", "m", "r", "#", "type"]);
    assert_eq!(tokens("\"two\nlines\" end").last().map(|t| t.line), Some(2));
}
