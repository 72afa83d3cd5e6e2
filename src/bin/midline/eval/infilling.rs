//! E1: SantaCoder's fill-in-the-middle tasks. A line of a program is missing; the text before ends without the line
//! break, so that the answer begins with one. The text after is given with its line break, as a document has it.

use super::asker::{Answer, Asker, Task};
use super::intervals::Part;
use super::report::{Report, Subject, by_language};
use super::setting::Setting;
use super::tasks::{self, text_of};
use super::text::{edit_similarity, is_trivial, one_line};
use midline::error::Result;
use std::path::Path;

const PART: &str = "E1";
/// Languages with their files.
const FILES: [(&str, &str); 2] =
    [("javascript", "santacoder-fim-js.jsonl"), ("python", "santacoder-fim-py.jsonl")];

/// A task with its answer.
#[derive(Clone)]
pub struct Infilling {
    id: String,
    problem: String,
    prefix: String,
    suffix: String,
    expected: String,
}

/// The tasks with their languages; none for a file that is not there.
pub fn load(folder: &Path, limit: Option<usize>, seed: u64) -> Result<Vec<(String, Infilling)>> {
    let mut all = Vec::new();
    for (language, file) in FILES {
        let records = tasks::read(&folder.join(file))?;
        let task = |record: &serde_json::Value| {
            let id = text_of(record, "name");
            let problem = id.rsplit_once("-L").map_or(id.as_str(), |(problem, _)| problem).to_owned();
            Infilling {
                problem: format!("{language}/{problem}"),
                id: format!("{language}/{id}"),
                prefix: text_of(record, "prompt"),
                suffix: format!("\n{}", text_of(record, "suffix")),
                expected: text_of(record, "canonical_solution").trim().to_owned(),
            }
        };
        let chosen = tasks::choose(records.iter().map(task).collect(), limit, seed);
        all.extend(chosen.into_iter().map(|task| (language.to_owned(), task)));
    }
    Ok(all)
}

/// Asks for every missing line.
pub fn ask(asker: &mut Asker, settings: &[Setting], all: &[(String, Infilling)]) -> Result<()> {
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
    Ok(())
}

/// Exact match, edit similarity, and what the text after the caret adds.
pub fn measure(asker: &Asker, settings: &[Setting], all: &[(String, Infilling)], report: &mut Report) {
    let answer = |setting: &str, task: &Infilling| asker.answer(PART, setting, &task.id);
    let is_exact = |task: &Infilling, answer: &Answer| one_line(answer.first()) == task.expected;
    for setting in settings {
        for (language, tasks) in by_language(all) {
            let subject = Subject { part: PART, language, setting: setting.name.clone() };
            let answered: Vec<_> =
                tasks.iter().map(|task| (task, answer(&setting.name, task).unwrap_or_default())).collect();
            let exact: Vec<_> = answered.iter().map(|(task, answer)| is_exact(task, answer)).collect();
            report.rate(&subject, "exact line", &exact);
            let choices = answered.iter().filter(|(task, _)| !is_trivial(&task.expected));
            let exact: Vec<_> = choices.map(|(task, answer)| is_exact(task, answer)).collect();
            report.rate(&subject, "exact line, non-trivial", &exact);
            let similar = answered.iter().map(|(task, answer)| Part {
                group: task.problem.clone(),
                numerator: edit_similarity(one_line(answer.first()), &task.expected),
                denominator: 1.0,
            });
            report.ratio(&subject, "edit similarity", &similar.collect::<Vec<_>>());
            let shown: Vec<_> = answered.iter().map(|(_, answer)| !answer.suggestions.is_empty()).collect();
            report.rate(&subject, "something is shown", &shown);
            let others = [
                (setting.format() != "prefix").then(|| ("FIM", setting.with_format("prefix"))),
                setting.unhealed().map(|name| ("healing", name)),
            ];
            for (what, other) in others.into_iter().flatten() {
                let pair = |(task, after): &(&Infilling, Answer)| {
                    let before = answer(&other, task)?;
                    Some((is_exact(task, &before), is_exact(task, after)))
                };
                let pairs: Vec<_> = answered.iter().filter_map(pair).collect();
                report.gain(&subject, &format!("{what}, exact line"), &other, &pairs);
            }
        }
    }
}
