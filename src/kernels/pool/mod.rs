//! A few helper threads that take part in loops: fork and join in about a microsecond.
//!
//! A loop is a number of chunks; whoever is free takes the next one from a counter, the caller included, so that a
//! helper that is late or that the system has suspended costs nothing but its help. Helpers look for work for a moment
//! after a loop and then sleep (`wait.rs`). Which thread ran a chunk must not matter to the result.
//!
//! In the browser the helpers are workers that share the module's memory and call [`help`]; native helpers are threads
//! that [`Pool::start`] starts. There is one pool, and one loop at a time: a caller who finds it taken works alone.

mod governor;
#[cfg(test)]
mod tests;
mod wait;

pub use governor::{Governor, Work};

use std::cell::UnsafeCell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use wait::{sleep_while, spin_while, wake};

/// Multiplications of the smallest chunk that is worth handing out: a microsecond or two.
pub const SMALLEST_CHUNK: usize = 1 << 15;
/// Chunks for each thread: as many as even out threads of different speed, as few as cost nothing.
pub const CHUNKS_A_THREAD: usize = 4;

/// The pieces of chunk `chunk`, of `pieces` that are split evenly.
pub fn share(pieces: usize, chunks: usize, chunk: usize) -> Range<usize> {
    pieces * chunk / chunks..pieces * (chunk + 1) / chunks
}

/// The most threads of a loop.
pub const MAX_THREADS: usize = 16;

/// The pool that the kernels use.
pub static POOL: Pool = Pool::new();

/// Looks at a loop's state this often before it sleeps: some microseconds to bridge, about a hundred.
const HELPER_SPINS: u32 = 10_000;
/// The same for the caller at the end of a loop, when a helper has the last chunk.
const CALLER_SPINS: u32 = 5_000;

/// Bits of [`Pool::state`]: whether helpers may enter, whether the caller sleeps, how many may still enter, and how many
/// are inside.
const OPEN: u32 = 1 << 31;
const CALLER_SLEEPS: u32 = 1 << 30;
const TICKET: u32 = 1 << 8;
const TICKETS: u32 = 0xff << 8;
const INSIDE: u32 = 0xff;

/// The threads and the loop that they run.
pub struct Pool {
    /// Changes with every loop; sleeping helpers wait for that.
    generation: AtomicU32,
    state: AtomicU32,
    /// Written only while nobody is inside and nobody may enter.
    job: UnsafeCell<Job>,
    next_chunk: AtomicUsize,
    /// Helpers that sleep, or are about to.
    sleepers: AtomicU32,
    helpers: AtomicUsize,
    /// Helpers that [`Self::start`] started.
    #[cfg(not(target_arch = "wasm32"))]
    started: AtomicUsize,
    taken: AtomicBool,
    /// A helper panicked in the loop.
    panicked: AtomicBool,
}

/// A closure over `(participant, chunk)`, without its lifetime.
#[derive(Clone, Copy)]
struct Job {
    closure: *const (),
    /// Calls the closure.
    ///
    /// # Safety
    /// It must still be there.
    call: unsafe fn(*const (), usize, usize),
    chunks: usize,
}

// SAFETY: `job` is all that is not an atomic; `run` and `help` pass it on by `state`, as described there.
unsafe impl Sync for Pool {}

impl Pool {
    const fn new() -> Self {
        /// In place of a closure, for no chunks.
        ///
        /// # Safety
        /// None is needed.
        unsafe fn nothing(_closure: *const (), _participant: usize, _chunk: usize) {}
        Self {
            generation: AtomicU32::new(0),
            state: AtomicU32::new(0),
            job: UnsafeCell::new(Job { closure: std::ptr::null(), call: nothing, chunks: 0 }),
            next_chunk: AtomicUsize::new(0),
            sleepers: AtomicU32::new(0),
            helpers: AtomicUsize::new(0),
            #[cfg(not(target_arch = "wasm32"))]
            started: AtomicUsize::new(0),
            taken: AtomicBool::new(false),
            panicked: AtomicBool::new(false),
        }
    }

    /// Threads there are, the caller of a loop included.
    pub fn threads(&self) -> usize {
        1 + self.helpers.load(Ordering::Relaxed)
    }

    /// Starts helpers until there are `threads` threads, or as many as the system allows. (In the browser
    /// only JavaScript can start them.)
    #[cfg(not(target_arch = "wasm32"))]
    pub fn start(&'static self, threads: usize) {
        let wanted = threads.min(MAX_THREADS).saturating_sub(1);
        let one_more = |started| (started < wanted).then_some(started + 1);
        while self.started.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok() {
            let helper = std::thread::Builder::new().name("midline-helper".into());
            if helper.spawn(|| self.help()).is_err() {
                self.started.fetch_sub(1, Ordering::Relaxed);
                return;
            }
        }
    }

