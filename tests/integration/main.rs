//! Native integration tests: one binary, one module a subject.

mod bad_models;
mod blocks;
mod cli;
mod completion;
mod eval;
mod families;
mod gguf;
mod healing;
mod prompt;
mod quant;
mod random_models;
mod reference;
mod scores;
mod support;
mod symptoms;
mod threads;
mod tokenizer;
mod typing;
mod unusual_text;
mod window;
