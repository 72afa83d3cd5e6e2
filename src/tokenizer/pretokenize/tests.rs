//! Words of each pre-tokenizer, written as the expected cuts.
