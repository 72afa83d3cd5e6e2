//! Borders and periods of texts, in linear time (the prefix function of Knuth, Morris and Pratt).

/// For every prefix of `text`, the length of its longest border: a proper prefix that is also its suffix.
pub(super) fn borders(text: &[u8]) -> Vec<usize> {
    let mut borders = vec![0; text.len()];
    let mut length = 0;
    for index in 1..text.len() {
        while length > 0 && text[index] != text[length] {
            length = borders[length - 1];
        }
        if text[index] == text[length] {
            length += 1;
        }
        borders[index] = length;
    }
    borders
}

/// The lengths at which the end of `text` equals the start of `next`, longest first, without 0.
///
/// Lengths are in bytes; an overlap of valid texts always starts at a character, because no character's first byte
/// can be another one's later byte.
pub(super) fn overlaps(text: &str, next: &str) -> Vec<usize> {
    let limit = text.len().min(next.len());
    let (tail, head) = (&text.as_bytes()[text.len() - limit..], &next.as_bytes()[..limit]);
    let borders_of_head = borders(head);
    let mut length = 0;
    for byte in tail {
        while length > 0 && (length == limit || head[length] != *byte) {
            length = borders_of_head[length - 1];
        }
        if head[length] == *byte {
            length += 1;
        }
    }
    let mut lengths = Vec::new();
    while length > 0 {
        if next.is_char_boundary(length) {
            lengths.push(length);
        }
        length = borders_of_head[length - 1];
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::{borders, overlaps};
    use proptest::prelude::*;

    #[test]
    fn known_borders() {
        assert_eq!(borders(b"abcabcab"), [0, 0, 0, 1, 2, 3, 4, 5]);
        assert!(borders(b"").is_empty());
    }

    proptest! {
        #[test]
        fn overlaps_are_those_found_one_by_one(text in "[ab😀)]{0,12}", next in "[ab😀)]{0,12}") {
            let lengths = (1..=text.len().min(next.len())).rev();
            let naive: Vec<_> = lengths
                .filter(|length| next.is_char_boundary(*length) && text.ends_with(&next[..*length]))
                .collect();
            prop_assert_eq!(overlaps(&text, &next), naive);
        }
    }
}
