//! The work after a call has returned: requests that it started or completed, messages that arrived, objects made.

use traces::calls::Call;
use traces::record::{Arrived, Fate};

use crate::abi::Family;
use crate::lifecycle::errors;
use crate::recorder::guard;
use crate::recorder::objects;
use crate::recorder::process::counted;
use crate::recorder::thread::Thread;
use crate::recorder::thread::draft::Draft;
use crate::recorder::thread::queried_requests;
use crate::recorder::thread::request::Message;
use crate::recorder::thread::requests::truncated_message;

/// The arguments of a call that waits or tests for requests. Addresses are 0 if it has no such argument.
#[derive(Clone, Copy)]
pub struct Completion {
    /// Address of the requests.
    pub requests: usize,
    pub count: u32,
    /// The handle before the call, if it takes one request; 0 if it takes many, whose handles were copied.
    pub handle: u64,
    /// Address of the status or statuses.
    pub status: usize,
    /// Address of the flag that says if all are complete.
    pub flag: usize,
    /// Address of the index of the complete request.
    pub index: usize,
    /// Address of the number of complete requests.
    pub outcount: usize,
    /// Address of the indices of the complete requests.
    pub indices: usize,
}

/// The results of a receive or probe.
#[derive(Clone, Copy)]
pub struct Arrival {
    /// Address of the status.
    pub status: usize,
    pub signature: u32,
    pub object: u64,
    /// Address of the handle of the probed message; 0 if there is none.
    pub message: usize,
}

/// Records which requests the call has completed.
#[inline(never)]
pub fn completed(thread: &Thread, family: &Family, call: Completion, code: i32) {
    if code != 0 {
        return completed_with_errors(thread, family, call, code);
    }
    if call.flag != 0 && int(call.flag, 0) == 0 {
        return;
    }
    if call.handle != 0 {
        return thread.request_completed(family, call.handle, call.status);
    }
    let status = |at: usize| if call.status == 0 { 0 } else { call.status + at * family.status_size };
    if call.index != 0 {
        let index = int(call.index, 0);
        if index >= 0 {
            thread.requests_completed(family, [(index as usize, call.status)].into_iter());
        }
    } else if call.outcount != 0 {
        let count = int(call.outcount, 0).max(0) as usize;
        thread.requests_completed(family, (0..count).map(|at| (int(call.indices, at) as usize, status(at))));
    } else {
        thread.requests_completed(family, (0..call.count as usize).map(|at| (at, status(at))));
    }
}

/// Records completions of a call that failed. Requests that are gone are complete; their statuses are trusted only if
/// they report a truncated message.
#[cold]
fn completed_with_errors(thread: &Thread, family: &Family, call: Completion, code: i32) {
    // SAFETY: the program's array of requests still exists.
    let gone = |at: usize| unsafe { family.handle_at(call.requests + at * family.handle_size) } == family.request_null;
    let is_truncated = |code: i32| errors::class(code) == family.err_truncate;
    if call.handle != 0 {
        if gone(0) && call.status != 0 && is_truncated(code) {
            thread.request_truncated(family, call.handle, call.status);
        } else if gone(0) {
            thread.request_completed(family, call.handle, 0);
        }
        return;
    }
    let in_statuses = call.status != 0 && errors::class(code) == family.err_in_status;
    let truncated = |at: usize| {
        if call.index != 0 {
            return Some(call.status).filter(|status| *status != 0 && is_truncated(code));
        }
        // MPI_Waitsome and MPI_Testsome have statuses only for complete requests.
        let place = match call.outcount {
            0 => at,
            count => (0..int(count, 0).max(0) as usize).find(|place| int(call.indices, *place) as usize == at)?,
        };
        let status = call.status + place * family.status_size;
        // SAFETY: MPI_ERR_IN_STATUS says that MPI has filled the statuses.
        (in_statuses && is_truncated(unsafe { family.error(status) })).then_some(status)
    };
    for at in (0..call.count as usize).filter(|at| gone(*at)) {
        match truncated(at) {
            Some(status) => thread.request_truncated(family, thread.copied_request(at), status),
            None => thread.requests_completed(family, std::iter::once((at, 0))),
        }
    }
}

/// Records the message that arrived, if it differs from what was posted.
#[inline(never)]
pub fn arrived(thread: &Thread, family: &Family, call: Arrival) {
    // SAFETY: MPI has filled the status.
    let ((source, tag), bytes) = unsafe { (family.source_and_tag(call.status), family.bytes(call.status)) };
    if call.message != 0 {
        // SAFETY: MPI has written a message there.
        let message = unsafe { family.handle_at(call.message) };
        let object = objects::get(call.object).map_or(0, |info| info.number);
        thread.message_probed(message, Message { object, source, tag });
    }
    let posted = thread.key(call.signature);
    let arrived = Arrived { source, tag, bytes, fate: Fate::Whole };
    if thread.differs(posted, counted::is_on().then_some(call.signature), arrived) {
        thread.write(&arrived.words());
    }
}

#[cold]
#[inline(never)]
pub fn failed(thread: &Thread, signature: u32, code: i32) {
    thread.call_failed(signature, errors::class(code), code);
}

/// Records the message of a receive that returned an error, if the error is that it was truncated.
#[cold]
#[inline(never)]
pub fn not_received(thread: &Thread, family: &Family, call: Arrival, code: i32) {
    if errors::class(code) != family.err_truncate {
        return;
    }
    let posted = thread.key(call.signature);
    let arrived = truncated_message(family, posted, call.status);
    thread.write(&arrived.words());
}

#[inline(never)]
pub fn started(thread: &Thread, family: &Family, requests: usize, count: u32, signature: u32) {
    for at in 0..count as usize {
        // SAFETY: the program passed `count` requests.
        let handle = unsafe { family.handle_at(requests + at * family.handle_size) };
        thread.request_started(handle, signature);
        if queried_requests::is_on() {
            thread.ask_about(handle);
        }
    }
}

/// Notes a communicator, window or file that the call made, or will have made once its request is complete.
#[cold]
#[inline(never)]
pub fn made(family: &Family, call: Call, draft: &Draft) {
    // SAFETY: MPI has written a handle there.
    let handle = unsafe { draft.new_kind.handle_at(family, draft.new_object) };
    guard::run(|| {
        objects::made(family, call, draft.object, handle);
        if draft.new_request == 0 {
            objects::learn(family, handle, draft.new_kind);
        }
    });
}

fn int(address: usize, at: usize) -> i32 {
    // SAFETY: callers read only ints that MPI has written.
    unsafe { (address as *const i32).add(at).read_unaligned() }
}
