//! What single calls of a page have in common.

use traces::signature::UNKNOWN_BYTES;

/// What single calls have in common, by the numbers of the page's lists.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct KindRow {
    /// Function.
    pub function: u32,
    /// Call site.
    pub site: u32,
    /// Communicator, window or file.
    pub object: u32,
    /// Partner or root as the program numbers it, and tag.
    pub peer: (i32, i32),
    /// Where a call sends and receives: the source, and its tag.
    pub source: (i32, i32),
    /// Bytes handed out, and posted to receive.
    pub bytes: (u64, u64),
    /// Those of them that a call moves itself, as far as it says.
    pub moves: (u64, u64),
}

impl KindRow {
    /// The power of two of a call's bytes, of those sent or received, whichever are more.
    pub fn power(&self) -> Option<u32> {
        let known = |bytes| if bytes == UNKNOWN_BYTES { 0 } else { bytes };
        known(self.bytes.0).max(known(self.bytes.1)).checked_ilog2()
    }

    /// The bytes that a call moves: what arrived in it takes the place of what it posted.
    pub fn moved(&self, arrived: Option<(i32, u64)>) -> u64 {
        let (sent, posted) = self.moves;
        let came = arrived.map(|(_, bytes)| bytes).filter(|bytes| posted > 0 && *bytes != UNKNOWN_BYTES);
        sent.saturating_add(came.unwrap_or(posted))
    }
}
