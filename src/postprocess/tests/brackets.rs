//! Nothing is closed that is not open (T23, T24).

use super::check;

#[test]
fn surplus_closers_are_cut() {
    check(&[
        ("for(i=0; i<|)", "10; i++)", "10; i++"),
        ("for(i=0; i<|)", "10; i++) {", "10; i++"),
        ("f(\"|\")", "abc\", x", "abc"),
        ("x = f(a|\n", "))", ")"),
        ("x = 1|", ")", "dropped: unbalanced"),
        ("x = [1|", "])", "]"),
        ("function f() {\n  g(|\n}\n", "a);\n  }\n}", "a);"),
        ("a = {|}\nb", "x: [1}, 2]", "x: [1"),
    ]);
}

#[test]
fn what_the_user_opened_may_be_closed() {
    check(&[
        ("foo(a|", ")", ")"),
        ("foo(a)|", ";", ";"),
        ("foo(|", "a)", "a)"),
        ("foo(bar(|", "a))", "a))"),
        ("function f() {\n  a();\n|", "}", "}"),
        ("x = [\n    1,\n|", "]", "]"),
        ("print('hi|", "')", "')"),
        ("`a ${b|", "}`", "}`"),
        ("if (x|", ") {", ") {"),
        ("if (x|", ") { foo(() => {", ") { foo(() => {"),
        ("items.forEach(|)", "item => {", "item => {"),
    ]);
}

#[test]
fn brackets_in_strings_and_comments_are_text() {
    check(&[
        ("x = 1  # see |", "a) and b]", "a) and b]"),
        ("let x = 1; // see |", "1) or 2)", "1) or 2)"),
        ("print('|", ":)')", ":)')"),
        ("s = \"(\" + |", "f(\")\")", "f(\")\")"),
        ("s = \"(\"|", ")", "dropped: unbalanced"),
        ("def f():\n    \"\"\"Say |\n    \"\"\"\n", "a) or b)", "a) or b)"),
        ("fn f<'a>(x: &'a str|) {\n}\n", ", y: &'a str)", ", y: &'a str"),
        ("let c = '(';\nlet x = f(|);\n", "c);", "c"),
        ("let x = a.replace(/[(]/, b|);\n", ")", "dropped: already-after-caret"),
    ]);
}
