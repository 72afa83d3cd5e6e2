//! Asks the engine and keeps the answers.

use super::records::Records;
use super::setting::Setting;
use crate::commands::Elapsed;
use midline::engine::{Clock, CompletionRequest, CompletionResult, Engine, Progress};
use midline::error::Result;
use serde_json::{Value, json};

/// What is completed: a document without the text that is to be found.
pub struct Task {
    /// Unique among the tasks of a part.
    pub id: String,
    pub prefix: String,
    pub suffix: String,
    pub path: String,
    /// The editor's language identifier.
    pub language: String,
}

/// An engine with the records of its answers.
pub struct Asker {
    pub engine: Engine,
    pub records: Records,
    /// How many answers came from the records.
    pub known: usize,
    pub asked: usize,
}

impl Asker {
    /// Steps a completion to its end; also the milliseconds it took.
    pub fn complete(&mut self, request: &CompletionRequest) -> Result<(CompletionResult, f64)> {
        let clock = Elapsed::new();
        let mut completion = self.engine.start(request, &clock)?;
        loop {
            if let Progress::Done(result) = completion.step(&mut self.engine, &clock)? {
                return Ok((*result, clock.now_ms()));
            }
        }
    }

    /// Answers the tasks of one document in their order from a cold start, unless all answers are known: what a
    /// request finds in the cache and where its window begins must not depend on where a run was interrupted.
    pub fn ask(&mut self, part: &str, setting: &Setting, tasks: &[Task]) -> Result<()> {
        let keys: Vec<_> = tasks.iter().map(|task| key(part, &setting.name, &task.id)).collect();
        if keys.iter().all(|key| self.records.get(key).is_some()) {
            self.known += keys.len();
            return Ok(());
        }
        self.engine.reset();
        for (task, key) in tasks.iter().zip(keys) {
            let request = setting.request(task);
            let (result, ms) = self.complete(&request)?;
            self.records.add(key, record(&result, ms))?;
            self.asked += 1;
        }
        Ok(())
    }

    /// The answer to a task that was asked.
    pub fn answer(&self, part: &str, setting: &str, id: &str) -> Option<Answer> {
        self.records.get(&key(part, setting, id)).map(Answer::from)
    }
}

pub fn key(part: &str, setting: &str, id: &str) -> String {
    format!("{part}|{setting}|{id}")
}

fn record(result: &CompletionResult, ms: f64) -> Value {
    let suggestions: Vec<_> = result.suggestions.iter().map(|item| json!([item.text, item.score])).collect();
    let dropped: Vec<_> = result.dropped.iter().map(|item| json!([item.text, item.reason])).collect();
    json!({
        "suggestions": suggestions,
        "dropped": dropped,
        "promptTokens": result.stats.prompt_tokens,
        "reusedTokens": result.stats.reused_tokens,
        "newTokens": result.stats.new_tokens,
        "stop": result.stats.stop_reason,
        "ms": ms,
    })
}

/// An answer as the metrics see it.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// Texts with their scores, best first.
    pub suggestions: Vec<(String, f64)>,
    /// Why nothing is shown, when nothing is: the reason of the best text, or why decoding ended.
    pub silence: String,
    pub ms: f64,
}

impl Answer {
    /// What is shown first; empty when nothing is.
    pub fn first(&self) -> &str {
        self.suggestions.first().map_or("", |(text, _)| text)
    }
}

impl From<&Value> for Answer {
    fn from(record: &Value) -> Self {
        let pairs = |name: &str| record[name].as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Self {
            suggestions: pairs("suggestions")
                .iter()
                .map(|pair| (text(&pair[0]), pair[1].as_f64().unwrap_or(f64::NEG_INFINITY)))
                .collect(),
            silence: text(record["dropped"].get(0).map_or(&record["stop"], |pair| &pair[1])),
            ms: record["ms"].as_f64().unwrap_or(f64::NAN),
        }
    }
}
