//! Which comment and quote rules a text follows, judged by its look.

/// Lines that are looked at.
const MAX_LINES: usize = 200;

/// Families of languages that share comments and quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::postprocess) enum Language {
    /// `#` comments: Python, shell, Ruby, YAML.
    Hash,
    /// `//` comments: JavaScript, TypeScript, C, Java, Go.
    Slash,
    /// `//` comments, and `'` is a lifetime more often than a quote.
    Rust,
    /// Too little text to tell.
    Unknown,
}

impl Language {
    /// Guesses from lines near the caret.
    pub fn guess<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let (mut hash, mut slash, mut rust) = (0, 0, 0);
        for line in lines.take(MAX_LINES).map(str::trim) {
            let starts = |words: &[&str]| usize::from(words.iter().any(|word| line.starts_with(word)));
            let ends = |ends: &[char]| usize::from(line.ends_with(ends));
            hash += ends(&[':'])
                + starts(&["def ", "elif ", "import ", "from ", "# ", "#!", "self.", "fi", "done"]);
            slash += ends(&[';', '{', '}'])
                + starts(&["//", "const ", "function ", "var ", "export ", "#include"]);
            rust += 2 * starts(&[
                "fn ", "pub ", "impl", "use ", "let mut ", "#[", "mod ", "unsafe ", "///", "//!",
            ]);
        }
        // Rust's lines end like those of its relatives.
        rust += if rust > 0 { slash } else { 0 };
        match hash.max(slash).max(rust) {
            0 => Self::Unknown,
            most if most == rust => Self::Rust,
            most if most == hash => Self::Hash,
            _ => Self::Slash,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Language;

    #[test]
    fn languages_look_different() {
        let guess = |text: &str| Language::guess(text.lines());
        assert_eq!(guess("def f(x):\n    return x  # half\n"), Language::Hash);
        assert_eq!(guess("if [ -f x ]; then\n  rm x\nfi\n# done\n"), Language::Hash);
        assert_eq!(guess("const a = 1;\nfunction f() {\n}\n"), Language::Slash);
        assert_eq!(guess("import x from 'y';\nfoo();\n"), Language::Slash);
        assert_eq!(guess("#include <a.h>\nint main() {\n"), Language::Slash);
        assert_eq!(guess("use a::b;\n\npub fn f<'a>(x: &'a str) {\n    x\n}\n"), Language::Rust);
        assert_eq!(guess("x = y"), Language::Unknown);
        assert_eq!(guess(""), Language::Unknown);
    }
}
