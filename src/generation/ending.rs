//! Where an answer ends: with its line, or with the block that it fills.

use super::StopReason;

/// A tab counts as this many columns where indentations are compared.
const TAB_COLUMNS: usize = 4;

/// Decides how much of the generated text belongs to the answer.
///
/// The answer may begin with one line break where nothing follows the caret. It ends with its first line that has
/// text; in a block see [`Block`]. A second line break in a row ends it always, and so does a whole line that the
/// document goes on with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ending {
    /// Whether the answer may begin with a line break: only when nothing follows the caret on its line.
    pub may_break_first: bool,
    /// The caret's line up to the caret.
    pub line_start: Vec<u8>,
    /// The next line of the document that is not blank, without white space at its end; empty when there is none, or
    /// when it says no word.
    pub next_line: Vec<u8>,
    /// The block that the answer may fill, when it may have several lines.
    pub block: Option<Block>,
}

/// A block that was opened before the caret.
///
/// It ends before an empty line, before a line that is indented less than its first one, after the closers that stand
/// first on such a line, and after `max_lines` lines with text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Lines with text at most.
    pub max_lines: usize,
    /// Columns of the indentation of the line that opens it.
    pub outer_columns: usize,
}

/// A generated line.
struct Line<'t> {
    start: usize,
    /// Without the line break.
    text: &'t [u8],
    /// Whether the line break was generated.
    is_whole: bool,
    /// Bytes of white space that it begins with.
    indentation: usize,
}

impl Line<'_> {
    fn is_blank(&self) -> bool {
        self.indentation == self.text.len()
    }

    fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

impl Ending {
    /// The length at which `text` is cut, and why, when it has reached its end.
    pub fn of(&self, text: &[u8]) -> Option<(usize, StopReason)> {
        let max_lines = self.block.map_or(1, |block| block.max_lines);
        let mut start = 0;
        let mut lines = 0;
        let mut inner_columns = None;
        for piece in text.split_inclusive(|byte| *byte == b'\n') {
            let is_whole = piece.ends_with(b"\n");
            let line = &piece[..piece.len() - usize::from(is_whole)];
            let indentation = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let line = Line { start, text: line, is_whole, indentation };
            if line.is_blank() {
                match (is_whole, start) {
                    (false, _) => return None,
                    (true, 0) if !self.may_break_first => return Some((line.end(), StopReason::Line)),
                    (true, 0) => {}
                    _ => return Some((start - 1, StopReason::BlankLine)),
                }
            } else {
                let after_opener = start == 0 && !is_blank(&self.line_start);
                if let Some(block) = self.block.filter(|_| !after_opener) {
                    let columns = columns(&line.text[..indentation])
                        + if start == 0 { columns(&self.line_start) } else { 0 };
                    // A text that goes on behind the opener has its block below, deeper than the opener's line.
                    let least = inner_columns.unwrap_or(if lines > 0 { block.outer_columns + 1 } else { 0 });
                    if columns < least {
                        return left(&line, columns >= block.outer_columns);
                    }
                    inner_columns = inner_columns.or(Some(columns));
                }
                if !is_whole {
                    return None;
                }
                lines += 1;
                if self.is_next_line(&line) {
                    return Some((line.end(), StopReason::SuffixLine));
                }
                if lines == max_lines {
                    let reason = if max_lines == 1 { StopReason::Line } else { StopReason::MaxLines };
                    return Some((line.end(), reason));
                }
            }
            start += piece.len();
        }
        None
    }

    fn is_next_line(&self, line: &Line) -> bool {
        let before: &[u8] = if line.start == 0 { &self.line_start } else { b"" };
        let rest = self.next_line.strip_prefix(before);
        !self.next_line.is_empty() && rest == Some(line.text.trim_ascii_end())
    }
}

/// The end of a block at a line that is no longer inside: behind the closers that begin it, else before it.
fn left(line: &Line, may_close: bool) -> Option<(usize, StopReason)> {
    let body = &line.text[line.indentation..];
    let closers = body.iter().take_while(|byte| b")]};,".contains(byte)).count();
    if !may_close || !b")]}".contains(&body[0]) {
        return Some((line.start.saturating_sub(1), StopReason::Dedent));
    }
    let is_known = closers < body.len() || line.is_whole;
    is_known.then_some((line.start + line.indentation + closers, StopReason::BlockEnd))
}

/// The width of white space.
pub fn columns(indentation: &[u8]) -> usize {
    indentation.iter().map(|byte| if *byte == b'\t' { TAB_COLUMNS } else { 1 }).sum()
}

fn is_blank(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_whitespace)
}

#[cfg(test)]
mod tests;
