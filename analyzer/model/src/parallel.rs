//! Runs the same work on many items, as many at once as there are processors.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// Results of `work` for each number below `count`, in order.
pub fn map<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    map_each(0..count, work)
}

/// Results of `work` for each item, in order.
pub fn map_each<I, T: Send>(items: I, work: impl Fn(I::Item) -> T + Sync) -> Vec<T>
where
    I: IntoIterator<IntoIter: ExactSizeIterator + Send>,
{
    let items = items.into_iter();
    let count = items.len();
    let workers = thread::available_parallelism().map_or(1, |workers| workers.get()).min(count);
    let next = Mutex::new(items.enumerate());
    let done: Mutex<Vec<Option<T>>> = Mutex::new((0..count).map(|_| None).collect());
    let take = || lock(&next).next();
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((at, item)) = take() {
                    let result = work(item);
                    lock(&done)[at] = Some(result);
                }
            });
        }
    });
    // In place, so that large results are in memory once.
    into_inner(done).into_iter().map(|result| result.expect("each item had its turn")).collect()
}

/// Locks a mutex even if another worker panicked.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}
