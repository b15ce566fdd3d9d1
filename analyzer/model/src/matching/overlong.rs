//! Messages that are longer than the receives that they come to.

use traces::signature::UNKNOWN_BYTES;

use super::Message;
use super::wait_sums::RankSite;

/// A message that a receive has no room for: MPI_ERR_TRUNCATE.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Overlong {
    /// When the receive was posted.
    pub posted: i64,
    pub from: RankSite,
    /// Bytes that were sent, and that were posted.
    pub sent: u64,
    pub room: u64,
    /// The receive is not complete: MPI ends the program unless that handles errors.
    pub open: bool,
}

impl Overlong {
    pub fn new(message: &Message, posted: i64, room: u64, open: bool) -> Overlong {
        let from = RankSite { rank: message.envelope.source, place: message.place };
        Overlong { posted, from, sent: message.bytes, room, open }
    }

    /// The message to a receive that has not returned, if it is larger than the posted bytes.
    pub fn to_open(message: &Message, posted: i64, room: u64) -> Option<Overlong> {
        let is_known = ![message.bytes, room].contains(&UNKNOWN_BYTES);
        (is_known && message.bytes > room).then(|| Overlong::new(message, posted, room, true))
    }
}
