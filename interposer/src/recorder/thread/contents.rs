//! Checksums among a thread's records, and those of requests.

use traces::record::Content;

use super::recording::Thread;
use super::request::{CANCELLED, CHECKED, PERSISTENT, RECEIVES, Request};
use crate::abi::Family;
use crate::recorder::content::pending::{self, Transfer};
use crate::recorder::content::{BufferPart, is_on};
use crate::recorder::guard;
use recorder_core::handles::Keep;

/// A message fills all that was posted, as far as is known.
pub const ALL: u64 = u64::MAX;

impl Thread {
    /// Whether there is room for what messages hold.
    pub fn takes_contents(&self) -> bool {
        is_on() && !self.is_over()
    }

    /// Keeps what a call is about to overwrite, until it has returned.
    pub fn keep_contents(&self, contents: Vec<Content>) {
        *self.room().contents.lend() = contents;
    }

    /// What was kept.
    pub fn kept_contents(&self) -> Vec<Content> {
        std::mem::take(self.room().contents.lend())
    }

    /// Says what lies in blocks, which may be filled by no more than so many bytes each.
    pub fn say_blocks(&self, blocks: &[BufferPart], received: bool, filled: u64) {
        for content in blocks.iter().filter_map(|block| block.content(received, filled)) {
            self.write(&content.words());
        }
    }

    /// A request that the thread has begun is to be followed: `transfer` gets its number.
    pub fn follow_contents(&self, handle: u64, transfer: impl FnOnce(u64) -> Transfer) {
        let request = self.listed.requests.visit(handle, |request| {
            request.flags |= CHECKED;
            Keep::Yes
        });
        if let Some(request) = request {
            pending::insert(handle, transfer(request.created));
        }
    }

    /// A persistent request was started: says what it hands out.
    pub fn start_contents(&self, handle: u64) {
        let Some(request) = self.request(handle) else { return };
        if let Some(transfer) = pending::get(handle, request.created) {
            self.say_blocks(&transfer.sent, false, ALL);
        }
    }

    /// A request is about to be given up.
    pub fn forget_contents(&self, handle: u64) {
        if let Some(request) = self.request(handle) {
            pending::remove(handle, request.created);
        }
    }

    /// A request is complete: says what it has filled.
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
