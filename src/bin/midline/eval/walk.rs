//! E3: the caret walk over held-out packages.

use super::asker::{Answer, Asker, Task};
use super::intervals::{Part, percentile};
use super::packages::{Line, SourceFile};
use super::report::{Report, Subject, by_language};
use super::setting::Setting;
use super::text::common_prefix;
use crate::commands::Elapsed;
use midline::error::Result;
use serde_json::json;
use std::rc::Rc;

const PART: &str = "E3";
/// Files a language for the bits a byte.
const FILES: usize = 30;
/// Tokens of each of them.
const FILE_TOKENS: usize = 512;

/// The task of one caret.
fn task(line: &Line, caret: usize) -> Task {
    line.task(line.carets[caret].at, Place::new(line, caret).id)
}

/// Lines in the order of files, so that a document's answers follow each other.
fn in_order(lines: &[Line]) -> Vec<&Line> {
    let mut lines: Vec<_> = lines.iter().collect();
    lines.sort_by(|a, b| (&a.file.path, a.number).cmp(&(&b.file.path, b.number)));
    lines
}

/// Asks at every caret.
pub fn ask(asker: &mut Asker, settings: &[Setting], lines: &[Vec<Line>]) -> Result<()> {
    for setting in settings {
        for language in lines {
            for line in in_order(language) {
                let tasks: Vec<_> = (0..line.carets.len()).map(|caret| task(line, caret)).collect();
                asker.ask(PART, setting, &tasks)?;
            }
        }
    }
    Ok(())
}

/// The prompts as token ids, a JSON line a caret.
pub fn prompts(asker: &mut Asker, setting: &Setting, lines: &[Vec<Line>]) -> Result<String> {
    let mut text = String::new();
    for line in lines.iter().flat_map(|lines| in_order(lines)) {
        asker.engine.reset();
        for caret in 0..line.carets.len() {
            let task = task(line, caret);
            let completion = asker.engine.start(&setting.request(&task), &Elapsed::new())?;
            let place = Place::new(line, caret);
            let ids = completion.prompt_tokens();
            let entry = json!({ "id": task.id, "language": line.language, "kind": place.kind, "prompt": ids, "expected": place.expected });
            text.push_str(&format!("{entry}\n"));
        }
    }
    Ok(text)
}

/// A caret with what is known about the right answer.
#[derive(Clone)]
struct Place {
    id: String,
    kind: &'static str,
    file: Rc<SourceFile>,
    expected: String,
    /// The first caret of a line is asked with nothing cached.
    is_cold: bool,
}

impl Place {
    fn new(line: &Line, caret: usize) -> Self {
        let kind = line.carets[caret].kind;
        let expected = line.text()[line.carets[caret].at..].trim_end().to_owned();
        let id = format!("{}:{}:{kind}", line.file.path, line.number + 1);
        Self { id, kind, file: Rc::clone(&line.file), expected, is_cold: caret == 0 }
    }

    fn is_exact(&self, text: &str) -> bool {
        text.trim_end() == self.expected
    }

    /// Characters of a true, non-empty start of what is expected; 0 for any other proposal.
    fn matched(&self, text: &str) -> usize {
        let text = text.trim_end();
        if self.expected.starts_with(text) { text.chars().count() } else { 0 }
    }

    fn part(&self, numerator: usize) -> Part {
        let denominator = self.expected.chars().count() as f64;
        Part { group: self.file.path.clone(), numerator: numerator as f64, denominator }
    }
}

/// Every caret of every line with its language.
fn places(lines: &[Vec<Line>]) -> Vec<(String, Place)> {
    let all = lines.iter().flatten();
    all.flat_map(|line| (0..3).map(|caret| (line.language.clone(), Place::new(line, caret)))).collect()
}

