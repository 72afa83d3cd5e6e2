//! The figures: a table for people and JSON for programs.

use super::intervals::{Estimate, Part, bootstrap, mcnemar, wilson};
use serde_json::{Value, json};
use std::fmt::Write;

/// Seed of every bootstrap.
pub const BOOTSTRAP_SEED: u64 = 1;

/// What a figure is about.
#[derive(Debug, Clone)]
pub struct Subject {
    pub part: &'static str,
    pub language: String,
    pub setting: String,
}

struct Row {
    subject: Subject,
    metric: String,
    estimate: Estimate,
    n: usize,
    interval: &'static str,
}

impl Row {
    fn cell(&self) -> String {
        let Estimate { value, low, high } = self.estimate;
        match self.interval {
            "none" => format!("{value:.2} (n {})", self.n),
            _ => format!("{value:.3} [{low:.3}, {high:.3}] (n {})", self.n),
        }
    }
}

/// Pairs of answers to the same tasks, right or not, in two settings.
struct Gain {
    subject: Subject,
    metric: String,
    against: String,
    n: usize,
    before: usize,
    after: usize,
    gained: usize,
    lost: usize,
}

#[derive(Default)]
pub struct Report {
    rows: Vec<Row>,
    gains: Vec<Gain>,
}

impl Report {
    /// A share of tasks, with Wilson's interval.
    pub fn rate(&mut self, subject: &Subject, metric: &str, hits: &[bool]) {
        let estimate = wilson(hits.iter().filter(|hit| **hit).count(), hits.len());
        self.add(subject, metric, estimate, hits.len(), "wilson");
    }

    /// A ratio of sums, with a bootstrap over its groups.
    pub fn ratio(&mut self, subject: &Subject, metric: &str, parts: &[Part]) {
        self.add(subject, metric, bootstrap(parts, BOOTSTRAP_SEED), parts.len(), "bootstrap");
    }

    /// A figure without an interval, such as a time.
    pub fn value(&mut self, subject: &Subject, metric: &str, value: f64, n: usize) {
        self.add(subject, metric, Estimate { value, low: f64::NAN, high: f64::NAN }, n, "none");
    }

    fn add(&mut self, subject: &Subject, metric: &str, estimate: Estimate, n: usize, interval: &'static str) {
        if n > 0 {
            let (subject, metric) = (subject.clone(), metric.to_owned());
            self.rows.push(Row { subject, metric, estimate, n, interval });
        }
    }

    /// Pairs `(in the other setting, in the subject's setting)`, with the exact McNemar test.
    pub fn gain(&mut self, subject: &Subject, metric: &str, against: &str, pairs: &[(bool, bool)]) {
        if pairs.is_empty() {
            return;
        }
        let count = |wanted: &dyn Fn(&(bool, bool)) -> bool| pairs.iter().filter(|pair| wanted(pair)).count();
        self.gains.push(Gain {
            subject: subject.clone(),
            metric: metric.to_owned(),
            against: against.to_owned(),
            n: pairs.len(),
            before: count(&|(before, _)| *before),
            after: count(&|(_, after)| *after),
            gained: count(&|(before, after)| !before && *after),
            lost: count(&|(before, after)| *before && !after),
        });
    }

    /// A table for each part and language, a column for each setting, then the gains.
    pub fn table(&self) -> String {
        let mut text = String::new();
        let mut titles: Vec<(&str, &str)> = Vec::new();
        for Row { subject, .. } in &self.rows {
            let title = (subject.part, subject.language.as_str());
            if !titles.contains(&title) {
                titles.push(title);
            }
        }
        for (part, language) in titles {
            let of_title = |row: &&Row| row.subject.part == part && row.subject.language == language;
            let rows: Vec<_> = self.rows.iter().filter(of_title).collect();
            let (mut settings, mut metrics): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
            for row in &rows {
                for (list, name) in
                    [(&mut settings, row.subject.setting.as_str()), (&mut metrics, &row.metric)]
                {
                    if !list.contains(&name) {
                        list.push(name);
                    }
                }
            }
            let columns = "---|".repeat(settings.len());
            let _ = writeln!(text, "| {part}, {language} | {} |\n|---|{columns}", settings.join(" | "));
            for metric in metrics {
                let cell = |setting: &&str| {
                    let is_it = |row: &&&Row| row.metric == metric && row.subject.setting == **setting;
                    rows.iter().find(is_it).map(|row| row.cell()).unwrap_or_default()
                };
                let cells: Vec<_> = settings.iter().map(cell).collect();
                let _ = writeln!(text, "| {metric} | {} |", cells.join(" | "));
            }
            text.push('\n');
        }
        text + &self.gain_table()
    }

    fn gain_table(&self) -> String {
        if self.gains.is_empty() {
            return String::new();
        }
        let mut table = String::from(
            "| gain | setting | against | before | after | gained | lost | p (McNemar, exact) | n |\n|---|---|---|---|---|---|---|---|---|\n",
        );
        for gain in &self.gains {
            let Subject { part, language, setting } = &gain.subject;
            let percent = |count: usize| 100.0 * count as f64 / gain.n as f64;
            let _ = writeln!(
                table,
                "| {part} {language}: {} | {setting} | {} | {:.1} % | {:.1} % | {} | {} | {:.1e} | {} |",
                gain.metric,
                gain.against,
                percent(gain.before),
                percent(gain.after),
                gain.gained,
                gain.lost,
                mcnemar(gain.gained, gain.lost),
                gain.n
            );
        }
        table
    }

    /// `{ rows: [...], gains: [...] }`; figures that are not numbers are null.
    pub fn to_json(&self) -> Value {
        let row = |row: &Row| {
            json!({
                "part": row.subject.part,
                "language": row.subject.language,
                "setting": row.subject.setting,
                "metric": row.metric,
                "value": row.estimate.value,
                "low": row.estimate.low,
                "high": row.estimate.high,
                "n": row.n,
                "interval": row.interval,
            })
        };
        let gain = |gain: &Gain| {
            json!({
                "part": gain.subject.part,
                "language": gain.subject.language,
                "setting": gain.subject.setting,
                "against": gain.against,
                "metric": gain.metric,
                "n": gain.n,
                "before": gain.before,
                "after": gain.after,
                "gained": gain.gained,
                "lost": gain.lost,
                "p": mcnemar(gain.gained, gain.lost),
            })
        };
        json!({
            "rows": self.rows.iter().map(row).collect::<Vec<_>>(),
            "gains": self.gains.iter().map(gain).collect::<Vec<_>>(),
        })
    }
}

/// The items of every language, and of all together when there are several.
pub fn by_language<T: Clone>(items: &[(String, T)]) -> Vec<(String, Vec<T>)> {
    let mut groups: Vec<(String, Vec<T>)> = Vec::new();
    for (language, item) in items {
        match groups.iter_mut().find(|(name, _)| name == language) {
            Some((_, group)) => group.push(item.clone()),
            None => groups.push((language.clone(), vec![item.clone()])),
        }
    }
    if groups.len() > 1 {
        groups.push(("all".into(), items.iter().map(|(_, item)| item.clone()).collect()));
    }
    groups
}
