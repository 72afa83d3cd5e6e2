use text_width::{display_width, truncate, wrap, Options};

#[test]
fn ascii_is_one_column_each() {
    assert_eq!(display_width("hello"), 5);
    assert_eq!(display_width(""), 0);
}

#[test]
fn wide_and_combining_characters() {
    assert_eq!(display_width("日本語"), 6);
    assert_eq!(display_width("e\u{301}"), 1); // e + combining acute accent
    assert_eq!(display_width("naïve café"), 10);
    assert_eq!(display_width("👩‍👩‍👧"), 2);
}

#[test]
fn truncate_never_splits_a_grapheme() {
    for (text, columns, expected) in [
        ("abcdef", 4, "abc…"),
        ("abc", 4, "abc"),
