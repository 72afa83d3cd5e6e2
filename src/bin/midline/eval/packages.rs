//! Held-out source code: which lines of which files are asked.
//!
//! The folder holds `language/package/files`; `tests/eval/fetch.py` fills it from the package registries. Files and
//! packages are taken in the order of their names, lines in an order that a fixed seed shuffles, one package after
//! the other, so that a larger limit asks the same lines and some more.

use super::asker::Task;
use super::carets::{Caret, carets};
use super::random::Random;
use midline::error::{Error, Result};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A file of a package.
pub struct SourceFile {
    /// `package/path/in/it`, with forward slashes.
    pub path: String,
    /// Its text with line feeds only.
    pub text: String,
}

/// A line with its carets.
#[derive(Clone)]
pub struct Line {
    pub language: String,
    pub file: Rc<SourceFile>,
    /// Counted from 0.
    pub number: usize,
    /// Where it begins in the file.
    pub start: usize,
    pub carets: [Caret; 3],
}

impl Line {
    pub fn text(&self) -> &str {
        self.file.text[self.start..].split('\n').next().unwrap_or_default()
    }

    /// The task at a caret with `at` bytes of the line before it: the rest of the line is missing.
    pub fn task(&self, at: usize, id: String) -> Task {
        Task {
            id,
            prefix: self.file.text[..self.start + at].to_owned(),
            suffix: self.file.text[self.start + self.text().len()..].to_owned(),
            path: self.file.path.clone(),
            language: self.language.clone(),
        }
    }
}

/// The names of the folders of a folder, sorted.
fn folders(path: &Path) -> Result<Vec<PathBuf>> {
    Ok(entries(path)?.into_iter().filter(|path| path.is_dir()).collect())
}

fn entries(path: &Path) -> Result<Vec<PathBuf>> {
    let failed = |error| Error::Io { message: format!("{}: {error}", path.display()) };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(path).map_err(failed)? {
        paths.push(entry.map_err(failed)?.path());
    }
    paths.sort();
    Ok(paths)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Every file below a folder as a source file; those that are not UTF-8 are left out.
fn files(folder: &Path, path: &str, found: &mut Vec<Rc<SourceFile>>) -> Result<()> {
    for entry in entries(folder)? {
        let path = format!("{path}/{}", name(&entry));
        if entry.is_dir() {
            files(&entry, &path, found)?;
        } else if let Ok(text) = std::fs::read_to_string(&entry) {
            found.push(Rc::new(SourceFile { path, text: text.replace("\r\n", "\n") }));
        }
    }
    Ok(())
}

/// The lines of a package that have carets, shuffled.
fn lines(language: &str, package: &Path, seed: u64) -> Result<VecDeque<Line>> {
    let mut all = Vec::new();
    files(package, &name(package), &mut all)?;
    let mut random = Random::new(seed);
    let mut found = Vec::new();
    for file in &all {
        let mut start = 0;
        for (number, line) in file.text.split('\n').enumerate() {
            // The first line has nothing before it to be completed from.
            if let Some(carets) = carets(line, &mut random).filter(|_| number > 0) {
                let (language, file) = (language.to_owned(), Rc::clone(file));
                found.push(Line { language, file, number, start, carets });
            }
            start += line.len() + 1;
        }
    }
    random.shuffle(&mut found);
    Ok(found.into())
}

/// `limit` lines a language, a list for each language in the order of their names.
///
/// # Errors
/// `io` when the folder cannot be read or holds no lines.
pub fn choose(folder: &Path, limit: usize, seed: u64) -> Result<Vec<Vec<Line>>> {
    let mut chosen = Vec::new();
    for language in folders(folder)? {
        let mut packages = Vec::new();
        for package in folders(&language)? {
            packages.push(lines(&name(&language), &package, seed)?);
        }
        let mut of_language = Vec::new();
        while of_language.len() < limit && packages.iter().any(|lines| !lines.is_empty()) {
            of_language.extend(packages.iter_mut().filter_map(VecDeque::pop_front));
        }
        of_language.truncate(limit);
        chosen.push(of_language);
    }
    if chosen.iter().all(Vec::is_empty) {
        return Err(Error::Io {
            message: format!("{}: no source code in it; run: .ci/eval", folder.display()),
        });
    }
    Ok(chosen)
}
