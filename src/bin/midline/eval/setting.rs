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
    /// `FORMAT[:noheal][:beamN][:minS][:linesN][:noheader][:afterN]`, and for ablations the constants of the search:
    /// `[:nN][:kK][:lenX][:running]` (iterations, give-up ratio, length exponent, ended lines go on). Nothing is
    /// dropped for its score unless `minS` says so.
    ///
    /// # Errors
    /// A sentence naming the part that is not understood.
    pub fn parse(name: &str) -> Result<Self, String> {
        let mut words = name.split(':');
        let format = words.next().unwrap_or_default();
        if !["prefix", "psm", "spm", "auto"].contains(&format) {
            return Err(format!("setting {name}: expected prefix, psm, spm or auto, found {format:?}"));
        }
        let (format, min_score) = (format.to_owned(), Some(f64::NEG_INFINITY));
        let request = CompletionRequest { format, min_score, ..CompletionRequest::default() };
        let mut setting = Self { name: name.to_owned(), request, has_header: true, lines_after: None };
        for word in words {
            setting.take(word).ok_or_else(|| {
                format!(
                    "setting {name}: expected noheal, beamN, minS, linesN, noheader, afterN, nN, kK, lenX or running, \
                     found {word:?}"
                )
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
                } else if let Some(lines) = word.strip_prefix("after") {
                    self.lines_after = Some(lines.parse().ok()?);
                } else {
                    tune(request, word)?;
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

/// Takes a word for the search; `None` for one that is none.
fn tune(request: &mut CompletionRequest, word: &str) -> Option<()> {
    let tuning = &mut request.tuning;
    if word == "running" {
        tuning.collects_lines = false;
    } else if let Some(lines) = word.strip_prefix("lines") {
        request.max_lines = lines.parse().ok()?;
    } else if let Some(exponent) = word.strip_prefix("len") {
        tuning.length_exponent = exponent.parse().ok().filter(|exponent| f32::is_finite(*exponent))?;
    } else if let Some(iterations) = word.strip_prefix('n') {
        tuning.max_iterations = iterations.parse().ok().filter(|iterations| *iterations >= 1)?;
    } else {
        tuning.give_up_ratio = word.strip_prefix('k')?.parse().ok().filter(|ratio| *ratio >= 1.0)?;
    }
    Some(())
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
        let tuned = request("prefix:beam4:n12:k2.5:len0:running:lines8");
        assert_eq!((tuned.tuning.max_iterations, tuned.max_lines), (12, 8));
        assert_eq!((tuned.tuning.give_up_ratio, tuned.tuning.length_exponent), (2.5, 0.0));
        assert!(!tuned.tuning.collects_lines && request("prefix").tuning.collects_lines);
        for wrong in [
            "prefix:n0",
            "prefix:k",
            "prefix:kNaN",
            "prefix:lines0",
            "prefix:runningly",
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
