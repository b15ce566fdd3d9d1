//! Keeps calls that completed something until the causes of all their waits are known.

use std::cmp::Reverse;

use super::Cause;
use super::wait_sums::WaitState;
use crate::roles::SpottedSite;
use crate::stream::{Stream, TimedCall};

#[derive(Clone, Copy, Debug)]
pub struct Completion {
    pub place: SpottedSite,
    /// The thread's place among the rank's threads.
    pub thread: u32,
    pub start: i64,
    pub end: i64,
    /// The latest known cause of its wait.
    pub latest: Option<Cause>,
    pub received: Option<Receiving>,
    /// First of its links in [`Links`](super::links::Links); `u64::MAX` without one.
    pub link: u64,
    /// First of its notes of receives and of sends in [`DependencyLog`](super::dependency_log::DependencyLog).
    pub notes: [u64; 2],
    /// Bytes of its send, if its dependencies are noted.
    pub send: Option<u64>,
    /// Causes that are still unknown.
    open: u32,
}

/// What a call receives, for [`Order`](super::order::Order).
#[derive(Clone, Copy, Debug)]
pub struct Receiving {
    /// Its number there.
    pub number: u64,
    /// Messages that the rank had sent before.
    pub sent: u32,
    /// When its earliest message was sent, and by whom.
    pub earliest: i64,
    pub source: u32,
}

/// The completions of one rank. Numbers are reused.
#[derive(Default)]
pub struct Completions {
    all: Vec<Completion>,
    free: Vec<u32>,
}

impl Completions {
    /// Adds a completion that expects `open` causes.
    #[inline]
    pub fn begin(&mut self, stream: &Stream<'_>, call: &TimedCall, open: u32) -> u32 {
        let (place, thread) = (stream.role(call).place, stream.thread);
        let (start, end) = (call.start, call.end);
        let completion = Completion {
            place,
            thread,
            start,
            end,
            latest: None,
            received: None,
            link: u64::MAX,
            notes: [u64::MAX; 2],
            send: None,
            open,
        };
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

    #[inline]
    pub fn get(&mut self, number: u32) -> &mut Completion {
        &mut self.all[number as usize]
    }

    pub fn latest(&self, number: u32) -> Option<Cause> {
        self.all[number as usize].latest
    }

    pub fn untold(&self, number: u32) -> u32 {
        self.all[number as usize].open
    }

    /// Adds one to the expected causes.
    #[inline]
    pub fn await_one(&mut self, number: u32) {
        self.all[number as usize].open += 1;
    }

    /// Offers a cause; the latest plausible one stays.
    #[inline]
    pub fn late(&mut self, number: u32, cause: Option<Cause>) {
        let completion = &mut self.all[number as usize];
        // A send that was over before its receive was posted did not wait for it.
        let plausible = |cause: &Cause| cause.state != WaitState::LateReceiver || cause.at < completion.end;
        // Ties are broken by rank and state, so that the result does not depend on the order of arrival.
        let order = |cause: &Cause| (cause.at, cause.who, Reverse(cause.state));
        let later = |cause: &Cause| completion.latest.is_none_or(|latest| order(&latest) < order(cause));
        if let Some(cause) = cause.filter(|cause| plausible(cause) && later(cause)) {
            completion.latest = Some(cause);
        }
    }

    /// Counts one cause as known. Returns the completion if that was the last.
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
