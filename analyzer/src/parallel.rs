//! The same work on many things, as many at a time as there are processors.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

/// What `work` makes of each number below `count`, in order.
pub fn map<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let workers = thread::available_parallelism().map_or(1, |workers| workers.get()).min(count);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(count));
    let take = || {
        let at = next.fetch_add(1, Relaxed);
        (at < count).then_some(at)
    };
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(at) = take() {
                    let result = work(at);
                    done.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((at, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
