//! The project's own rules, checked on every file of the repository: doors between rooms, file size, module docs,
//! `unsafe`, texts that must not be there, the top level, and that the wasm build reads `wasm-pack.toml`.
//!
//! A rule is a function from a path and a text to complaints. Beside each stands a test that feeds it a bad example,
//! because a rule that cannot fail is not a rule. Nothing here uses the library, so it also runs while that does not compile.

mod doors;
mod layout;
mod scan;
mod sources;
mod texts;
mod unsafe_code;
mod wasm_build;
mod web_doors;

/// Fails with all complaints at once, one a line, so that a person mends them in one go.
fn assert_clean(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}
