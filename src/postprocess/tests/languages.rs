//! Each language by its own rules of comments and strings, and what each of them writes every day.

use super::{Case, check_all, check_in};
use crate::postprocess::Language;

#[test]
fn python() {
    const CASES: &[Case] = &[
        ("print(|)", "value)", "value"),
        ("print(f\"{|}\")", "name}\")", "name"),
        ("x = foo(|", "a, b)  # done", "a, b)  # done"),
        ("d[\"|\"]", "key\"]", "key"),
        ("if x == |:", "None:", "None"),
        ("if x |:", "is None:", "is None"),
        ("def f(self, |):", "x=None):", "x=None"),
        ("for i in range(|):", "len(items)):", "len(items)"),
        ("return [x for x in |]", "items]", "items"),
        ("raise ValueError(|)", "f\"{x}\")", "f\"{x}\""),
        ("# it's |", "a test (of sorts", "a test (of sorts"),
        ("x = y // |", "2  # (half", "2  # (half"),
        ("'''Say |\n'''", "hello) and ]", "hello) and ]"),
        ("with open(|) as f:", "path) as f:", "path"),
        ("import |", "numpy as np", "numpy as np"),
        ("from a import (|)", "b, c)", "b, c"),
        ("lambda x: |,", "x + 1,", "x + 1"),
        ("class A(|):", "Base):", "Base"),
        ("assert x == 1, |\n", "\"no\"  ", "\"no\""),
        ("x = {'a': 1|}", ", 'b': 2}", ", 'b': 2"),
    ];
    check_in(Some(Language::Hash), CASES);
}

#[test]
fn javascript_and_typescript() {
    const CASES: &[Case] = &[
        ("console.log(|);", "value);", "value"),
        ("console.log(`${|}`);", "a.b}`);", "a.b"),
        ("for(i=0; i<|)", "10; i++)", "10; i++"),
        ("items.map(|)", "x => x * 2)", "x => x * 2"),
        ("items.map((|) => x)", "x, i) => x", "x, i"),
        ("const {|} = props;", " a, b } = props;", " a, b"),
        ("if (|) {\n}", "a && b) {", "a && b"),
        ("import { | } from 'x';", "a } from 'x';", "a"),
        ("const a = '|';", "it';", "it"),
        ("const s: |;", "Array<string>;", "Array<string>"),
        ("function f(a: |): void {", "number): void {", "number"),
        ("// don't |", "close) this", "close) this"),
        ("/* a ( | */", "b ) c", "b ) c"),
        ("return x.replace(/[(]/g, |);", "'');", "''"),
        ("await fetch(|", "url);", "url);"),
        ("x = a ? b : |;", "c;", "c"),
        ("type A = {\n  x: |;\n};", "string;", "string"),
        ("f(() => {\n  g();\n|\n", "});", "});"),
        ("f(() => {\n  g();\n|});", "});", "dropped: already-after-caret"),
        ("const x = [1, |];", "2, 3];", "2, 3"),
    ];
    check_in(Some(Language::Slash), CASES);
}

#[test]
fn rust() {
    const CASES: &[Case] = &[
        ("println!(\"{}\", |);", "x);", "x"),
        ("println!(\"|\");", "{x}\");", "{x}"),
        ("fn f<'a>(x: &'a str|) {", ", y: &'a str) {", ", y: &'a str"),
        ("let c = |;", "'(';", "'('"),
        ("let v = vec![|];", "1, 2];", "1, 2"),
        ("let s = r#\"|\"#;", "a \" b\"#;", "a \" b"),
        ("match x { Some(|) => y }", "z) => y", "z"),
        ("impl<T> Foo<|> for Bar {", "T> for Bar {", "T"),
        ("'outer: loop { break |; }", "'outer; }", "'outer"),
        ("let x: &'static |", "str = \"a\";", "str = \"a\";"),
        ("#[derive(|)]", "Debug, Clone)]", "Debug, Clone"),
        ("/// It's |", "a (doc", "a (doc"),
        ("let n = x.iter().map(|);", "|y| y + 1);", "|y| y + 1"),
        ("use std::{|};", "fmt, io};", "fmt, io"),
        ("if let Some(x) = | {", "y.get(0) {", "y.get(0)"),
        ("let b = b'|';", "{';", "{"),
    ];
    check_in(Some(Language::Rust), CASES);
}

