//! Numbers a thread's requests, and resolves the requests named in records.
//!
//! In: a thread's calls and the records after each, in order. Out: a [`RequestChange`] for each record, by thread and number. A
//! thread's requests are numbered from 0 in the order their calls began. A record names a request of its own thread by its age,
//! the number of requests begun since, and one of another thread by its number. Each page holds the next number, so that numbers
//! are right after a page that cannot be read.

use std::ops::Range;

use traces::record::RecordKind;

/// Thread that began a request, and the request's number.
pub type RequestId = (u32, u64);

/// Requests of one thread with consecutive numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequestRun {
    /// Thread that began them.
    pub thread: u32,
    pub first: u64,
    /// Number of requests; at least one, unless the file is damaged.
    pub count: u32,
}

/// A change of requests, as told by a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RequestChange {
    /// The requests are complete.
    Completed(RequestRun),
    /// Persistent requests were started, each as a new request of the calling thread.
    Started {
        /// The numbers of their creation.
        created: RequestRun,
        /// Number of the first new request.
        first: u64,
    },
    Freed(RequestRun),
    /// Partitions of partitioned sends were marked ready.
    Ready(RequestRun),
}

/// Counts the requests of a thread.
#[derive(Clone, Copy, Default, Debug)]
pub struct RequestNumbers {
    thread: u32,
    next: u64,
}

impl RequestRun {
    pub fn numbers(&self) -> Range<u64> {
        self.first..self.first.saturating_add(self.count.into())
    }

    pub fn ids(self) -> impl Iterator<Item = RequestId> {
        self.numbers().map(move |number| (self.thread, number))
    }

    /// The last of them, which the status belongs to.
    pub fn last(&self) -> RequestId {
        (self.thread, self.first.wrapping_add(self.count.into()).wrapping_sub(1))
    }
}

impl RequestNumbers {
    /// Counts a thread whose next request is number `next`.
    pub fn new(thread: u32, next: u64) -> RequestNumbers {
        RequestNumbers { thread, next }
    }

    pub fn thread(&self) -> u32 {
        self.thread
    }

    /// Number of the thread's next request.
    #[inline]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Counts a call, which begins or creates a request if `takes` is set. Returns the request's number.
    #[inline]
    pub fn begin(&mut self, takes: bool) -> u64 {
        let number = self.next;
        self.next = number.saturating_add(takes.into());
        number
    }

    /// Skips lost records. `next` is the number of the thread's next request, if any follow.
    pub fn torn(&mut self, next: Option<u64>) {
        self.next = next.unwrap_or(self.next);
    }

    /// Number of the thread's request of this age.
    #[inline]
    pub fn of_age(&self, age: u64) -> u64 {
        self.next.saturating_sub(age)
    }

    /// Resolves a record about requests of the thread itself.
    #[inline]
    pub fn own(&mut self, kind: RecordKind, count: u32, age: u64) -> RequestChange {
        self.foreign(kind, count, self.thread, self.of_age(age))
    }

    /// Resolves a record about requests that `thread` began, from `number` on.
    #[inline]
    pub fn foreign(&mut self, kind: RecordKind, count: u32, thread: u32, number: u64) -> RequestChange {
        let run = RequestRun { thread, first: number, count };
        match kind {
            RecordKind::Started => {
                let first = self.next;
                self.next = first.saturating_add(count.into());
                RequestChange::Started { created: run, first }
            }
            RecordKind::Completed => RequestChange::Completed(run),
            RecordKind::Ready => RequestChange::Ready(run),
            _ => RequestChange::Freed(run),
        }
    }
}
