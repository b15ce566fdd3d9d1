//! Messages that lie at their receiver for long, or are never received.
//!
//! In: the messages to a rank with the times of their sends and of their receives. Out: for each line that sends, the number of its
//! messages that lie there over time. Only those that lie over the end of a part of the run count.

use rustc_hash::FxHashMap;

use super::Message;
use super::posted_receive::Post;
use super::wait_sums::RankSite;
use crate::roles::SpottedSite;
use crate::run_parts::{CountOverTime, RunParts};
use crate::sums::Grow;

/// Messages of one line to one rank that lay there over the end of a part of the run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct UntakenMessages {
    pub messages: u64,
    pub bytes: u64,
    /// Number of these that were never received.
    pub never: u64,
    /// Number that lies there, over time.
    pub lying: CountOverTime,
    /// The last line whose receive took one.
    pub taken_at: Option<SpottedSite>,
}

/// The messages to one rank so far.
pub struct Untaken {
    parts: RunParts,
    pub sites: FxHashMap<RankSite, UntakenMessages>,
}

impl Untaken {
    pub fn new(parts: RunParts) -> Untaken {
        Untaken { parts, sites: FxHashMap::default() }
    }

    /// Adds a message whose receive is known.
    #[inline]
    pub fn take(&mut self, message: &Message, post: &Post) {
        if post.at > message.begin {
            let (sent, taken) = (self.parts.at(message.begin), self.parts.at(post.at));
            if taken > sent {
                let untaken = self.lies(message, sent);
                untaken.lying.less(taken);
                untaken.taken_at = Some(post.place);
            }
        }
    }

    /// Adds a message that was never received.
    pub fn leave(&mut self, message: &Message) {
        self.lies(message, self.parts.at(message.begin)).never += 1;
    }

    fn lies(&mut self, message: &Message, sent: usize) -> &mut UntakenMessages {
        let from = RankSite { rank: message.envelope.source, place: message.place };
        let untaken = self.sites.entry(from).or_default();
        untaken.messages.grow(1);
        untaken.bytes.grow(message.bytes);
        untaken.lying.more(sent);
        untaken
    }
}
