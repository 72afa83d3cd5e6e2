//! Swear words, as whole words of prose or of names.

use crate::postprocess::surroundings::is_word;
use std::ops::Range;

/// The list: comments with `#`, then one word a line.
const LIST: &str = include_str!("profanity.txt");

/// The words of the list.
fn list() -> impl Iterator<Item = &'static str> {
    LIST.lines().filter(|line| !line.starts_with('#'))
}

/// Finds swear words.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let is_listed = |place: &Range<usize>| {
        let word = &text[place.clone()];
        word.len() <= 16 && list().any(|listed| listed.eq_ignore_ascii_case(word))
    };
    words(text).filter(is_listed).collect()
}

/// The words of a text; underscores and changes to upper case part them.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    let mut previous = ' ';
    text.char_indices().chain([(text.len(), ' ')]).filter_map(move |(at, character)| {
        let goes_on = is_word(character) && character != '_';
        let parts = !goes_on || previous.is_lowercase() && character.is_uppercase();
        previous = character;
        let word = start..at;
        if parts {
            start = if goes_on { at } else { at + character.len_utf8() };
        }
        (parts && !word.is_empty()).then_some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::{find, list, words};

    #[test]
    fn the_list_is_sorted_and_lower_case() {
        assert!(list().collect::<Vec<_>>().is_sorted_by(|a, b| a < b));
        assert!(list().all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())));
    }

    #[test]
    fn words_are_parted_in_prose_and_in_names() {
        let found = |text: &'static str| words(text).map(|place| &text[place]).collect::<Vec<_>>();
        assert_eq!(found("a_wordIn snake2 (Über)"), ["a", "word", "In", "snake2", "Über"]);
        assert_eq!(found(""), Vec::<&str>::new());
    }

    #[test]
    fn whole_words_only() {
        for text in ["// this shit works", "what_the_fuck()", "class FuckThis", "SHIT!"] {
            assert_eq!(find(text).len(), 1, "{text}");
        }
        for text in
            ["Scunthorpe", "shitake", "class Assassin", "push_it(x)", "cockpit", "grass", "wanker_bee2"]
        {
            assert_eq!(find(text).len(), 0, "{text}");
        }
    }
}
