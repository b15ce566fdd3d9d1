//! What is left to do when a call has returned: requests it started or completed, messages that arrived, objects made.

use traces::calls::Call;
use traces::record::{Arrived, INLINE};

use super::draft::Draft;
use crate::abi::Family;
use crate::recorder::control;
use crate::recorder::objects;
use crate::recorder::requests::Message;
use crate::recorder::shared;
use crate::recorder::thread::Thread;

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
pub fn completed(thread: &mut Thread, family: &Family, call: Completion, code: i32) {
    if code != 0 {
        return completed_with_errors(thread, family, call);
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

/// The call failed. Whatever requests are gone are complete; their statuses are not to be trusted.
#[cold]
fn completed_with_errors(thread: &mut Thread, family: &Family, call: Completion) {
    // SAFETY: the program's requests are still there.
    let gone = |at: usize| unsafe { family.handle_at(call.requests + at * family.handle_size) } == family.request_null;
    if call.handle == 0 {
        thread.requests_completed(family, (0..call.count as usize).filter(|at| gone(*at)).map(|at| (at, 0)));
    } else if gone(0) {
        thread.request_completed(family, call.handle, 0);
    }
}

/// Says what arrived, where that is not what was posted.
#[inline(never)]
pub fn arrived(thread: &mut Thread, family: &Family, call: Arrival) {
    // SAFETY: MPI has filled the status.
    let ((source, tag), bytes) = unsafe { (family.source_and_tag(call.status), family.bytes(call.status)) };
    if call.message != 0 {
        // SAFETY: MPI has written a message there.
        let message = unsafe { family.handle_at(call.message) };
        let object = objects::get(call.object).map_or(0, |info| info.number);
        // SAFETY: only its own thread inserts into its table.
        unsafe { thread.messages.insert(message, Message { object, source, tag }) };
    }
    let posted = (call.signature != INLINE).then(|| thread.dictionary.key(call.signature));
    let arrived = Arrived { source, tag, bytes, cancelled: false };
    if thread.differs(posted, control::is_on().then_some(call.signature), arrived) {
        thread.write(&arrived.words());
    }
}

/// Persistent requests were started.
#[inline(never)]
pub fn started(thread: &mut Thread, family: &Family, requests: usize, count: u32, signature: u32) {
    for at in 0..count as usize {
        // SAFETY: the program passed so many requests.
        thread.request_started(unsafe { family.handle_at(requests + at * family.handle_size) }, signature);
    }
}

/// The call made a communicator, window or file, or will have when its request is complete.
#[cold]
#[inline(never)]
pub fn made(family: &Family, call: Call, draft: &Draft) {
    // SAFETY: MPI has written a handle there.
    let handle = unsafe { draft.new_kind.handle_at(family, draft.new_object) };
    shared::guard(|| {
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
