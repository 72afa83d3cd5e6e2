//! A way to ask for a completion, with a name that records and tables carry.

use super::asker::Task;
use midline::engine::CompletionRequest;

/// A format and what differs from greedy decoding with healing, as written on the command line.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    pub name: String,
    request: CompletionRequest,
    /// Whether the model is told about the file.
    has_header: bool,
    /// Lines after the caret that the model is shown, the rest of the caret's line included.
    lines_after: Option<usize>,
}

impl Setting {
    /// `FORMAT[:noheal][:beamN][:minS][:noheader][:afterN]`. Nothing is dropped for its score unless `minS` says so.
    ///
    /// # Errors
    /// A sentence naming the part that is not understood.
    pub fn parse(name: &str) -> Result<Self, String> {
        let mut words = name.split(':');
        let format = words.next().unwrap_or_default();
        if !["prefix", "psm", "spm", "auto"].contains(&format) {
            return Err(format!("setting {name}: expected prefix, psm, spm or auto, found {format:?}"));
        }
        let request =
            CompletionRequest { format: format.to_owned(), min_score: None, ..CompletionRequest::default() };
        let mut setting = Self { name: name.to_owned(), request, has_header: true, lines_after: None };
        for word in words {
            setting.take(word).ok_or_else(|| {
                format!("setting {name}: expected noheal, beamN, minS, noheader or afterN, found {word:?}")
            })?;
        }
        setting.request.check().map_err(|error| format!("setting {name}: {error}"))?;
        Ok(setting)
    }

    fn take(&mut self, word: &str) -> Option<()> {
        let request = &mut self.request;
        match word {
            "noheal" => request.healing = false,
            "noheader" => self.has_header = false,
            _ => {
                if let Some(width) = word.strip_prefix("beam") {
                    request.beam_width = width.parse().ok()?;
                    request.max_suggestions = request.beam_width;
                } else if let Some(score) = word.strip_prefix("min") {
                    request.min_score = Some(score.parse().ok()?);
                } else {
                    self.lines_after = Some(word.strip_prefix("after")?.parse().ok()?);
                }
            }
        }
        Some(())
    }

    /// Those that a part measures by default; all of them are known to [`Self::parse`].
    pub fn list(names: &[&str]) -> Vec<Self> {
        names.iter().filter_map(|name| Self::parse(name).ok()).collect()
    }

    /// The request for a task.
    pub fn request(&self, task: &Task) -> CompletionRequest {
        let of_file = |text: &str| if self.has_header { text.to_owned() } else { String::new() };
        let lines = task.suffix.split_inclusive('\n').take(self.lines_after.unwrap_or(usize::MAX));
        CompletionRequest {
            prefix: task.prefix.clone(),
            suffix: lines.collect(),
            path: of_file(&task.path),
            language_id: of_file(&task.language),
            ..self.request.clone()
        }
    }

    pub fn format(&self) -> &str {
        &self.request.format
    }

    /// The name of the same setting without healing, if this one heals.
    pub fn unhealed(&self) -> Option<String> {
        self.request.healing.then(|| format!("{}:noheal", self.name))
    }

    /// The name of the same setting with another format.
    pub fn with_format(&self, format: &str) -> String {
        let rest = self.name.split_once(':').map(|(_, rest)| format!(":{rest}")).unwrap_or_default();
        format!("{format}{rest}")
    }
}

#[cfg(test)]
mod tests {
    use super::{Setting, Task};

    #[test]
    fn names_become_requests() {
        let request = |name: &str| Setting::parse(name).expect("a setting").request;
        assert!(request("prefix").healing && request("prefix").beam_width == 1);
        assert!(!request("spm:noheal").healing);
        assert_eq!((request("psm:beam5").beam_width, request("psm:beam5").max_suggestions), (5, 5));
        assert_eq!(request("prefix:min-1.5").min_score, Some(-1.5));
        for wrong in [
            "prefix:min1",
            "prefix:minx",
            "prefix:after",
            "",
            "fim",
            "prefix:heal",
            "prefix:beam",
            "prefix:beam99",
            "prefix:beam0",
        ] {
            assert!(Setting::parse(wrong).is_err(), "{wrong}");
        }
        let task = Task {
            id: String::new(),
            prefix: "a".into(),
            suffix: "b\nc\nd".into(),
            path: "x/y.py".into(),
            language: "python".into(),
        };
        let short = Setting::parse("spm:after2:noheader").expect("a setting").request(&task);
        assert_eq!(
            (short.suffix.as_str(), short.path.as_str(), short.language_id.as_str()),
            ("b\nc\n", "", "")
        );
        let setting = Setting::parse("spm:beam5").expect("a setting");
        assert_eq!(setting.with_format("prefix"), "prefix:beam5");
        assert_eq!(setting.unhealed().as_deref(), Some("spm:beam5:noheal"));
    }
}
