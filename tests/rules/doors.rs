//! Which room of `src/` may use which, and which outside crates. The table is the one in `src/README.md`.

use crate::scan::{Token, tokens};
use crate::{assert_clean, sources};

/// Room, and the rooms it may use besides itself; in the order of the table in `src/README.md`, with which it is compared.
const DOORS: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("quant", &["error"]),
    ("gguf", &["quant", "error"]),
    ("kernels", &["quant", "error"]),
    ("tokenizer", &["gguf", "error"]),
    ("model", &["kernels", "quant", "gguf", "error"]),
    ("prompt", &["tokenizer", "error"]),
    ("generation", &["error"]),
    ("postprocess", &[]),
    (
        "engine",
        &["error", "quant", "gguf", "kernels", "tokenizer", "model", "prompt", "generation", "postprocess"],
    ),
    ("wire", &["engine", "error"]),
    ("wasm", &["engine", "wire", "gguf", "kernels", "error"]),
    ("bin", &["engine", "wire", "gguf", "kernels", "error"]),
];

/// Outside crate (or part of the standard library), and the only rooms that may name it.
const OUTSIDE: &[(&[&str], &[&str])] = &[
    (&["burn"], &["model"]),
    (&["wasm_bindgen"], &["wasm"]),
    (&["wasm_bindgen_futures"], &["wasm"]),
    (&["serde_wasm_bindgen"], &["wasm"]),
    (&["js_sys"], &["wasm"]),
    (&["web_sys"], &["wasm"]),
    (&["serde"], &["wire", "wasm", "bin"]),
    (&["serde_json"], &["wire", "bin"]),
    (&["lexopt"], &["bin"]),
    (&["std", "arch"], &["kernels"]),
    (&["core", "arch"], &["kernels"]),
];

/// The module path that a file defines: `src/gguf/cursor.rs` is `[gguf, cursor]`.
fn module_path(path: &str) -> Vec<&str> {
    let inner = path.trim_start_matches("src/").trim_end_matches(".rs");
    let mut parts: Vec<&str> = inner.split('/').collect();
    if matches!(parts.last(), Some(&("mod" | "lib" | "main"))) {
        parts.pop();
    }
    parts
}

fn check(path: &str, text: &str) -> Vec<String> {
    let here = module_path(path);
    let Some(&room) = here.first() else { return Vec::new() }; // lib.rs opens every room
    let Some((_, open)) = DOORS.iter().find(|(name, _)| *name == room) else {
        return vec![format!("{path}: room {room} has no row in tests/rules/doors.rs")];
    };
    let code = tokens(text);
    let mut complaints = Vec::new();
    let mut nested: Vec<(String, usize)> = Vec::new();
    let mut depth = 0;
    for at in 0..code.len() {
        let line = code[at].line;
        match word(&code, at) {
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                nested.retain(|(_, outer)| *outer < depth);
            }
            "mod" if word(&code, at + 2) == "{" => nested.push((word(&code, at + 1).to_owned(), depth)),
            "crate" | "midline" | "super" => {
                for used in rooms_used(&code, at, here.len() + nested.len(), room) {
                    if used != room
                        && !open.contains(&used.as_str())
                        && DOORS.iter().any(|(name, _)| *name == used)
                    {
                        complaints.push(format!("{path}:{line}: {room} has no door to {used}"));
                    }
                }
            }
            _ => {}
        }
        let in_tests = nested.iter().any(|(name, _)| name == "tests");
        complaints.extend(
            outside(&code, at, room, in_tests)
                .map(|name| format!("{path}:{line}: {room} must not know {name}")),
        );
    }
    complaints
}

fn word(code: &[Token], at: usize) -> &str {
    code.get(at).map_or("", |token| token.text.as_str())
}

fn is_path_separator(code: &[Token], at: usize) -> bool {
    word(code, at) == ":" && word(code, at + 1) == ":"
}

/// The top-level modules that the path starting at `at` leads to; empty if it stays below the top level.
fn rooms_used(code: &[Token], at: usize, depth: usize, room: &str) -> Vec<String> {
    let (mut at, mut climbs) = (at, depth);
    match word(code, at) {
        "midline" if room != "bin" => return Vec::new(),
        "crate" if room == "bin" => return Vec::new(), // the program's own modules
        "super" => {
            // The first `super` of a chain speaks for the whole chain.
            if at >= 3 && word(code, at - 3) == "super" && is_path_separator(code, at - 2) {
                return Vec::new();
            }
            climbs = 1;
            while is_path_separator(code, at + 1) && word(code, at + 3) == "super" {
                (at, climbs) = (at + 3, climbs + 1);
            }
        }
        _ => {}
    }
    if !is_path_separator(code, at + 1) || climbs < depth || room == "bin" && word(code, at) == "super" {
        return Vec::new();
    }
    if word(code, at + 3) == "{" { group_heads(code, at + 4) } else { vec![word(code, at + 3).to_owned()] }
}

