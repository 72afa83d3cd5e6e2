//! Walks over text and knows at every byte whether it is code, and which brackets are open.
//!
//! It works on bytes: all it looks for is ASCII, which never occurs inside another character of UTF-8.

use super::Language;

/// How far below the innermost bracket a closer looks for its partner.
const MAX_SKIPPED: usize = 64;

/// What a place in a text belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::postprocess) enum Mode {
    /// Code, where brackets count.
    Code,
    /// A comment up to the end of its line.
    LineComment,
    /// A comment up to `*/`.
    BlockComment,
    /// A string up to this quote or the end of its line.
    Quoted(u8),
    /// A string up to three of this quote.
    Tripled(u8),
    /// A string up to a back-tick, with code in `${}`.
    Template,
    /// A Rust string up to `"#`.
    Raw,
}

/// The brackets that are open after some text, and what the text's end is inside of.
#[derive(Debug, Clone)]
pub(in crate::postprocess) struct Scanner {
    language: Language,
    /// What the next byte belongs to.
    pub mode: Mode,
    /// The closers that are owed, innermost last. `$` is owed to a template's `${`, and paid with `}`.
    pub owed: Vec<u8>,
    /// How many of `owed` were owed already where [`Self::mark`] was called.
    pub inherited: usize,
    /// Closers that fit no opener, and openers that a closer of another kind skipped.
    pub wrong: usize,
    /// Closers met while nothing was owed, in order.
    pub unpaid: Vec<u8>,
    /// Strings that a line's end cut off.
    pub cut_strings: usize,
    string_is_inherited: bool,
}

impl Scanner {
    /// A scanner at a place in the given mode.
    pub fn new(language: Language, mode: Mode) -> Self {
        let (owed, unpaid) = (Vec::new(), Vec::new());
        Self {
            language,
            mode,
            owed,
            inherited: 0,
            wrong: 0,
            unpaid,
            cut_strings: 0,
            string_is_inherited: false,
        }
    }

    /// What is open here counts as inherited from now on; what went wrong so far is forgotten.
    pub fn mark(&mut self) {
        self.inherited = self.owed.len();
        self.string_is_inherited = self.mode != Mode::Code;
        (self.wrong, self.cut_strings) = (0, 0);
        self.unpaid.clear();
    }

    /// Reads a whole text.
    pub fn read(&mut self, text: &str) {
        let mut at = 0;
        while at < text.len() {
            at = self.step(text.as_bytes(), at).0;
        }
    }

    /// Reads the byte at `at`, or more where they belong together. Gives the next place, and whether what was read
    /// closes a bracket or a string that was not opened since [`Self::mark`].
    pub fn step(&mut self, text: &[u8], at: usize) -> (usize, bool) {
        let (byte, rest) = (text[at], &text[at + 1..]);
        let mut length = 1;
        let mut ends_string = false;
        match self.mode {
            Mode::Code => return self.code(text, at),
            Mode::LineComment if byte == b'\n' => self.mode = Mode::Code,
            Mode::BlockComment if byte == b'*' && rest.starts_with(b"/") => {
                (self.mode, length) = (Mode::Code, 2);
            }
            Mode::Quoted(_) if byte == b'\n' => {
                self.mode = Mode::Code;
                self.cut_strings += 1;
            }
            Mode::Quoted(_) | Mode::Tripled(_) | Mode::Template if byte == b'\\' => length = 2,
            Mode::Quoted(quote) if byte == quote => (self.mode, ends_string) = (Mode::Code, true),
            Mode::Tripled(quote) if byte == quote && rest.starts_with(&[quote, quote]) => {
                (self.mode, ends_string, length) = (Mode::Code, true, 3);
            }
            Mode::Template if byte == b'`' => (self.mode, ends_string) = (Mode::Code, true),
            Mode::Template if byte == b'$' && rest.starts_with(b"{") => {
                self.owed.push(b'$');
                (self.mode, length) = (Mode::Code, 2);
            }
            Mode::Raw if byte == b'"' && rest.starts_with(b"#") => {
                (self.mode, ends_string, length) = (Mode::Code, true, 2);
            }
            _ => {}
        }
        let is_inherited = self.string_is_inherited;
        self.string_is_inherited &= self.mode != Mode::Code;
        ((at + length).min(text.len()), ends_string && is_inherited)
    }