    /// Calls `work(participant, chunk)` once for every chunk, on up to `threads` threads. Participants are numbers
    /// below `threads`; two calls at the same time never have the same one.
    ///
    /// # Panics
    /// When `work` does.
    pub fn run<F: Fn(usize, usize) + Sync>(&self, threads: usize, chunks: usize, work: F) {
        /// Calls the closure that `closure` points to.
        ///
        /// # Safety
        /// It points to a live `F`.
        unsafe fn call<F: Fn(usize, usize)>(closure: *const (), participant: usize, chunk: usize) {
            // SAFETY: as this function demands.
            let work = unsafe { &*closure.cast::<F>() };
            work(participant, chunk);
        }

        let helpers = threads.min(MAX_THREADS).min(self.threads()).min(chunks).saturating_sub(1);
        if helpers == 0 || self.taken.swap(true, Ordering::Acquire) {
            (0..chunks).for_each(|chunk| work(0, chunk));
            return;
        }
        let job = Job { closure: (&raw const work).cast(), call: call::<F>, chunks };
        // SAFETY: the pool is taken, so no other caller writes; the loop before was closed and everyone has left it.
        unsafe { *self.job.get() = job };
        self.next_chunk.store(0, Ordering::Relaxed);
        self.state.store(OPEN | (helpers as u32 * TICKET), Ordering::Release);
        // The order of this change and the look at the sleepers, against theirs, decides that none sleeps on.
        self.generation.fetch_add(1, Ordering::SeqCst);
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            wake(&self.generation, helpers);
        }
        let closing = Closing(self); // also when `work` panics: the closure must outlive the loop
        self.take_chunks(job, 0);
        drop(closing);
    }

    fn take_chunks(&self, job: Job, participant: usize) {
        loop {
            let chunk = self.next_chunk.fetch_add(1, Ordering::Relaxed);
            if chunk >= job.chunks {
                return;
            }
            // SAFETY: this thread is inside the loop, or is its caller: the closure lives until everyone has left.
            unsafe { (job.call)(job.closure, participant, chunk) };
        }
    }

    /// Takes part in all loops to come; never returns.
    pub fn help(&self) -> ! {
        let mut seen = self.generation.load(Ordering::SeqCst);
        self.helpers.fetch_add(1, Ordering::Relaxed);
        loop {
            if !spin_while(&self.generation, seen, HELPER_SPINS) {
                self.sleepers.fetch_add(1, Ordering::SeqCst);
                sleep_while(&self.generation, seen);
                self.sleepers.fetch_sub(1, Ordering::SeqCst);
            }
            seen = self.generation.load(Ordering::SeqCst);
            let entered = self.state.fetch_update(Ordering::Acquire, Ordering::Relaxed, |state| {
                (state & OPEN != 0 && state & TICKETS != 0).then(|| state - TICKET + 1)
            });
            if let Ok(before) = entered {
                let leaving = Leaving(self);
                // SAFETY: it was written before the loop was opened, and stays while somebody is inside.
                let job = unsafe { *self.job.get() };
                self.take_chunks(job, ((before & TICKETS) / TICKET) as usize);
                drop(leaving);
            }
        }
    }
}

/// A helper is inside.
struct Leaving<'a>(&'a Pool);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        let pool = self.0;
        if std::thread::panicking() {
            pool.panicked.store(true, Ordering::Relaxed);
            pool.helpers.fetch_sub(1, Ordering::Relaxed);
        }
        let before = pool.state.fetch_sub(1, Ordering::Release);
        if before & INSIDE == 1 && before & CALLER_SLEEPS != 0 {
            wake(&pool.state, 1);
        }
    }
}

/// The loop is open; the end of this lets nobody in any more and waits for those inside.
struct Closing<'a>(&'a Pool);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        let pool = self.0;
        let mut state = pool.state.fetch_and(INSIDE, Ordering::Acquire) & INSIDE;
        while state & INSIDE != 0 {
            if !spin_while(&pool.state, state, CALLER_SPINS) {
                let sleeping = pool.state.fetch_or(CALLER_SLEEPS, Ordering::Acquire) | CALLER_SLEEPS;
                if sleeping & INSIDE != 0 {
                    sleep_while(&pool.state, sleeping);
                }
            }
            state = pool.state.load(Ordering::Acquire);
        }
        let panicked = pool.panicked.swap(false, Ordering::Relaxed);
        pool.taken.store(false, Ordering::Release);
        assert!(!panicked || std::thread::panicking(), "a helper thread panicked in a loop");
    }
}