/// The first word of every entry of a `{a::b, c}` group.
fn group_heads(code: &[Token], start: usize) -> Vec<String> {
    let (mut heads, mut at, mut depth, mut fresh) = (Vec::new(), start, 1, true);
    while at < code.len() {
        match word(code, at) {
            "{" => depth += 1,
            "}" => depth -= 1,
            "," if depth == 1 => fresh = true,
            name if fresh => {
                heads.push(name.to_owned());
                fresh = false;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
        at += 1;
    }
    heads
}

/// The restricted outside crate that is named at `at`, if this room may not; unit tests may use what they need.
fn outside(code: &[Token], at: usize, room: &str, in_tests: bool) -> Option<String> {
    if in_tests || at >= 2 && is_path_separator(code, at - 2) {
        return None;
    }
    let named = |path: &[&str]| {
        let step = |(i, part): (usize, &&str)| {
            word(code, at + 3 * i) == *part && is_path_separator(code, at + 3 * i + 1)
        };
        path.iter().enumerate().all(step)
    };
    let (path, _) = OUTSIDE.iter().find(|(path, rooms)| !rooms.contains(&room) && named(path))?;
    Some(path.join("::"))
}

/// The rows of the table in `src/README.md`: rooms, and what they may use. "All of the above" means the rows before.
fn documented_doors(readme: &str) -> Vec<(String, Vec<String>)> {
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let known = |name: &String| DOORS.iter().any(|(room, _)| room == name);
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    let table = readme.lines().skip_while(|line| !line.starts_with("| room |")).skip(2);
    for line in table.take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.split('|').collect();
        let open: Vec<String> = match cells[3].trim() {
            "all of the above" => rows.iter().map(|(room, _)| room.clone()).collect(),
            cell => names(cell).into_iter().filter(known).collect(),
        };
        rows.extend(names(cells[1]).into_iter().map(|room| (room, open.clone())));
    }
    rows
}

#[test]
fn the_documented_table_is_the_enforced_one() {
    let readme = std::fs::read_to_string(sources::root().join("src/README.md")).unwrap();
    let sorted = |mut rooms: Vec<String>| {
        rooms.sort();
        rooms
    };
    let enforced = DOORS
        .iter()
        .map(|(room, open)| ((*room).to_owned(), open.iter().map(|&o| o.to_owned()).collect::<Vec<_>>()));
    let enforced: Vec<_> = enforced.map(|(room, open)| (room, sorted(open))).collect();
    let documented: Vec<_> =
        documented_doors(&readme).into_iter().map(|(room, open)| (room, sorted(open))).collect();
    assert_eq!(documented, enforced);
}

#[test]
fn rooms_use_only_their_doors() {
    let rust = sources::select(|path| path.starts_with("src/") && path.ends_with(".rs"));
    assert!(!rust.is_empty());
    assert_clean(rust.iter().flat_map(|source| check(&source.path, &source.text)).collect());
}

#[test]
fn closed_doors_are_found() {
    let bad = [
        ("src/kernels/dot.rs", "use crate::model::Llama;"),
        ("src/gguf/mod.rs", "fn f() { crate::kernels::g() }"),
        ("src/prompt/window.rs", "use crate::{tokenizer::Tokenizer, model};"),
        ("src/generation/beam.rs", "use super::super::model::Llama;"),
        ("src/generation/mod.rs", "use super::model::Llama;"),
        ("src/generation/beam.rs", "mod tests { use super::super::super::engine; }"),
        ("src/bin/midline/main.rs", "use midline::tokenizer::Tokenizer;"),
        ("src/engine/mod.rs", "use burn::tensor::Tensor;"),
        ("src/model/attention.rs", "use std::arch::wasm32::v128;"),
        ("src/tokenizer/bpe.rs", "#[derive(serde::Serialize)] struct S;"),
        ("src/annex/mod.rs", ""),
    ];
    for (path, text) in bad {
        assert_eq!(check(path, text).len(), 1, "{path}: {text}: {:?}", check(path, text));
    }
}

#[test]
fn open_doors_pass() {
    let good = [
        ("src/lib.rs", "pub mod model; use crate::kernels::x;"),
        (
            "src/model/block.rs",
            "use crate::{kernels, quant::{QMatrix, Format}, error::Error}; use burn::tensor::Tensor;",
        ),
        (
            "src/generation/beam.rs",
            "use super::score; mod tests { use super::super::score; use serde_json::json; }",
        ),
        ("src/kernels/wasm.rs", "use core::arch::wasm32::*; // crate::model is spoken of, not used"),
        ("src/bin/midline/main.rs", "mod args; use midline::engine::Engine; use crate::args::Args;"),
        ("src/bin/midline/args.rs", "use super::model;"),
    ];
    for (path, text) in good {
        assert_eq!(check(path, text), Vec::<String>::new());
    }
}
