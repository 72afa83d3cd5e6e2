//! Block formats of weights: layout and exact (de)quantisation. Readable and slow; speed lives in `kernels`.

mod format;

pub use format::Format;
