//! From generated text to insertable text. Pure functions over strings.

/// Why a generated text is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rejection {
    /// Nothing but white space was generated.
    Blank,
    /// The text after the caret already says it.
    AlreadyThere,
}

impl Rejection {
    /// The reason in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::AlreadyThere => "already-after-caret",
        }
    }
}

/// Makes a generated text insertable before `rest_of_line`, the text between the caret and the end of its line.
///
/// Trailing white space goes. When the end of the text repeats the start of what follows, it is cut there, so
/// that accepting never doubles a closing bracket.
///
/// # Errors
/// The reason when nothing is left to insert.
pub fn insertable(generated: &str, rest_of_line: &str) -> Result<String, Rejection> {
    let text = generated.trim_end();
    if text.is_empty() {
        return Err(Rejection::Blank);
    }
    let following = rest_of_line.trim_end();
    if following.trim_start().is_empty() {
        return Ok(text.to_owned());
    }
    let overlap =
        text.char_indices().map(|(index, _)| index).find(|index| following.starts_with(&text[*index..]));
    match overlap {
        Some(0) => Err(Rejection::AlreadyThere),
        Some(index) => Ok(text[..index].to_owned()),
        None => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Rejection, insertable};

    #[test]
    fn never_repeats_what_follows_the_caret() {
        let shown = |generated, rest| insertable(generated, rest);
        assert_eq!(shown("a + b", ""), Ok("a + b".into()));
        assert_eq!(shown("a + b  ", "\r"), Ok("a + b".into()));
        assert_eq!(shown("a, b)", ")"), Ok("a, b".into()));
        assert_eq!(shown("a, b) {", ") {"), Ok("a, b".into()));
        assert_eq!(shown("f(a)", ")"), Ok("f(a".into()));
        assert_eq!(shown(")", ")"), Err(Rejection::AlreadyThere));
        assert_eq!(shown(" \t", ")"), Err(Rejection::Blank));
        assert_eq!(shown("x", ")"), Ok("x".into()));
        assert_eq!(shown("é😀)", ")"), Ok("é😀".into()));
    }
}
