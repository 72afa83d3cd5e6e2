//! Text that a line of code can hold: no broken or invisible characters, no trailing white space.

/// Cuts a text at the first character that no editor should get, and removes white space at the ends of its lines.
///
/// A replacement character stands for bytes that are not text; control characters other than tab and line feed do
/// not belong into code. What comes after them is not worth showing.
pub(super) fn clean(generated: &str) -> String {
    let text = generated.replace("\r\n", "\n");
    let is_foreign = |c: char| c == char::REPLACEMENT_CHARACTER || c.is_control() && c != '\n' && c != '\t';
    let text = text.split(is_foreign).next().unwrap_or_default();
    trim_line_ends(text)
}

/// Removes white space at the ends of lines, and empty lines at the end.
fn trim_line_ends(text: &str) -> String {
    let text = text.trim_end();
    let mut trimmed = String::with_capacity(text.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            trimmed.push('\n');
        }
        trimmed.push_str(line.trim_end());
    }
    trimmed
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn only_clean_lines_are_left() {
        for (generated, expected) in [
            ("a  \n  b\t\n\n", "a\n  b"),
            ("a\r\n b\r", "a\n b"),
            ("\n  a", "\n  a"),
            (" \n \n", ""),
            ("é😀\u{fffd}b", "é😀"),
            ("a\0b", "a"),
            ("\u{1b}[0m", ""),
            ("a\u{a0}\u{3000}", "a"),
            ("한글 b", "한글 b"),
        ] {
            assert_eq!(clean(generated), expected, "{generated:?}");
        }
    }
}
