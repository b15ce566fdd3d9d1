//! One thread's entries into the progress engine.
//!
//! Hooks count here at any moment, even while they interrupt the recorder at work, so nothing here is ever borrowed.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use traces::live::LiveLine;
use traces::progress::{Entries, FIRST_COMPONENT, INSIDE, LINES, OUTSIDE};

pub struct Engine {
    ledger: Ledger,
    /// [`NOT_ENTERED`], [`UNMEASURED`], or in an entry whose parts are timed, the ticks when the last of them ended.
    pub state: Cell<u64>,
    /// Counts productive calls of components.
    pub achieved: Cell<u64>,
    /// Entries inside MPI calls that are already in the trace.
    pub reported: Cell<Entries>,
    /// Entries inside MPI calls at the end of the last unsuccessful poll.
    pub at_poll: Cell<Entries>,
    /// End of the last run of unsuccessful polls, in ticks.
    pub polled: Cell<u64>,
    /// The end of the last entry, in the file: it shows readers that a waiting thread is alive.
    last: &'static AtomicU64,
    /// The start of the last entry if it found nothing and its end was not read; else 0.
    pub(super) unended: Cell<u64>,
    /// The start of the last call that enters the engine at once.
    pub(super) at_once: Cell<u64>,
    /// Largest number of productive entries that one run in the block combines.
    pub most: Cell<u64>,
    /// Entries left until the next one whose parts are timed.
    until_sample: Cell<u64>,
    /// The line of the entry that the thread is in.
    outermost: Cell<u32>,
    /// The line of the productive part of an entry whose parts are not timed; 0 for none.
    pub achiever: Cell<u32>,
    /// For each line, true while a call of it is being timed.
    inside: [Cell<bool>; LINES],
}

/// The thread is in no entry.
pub const NOT_ENTERED: u64 = 0;
/// The thread is in an entry whose parts are not timed.
pub const UNMEASURED: u64 = 1;
/// One entry in this many has its parts timed. Open MPI calls some components only in every eighth entry: if the two
/// numbers had a common divisor, timed entries would contain these components always or never.
pub const SAMPLED: u64 = 31;

impl Engine {
    /// `ledger` and `last` are in the thread's block.
    pub fn new(ledger: Ledger, last: &'static AtomicU64) -> Engine {
        let none = Entries::default();
        Engine {
            ledger,
            state: Cell::new(NOT_ENTERED),
            achieved: Cell::new(0),
            reported: Cell::new(none),
            at_poll: Cell::new(none),
            polled: Cell::new(0),
            last,
            unended: Cell::new(0),
            at_once: Cell::new(0),
            most: Cell::new(1),
            until_sample: Cell::new(SAMPLED - 1),
            outermost: Cell::new(0),
            achiever: Cell::new(0),
            inside: [const { Cell::new(false) }; LINES],
        }
    }

    #[inline(always)]
    pub fn line(&self, line: usize) -> Option<Line> {
        self.ledger.line(line)
    }

    /// Notes that a call which began at `start` enters the engine before it does anything else, so that the entry may
    /// begin with it.
    #[inline(always)]
    pub fn is_entered_at(&self, start: u64) {
        self.at_once.set(start);
    }

    /// Leaves the end of an entry that found nothing to the next time that is read.
    #[inline(always)]
    pub fn is_unended(&self, start: u64) {
        self.unended.set(start);
    }

    /// Adds a time to an entry that was counted before: the last one.
    #[inline(always)]
    pub(super) fn lasted(&self, ticks: u64) {
        self.ledger.inside().took(ticks);
        if let Some(line) = self.ledger.line(self.outermost.get() as usize) {
            line.took(ticks);
        }
    }

    #[inline(always)]
    pub fn enters(&self, line: usize, start: u64) {
        let left = self.until_sample.get();
        self.until_sample.set(if left == 0 { SAMPLED - 1 } else { left - 1 });
        self.state.set(if left == 0 { start.max(UNMEASURED) } else { UNMEASURED });
        self.outermost.set(line as u32);
    }

    /// Begins to time a part of the entry. `false` if a call around it has the same line, and so is timed already.
    pub fn enters_part(&self, line: usize) -> bool {
        self.outermost.get() as usize != line && self.inside.get(line).is_some_and(|inside| !inside.replace(true))
    }

    /// Ends timing a part.
    pub fn leaves_part(&self, line: usize) {
        if let Some(inside) = self.inside.get(line) {
            inside.set(false);
        }
    }

