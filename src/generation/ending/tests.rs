//! Ends of lines and of blocks.

use super::{Block, Ending, columns};

/// What is kept of a text, and the reason; all of it and `open` while it has not ended.
fn cut<'t>(ending: &Ending, text: &'t str) -> (&'t str, &'static str) {
    match ending.of(text.as_bytes()) {
        Some((end, reason)) => (&text[..end], reason.name()),
        None => (text, "open"),
    }
}

#[test]
fn a_line_ends_at_the_break_after_text() {
    let at_end = Ending { may_break_first: true, ..Ending::default() };
    for (text, expected) in [
        ("a + b", ("a + b", "open")),
        ("a + b\n", ("a + b", "line")),
        ("a + b\n\n", ("a + b", "line")),
        ("\n    return a", ("\n    return a", "open")),
        ("\n    return a\n}", ("\n    return a", "line")),
        ("\n", ("\n", "open")),
        ("\n\n", ("", "blank-line")),
        ("  \n \t\n x", ("  ", "blank-line")),
        ("", ("", "open")),
    ] {
        assert_eq!(cut(&at_end, text), expected, "{text:?}");
    }
    let inside = Ending::default();
    assert_eq!(cut(&inside, "\n    return a"), ("", "line"));
    assert_eq!(cut(&inside, "  \nx"), ("  ", "line"));
}

#[test]
fn the_next_line_of_the_document_ends_it() {
    let ending = Ending { may_break_first: true, next_line: b"    return x".into(), ..Ending::default() };
    assert_eq!(cut(&ending, "\n    return x \n"), ("\n    return x ", "suffix-line"));
    assert_eq!(cut(&ending, "\n  return x\n"), ("\n  return x", "line"), "another indentation");
    let ending = Ending { line_start: b"    ret".into(), ..ending };
    assert_eq!(cut(&ending, "urn x\n"), ("urn x", "suffix-line"));
    let block = Some(Block { max_lines: 9, outer_columns: 0 });
    let ending = Ending { line_start: b"    ".into(), block, ..ending };
    assert_eq!(cut(&ending, "y = 1\n    return x\n    z"), ("y = 1\n    return x", "suffix-line"));
}

fn block(line_start: &str, max_lines: usize) -> Ending {
    let outer_columns = columns(line_start.split(|c| c != ' ' && c != '\t').next().unwrap_or("").as_bytes());
    let block = Some(Block { max_lines, outer_columns });
    Ending { may_break_first: true, line_start: line_start.into(), block, next_line: Vec::new() }
}

#[test]
fn a_block_ends_where_it_is_left() {
    for (line_start, text, expected) in [
        // After the opener, on its line.
        ("def f():", "\n    a\n    b", ("\n    a\n    b", "open")),
        ("def f():", "\n    a\n    b\nc", ("\n    a\n    b", "dedent")),
        ("def f():", "\n    if a:\n        b\n    c\n", ("\n    if a:\n        b\n    c\n", "open")),
        ("def f():", "\n    a\n\n    b", ("\n    a", "blank-line")),
        ("def f():", "\n\ta\n\tb\nc", ("\n\ta\n\tb", "dedent")),
        ("\tdef f():", "\n\t\ta\n\tb", ("\n\t\ta", "dedent")),
        ("f() {", "\n  a;\n}\n", ("\n  a;\n}", "block-end")),
        ("f() {", "\n  a;\n}", ("\n  a;\n}", "open")),
        ("f() {", "\n  a;\n} else {", ("\n  a;\n}", "block-end")),
        ("f(() => {", "\n  a;\n});\nb", ("\n  a;\n});", "block-end")),
        ("  f() {", "\n    a;\n}", ("\n    a;", "dedent")),
        ("f() {", "\r\n  a;\r\n}\r\n", ("\r\n  a;\r\n}", "block-end")),
        // The text goes on behind the opener.
        ("foo(", "a, b)\nbar()", ("a, b)", "dedent")),
        ("foo(", "a,\n    b\n)\n", ("a,\n    b\n)", "block-end")),
        ("if (x) {", " return 1; }\ny", (" return 1; }", "dedent")),
    ] {
        assert_eq!(cut(&block(line_start, 64), text), expected, "{line_start:?} + {text:?}");
    }
}

#[test]
fn a_block_below_its_opener_begins_where_the_caret_stands() {
    let at = |line_start: &str| Ending { line_start: line_start.into(), ..block("", 64) };
    assert_eq!(cut(&at("    "), "a\n    b\nc"), ("a\n    b", "dedent"));
    assert_eq!(cut(&at(""), "    a\n  b"), ("    a", "dedent"));
    assert_eq!(cut(&at("\t"), "a;\n}\n"), ("a;\n}", "block-end"));
    assert_eq!(cut(&at("  "), "a\n  b\n"), ("a\n  b\n", "open"));
}

#[test]
fn lines_are_counted() {
    assert_eq!(cut(&block("f {", 2), "\n  a\n  b\n  c"), ("\n  a\n  b", "max-lines"));
    assert_eq!(cut(&block("f {", 1), "\n  a\n"), ("\n  a", "line"));
    assert_eq!(cut(&block("f(", 3), "a,\n  b,\n  c\n)"), ("a,\n  b,\n  c", "max-lines"));
}
