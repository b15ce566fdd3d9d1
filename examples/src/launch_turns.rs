//! Launches take turns: tests run several at a time, and one that compares times runs alone.
//!
//! A launch holds a share while it runs. A test that measures takes [`alone`]: it waits for launches under way, and
//! later ones wait for it.

use std::cell::Cell;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

#[derive(Default)]
struct State {
    /// Launches under way in threads that are not alone.
    shares: usize,
    /// Threads that are alone or wait for it.
    alone: usize,
    /// One thread is alone now.
    is_taken: bool,
}

static STATE: Mutex<State> = Mutex::new(State { shares: 0, alone: 0, is_taken: false });
static CHANGED: Condvar = Condvar::new();

thread_local! {
    /// Guards of this thread: while it holds one, further ones are granted at once.
    static HELD: Cell<usize> = const { Cell::new(0) };
    /// This thread's outermost guard is an [`Alone`].
    static ALONE: Cell<bool> = const { Cell::new(false) };
}

fn state() -> MutexGuard<'static, State> {
    // A test that panicked left the state consistent.
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps others from being alone until it is dropped.
#[must_use]
pub struct Share(());

/// Keeps all other launches waiting until it is dropped.
#[must_use]
pub struct Alone {
    is_outermost: bool,
}

/// Waits until no thread is alone.
pub fn share() -> Share {
    if HELD.get() == 0 {
        let mut state = state();
        while state.alone > 0 {
            state = CHANGED.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.shares += 1;
    }
    HELD.set(HELD.get() + 1);
    Share(())
}

impl Drop for Share {
    fn drop(&mut self) {
        HELD.set(HELD.get() - 1);
        if HELD.get() == 0 {
            state().shares -= 1;
            CHANGED.notify_all();
        }
    }
}

/// Waits until no other thread's launch is under way. Panics if this thread has one itself: it would wait forever.
pub fn alone() -> Alone {
    let is_outermost = HELD.get() == 0;
    if is_outermost {
        let mut state = state();
        state.alone += 1;
        while state.shares > 0 || state.is_taken {
            state = CHANGED.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.is_taken = true;
        ALONE.set(true);
    }
    assert!(ALONE.get(), "a launch of this test is under way");
    HELD.set(HELD.get() + 1);
    Alone { is_outermost }
}

impl Drop for Alone {
    fn drop(&mut self) {
        HELD.set(HELD.get() - 1);
        if self.is_outermost {
            ALONE.set(false);
            let mut state = state();
            state.alone -= 1;
            state.is_taken = false;
            drop(state);
            CHANGED.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn whoever_is_alone_launches_as_it_likes_and_others_wait_for_it() {
        let inside = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let _share = share();
                        inside.fetch_add(1, Ordering::SeqCst);
                        thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _alone = alone();
                        let _launches = (share(), share());
                        thread::yield_now();
                        assert_eq!(inside.load(Ordering::SeqCst), 0);
                    }
                });
            }
        });
    }
}
