//! Waiting for a number to change: briefly at full speed, then asleep.

use std::sync::atomic::{AtomicU32, Ordering};

/// Looks up to `spins` times whether `number` is no longer `value`; whether it is.
pub fn spin_while(number: &AtomicU32, value: u32, spins: u32) -> bool {
    for _ in 0..spins {
        if number.load(Ordering::SeqCst) != value {
            return true;
        }
        pause();
    }
    false
}

/// A few nanoseconds that leave the core's units to a sibling thread.
fn pause() {
    #[cfg(not(target_arch = "wasm32"))]
    std::hint::spin_loop();
    // WebAssembly has no such instruction. A chain of divisions occupies one slow unit and little else.
    #[cfg(target_arch = "wasm32")]
    {
        let mut x = std::hint::black_box(1.5_f64);
        for _ in 0..2 {
            x = std::hint::black_box(3.0 / x);
        }
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "atomics"))]
mod sleeping {
    use super::{AtomicU32, Ordering};
    use core::arch::wasm32::{memory_atomic_notify, memory_atomic_wait32};

    /// Sleeps until `number` is no longer `value`; may sleep on without a [`wake`] after the change.
    pub fn sleep_while(number: &AtomicU32, value: u32) {
        while number.load(Ordering::SeqCst) == value {
            // SAFETY: the address is that of a live and aligned number. The instruction compares it with `value` and
            // falls asleep in one step. It traps on a page's main thread, which never has helpers to wait for.
            unsafe { memory_atomic_wait32(number.as_ptr().cast(), value.cast_signed(), -1) };
        }
    }

    /// Wakes up to `threads` threads that sleep on `number`, after a change of it.
    pub fn wake(number: &AtomicU32, threads: usize) {
        // SAFETY: as above.
        unsafe { memory_atomic_notify(number.as_ptr().cast(), threads as u32) };
    }
}

/// There is one thread, so nobody can wait and nobody waits.
#[cfg(all(target_arch = "wasm32", not(target_feature = "atomics")))]
mod sleeping {
    use super::AtomicU32;

    pub fn sleep_while(_number: &AtomicU32, _value: u32) {}
    pub fn wake(_number: &AtomicU32, _threads: usize) {}
}

#[cfg(not(target_arch = "wasm32"))]
mod sleeping {
    use super::{AtomicU32, Ordering};
    use std::sync::{Condvar, Mutex, PoisonError};

    /// One place for all sleepers: there are few, and each looks at its own number.
    static LOCK: Mutex<()> = Mutex::new(());
    static CHANGED: Condvar = Condvar::new();

    /// Sleeps until `number` is no longer `value`; may sleep on without a [`wake`] after the change.
    pub fn sleep_while(number: &AtomicU32, value: u32) {
        let mut guard = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        while number.load(Ordering::SeqCst) == value {
            guard = CHANGED.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Wakes threads that sleep on `number`, after a change of it.
    pub fn wake(_number: &AtomicU32, _threads: usize) {
        // The lock is between a sleeper's look at the number and its sleep.
        drop(LOCK.lock().unwrap_or_else(PoisonError::into_inner));
        CHANGED.notify_all();
    }
}

pub use sleeping::{sleep_while, wake};
