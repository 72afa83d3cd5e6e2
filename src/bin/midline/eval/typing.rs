//! The typing simulation of E3: a line is typed character by character; whenever the first suggestion is a true start
//! of what is still to be typed, it is accepted.

use super::asker::{Asker, key};
use super::intervals::Part;
use super::packages::Line;
use super::report::{Report, Subject};
use super::setting::Setting;
use midline::error::Result;
use serde_json::json;

const PART: &str = "E3-typing";
/// Lines of all languages together.
pub const LINES: usize = 100;

/// Lines taken from the languages in turn.
pub fn lines(lines: &[Vec<Line>], limit: usize) -> Vec<&Line> {
    let longest = lines.iter().map(Vec::len).max().unwrap_or(0);
    let turn = |index: usize| lines.iter().filter_map(move |language| language.get(index));
    (0..longest).flat_map(turn).take(limit).collect()
}

fn id(line: &Line) -> String {
    format!("{}:{}", line.file.path, line.number + 1)
}

/// Types the lines that are not known yet.
pub fn ask(asker: &mut Asker, settings: &[Setting], lines: &[&Line]) -> Result<()> {
    for setting in settings {
        for line in lines {
            let key = key(PART, &setting.name, &id(line));
            if asker.records.get(&key).is_some() {
                asker.known += 1;
                continue;
            }
            let session = type_line(asker, setting, line)?;
            asker.records.add(
                key,
                json!({
                    "length": session.length, "saved": session.saved, "calls": session.calls, "perfect": session.perfect,
                }),
            )?;
            asker.asked += 1;
        }
    }
    Ok(())
}

struct Session {
    /// Characters of the line after its indentation.
    length: usize,
    /// Characters that were accepted instead of typed.
    saved: usize,
    calls: usize,
    /// Whether the last character came from an accepted suggestion.
    perfect: bool,
}

fn type_line(asker: &mut Asker, setting: &Setting, line: &Line) -> Result<Session> {
    let text = line.text().trim_end();
    let mut at = text.len() - text.trim_start().len();
    let mut session = Session { length: text[at..].chars().count(), saved: 0, calls: 0, perfect: false };
    asker.engine.reset();
    while at < text.len() {
        let (result, _) = asker.complete(&setting.request(&line.task(at, String::new())))?;
        session.calls += 1;
        let first = result.suggestions.first().map_or("", |suggestion| suggestion.text.trim_end());
        if !first.is_empty() && text[at..].starts_with(first) {
            session.saved += first.chars().count();
            at += first.len();
            session.perfect = at == text.len();
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
            session.perfect = false;
        }
    }
    Ok(session)
}

/// Perfect lines and saved characters.
pub fn measure(asker: &Asker, settings: &[Setting], lines: &[&Line], report: &mut Report) {
    for setting in settings {
        let record = |line: &&Line| {
            let record = asker.records.get(&key(PART, &setting.name, &id(line)))?;
            let part = Part {
                group: line.file.path.clone(),
                numerator: record["saved"].as_f64()?,
                denominator: record["length"].as_f64()?,
            };
            Some((record["perfect"].as_bool()?, part))
        };
        let (perfect, saved): (Vec<_>, Vec<_>) = lines.iter().filter_map(record).unzip();
        let subject = Subject { part: PART, language: "all".into(), setting: setting.name.clone() };
        report.rate(&subject, "Perfect Line", &perfect);
        report.ratio(&subject, "saved characters", &saved);
    }
}
