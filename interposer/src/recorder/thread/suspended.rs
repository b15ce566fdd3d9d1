//! Stacks with open calls that the thread has left for another stack and will resume later: those of user-level
//! threads, which switch while MPI waits or calls the program back.
//!
//! A wrapper that begins on another stack than that of the open calls suspends these. A wrapper that begins on a
//! suspended stack, or returns to it, resumes it. So calls on several stacks may end in any order without being
//! mistaken for abandoned ones. A stack that longjmp has left looks the same: its calls are closed as left only if
//! nothing else is possible.

use std::ops::Range;

use super::call_room::{CallRoom, OpenCalls};
use super::stack;
use crate::recorder::guard;
use recorder_core::numbered::Numbered;

pub struct SuspendedStacks {
    /// Suspended stacks, followed by free rooms. `None` until a stack is first suspended.
    rooms: Option<Numbered<SuspendedStack>>,
    suspended: u32,
    /// Number of suspended stacks and free rooms.
    all: u32,
    /// Addresses between which no suspended wrapper has its frame.
    clear: Range<usize>,
    /// The stack that the system gave the thread, once it was asked for.
    own: Option<Range<usize>>,
}

#[derive(Clone, Copy)]
pub struct SuspendedStack {
    /// The frame of the outermost wrapper.
    pub frame: usize,
    /// The start of the outermost call, in ticks.
    pub since: u64,
    room: Option<&'static CallRoom>,
}

impl SuspendedStack {
    pub fn open_calls(&self) -> OpenCalls {
        self.room.map_or(OpenCalls::NONE, |room| *room.suspended.lend())
    }
}

impl SuspendedStacks {
    pub const fn new() -> SuspendedStacks {
        SuspendedStacks { rooms: None, suspended: 0, all: 0, clear: 0..0, own: None }
    }

    /// Forgets the previous thread's stack, since the calling thread takes over the recording.
    pub fn begin(&mut self) {
        (self.own, self.clear) = (None, 0..0);
    }

    /// The stack that the system gave the thread.
    pub fn own(&mut self) -> Range<usize> {
        self.own.get_or_insert_with(|| guard::run(stack::of_thread).unwrap_or_default()).clone()
    }

    pub fn is_empty(&self) -> bool {
        self.suspended == 0
    }

    /// True if a wrapper with this frame is known to be inside no suspended call.
    pub fn is_clear(&self, frame: usize) -> bool {
        self.clear.contains(&frame)
    }

    /// Notes that no suspended wrapper's frame is in this range, as a search up the stack has shown.
    pub fn clear(&mut self, stack: Range<usize>) {
        self.clear = stack;
    }

    /// The stack that was suspended last among those that satisfy `is_meant`.
    pub fn find(&self, is_meant: impl Fn(&SuspendedStack) -> bool) -> Option<SuspendedStack> {
        (0..self.suspended).rev().filter_map(|at| self.get(at)).find(is_meant)
    }

    /// The highest frame of an outermost wrapper between these addresses, the higher included.
    pub fn between(&self, low: usize, high: usize) -> Option<usize> {
        let frames = (0..self.suspended).filter_map(|at| self.get(at)).map(|stack| stack.frame);
        frames.filter(|frame| low < *frame && *frame <= high).max()
    }

    /// Suspends the stack of this room. Returns a room for the next; `None` if memory ran out, and then nothing is
    /// suspended.
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

    /// Removes the stack whose outermost call began at `since`, and returns its room. The room `idle` becomes free.
    pub fn resume(&mut self, since: u64, idle: &'static CallRoom) -> Option<&'static CallRoom> {
        let at = (0..self.suspended).rev().find(|at| self.get(*at).is_some_and(|stack| stack.since == since))?;
        let (found, last) = (self.get(at)?, self.get(self.suspended - 1)?);
        self.suspended -= 1;
        self.set(at, last);
        self.set(self.suspended, SuspendedStack { frame: 0, since: 0, room: Some(idle) });
        found.room
    }

    pub fn get(&self, at: u32) -> Option<SuspendedStack> {
        self.place(at).filter(|_| at < self.suspended)
    }

    fn place(&self, at: u32) -> Option<SuspendedStack> {
        // SAFETY: `all` rooms were written.
        self.rooms.as_ref().filter(|_| at < self.all).map(|rooms| unsafe { *rooms.get(at) })
    }

    fn set(&mut self, at: u32, stack: SuspendedStack) {
        if let Some(rooms) = &self.rooms {
            // SAFETY: the place was reached.
            unsafe { *rooms.get(at) = stack };
        }
    }
}
