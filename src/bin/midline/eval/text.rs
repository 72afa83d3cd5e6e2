//! Comparing a suggestion with the text that stood there.

/// The first line, or the second if the text starts with a line break; without spaces at its ends.
pub fn one_line(text: &str) -> &str {
    let text = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text);
    text.lines().next().unwrap_or_default().trim()
}

/// 1 - Levenshtein distance / length of the longer text, in characters; 1 for two empty texts.
pub fn edit_similarity(a: &str, b: &str) -> f64 {
    let (a, b): (Vec<_>, Vec<_>) = (a.chars().collect(), b.chars().collect());
    let longer = a.len().max(b.len());
    if longer == 0 {
        return 1.0;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (index, left) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, right) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(left != right);
            diagonal = row[column + 1];
            row[column + 1] = substituted.min(diagonal + 1).min(row[column] + 1);
        }
    }
    1.0 - row[b.len()] as f64 / longer as f64
}

/// Characters that both texts begin with.
pub fn common_prefix(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

/// Whether a target says little about a model: only brackets and the like, or one of a few words that most often
/// stand alone.
pub fn is_trivial(target: &str) -> bool {
    let is_sign = |c: char| !c.is_alphanumeric() && c != '_';
    // `} else {` is as little a choice as `else:`.
    ["", "else", "try", "pass", "break", "continue"].contains(&target.trim_matches(is_sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_taken_from_a_text() {
        for (text, line) in [
            ("  a + b\nc", "a + b"),
            ("\n    return a\nx", "return a"),
            ("\r\n\tx\r\ny", "x"),
            ("", ""),
            ("\n\nx", ""),
        ] {
            assert_eq!(one_line(text), line, "{text:?}");
        }
    }

    // Expected values: rapidfuzz 3.14.6 `Levenshtein.normalized_similarity`.
    #[test]
    fn edit_similarity_agrees_with_rapidfuzz() {
        for (a, b, expected) in [
            ("", "", 1.0),
            ("abc", "", 0.0),
            ("kitten", "sitting", 0.571_428_571_428_571_4),
            ("return a + b", "return a - b", 0.916_666_666_666_666_6),
            ("naïve 😀", "naive", 0.571_428_571_428_571_4),
        ] {
            assert!((edit_similarity(a, b) - expected).abs() < 1e-12, "{a} {b}");
            assert!((edit_similarity(b, a) - expected).abs() < 1e-12, "{b} {a}");
        }
    }

    #[test]
    fn common_starts_are_counted_in_characters() {
        assert_eq!(common_prefix("naïve", "naïf"), 3);
        assert_eq!(common_prefix("", "x"), 0);
    }

    #[test]
    fn trivial_targets_are_told_apart() {
        for trivial in ["", "}", "  });", "else:", "} else {", "try {", "    pass", "break;", "continue"] {
            assert!(is_trivial(trivial), "{trivial:?}");
        }
        for target in ["return x", "else if (a) {", "x = []", "_", "} catch (error) {"] {
            assert!(!is_trivial(target), "{target:?}");
        }
    }
}
