//! Behaviour of whole tokenizers over small vocabularies.
