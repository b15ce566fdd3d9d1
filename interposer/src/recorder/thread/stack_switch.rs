//! Switches a recording between the stacks of its thread, as user-level threads do: its open calls must be those of the
//! stack that the wrapper is on.
//!
//! In: the frame of a wrapper that begins; or of one that returns, the start of the outermost call on its stack. Out:
//! the recording as that stack has left it. Only wrappers inside other calls get here, and those that return while
//! other calls are open than when they entered MPI.

use std::cell::OnceCell;

use traces::file::LEVELS;

use super::call_room::OpenCalls;
use super::current;
use super::recording::{NO_FRAME, Thread};
use super::returned_elsewhere::{self, ReturnedCall};
use super::stack::{self, Search, SignalStack};
use super::suspended::SuspendedStack;
use crate::clock;
use crate::recorder::file::shared::WarningOnce;
use crate::recorder::process::forked;

static AT_ONCE: WarningOnce = WarningOnce::new(
    "a thread was in several MPI calls at once, on several stacks, as user-level threads are: the times of these calls overlap",
);
static ELSEWHERE: WarningOnce = WarningOnce::new(
    "calls returned on another thread than they began on, as those of user-level threads may: what they completed, received \
     or made is not known",
);
static NOT_LEFT: WarningOnce =
    WarningOnce::new("calls returned that are said to be left: another stack had been where theirs was");

impl Thread {
    /// True if a wrapper that begins is in no other call, and interrupts no work of the recorder.
    #[inline(always)]
    pub fn may_begin(&self) -> bool {
        self.depth.get() == 0 && self.at_rest.get() && !self.has_suspended.get()
    }

    #[inline(always)]
    pub fn may_work(&self, frame: usize) -> bool {
        self.may_begin() || self.may_work_inside(frame)
    }

    #[cold]
    #[inline(never)]
    fn may_work_inside(&self, frame: usize) -> bool {
        // No wrapper has frame 0: this is a forked child, whose recording is zeroed.
        if self.frame.get() == 0 {
            return false;
        }
        let at_work = self.is_at_work();
        // Calls of a signal handler meanwhile are not recorded.
        self.work(true);
        if !at_work {
            self.close_returned();
        }
        let is_outside = !at_work && !self.nested() && self.suspended.lend().is_clear(frame);
        let may = is_outside || self.find_stack(frame, at_work);
        self.work(!may && at_work);
        may
    }

    /// Switches the recording to the stack of a wrapper that begins. `false` if the recorder is at work on another.
    fn find_stack(&self, frame: usize, mut at_work: bool) -> bool {
        let (signals, own) = (SignalStack::of_thread(), OnceCell::new());
        let is_own = |one: usize, other: usize| {
            let own = own.get_or_init(|| self.suspended.lend().own());
            own.contains(&one) && own.contains(&other)
        };
        // A wrapper is gone if this one begins at least as high on the same stack, or if its frame's memory is used
        // again.
        let is_gone = |wrapper: usize, bottom: usize| {
            let is_below = wrapper < frame && !signals.is_used && (wrapper >= bottom || is_own(wrapper, frame));
            wrapper == frame || is_below || signals.was_left(wrapper)
        };
        if is_gone(self.frame.get(), frame) {
            self.leave_behind();
            at_work = false;
        }
        let open = self.frame.get();
        let suspended = |low: usize, high: usize| self.suspended.lend().between(low, high);
        let met = stack::look(&Search { from: frame, open, suspended: &suspended, signals: &signals });
        let is_passed = met.passed.is_some_and(|(low, high)| is_own(low, open) == is_own(open, high));
        if is_passed || is_gone(open, met.bottom) {
            self.leave_behind();
            at_work = false;
        } else if open != NO_FRAME {
            // If the unwinder did not get that far, assume that the wrapper is there.
            let is_unseen = || met.wrapper.is_none() && (signals.is_used || is_own(open, frame));
            if met.wrapper == Some(open) || is_unseen() {
                return !at_work;
            }
        }
        if at_work || self.nested() && !self.suspend() {
            return false;
        }
        if let Some(wrapper) = met.wrapper {
            AT_ONCE.say();
            return self.go_on_with(|stack| stack.frame == wrapper);
        }
        self.leave_suspended(|wrapper| is_gone(wrapper, met.bottom));
        self.suspended.lend().clear(frame..met.top);
        true
    }

    /// Closes the calls of suspended stacks whose outermost frame satisfies `is_gone`.
    fn leave_suspended(&self, is_gone: impl Fn(usize) -> bool) {
        let frame = |at: u32| self.suspended.lend().get(at).map(|stack| stack.frame);
        let mut at = 0;
        while let Some(wrapper) = frame(at) {
            if is_gone(wrapper) && self.go_on_with(|stack| stack.frame == wrapper) {
                self.leave_behind();
            } else {
                at += 1;
            }
        }
    }

