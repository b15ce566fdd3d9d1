//! Counts the records in a thread's pages before the pages are dropped.
//!
//! In: the pages, in order, and the signatures of their calls. Out: the body of a page with the counts
//! ([`crate::dropped`]). A reader of the records would have counted the same, so totals do not depend on the pages that
//! were dropped.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use zerocopy::{FromZeros, IntoBytes};

use crate::calls::Call;
use crate::dropped::{DroppedArrival, DroppedHead, DroppedRequest, DroppedTotal, RequestState};
use crate::error::Damage;
use crate::file::{PageHeader, ProfileEntry};
use crate::live::LiveWords;
use crate::progress::{Entries, Polls};
use crate::read::{Visitor, Walk};
use crate::record::{Arrived, Fate, RecordKind};
use crate::signature::{CREATES, NESTED, STARTS, Signature, UNKNOWN_BYTES, peer, tag};

/// The part of a signature that counting its calls needs.
#[derive(Clone, Copy, Default)]
pub struct CountedSignature {
    /// The function, if a call of it changes more than its own counts: MPI_Pcontrol with its level.
    level: Option<i32>,
    flags: u16,
    /// True if its request is complete when the call returns.
    at_once: bool,
    /// True if it receives from any source or with any tag.
    is_wild: bool,
    sent: u64,
    received: u64,
    /// Bytes posted to receive, of which a status may tell fewer.
    posted: u64,
}

impl CountedSignature {
    /// `at_once` for the second number of a signature that starts requests.
    pub fn of(signature: &Signature, at_once: bool) -> CountedSignature {
        let (sent, received) = signature.moves();
        let (source, of_tag) = match signature.source {
            peer::NONE => (signature.peer, signature.tag),
            source => (source, signature.source_tag),
        };
        CountedSignature {
            level: (signature.call == Call::Pcontrol.number()).then_some(signature.source_tag),
            flags: signature.flags,
            at_once,
            is_wild: source == peer::ANY || of_tag == tag::ANY,
            sent,
            received,
            posted: signature.received,
        }
    }

    fn has(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }
}

#[derive(Clone, Copy, Default)]
struct CallCounts {
    calls: u64,
    total: u64,
    min: u64,
    max: u64,
    failed: u64,
    void: u64,
    starts: u64,
    /// Bytes beyond those posted.
    sent: i64,
    received: i64,
    engine: Entries,
}

#[derive(Clone, Copy)]
struct BegunRequest {
    signature: u32,
    started_by: u32,
    state: RequestState,
    /// The number of the latest start of a persistent request.
    latest: Option<u64>,
}

/// A change to requests of another thread.
#[derive(Clone, Copy, Debug)]
pub struct OtherRequests {
    pub thread: u32,
    pub first: u64,
    pub count: u32,
}

/// The counts of one thread's dropped pages.
#[derive(Default)]
pub struct DropAccount {
    pages: u32,
    until: u64,
    calls: u64,
    level: Option<i32>,
    regions: Vec<u32>,
    counts: HashMap<u32, CallCounts>,
    requests: HashMap<u64, BegunRequest>,
    /// Creations of persistent requests, by their latest start, by which records name them.
    created: HashMap<u64, u64>,
    arrivals: HashMap<(u32, i32, i32), u64>,
    /// The number of the next request.
    next: u64,
    /// The last call, which the records at the begin of the next page belong to.
    call: CurrentCall,
}

impl DropAccount {
    /// Adds a page of records. Returns its completions of other threads' requests, and the damage that ended it early.
    pub fn add(
        &mut self,
        page: &PageHeader,
        words: LiveWords<'_>,
        signatures: &[CountedSignature],
    ) -> (Vec<OtherRequests>, Result<(), Damage>) {
        let PageHeader { thread, sequence, base, requests, .. } = *page;
        self.next = requests;
        let mut counter = PageCounter { account: self, signatures, others: Vec::new() };
        let mut walk = Walk::of_words(thread, base, words);
        let walked = walk.step(&mut counter, usize::MAX);
        let others = counter.others;
        (self.pages, self.until) = (sequence + 1, walk.last());
        (others, walked.map(drop))
    }