/// The metrics of the caret walk.
pub fn measure(asker: &Asker, settings: &[Setting], lines: &[Vec<Line>], report: &mut Report) {
    for setting in settings {
        let answer = |place: &Place| asker.answer(PART, &setting.name, &place.id).unwrap_or_default();
        for (language, places) in by_language(&places(lines)) {
            let subject = Subject { part: PART, language, setting: setting.name.clone() };
            let answered: Vec<_> = places.iter().map(|place| (place, answer(place))).collect();
            for kind in ["a", "b", "c"] {
                let of_kind: Vec<_> = answered.iter().filter(|(place, _)| place.kind == kind).collect();
                let hits: Vec<_> =
                    of_kind.iter().map(|(place, answer)| place.is_exact(answer.first())).collect();
                report.rate(&subject, &format!("exact rest of line ({kind})"), &hits);
            }
            proposals(&subject, &answered, report);
            coverage(&subject, &answered, report);
            latency(&subject, &answered, report);
            let Some(unhealed) = setting.unhealed() else { continue };
            for kind in ["a", "b", "c"] {
                let pairs: Vec<_> = answered
                    .iter()
                    .filter(|(place, _)| place.kind == kind)
                    .filter_map(|(place, healed)| {
                        let before = asker.answer(PART, &unhealed, &place.id)?;
                        Some((place.is_exact(before.first()), place.is_exact(healed.first())))
                    })
                    .collect();
                report.gain(&subject, &format!("healing, exact ({kind})"), &unhealed, &pairs);
            }
        }
    }
}

/// Matched Ratio, Recall, similarity of the start, and how often nothing is shown.
fn proposals(subject: &Subject, answered: &[(&Place, Answer)], report: &mut Report) {
    let best = |place: &Place, answer: &Answer, n: usize| {
        answer.suggestions.iter().take(n).map(|(text, _)| place.matched(text)).max().unwrap_or(0)
    };
    for n in [1, 5] {
        let parts: Vec<_> =
            answered.iter().map(|(place, answer)| place.part(best(place, answer, n))).collect();
        report.ratio(subject, &format!("Matched Ratio @{n}"), &parts);
        let hits: Vec<_> = answered.iter().map(|(place, answer)| best(place, answer, n) > 0).collect();
        report.rate(subject, &format!("Recall@{n}"), &hits);
    }
    let agreed =
        |(place, answer): &(&Place, Answer)| place.part(common_prefix(answer.first(), &place.expected));
    report.ratio(subject, "similarity of the start", &answered.iter().map(agreed).collect::<Vec<_>>());
    let shown: Vec<_> = answered.iter().map(|(_, answer)| !answer.suggestions.is_empty()).collect();
    report.rate(subject, "something is shown", &shown);
    let mut reasons: Vec<_> = answered
        .iter()
        .filter(|(_, answer)| answer.suggestions.is_empty())
        .map(|(_, answer)| answer.silence.as_str())
        .collect();
    reasons.sort_unstable();
    reasons.dedup();
    for reason in reasons {
        let hits: Vec<_> = answered
            .iter()
            .map(|(_, answer)| answer.suggestions.is_empty() && answer.silence == reason)
            .collect();
        report.rate(subject, &format!("nothing is shown: {reason}"), &hits);
    }
}

/// Scores below which suggestions could be dropped.
const THRESHOLDS: [f64; 6] = [-0.5, -0.7, -0.9, -1.0, -1.2, -1.5];

