//! From the text around the caret to prompt tokens: the window, and the fill-in-the-middle templates.

mod format;
mod header;
mod healing;
mod template;
mod window;

pub use format::{FormatReason, Formats, PromptFormat};
pub use template::{Prompt, PromptSource};