    /// Marks requests complete that a dropped record of another thread has completed.
    pub fn completed_elsewhere(&mut self, first: u64, count: u32) {
        for number in first..first.saturating_add(count.into()) {
            if self.requests.remove(&number).is_none() && number >= self.next {
                let state = RequestState::CompleteAlready;
                self.requests.insert(number, BegunRequest { signature: 0, started_by: 0, state, latest: None });
            }
        }
    }

    /// Pages dropped so far.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// The body of the page with the counts. `signatures` are those that the pages were counted with.
    pub fn body(&self, signatures: &[CountedSignature]) -> Vec<u8> {
        let (last_began, last_posted) = self.call.request.unwrap_or((u32::MAX, u32::MAX));
        let head = DroppedHead {
            until: self.until,
            calls: self.calls,
            totals: self.counts.len() as u32,
            requests: self.requests.len() as u32,
            arrivals: self.arrivals.len() as u32,
            regions: self.regions.len() as u32,
            level: self.level.unwrap_or(-1),
            last: self.call.signature,
            last_began,
            last_posted,
        };
        let mut body = head.as_bytes().to_vec();
        for (number, counts) in &self.counts {
            let known = signatures.get(*number as usize).copied().unwrap_or_default();
            body.extend(counts.total(*number, &known).as_bytes());
        }
        for (number, begun) in &self.requests {
            let BegunRequest { signature, started_by, state, .. } = *begun;
            let request = DroppedRequest { number: *number, signature, started_by, state: state as u32, reserved: 0 };
            body.extend(request.as_bytes());
        }
        for ((signature, source, tag), count) in &self.arrivals {
            let arrival =
                DroppedArrival { signature: *signature, source: *source, tag: *tag, reserved: 0, count: *count };
            body.extend(arrival.as_bytes());
        }
        body.extend(self.regions.as_bytes());
        body
    }
}

impl CallCounts {
    fn total(&self, number: u32, known: &CountedSignature) -> DroppedTotal {
        let times = self.calls.saturating_sub(self.failed);
        // A persistent request moves its bytes when it is started.
        let moved = |each: u64, more: i64| match known.has(CREATES) {
            true => 0,
            false => each.saturating_mul(times).saturating_add_signed(more),
        };
        let entry = ProfileEntry {
            signature: number,
            failed: self.failed as u32,
            count: self.calls,
            total: self.total,
            min: self.min,
            max: self.max,
            sent: moved(known.sent, self.sent),
            received: moved(known.received, self.received),
            engine: self.engine,
            ..ProfileEntry::new_zeroed()
        };
        DroppedTotal { entry, starts: self.starts, void: self.void }
    }

    fn add(&mut self, calls: u64, total: u64, (shortest, longest): (u64, u64)) {
        self.min = if self.calls == 0 { shortest } else { self.min.min(shortest) };
        self.max = self.max.max(longest);
        self.calls += calls;
        self.total = self.total.saturating_add(total);
    }
}

/// The call that the next records belong to.
#[derive(Clone, Copy, Default)]
struct CurrentCall {
    signature: u32,
    has_failed: bool,
    has_details: bool,
    /// The signatures of the call that began the request completed last, and of the call that posted it.
    request: Option<(u32, u32)>,
}

struct PageCounter<'a> {
    account: &'a mut DropAccount,
    signatures: &'a [CountedSignature],
    others: Vec<OtherRequests>,
}

impl PageCounter<'_> {
    fn known(&self, signature: u32) -> CountedSignature {
        self.signatures.get(signature as usize).copied().unwrap_or_default()
    }

    fn counts(&mut self, signature: u32) -> &mut CallCounts {
        self.account.counts.entry(signature).or_default()
    }

    fn end_call(&mut self) {
        if self.account.call.has_failed && !self.account.call.has_details {
            self.counts(self.account.call.signature).void += 1;
        }
    }

    fn begin_call(&mut self, signature: u32) {
        self.end_call();
        self.account.call = CurrentCall { signature, ..CurrentCall::default() };
    }

    fn begin_request(&mut self, begun: BegunRequest) {
        match self.account.requests.entry(self.account.next) {
            // Another thread's record has completed it already.
            Entry::Occupied(early) => drop(early.remove()),
            Entry::Vacant(place) => drop(place.insert(begun)),
        }
    }

    fn start(&mut self, created: u64) {
        let by = self.account.call.signature;
        let next = self.account.next;
        let mut signature = 0;
        if let Some(begun) = self.account.requests.get_mut(&created) {
            signature = begun.signature;
            if let Some(before) = begun.latest.replace(next) {
                self.account.created.remove(&before);
            }
            self.account.created.insert(next, created);
        }
        let known = self.known(signature);
        self.counts(signature).starts += 1;
        let counts = self.counts(by);
        (counts.sent, counts.received) =
            (counts.sent.saturating_add_unsigned(known.sent), counts.received.saturating_add_unsigned(known.received));
        self.begin_request(BegunRequest { signature, started_by: by, state: RequestState::Pending, latest: None });
        self.account.next += 1;
    }
}

