//! The requests of a thread from their start to their completion.
//!
//! A thread numbers the requests that it starts. After a call that completes requests, records say which: one word for
//! a run of consecutive numbers, and a record of the message if it differs from what was posted.
//!
//! Calls inside other calls are left out: they work on the library's own requests.

use traces::record::{self, Arrived, Fate, MAX_AGE, MAX_COUNT, RecordKind, UNNUMBERED};
use traces::signature::{peer, tag};

use super::recording::Thread;
use super::request::{ACTIVE, CANCELLED, CHECKED, Message, PERSISTENT, RECEIVES, Request};
use super::slots;
use crate::abi::Family;
use crate::recorder::file::totals::CountedCalls;
use crate::recorder::process::counted;
use recorder_core::dictionary::Key;
use recorder_core::handles::{Handles, Keep};

/// Requests with consecutive numbers, for one record.
struct CompletedRequests {
    kind: RecordKind,
    thread: u32,
    first: u64,
    count: u32,
}

impl Thread {
    /// Adds a request that a call began, or a persistent one that it created. Its number was already taken.
    #[inline(never)]
    pub fn request_begun(&self, handle: u64, signature: u32, flags: u32) {
        let number = self.events.started.get() - 1;
        let active = if flags & PERSISTENT == 0 { ACTIVE } else { 0 };
        let posted = self.key(signature);
        let (thread, flags) = (self.listed.number, flags | active);
        let counted = counted::counted();
        let request = Request { number, thread, flags, created: number, posted, signature, counted };
        // SAFETY: only this thread inserts into its table.
        unsafe { self.listed.requests.insert(handle, request) };
    }

    pub fn request_started(&self, handle: u64, signature: u32) {
        let (number, thread) = (self.events.started.get(), self.listed.number);
        let (owner, table) = self.table_of(handle);
        let before = table.visit(handle, |request| {
            (request.number, request.thread, request.signature) = (number, thread, signature);
            request.counted = counted::counted();
            request.flags = (request.flags | ACTIVE) & !CANCELLED;
            Keep::Yes
        });
        if let Some(Request { created, posted, .. }) = before {
            let calls = self.counted_calls(signature);
            if let (Some(profile), Some(posted)) = (self.profile(), posted) {
                profile.started(signature, calls, posted.moves());
            }
            self.say(CompletedRequests { kind: RecordKind::Started, thread: owner, first: created, count: 1 });
            self.number_request();
        }
    }

    pub fn request_freed(&self, handle: u64) {
        if let Some(request) = self.table_of(handle).1.remove(handle) {
            self.say(CompletedRequests {
                kind: RecordKind::Freed,
                thread: request.thread,
                first: request.number,
                count: 1,
            });
        }
    }

    /// Records that partitions of a partitioned send were marked ready.
    pub fn request_ready(&self, handle: u64) {
        if let Some(request) = self.table_of(handle).1.get(handle) {
            self.say(CompletedRequests {
                kind: RecordKind::Ready,
                thread: request.thread,
                first: request.number,
                count: 1,
            });
        }
    }

    /// Marks a request that the program cancels; its status will tell whether it was.
    pub fn request_cancelled(&self, handle: u64) {
        self.table_of(handle).1.visit(handle, |request| {
            request.flags |= CANCELLED;
            Keep::Yes
        });
    }

    /// Records the completion of the one request of a Wait or Test. `status` is 0 if there is none to trust.
    #[inline(always)]
    pub fn request_completed(&self, family: &Family, handle: u64, status: usize) {
        let mut run = None;
        self.complete(family, handle, status, &mut run);
        if let Some(run) = run {
            self.say(run);
        }
    }

    /// Records the completion of a request whose message was truncated.
    #[cold]
    pub fn request_truncated(&self, family: &Family, handle: u64, status: usize) {
        let request = self.table_of(handle).1.get(handle);
        self.request_completed(family, handle, 0);
        if let Some(request) = request.filter(|request| request.flags & (RECEIVES | ACTIVE) == RECEIVES | ACTIVE) {
            self.write(&truncated_message(family, request.posted, status).words());
        }
    }

