//! `wasm-pack.toml` is what the build reads: the commands follow a changed copy, and a misspelt field is refused.

use crate::sources;
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

fn print_plan(manifest: &str, extra: &[&str]) -> Output {
    let output = Command::new("bash")
        .args([".ci/build-wasm", "--print", "--manifest", manifest])
        .args(extra)
        .current_dir(sources::root())
        .output()
        .expect("bash runs");
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(!words.contains("not set up"), "this test needs the tools that `make setup` prepares");
    output
}

fn plan(manifest: &str, extra: &[&str]) -> Vec<Value> {
    let output = print_plan(manifest, extra);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("the plan is JSON")
}

fn write_manifest(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

const TWO: &str = r#"
profile = "other"
[[variant]]
name = "first"
target-features = "+simd128,+atomics"
cargo-features = ["one", "two"]
output = "www/src/wasm/somewhere"
max-brotli-bytes = 12345
[[variant]]
name = "second"
target-features = "+sign-ext"
cargo-features = ["three"]
output = "www/src/wasm/second"
max-brotli-bytes = 1
[conformance]
cargo-features = ["probe"]
output = "www/src/wasm/checks"
"#;

#[test]
fn the_build_follows_the_manifest() {
    let plans = plan(&write_manifest("two.toml", TWO), &[]);
    assert_eq!(plans.len(), 2);
    let cargo = &plans[0]["commands"]["cargo"];
    let arguments: Vec<&str> = cargo["args"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let after =
        |flag: &str| arguments.iter().position(|a| *a == flag).and_then(|at| arguments.get(at + 1)).copied();
    assert_eq!(after("--profile"), Some("other"));
    assert_eq!(after("--features"), Some("one,two"));
    let flags = |plan: &Value| {
        plan["commands"]["cargo"]["env"]["CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS"].clone()
    };
    assert_eq!(flags(&plans[0]), "-C target-feature=+simd128,+atomics");
    assert_eq!(flags(&plans[1]), "-C target-feature=+sign-ext");
    assert_eq!(plans[0]["variant"]["output"], "www/src/wasm/somewhere");
    assert_eq!(plans[0]["variant"]["maxBrotliBytes"], 12345);
    let folder = |plan: &Value| plan["commands"]["cargo"]["env"]["CARGO_TARGET_DIR"].clone();
    assert_ne!(folder(&plans[0]), folder(&plans[1]), "atomics change the ABI of every dependency");
    // Without this the memory of a threaded build is silently private.
    let shared =
        |plan: &Value| plan["commands"]["cargo"]["args"].to_string().contains("link-arg=--shared-memory");
    assert_eq!([shared(&plans[0]), shared(&plans[1])], [true, false]);
}

#[test]
fn the_conformance_build_adds_its_features() {
    let manifest = write_manifest("conformance.toml", TWO);
    let plans = plan(&manifest, &["--conformance", "--only", "second"]);
    assert_eq!(plans.len(), 1);
    assert_eq!(plans[0]["variant"]["output"], "www/src/wasm/checks/second");
    assert_eq!(plans[0]["variant"]["cargoFeatures"], serde_json::json!(["three", "probe"]));
}

#[test]
fn the_repository_lists_the_variants_that_the_client_chooses_from() {
    let names: Vec<Value> =
        plan("wasm-pack.toml", &[]).iter().map(|plan| plan["variant"]["name"].clone()).collect();
    assert_eq!(names, ["simd128", "relaxed"]);
}

#[test]
fn wrong_manifests_are_refused() {
    let wrong = [
        ("misspelt", TWO.replace("max-brotli-bytes = 1\n", "max-brotli-byte = 1\n")),
        ("extra", TWO.replace("name = \"second\"", "name = \"second\"\nfeatures = []")),
        ("outside", TWO.replace("www/src/wasm/second", "www/src/wasm/../../../elsewhere")),
        ("syntax", TWO.replace("[[variant]]", "[[variant")),
        ("type", TWO.replace("[\"three\"]", "\"three\"")),
        ("empty", String::new()),
    ];
    for (name, text) in wrong {
        assert_ne!(text, TWO, "{name} changed nothing");
        let output = print_plan(&write_manifest(&format!("{name}.toml"), &text), &[]);
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && words.contains("build-wasm: error:"), "{name}: {words}");
        assert_eq!(words.trim().lines().count(), 1, "{name}: one clear line: {words}");
    }
}
