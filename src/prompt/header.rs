//! The header of models trained with one. Midline's own: `ext <|lang_sep|> path <|meta_sep|>`, the path cut to its
//! last three parts. Mellum's: `<filename>path` and a line break.

use crate::tokenizer::{FimFamily, Start, TokenId, Tokenizer};

/// Parts of the path that the model was shown in training.
const PATH_PARTS: usize = 3;
/// A longer path is cut from the front.
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

/// Header tokens, at most `budget`: parts of the path are left out until they fit. None when the model knows no
/// header, when nothing is known about the file, or when the shortest does not fit.
pub(super) fn header(tokenizer: &Tokenizer, path: &str, language_id: &str, budget: usize) -> Vec<TokenId> {
    let by_language = EXTENSIONS.iter().find(|(id, _)| *id == language_id).map(|(_, extension)| *extension);
    let path = match (short_path(path), by_language) {
        (path, Some(extension)) if path.is_empty() => format!("main.{extension}"),
        (path, _) => path,
    };
    if path.is_empty() {
        return Vec::new();
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').map(|(_, extension)| extension).or(by_language);
    // The whole path, then without its first part, and so on.
    let starts = std::iter::once(0).chain(path.match_indices('/').map(|(slash, _)| slash + 1));
    let mut headers = starts.map(|start| tokens(tokenizer, &path[start..], extension.unwrap_or_default()));
    headers.find(|header| header.len() <= budget).unwrap_or_default()
}

fn tokens(tokenizer: &Tokenizer, path: &str, extension: &str) -> Vec<TokenId> {
    let special = tokenizer.special();
    let text = |text: &str| tokenizer.encode(text, Start::Continuation);
    if let (Some(lang_sep), Some(meta_sep)) = (special.lang_sep, special.meta_sep) {
        return [text(extension), vec![lang_sep], text(path), vec![meta_sep]].concat();
    }
    match (special.fim_family, special.file_sep) {
        (Some(FimFamily::Mellum), Some(file_sep)) => [vec![file_sep], text(&format!("{path}\n"))].concat(),
        _ => Vec::new(),
    }
}

/// The last parts of a path, with forward slashes.
fn short_path(path: &str) -> String {
    let path = path.replace(['\\', '\n', '\r'], "/");
    let parts: Vec<_> = path.split('/').filter(|part| !part.is_empty()).collect();
    let short = parts[parts.len().saturating_sub(PATH_PARTS)..].join("/");
    short[short.ceil_char_boundary(short.len().saturating_sub(MAX_PATH_BYTES))..].to_owned()
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
        assert_eq!(short_path("a\nb.py"), "a/b.py");
    }
}
