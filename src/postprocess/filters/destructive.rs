//! Finds commands that destroy data, in scripts and in strings of other languages.

use super::destructive_rules::{COMPACT, DIRECTORIES, DISKS, RULES, Rule, Target};
use std::ops::Range;

/// Words of a command that are looked at.
const MAX_WORDS: usize = 16;

/// Finds destructive commands.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    let mut places = compact(&lower);
    let mut words: Vec<Range<usize>> = Vec::new();
    for word in words_and_separators(&lower) {
        if matches!(&lower[word.clone()], ";" | "&" | "|" | "\n") {
            places.extend(command(&lower, &words));
            words.clear();
        } else {
            words.push(word);
        }
    }
    places.extend(command(&lower, &words));
    places
}

/// Words, parted by white space, quotes, brackets and commas, and the signs that end a command.
fn words_and_separators(text: &str) -> impl Iterator<Item = Range<usize>> {
    let is_gap = |c: char| c.is_whitespace() && c != '\n' || "\"'`(),[]".contains(c);
    let is_end = |c: char| ";&|\n".contains(c);
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(|c| !is_gap(c))?;
        let rest = &text[start..];
        let length = if rest.starts_with(is_end) {
            1
        } else {
            rest.find(|c| is_gap(c) || is_end(c)).unwrap_or(rest.len())
        };
        at = start + length;
        Some(start..at)
    })
}

/// The first rule that a command breaks, with the words that break it.
fn command(text: &str, words: &[Range<usize>]) -> Option<Range<usize>> {
    (0..words.len()).find_map(|first| {
        // What git removes it can bring back.
        if first > 0 && text[words[first - 1].clone()] == *"git" {
            return None;
        }
        let words = &words[first..words.len().min(first + MAX_WORDS)];
        let spelled: Vec<_> = words.iter().map(|word| &text[word.clone()]).collect();
        let length = RULES.iter().find_map(|rule| broken(rule, &spelled)).or_else(|| redirected(&spelled))?;
        Some(words[0].start..words[length - 1].end)
    })
}

/// How many words it takes to break a rule.
fn broken(rule: &Rule, words: &[&str]) -> Option<usize> {
    let name_length = rule.names.iter().find_map(|name| {
        let length = 1 + name.matches(' ').count();
        let is_name = match words.get(..length)? {
            [word] => is_named(word, name),
            several => several.join(" ") == *name,
        };
        is_name.then_some(length)
    })?;
    let rest = &words[name_length..];
    let has_option = rule.options.is_empty() || rest.iter().any(|word| is_option(word, rule.options));
    let target = rest.iter().position(|word| is_target(word, rule.target))?;
    has_option.then_some(name_length + target + 1)
}

/// Whether a word is a command, perhaps with its path or a suffix: `/bin/rm`, `mkfs.ext4`.
fn is_named(word: &str, name: &str) -> bool {
    let word = word.rsplit('/').next().unwrap_or_default();
    word == name || name == "mkfs" && word.starts_with("mkfs.")
}

/// Whether a word is one of some options, or a group of short ones that has its letter.
fn is_option(word: &str, options: &[&str]) -> bool {
    options.iter().any(|option| {
        let is_short = option.len() == 2 && option.starts_with('-');
        let in_group = is_short
            && word.starts_with('-')
            && !word.starts_with("--")
            && word.ends_with(|c: char| c.is_ascii_alphabetic());
        word == *option || in_group && word.len() <= 6 && word.contains(&option[1..])
    })
}

fn is_target(word: &str, target: Target) -> bool {
    match target {
        Target::Word => !word.is_empty(),
        Target::Disk => is_disk(word),
        Target::OutputDisk => word.strip_prefix("of=").is_some_and(is_disk),
        Target::Directory => {
            let directory = word.strip_suffix('*').filter(|rest| rest.ends_with(['/', '\\'])).unwrap_or(word);
            let trimmed = directory.trim_end_matches(['/', '\\']);
            trimmed.is_empty() && directory.starts_with('/') || DIRECTORIES.binary_search(&trimmed).is_ok()
        }
    }
}

