//! CRC-32 checksums of messages, if the user enables them.
//!
//! In: buffers of the program that a call has sent or filled. Out: their checksums. A buffer is read only after MPI has
//! accepted it and while the program must not change it; one that the call overwrites is read before the call, if its
//! datatype is known.

pub mod datatypes;
mod memory;
pub mod pending;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use traces::record::{Content, UntakenReason};

use datatypes::Datatype;

static ON: AtomicBool = AtomicBool::new(false);

pub fn choose(on: bool) {
    ON.store(on, Relaxed);
}

pub fn is_on() -> bool {
    ON.load(Relaxed)
}

/// The part of a call's buffer that one process receives or sends.
#[derive(Clone)]
pub struct BufferPart {
    /// The other process, as in [`Content`].
    pub part: i32,
    /// Address of the first element.
    pub address: usize,
    pub count: u64,
    /// The elements' datatype, if it is known.
    pub datatype: Option<Arc<Datatype>>,
}

impl BufferPart {
    /// Checksum of the part's current content, at most the `filled` bytes that a message has written. `None` for zero
    /// bytes.
    pub fn content(&self, received: bool, filled: u64) -> Option<Content> {
        let size = self.datatype.as_ref().map_or(1, |datatype| datatype.size);
        let bytes = self.count.saturating_mul(size).min(filled);
        let checksum = match &self.datatype {
            Some(datatype) => datatype.checksum(self.address, self.count, bytes),
            None => Err(UntakenReason::Datatype),
        };
        (bytes > 0).then_some(Content { received, part: self.part, bytes, checksum })
    }
}
