//! A way to ask for a completion, with a name that records and tables carry.

use super::asker::Task;
use midline::engine::CompletionRequest;

/// A format and what differs from greedy decoding with healing, as written on the command line.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    pub name: String,
    request: CompletionRequest,
}

impl Setting {
    /// `FORMAT[:noheal][:beamN]`.
    ///
    /// # Errors
    /// A sentence naming the part that is not understood.
    pub fn parse(name: &str) -> Result<Self, String> {
        let mut words = name.split(':');
        let format = words.next().unwrap_or_default();
        if !["prefix", "psm", "spm", "auto"].contains(&format) {
            return Err(format!("setting {name}: expected prefix, psm, spm or auto, found {format:?}"));
        }
        let mut request = CompletionRequest { format: format.to_owned(), ..CompletionRequest::default() };
        for word in words {
            if word == "noheal" {
                request.healing = false;
            } else if let Some(width) = word.strip_prefix("beam").and_then(|width| width.parse().ok()) {
                request.beam_width = width;
                request.max_suggestions = width;
            } else {
                return Err(format!("setting {name}: expected noheal or beamN, found {word:?}"));
            }
        }
        request.check().map_err(|error| format!("setting {name}: {error}"))?;
        Ok(Self { name: name.to_owned(), request })
    }

    /// Those that a part measures by default; all of them are known to [`Self::parse`].
    pub fn list(names: &[&str]) -> Vec<Self> {
        names.iter().filter_map(|name| Self::parse(name).ok()).collect()
    }

    pub fn request(&self, task: &Task) -> CompletionRequest {
        CompletionRequest {
            prefix: task.prefix.clone(),
            suffix: task.suffix.clone(),
            path: task.path.clone(),
            language_id: task.language.clone(),
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
    use super::Setting;

    #[test]
    fn names_become_requests() {
        let request = |name: &str| Setting::parse(name).expect("a setting").request;
        assert!(request("prefix").healing && request("prefix").beam_width == 1);
        assert!(!request("spm:noheal").healing);
        assert_eq!((request("psm:beam5").beam_width, request("psm:beam5").max_suggestions), (5, 5));
        for wrong in ["", "fim", "prefix:heal", "prefix:beam", "prefix:beam99", "prefix:beam0"] {
            assert!(Setting::parse(wrong).is_err(), "{wrong}");
        }
        let setting = Setting::parse("spm:beam5").expect("a setting");
        assert_eq!(setting.with_format("prefix"), "prefix:beam5");
        assert_eq!(setting.unhealed().as_deref(), Some("spm:beam5:noheal"));
    }
}
