//! Time of the threads that did not initialize MPI: outside their calls and in them. Their waits are not followed.

use super::RankTimes;
use super::reader::TimeReader;
use crate::common_clock::CommonClock;
use crate::objects::Objects;
use crate::roles::Roles;
use crate::stream::Stream;
use crate::{Run, parallel};

/// A thread's time from its first recorded call to the end of its last one.
pub struct ThreadTimes {
    /// The rank's place in [`Run::ranks`].
    pub rank: u32,
    /// The thread's number in the rank's file.
    pub thread: u32,
    pub times: RankTimes,
}

/// The times of all threads that called MPI but did not initialize it, by rank.
pub fn other_threads(run: &Run, clock: &CommonClock) -> Vec<ThreadTimes> {
    let objects = Objects::of(run);
    let of_rank = |at: usize| {
        let (rank, line) = (&run.ranks[at], &clock.lines[at]);
        let contents = rank.contents();
        let mut all = Vec::new();
        for thread in contents.threads.iter().skip(1) {
            let mut reader = TimeReader::of_thread(rank, line, thread.number);
            let mut calls = Stream::whole(thread, rank, line, Roles::of(run, &objects, run.call_sites(), at));
            while let Some(call) = calls.peek() {
                reader.call(call, calls.role(call));
                calls.advance();
            }
            let (times, _) = reader.finish();
            all.push(ThreadTimes { rank: at as u32, thread: thread.number, times });
        }
        all
    };
    parallel::map(run.ranks.len(), of_rank).into_iter().flatten().collect()
}