    fn code(&mut self, text: &[u8], at: usize) -> (usize, bool) {
        let (byte, rest) = (text[at], &text[at + 1..]);
        let previous = text[..at].last().copied().unwrap_or(b'\n');
        let mut length = 1;
        match byte {
            b'(' => self.owed.push(b')'),
            b'[' => self.owed.push(b']'),
            b'{' => self.owed.push(b'}'),
            b')' | b']' | b'}' => return (at + 1, self.pay(byte)),
            _ if self.language == Language::Text => {}
            b'-' if self.language == Language::Dash && rest.starts_with(b"-") => {
                self.mode = Mode::LineComment
            }
            b'/' if rest.starts_with(b"/") && self.slashes_comment(previous) => self.mode = Mode::LineComment,
            b'/' if rest.starts_with(b"*") && self.language != Language::Hash => {
                (self.mode, length) = (Mode::BlockComment, 2);
            }
            b'/' if self.language == Language::Slash => length = regex_length(text, at).unwrap_or(1),
            b'#' if self.hash_comments(previous, rest) => self.mode = Mode::LineComment,
            b'"' if self.language == Language::Rust && text[..at].ends_with(b"r#") => self.mode = Mode::Raw,
            b'"' | b'\'' if self.language != Language::Rust && rest.starts_with(&[byte, byte]) => {
                (self.mode, length) = (Mode::Tripled(byte), 3);
            }
            b'"' => self.mode = Mode::Quoted(b'"'),
            b'\'' if self.opens_string(&text[..at], rest) => self.mode = Mode::Quoted(b'\''),
            b'`' if matches!(self.language, Language::Slash | Language::Unknown) => {
                self.mode = Mode::Template
            }
            _ => {}
        }
        (at + length, false)
    }

    /// Takes the closer's partner from what is owed; tells whether that was inherited, or missing.
    fn pay(&mut self, closer: u8) -> bool {
        let pays = |owed: u8| owed == closer || owed == b'$' && closer == b'}';
        let Some(&innermost) = self.owed.last() else {
            self.unpaid.push(closer);
            return true;
        };
        let place = self.owed.iter().rev().take(MAX_SKIPPED).position(|owed| pays(*owed));
        let Some(skipped) = place else {
            self.wrong += 1;
            return true;
        };
        if skipped == 0 && innermost == b'$' {
            self.mode = Mode::Template;
        }
        self.wrong += skipped;
        self.owed.truncate(self.owed.len() - 1 - skipped);
        let is_inherited = self.owed.len() < self.inherited;
        self.inherited = self.inherited.min(self.owed.len());
        is_inherited
    }

    fn slashes_comment(&self, previous: u8) -> bool {
        match self.language {
            Language::Hash | Language::Dash | Language::Text => false,
            Language::Slash | Language::Rust => true,
            Language::Unknown => previous != b':',
        }
    }

    fn hash_comments(&self, previous: u8, rest: &[u8]) -> bool {
        let stands_free = previous.is_ascii_whitespace();
        match self.language {
            Language::Hash => stands_free || !matches!(previous, b'$' | b'{'),
            Language::Slash | Language::Rust | Language::Dash | Language::Text => false,
            Language::Unknown => stands_free && matches!(rest.first(), Some(b' ' | b'!') | None),
        }
    }

    /// Whether `'` opens a string: not as an apostrophe, a digit separator or a Rust lifetime.
    fn opens_string(&self, before: &[u8], rest: &[u8]) -> bool {
        let word =
            before.iter().rev().take(4).take_while(|byte| byte.is_ascii_alphanumeric() || byte >= &&0x80);
        let mut word_length = 0;
        let is_prefix = word.inspect(|_| word_length += 1).all(|byte| b"bBfFrRuULt".contains(byte));
        if !is_prefix || word_length > 2 {
            return false;
        }
        let starts_name = rest.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        let name_length =
            rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let closes_at_once = rest.get(name_length) == Some(&b'\'');
        match self.language {
            Language::Rust => !starts_name || closes_at_once,
            _ => !(starts_name && !closes_at_once && matches!(before.last(), Some(b'&' | b'<'))),
        }
    }
}

/// The length of a JavaScript regular expression that starts at `at`, if one does: a slash where no operand can
/// have ended, and a second one on the same line.
fn regex_length(text: &[u8], at: usize) -> Option<usize> {
    let before = text[..at].iter().rev().take(64).find(|byte| !matches!(byte, b' ' | b'\t'));
    if before.is_some_and(|byte| !b"(,=:[!&|?{};\n".contains(byte)) {
        return None;
    }
    let (mut in_class, mut escaped) = (false, false);
    for (index, byte) in text[at + 1..].iter().take(256).enumerate() {
        match byte {
            b'\n' => return None,
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => return Some(index + 2),
            _ => {}
        }
    }
    None
}
