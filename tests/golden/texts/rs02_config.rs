use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    pub listen: String,
    #[serde(default = "default_workers")]
    pub workers: usize,
    #[serde(default)]
    pub routes: BTreeMap<String, Route>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Route {
    Static { root: PathBuf },
    Proxy { upstream: String, timeout_ms: Option<u64> },
    Redirect { to: String },
}

fn default_workers() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

#[derive(Debug)]
pub enum ConfigError {
    Io(PathBuf, std::io::Error),
    Parse(toml::de::Error),
    Invalid { route: String, reason: &'static str },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(path, err) => write!(f, "cannot read {}: {err}", path.display()),
            Self::Parse(err) => write!(f, "malformed configuration: {err}"),
            Self::Invalid { route, reason } => write!(f, "route {route:?}: {reason}"),
        }
    }
}

impl std::error::Error for ConfigError {}

pub fn load(path: impl AsRef<Path>) -> Result<Config, ConfigError> {
    let path = path.as_ref();