#[test]
fn sql_and_plain_text() {
    const SQL: &[Case] = &[
        ("select * from t where id in (|)", "1, 2)", "1, 2"),
        ("-- it's |\nselect 1", "a (note", "a (note"),
        ("insert into t values ('|')", "x')", "x"),
    ];
    check_in(Some(Language::Dash), SQL);
    const TEXT: &[Case] = &[
        ("It's |\n", "the user's (own) text", "the user's (own) text"),
        ("See # 5, it's (|)", "not code)", "not code"),
        ("a // b (|)", "c)", "c"),
        ("He said \"|\n", "no.\"", "no.\""),
        ("* item\n* |\n", "other item", "other item"),
        ("# Title\n\n|\n\nMore text\n", "A line\n\nMore text", "A line"),
        ("A line.\n|", "A line.", "dropped: repeats-line"),
        ("smile :|", ")", "dropped: unbalanced"),
    ];
    check_in(Some(Language::Text), TEXT);
}

#[test]
fn several_lines() {
    const CASES: &[Case] = &[
        ("def f():|", "\n    a = 1\n    return a", "\n    a = 1\n    return a"),
        ("def f():\n    |", "a = 1\n    return a", "a = 1\n    return a"),
        ("def f():\n    |\n    return a\n", "a = 1\n    b = 2\n    return a", "a = 1\n    b = 2"),
        ("class A:\n\tdef f(self):|", "\n\t\ta = 1\n\t\treturn a", "\n\t\ta = 1\n\t\treturn a"),
        ("class A:\n\tdef f(self):|", "\n        a = 1\n        return a", "\n\t\ta = 1\n\t\treturn a"),
        ("x = [|\n]", "\n    1,\n    2,\n]", "\n    1,\n    2,"),
        ("a\nb\n|", "a\nb", "dropped: repeats-line"),
        ("def f():|", "\n    a   \n    b\t", "\n    a\n    b"),
    ];
    check_in(Some(Language::Hash), CASES);
    const BRACES: &[Case] = &[
        ("function f() {|\n}\n", "\n  a();\n  b();\n}", "\n  a();\n  b();"),
        ("function f() {|", "\n  a();\n}", "\n  a();\n}"),
        ("function f() {|", "\n  a();\n}\n}", "\n  a();\n}"),
        ("  if (a) {|\n  }\n", "\n    b();\n  }", "\n    b();"),
        ("if (a) {\n  |\n}\n", "b();\n  c();\n}", "b();\n  c();"),
    ];
    check_in(Some(Language::Slash), BRACES);
}

#[test]
fn what_a_budget_left_open_is_left_out_unless_it_is_all_there_is() {
    const CASES: &[Case] = &[
        ("f() {|\n}\n", "\n  a();\n  if (b) {\n    c();", "\n  a();"),
        ("f() {|", "\n  a();\n  g(\n    b,", "\n  a();"),
        ("f() {|", "\n  if (b) {\n    c();", "\n  if (b) {\n    c();"),
        ("f() {|", "\n  a();\n  /* not\n  ended", "\n  a();"),
        ("f() {|\n  }\n}\n", "\n  a();\n  if (b) {\n    c();", "\n  a();\n  if (b) {\n    c();"),
    ];
    check_all(Some(Language::Slash), true, CASES);
    check_in(Some(Language::Slash), &[("f() {|", "\n  a();\n  g(\n    b,", "\n  a();\n  g(\n    b,")]);
}
