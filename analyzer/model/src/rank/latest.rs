//! Where a rank was last, over its threads.

use traces::file::FINALIZED;
use traces::read::{Tail, ThreadPages};
use traces::signature::Signature;

use super::{End, Rank};
use crate::tally::Tally;

/// Latest state of a rank over its threads.
#[derive(Default)]
pub struct Latest {
    inside: Option<(u64, Signature)>,
    ended: Option<(u64, Option<Signature>)>,
}

impl Latest {
    pub(super) fn see(&mut self, thread: &ThreadPages<'_>, tally: &Tally, tail: &Tail) {
        let outermost = tail.outermost().map(|call| (call.start, call.signature));
        let last = tally.last.and_then(|last| thread.signatures.get(last.signature)).map(|found| *found.0);
        self.add(outermost, tally.last_end.map(|end| (end, last)));
    }

    /// Adds a thread: its open call with begin, and the end of its last call with that call.
    pub fn add(&mut self, inside: Option<(u64, Signature)>, ended: Option<(u64, Option<Signature>)>) {
        // The first thread called MPI_Init, so its open call is the rank's.
        self.inside = self.inside.or(inside);
        self.ended = [ended, self.ended].into_iter().flatten().max_by_key(|(end, _)| *end);
    }

    pub fn end(self, rank: &Rank) -> End {
        if rank.header.state & FINALIZED != 0 {
            return End::Finalized;
        }
        match (self.inside, self.ended) {
            (Some((since, call)), _) => End::Inside { call, since: rank.since_begin(since) },
            (None, Some((end, last))) => End::Outside { after: rank.since_begin(end), last },
            (None, None) => End::Outside { after: 0.0, last: None },
        }
    }
}