/// How often the first suggestion is exact among those the model is surest of, and the score that bounds them; the same
/// for bounds on the score, with the share of right ones that each keeps.
fn coverage(subject: &Subject, answered: &[(&Place, Answer)], report: &mut Report) {
    let mut scored: Vec<_> = answered
        .iter()
        .filter_map(|(place, answer)| {
            let (text, score) = answer.suggestions.first()?;
            Some((*score, place.is_exact(text)))
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    for percent in [25, 50, 100] {
        let surest = &scored[..(scored.len() * percent).div_ceil(100)];
        let hits: Vec<_> = surest.iter().map(|(_, is_exact)| *is_exact).collect();
        report.rate(subject, &format!("precision at {percent} % coverage"), &hits);
        if let Some((score, _)) = surest.last() {
            report.value(subject, &format!("score at {percent} % coverage"), *score, surest.len());
        }
    }
    for threshold in THRESHOLDS {
        let kept = scored.iter().filter(|(score, _)| *score >= threshold).map(|(_, is_exact)| *is_exact);
        report.rate(subject, &format!("precision, score {threshold} or more"), &kept.collect::<Vec<_>>());
        let right = scored.iter().filter(|(_, is_exact)| *is_exact).map(|(score, _)| *score >= threshold);
        report.rate(
            subject,
            &format!("right ones kept, score {threshold} or more"),
            &right.collect::<Vec<_>>(),
        );
    }
}

fn latency(subject: &Subject, answered: &[(&Place, Answer)], report: &mut Report) {
    for (name, is_cold) in [("cold", true), ("warm", false)] {
        let mut times: Vec<_> = answered
            .iter()
            .filter(|(place, _)| place.is_cold == is_cold)
            .map(|(_, answer)| answer.ms)
            .collect();
        times.sort_by(f64::total_cmp);
        for (percent, share) in [(50, 0.5), (95, 0.95)] {
            report.value(subject, &format!("{name} ms, p{percent}"), percentile(&times, share), times.len());
        }
    }
}

/// The first files that the chosen lines come from.
fn files(lines: &[Line]) -> Vec<&Rc<SourceFile>> {
    let mut files: Vec<&Rc<SourceFile>> = Vec::new();
    for line in lines {
        if files.len() < FILES && files.iter().all(|file| file.path != line.file.path) {
            files.push(&line.file);
        }
    }
    files
}

fn bits_key(file: &SourceFile) -> String {
    format!("{PART}|bits|{}", file.path)
}

/// Measures how well the model predicts the files themselves: plain text, no header, from the start.
pub fn read_files(asker: &mut Asker, lines: &[Vec<Line>]) -> Result<()> {
    let limit = FILE_TOKENS.min(asker.engine.info().context_tokens);
    for file in lines.iter().flat_map(|lines| files(lines)) {
        let key = bits_key(file);
        if asker.records.get(&key).is_some() {
            asker.known += 1;
            continue;
        }
        let mut ids = asker.engine.tokenize(&file.text);
        ids.truncate(limit);
        let positions = asker.engine.log_probs(&ids, 0, 64)?;
        let (mut nats, mut bytes) = (0.0, 0);
        for position in &positions {
            if let Some(log_prob) = position.log_prob {
                nats -= f64::from(log_prob);
                bytes += asker.engine.token_bytes(position.token).len();
            }
        }
        asker.records.add(key, json!({ "bits": nats / std::f64::consts::LN_2, "bytes": bytes }))?;
        asker.asked += 1;
    }
    Ok(())
}

/// Bits a byte of the files.
pub fn measure_files(asker: &Asker, lines: &[Vec<Line>], report: &mut Report) {
    let of_files = |lines: &Vec<Line>| -> Vec<(String, Part)> {
        let language = lines.first().map(|line| line.language.clone()).unwrap_or_default();
        let part = |file: &&Rc<SourceFile>| {
            let record = asker.records.get(&bits_key(file))?;
            let (numerator, denominator) = (record["bits"].as_f64()?, record["bytes"].as_f64()?);
            Some((language.clone(), Part { group: file.path.clone(), numerator, denominator }))
        };
        files(lines).iter().filter_map(part).collect()
    };
    let all: Vec<_> = lines.iter().flat_map(of_files).collect();
    for (language, parts) in by_language(&all) {
        let subject = Subject { part: PART, language, setting: "plain text".into() };
        report.ratio(&subject, "bits a byte", &parts);
    }
}
