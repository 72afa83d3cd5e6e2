//! Which arithmetic a model runs on.

use crate::kernels::Kernels;

/// How the operations of a model are computed.
#[derive(Debug, Clone, Copy)]
pub enum Arithmetic {
    /// The kernels: activations of quantised products are rounded to int8, a block of 32.
    Kernels(Kernels),
    /// Plain Burn operations on 32-bit floats: nothing is rounded but the weights of the file. Slow; the exact
    /// counterpart for tests, not part of the browser build.
    #[cfg(not(target_arch = "wasm32"))]
    Plain,
}

impl Arithmetic {
    /// The kernels' variant, or `plain`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kernels(kernels) => kernels.variant().name(),
            #[cfg(not(target_arch = "wasm32"))]
            Self::Plain => "plain",
        }
    }

    /// The same on up to `threads` threads, with the same results.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        match self {
            Self::Kernels(kernels) => Self::Kernels(kernels.with_threads(threads)),
            #[cfg(not(target_arch = "wasm32"))]
            Self::Plain => self,
        }
    }

    /// Kernels for the small functions around a model: those chosen, else the best of the machine.
    pub fn kernels(self) -> Kernels {
        match self {
            Self::Kernels(kernels) => kernels,
            #[cfg(not(target_arch = "wasm32"))]
            Self::Plain => Kernels::detect(),
        }
    }
}
