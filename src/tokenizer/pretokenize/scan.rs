//! The scanners. Every one looks at a character a bounded number of times.

use super::Emit;
use super::class::Class;

/// Length of the longest start of `text` whose characters all satisfy `holds`.
fn span(text: &str, holds: impl Fn(char) -> bool) -> usize {
    text.find(|character| !holds(character)).unwrap_or(text.len())
}

fn first(text: &str) -> Option<char> {
    text.chars().next()
}

/// Emits matches of `length_at` (0: no match here) and the text between them, as a regular expression that
/// only splits does.
pub(super) fn isolate<'t>(text: &'t str, length_at: impl Fn(&str) -> usize, emit: Emit<'_, 't>) {
    let (mut gap, mut at) = (0, 0);
    while let Some(character) = first(&text[at..]) {
        let length = length_at(&text[at..]);
        if length == 0 {
            at += character.len_utf8();
            continue;
        }
        if gap < at {
            emit(&text[gap..at]);
        }
        emit(&text[at..at + length]);
        at += length;
        gap = at;
    }
    if gap < at {
        emit(&text[gap..]);
    }
}

/// `X`
pub(super) fn one(holds: impl Fn(char) -> bool) -> impl Fn(&str) -> usize {
    move |rest| first(rest).filter(|&character| holds(character)).map_or(0, char::len_utf8)
}

/// `X+`
pub(super) fn run(holds: impl Fn(char) -> bool) -> impl Fn(&str) -> usize {
    move |rest| span(rest, &holds)
}

/// `\s?X+`
pub(super) fn optional_space_then(holds: impl Fn(char) -> bool) -> impl Fn(&str) -> usize {
    move |rest| {
        let space = first(rest).filter(|character| character.is_whitespace()).map_or(0, char::len_utf8);
        match span(&rest[space..], &holds) {
            0 => 0,
            length => space + length,
        }
    }
}

fn words<'t>(text: &'t str, length_at: impl Fn(&str) -> usize, emit: Emit<'_, 't>) {
    let mut rest = text;
    while !rest.is_empty() {
        let (word, after) = rest.split_at(length_at(rest));
        emit(word);
        rest = after;
    }
}

/// See [`super::PreTokenizer::Gpt2`].
pub(super) fn gpt2<'t>(text: &'t str, emit: Emit<'_, 't>) {
    words(text, gpt2_length, emit);
}

fn gpt2_length(rest: &str) -> usize {
    if let Some(length) = contraction(rest, |text, suffix| text == suffix) {
        return length;
    }
    let space = usize::from(rest.starts_with(' '));
    match first(&rest[space..]).map(Class::of) {
        None | Some(Class::Space) => white_space(rest),
        Some(class) => space + span(&rest[space..], |character| Class::of(character) == class),
    }
}

/// See [`super::PreTokenizer::Qwen2`].
pub(super) fn qwen2<'t>(text: &'t str, emit: Emit<'_, 't>) {
    words(text, qwen2_length, emit);
}

fn qwen2_length(rest: &str) -> usize {
    if let Some(length) = contraction(rest, <[u8]>::eq_ignore_ascii_case) {
        return length;
    }
    let mut characters = rest.chars();
    let Some(head) = characters.next() else { return 0 };
    let class = Class::of(head);
    let next = characters.next().map(Class::of);
    let is_letter = |character| Class::of(character) == Class::Letter;
    let is_other = |character| Class::of(character) == Class::Other;
    let is_line_end = |character| matches!(character, '\r' | '\n');
    let led = class != Class::Number && !is_line_end(head) && next == Some(Class::Letter);
    if class == Class::Letter || led {
        return head.len_utf8() + span(&rest[head.len_utf8()..], is_letter);
    }
    if class == Class::Number {
        return head.len_utf8();
    }
    if class == Class::Other || (head == ' ' && next == Some(Class::Other)) {
        let space = usize::from(head == ' ');
        let end = space + span(&rest[space..], is_other);
        return end + span(&rest[end..], is_line_end);
    }
    let spaces = &rest[..span(rest, char::is_whitespace)];
    match spaces.rfind(is_line_end) {
        Some(last) => last + 1,
        None => white_space(rest),
    }
}

/// `\s+(?!\S)|\s+`: white space leaves its last character to the word that follows it.
fn white_space(rest: &str) -> usize {
    let end = span(rest, char::is_whitespace);
    let last = rest[..end].chars().next_back().map_or(0, char::len_utf8);
    if end < rest.len() && last < end { end - last } else { end }
}

/// The length of `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d` at the start.
fn contraction(rest: &str, same: impl Fn(&[u8], &[u8]) -> bool) -> Option<usize> {
    let after = rest.strip_prefix('\'')?.as_bytes();
    let suffixes: [&[u8]; 7] = [b"s", b"t", b"re", b"ve", b"m", b"ll", b"d"];
    let suffix =
        suffixes.iter().find(|suffix| after.get(..suffix.len()).is_some_and(|text| same(text, suffix)))?;
    Some(1 + suffix.len())
}
