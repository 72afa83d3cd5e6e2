//! The file's own indentation, once (T26, T27), and clean line ends (T15).

use super::check;

#[test]
fn what_is_there_is_not_indented_again() {
    check(&[
        ("def f():\n    |", "    return 1", "return 1"),
        ("def f():\n    |", "return 1", "return 1"),
        ("def f():\n    |", "        return 1", "    return 1"),
        ("def f():\n  |", "  return 1", "return 1"),
        ("def f():\n\t|", "\treturn 1", "return 1"),
        ("def f():\n|", "    return 1", "    return 1"),
        ("def f():\n  |", "  return 1\n", "return 1"),
        ("class A:\n    def f():\n        |", "        return 1", "return 1"),
        ("class A:\n    def f():\n    |", "    return 1", "    return 1"),
        ("class A:\n    def f():\n        x\n    |\n        y\n", "    z", "    z"),
        ("class A {\n\tf() {\n\t\t|\n\t}\n}", "\t\treturn 1;", "return 1;"),
        // After text, white space is text.
        ("x =|", " 1", " 1"),
        ("x =|", "  1", "  1"),
    ]);
}

#[test]
fn new_lines_use_the_unit_of_the_file() {
    check(&[
        ("a {\n  b\n}\nc {|", "\n    d", "\n  d"),
        ("a {\n  b\n}\nc {|", "\n    d {\n        e\n    }\n}", "\n  d {\n    e\n  }\n}"),
        ("a:\n    b\nc:|", "\n  d:\n    e", "\n    d:\n        e"),
        ("a {\n\tb\n}\nc {|", "\n    d", "\n\td"),
        ("a {\n\tb\n}\nc {|", "\n  d {\n    e\n  }\n}", "\n\td {\n\t\te\n\t}\n}"),
        ("a {\n  b\n}\nc {|", "\n\td\n}", "\n  d\n}"),
        ("a:\n  b:\n    c:\n      |", "if d:\n          e", "if d:\n        e"),
        // The unit is right, or not known, or the deeper line is aligned.
        ("a {\n  b\n}\nc {|", "\n  d", "\n  d"),
        ("c {|", "\n   d", "\n   d"),
        ("a {\n  b\n}\nc = f(x,|", "\n      y", "\n      y"),
    ]);
}

#[test]
fn line_ends_are_clean() {
    check(&[
        ("x =|", " 1  ", " 1"),
        ("a|", "b \nc\t\n\n", "b\nc"),
        ("a|", "b\r\nc", "b\nc"),
        ("a|", "b\u{fffd}", "b"),
        ("|", " \t\n ", "dropped: blank"),
        ("|", "", "dropped: blank"),
        ("foo(|)", "\nbar", "dropped: blank"),
        ("foo(|  ", "\n  bar", "\n  bar"),
    ]);
}
