//! What is dropped, and why; and that the filters can be switched off.

use super::super::{Context, Filters, Rejection, finish};
use super::check;

#[test]
fn repetition_is_dropped() {
    check(&[
        ("x = |", "a.b.a.b.a.b.a.b.a.b.a.b.a.b.a.b", "dropped: repetitive"),
        ("import os\n|", "import os", "dropped: repeats-line"),
        ("import os\nimp|", "ort os", "dropped: repeats-line"),
        ("import os|", "\nimport os", "dropped: repeats-line"),
        ("import os\n\n|", "  import os", "dropped: repeats-line"),
        ("a = 1\nb = 2\n|", "a = 1\nb = 2", "dropped: repeats-line"),
        ("x\nre|\n  return y\n", "turn y", "dropped: repeats-line"),
        ("f(a|b)\nf(acb)\n", "c", "dropped: repeats-line"),
        // Closers, and lines without words.
        ("if (a) {\n  if (b) {\n  }\n|", "}", "}"),
        ("m = [\n  0, 1,\n|", "  0, 1,", "  0, 1,"),
        ("begin\n  begin\n  end\n|", "end", "end"),
        ("print(x)\nprint(x|", ")", ")"),
        // A line further away is not a neighbour.
        ("a = 1\nb = 2\n|", "a = 1", "a = 1"),
        ("# -----\n|", "# -----", "# -----"),
    ]);
}

#[test]
fn lines_that_say_the_same_end_a_block() {
    check(&[
        ("c = {\n  |\n}", "a: 1,\n  a: 1,\n  a: 1,", "a: 1,"),
        ("c = {\n  |\n}", "b: 2,\n  a: 1,\n  a: 1,\n  c: 3,", "b: 2,\n  a: 1,"),
        ("s {|\n}", "\n  case 'a':\n    case 'a':\n      case 'a':", "\n  case 'a':"),
        // The document's own line above.
        ("f(a => {\n  |\n});", "f(a => {\n    f(a => {", "dropped: repeats-line"),
        ("f(a => {|\n});", "\n  f(a => {\n    f(a => {", "dropped: repeats-line"),
        // What stays open behind the cut goes as well.
        ("x = [\n  |", "1,\n  f(\n  f(\n  f(", "1,"),
        // Closers and rows of numbers may repeat; a line further away is no neighbour.
        (
            "if (a) {\n  |",
            "if (b) {\n    if (c) {\n      x\n    }\n  }",
            "if (b) {\n    if (c) {\n      x\n    }\n  }",
        ),
        ("m = [\n  |", "0, 0,\n  0, 0,\n  1, 1,", "0, 0,\n  0, 0,\n  1, 1,"),
        ("{\n  |", "a();\n  b();\n  a();", "a();\n  b();\n  a();"),
    ]);
}

#[test]
fn filters_give_their_reason() {
    check(&[
        ("key = '|'", "AKIAQ7ZK2XW9LR4TN8VB'", "dropped: secret"),
        ("key = 'AKIA|'", "Q7ZK2XW9LR4TN8VB", "dropped: secret"),
        ("# by |", "jane.doe@corp.com", "dropped: email"),
        ("# by jane.doe|", "@corp.com", "dropped: email"),
        ("rm -rf |", "/", "dropped: destructive-command"),
        ("cursor.execute('|')", "DROP DATABASE shop", "dropped: destructive-command"),
        ("# what the |", "fuck", "dropped: profanity"),
        ("-----BEGIN PRIVATE KEY-----\n|", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj", "dropped: secret"),
        // The document holds it already, or the key has ended.
        (
            "-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n|",
            "a_name_with_more_than_thirty_bytes()",
            "a_name_with_more_than_thirty_bytes()",
        ),
        ("a = 'jane.doe@corp.com'\nb = '|'", "jane.doe@corp.com", "jane.doe@corp.com"),
        ("b = '|'\na = 'AKIAQ7ZK2XW9LR4TN8VB'", "AKIAQ7ZK2XW9LR4TN8VB", "AKIAQ7ZK2XW9LR4TN8VB"),
        ("rm -rf /  # |", "never do this", "never do this"),
        ("# shit\n# |", "more shit", "more shit"),
        // Near misses.
        ("token = |", "get_token()", "get_token()"),
        ("|", "@app.route('/')", "@app.route('/')"),
        ("y = |", "a@b", "a@b"),
        ("rm -rf |", "build", "build"),
    ]);
}

#[test]
fn each_filter_has_its_switch() {
    let cases = [
        ("jane.doe@corp.com", Rejection::Email),
        ("ghp_q7Zk2Xw9Lr4Tn8Vb3Jc6q7Zk2Xw9Lr4Tn8Vb", Rejection::Secret),
        ("mkfs.ext4 /dev/sda", Rejection::DestructiveCommand),
        ("bullshit", Rejection::Profanity),
    ];
    for (text, rejection) in cases {
        let mut filters = Filters::default();
        let shown = |filters| {
            finish(&Context { prefix: "# ", suffix: "", language: None, is_cut_off: false, filters }, text)
        };
        assert_eq!(shown(filters), Err(rejection));
        match rejection {
            Rejection::Secret => filters.secrets = false,
            Rejection::Email => filters.emails = false,
            Rejection::Profanity => filters.profanity = false,
            _ => filters.destructive = false,
        }
        assert_eq!(shown(filters).as_deref(), Ok(text));
    }
}
