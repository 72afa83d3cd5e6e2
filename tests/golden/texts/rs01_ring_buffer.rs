//! A fixed-capacity ring buffer that overwrites its oldest element.

use std::mem::MaybeUninit;

pub struct Ring<T, const N: usize> {
    slots: [MaybeUninit<T>; N],
    head: usize,
    len: usize,
}

impl<T, const N: usize> Ring<T, N> {
    pub fn new() -> Self {
        Self { slots: std::array::from_fn(|_| MaybeUninit::uninit()), head: 0, len: 0 }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends `value`; returns the element it displaced, if the ring was full.
    pub fn push(&mut self, value: T) -> Option<T> {
        let index = (self.head + self.len) % N;
        if self.len == N {
            self.head = (self.head + 1) % N;
            let old = std::mem::replace(&mut self.slots[index], MaybeUninit::new(value));
            // SAFETY: a full ring has every slot initialised.
            Some(unsafe { old.assume_init() })
        } else {
            self.slots[index].write(value);
            self.len += 1;
            None
        }
    }

    pub fn pop(&mut self) -> Option<T> {
        if self.len == 0 {
            return None;
        }
        let slot = std::mem::replace(&mut self.slots[self.head], MaybeUninit::uninit());
        self.head = (self.head + 1) % N;
        self.len -= 1;
        // SAFETY: the slots from head to head + len are initialised.
        Some(unsafe { slot.assume_init() })
    }
}

impl<T, const N: usize> Drop for Ring<T, N> {
    fn drop(&mut self) {
        while self.pop().is_some() {}
    }
}
