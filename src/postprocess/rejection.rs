//! Why a generated text is not shown.

/// The reason in a result's `dropped`; the names are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rejection {
    /// Nothing but white space was generated, or a line break where none may stand.
    Blank,
    /// The text after the caret already says it.
    AlreadyThere,
    /// All that is left would close what is not open.
    Unbalanced,
    /// One piece over and over.
    Repetitive,
    /// The line above or below once more.
    RepeatsLine,
    /// The model is too unsure: the score is below the least one asked for.
    LowScore,
    /// A key, a token or a private key that the document does not hold.
    Secret,
    /// An e-mail address that the document does not hold.
    Email,
    /// A command that destroys data.
    DestructiveCommand,
    /// A swear word.
    Profanity,
}

impl Rejection {
    /// The reason's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::AlreadyThere => "already-after-caret",
            Self::Unbalanced => "unbalanced",
            Self::Repetitive => "repetitive",
            Self::RepeatsLine => "repeats-line",
            Self::LowScore => "low-score",
            Self::Secret => "secret",
            Self::Email => "email",
            Self::DestructiveCommand => "destructive-command",
            Self::Profanity => "profanity",
        }
    }
}
