//! Stacks with open calls that the thread has left for another stack, to go on with them later: those of user-level threads,
//! which take turns where MPI waits or calls the program back.
//!
//! A wrapper that begins on another stack than the open calls are on suspends these. One that returns to a suspended stack, or
//! begins on one, goes on with it. So calls on several stacks end in any order, each for itself, and none is taken for left
//! because another was made meanwhile. A stack that a longjmp has left looks the same: only where nothing else can be, its calls
//! are said to be left.

use std::ops::Range;

use super::call_room::{CallRoom, OpenCalls};
use super::stack;
use crate::recorder::guard;
use recorder_core::numbered::Numbered;

/// See the module.
pub struct SuspendedStacks {
    /// Rooms of suspended stacks, and behind those, rooms that are free. None before the first.
    rooms: Option<Numbered<SuspendedStack>>,
    suspended: u32,
    /// With those that are free.
    all: u32,
    /// No suspended call is between these places of a stack.
    clear: Range<usize>,
    /// The stack that the system gave the thread, once somebody has asked.
    own: Option<Range<usize>>,
}

/// One of them.
#[derive(Clone, Copy)]
pub struct SuspendedStack {
    /// Where the stack of the outermost wrapper ends.
    pub frame: usize,
    /// Since when its call is open.
    pub since: u64,
    room: Option<&'static CallRoom>,
}

impl SuspendedStack {
    /// The calls on it.
    pub fn open_calls(&self) -> OpenCalls {
        self.room.map_or(OpenCalls::NONE, |room| *room.suspended.lend())
    }
}

impl SuspendedStacks {
    /// None.
    pub const fn new() -> SuspendedStacks {
        SuspendedStacks { rooms: None, suspended: 0, all: 0, clear: 0..0, own: None }
    }

    /// The calling thread begins to fill the recording, and has a stack of its own.
    pub fn begin(&mut self) {
        (self.own, self.clear) = (None, 0..0);
    }

    /// The stack that the system gave the thread.
    pub fn own(&mut self) -> Range<usize> {
        self.own.get_or_insert_with(|| guard::run(stack::of_thread).unwrap_or_default()).clone()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.suspended == 0
    }

    /// Whether a wrapper whose stack ends there is known to be inside none of them.
    pub fn is_clear(&self, frame: usize) -> bool {
        self.clear.contains(&frame)
    }

    /// A wrapper whose stack ends at the lower place is inside none of them, as a look up to the higher has shown.
    pub fn clear(&mut self, stack: Range<usize>) {
        self.clear = stack;
    }

    /// The last that was suspended, of those for which this holds.
    pub fn find(&self, is_meant: impl Fn(&SuspendedStack) -> bool) -> Option<SuspendedStack> {
        (0..self.suspended).rev().filter_map(|at| self.get(at)).find(is_meant)
    }

    /// The highest outermost wrapper whose stack ends between these places, the higher included.
    pub fn between(&self, low: usize, high: usize) -> Option<usize> {
        let frames = (0..self.suspended).filter_map(|at| self.get(at)).map(|stack| stack.frame);
        frames.filter(|frame| low < *frame && *frame <= high).max()
    }

    /// Suspends the stack of this room. Returns room for the next; `None` where memory ran out, and nothing is suspended.
    pub fn exchange(&mut self, room: &'static CallRoom) -> Option<&'static CallRoom> {
        let at = self.suspended;
        let next = match self.place(at).and_then(|free| free.room) {
            Some(free) => free,
            None => {
                if self.rooms.is_none() {
                    self.rooms = Numbered::new();
                }
                self.rooms.as_mut()?.reach(at)?;
                CallRoom::new()?
            }
        };
        let OpenCalls { frame, levels: [outermost, ..], .. } = *room.suspended.lend();
        self.set(at, SuspendedStack { frame, since: outermost.start, room: Some(room) });
        (self.suspended, self.all, self.clear) = (at + 1, self.all.max(at + 1), 0..0);
        Some(next)
    }

    /// Takes the stack out whose outermost call is open since then. Returns its room; the one that is idle is free from now on.
    pub fn resume(&mut self, since: u64, idle: &'static CallRoom) -> Option<&'static CallRoom> {
        let at = (0..self.suspended).rev().find(|at| self.get(*at).is_some_and(|stack| stack.since == since))?;
        let (found, last) = (self.get(at)?, self.get(self.suspended - 1)?);
        self.suspended -= 1;
        self.set(at, last);
        self.set(self.suspended, SuspendedStack { frame: 0, since: 0, room: Some(idle) });
        found.room
    }

    /// The one in this place, of as many as there are.
    pub fn get(&self, at: u32) -> Option<SuspendedStack> {
        self.place(at).filter(|_| at < self.suspended)
    }

    fn place(&self, at: u32) -> Option<SuspendedStack> {
        // SAFETY: so many were written.
        self.rooms.as_ref().filter(|_| at < self.all).map(|rooms| unsafe { *rooms.get(at) })
    }

    fn set(&mut self, at: u32, stack: SuspendedStack) {
        if let Some(rooms) = &self.rooms {
            // SAFETY: a place that was reached.
            unsafe { *rooms.get(at) = stack };
        }
    }
}
