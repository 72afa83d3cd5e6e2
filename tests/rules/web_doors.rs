//! Which room of `www/src/` may import which, and which npm packages.

use crate::{assert_clean, sources};

/// Room, and the rooms it may import besides itself. Files directly under `www/src/` are the package's entries.
const DOORS: &[(&str, &[&str])] = &[
    ("client", &[]),
    ("editor", &["client"]),
    ("monaco", &["editor", "client"]),
    ("codemirror", &["editor", "client"]),
    ("store", &["client"]),
    ("pwa", &[]),
    ("playground", &["pwa", ENTRY]),
];

/// Stands for the package's entry files.
const ENTRY: &str = "entry";

/// Start of a package name, and the only rooms that may import it.
const PACKAGES: &[(&str, &[&str])] = &[
    ("monaco-editor", &["monaco", "playground"]),
    ("@codemirror/", &["codemirror", "playground"]),
    ("codemirror", &["codemirror", "playground"]),
    ("@noble/hashes", &["store"]),
];

/// What a file asks for: the specifier, and whether only for its types.
struct Import {
    line: usize,
    specifier: String,
    types_only: bool,
}

fn check(path: &str, text: &str) -> Vec<String> {
    let Some(inside) = path.strip_prefix("www/src/") else { return Vec::new() };
    let room = room_of(inside);
    if room == ENTRY {
        return Vec::new();
    }
    let Some((_, open)) = DOORS.iter().find(|(name, _)| *name == room) else {
        return vec![format!("{path}: room {room} has no row in tests/rules/web_doors.rs")];
    };
    let mut complaints = Vec::new();
    for import in imports(text) {
        let mut complain =
            |what: &str| complaints.push(format!("{path}:{}: {what} ({})", import.line, import.specifier));
        if import.specifier.starts_with('.') {
            let target = resolve(inside, &import.specifier);
            match room_of(&target) {
                "wasm" if room == "client" && inside.starts_with("client/worker") => {}
                "wasm" => complain("only client/worker imports the wasm package"),
                used if used == room || open.contains(&used) => {}
                // An entry of the package that lies in a room: `monaco/index.ts`.
                _ if room == "playground" && is_entry(&target) => {}
                used => complain(&format!("{room} has no door to {used}")),
            }
        } else if let Some((_, rooms)) =
            PACKAGES.iter().find(|(package, _)| import.specifier.starts_with(package))
        {
            if !rooms.contains(&room) {
                complain(&format!("{room} must not know this package"));
            } else if room == "monaco" && !import.types_only {
                complain("the adapter takes only types from the editor");
            }
        }
    }
    complaints
}

/// `client/worker.ts` is in `client`; `index.ts` is an entry.
fn room_of(inside: &str) -> &str {
    inside.split_once('/').map_or(ENTRY, |(room, _)| room)
}

/// A folder or its index file, of a room that the package exports.
fn is_entry(target: &str) -> bool {
    matches!(
        target.split_once('/'),
        Some(("client" | "monaco" | "codemirror" | "store", "index" | "index.ts" | "index.js"))
    )
}

