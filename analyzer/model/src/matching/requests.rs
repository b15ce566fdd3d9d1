//! Keeps a rank's requests until they are over, by thread and number.
//!
//! A thread's numbers ascend and most requests are short, so the last few thousand numbers are an array.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::Cause;
use super::collective_node::CollectiveNode;
use super::collectives::{Ordinal, OwnPart};
use super::dependency_bytes::{NotedMark, NotedNode};
use super::queues::Receipt;
use super::scenario::WayKind;
use crate::roles::{Peer, Role, SpottedSite};

#[derive(Clone, Default)]
pub struct Request {
    /// The line that began it, and the part of the run.
    pub place: SpottedSite,
    pub part: u8,
    pub receive: Option<(Receipt, Wanted)>,
    /// The cause of its wait, from the other side.
    pub partner: Partner,
    /// The completion that the cause is for.
    pub completion: Option<u32>,
    /// The program freed it, so no call completes it.
    pub freed: bool,
    /// Bytes of a send of the first thread, if its dependencies are noted.
    pub send: Option<u64>,
    /// Position of the receiver when it posted that receive.
    pub posted: Option<NotedMark>,
    /// Its collective call.
    pub collective: Option<Box<OfCollective>>,
}

/// A rank's part in a nonblocking collective call.
#[derive(Clone)]
pub struct OfCollective {
    pub object: u32,
    pub ordinal: Ordinal,
    pub own: OwnPart,
    /// The replay's node of the call.
    pub node: Option<AwaitedNode>,
}

/// A node of the replay that a rank will wait for.
#[derive(Clone)]
pub struct AwaitedNode {
    pub node: CollectiveNode,
    /// As noted: the node, how the rank depends on it, and bytes.
    pub noted: (NotedNode, WayKind, u64),
    /// The rank needs what others come with.
    pub needs: bool,
}

/// Messages that a receive matches.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    pub object: Option<u32>,
    /// Source and tag.
    pub from: (Peer, i32),
    pub partitioned: bool,
}

/// The cause of a request's wait, as far as the other side has reported it.
#[derive(Clone, Copy, Debug, Default)]
pub enum Partner {
    /// The other side reports none.
    #[default]
    Nothing,
    /// The other side has not reported yet.
    Awaited,
    /// The other side has reported; `None` if it caused no wait.
    Told(Option<Cause>),
}

/// Requests of one rank that are not over.
#[derive(Default)]
pub struct Requests {
    /// Few ranks have more than one thread that calls MPI.
    threads: Vec<OfThread>,
}

#[derive(Default)]
struct OfThread {
    thread: u32,
    /// Number of the first entry of `recent`.
    first: u64,
    recent: VecDeque<Option<Request>>,
    older: FxHashMap<u64, Request>,
}

/// Length of the array of recent requests.
const RECENT: u64 = 4096;

impl Wanted {
    pub fn by(role: &Role) -> Wanted {
        Wanted { object: role.object, from: role.from, partitioned: role.what.is_partitioned() }
    }
}

impl Requests {
    pub fn insert(&mut self, thread: u32, number: u64, request: Request) {
        let at = self.threads.iter().position(|of| of.thread == thread).unwrap_or_else(|| {
            self.threads.push(OfThread { thread, ..OfThread::default() });
            self.threads.len() - 1
        });
        self.threads[at].insert(number, request);
    }

    #[inline]
    fn of(&mut self, thread: u32) -> Option<&mut OfThread> {
        self.threads.iter_mut().find(|of| of.thread == thread)
    }

    #[inline]
    pub fn get(&mut self, thread: u32, number: u64) -> Option<&mut Request> {
        let of_thread = self.of(thread)?;
        match number.checked_sub(of_thread.first) {
            Some(at) => of_thread.recent.get_mut(at as usize)?.as_mut(),
            None => of_thread.older.get_mut(&number),
        }
    }

    /// Requests of a thread that are not over.
    pub fn of_thread(&self, thread: u32) -> impl Iterator<Item = &Request> {
        self.threads.iter().filter(move |of| of.thread == thread).flat_map(OfThread::all)
    }

    /// Requests of all threads that are not over.
    pub fn all(&self) -> impl Iterator<Item = &Request> {
        self.threads.iter().flat_map(OfThread::all)
    }

    #[inline]
    pub fn remove(&mut self, thread: u32, number: u64) {
        let Some(of_thread) = self.of(thread) else { return };
        let Some(at) = number.checked_sub(of_thread.first) else {
            of_thread.older.remove(&number);
            return;
        };
        if let Some(request) = of_thread.recent.get_mut(at as usize) {
            *request = None;
        }
        while let Some(None) = of_thread.recent.front() {
            of_thread.recent.pop_front();
            of_thread.first += 1;
        }
    }
}

impl OfThread {
    fn all(&self) -> impl Iterator<Item = &Request> {
        self.older.values().chain(self.recent.iter().flatten())
    }

    fn insert(&mut self, number: u64, request: Request) {
        if self.recent.is_empty() {
            self.first = self.first.max(number);
        }
        let Some(at) = number.checked_sub(self.first) else {
            self.older.insert(number, request);
            return;
        };
        // A request that falls out of the array moves to the map.
        let passed = (at + 1).saturating_sub(RECENT);
        for number in self.first..self.first + passed.min(self.recent.len() as u64) {
            let oldest = self.recent.pop_front().flatten();
            self.older.extend(oldest.map(|oldest| (number, oldest)));
        }
        self.first += passed;
        let at = (at - passed) as usize;
        if let Some(place) = self.recent.get_mut(at) {
            *place = Some(request);
            return;
        }
        // The skipped numbers belong to requests that were complete at once.
        while self.recent.len() < at {
            self.recent.push_back(None);
        }
        self.recent.push_back(Some(request));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_kept_by_their_numbers_until_they_are_removed_in_whatever_order_they_come() {
        let (mut requests, numbers) = (Requests::default(), [9, 3, 10, 9 + RECENT, 5 + 3 * RECENT, 4]);
        for number in numbers {
            requests.insert(0, number, Request { completion: Some(number as u32), ..Request::default() });
        }
        for (removed, number) in numbers.into_iter().enumerate() {
            let known = numbers.map(|number| requests.get(0, number).and_then(|request| request.completion));
            let expected = numbers.map(|number| Some(number as u32));
            assert_eq!((&known[..removed], &known[removed..]), (&[None; 6][..removed], &expected[removed..]));
            assert_eq!(requests.of_thread(0).count(), 6 - removed);
            requests.remove(0, number);
        }
        assert_eq!(requests.of_thread(0).count(), 0);
    }
}
