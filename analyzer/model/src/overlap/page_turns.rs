//! Finds the times at which the recorder took a new page, which takes far longer than recording a call.

use std::collections::VecDeque;

use traces::read::ThreadPages;

/// Ticks of the page turns still to come.
#[derive(Default)]
pub struct PageTurns(VecDeque<u64>);

impl PageTurns {
    pub fn of(thread: &ThreadPages<'_>) -> PageTurns {
        let mut ticks: Vec<u64> = thread.pages.iter().map(|page| page.header.sample.ticks).collect();
        ticks.sort_unstable();
        PageTurns(ticks.into())
    }

    /// True if a page turn lies between the end of a call and the begin of the next. Both must not decrease from query to query.
    pub fn is_between(&mut self, end: u64, start: u64) -> bool {
        let mut is_between = false;
        while self.0.front().is_some_and(|turn| *turn <= start) {
            is_between |= self.0.pop_front().is_some_and(|turn| turn >= end);
        }
        is_between
    }
}