    /// Switches the recording, if necessary, to the stack of a call that returns: `depth` calls are around it, and the
    /// outermost began at `since`. `false` if the call is no longer open, or the recording must not be changed now.
    #[inline(always)]
    pub fn is_back(&self, since: u64, depth: u32) -> bool {
        let is_here = self.is_own() && self.at_rest.get() && self.block.since() == since;
        is_here && (depth == 0 || self.depth.get() > depth) || self.comes_back(since, depth)
    }

    #[cold]
    #[inline(never)]
    fn comes_back(&self, since: u64, depth: u32) -> bool {
        if !self.may_be_touched() {
            return false;
        }
        self.work(true);
        let is_known = self.go_on_with(|stack| stack.since == since);
        if is_known {
            AT_ONCE.say()
        } else {
            NOT_LEFT.say()
        }
        self.work(false);
        is_known && self.depth.get() > depth
    }

    /// True if the calling thread may change the recording: the recording is its own, this is no forked child, and the
    /// recorder is not at work.
    fn may_be_touched(&self) -> bool {
        forked::is_recording() && self.is_own() && !self.is_at_work()
    }

    fn is_own(&self) -> bool {
        std::ptr::eq(current::address(), self)
    }

    /// Handles a call for which [`is_back`](Self::is_back) was false: if the recording could not be changed, it will
    /// close the call later, with this error.
    #[cold]
    pub fn returns_elsewhere(&self, since: u64, depth: u32, error: Option<(u16, i32)>) {
        if forked::is_recording() && !self.may_be_touched() {
            returned_elsewhere::add(ReturnedCall {
                thread: self.listed.number,
                since,
                depth,
                end: clock::now(),
                error,
            });
            if !self.is_own() {
                ELSEWHERE.say();
            }
        }
    }

    /// Closes the calls that returned where the recording could not be changed.
    fn close_returned(&self) {
        while let Some(call) = returned_elsewhere::take(self.listed.number) {
            if self.block.since() == call.since || self.go_on_with(|stack| stack.since == call.since) {
                self.returns_to(call.depth);
                if self.depth.get() > call.depth {
                    let signature = self.close_innermost(call.end);
                    if let Some((class, code)) = call.error {
                        self.call_failed(signature, class, code);
                    }
                }
                if !self.nested() {
                    self.are_none_open();
                }
            }
        }
    }

    /// Suspends the open calls. `false` if memory ran out.
    fn suspend(&self) -> bool {
        let (room, depth) = (self.room.get(), self.depth.get());
        *room.suspended.lend() = OpenCalls { frame: self.frame.get(), depth, levels: self.block.levels() };
        let Some(next) = self.suspended.lend().exchange(room) else { return false };
        self.room.set(next);
        self.has_suspended.set(true);
        self.engine.leave_all();
        self.are_none_open();
        true
    }

    /// Resumes the stack that was suspended last among those that satisfy `is_meant`. `false` if there is none.
    fn go_on_with(&self, is_meant: impl Fn(&SuspendedStack) -> bool) -> bool {
        let Some(stack) = self.suspended.lend().find(is_meant) else { return false };
        if self.nested() && !self.suspend() {
            return false;
        }
        let Some(room) = self.suspended.lend().resume(stack.since, self.room.get()) else { return false };
        self.room.set(room);
        self.has_suspended.set(!self.suspended.lend().is_empty());
        let OpenCalls { frame, depth, levels } = *room.suspended.lend();
        self.frame.set(frame);
        self.block.open_further(0, &levels, depth);
        self.depth.set(depth);
        true
    }

    /// Records the last accesses to files, and writes the suspended calls into the block as open, since the process ends.
    pub fn ends_with_process(&self) {
        if !self.may_be_touched() {
            return;
        }
        self.work(true);
        self.tell_accesses();
        if self.has_suspended() {
            self.suspended_end();
        }
        self.work(false);
    }

    fn suspended_end(&self) {
        self.close_returned();
        let stack = |at: u32| self.suspended.lend().get(at).map(|stack| (stack.since, stack.open_calls()));
        // As many stacks as the block has levels for; the others are closed as left behind.
        let (mut open, mut places) = (self.depth.get(), 0);
        while let Some((_, OpenCalls { depth, .. })) =
            stack(places).filter(|(_, calls)| open + calls.depth <= LEVELS as u32)
        {
            (open, places) = (open + depth, places + 1);
        }
        while !self.nested()
            && let Some((since, _)) = stack(places)
            && self.go_on_with(|stack| stack.since == since)
        {
            self.leave_behind();
        }
        let mut open = self.depth.get();
        for (_, OpenCalls { depth, levels, .. }) in (0..places).filter_map(stack) {
            self.block.open_further(open, &levels, depth);
            open += depth;
        }
    }

    /// Closes all calls and regions, since the thread ends. `false` if it was cut off while the recorder was at work: then
    /// the recording is in no state to be used again.
    pub fn end(&self) -> bool {
        if self.is_at_work() {
            self.listed.timer.stop();
            self.are_none_open();
            return false;
        }
        self.close_returned();
        self.leave_behind();
        self.leave_suspended(|_| true);
        self.leave_team();
        self.tell_accesses();
        self.leave_regions();
        self.samples_end();
        self.rest();
        true
    }
}
