//! The alphabet of byte-level BPE: every byte has a printable character, in which vocabularies are spelled.
//!
//! Printable Latin-1 bytes stand for themselves; the other 68, in order, are U+0100 to U+0143 (GPT-2's
//! `bytes_to_unicode`, <https://github.com/openai/gpt-2/blob/master/src/encoder.py>). So `Ġ` is the space.

/// The byte that a character of the alphabet stands for.
pub(super) fn byte_of(character: char) -> Option<u8> {
    let code = u32::from(character);
    Some(match code {
        0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF => code as u8,
        0x100..=0x120 => (code - 0x100) as u8,        // 0x00 to 0x20
        0x121..=0x142 => (code - 0x121 + 0x7F) as u8, // 0x7F to 0xA0
        0x143 => 0xAD,
        _ => return None,
    })
}

/// Appends the bytes that `spelling` stands for; false, with nothing appended, when it leaves the alphabet.
pub(super) fn decode_into(spelling: &str, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    for character in spelling.chars() {
        match byte_of(character) {
            Some(byte) => out.push(byte),
            None => {
                out.truncate(start);
                return false;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_exactly_one_character() {
        let mut seen: Vec<u8> = (0..0x200).filter_map(char::from_u32).filter_map(byte_of).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..=255).collect::<Vec<u8>>());
        assert_eq!(byte_of('Ġ'), Some(b' '));
        assert_eq!(byte_of('Ċ'), Some(b'\n'));
        assert_eq!(byte_of('ĉ'), Some(b'\t'));
    }

    #[test]
    fn a_character_outside_of_the_alphabet_leaves_the_output_alone() {
        let mut out = vec![1];
        assert!(!decode_into("ab漢", &mut out));
        assert!(decode_into("Ġab", &mut out));
        assert_eq!(out, b"\x01 ab");
    }
}
