//! Which stack's calls are under way: a wrapper finds out whether the recording is about the stack that it is on.
//!
//! In: where the stack of a wrapper that begins ends, or since when the outermost call is open on the stack of one that returns.
//! Out: the recording as that stack has left it. Only wrappers inside other calls come here, and those that return while
//! other calls are under way than they have left.

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
    /// Whether a wrapper that begins is the program's own, and interrupts nothing.
    #[inline(always)]
    pub fn may_begin(&self) -> bool {
        self.depth.get() == 0 && self.at_rest.get() && !self.has_suspended.get()
    }

    /// Whether a wrapper that begins may record.
    #[inline(always)]
    pub fn may_work(&self, frame: usize) -> bool {
        self.may_begin() || self.may_work_inside(frame)
    }

    #[cold]
    #[inline(never)]
    fn may_work_inside(&self, frame: usize) -> bool {
        // No wrapper ends there: these are the zeros that a forked child finds.
        if self.frame.get() == 0 {
            return false;
        }
        let at_work = self.is_at_work();
        // What a signal handler calls meanwhile is not recorded.
        self.work(true);
        if !at_work {
            self.close_returned();
        }
        let is_outside = !at_work && !self.nested() && self.suspended.lend().is_clear(frame);
        let may = is_outside || self.find_stack(frame, at_work);
        self.work(!may && at_work);
        may
    }

    /// Has the recording be about the stack of a wrapper that begins. `false` where it is at work on another.
    fn find_stack(&self, frame: usize, mut at_work: bool) -> bool {
        let (signals, own) = (SignalStack::of_thread(), OnceCell::new());
        let is_own = |one: usize, other: usize| {
            let own = own.get_or_init(|| self.suspended.lend().own());
            own.contains(&one) && own.contains(&other)
        };
        // What begins at least as high on the same stack has left it behind, and so has what uses the place of its frame.
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
            // Where the unwinder has not come that far, the wrapper is taken to be there.
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

    /// Leaves those suspended stacks behind whose outermost wrapper's stack ends where this holds.
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

    /// Whether the calls under way are those that a call which returns is one of: so many are around it, and the outermost is open
    /// since then. If not, the recording goes on with them first. `false` where it knows nothing of them, or is not to be touched.
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

    /// Whether the calling thread may go on with the recording: it is its own, no forked child's, and not in the midst of a change.
    fn may_be_touched(&self) -> bool {
        forked::is_recording() && self.is_own() && !self.is_at_work()
    }

    fn is_own(&self) -> bool {
        std::ptr::eq(current::address(), self)
    }

    /// A call is not [back](Self::is_back), and returns this error if any: if that is because the recording could not be touched, it
    /// is to close the call later.
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

    /// Closes the calls that have returned where the recording could not be touched.
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

    /// Suspends the calls under way. `false` where there is no memory to do so.
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

    /// Goes on with the last of the suspended stacks for which this holds. `false` where there is none.
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

    /// The process ends: what its thread has suspended is open, too.
    pub fn ends_with_process(&self) {
        if !self.may_be_touched() || !self.has_suspended() {
            return;
        }
        self.work(true);
        self.close_returned();
        let stack = |at: u32| self.suspended.lend().get(at).map(|stack| (stack.since, stack.open_calls()));
        // As many as the block has places for.
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
        self.work(false);
    }

    /// The thread ends: nothing that it was in returns. Whoever goes on with its recording is in none.
    pub fn end(&self) {
        self.close_returned();
        self.leave_behind();
        self.leave_suspended(|_| true);
        self.leave_regions();
        self.rest();
    }
}