/// The path below `www/src/` that a relative specifier means.
fn resolve(inside: &str, specifier: &str) -> String {
    let mut parts: Vec<&str> = inside.split('/').collect();
    parts.pop();
    for step in specifier.split('/') {
        match step {
            "." => {}
            ".." if parts.pop().is_none() => parts.push("outside"),
            ".." => {}
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// Every string that follows `from`, `import`, `import(` or `new URL(`: statements may span lines, so the text is read as one.
fn imports(text: &str) -> Vec<Import> {
    let code = without_comments(text);
    let mut found = Vec::new();
    for opener in ["from", "import", "import(", "URL("] {
        for (at, _) in code.match_indices(opener) {
            let rest = code[at + opener.len()..].trim_start();
            let boundary = code[..at]
                .chars()
                .next_back()
                .is_none_or(|c| !c.is_alphanumeric() && !"_$.'\"/-".contains(c));
            let Some(quote) = rest.chars().next().filter(|c| "'\"`".contains(*c)) else { continue };
            let Some(specifier) = rest[1..].split(quote).next().filter(|_| boundary) else { continue };
            let statement = code[..at].rfind("import ").map_or("", |start| &code[start..at]);
            let types_only =
                opener == "from" && statement.starts_with("import type") && !statement.contains(';');
            let line = code[..at].matches('\n').count() + 1;
            found.push(Import { line, specifier: specifier.to_owned(), types_only });
        }
    }
    found
}

/// Comments become nothing but their line breaks; quotes are respected, because `//` occurs in addresses.
fn without_comments(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let (mut rest, mut quote) = (text, None);
    while let Some(c) = rest.chars().next() {
        let taken = match quote {
            None if rest.starts_with("//") => {
                rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
                continue;
            }
            None if rest.starts_with("/*") => {
                let end = rest.find("*/").map_or(rest.len(), |end| end + 2);
                code.extend(rest[..end].chars().filter(|&c| c == '\n'));
                rest = &rest[end..];
                continue;
            }
            Some(_) if c == '\\' => c.len_utf8() + rest[1..].chars().next().map_or(0, char::len_utf8),
            Some(open) => {
                if c == open || c == '\n' && open != '`' {
                    quote = None;
                }
                c.len_utf8()
            }
            None => {
                quote = "'\"`".contains(c).then_some(c);
                c.len_utf8()
            }
        };
        code.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    code
}

#[test]
fn web_rooms_use_only_their_doors() {
    let web = sources::select(|path| {
        path.starts_with("www/src/") && matches!(sources::extension(path), "ts" | "tsx" | "js")
    });
    assert_clean(web.iter().flat_map(|source| check(&source.path, &source.text)).collect());
}

#[test]
fn closed_web_doors_are_found() {
    let bad = [
        ("www/src/monaco/adapter.ts", "import { x } from '../codemirror/index';"),
        ("www/src/codemirror/adapter.ts", "import type { x } from \"../monaco/session\";"),
        ("www/src/client/client.ts", "import init from '../wasm/simd128/midline.js';"),
        ("www/src/playground/main.ts", "const w = await import('../wasm/simd128/midline.js');"),
        ("www/src/playground/main.ts", "import { Client } from '../client/client';"),
        ("www/src/playground/main.ts", "new Worker(new URL('../client/worker.ts', import.meta.url));"),
        ("www/src/client/client.ts", "import { x } from '../editor/session';"),
        ("www/src/editor/session.ts", "import * as monaco from 'monaco-editor';"),
        ("www/src/monaco/adapter.ts", "import * as monaco from 'monaco-editor';"),
        ("www/src/monaco/adapter.ts", "export {\n  x,\n} from '../playground/main';"),
        ("www/src/annex/a.ts", ""),
    ];
    for (path, text) in bad {
        assert_eq!(check(path, text).len(), 1, "{path}: {text}: {:?}", check(path, text));
    }
}

#[test]
fn open_web_doors_pass() {
    let good = [
        ("www/src/client/worker.ts", "const m = await import('../wasm/relaxed/midline.js');"),
        (
            "www/src/monaco/adapter.ts",
            "import type { editor } from 'monaco-editor';\nimport { s } from '../editor/session';",
        ),
        (
            "www/src/playground/main.ts",
            "import { a } from '../index';\nimport { b } from '../monaco/index.ts';\nimport * as m from 'monaco-editor';",
        ),
        (
            "www/src/client/client.ts",
            "// import x from '../editor/x'\nconst from = 'a';\nconst u = 'http://h/';",
        ),
        ("www/src/index.ts", "export { x } from './client/index';"),
    ];
    for (path, text) in good {
        assert_eq!(check(path, text), Vec::<String>::new());
    }
}