impl Visitor for PageCounter<'_> {
    fn call(&mut self, signature: u32, _start: u64, duration: u64) {
        self.begin_call(signature);
        self.account.calls += 1;
        self.counts(signature).add(1, duration, (duration, duration));
        let known = self.known(signature);
        if known.has(STARTS | CREATES) {
            let state = if known.has(CREATES) { RequestState::Persistent } else { RequestState::Pending };
            // Requests of calls inside other calls are the library's own, and no record tells of them again.
            if !known.at_once && !known.has(NESTED) {
                self.begin_request(BegunRequest { signature, started_by: signature, state, latest: None });
            }
            self.account.next += 1;
        }
        self.account.level = known.level.or(self.account.level);
    }

    fn polls(&mut self, polls: &Polls) {
        let signature = polls.signature as u32;
        self.begin_call(signature);
        self.account.calls += polls.count;
        let [shortest, longest] = polls.durations.map(u64::from);
        self.counts(signature).add(polls.count, polls.total, (shortest, longest));
    }

    fn arrived(&mut self, arrived: Arrived) {
        self.account.call.has_details = true;
        let of_call = (self.account.call.signature, self.account.call.signature);
        let (by, posted_by) = self.account.call.request.take().unwrap_or(of_call);
        let known = self.known(posted_by);
        if arrived.fate == Fate::Cancelled {
            self.counts(posted_by).void += 1;
        } else if known.is_wild {
            *self.account.arrivals.entry((posted_by, arrived.source, arrived.tag)).or_default() += 1;
        }
        // A probe posts nothing; another call receives the message it found.
        if known.posted != 0 && known.posted != UNKNOWN_BYTES && arrived.bytes != UNKNOWN_BYTES {
            let more = (arrived.bytes as i64).saturating_sub(known.posted as i64);
            let counts = self.counts(by);
            counts.received = counts.received.saturating_add(more);
        }
    }

    fn requests(&mut self, kind: RecordKind, count: u32, age: u64) {
        self.account.call.has_details = true;
        let first = self.account.next.saturating_sub(age);
        let numbers = first..first.saturating_add(count.into());
        match kind {
            RecordKind::Started => numbers.for_each(|created| self.start(created)),
            RecordKind::Completed | RecordKind::Freed => {
                self.account.call.request = Some((0, 0));
                for number in numbers {
                    if let Some(begun) = self.account.requests.remove(&number) {
                        self.account.call.request = Some((begun.started_by, begun.signature));
                    }
                    if kind == RecordKind::Freed
                        && let Some(created) = self.account.created.remove(&number)
                    {
                        self.account.requests.remove(&created);
                    }
                }
            }
            _ => {}
        }
    }

    fn elsewhere(&mut self, kind: RecordKind, count: u32, thread: u32, number: u64) {
        self.account.call.has_details = true;
        match kind {
            RecordKind::Started => self.account.next += u64::from(count),
            RecordKind::Completed | RecordKind::Freed => {
                // The other thread's signatures are not known here; number 0 has no calls.
                self.account.call.request = Some((0, 0));
                self.others.push(OtherRequests { thread, first: number, count });
            }
            _ => {}
        }
    }

    fn failed(&mut self, _class: u16, _code: i32) {
        self.account.call.has_failed = true;
        self.counts(self.account.call.signature).failed += 1;
    }

    fn engine(&mut self, during: Entries) {
        self.counts(self.account.call.signature).engine += during;
    }

    fn region(&mut self, kind: RecordKind, _at: u64, number: u32) {
        let regions = &mut self.account.regions;
        if kind == RecordKind::RegionBegin {
            regions.push(number);
        } else if let Some(place) = regions.iter().rposition(|open| *open == number) {
            regions.remove(place);
        }
    }
}
