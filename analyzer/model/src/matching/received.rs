//! A received message with all its attributes.

use super::waits::RankSite;

/// A received message. Times in nanoseconds on the run's common clock, each by the clock of the rank where it was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReceivedMessage {
    /// The run's number for the communicator.
    pub communicator: u32,
    pub tag: i32,
    /// Sender and its call site.
    pub from: RankSite,
    /// Receiver and the call site that posted the receive.
    pub posted_by: RankSite,
    /// Receiver and the call site that completed the receive.
    pub to: RankSite,
    /// Begin of the sending call.
    pub begin: i64,
    /// Begin of the posting call.
    pub posted: i64,
    /// End of the completing call.
    pub end: i64,
    /// Bytes sent.
    pub sent: u64,
    /// Bytes received.
    pub received: u64,
    /// The receive buffer was too small.
    pub truncated: bool,
    /// The pair is a guess: several threads called at once.
    pub uncertain: bool,
}

impl ReceivedMessage {
    /// True if both ends are selected.
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
