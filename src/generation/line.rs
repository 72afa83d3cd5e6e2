//! Where a one-line answer ends.

/// Decides, byte by byte, how much of the generated text belongs to the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRule {
    /// Whether the answer may begin with a line break: only when nothing follows the caret on its line.
    pub may_break_first: bool,
}

/// Blank lines before the answer's text that are tolerated.
const MAX_LEADING_BREAKS: usize = 2;

impl LineRule {
    /// The length at which `text` is cut when the rule ends it: at the first line break after a line with text,
    /// at a break that may not come first, or when only breaks come.
    pub fn end(self, text: &[u8]) -> Option<usize> {
        let mut breaks = 0;
        let mut has_text = false;
        for (index, byte) in text.iter().enumerate() {
            match byte {
                b'\n' if has_text || !self.may_break_first => return Some(index),
                b'\n' => {
                    breaks += 1;
                    if breaks > MAX_LEADING_BREAKS {
                        return Some(index);
                    }
                }
                b' ' | b'\t' | b'\r' => {}
                _ => has_text = true,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::LineRule;

    #[test]
    fn a_line_ends_at_the_break_after_text() {
        let rule = LineRule { may_break_first: true };
        assert_eq!(rule.end(b"a + b"), None);
        assert_eq!(rule.end(b"a + b\n"), Some(5));
        assert_eq!(rule.end(b"\n    return a"), None);
        assert_eq!(rule.end(b"\n    return a\n}"), Some(13));
        assert_eq!(rule.end(b"  \n  \n  \n x"), Some(8));
        let inside = LineRule { may_break_first: false };
        assert_eq!(inside.end(b"\n    return a"), Some(0));
        assert_eq!(inside.end(b"  \nx"), Some(2));
    }
}
