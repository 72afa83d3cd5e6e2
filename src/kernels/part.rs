//! Disjoint parts of one output matrix, so that several threads can write it.

use std::marker::PhantomData;
use std::ops::Range;

/// A row-major matrix that is written in parts.
pub struct Parts<'a, T> {
    first: *mut T,
    rows: usize,
    cols: usize,
    borrowed: PhantomData<&'a mut [T]>,
}

// SAFETY: it only gives out parts, and `Parts::part` makes its callers keep them disjoint.
unsafe impl<T: Send> Sync for Parts<'_, T> {}

impl<'a, T> Parts<'a, T> {
    /// Splits `matrix` `[_, cols]`, which is whole rows.
    pub fn new(matrix: &'a mut [T], cols: usize) -> Self {
        debug_assert!(cols == 0 && matrix.is_empty() || matrix.len().is_multiple_of(cols));
        let rows = matrix.len().checked_div(cols).unwrap_or(0);
        Self { first: matrix.as_mut_ptr(), rows, cols, borrowed: PhantomData }
    }

    /// The rows `rows` of the columns `cols`; ranges that reach beyond the matrix are cut.
    ///
    /// # Safety
    /// No two parts that are in use at the same time may overlap.
    pub unsafe fn part(&self, rows: Range<usize>, cols: Range<usize>) -> Part<'a, T> {
        let cut = |range: Range<usize>, len: usize| range.start.min(range.end).min(len)..range.end.min(len);
        let (rows, cols) = (cut(rows, self.rows), cut(cols, self.cols));
        // SAFETY: the start of a row, or the end of the last one, plus at most a row: within the matrix or at its end.
        // An empty part at the end of the last row is one place further than that, so it begins at the matrix.
        let first = unsafe {
            if rows.is_empty() { self.first } else { self.first.add(rows.start * self.cols + cols.start) }
        };
        Part { first, rows: rows.len(), cols: cols.len(), stride: self.cols, borrowed: PhantomData }
    }
}

/// Some rows and some columns of a matrix, all to itself.
pub struct Part<'a, T> {
    first: *mut T,
    rows: usize,
    cols: usize,
    stride: usize,
    borrowed: PhantomData<&'a mut [T]>,
}

impl<'a, T> Part<'a, T> {
    /// The whole of a matrix `[_, cols]`.
    #[cfg(test)]
    pub fn whole(matrix: &'a mut [T], cols: usize) -> Self {
        // SAFETY: the only part there is.
        unsafe { Parts::new(matrix, cols).part(0..usize::MAX, 0..usize::MAX) }
    }

    /// The columns of one row of the part.
    ///
    /// # Panics
    /// When there is no such row.
    #[inline(always)]
    pub fn row(&mut self, row: usize) -> &mut [T] {
        assert!(row < self.rows, "a row of the part");
        // SAFETY: `cols` places from there on belong to this part of the borrowed matrix and to no other.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(row * self.stride), self.cols) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_the_places_they_name() {
        let mut matrix: Vec<usize> = (0..15).collect();
        let parts = Parts::new(&mut matrix, 5);
        // SAFETY: the parts do not overlap.
        let (mut a, mut b) = unsafe { (parts.part(0..3, 0..2), parts.part(1..9, 2..9)) };
        assert_eq!((a.cols, b.cols), (2, 3));
        assert_eq!(a.row(2), [10, 11]);
        assert_eq!(b.row(0), [7, 8, 9]);
        b.row(1).fill(0);
        a.row(0)[1] = 77;
        assert_eq!(matrix, [0, 77, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 0, 0]);
        assert_eq!(Part::whole(&mut matrix, 5).row(2).len(), 5);
    }

    #[test]
    fn empty_parts_and_matrices_are_empty() {
        let mut matrix = [1, 2, 3, 4];
        let parts = Parts::new(&mut matrix, 2);
        // SAFETY: the parts are empty.
        let [mut beside, below] = unsafe { [parts.part(0..2, 7..9), parts.part(2..3, 1..2)] };
        assert_eq!(beside.row(1).len(), 0);
        assert_eq!(below.rows, 0);
        assert_eq!(Part::<f32>::whole(&mut [], 0).cols, 0);
        assert_eq!(Part::<f32>::whole(&mut [], 3).cols, 3);
    }
}
