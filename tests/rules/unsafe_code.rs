//! `unsafe` lives in `src/kernels` only, and each use says beside it why it is sound.

use crate::scan::tokens;
use crate::{assert_clean, sources};

fn check(path: &str, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let uses = tokens(text).into_iter().filter(|token| token.text == "unsafe");
    uses.filter_map(|token| {
        if !path.starts_with("src/kernels/") {
            Some(format!("{path}:{}: unsafe outside src/kernels", token.line))
        } else if !explained(&lines, token.line - 1) {
            Some(format!("{path}:{}: unsafe without a SAFETY comment", token.line))
        } else {
            None
        }
    })
    .collect()
}

/// Whether the line, or the comments and attributes right above its statement, give the reason.
fn explained(lines: &[&str], at: usize) -> bool {
    let gives_reason = |line: &str| line.contains("// SAFETY:") || line.contains("/// # Safety");
    if gives_reason(lines[at]) {
        return true;
    }
    for line in lines[..at].iter().rev().map(|line| line.trim()) {
        if gives_reason(line) {
            return true;
        }
        let comment = line.starts_with("//") || line.starts_with("#[");
        if line.is_empty() || !comment && line.ends_with([';', '{', '}', ',']) {
            return false;
        }
    }
    false
}

#[test]
fn unsafe_is_confined_and_explained() {
    let rust = sources::select(|path| path.ends_with(".rs") && !sources::is_data(path));
    assert_clean(rust.iter().flat_map(|source| check(&source.path, &source.text)).collect());
}

#[test]
fn bad_unsafe_is_found() {
    let bare = "fn f() {\n    unsafe { g() }\n}\n";
    let spent = "// SAFETY: for the first only\nunsafe { a() };\nunsafe { b() };\n";
    assert_eq!(check("src/model/block.rs", "// SAFETY: none\nunsafe { g() }").len(), 1);
    assert_eq!(check("src/kernels/dot.rs", bare).len(), 1);
    assert_eq!(check("src/kernels/dot.rs", spent).len(), 1);
}

#[test]
fn explained_unsafe_passes() {
    let good = "// SAFETY: the length was checked\n#[inline]\nlet x =\n    unsafe { g() };\n/// # Safety\n/// Needs SIMD.\nunsafe fn g() {}\n";
    assert_eq!(check("src/kernels/dot.rs", good), Vec::<String>::new());
    assert_eq!(
        check("src/model/block.rs", "// unsafe is only spoken of\nlet a = \"unsafe\";"),
        Vec::<String>::new()
    );
}