    /// Copies the handles of `count` requests, since MPI will overwrite them. `false` if memory ran out.
    #[inline(always)]
    pub fn copy_requests(&self, family: &Family, requests: usize, count: usize) -> bool {
        self.room().scratch.lend().copy(family, requests, count)
    }

    #[inline(always)]
    pub fn copied_request(&self, at: usize) -> u64 {
        self.room().scratch.lend().handle(at)
    }

    /// Address for as many statuses as handles were copied.
    #[inline(always)]
    pub fn statuses(&self) -> usize {
        self.room().scratch.lend().statuses()
    }

    /// Adds a message that the program has probed for.
    pub fn message_probed(&self, handle: u64, message: Message) {
        // SAFETY: only this thread inserts into its table.
        unsafe { self.listed.messages.insert(handle, message) };
    }

    /// Removes a probed message that is about to be received. Another thread may have probed for it.
    pub fn message_taken(&self, handle: u64) -> Option<Message> {
        self.listed.messages.remove(handle).or_else(|| slots::messages().find_map(|messages| messages.remove(handle)))
    }

    /// Records the completion of copied requests: `complete` gives their indices, with the addresses of their statuses
    /// or 0.
    #[inline(always)]
    pub fn requests_completed(&self, family: &Family, complete: impl Iterator<Item = (usize, usize)>) {
        let mut run = None;
        for (at, status) in complete {
            let handle = self.copied_request(at);
            self.complete(family, handle, status, &mut run);
        }
        if let Some(run) = run {
            self.say(run);
        }
    }

    #[inline(always)]
    fn complete(&self, family: &Family, handle: u64, status: usize, run: &mut Option<CompletedRequests>) {
        if handle == family.request_null || family.complete_at_once(handle) {
            return;
        }
        let complete = |request: &mut Request| {
            request.flags &= !ACTIVE;
            if request.flags & PERSISTENT == 0 { Keep::No } else { Keep::Yes }
        };
        let found = self.listed.requests.visit(handle, complete);
        let Some(request) = found.or_else(|| self.table_elsewhere(handle).1.visit(handle, complete)) else { return };
        if request.flags & ACTIVE == 0 {
            return;
        }
        match run {
            Some(run) if run.continues(&request) => run.count += 1,
            _ => {
                let next = CompletedRequests {
                    kind: RecordKind::Completed,
                    thread: request.thread,
                    first: request.number,
                    count: 1,
                };
                if let Some(run) = run.replace(next) {
                    self.say(run);
                }
            }
        }
        let tells = status != 0 && request.flags & (RECEIVES | CANCELLED | CHECKED) != 0;
        if tells && request.flags & (CANCELLED | CHECKED) != 0 {
            return self.complete_rarely(family, handle, request, status, run.take());
        }
        if let Some(arrived) = tells.then(|| self.arrival(family, &request, status)).flatten() {
            // An arrival belongs to the request in the record before it, so the run must be written first.
            if let Some(run) = run.take() {
                self.say(run);
            }
            self.write(&arrived.words());
        }
    }

    /// Completes a request that was cancelled or whose checksum is wanted. The records belong to the request in the
    /// record before them.
    #[cold]
    #[inline(never)]
    fn complete_rarely(
        &self,
        family: &Family,
        handle: u64,
        request: Request,
        status: usize,
        run: Option<CompletedRequests>,
    ) {
        if let Some(run) = run {
            self.say(run);
        }
        // SAFETY: MPI has filled the status.
        let arrived = if request.flags & CANCELLED != 0 && unsafe { family.cancelled(status) } {
            self.nothing_came(&request);
            Some(Arrived { source: peer::NONE, tag: tag::NONE, bytes: 0, fate: Fate::Cancelled })
        } else {
            self.arrival(family, &request, status)
        };
        if let Some(arrived) = arrived {
            self.write(&arrived.words());
        }
        if request.flags & CHECKED != 0 {
            self.complete_contents(family, handle, &request, status);
        }
    }

