//! What users of other completers reported about the texts they got, one test a symptom; `tests/README.md` lists them.

use super::{check, check_in};
use crate::postprocess::Language;

#[test]
fn t19_the_end_of_the_line_is_not_said_again() {
    check(&[
        ("for (let i = 0; |; i++) {\n", "i < n; i++) {", "i < n"),
        ("return a |+ b\n", "* c + b", "* c"),
        ("x = foo(|, bar)\n", "a, bar)", "a"),
        ("if (|) return;\n", "x) return;", "x"),
        ("let |= compute();\n", "total = compute();", "total"),
    ]);
}

#[test]
fn t21_the_lines_below_are_not_said_again() {
    check(&[
        ("def f():\n    a = 1\n    |\n    return a\n", "b = 2\n    return a", "b = 2"),
        ("f() {\n  |\n}\n\ng();\n", "a();\n}\n\ng();", "a();"),
        ("import a\n|\nimport c\n", "import b\nimport c", "import b"),
        ("import a\n|\nimport c\n", "import c", "dropped: already-after-caret"),
    ]);
}

#[test]
fn t23_closers_that_an_editor_inserted_are_swallowed() {
    check(&[
        ("for(i=0; i<|)", "10; i++)", "10; i++"),
        ("f([|])", "1, 2])", "1, 2"),
        ("f({|})", "a: 1})", "a: 1"),
        ("f(\"|\")", "x\")", "x"),
        ("f(g(|))", "x))", "x"),
    ]);
}

#[test]
fn t24_no_bracket_too_many_and_none_of_strings_or_comments() {
    check(&[
        ("x = f(|\n", "a))", "a)"),
        ("if (a) {\n  b(|\n}\n", "c);\n}\n}", "c);"),
        ("x = \"(\" + f(|\n", "a))", "a)"),
        ("f(a)  # (see |\n", "b) c) d", "b) c) d"),
        ("x = [|\n", "1, 2])", "1, 2]"),
    ]);
}

#[test]
fn t26_indentation_is_in_the_units_of_the_file() {
    check(&[
        ("def a():\n  b\ndef c():|", "\n    d\n    e", "\n  d\n  e"),
        ("a {\n\tb\n}\nc {|", "\n    d\n    e", "\n\td\n\te"),
    ]);
}

#[test]
fn t27_a_line_that_is_indented_already_is_not_indented_again() {
    let cases = [
        ("def f():\n    |", "    return 1", "return 1"),
        ("def f():\n  |", "    return 1", "  return 1"),
        ("class A:\n\tdef f():\n\t\t|", "\t\treturn 1", "return 1"),
        ("class A:\n\tdef f():\n\t\t|", "return 1", "return 1"),
    ];
    check_in(Some(Language::Hash), &cases);
}
