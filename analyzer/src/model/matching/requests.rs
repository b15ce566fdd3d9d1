//! A rank's requests until they are over, by thread and number.
//!
//! A thread's numbers go up, and most requests are over soon: those of the last few thousand numbers are found by their place.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::Cause;
use super::queues::Receipt;
use crate::model::roles::{Peer, Role, What};

/// A request that was started.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    /// The receive it is for.
    pub receive: Option<(Receipt, Wanted)>,
    /// What another rank has to tell.
    pub partner: Partner,
    /// The completion that waits to be told.
    pub completion: Option<u32>,
    /// Nobody will complete it.
    pub freed: bool,
    /// The collective call it is for.
    pub node: Option<u32>,
}

/// What a receive can take.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Its communicator.
    pub object: Option<u32>,
    /// From whom, and the tag.
    pub from: (Peer, i32),
    /// By partitions.
    pub partitioned: bool,
}

/// What the other side has to tell about a request.
#[derive(Clone, Copy, Debug, Default)]
pub enum Partner {
    /// Nothing.
    #[default]
    Nothing,
    /// It has not yet.
    Awaited,
    /// What it may have waited for.
    Told(Option<Cause>),
}

/// See the module.
#[derive(Default)]
pub struct Requests {
    threads: Vec<OfThread>,
}

#[derive(Default)]
struct OfThread {
    /// The number of the first of those that follow.
    first: u64,
    recent: VecDeque<Option<Request>>,
    older: FxHashMap<u64, Request>,
}

/// How many numbers are found by their place.
const RECENT: usize = 4096;

impl Wanted {
    /// What a call wants.
    pub fn by(role: &Role) -> Wanted {
        let partitioned = matches!(role.what, What::Message { partitioned: true, .. });
        Wanted { object: role.object, from: role.from, partitioned }
    }
}

impl Requests {
    /// A request was started.
    pub fn insert(&mut self, thread: u32, number: u64, request: Request) {
        if self.threads.len() <= thread as usize {
            self.threads.resize_with(thread as usize + 1, OfThread::default);
        }
        self.threads[thread as usize].insert(number, request);
    }

    /// A request that is not over.
    #[inline]
    pub fn get(&mut self, thread: u32, number: u64) -> Option<&mut Request> {
        let of_thread = self.threads.get_mut(thread as usize)?;
        match number.checked_sub(of_thread.first) {
            Some(at) => of_thread.recent.get_mut(at as usize)?.as_mut(),
            None => of_thread.older.get_mut(&number),
        }
    }

    /// A request is over.
    #[inline]
    pub fn remove(&mut self, thread: u32, number: u64) {
        let Some(of_thread) = self.threads.get_mut(thread as usize) else { return };
        let Some(at) = number.checked_sub(of_thread.first) else {
            of_thread.older.remove(&number);
            return;
        };
        of_thread.recent.get_mut(at as usize).into_iter().for_each(|request| *request = None);
        while let Some(None) = of_thread.recent.front() {
            of_thread.recent.pop_front();
            of_thread.first += 1;
        }
    }
}

impl OfThread {
    fn insert(&mut self, number: u64, request: Request) {
        if self.recent.is_empty() {
            self.first = self.first.max(number);
        }
        let Some(at) = number.checked_sub(self.first) else {
            self.older.insert(number, request);
            return;
        };
        // Numbers between are of requests that were complete at once.
        while self.recent.len() as u64 <= at {
            if self.recent.len() == RECENT {
                let oldest = self.recent.pop_front().flatten();
                self.older.extend(oldest.map(|oldest| (self.first, oldest)));
                self.first += 1;
                return self.insert(number, request);
            }
            self.recent.push_back(None);
        }
        self.recent[at as usize] = Some(request);
    }
}
