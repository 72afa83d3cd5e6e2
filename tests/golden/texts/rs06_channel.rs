//! A bounded multi-producer, single-consumer channel on a mutex and two condition variables.
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

struct State<T> {
    queue: VecDeque<T>,
    senders: usize,
    receiver_alive: bool,
}

struct Shared<T> {
    state: Mutex<State<T>>,
    capacity: usize,
    not_empty: Condvar,
    not_full: Condvar,
}

pub struct Sender<T>(Arc<Shared<T>>);
pub struct Receiver<T>(Arc<Shared<T>>);

pub fn bounded<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    assert!(capacity > 0, "capacity must be positive");
    let shared = Arc::new(Shared {
        state: Mutex::new(State { queue: VecDeque::with_capacity(capacity), senders: 1, receiver_alive: true }),
        capacity,
        not_empty: Condvar::new(),
        not_full: Condvar::new(),
    });
    (Sender(shared.clone()), Receiver(shared))
}

impl<T> Sender<T> {
    /// Blocks while the channel is full; gives the value back when the receiver is gone.
    pub fn send(&self, value: T) -> Result<(), T> {
        let mut state = self.0.state.lock().unwrap();
        while state.queue.len() == self.0.capacity && state.receiver_alive {
            state = self.0.not_full.wait(state).unwrap();
        }
        if !state.receiver_alive {
            return Err(value);
        }
        state.queue.push_back(value);
        self.0.not_empty.notify_one();
        Ok(())
    }
}

impl<T> Receiver<T> {
    pub fn recv_timeout(&self, timeout: Duration) -> Option<T> {
