//! The command line as a user runs it.

use crate::support::{BOOT_MODEL, path};
use serde_json::Value;
use std::process::{Command, Output};

fn midline(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_midline"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("the program starts")
}

fn stdout(arguments: &[&str]) -> String {
    let output = midline(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn text_file(name: &str, text: &str) -> String {
    let file = std::env::temp_dir().join(format!("midline-cli-{}-{name}", std::process::id()));
    std::fs::write(&file, text).expect("a temporary file");
    file.to_string_lossy().into_owned()
}

#[test]
fn complete_answers_with_the_fields_of_the_api() {
    let prefix = text_file("prefix.py", "def add(a, b):\n    return ");
    let suffix = text_file("suffix.py", "\n\nprint(add(1, 2))\n");
    let arguments =
        ["complete", "--model", BOOT_MODEL, "--prefix-file", &prefix, "--suffix-file", &suffix, "--json"];
    let answer: Value = serde_json::from_str(&stdout(&arguments)).expect("JSON");
    let count = |key: &str| answer[key].as_array().expect("a list").len();
    assert_eq!(count("suggestions") + count("dropped"), 1);
    for key in [
        "promptTokens",
        "reusedTokens",
        "newTokens",
        "prefillMs",
        "decodeMs",
        "promptMs",
        "postprocessMs",
        "threads",
    ] {
        assert!(answer["stats"][key].is_number(), "{key} in {answer}");
    }
    for key in ["variant", "model", "format", "stopReason"] {
        assert!(answer["stats"][key].is_string(), "{key} in {answer}");
    }
    assert_eq!(answer["stats"]["format"], "spm");
    let plain = stdout(&["complete", "--model", BOOT_MODEL, "--prefix-file", &prefix, "--format", "prefix"]);
    assert!(!plain.trim().is_empty());
}

#[test]
fn complete_explains_itself() {
    let prefix = text_file("explain.py", "class A:\n    def size(self):\n        retu");
    let arguments = ["complete", "--model", BOOT_MODEL, "--prefix-file", &prefix, "--beam", "3", "--explain"];
    let text = stdout(&arguments);
    for part in [
        "prompt:",
        "class A:\n  |     def size",
        "healed \"",
        "candidates:",
        "shown:",
        "dropped:",
        "ms: prompt",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let json = stdout(&[&arguments[..], &["--json"]].concat());
    let answer: Value = serde_json::from_str(&json).expect("JSON");
    let candidates = answer["explain"]["candidates"].as_array().expect("candidates");
    assert!(candidates.len() >= answer["suggestions"].as_array().expect("suggestions").len());
    assert!(candidates.iter().all(|item| item["score"].as_f64().is_some_and(|score| score <= 0.0)));
    assert!(answer["stats"]["healedText"].as_str().is_some_and(|text| text.ends_with("retu")));
    let strict = stdout(&[&arguments[..], &["--json", "--min-score", "-0.0001", "--no-heal"]].concat());
    let strict: Value = serde_json::from_str(&strict).expect("JSON");
    assert_eq!(strict["stats"]["healedText"], "");
    let dropped = strict["dropped"].as_array().expect("a list");
    assert!(dropped.iter().any(|item| item["reason"] == "low-score"), "{strict}");
}

#[test]
fn tokenize_logprobs_and_inspect_answer() {
    let file = text_file("text.py", "def f():\n    return 1\n");
    let tokenize = stdout(&["tokenize", "--model", BOOT_MODEL, "--file", &file, "--json"]);
    let ids: Vec<u32> = serde_json::from_str(&tokenize).expect("ids");
    assert!(ids.len() > 4);
    let log_probs = stdout(&["logprobs", "--model", BOOT_MODEL, "--file", &file, "--json"]);
    let positions: Vec<Value> = serde_json::from_str(&log_probs).expect("positions");
    assert_eq!(positions.len(), ids.len());
    assert!(positions[0]["logProb"].is_null());
    for (position, id) in positions.iter().zip(&ids).skip(1) {
        assert_eq!(position["token"], *id);
        assert!(position["logProb"].as_f64().expect("a number") <= 0.0);
        assert_eq!(position["top"].as_array().expect("a list").len(), 5);
    }
    let inspect = stdout(&["inspect", BOOT_MODEL]);
    assert!(inspect.contains("GGUF version 3") && inspect.contains("\"token_embd.weight\" Q8_0 [192, 8192]"));
}

#[test]
fn mistakes_are_told_and_end_with_a_status() {
    let file = text_file("x", "x");
    let cases: [(&[&str], i32, &str); 20] = [
        (&[], 2, "a command is needed"),
        (&["fly"], 2, "unknown command fly"),
        (&["complete"], 2, "--model is needed"),
        (&["complete", "--file", "x"], 2, "complete has no option --file"),
        (&["tokenize", "--beam", "2"], 2, "tokenize has no option --beam"),
        (&["inspect", "--json", "README.md"], 2, "inspect has no option --json"),
        (&["complete", "--filters", "nudity"], 2, "unknown filter"),
        (&["complete", "--beam", "two"], 2, "two"),
        (&["complete", "--max-lines", "-1"], 2, "-1"),
        (&["complete", "--model", BOOT_MODEL, "--prefix-file", &file, "--beam", "0"], 1, "beamWidth"),
        (
            &["complete", "--model", BOOT_MODEL, "--prefix-file", &file, "--suggestions", "9"],
            1,
            "maxSuggestions",
        ),
        (
            &["complete", "--model", BOOT_MODEL, "--prefix-file", &file, "--max-new-tokens", "257"],
            1,
            "maxNewTokens",
        ),
        (
            &["complete", "--model", BOOT_MODEL, "--prefix-file", &file, "--time-budget-ms", "NaN"],
            1,
            "timeBudgetMs",
        ),
        (&["complete", "--model", BOOT_MODEL, "--prefix-file", &file, "--max-lines", "65"], 1, "maxLines"),
        (&["complete", "--model", BOOT_MODEL, "--prefix-file", &file, "--min-score", "0.5"], 1, "minScore"),
        (&["inspect", "README.md"], 1, "gguf-magic"),
        (&["inspect", "no-such-file"], 1, "[io]"),
        (&["inspect", "src"], 1, "[io]"),
        (
            &["complete", "--model", BOOT_MODEL, "--prefix-file", &file, "--format", "fim"],
            1,
            "request-invalid",
        ),
        (&["logprobs", "--model", BOOT_MODEL, "--file", &file, "--variant", "mmx"], 1, "scalar"),
    ];
    assert!(path("README.md").exists());
    for (arguments, status, message) in cases {
        let output = midline(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {error}");
        assert!(error.contains(message), "{arguments:?}: {error}");
    }
}
