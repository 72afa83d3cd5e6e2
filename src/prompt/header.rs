//! The header of models trained with one: `ext <|lang_sep|> path <|meta_sep|>`, the path cut to its last three parts.

use crate::tokenizer::{Start, TokenId, Tokenizer};

/// Parts of the path that the model was shown in training.
const PATH_PARTS: usize = 3;
/// A longer path is cut from the front: the header always fits.
const MAX_PATH_BYTES: usize = 96;

/// Extensions for editors' language identifiers, where they differ from the extension itself.
const EXTENSIONS: [(&str, &str); 6] = [
    ("javascript", "js"),
    ("javascriptreact", "jsx"),
    ("python", "py"),
    ("rust", "rs"),
    ("typescript", "ts"),
    ("typescriptreact", "tsx"),
];

/// Header tokens; none when the vocabulary has no separators or nothing is known about the file.
pub(super) fn header(tokenizer: &Tokenizer, path: &str, language_id: &str) -> Vec<TokenId> {
    let special = tokenizer.special();
    let (Some(lang_sep), Some(meta_sep)) = (special.lang_sep, special.meta_sep) else {
        return Vec::new();
    };
    let by_language = EXTENSIONS.iter().find(|(id, _)| *id == language_id).map(|(_, extension)| *extension);
    let (path, extension) = match (short_path(path), by_language) {
        (path, by_language) if !path.is_empty() => {
            let name = path.rsplit('/').next().unwrap_or_default();
            let extension = name.rsplit_once('.').map(|(_, extension)| extension).or(by_language);
            let extension = extension.unwrap_or_default().to_owned();
            (path, extension)
        }
        (_, Some(extension)) => (format!("main.{extension}"), extension.to_owned()),
        _ => return Vec::new(),
    };
    let mut tokens = tokenizer.encode(&extension, Start::Continuation);
    tokens.push(lang_sep);
    tokens.extend(tokenizer.encode(&path, Start::Continuation));
    tokens.push(meta_sep);
    tokens
}

/// The last parts of a path, with forward slashes.
fn short_path(path: &str) -> String {
    let path = path.replace('\\', "/");
    let parts: Vec<_> = path.split('/').filter(|part| !part.is_empty()).collect();
    let mut short = parts[parts.len().saturating_sub(PATH_PARTS)..].join("/");
    while short.len() > MAX_PATH_BYTES {
        short.remove(0);
    }
    short
}

#[cfg(test)]
mod tests {
    use super::short_path;

    #[test]
    fn paths_keep_their_last_parts() {
        assert_eq!(short_path("/home/me/project/src/lib.rs"), "project/src/lib.rs");
        assert_eq!(short_path("C:\\work\\a\\b\\c.py"), "a/b/c.py");
        assert_eq!(short_path("main.rs"), "main.rs");
        assert_eq!(short_path(""), "");
        assert_eq!(short_path(&"한".repeat(200)).chars().count(), 32);
    }
}
