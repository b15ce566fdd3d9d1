//! Calls that completed something, kept until everything they waited for is known.

use std::cmp::Reverse;

use super::Cause;
use super::waits::WaitState;
use crate::roles::SpottedSite;
use crate::stream::TimedCall;

/// A call that completed something.
#[derive(Clone, Copy, Debug)]
pub struct Completion {
    /// Function and call site.
    pub place: SpottedSite,
    /// When it began.
    pub start: i64,
    /// When it ended.
    pub end: i64,
    /// What it waited for last, as far as that is known.
    pub latest: Option<Cause>,
    /// Its number in [`Order`](super::order::Order), and the first message it received: when that was sent, and by whom.
    pub received: Option<(u64, i64, u32)>,
    /// Its next link.
    pub link: u32,
    /// How much is not known yet.
    open: u32,
}

/// See the module. Numbers are used again.
#[derive(Default)]
pub struct Completions {
    all: Vec<Completion>,
    free: Vec<u32>,
}

impl Completions {
    /// A call completes something: so much is to be told.
    #[inline]
    pub fn begin(&mut self, place: SpottedSite, call: &TimedCall, open: u32) -> u32 {
        let (start, end) = (call.start, call.end);
        let completion = Completion { place, start, end, latest: None, received: None, link: u32::MAX, open };
        match self.free.pop() {
            Some(number) => {
                self.all[number as usize] = completion;
                number
            }
            None => {
                self.all.push(completion);
                self.all.len() as u32 - 1
            }
        }
    }

    /// One of them.
    #[inline]
    pub fn get(&mut self, number: u32) -> &mut Completion {
        &mut self.all[number as usize]
    }

    /// What one waited for last, as far as that is known.
    pub fn latest(&self, number: u32) -> Option<Cause> {
        self.all[number as usize].latest
    }

    /// How much is not known yet of one.
    pub fn untold(&self, number: u32) -> u32 {
        self.all[number as usize].open
    }

    /// One thing more is to be told.
    #[inline]
    pub fn await_one(&mut self, number: u32) {
        self.all[number as usize].open += 1;
    }

    /// It may have waited for this.
    #[inline]
    pub fn late(&mut self, number: u32, cause: Option<Cause>) {
        let completion = &mut self.all[number as usize];
        // A send that was over before its receive was posted did not wait for it.
        let plausible = |cause: &Cause| cause.state != WaitState::LateReceiver || cause.at < completion.end;
        // Of several at the same moment it is always the same one, whichever was told first.
        let order = |cause: &Cause| (cause.at, cause.who, Reverse(cause.state));
        let later = |cause: &Cause| completion.latest.is_none_or(|latest| order(&latest) < order(cause));
        if let Some(cause) = cause.filter(|cause| plausible(cause) && later(cause)) {
            completion.latest = Some(cause);
        }
    }

    /// One thing was told. The completion, if that was the last.
    #[inline]
    pub fn told(&mut self, number: u32) -> Option<Completion> {
        let completion = &mut self.all[number as usize];
        completion.open -= 1;
        if completion.open > 0 {
            return None;
        }
        self.free.push(number);
        Some(*completion)
    }
}
