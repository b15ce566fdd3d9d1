//! Samples: where the thread is each time that it has used another period of processor time.
//!
//! A timer's signal says that periods have ended. The handler runs on an alternate stack of the recording's, and may have interrupted anything: the program, MPI, the recorder. Between two calls it unwinds the stack and writes a record. Inside a call it
//! counts, and the call's return writes the count; while the recorder is at work it counts, too.

use std::ops::Range;

use traces::definitions::CalledFrom;
use traces::progress::Polls;
use traces::record::{self, Sample, Unsampled};
use traces::settings::MOST_FRAMES;

use super::recording::Thread;
use crate::recorder::file::ring;
use crate::recorder::file::sampled_paths::{self, code_at};
use crate::recorder::file::shared::{self, WarningOnce};
use crate::recorder::guard::{self, spent};
use crate::recorder::process::{path_limit, sampling};
use crate::signals::{alternate_stack, put_off};
use crate::system_calls;
use crate::thread_timer::processor_time;
use crate::unwind::{self, Registers, Room, WayEnd};
use recorder_core::memory;

static NO_TIMER: WarningOnce =
    WarningOnce::new("a thread was not sampled: the system gave it no timer (see ulimit -i)");

static NO_STACK: WarningOnce = WarningOnce::new(
    "a thread was not sampled: it made its first call on its alternate stack (see sigaltstack), or memory ran out",
);

pub(super) static GIVEN_WAY: WarningOnce =
    WarningOnce::new("sampling ended early: the program uses the signal that it was done by");

static DISPLACED: WarningOnce = WarningOnce::new(
    "a thread's sampling ended early: the program set the thread's alternate stack by a system call, or one that is put away      while in use (SS_AUTODISARM)",
);

/// Words of a sample's record, and of all records that the sample may end.
const WORDS: usize = 64;

impl Thread {
    /// Begins to sample the calling thread, if that is wanted.
    pub(super) fn samples_begin(&self) {
        if !sampling::is_on() || system_calls::are_filtered() {
            return;
        }
        if self.samples.stack.get() == 0
            && let Some(stack) = memory::zeroed::<u8>(alternate_stack::BYTES)
        {
            self.samples.stack.set(stack.as_ptr() as usize + alternate_stack::BYTES);
        }
        self.samples.ended.set(0);
        self.samples.since.set(processor_time());
        let stack = self.samples.stack.get();
        if stack == 0 || !alternate_stack::lend(stack) {
            return NO_STACK.say();
        }
        self.samples.is_on.set(true);
        if !self.listed.timer.start(sampling::signal(), sampling::period()) {
            self.samples.is_on.set(false);
            alternate_stack::give_back();
            NO_TIMER.say();
        }
    }

    /// Ends the sampling of the calling thread, and counts periods whose signals never came.
    pub fn samples_end(&self) {
        self.stop_timer();
        if self.samples.is_on.replace(false) && !system_calls::are_filtered() {
            let periods = processor_time().wrapping_sub(self.samples.since.get()) / sampling::period().max(1);
            self.lose(periods.saturating_sub(self.samples.ended.get()));
            self.settle_call();
            self.write_unsampled();
        }
        say_what_is_due();
    }

    /// Deletes the calling thread's timer. Only then the thread can have its own alternate stack back: a last signal would write there.
    fn stop_timer(&self) {
        if self.samples.is_on.get() && !system_calls::are_filtered() {
            self.listed.timer.stop_own(sampling::signal());
            alternate_stack::give_back();
        }
    }

    /// Ends the sampling of the calling thread, since the program needs its alternate stack in the kernel.
    pub fn samples_give_way(&self) {
        self.stop_timer();
        self.displaced();
    }

    fn displaced(&self) {
        DISPLACED.say_later();
        self.has_more();
    }

    /// Handles the end of periods of the calling thread's processor time. Called by the signal handler that has
    /// `interrupted` the thread.
    pub fn periods_ended(&self, periods: u64, interrupted: &libc::ucontext_t) {
        if !self.samples.is_on.get() || !sampling::is_on() {
            return;
        }
        self.samples.ended.set(self.samples.ended.get() + periods);
        if !alternate_stack::is_own(&interrupted.uc_stack) {
            self.listed.timer.stop();
            alternate_stack::forget();
            return self.displaced();
        }
        if self.is_over() {
            return;
        }
        let (registers, address) = Registers::interrupted(interrupted);
        if self.is_at_work() || spent::is_measured() || put_off::is_undisturbed() || is_ours(address) {
            let without = self.samples.without.get();
            self.samples.without.set(Unsampled { recording: without.recording + periods, ..without });
        } else if self.nested() {
            self.ended_in_call(periods);
        } else {
            self.work(true);
            let is_written = guard::run_waiting(|| self.sample(periods, registers, address)).flatten().is_some();
            self.work(false);
            if !is_written {
                self.lose(periods);
            }
        }
        // The next call writes the counts, and learns of code that was unknown.
        self.has_more();
    }

    /// Counts the periods that ended while the thread filled a rehearsal.
    pub fn rehearsed(&self, rehearsal: &Thread) {
        let (periods, without) = (rehearsal.samples.ended.get(), self.samples.without.get());
        self.samples.ended.set(self.samples.ended.get() + periods);
        self.samples.without.set(Unsampled { recording: without.recording + periods, ..without });
    }

