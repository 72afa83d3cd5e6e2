//! The instruction sets as two traits: eight float lanes, then the two integer block products.
//!
//! Every kernel is written once, generic over [`Isa`]; the instance for [`super::scalar::Scalar`] is the
//! always-compiled twin of the others. Since each operation here is exact or correctly rounded and kernels fix the
//! order of their sums, the results of all instances are the same bits. Fused multiply-add is therefore absent.
//!
//! Generic code keeps vectors out of closures: a closure that is not inlined is compiled without the instructions.
//!
//! A value of an instance type is proof that the machine has the instructions; methods are safe for that reason.

use super::activations::{Block, Word};

/// Lanes of [`Lanes::F`], and rows of a weight tile.
pub const LANES: usize = 8;

/// Nibbles of eight rows and 32 columns: group `g`, row `r` has bytes `[g][4 * r..4 * r + 4]`, whose low nibbles are
/// columns `4 * g..` and whose high nibbles are columns `16 + 4 * g..`. (Four bytes of the file's block, interleaved.)
pub type Nibbles = [[u8; 32]; 4];

/// Signed bytes of eight rows and 32 columns: columns `4 * g..4 * g + 4` of row `r` are `[g][4 * r..4 * r + 4]`.
pub type Bytes = [[u8; 32]; 8];

/// Float arithmetic of one instruction set.
pub trait Lanes: Copy {
    /// Eight `f32`.
    type F: Copy;

    /// All lanes the same.
    fn splat(self, x: f32) -> Self::F;
    /// Reads eight floats.
    fn load(self, x: &[f32; LANES]) -> Self::F;
    /// Writes eight floats.
    fn store(self, x: Self::F, out: &mut [f32; LANES]);
    /// `a + b`.
    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a - b`.
    fn sub(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a * b`.
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a / b`.
    fn div(self, a: Self::F, b: Self::F) -> Self::F;
    /// `if x < y { a } else { b }` per lane; false for NaN.
    fn select_less(self, x: Self::F, y: Self::F, a: Self::F, b: Self::F) -> Self::F;
    /// `if a < b { b } else { a }`: a NaN in `a` stays, one in `b` is ignored.
    #[inline(always)]
    fn max(self, a: Self::F, b: Self::F) -> Self::F {
        self.select_less(a, b, b, a)
    }
    /// Clears the sign bits.
    fn abs(self, a: Self::F) -> Self::F;
    /// Exact values of finite halves.
    fn halves_to_floats(self, halves: &[u16; LANES]) -> Self::F;
    /// `2^n` per lane from `x = n + 1.5 * 2^23`, for `-126 <= n <= 127`.
    fn power_of_two(self, x: Self::F) -> Self::F;
    /// Swaps lanes 0 and 1, 2 and 3, and so on.
    fn swap_pairs(self, a: Self::F) -> Self::F;
    /// `[x0, x0, x1, x1, x2, x2, x3, x3]`.
    fn repeat_each(self, x: &[f32; LANES / 2]) -> Self::F;

    /// Sum of the lanes in the order `h[i] = a[i] + a[i + 4]`, `(h[0] + h[2]) + (h[1] + h[3])`.
    #[inline(always)]
    fn sum(self, a: Self::F) -> f32 {
        let mut lanes = [0.0; LANES];
        self.store(a, &mut lanes);
        let half = [lanes[0] + lanes[4], lanes[1] + lanes[5], lanes[2] + lanes[6], lanes[3] + lanes[7]];
        (half[0] + half[2]) + (half[1] + half[3])
    }

    /// [`Lanes::sum`] of four vectors.
    #[inline(always)]
    fn sums(self, a: [Self::F; 4]) -> [f32; 4] {
        [self.sum(a[0]), self.sum(a[1]), self.sum(a[2]), self.sum(a[3])]
    }
}

/// One instruction set.
pub trait Isa: Lanes {
    /// How four quantised activations are stored.
    type Word: Word;

    /// The lowest eight bits of each lane.
    #[inline(always)]
    fn low_bytes(self, x: [Self::F; 4]) -> [i8; 4 * LANES] {
        let mut lanes = [[0.0; LANES]; 4];
        for (x, lanes) in x.into_iter().zip(&mut lanes) {
            self.store(x, lanes);
        }
        std::array::from_fn(|i| lanes[i / LANES][i % LANES].to_bits() as i8)
    }

    /// Sum of the bytes.
    #[inline(always)]
    fn byte_sum(self, x: &[i8; 4 * LANES]) -> i32 {
        x.iter().map(|&x| i32::from(x)).sum()
    }

    /// Sum over 32 columns of nibble * activation for eight rows and `T` tokens, with an `offset` of nibble - 8. Exact,
    /// as floats.
    fn dot_nibbles<const T: usize>(self, w: &Nibbles, a: &Block<Self::Word, T>, offset: bool)
    -> [Self::F; T];

    /// Sum over 32 columns of signed byte * activation for eight rows and `T` tokens. Exact for every byte, as
    /// floats.
    fn dot_bytes<const T: usize>(self, w: &Bytes, a: &Block<Self::Word, T>) -> [Self::F; T];
}

/// A kernel with its arguments, to be run on an instruction set.
pub trait Op {
    /// What the kernel returns.
    type Output;
    /// The kernel. Implementations are `#[inline(always)]` so that they are compiled with the features of `isa`.
    fn run<S: Isa>(self, isa: S) -> Self::Output;
}
