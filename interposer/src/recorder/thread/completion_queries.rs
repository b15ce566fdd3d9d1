//! Queries MPI about the requests in [`asked`](super::queried_requests).

use traces::record::{self, MAX_FOUND_AGE};

use super::queried_requests::{OLDEST, PendingRequest};
use super::recording::Thread;
use super::request::ACTIVE;
use crate::abi::completion;
use crate::recorder::guard;

impl Thread {
    /// Adds this thread's request of this handle to the queried ones, if it is active.
    pub fn ask_about(&self, handle: u64) {
        let request = self.listed.requests.get(handle);
        if let Some(request) = request.filter(|request| request.flags & ACTIVE != 0) {
            self.asked.lend().add((handle, request.number));
        }
    }

    /// Queries the oldest pending requests, and records which are complete.
    pub fn ask(&self) {
        if self.asked.lend().get(0).is_none() {
            return;
        }
        guard::run_waiting(|| self.ask_oldest());
    }

    fn ask_oldest(&self) {
        let mut at = 0;
        while at < OLDEST {
            let Some(request) = self.asked.lend().get(at) else { return };
            if self.is_pending(request) {
                // SAFETY: MPI has not freed it, and no other thread makes calls meanwhile.
                if !unsafe { completion::is_complete(request.0) } {
                    at += 1;
                    continue;
                }
                self.found_complete(request.1);
            }
            self.asked.lend().remove(at);
        }
    }

    fn is_pending(&self, (handle, number): PendingRequest) -> bool {
        let request = self.listed.requests.get(handle);
        request.is_some_and(|request| request.flags & ACTIVE != 0 && request.number == number)
    }

    fn found_complete(&self, number: u64) {
        let age = self.events.started.get().wrapping_sub(number);
        if age <= MAX_FOUND_AGE && !self.is_over() {
            self.mark(|gap| [record::found_complete(gap, age)]);
        }
    }
}