    /// Sets the start of the entry's next part, if parts are timed.
    #[inline(always)]
    pub fn goes_on(&self, end: u64) {
        if self.state.get() > UNMEASURED {
            self.state.set(end.max(UNMEASURED));
        }
    }

    /// Adds the entry's time to its productive part, if there was one.
    #[inline(always)]
    pub fn achiever_took(&self, ticks: u64) {
        let achiever = self.achiever.replace(0) as usize;
        if achiever != 0
            && let Some(line) = self.ledger.line(achiever)
        {
            line.took(ticks);
        }
    }

    /// The line of all entries inside MPI calls, or outside.
    #[inline(always)]
    pub fn entries_line(&self, inside: bool) -> Line {
        if inside { self.ledger.inside() } else { self.ledger.outside() }
    }

    /// Sets the end of the last entry.
    #[inline(always)]
    pub fn ended(&self, at: u64) {
        self.last.store(at, Relaxed);
    }

    /// The end of the last entry, in ticks.
    pub fn last_ended(&self) -> u64 {
        self.last.load(Relaxed)
    }

    /// Mean number of parts that an entry has called so far.
    pub fn parts_of_an_entry(&self) -> u64 {
        let lines = (FIRST_COMPONENT..LINES).filter_map(|line| self.ledger.line(line));
        let calls: u64 = lines.map(|line| line.calls().entries).sum();
        let entries = self.ledger.all_entries().entries;
        // The outermost call has a line, too.
        (calls.saturating_sub(entries) + entries / 2).checked_div(entries).unwrap_or(0)
    }

    /// All entries inside MPI calls so far.
    #[inline(always)]
    pub fn entries(&self) -> Entries {
        self.ledger.inside().calls()
    }

    /// Forgets the entry that the thread is in, which was left or suspended.
    pub fn leave_all(&self) {
        self.state.set(NOT_ENTERED);
        self.unended.set(0);
        for inside in &self.inside {
            inside.set(false);
        }
    }
}

/// A thread's ledger in the file. Only its thread changes it; any thread may read it.
#[derive(Clone, Copy)]
pub struct Ledger(pub &'static [LiveLine; LINES]);

impl Ledger {
    #[inline(always)]
    fn line(self, line: usize) -> Option<Line> {
        self.0.get(line).map(Line)
    }

    #[inline(always)]
    fn inside(self) -> Line {
        const { assert!(INSIDE == 0) }
        let [inside, ..] = self.0;
        Line(inside)
    }

    #[inline(always)]
    fn outside(self) -> Line {
        const { assert!(OUTSIDE == 1) }
        let [_, outside, ..] = self.0;
        Line(outside)
    }

    /// All entries so far, inside MPI calls and outside.
    pub fn all_entries(self) -> Entries {
        let mut all = self.inside().calls();
        all += self.outside().calls();
        all
    }
}

#[derive(Clone, Copy)]
pub struct Line(&'static LiveLine);

impl Line {
    #[inline(always)]
    pub fn count(self, ticks: u64) {
        self.count_call();
        self.took(ticks);
    }

    #[inline(always)]
    pub fn count_call(self) {
        add(&self.0.entries, 1);
    }

    /// Counts a call as productive.
    #[inline(always)]
    pub fn achieved(self) {
        add(&self.0.productive, 1);
    }

    /// Adds to the ticks of all calls.
    #[inline(always)]
    pub fn took(self, ticks: u64) {
        add(&self.0.ticks, ticks);
    }

    /// Adds events, and descriptors that are ready to receive and to send.
    #[inline(always)]
    pub fn reported(self, events: u64, ready: (u64, u64)) {
        add(&self.0.events, events);
        if ready != (0, 0) {
            add(&self.0.ready_to_receive, ready.0);
            add(&self.0.ready_to_send, ready.1);
        }
    }

    /// Sets all counts, for a component that keeps its own.
    pub fn set(self, calls: Entries) {
        self.0.entries.store(calls.entries, Relaxed);
        self.0.productive.store(calls.productive, Relaxed);
        self.0.ticks.store(calls.ticks, Relaxed);
    }

    #[inline(always)]
    fn calls(self) -> Entries {
        self.0.calls()
    }
}

/// Adds to a field. Only one thread does, so a load and a store are enough.
#[inline(always)]
fn add(field: &AtomicU64, by: u64) {
    field.store(field.load(Relaxed).wrapping_add(by), Relaxed);
}
