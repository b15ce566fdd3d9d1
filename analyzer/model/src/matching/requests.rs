//! A rank's requests until they are over, by thread and number.
//!
//! A thread's numbers go up, and most requests are over soon: those of the last few thousand numbers are found by their place.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::Cause;
use super::collectives::{Ordinal, OwnPart};
use super::queues::Receipt;
use crate::roles::{CallPart, Peer, Role};

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
    /// The collective call it is for, in the replay.
    pub node: Option<u32>,
    /// The same by its object and ordinal, with the rank's part in it.
    pub collective: Option<(u32, Ordinal, OwnPart)>,
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
    threads: FxHashMap<u32, OfThread>,
}

#[derive(Default)]
struct OfThread {
    /// The number of the first of those that follow.
    first: u64,
    recent: VecDeque<Option<Request>>,
    older: FxHashMap<u64, Request>,
}

/// How many numbers are found by their place.
const RECENT: u64 = 4096;

impl Wanted {
    /// What a call wants.
    pub fn by(role: &Role) -> Wanted {
        let partitioned = matches!(role.what, CallPart::Message { partitioned: true, .. });
        Wanted { object: role.object, from: role.from, partitioned }
    }
}

impl Requests {
    /// A request was started.
    pub fn insert(&mut self, thread: u32, number: u64, request: Request) {
        self.threads.entry(thread).or_default().insert(number, request);
    }

    /// A request that is not over.
    #[inline]
    pub fn get(&mut self, thread: u32, number: u64) -> Option<&mut Request> {
        let of_thread = self.threads.get_mut(&thread)?;
        match number.checked_sub(of_thread.first) {
            Some(at) => of_thread.recent.get_mut(at as usize)?.as_mut(),
            None => of_thread.older.get_mut(&number),
        }
    }

    /// Those of a thread that are not over.
    pub fn of_thread(&self, thread: u32) -> impl Iterator<Item = &Request> {
        let of_thread = self.threads.get(&thread).into_iter();
        of_thread.flat_map(|of_thread| of_thread.older.values().chain(of_thread.recent.iter().flatten()))
    }

    /// A request is over.
    #[inline]
    pub fn remove(&mut self, thread: u32, number: u64) {
        let Some(of_thread) = self.threads.get_mut(&thread) else { return };
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
        // What is too far behind a new one is found by its number.
        let passed = (at + 1).saturating_sub(RECENT);
        for number in self.first..self.first + passed.min(self.recent.len() as u64) {
            let oldest = self.recent.pop_front().flatten();
            self.older.extend(oldest.map(|oldest| (number, oldest)));
        }
        self.first += passed;
        let at = (at - passed) as usize;
        // Numbers between are of requests that were complete at once.
        if self.recent.len() <= at {
            self.recent.resize(at + 1, None);
        }
        self.recent[at] = Some(request);
    }
}
