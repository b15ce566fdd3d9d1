//! Checksums of messages, among a thread's records.

use traces::record::Content;

use super::recording::Thread;
use super::request::{CANCELLED, CHECKED, PERSISTENT, RECEIVES, Request};
use crate::abi::Family;
use crate::recorder::content::pending::{self, Transfer};
use crate::recorder::content::{BufferPart, is_on};
use crate::recorder::guard;
use recorder_core::handles::Keep;

/// The number of filled bytes if a message may have filled the whole buffer.
pub const ALL: u64 = u64::MAX;

impl Thread {
    /// True if checksums are taken and there is room for them.
    pub fn takes_contents(&self) -> bool {
        is_on() && !self.is_over()
    }

    /// Keeps checksums of buffers that a call is about to overwrite, until it has returned.
    pub fn keep_contents(&self, contents: Vec<Content>) {
        *self.room().contents.lend() = contents;
    }

    /// Takes the checksums that [`keep_contents`](Self::keep_contents) has kept.
    pub fn kept_contents(&self) -> Vec<Content> {
        std::mem::take(&mut *self.room().contents.lend())
    }

    /// Records the checksums of buffers, of at most `filled` bytes each.
    pub fn say_blocks(&self, blocks: &[BufferPart], received: bool, filled: u64) {
        for content in blocks.iter().filter_map(|block| block.content(received, filled)) {
            self.write(&content.words());
        }
    }

    /// Keeps the buffers of a request that the thread has begun; `transfer` gets the request's number.
    pub fn follow_contents(&self, handle: u64, transfer: impl FnOnce(u64) -> Transfer) {
        let request = self.listed.requests.visit(handle, |request| {
            request.flags |= CHECKED;
            Keep::Yes
        });
        if let Some(request) = request {
            pending::insert(handle, transfer(request.created));
        }
    }

    /// Records the checksums of the buffers that a persistent request sends when it is started.
    pub fn start_contents(&self, handle: u64) {
        let Some(request) = self.request(handle) else { return };
        if let Some(transfer) = pending::get(handle, request.created) {
            self.say_blocks(&transfer.sent, false, ALL);
        }
    }

    /// Forgets the buffers of a request that is about to be freed.
    pub fn forget_contents(&self, handle: u64) {
        if let Some(request) = self.request(handle) {
            pending::remove(handle, request.created);
        }
    }

    /// Records the checksums of the buffers that a complete request has filled.
    #[cold]
    pub(super) fn complete_contents(&self, family: &Family, handle: u64, request: &Request, status: usize) {
        guard::run(|| {
            let Some(transfer) = pending::get(handle, request.created) else { return };
            if request.flags & PERSISTENT == 0 {
                pending::remove(handle, request.created);
            }
            // SAFETY: MPI has filled the status.
            if request.flags & CANCELLED != 0 && unsafe { family.cancelled(status) } {
                return;
            }
            // SAFETY: as above.
            let filled = if request.flags & RECEIVES == 0 { ALL } else { unsafe { family.bytes(status) } };
            self.say_blocks(&transfer.received, true, filled);
        });
    }
}
