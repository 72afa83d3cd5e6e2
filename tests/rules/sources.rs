//! The files of the repository: what git tracks, and what it would track.

use std::path::{Path, PathBuf};
use std::process::Command;

/// One text file; the path is relative to the repository and has forward slashes.
pub struct Source {
    pub path: String,
    pub text: String,
}

/// The folder of the repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The paths of all files that git tracks or would add.
pub fn paths() -> Vec<String> {
    let listing = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
        .current_dir(root())
        .output()
        .expect("git is needed to list the repository's files");
    assert!(listing.status.success(), "git ls-files: {}", String::from_utf8_lossy(&listing.stderr));
    let names = String::from_utf8(listing.stdout).expect("git ls-files gave UTF-8");
    let mut paths: Vec<String> =
        names.split('\0').filter(|p| !p.is_empty() && root().join(p).is_file()).map(str::to_owned).collect();
    paths.sort();
    paths.dedup();
    assert!(paths.len() > 10, "the listing looks empty: {paths:?}");
    paths
}

/// All files that are UTF-8 text.
pub fn texts() -> Vec<Source> {
    let read = |path: String| {
        let bytes = std::fs::read(root().join(&path)).ok()?;
        let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))?;
        Some(Source { path, text })
    };
    paths().into_iter().filter_map(read).collect()
}

/// The files for which `keep` holds.
pub fn select(keep: impl Fn(&str) -> bool) -> Vec<Source> {
    texts().into_iter().filter(|source| keep(&source.path)).collect()
}

/// The extension, or `""`.
pub fn extension(path: &str) -> &str {
    Path::new(path).extension().and_then(|e| e.to_str()).unwrap_or("")
}

/// Golden texts and vocabularies are data even where they look like code; the recipes that made them are code.
pub fn is_data(path: &str) -> bool {
    path.starts_with("tests/golden/") && !path.starts_with("tests/golden/recipes/")
}
