//! What messages hold, as CRC-32 of their bytes, where the user asks for it.
//!
//! In: blocks of the program's memory that a call has handed out or filled. Out: their checksums. A block is read only after MPI
//! has accepted it and while the program must not change it; what a call overwrites is read before, if its datatype is known.

pub mod datatypes;
mod memory;
pub mod pending;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use traces::record::{Content, UntakenReason};

use datatypes::Datatype;

static ON: AtomicBool = AtomicBool::new(false);

/// From here on checksums are taken, or not.
pub fn choose(on: bool) {
    ON.store(on, Relaxed);
}

/// Whether checksums are taken.
pub fn is_on() -> bool {
    ON.load(Relaxed)
}

/// What one process gets of a call, or gives.
#[derive(Clone)]
pub struct BufferPart {
    /// Whose it is, as in [`Content`].
    pub part: i32,
    /// Where it begins.
    pub address: usize,
    /// Elements.
    pub count: u64,
    /// Their datatype; `None` where it is not known.
    pub datatype: Option<Arc<Datatype>>,
}

impl BufferPart {
    /// What lies there now, of which a message may have filled only so many bytes; `None` for no bytes.
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
