//! The top level is fixed, versions are exact, and lock files name no mirror.

use crate::{assert_clean, sources};
use std::collections::BTreeSet;

/// What may lie at the top.
const TOP: &[&str] = &[
    ".ci",
    ".editorconfig",
    ".gitattributes",
    ".github",
    ".gitignore",
    "CHANGELOG.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "Makefile",
    "README.md",
    "benches",
    "models",
    "rustfmt.toml",
    "src",
    "tests",
    "wasm-pack.toml",
    "www",
];

/// What must lie there, whatever else changes.
const REQUIRED: &[&str] = &[
    ".ci",
    "Cargo.lock",
    "Cargo.toml",
    "Makefile",
    "README.md",
    "models",
    "src",
    "tests",
    "wasm-pack.toml",
    "www",
];

fn check_top(paths: &[&str]) -> Vec<String> {
    let present: BTreeSet<&str> = paths.iter().map(|path| path.split('/').next().unwrap_or(path)).collect();
    let extra = present
        .iter()
        .filter(|name| !TOP.contains(name))
        .map(|name| format!("{name}: not allowed at the top level"));
    let missing = REQUIRED
        .iter()
        .filter(|name| !present.contains(*name))
        .map(|name| format!("{name}: missing at the top level"));
    extra.chain(missing).collect()
}

/// Every dependency in a Cargo manifest is pinned with `=`.
fn check_cargo_pins(path: &str, text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut in_dependencies = false;
    for (index, line) in text.lines().enumerate() {
        if line.starts_with('[') {
            in_dependencies = line.trim_end_matches(']').ends_with("dependencies");
        } else if in_dependencies && line.contains('=') && !line.trim_start().starts_with('#') {
            let (_, value) = line.split_once('=').unwrap_or(("", line));
            let version =
                value.split_once("version").map_or(value, |(_, rest)| rest).split('"').nth(1).unwrap_or("");
            if !version.starts_with('=') {
                complaints.push(format!("{path}:{}: not pinned with =: {line}", index + 1));
            }
        }
    }
    complaints
}

/// Every `dependencies` entry of a package.json is one exact version, also under another name; peers may be ranges.
fn check_npm_pins(path: &str, text: &str) -> Vec<String> {
    let Ok(manifest) = serde_json::from_str::<serde_json::Value>(text) else {
        return vec![format!("{path}: not JSON")];
    };
    let sections = ["dependencies", "devDependencies", "optionalDependencies"];
    let entries = sections.iter().filter_map(|section| manifest[section].as_object()).flatten();
    let exact = |v: &str| {
        let version = v.strip_prefix("npm:").and_then(|alias| alias.rsplit_once('@')).map_or(v, |(_, v)| v);
        version.starts_with(|c: char| c.is_ascii_digit())
    };
    let loose = entries.filter(|(_, version)| !version.as_str().is_some_and(exact));
    loose.map(|(name, version)| format!("{path}: {name} {version} is not one exact version")).collect()
}

fn check_npm_lock(path: &str, text: &str) -> Vec<String> {
    let resolved = text.lines().filter(|line| line.trim_start().starts_with("\"resolved\": \"http"));
    resolved.map(|line| format!("{path}: names a registry host: {}", line.trim())).collect()
}

fn cargo_lock_version(lock: &str, package: &str) -> Option<String> {
    let entry = lock.split("[[package]]").find(|entry| entry.contains(&format!("name = \"{package}\"\n")))?;
    Some(entry.split("version = \"").nth(1)?.split('"').next()?.to_owned())
}

#[test]
fn the_top_level_is_fixed() {
    let paths = sources::paths();
    assert_clean(check_top(&paths.iter().map(String::as_str).collect::<Vec<_>>()));
}

#[test]
fn versions_are_exact_and_locks_are_neutral() {
    let check = |source: &sources::Source| match source.path.rsplit('/').next() {
        Some("Cargo.toml") => check_cargo_pins(&source.path, &source.text),
        Some("package.json") => check_npm_pins(&source.path, &source.text),
        Some("package-lock.json") => check_npm_lock(&source.path, &source.text),
        _ => Vec::new(),
    };
    assert_clean(sources::texts().iter().flat_map(check).collect());
}

#[test]
fn the_wasm_bindgen_step_has_the_version_of_the_crate() {
    let lock = |path: &str| std::fs::read_to_string(sources::root().join(path)).unwrap();
    let crate_version = cargo_lock_version(&lock("Cargo.lock"), "wasm-bindgen");
    assert!(crate_version.is_some());
    assert_eq!(
        crate_version,
        cargo_lock_version(&lock(".ci/bindgen/Cargo.lock"), "wasm-bindgen-cli-support")
    );
}

#[test]
fn bad_layouts_are_found() {
    let mut paths = REQUIRED.to_vec();
    assert_eq!(check_top(&paths), Vec::<String>::new());
    paths.extend(["package.json", "notes/a.md"]);
    assert_eq!(check_top(&paths).len(), 2);
    assert_eq!(check_top(&REQUIRED[1..]).len(), 1);
    let loose = "[dependencies]\na = \"1\"\nb = { version = \"2\" }\nc = \"=3\"\nd = { features = [\"x\"], version = \"=4\" }\n[profile.dev]\ne = 1\n";
    assert_eq!(check_cargo_pins("Cargo.toml", loose).len(), 2);
    let npm = r#"{ "devDependencies": { "a": "^1", "b": "1.2.3", "d": "npm:e@1.2.3", "f": "npm:e@^1" }, "peerDependencies": { "c": "^1" } }"#;
    assert_eq!(check_npm_pins("package.json", npm).len(), 2);
    assert_eq!(check_npm_lock("package-lock.json", "  \"resolved\": \"https://x/y.tgz\",").len(), 1);
    assert_eq!(
        cargo_lock_version("[[package]]\nname = \"a\"\nversion = \"1.2\"\n", "a").as_deref(),
        Some("1.2")
    );
}
