//! Never say again what follows the caret (T19, T21).

use super::check;

#[test]
fn the_rest_of_the_line_is_not_repeated() {
    check(&[
        // Closers and quotes that an editor inserted.
        ("foo(|)", "a)", "a"),
        ("foo(|)", "a", "a"),
        ("foo(|)", "a, b)", "a, b"),
        ("foo(|);", "a);", "a"),
        ("foo(|);", "a)", "a"),
        ("foo( | )", "a )", "a"),
        ("print(\"|\")", "hello\")", "hello"),
        ("print(\"|\")", "hello\"", "hello"),
        ("print('|')", "it', end='')", "it', end='"),
        ("x = [|]", "1, 2]", "1, 2"),
        ("d = {|}", "'a': 1}", "'a': 1"),
        ("`${|}`", "name}`", "name"),
        ("if (|) {", "a) {", "a"),
        ("fn f(|) -> u8 {", "x: u8) -> u8 {", "x: u8"),
        // Words.
        ("for |item in items:", "i, item in items:", "i,"),
        ("for | in items:", "item in items:", "item"),
        ("for |in items:", "item in", "item"),
        ("print_|result)", "the_result)", "the_"),
        ("x = |.map(f)", "items.map(f)", "items"),
        ("x = |.map(f)", "items.map(f).filter(g)", "items"),
        ("range(start|, end)", "ing, end):", "ing"),
        ("f(a|, b)", "1,", "1"),
        ("pri|()", "nt(x)", "nt"),
        ("pri|(x)", "nt(y)", "nt"),
        // Nothing is left to say.
        ("foo(a|)", ")", "dropped: already-after-caret"),
        ("foo(a|);", ");", "dropped: already-after-caret"),
        ("pri|nt(x)", "nt(x)", "dropped: already-after-caret"),
        ("pri|nt(x)", "nt", "dropped: already-after-caret"),
        ("x =| 1", " 1", "dropped: already-after-caret"),
        // One letter or white space in common says nothing.
        ("a|n", "tn", "tn"),
        ("x|x", "yx", "yx"),
        ("a| b", " c ", " c"),
        ("x = |_y", "z_", "z_"),
        // A word that only contains the rest is another word.
        ("foo(|item)", "items.item_", "items.item_"),
        // A closer that is needed stays.
        ("foo(|)", "bar(a)", "bar(a)"),
        ("foo(|)", "bar(a))", "bar(a)"),
        ("foo(bar(|)", "a)", "a)"),
        ("foo(bar(|)", "a))", "a)"),
        ("x = [f(g(|)]", "a)", "a)"),
        ("foo(\"a\"|)", ")", "dropped: already-after-caret"),
        ("foo(|)", "()", "()"),
        ("\"|\"", "a\" + \"b", "a\" + \"b"),
        ("é(|)", "😀)", "😀"),
    ]);
}

#[test]
fn the_lines_below_are_not_repeated() {
    check(&[
        ("a\n|\nc = 3\n", "b\nc = 3", "b"),
        ("a\n|\nc = 3\nd = 4\n", "b\nc = 3\nd = 4", "b"),
        ("a\n|\n\nc = 3\n", "b\n\nc = 3\nother", "b"),
        ("a|\nc = 3", " + 1\nc = 3", " + 1"),
        ("a|\nc = 3", "\nc = 3", "dropped: already-after-caret"),
        ("def f():\n    |\n    return x\n", "x = 1\n    return x", "x = 1"),
        // Another indentation is another line.
        ("def f():\n    |\n    return x\n", "if y:\n        return x", "if y:\n        return x"),
        // Closers on lines of their own.
        ("function f() {\n  |\n}\n", "a();\n}", "a();"),
        ("function f() {\n  |\n}\n", "a();\n}\n\nfunction g() {", "a();"),
        ("if (a) {\n  if (b) {\n    c();\n|\n}\n", "  }", "  }"),
        ("if (a) {\n  if (b) {\n    c();\n|\n}\n", "  }\n}", "  }"),
        ("function f() {\n  a();\n|\n}\n", "}", "dropped: already-after-caret"),
        ("def f\n  |\nend\n", "x\nend", "x"),
        // At the end of the document everything is new.
        ("a\n|", "b\nc = 3", "b\nc = 3"),
        ("a\n|\n\n", "b\nc = 3", "b\nc = 3"),
    ]);
}
