//! When the recorder took new pages for a thread: between two calls, which takes far longer than recording one.

use std::collections::VecDeque;

use traces::read::ThreadPages;

/// The ticks, those to come.
#[derive(Default)]
pub struct PageTurns(VecDeque<u64>);

impl PageTurns {
    /// Of a thread.
    pub fn of(thread: &ThreadPages<'_>) -> PageTurns {
        let mut ticks: Vec<u64> = thread.pages.iter().map(|page| page.header.sample.ticks).collect();
        ticks.sort_unstable();
        PageTurns(ticks.into())
    }

    /// Whether one lies between the end of a call and the begin of the next. Both only grow from one question to the next.
    pub fn is_between(&mut self, end: u64, start: u64) -> bool {
        let mut is_between = false;
        while self.0.front().is_some_and(|turn| *turn <= start) {
            is_between |= self.0.pop_front().is_some_and(|turn| turn >= end);
        }
        is_between
    }
}
