//! The document around the caret, and what an answer may be there: one line, or a block.

use super::CompletionRequest;
use crate::generation::{Block, Ending, columns};
use crate::postprocess::Language;

/// Words at the end of a line that open a block in shell, Ruby and Lua.
const OPENING_WORDS: [&str; 2] = ["do", "then"];

/// The text around the caret with line feeds only, and whether it had carriage returns.
#[derive(Debug)]
pub(super) struct Document {
    pub prefix: String,
    pub suffix: String,
    pub crlf: bool,
    /// By path and language identifier; `None` where they do not tell.
    pub language: Option<Language>,
}

impl Document {
    pub fn new(request: &CompletionRequest) -> Self {
        let CompletionRequest { prefix, suffix, .. } = request;
        // A caret between the two characters of a line break stands before the break.
        let prefix =
            if suffix.starts_with('\n') { prefix.strip_suffix('\r').unwrap_or(prefix) } else { prefix };
        let crlf = prefix.contains("\r\n") || suffix.contains("\r\n");
        let line_feeds = |text: &str| text.replace("\r\n", "\n");
        let language = Language::of(&request.path, &request.language_id);
        Self { prefix: line_feeds(prefix), suffix: line_feeds(suffix), crlf, language }
    }

    /// Where answers end here.
    ///
    /// An answer is a block of up to `max_lines` lines where nothing but white space follows the caret on its line,
    /// and that line, or the one above it if it is blank up to the caret, ends with an opener: a bracket, an arrow,
    /// `do` or `then`, or a colon (of Python and languages that are not known, of `case` and `default` in others).
    /// Everywhere else it is one line.
    pub fn ending(&self, max_lines: usize) -> Ending {
        let (line_rest, below) = self.suffix.split_once('\n').unwrap_or((&self.suffix, ""));
        let next_line = below.lines().map(str::trim_end).find(|line| !line.is_empty()).unwrap_or_default();
        let says_word = next_line.contains(char::is_alphanumeric);
        let mut above = self.prefix.rsplit('\n');
        let line_start = above.next().unwrap_or_default();
        let may_break_first = line_rest.trim().is_empty();
        let opener = if line_start.trim().is_empty() { above.next().unwrap_or_default() } else { line_start };
        let is_block = max_lines > 1 && may_break_first && self.opens_block(opener);
        let outer = &opener[..opener.len() - opener.trim_start().len()];
        Ending {
            may_break_first,
            line_start: line_start.into(),
            next_line: if says_word { next_line.into() } else { Vec::new() },
            block: is_block.then(|| Block { max_lines, outer_columns: columns(outer.as_bytes()) }),
        }
    }

    fn opens_block(&self, line: &str) -> bool {
        let line = line.trim();
        let has_colon_blocks = matches!(self.language, None | Some(Language::Hash));
        let is_label = line.starts_with("case ") || line.starts_with("default");
        let last_word = line.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        line.ends_with(['{', '(', '['])
            || line.ends_with("=>")
            || line.ends_with("->")
            || line.ends_with(':') && (has_colon_blocks || is_label)
            || OPENING_WORDS.contains(&last_word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(prefix: &str, suffix: &str, path: &str) -> Document {
        let (prefix, suffix, path) = (prefix.into(), suffix.into(), path.into());
        Document::new(&CompletionRequest { prefix, suffix, path, ..CompletionRequest::default() })
    }

    #[test]
    fn the_caret_never_stands_inside_a_line_break() {
        let split = document("a\r\nb\r", "\nc\r\n", "");
        assert_eq!((split.prefix.as_str(), split.suffix.as_str()), ("a\nb", "\nc\n"));
        assert!(split.crlf);
        assert!(!document("a\n", "\rb", "").crlf);
    }

    #[test]
    fn a_block_comes_only_after_an_opener() {
        for (text, path, is_block) in [
            ("def f():|\n", "a.py", true),
            ("def f():\n    |\n", "a.py", true),
            ("def f():\n|", "a.py", true),
            ("f(|  \nb", "a.py", true),
            ("x = [|", "a.js", true),
            ("const f = () =>|", "a.ts", true),
            ("match x {\n\t|\n}", "a.rs", true),
            ("    A =>|\n", "a.rs", true),
            ("switch (x) {\n  case 1:|", "a.c", true),
            ("if x; then|", "a.sh", true),
            ("for i in x; do\n|", "", true),
            ("def f():\r\n\t|\r\n", "a.py", true),
            ("foo:|", "", true),
            // No opener, a line between, or something behind the caret.
            ("x = 1|\n", "a.py", false),
            ("|", "", false),
            ("def f():\n\n|", "a.py", false),
            ("def f():\n    x|\n", "a.py", false),
            ("f(|)", "a.py", false),
            ("let a: u8 = {| }", "a.rs", false),
            ("let a:|", "a.ts", false),
            ("weirdo|", "a.rb", false),
        ] {
            let (prefix, suffix) = text.split_once('|').expect("a caret");
            let document = document(prefix, suffix, path);
            assert_eq!(document.ending(8).block.is_some(), is_block, "{text:?}");
            assert_eq!(document.ending(1).block, None);
        }
    }

    #[test]
    fn the_next_line_is_one_with_words() {
        let next = |suffix: &str| String::from_utf8(document("", suffix, "").ending(1).next_line);
        assert_eq!(next(" x\n\n  b = 1 \nc").as_deref(), Ok("  b = 1"));
        assert_eq!(next("\n  }\nc").as_deref(), Ok(""), "closers are left to the brackets' balance");
        assert_eq!(next("x").as_deref(), Ok(""));
    }
}