fn is_disk(word: &str) -> bool {
    let Some(name) = word.strip_prefix("/dev/") else { return false };
    DISKS.iter().any(|disk| name.starts_with(disk))
}

/// Output that is written over a disk: `> /dev/sda`.
fn redirected(words: &[&str]) -> Option<usize> {
    match words {
        [">" | ">>", disk, ..] if is_disk(disk) => Some(2),
        [word, ..] if word.strip_prefix('>').is_some_and(is_disk) => Some(1),
        _ => None,
    }
}

/// Spellings in which white space does not count.
fn compact(text: &str) -> Vec<Range<usize>> {
    let (mut compact, mut starts) = (String::new(), Vec::new());
    for (at, character) in text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        compact.push(character);
        starts.resize(compact.len(), at);
    }
    let found = COMPACT.iter().flat_map(|spelling| compact.match_indices(spelling));
    found.map(|(at, spelling)| starts[at]..starts[at + spelling.len() - 1] + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::super::destructive_rules::{DIRECTORIES, DISKS, RULES};
    use super::find;

    #[test]
    fn the_tables_are_sorted_and_lower_case() {
        assert!(RULES.is_sorted_by_key(|rule| rule.names));
        assert!(DIRECTORIES.is_sorted() && DISKS.is_sorted());
        let words = RULES.iter().flat_map(|rule| rule.names.iter().chain(rule.options)).chain(DIRECTORIES);
        assert!(words.clone().all(|word| *word == word.to_lowercase()));
    }

    #[test]
    fn destruction_is_found() {
        for text in [
            "rm -rf /",
            "sudo rm -fr --no-preserve-root /",
            "rm -r -f ~/",
            "rm -rf \"$HOME\"/*",
            "rm -rf $HOME/",
            "/bin/rm --recursive --force /usr",
            "cd build && rm -rf *",
            "os.system('rm -rf /')",
            "subprocess.run([\"rm\", \"-rf\", \"/etc\"])",
            "shutil.rmtree('/')",
            "fs.rmSync('/', { recursive: true })",
            "mkfs.ext4 /dev/sda1",
            "mkfs -t ext4 /dev/nvme0n1",
            "dd if=/dev/zero of=/dev/sda bs=1M",
            "cat image > /dev/sdb",
            "echo x >/dev/sda",
            ":(){ :|:& };:",
            ":() { : | : & } ; :",
            "chmod -R 777 /",
            "chown -R nobody /usr/",
            "DROP DATABASE shop;",
            "cursor.execute(\"drop database if exists shop\")",
            "await db.dropDatabase()",
            "rd /s /q C:\\",
            "Remove-Item -Recurse -Force C:\\*",
            "wipefs -a /dev/sda",
        ] {
            assert!(!find(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn everyday_commands_are_not() {
        for text in [
            "rm -rf build dist *.egg-info",
            "rm -rf /tmp/build",
            "rm -f *",
            "rm -rf \"$BUILD_DIR\"",
            "rm -rf build; ls /",
            "rm -rf node_modules && cd /",
            "git push --force origin main",
            "git rm -r --cached .",
            "DROP TABLE IF EXISTS users;",
            "database.drop(name)",
            "dd if=/dev/zero of=disk.img",
            "dd if=a of=/dev/null",
            "echo x > /dev/null",
            "chmod -R u+w vendor",
            "chmod 755 /usr/local/bin/x",
            "shutil.rmtree(tmp_path)",
            "mkfs = make_filesystem(x)",
            "x = dd / of",
            "'{}'.format(c)",
            "format(c: char)",
            "const perform = rm(x, '-r')",
            "for (;;) { a(){ b|c } }",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }
}
