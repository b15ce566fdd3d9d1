//! What is left to do when a call has returned: requests it started or completed, messages that arrived, objects made.

use traces::calls::Call;
use traces::record::{Arrived, Fate};

use crate::abi::Family;
use crate::lifecycle::errors;
use crate::recorder::guard;
use crate::recorder::objects;
use crate::recorder::process::counted;
use crate::recorder::thread::Thread;
use crate::recorder::thread::asked;
use crate::recorder::thread::draft::Draft;
use crate::recorder::thread::request::Message;
use crate::recorder::thread::requests::truncated_message;

/// What a call that waits or tests for requests was given. Addresses are 0 where it has no such argument.
#[derive(Clone, Copy)]
pub struct Completion {
    /// Where the requests are.
    pub requests: usize,
    /// How many.
    pub count: u32,
    /// The handle it was, where the call takes one request; 0 where it takes many, and they were copied away.
    pub handle: u64,
    /// Where MPI has put the status or statuses.
    pub status: usize,
    /// Whether all are complete.
    pub flag: usize,
    /// Which one is complete.
    pub index: usize,
    /// How many are complete.
    pub outcount: usize,
    /// And which.
    pub indices: usize,
}

/// What a receive or probe has got.
#[derive(Clone, Copy)]
pub struct Arrival {
    /// Where MPI has put the status.
    pub status: usize,
    /// The call's signature.
    pub signature: u32,
    /// The communicator's handle.
    pub object: u64,
    /// Where MPI has put the message that was probed.
    pub message: usize,
}

/// Says which requests the call has completed.
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

/// The call failed. Whatever requests are gone are complete; of their statuses those are to be trusted that say that a message
/// was truncated.
#[cold]
fn completed_with_errors(thread: &Thread, family: &Family, call: Completion, code: i32) {
    // SAFETY: the program's requests are still there.
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
        // MPI_Waitsome and MPI_Testsome have statuses of those requests alone that are complete.
        let place = match call.outcount {
            0 => at,
            count => (0..int(count, 0).max(0) as usize).find(|place| int(call.indices, *place) as usize == at)?,
        };
        let status = call.status + place * family.status_size;
        // SAFETY: MPI has filled the statuses, since it says that the errors are there.
        (in_statuses && is_truncated(unsafe { family.error(status) })).then_some(status)
    };
    for at in (0..call.count as usize).filter(|at| gone(*at)) {
        match truncated(at) {
            Some(status) => thread.request_truncated(family, thread.copied_request(at), status),
            None => thread.requests_completed(family, std::iter::once((at, 0))),
        }
    }
}

/// Says what arrived, where that is not what was posted.
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

/// A call returned an error.
#[cold]
#[inline(never)]
pub fn failed(thread: &Thread, signature: u32, code: i32) {
    thread.call_failed(signature, errors::class(code), code);
}

/// A call that receives returned an error: it may have received what there was no room for.
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

/// Persistent requests were started.
#[inline(never)]
pub fn started(thread: &Thread, family: &Family, requests: usize, count: u32, signature: u32) {
    for at in 0..count as usize {
        // SAFETY: the program passed so many requests.
        let handle = unsafe { family.handle_at(requests + at * family.handle_size) };
        thread.request_started(handle, signature);
        if asked::is_on() {
            thread.ask_about(handle);
        }
    }
}

/// The call made a communicator, window or file, or will have when its request is complete.
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
    // SAFETY: MPI has written as many ints as it says.
    unsafe { (address as *const i32).add(at).read_unaligned() }
}
