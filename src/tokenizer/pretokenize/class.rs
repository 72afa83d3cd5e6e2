//! Unicode classes of the pre-tokenizers' expressions.

use unicode_general_category::{GeneralCategory as Category, get_general_category};

/// What `\s`, `\p{L}`, `\p{N}` and their complement distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// `\s`: the property `White_Space`.
    Space,
    /// `\p{L}`
    Letter,
    /// `\p{N}`
    Number,
    /// Everything else: punctuation, symbols, marks, controls, unassigned.
    Other,
}

impl Class {
    pub fn of(character: char) -> Self {
        match character {
            'a'..='z' | 'A'..='Z' => Self::Letter,
            '0'..='9' => Self::Number,
            _ if character.is_whitespace() => Self::Space,
            _ if character.is_ascii() => Self::Other,
            _ => match get_general_category(character) {
                Category::UppercaseLetter
                | Category::LowercaseLetter
                | Category::TitlecaseLetter
                | Category::ModifierLetter
                | Category::OtherLetter => Self::Letter,
                Category::DecimalNumber | Category::LetterNumber | Category::OtherNumber => Self::Number,
                _ => Self::Other,
            },
        }
    }
}

pub(super) fn is_letter(character: char) -> bool {
    Class::of(character) == Class::Letter
}

pub(super) fn is_number(character: char) -> bool {
    Class::of(character) == Class::Number
}

/// `\p{P}`
pub(super) fn is_punctuation(character: char) -> bool {
    matches!(
        get_general_category(character),
        Category::ConnectorPunctuation
            | Category::DashPunctuation
            | Category::OpenPunctuation
            | Category::ClosePunctuation
            | Category::InitialPunctuation
            | Category::FinalPunctuation
            | Category::OtherPunctuation
    )
}
