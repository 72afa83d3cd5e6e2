//! `midline eval` on texts of this repository: the figures are the engine's own, recorded, so that a change of any of
//! its parts that changes answers shows here; and what healing and beams are for has to hold.

use crate::support::{BOOT_MODEL, path};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder of its own, laid out as `tests/eval/fetch.py` does it, with the texts of `tests/golden` as packages.
fn data(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("midline-eval-{}-{name}", std::process::id()));
    for text in std::fs::read_dir(path("tests/golden/texts")).expect("the golden texts") {
        let text = text.expect("a golden text").path();
        let file = text.file_name().expect("a name");
        let language = match &file.to_string_lossy()[..2] {
            "py" => "python",
            "js" => "javascript",
            _ => "rust",
        };
        let package = folder.join("packages").join(language).join("texts");
        std::fs::create_dir_all(&package).expect("a temporary folder");
        std::fs::copy(&text, package.join(file)).expect("a copy");
    }
    folder
}

/// The summary of a run.
fn eval(data: &Path, arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_midline"));
    command.args(["eval", "--json", "--model", BOOT_MODEL, "--data"]).arg(data);
    command.arg("--results").arg(data.join("results")).args(arguments);
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("the program starts");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// A figure of all languages together: how many of how many.
fn count(summary: &Value, setting: &str, metric: &str) -> (usize, usize) {
    let rows = summary["figures"]["rows"].as_array().expect("rows");
    let is_it =
        |row: &&Value| row["setting"] == setting && row["metric"] == metric && row["language"] == "all";
    let row = rows.iter().find(is_it).unwrap_or_else(|| panic!("no {metric} of {setting}"));
    let n = row["n"].as_u64().expect("n") as usize;
    ((row["value"].as_f64().expect("a value") * n as f64).round() as usize, n)
}

fn gain<'s>(summary: &'s Value, setting: &str, metric: &str) -> &'s Value {
    let gains = summary["figures"]["gains"].as_array().expect("gains");
    let is_it =
        |gain: &&Value| gain["setting"] == setting && gain["metric"] == metric && gain["language"] == "all";
    gains.iter().find(is_it).unwrap_or_else(|| panic!("no gain {metric} of {setting}"))
}

#[test]
fn the_caret_walk_has_its_recorded_figures() {
    let data = data("walk");
    let settings = ["--only", "E3", "--settings", "prefix:noheal,prefix,prefix:beam5"];
    let summary = eval(&data, &[&settings[..], &["--limit", "12"]].concat());
    // Recorded; a change of healing, search, post-processing or arithmetic changes them. Update them with the change that
    // is meant to, and say in its message what the whole evaluation gained or lost.
    let recorded =
        [("prefix:noheal", [1, 1, 1], 4), ("prefix", [1, 6, 4], 12), ("prefix:beam5", [2, 7, 5], 28)];
    let found = recorded.map(|(setting, ..)| {
        let exact =
            ["a", "b", "c"].map(|kind| count(&summary, setting, &format!("exact rest of line ({kind})")).0);
        (setting, exact, count(&summary, setting, "Recall@5").0)
    });
    assert_eq!(found, recorded);

    let healing = |kind: &str| gain(&summary, "prefix", &format!("healing, exact ({kind})"));
    assert_eq!(healing("a")["lost"], 0, "at line starts healing loses nothing");
    let inside = healing("c");
    assert_eq!(inside["n"], 36);
    let changed = |name: &str| inside[name].as_u64().expect("a count");
    assert!(changed("gained") > changed("lost"), "inside names healing gains: {inside}");
    let recall = |n: usize| count(&summary, "prefix:beam5", &format!("Recall@{n}"));
    assert_eq!(recall(1).1, 108);
    assert!(recall(5).0 > recall(1).0, "more suggestions find more");
    let saved = |setting: &str| count(&summary, setting, "saved characters");
    assert!(saved("prefix").0 > 0 || count(&summary, "prefix", "Perfect Line").0 > 0, "typing is saved");

    // Continued: the same figures without a question asked; a larger limit asks only what is new.
    let again = eval(&data, &[&settings[..], &["--limit", "12"]].concat());
    assert_eq!((&again["asked"], &again["fromRecords"]), (&json!(0), &summary["asked"]));
    assert!(again["figures"] == summary["figures"], "records give other figures than answers");
    let larger = eval(&data, &[&settings[..], &["--limit", "13"]].concat());
    assert_eq!(count(&larger, "prefix", "exact rest of line (c)").1, 39);
    assert!(larger["asked"].as_u64().expect("a count") < 120, "{}", larger["asked"]);
    std::fs::remove_dir_all(&data).expect("was there");
}

