//! Published task files: JSON lines.

use super::random::Random;
use super::records::io_error;
use midline::error::{Error, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// The records of a file; a note and none when the file is missing.
///
/// # Errors
/// `io` for a file that cannot be read or is not JSON lines.
pub fn read(path: &Path) -> Result<Vec<Value>> {
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!(
                "midline: {} is missing: its tasks are left out; tests/README.md says where it comes from",
                path.display()
            );
            return Ok(Vec::new());
        }
        text => text.map_err(|error| io_error(path, &error))?,
    };
    let record = |(number, line): (usize, &str)| {
        serde_json::from_str(line)
            .map_err(|error| Error::Io { message: format!("{}:{}: {error}", path.display(), number + 1) })
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(record).collect()
}

/// A text field; empty when absent.
pub fn text_of(record: &Value, field: &str) -> String {
    record[field].as_str().unwrap_or_default().to_owned()
}

/// The first `limit` items in an order that the seed shuffles; all without a limit.
pub fn choose<T>(mut items: Vec<T>, limit: Option<usize>, seed: u64) -> Vec<T> {
    Random::new(seed).shuffle(&mut items);
    items.truncate(limit.unwrap_or(usize::MAX));
    items
}

/// Tasks by problem, those of one problem by the length of the text before the caret: each then begins with the one
/// before, and the cache holds most of it.
pub fn problems<'t, T: 't>(
    tasks: impl Iterator<Item = &'t T>,
    problem: impl Fn(&T) -> &str,
    prefix: impl Fn(&T) -> &str,
) -> Vec<Vec<&'t T>> {
    let mut problems: BTreeMap<String, Vec<&T>> = BTreeMap::new();
    for task in tasks {
        problems.entry(problem(task).to_owned()).or_default().push(task);
    }
    for tasks in problems.values_mut() {
        tasks.sort_by_key(|task| prefix(task).len());
    }
    problems.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_of_a_problem_follow_each_other() {
        let tasks = [("b", "xx"), ("a", "xyz"), ("b", "x"), ("a", "")];
        let problems = problems(tasks.iter(), |task| task.0, |task| task.1);
        assert_eq!(problems, [vec![&("a", ""), &("a", "xyz")], vec![&("b", "x"), &("b", "xx")]]);
    }

    #[test]
    fn a_larger_limit_asks_the_same_and_more() {
        let choose = |limit| choose((0..100).collect::<Vec<_>>(), limit, 5);
        assert_eq!(choose(Some(10)), choose(Some(20))[..10]);
        assert_eq!(choose(None).len(), 100);
    }
}
