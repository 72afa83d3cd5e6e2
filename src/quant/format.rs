//! The formats and their sizes.

/// Weight formats that have a kernel. Layouts: `ggml-common.h` of <https://github.com/ggml-org/ggml>.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// 32-bit floats.
    F32,
    /// 16-bit floats.
    F16,
    /// Blocks of 32 weights in 18 bytes: f16 scale, 4-bit values with an offset of 8.
    Q4_0,
    /// Blocks of 32 weights in 20 bytes: f16 scale, f16 minimum, 4-bit values.
    Q4_1,
    /// Blocks of 32 weights in 34 bytes: f16 scale, 8-bit values.
    Q8_0,
}

impl Format {
    /// The format with that `ggml_type` number.
    pub fn from_ggml_type(number: u32) -> Option<Self> {
        Some(match number {
            0 => Self::F32,
            1 => Self::F16,
            2 => Self::Q4_0,
            3 => Self::Q4_1,
            8 => Self::Q8_0,
            _ => return None,
        })
    }

    /// Weights in one block.
    pub fn block_len(self) -> usize {
        match self {
            Self::F32 | Self::F16 => 1,
            Self::Q4_0 | Self::Q4_1 | Self::Q8_0 => 32,
        }
    }

    /// Bytes of one block.
    pub fn block_bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 => 2,
            Self::Q4_0 => 18,
            Self::Q4_1 => 20,
            Self::Q8_0 => 34,
        }
    }

    /// The name used by llama.cpp.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "F32",
            Self::F16 => "F16",
            Self::Q4_0 => "Q4_0",
            Self::Q4_1 => "Q4_1",
            Self::Q8_0 => "Q8_0",
        }
    }
}