#[test]
fn tasks_are_asked_and_run() {
    let data = data("tasks");
    let tasks = data.join("tasks");
    std::fs::create_dir_all(&tasks).expect("a temporary folder");
    let write = |name: &str, records: &[Value]| {
        let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
        std::fs::write(tasks.join(name), lines).expect("a task file");
    };
    write(
        "santacoder-fim-py.jsonl",
        &[
            json!({ "name": "double-L1", "prompt": "def double(a):", "suffix": "\n", "canonical_solution": "    return a * 2" }),
            json!({ "name": "sign-L2", "prompt": "def sign(a):\n    if a < 0:\n        return -1", "suffix": "        return 1\n", "canonical_solution": "    else:" }),
        ],
    );
    write(
        "HumanEval-SingleLineInfilling.jsonl",
        &[json!({
            "task_id": "own/0/L0", "entry_point": "double", "prompt": "def double(a):\n    b = a\n", "suffix": "",
            "canonical_solution": "    return a + b\n", "test": "def check(f):\n    assert f(2) == 4\n",
        })],
    );
    write(
        "hx_js.jsonl",
        &[json!({
            "task_id": "own/1", "prompt": "const double = (a) => {\n", "canonical_solution": "  return a + a\n}\n",
            "test": "console.assert(double(2) === 4)",
        })],
    );
    let summary = eval(&data, &["--only", "E1,E2", "--settings", "prefix,spm"]);
    let rows = summary["figures"]["rows"].as_array().expect("rows");
    let n = |part: &str, language: &str, metric: &str| {
        let is_it = |row: &&Value| {
            row["part"] == part
                && row["language"] == language
                && row["metric"] == metric
                && row["setting"] == "spm"
        };
        rows.iter().find(is_it).map(|row| row["n"].clone())
    };
    assert_eq!(n("E1", "python", "exact line"), Some(json!(2)));
    assert_eq!(n("E1", "python", "exact line, non-trivial"), Some(json!(1)));
    assert_eq!(n("E2", "javascript", "exact line"), Some(json!(2)));
    assert_eq!(gain(&summary, "spm", "FIM, exact line")["against"], "prefix");
    // Where programs can be run, the tasks' own solutions pass, or they would not be counted.
    if let Some(verdicts) = n("E2", "python", "pass@1") {
        assert_eq!(verdicts, json!(1));
    }
    std::fs::remove_dir_all(&data).expect("was there");
}

#[test]
fn mistakes_are_told() {
    let missing = std::env::temp_dir().join("midline-eval-no-such-folder").to_string_lossy().into_owned();
    let cases: [(&[&str], &str); 6] = [
        (&["--model", BOOT_MODEL], "--data is needed"),
        (&["--model", BOOT_MODEL, "--data", &missing, "--only", "E3"], "[io]"),
        (&["--model", BOOT_MODEL, "--data", &missing, "--only", "E9"], "expected E1, E2, E3"),
        (&["--model", BOOT_MODEL, "--data", &missing, "--limit", "0"], "at least 1"),
        (
            &["--model", BOOT_MODEL, "--data", &missing, "--settings", "fim"],
            "expected prefix, psm, spm or auto",
        ),
        (&["--model", "README.md", "--data", &missing], "gguf-magic"),
    ];
    for (arguments, message) in cases {
        let mut command = Command::new(env!("CARGO_BIN_EXE_midline"));
        let command = command.arg("eval").args(arguments).current_dir(env!("CARGO_MANIFEST_DIR"));
        let output = command.output().expect("the program starts");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(message), "{arguments:?}: {error}");
    }
}
