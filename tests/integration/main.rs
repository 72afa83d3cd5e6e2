//! Native integration tests: one binary, one module a subject.

mod bad_models;
mod cli;
mod completion;
mod gguf;
mod prompt;
mod quant;
mod random_models;
mod reference;
mod support;
mod tokenizer;