    /// Reads the message's source, tag and bytes from its status. `None` if they are as posted.
    #[inline(always)]
    fn arrival(&self, family: &Family, request: &Request, status: usize) -> Option<Arrived> {
        if request.flags & RECEIVES == 0 {
            return None;
        }
        // SAFETY: as above.
        let ((source, tag), bytes) = unsafe { (family.source_and_tag(status), family.bytes(status)) };
        let arrived = Arrived { source, tag, bytes, fate: Fate::Whole };
        let own = request.thread == self.listed.number && counted::is_counted(request.counted);
        self.differs(request.posted, own.then_some(request.signature), arrived).then_some(arrived)
    }

    /// Subtracts the bytes that the profile has counted when the request was posted.
    #[cold]
    fn nothing_came(&self, request: &Request) {
        let own = request.thread == self.listed.number && request.flags & RECEIVES != 0;
        let own = own && counted::is_counted(request.counted);
        if let (Some(profile), Some(key), true) = (self.profile(), request.posted, own) {
            profile.arrived(request.signature, CountedCalls::of(key.call, key.flags), key.moves().1, 0);
        }
    }

    /// True if the message differs from what was posted. Corrects the bytes of `signature` in the profile, if it is
    /// given.
    #[inline(always)]
    pub fn differs(&self, posted: Option<&Key>, signature: Option<u32>, arrived: Arrived) -> bool {
        let Some(key) = posted else {
            if signature == Some(UNNUMBERED) {
                self.unnumbered_arrived(arrived.bytes);
            }
            return true;
        };
        let (source, tag) = key.receives_from();
        if source == peer::PROC_NULL {
            return false;
        }
        // A probe posts nothing; another call will receive the message.
        if let (Some(profile), Some(signature), true) = (self.profile(), signature, key.received > 0) {
            profile.arrived(signature, CountedCalls::of(key.call, key.flags), key.received, arrived.bytes);
        }
        (source, tag, key.received) != (arrived.source, arrived.tag, arrived.bytes)
    }

    #[inline(always)]
    fn say(&self, run: CompletedRequests) {
        let age = self.events.started.get().wrapping_sub(run.first);
        if run.thread == self.listed.number && age <= MAX_AGE {
            self.write(&[record::requests(run.kind, run.count, age)]);
        } else {
            self.write(&record::elsewhere(run.kind, run.count, run.thread, run.first));
        }
    }

    pub(super) fn request(&self, handle: u64) -> Option<Request> {
        self.table_of(handle).1.get(handle)
    }

    /// The table that has the handle, and its thread's number. This thread's own table goes first.
    #[inline(always)]
    fn table_of(&self, handle: u64) -> (u32, &'static Handles<Request>) {
        if self.listed.requests.get(handle).is_some() { self.own_table() } else { self.table_elsewhere(handle) }
    }

    #[inline(always)]
    fn own_table(&self) -> (u32, &'static Handles<Request>) {
        (self.listed.number, self.listed.requests)
    }

    #[cold]
    fn table_elsewhere(&self, handle: u64) -> (u32, &'static Handles<Request>) {
        let found = slots::tables().find(|(_, table)| table.get(handle).is_some());
        found.unwrap_or(self.own_table())
    }
}

/// A truncated message, as posted; the status fills in what the program left open.
pub fn truncated_message(family: &Family, posted: Option<&Key>, status: usize) -> Arrived {
    // SAFETY: MPI has filled the status.
    let ((from, with), bytes) = unsafe { (family.source_and_tag(status), family.bytes(status)) };
    let (source, posted_tag) = posted.map_or((peer::ANY, tag::ANY), Key::receives_from);
    Arrived {
        source: if source == peer::ANY { from } else { source },
        tag: if posted_tag == tag::ANY { with } else { posted_tag },
        bytes: posted.map(|key| key.received).filter(|posted| *posted > 0).unwrap_or(bytes),
        fate: Fate::Truncated,
    }
}

impl CompletedRequests {
    #[inline(always)]
    fn continues(&self, request: &Request) -> bool {
        self.thread == request.thread && self.first + self.count as u64 == request.number && self.count < MAX_COUNT
    }
}
