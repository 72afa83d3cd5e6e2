//! What may stand in a file: size, a header that says what it is for, and nothing that belongs to one machine.

use crate::sources::{Source, extension};
use crate::{assert_clean, sources};

const HARD_LINES: usize = 500;
const SOFT_LINES: usize = 250;

/// Files that people write and read as code; data, lock files and golden texts are not.
fn is_code(path: &str) -> bool {
    if sources::is_data(path) {
        return false;
    }
    let script = path.starts_with(".ci/") && extension(path).is_empty() || path == "models/fetch";
    let kinds = ["rs", "ts", "tsx", "js", "mjs", "css", "html", "sh", "py", "awk"];
    script || kinds.contains(&extension(path))
}

fn lines(source: &Source) -> usize {
    source.text.lines().count()
}

fn check_size(source: &Source) -> Option<String> {
    let count = lines(source);
    (count > HARD_LINES).then(|| format!("{}: {count} lines, the limit is {HARD_LINES}", source.path))
}

/// The first line, or the one after `#!`, must open a comment that is about the whole file.
fn check_header(source: &Source) -> Option<String> {
    let first = source.text.lines().find(|line| !line.starts_with("#!/"))?.trim_start_matches('\u{feff}');
    let (known, openers): (bool, &[&str]) = match extension(&source.path) {
        "rs" => (true, &["//! ", "#![doc = include_str!("]),
        "ts" | "tsx" => (true, &["/**"]),
        "js" | "mjs" => (true, &["/**", "// "]),
        "py" => (true, &["\"\"\"", "# "]),
        "sh" | "awk" => (true, &["# "]),
        "" => (true, &["# ", "\"\"\""]),
        _ => (false, &[]),
    };
    let missing = known && !openers.iter().any(|opener| first.starts_with(opener));
    missing
        .then(|| format!("{}: the file does not start with a comment that says what it is for", source.path))
}

/// Put together from halves, so that this file does not break its own rule.
fn forbidden() -> Vec<(String, &'static str)> {
    let paths = [("/wo", "rk/"), ("/ro", "ot/"), ("/far", "m/"), ("/tmp", "/w/")];
    let hosts = [
        ("npm", "js."),
        ("crates", ".io"),
        ("pypi", ".org"),
        ("python", "hosted"),
        ("debian", ".org"),
        ("debian", ".net"),
    ];
    let words = [("sub", "agent"), ("helper", " session")];
    let join = |(a, b): (&str, &str)| format!("{a}{b}");
    let mut all: Vec<_> = paths.into_iter().map(|p| (join(p), "a path of one machine")).collect();
    all.extend(hosts.into_iter().map(|h| (join(h), "a registry's host name")));
    all.extend(words.into_iter().map(|w| (join(w), "talk about the workplace")));
    all
}

fn check_text(source: &Source, forbidden: &[(String, &str)]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (index, line) in source.text.lines().enumerate() {
        // Cargo writes the index's public repository as the source of every crate; it names no mirror.
        let line = line.replace("github.com/rust-lang/crates.io-index", "").to_lowercase();
        for (text, what) in forbidden {
            let starts_there = |at: usize| {
                !text.starts_with('/')
                    || !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-*".contains(c))
            };
            if line.match_indices(text.as_str()).any(|(at, _)| starts_there(at)) {
                complaints.push(format!("{}:{}: {what}: {text}", source.path, index + 1));
            }
        }
    }
    complaints
}

#[test]
fn files_are_small() {
    let code = sources::select(is_code);
    let mut long: Vec<_> = code.iter().filter(|source| lines(source) > SOFT_LINES).collect();
    long.sort_by_key(|source| std::cmp::Reverse(lines(source)));
    for source in long {
        println!("{:5} lines, aim for 200: {}", lines(source), source.path);
    }
    assert_clean(code.iter().filter_map(check_size).collect());
}

#[test]
fn files_say_what_they_are_for() {
    assert_clean(sources::select(is_code).iter().filter_map(check_header).collect());
}

#[test]
fn nothing_of_one_machine_is_in_the_repository() {
    let forbidden = forbidden();
    assert_clean(sources::texts().iter().flat_map(|source| check_text(source, &forbidden)).collect());
}

#[test]
fn bad_texts_are_found() {
    let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
    assert!(check_size(&source("a.rs", &"x\n".repeat(HARD_LINES + 1))).is_some());
    assert!(check_size(&source("a.rs", &"x\n".repeat(HARD_LINES))).is_none());
    for (path, text) in [
        ("a.rs", "use b;"),
        ("a.rs", "// a note"),
        ("a.ts", "import 'x';"),
        (".ci/a", "#!/bin/sh\necho"),
        ("a.py", "import b"),
    ] {
        assert!(check_header(&source(path, text)).is_some(), "{path}: {text}");
    }
    for (path, text) in
        [("a.rs", "//! Says."), ("a.ts", "/** Says. */"), (".ci/a", "#!/bin/sh\n# Says."), ("a.css", "p {}")]
    {
        assert!(check_header(&source(path, text)).is_none(), "{path}: {text}");
    }
    for (text, _) in forbidden() {
        let found = |line: String| check_text(&source("a.md", &line), &forbidden()).len();
        assert_eq!(found(format!("see {text}x")), 1, "{text}");
    }
    let harmless = "www/wo".to_owned() + "rk/x, registry+https://github.com/rust-lang/crates.io-index";
    assert_eq!(check_text(&source("Cargo.lock", &harmless), &forbidden()), Vec::<String>::new());
}
