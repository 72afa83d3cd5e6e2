//! E2: one missing line of a program that has tests. Python from HumanEval-Infilling, whose prefixes end with a line
//! break, so that the answer carries the indentation; JavaScript from HumanEval-X, a task for each line with text.

use super::asker::{Asker, Task, key};
use super::report::{Report, Subject, by_language};
use super::sandbox::Sandbox;
use super::setting::Setting;
use super::tasks::{self, text_of};
use super::text::one_line;
use midline::error::Result;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

const PART: &str = "E2";

/// A program with a line missing.
#[derive(Clone)]
pub struct Program {
    id: String,
    problem: String,
    prefix: String,
    /// Begins with the missing line's break.
    suffix: String,
    expected: String,
    /// What is run after the program.
    test: String,
}

/// `console.assert` only prints; here a failed assertion has to end the program.
const ASSERT: &str = "console.assert = (ok) => { if (!ok) throw new Error('assertion failed'); };\n";

/// The tasks with their languages.
pub fn load(folder: &Path, limit: Option<usize>, seed: u64) -> Result<Vec<(String, Program)>> {
    let python = tasks::read(&folder.join("HumanEval-SingleLineInfilling.jsonl"))?;
    let javascript = tasks::read(&folder.join("hx_js.jsonl"))?;
    let python = tasks::choose(python.iter().map(humaneval).collect(), limit, seed);
    let javascript = tasks::choose(javascript.iter().flat_map(humaneval_x).collect(), limit, seed);
    let with = |language: &str, tasks: Vec<Program>| -> Vec<_> {
        tasks.into_iter().map(|task| (language.to_owned(), task)).collect()
    };
    Ok([with("javascript", javascript), with("python", python)].concat())
}

fn humaneval(record: &Value) -> Program {
    let id = text_of(record, "task_id");
    Program {
        problem: id.rsplit_once('/').map_or(id.as_str(), |(problem, _)| problem).to_owned(),
        prefix: text_of(record, "prompt"),
        suffix: format!("\n{}", text_of(record, "suffix")),
        expected: text_of(record, "canonical_solution"),
        test: format!("\n{}\ncheck({})\n", text_of(record, "test"), text_of(record, "entry_point")),
        id,
    }
}

fn humaneval_x(record: &Value) -> Vec<Program> {
    let (problem, prompt) = (text_of(record, "task_id"), text_of(record, "prompt"));
    let solution = text_of(record, "canonical_solution");
    let mut programs = Vec::new();
    let mut start = 0;
    for (number, line) in solution.split('\n').enumerate() {
        if !line.trim().is_empty() {
            programs.push(Program {
                id: format!("{problem}/L{number}"),
                problem: problem.clone(),
                prefix: format!("{prompt}{}", &solution[..start]),
                suffix: solution[start + line.len()..].to_owned(),
                expected: line.to_owned(),
                test: format!("\n{}\n", text_of(record, "test")),
            });
        }
        start += line.len() + 1;
    }
    programs
}

impl Program {
    fn with(&self, language: &str, line: &str) -> String {
        let start = if language == "javascript" { ASSERT } else { "" };
        [start, &self.prefix, line, &self.suffix, &self.test].concat()
    }
}

/// Asks for every missing line, and runs what comes out where a sandbox works.
pub fn ask(asker: &mut Asker, settings: &[Setting], all: &[(String, Program)]) -> Result<()> {
    for setting in settings {
        for problem in tasks::problems(all.iter(), |(_, task)| &task.problem, |(_, task)| &task.prefix) {
            let of_problem: Vec<_> = problem
                .into_iter()
                .map(|(language, task)| Task {
                    id: task.id.clone(),
                    prefix: task.prefix.clone(),
                    suffix: task.suffix.clone(),
                    path: String::new(),
                    language: language.clone(),
                })
                .collect();
            asker.ask(PART, setting, &of_problem)?;
        }
    }
    let mut sandboxes: BTreeMap<&str, Option<Sandbox>> = BTreeMap::new();
    for (language, task) in all {
        let sandbox = sandboxes.entry(language).or_insert_with(|| {
            let sandbox = Sandbox::new(language);
            if sandbox.is_none() {
                eprintln!("midline: no sandbox for {language} on this machine: pass@1 is left out");
            }
            sandbox
        });
        let Some(sandbox) = sandbox else { continue };
        // A task counts only if its own solution passes here.
        run(asker, sandbox, &verdict_key("solution", task), || {
            task.with(language, task.expected.trim_end_matches('\n'))
        })?;
        if passed(asker, "solution", task) != Some(true) {
            continue;
        }
        for setting in settings {
            let answer = asker.answer(PART, &setting.name, &task.id).unwrap_or_default();
            run(asker, sandbox, &verdict_key(&setting.name, task), || task.with(language, answer.first()))?;
        }
    }
    Ok(())
}

fn verdict_key(setting: &str, task: &Program) -> String {
    key("E2-run", setting, &task.id)
}

fn run(asker: &mut Asker, sandbox: &Sandbox, key: &str, program: impl FnOnce() -> String) -> Result<()> {
    if asker.records.get(key).is_some() {
        asker.known += 1;
        return Ok(());
    }
    let passed = sandbox.run(&program());
    asker.asked += 1;
    asker.records.add(key.to_owned(), json!({ "passed": passed }))
}

fn passed(asker: &Asker, setting: &str, task: &Program) -> Option<bool> {
    asker.records.get(&verdict_key(setting, task))?["passed"].as_bool()
}

/// pass@1 and exact match, and what the text after the caret adds to both.
pub fn measure(asker: &Asker, settings: &[Setting], all: &[(String, Program)], report: &mut Report) {
    let is_exact = |setting: &str, task: &Program| {
        Some(one_line(asker.answer(PART, setting, &task.id)?.first()) == task.expected.trim())
    };
    for setting in settings {
        for (language, tasks) in by_language(all) {
            let subject = Subject { part: PART, language, setting: setting.name.clone() };
            let exact: Vec<_> = tasks.iter().filter_map(|task| is_exact(&setting.name, task)).collect();
            report.rate(&subject, "exact line", &exact);
            let verdicts: Vec<_> =
                tasks.iter().filter_map(|task| passed(asker, &setting.name, task)).collect();
            report.rate(&subject, "pass@1", &verdicts);
            if setting.format() == "prefix" {
                continue;
            }
            let other = setting.with_format("prefix");
            let both = |judge: &dyn Fn(&str, &Program) -> Option<bool>| -> Vec<_> {
                tasks
                    .iter()
                    .filter_map(|task| Some((judge(&other, task)?, judge(&setting.name, task)?)))
                    .collect()
            };
            report.gain(&subject, "FIM, exact line", &other, &both(&is_exact));
            report.gain(
                &subject,
                "FIM, pass@1",
                &other,
                &both(&|setting, task| passed(asker, setting, task)),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_for_every_line_with_text() {
        let record = json!({
            "task_id": "JavaScript/0", "prompt": "const f = (a) => {\n", "test": "console.assert(f(1) === 2)",
            "canonical_solution": "  a += 1\n\n  return a\n}\n",
        });
        let programs = humaneval_x(&record);
        let lines: Vec<_> = programs.iter().map(|program| program.expected.as_str()).collect();
        assert_eq!(lines, ["  a += 1", "  return a", "}"]);
        let whole = "const f = (a) => {\n  a += 1\n\n  return a\n}\n";
        for program in programs {
            assert_eq!(format!("{}{}{}", program.prefix, program.expected, program.suffix), whole);
        }
    }
}
