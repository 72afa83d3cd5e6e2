//! From the text around the caret to prompt tokens: the window, and the fill-in-the-middle templates.

mod format;
mod healing;
mod template;
mod window;

pub use format::PromptFormat;
pub use template::Prompt;
pub use window::Window;