    fn ended_in_call(&self, periods: u64) {
        if self.samples.in_call.get() > 0 && self.samples.call.get() != self.since() {
            self.settle_call();
        }
        self.samples.call.set(self.since());
        self.samples.in_call.set(self.samples.in_call.get() + periods);
    }

    /// Moves the periods counted for a call to the run of polls that contains it. A call that has a record is past.
    fn settle_call(&self) {
        let (periods, polls) = (self.samples.in_call.take(), self.block.polls().read());
        if is_among(self.samples.call.get(), &polls) {
            self.samples.in_polls.set(self.samples.in_polls.get() + periods);
        } else {
            self.lose(periods);
        }
    }

    fn lose(&self, periods: u64) {
        let without = self.samples.without.get();
        self.samples.without.set(Unsampled { lost: without.lost + periods, ..without });
    }

    /// Records the periods that ended inside the call that began at `start`.
    pub(super) fn write_sampled_in_call(&self, start: u64) {
        if self.samples.in_call.get() > 0 {
            if self.samples.call.get() != start {
                self.settle_call();
            }
            let periods = self.samples.in_call.take();
            if periods > 0 && !self.write(&[record::sampled(periods)]) {
                self.lose(periods);
            }
        }
        self.write_unsampled();
        sampled_paths::learn_missed();
        say_what_is_due();
    }

    /// Records the periods that ended inside polls of the run that was just recorded.
    pub(super) fn write_sampled_in_polls(&self, polls: &Polls) {
        if is_among(self.samples.call.get(), polls) {
            self.samples.in_polls.set(self.samples.in_polls.get() + self.samples.in_call.take());
        }
        let periods = self.samples.in_polls.take();
        if periods > 0 && !self.write(&[record::sampled(periods)]) {
            self.lose(periods);
        }
    }

    fn write_unsampled(&self) {
        let without = self.samples.without.get();
        if without != Unsampled::default() && self.write(&[without.word()]) {
            self.samples.without.set(Unsampled::default());
        }
    }

    /// Records a sample of the code at `address`, with these registers.
    fn sample(&self, periods: u64, registers: Registers, address: usize) -> Option<()> {
        let mut addresses = [0; MOST_FRAMES as usize];
        // Like a return address, it lies after the code that ran.
        *addresses.first_mut()? = address + 1;
        let (frames, end) = find_callers(&mut addresses, (registers, address), self.stack.lend().clone());
        let site = sampled_paths::number(addresses.get(..frames)?, end)?;
        if self.events.room() < WORDS {
            // Without a reading of the thread's usage, which allocates; reusing an old page allocates, too.
            let output = shared::output().filter(|output| !output.is_buffered() && !ring::is_on())?;
            if !self.events.step(output) {
                self.events.turn(output, None).ok()?;
            }
        }
        self.mark(|gap| Sample { site, periods }.words(gap));
        self.write_unsampled();
        Some(())
    }
}

/// Writes the callers' addresses after the first address. Returns the number of all addresses, and why there are no
/// more.
fn find_callers(addresses: &mut [usize], interrupted: (Registers, usize), stack: Range<usize>) -> (usize, CalledFrom) {
    let limit = path_limit::frames().clamp(1, addresses.len());
    let mut frames = 1;
    let mut is_in_handler = false;
    let table_at =
        |address: usize| code_at(address).filter(|code| code.table != 0).map(|code| (code.begin..code.end, code.table));
    let end = unwind::visit_from(&mut Room::new(), interrupted, stack, table_at, |frame| {
        // Code that the program's own signal handlers have interrupted is no part of their path.
        is_in_handler = frame.is_interrupted;
        // The recorder's own, between a runtime's thread and the body of a parallel region.
        if is_ours(frame.address) {
            return true;
        }
        let place = addresses.get_mut(frames).filter(|_| frames < limit && !is_in_handler);
        let Some(place) = place else { return false };
        *place = frame.address;
        frames += 1;
        true
    });
    // On a stack that makecontext began, the C library's code does not say how to unwind further.
    let begins = addresses
        .get(frames - 1)
        .is_some_and(|outermost| is_in_code_of(libc::getpid as *const () as usize, *outermost));
    let end = match end {
        WayEnd::Stopped if !is_in_handler => CalledFrom::Limit,
        WayEnd::NoUnwindInformation if !begins => CalledFrom::NoUnwindInformation,
        _ => CalledFrom::Start,
    };
    (frames, end)
}

/// Writes the warnings that signal handlers have left.
fn say_what_is_due() {
    for warning in [&GIVEN_WAY, &DISPLACED] {
        warning.say_if_due();
    }
}

fn is_among(call: u64, polls: &Polls) -> bool {
    polls.count > 0 && polls.start <= call && call < polls.end
}

/// True if an address is in this library, which means that the recorder is at work.
fn is_ours(address: usize) -> bool {
    is_in_code_of(is_ours as *const () as usize, address)
}

fn is_in_code_of(one: usize, other: usize) -> bool {
    code_at(one).is_some_and(|code| (code.begin..code.end).contains(&other))
}
