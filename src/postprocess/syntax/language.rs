//! Which comment and quote rules a text follows: by its file's name or the editor's identifier, else by its look.

/// Lines that are looked at.
const MAX_LINES: usize = 200;

/// Families of languages that share comments and quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// `#` comments: Python, shell, Ruby, YAML.
    Hash,
    /// `//` comments: JavaScript, TypeScript, C, Java, Go.
    Slash,
    /// `//` comments, and `'` is a lifetime more often than a quote.
    Rust,
    /// `--` comments: SQL, Lua, Haskell.
    Dash,
    /// Prose: neither comments nor strings, so that apostrophes are letters.
    Text,
    /// Too little text to tell.
    Unknown,
}

/// Extensions and identifiers of editors, sorted by family.
const NAMES: &[(Language, &str)] = &[
    (
        Language::Hash,
        "py pyi pyw python sh bash zsh shellscript rb ruby yml yaml toml r pl perl ex exs elixir nim jl julia ps1 \
         powershell makefile mk dockerfile cmake gd gitignore coffee coffeescript",
    ),
    (
        Language::Slash,
        "js mjs cjs jsx javascript javascriptreact ts mts cts tsx typescript typescriptreact c h cc cpp cxx hpp cs \
         csharp java kt kts kotlin go swift scala dart php json jsonc css scss less glsl zig m mm objective-c proto \
         groovy gradle",
    ),
    (Language::Rust, "rs rust"),
    (Language::Dash, "sql lua hs haskell elm ada vhdl"),
    (Language::Text, "txt text plaintext md markdown rst adoc tex latex"),
];

impl Language {
    /// The family by a path's extension (or name), or else by an editor's language identifier.
    pub fn of(path: &str, language_id: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        let extension = name.rsplit('.').next().unwrap_or_default();
        [extension, language_id].into_iter().find_map(|word| {
            let is_named = |names: &str| names.split(' ').any(|name| name.eq_ignore_ascii_case(word));
            NAMES.iter().find(|(_, names)| is_named(names)).map(|(language, _)| *language)
        })
    }

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
    fn names_tell_the_language() {
        for (path, language_id, expected) in [
            ("a/b.PY", "", Some(Language::Hash)),
            ("C:\\x\\Makefile", "", Some(Language::Hash)),
            ("", "typescriptreact", Some(Language::Slash)),
            ("lib.rs", "plaintext", Some(Language::Rust)),
            ("x.unknown", "sql", Some(Language::Dash)),
            ("README.md", "", Some(Language::Text)),
            ("x.unknown", "", None),
            ("", "", None),
        ] {
            assert_eq!(Language::of(path, language_id), expected, "{path} {language_id}");
        }
    }

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
