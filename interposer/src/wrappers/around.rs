//! The work before and after a call, by its draft.

use traces::file::Abi;
use traces::record::{self, RecordKind, UNNUMBERED};

use super::after::{self, Arrival, Completion};
use crate::abi::Family;
use crate::lifecycle::{control, errors};
use crate::recorder::content::{self, datatypes};
use crate::recorder::guard;
use crate::recorder::objects;
use crate::recorder::objects::groups;
use crate::recorder::thread::Thread;
use crate::recorder::thread::draft::Draft;
use crate::recorder::thread::element_counts::Types;
use crate::recorder::thread::request::{PERSISTENT, RECEIVES};
use recorder_core::cache::{self, Dependence};

#[derive(Clone, Copy)]
pub enum StartedRequest {
    NoRequest,
    /// The request was complete when the call returned.
    AtOnce,
    /// The handle of a request that may be pending.
    Pending(u64),
}

impl StartedRequest {
    /// The offset to the signature's number: the next number says that the request was complete at once.
    #[inline(always)]
    pub fn at_once(self) -> u32 {
        matches!(self, StartedRequest::AtOnce) as u32
    }

    /// The handle of a request that may be pending, or is persistent.
    pub fn pending(self) -> Option<u64> {
        if let StartedRequest::Pending(handle) = self { Some(handle) } else { None }
    }
}

impl Draft {
    /// Does the work before MPI is entered. Returns the address of our status, if MPI is to get one for a status that
    /// the program ignores.
    #[inline(always)]
    pub fn before(&mut self, thread: &Thread, family: &Family) -> Option<usize> {
        if self.wait != 0 && self.many && !thread.copy_requests(family, self.wait, self.requests as usize) {
            self.wait = 0;
            if self.status_ignored {
                self.status = 0;
            }
            return None;
        }
        if !self.status_ignored || (self.wait != 0 && !self.many && self.handle == family.request_null) {
            return None;
        }
        if self.many && self.index == 0 && errors::handles_errors() {
            // If a request fails, MPI with statuses may leave other requests pending and return another error than
            // without.
            self.status = 0;
            errors::arrivals_unseen();
            return None;
        }
        self.status = if self.many { thread.statuses() } else { thread.room().status() };
        Some(self.status)
    }

    /// Forgets objects that are about to be freed, since MPI may reuse their handles. No cached call depends on a
    /// handle that was unknown.
    pub fn forget(&self) {
        if self.freed_object != 0 && objects::forget(self.freed_object) {
            cache::forget(self.freed_object);
        }
        if self.freed_type != 0 && objects::forget_datatype(self.freed_type) {
            cache::forget(self.freed_type);
        }
        if self.freed_type != 0 && content::is_on() {
            guard::run(|| datatypes::forget(self.freed_type));
        }
        if self.freed_group != 0 && groups::forget(self.freed_group) {
            cache::forget(self.freed_group);
        }
    }

    /// Ends what [`forget`](Self::forget) has begun, after MPI's call returned this code.
    pub fn forgotten(&self, code: i32) {
        if self.freed_object != 0 {
            objects::freed(self.freed_object, code != 0);
        }
    }

    /// The handles that the call's signature depends on.
    pub fn handles(&self) -> Dependence {
        let of_type = |types| if let Types::One(handle) = types { handle } else { 0 };
        let types = Dependence::default().on(of_type(self.sent_type)).on(of_type(self.received_type));
        types.on(self.object).on(self.group)
    }

    #[inline(always)]
    pub fn begun(&self, family: &Family, code: i32) -> StartedRequest {
        if self.new_request == 0 || code != 0 {
            return StartedRequest::NoRequest;
        }
        // SAFETY: MPI has written a request there.
        let handle = unsafe { family.handle_at(self.new_request) };
        if !self.persistent && family.complete_at_once(handle) {
            StartedRequest::AtOnce
        } else {
            StartedRequest::Pending(handle)
        }
    }

    /// Numbers the request of a call, after the call's record: a page that begins with this record must still have the
    /// number in its header.
    #[inline(always)]
    pub fn number_request(&self, thread: &Thread) {
        if self.new_request != 0 {
            thread.number_request();
        }
    }

    /// Records the effects of the call, and does its work afterwards.
    #[inline(always)]
    pub fn after(&self, thread: &Thread, family: &Family, signature: u32, begun: StartedRequest, code: i32) {
        if code != 0 {
            after::failed(thread, signature, code);
            let receives = self.wait == 0 && self.new_request == 0 && (self.source.is_some() || self.message != 0);
            if receives && self.status != 0 {
                after::not_received(thread, family, self.arrival(signature), code);
            }
        }
        match begun {
            StartedRequest::Pending(handle) => {
                let is_receive = self.source.is_some() || self.message != 0;
                let receives = if is_receive && self.status_is_of_receive(family) { RECEIVES } else { 0 };
                let flags = receives | if self.persistent { PERSISTENT } else { 0 };
                thread.request_begun(handle, signature, flags);
            }
            StartedRequest::AtOnce if signature == UNNUMBERED => {
                thread.write(&[record::requests(RecordKind::Completed, 1, 1)]);
            }
            _ => {}
        }
        if self.wait != 0 {
            // A wait for MPI_REQUEST_NULL completes nothing.
            if self.many || self.handle != family.request_null {
                after::completed(thread, family, self.completion(), code);
            }
        } else if self.status != 0 && code == 0 && self.achieved() {
            after::arrived(thread, family, self.arrival(signature));
        }
        if code == 0 {
            if self.start != 0 {
                after::started(thread, family, self.start, self.requests, signature);
            }
            if self.freed_request != 0 {
                thread.request_freed(self.freed_request);
            }
            if self.ready_request != 0 {
                thread.request_ready(self.ready_request);
            }
            if self.cancelled_request != 0 {
                thread.request_cancelled(self.cancelled_request);
            }
            if let Some(level) = self.level {
                control::ask(level);
            }
        }
    }

    /// True if the status of the call's request says what it receives. MPICH leaves another for MPI_Isendrecv.
    pub fn status_is_of_receive(&self, family: &Family) -> bool {
        self.peer.is_none() || self.source.is_none() || family.abi == Abi::OpenMpi
    }

    /// True if the call is an unsuccessful poll.
    #[inline(always)]
    pub fn in_vain(&self, code: i32) -> bool {
        // SAFETY: MPI has written an int there.
        let none = || self.outcount != 0 && unsafe { (self.outcount as *const i32).read_unaligned() } == 0;
        code == 0 && (self.flag != 0 && !self.achieved() || none())
    }

    /// True if the call was successful; only polls can be unsuccessful without an error.
    #[inline(always)]
    fn achieved(&self) -> bool {
        // SAFETY: MPI has written an int there.
        self.flag == 0 || unsafe { (self.flag as *const i32).read_unaligned() } != 0
    }

    #[inline(always)]
    fn completion(&self) -> Completion {
        Completion {
            requests: self.wait,
            count: self.requests,
            handle: if self.many { 0 } else { self.handle },
            status: self.status,
            flag: self.flag,
            index: self.index,
            outcount: self.outcount,
            indices: self.indices,
        }
    }

    #[inline(always)]
    fn arrival(&self, signature: u32) -> Arrival {
        Arrival { status: self.status, signature, object: self.object, message: self.new_message }
    }
}
