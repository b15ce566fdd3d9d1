//! Numbers a thread's requests: which of them its calls begin, complete, start again, give up or make ready.
//!
//! In: a thread's calls and the records behind each, in order. Out: a [`RequestChange`] for each record, by thread and number.
//! A thread's requests have numbers from 0 in the order their calls began. A record names a request of its own thread by its age, which
//! is how many numbers were taken since, and one of another thread by its number. Each page says which number comes next, so that
//! numbers are right behind a page that cannot be read.

use std::ops::Range;

use traces::record::RecordKind;

/// A request, by the thread that began it and its number.
pub type RequestId = (u32, u64);

/// Requests of one thread with numbers that follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequestRun {
    /// The thread that began them.
    pub thread: u32,
    /// The number of the first.
    pub first: u64,
    /// How many there are; at least one, unless the file is damaged.
    pub count: u32,
}

/// What a record says of requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RequestChange {
    /// They are complete.
    Completed(RequestRun),
    /// Persistent requests were started, each as a new request of the thread that made the call.
    Started {
        /// The numbers under which they were created.
        created: RequestRun,
        /// The number of the first new request.
        first: u64,
    },
    /// They were given up.
    Freed(RequestRun),
    /// Parts of partitioned sends were handed out.
    Ready(RequestRun),
}

/// Counts a thread's requests.
#[derive(Clone, Copy, Default, Debug)]
pub struct RequestNumbers {
    thread: u32,
    next: u64,
}

impl RequestRun {
    /// Their numbers.
    pub fn numbers(&self) -> Range<u64> {
        self.first..self.first.saturating_add(self.count.into())
    }

    /// All of them, by thread and number.
    pub fn ids(self) -> impl Iterator<Item = RequestId> {
        self.numbers().map(move |number| (self.thread, number))
    }

    /// The last of them, to which belongs what arrived.
    pub fn last(&self) -> RequestId {
        (self.thread, self.first.wrapping_add(self.count.into()).wrapping_sub(1))
    }
}

impl RequestNumbers {
    /// Of a thread that begins its request number `next` next.
    pub fn new(thread: u32, next: u64) -> RequestNumbers {
        RequestNumbers { thread, next }
    }

    /// The thread's number.
    pub fn thread(&self) -> u32 {
        self.thread
    }

    /// The number of the thread's next request.
    #[inline]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// A call began, or created a request if its signature takes one. Returns the number of that.
    #[inline]
    pub fn begin(&mut self, takes: bool) -> u64 {
        let number = self.next;
        self.next = number.saturating_add(takes.into());
        number
    }

    /// Records were lost. `next` is the number of the thread's next request, if any follow.
    pub fn torn(&mut self, next: Option<u64>) {
        self.next = next.unwrap_or(self.next);
    }

    /// The number of the thread's request of this age.
    #[inline]
    pub fn of_age(&self, age: u64) -> u64 {
        self.next.saturating_sub(age)
    }

    /// A record tells of requests of the thread itself.
    #[inline]
    pub fn own(&mut self, kind: RecordKind, count: u32, age: u64) -> RequestChange {
        self.foreign(kind, count, self.thread, self.of_age(age))
    }

    /// A record tells of requests that a thread began from `number` on.
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
