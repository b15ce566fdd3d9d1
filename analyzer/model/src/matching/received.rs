//! A message with all that is known of it.

use super::waits::RankSite;

/// A message that was received. Times in nanoseconds on the run's common clock, each by the clock of the rank where it was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReceivedMessage {
    /// The run's number of its communicator.
    pub communicator: u32,
    /// Its tag.
    pub tag: i32,
    /// Who sent it, and where.
    pub from: RankSite,
    /// Where its receive was posted.
    pub posted_by: RankSite,
    /// Who got it, in the call that completed the receive.
    pub to: RankSite,
    /// When the call began that sent it.
    pub begin: i64,
    /// When the call began that posted its receive.
    pub posted: i64,
    /// When the call ended that completed the receive.
    pub end: i64,
    /// Bytes that were sent.
    pub sent: u64,
    /// Bytes that came.
    pub received: u64,
    /// There was not room for all of it.
    pub truncated: bool,
    /// It may have been another message, or another receive: several threads called at once.
    pub uncertain: bool,
}

impl ReceivedMessage {
    /// Whether both ends are asked about.
    pub fn counts(&self) -> bool {
        self.from.place.counts() && self.to.place.counts()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roles::SpottedSite;

    #[test]
    fn a_message_counts_where_both_its_ends_are_asked_about() {
        let asked = RankSite { rank: 0, place: SpottedSite::default() };
        let left_out = RankSite { place: SpottedSite::default().left_out(), ..asked };
        let counts = |from, to| {
            let (communicator, tag, posted_by) = (0, 5, to);
            let [begin, posted, end] = [0; 3];
            let (sent, received, truncated, uncertain) = (8, 8, false, false);
            ReceivedMessage {
                communicator,
                tag,
                from,
                posted_by,
                to,
                begin,
                posted,
                end,
                sent,
                received,
                truncated,
                uncertain,
            }
            .counts()
        };
        assert!(counts(asked, asked));
        assert!(!counts(asked, left_out) && !counts(left_out, asked) && !counts(left_out, left_out));
    }
}
