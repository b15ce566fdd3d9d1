//! Finds windows: several messages to a partner, posted one after the other, waited for together, and answered by one message or
//! crossed by as many from the partner. Programs measure bandwidth this way, and split large data.
//!
//! In: a thread's messages in the order of their calls. Out: rows of equal windows. A window lasts from its first call to the
//! begin of the next window, when nothing of it may be under way.

use rustc_hash::{FxHashMap, FxHashSet};

use super::is_little;
use super::pairs::{WindowShape, WindowSide, WindowStreak};
use crate::batches::Batches;

/// Least number of messages in one direction; fewer are exchanges.
const LEAST: u64 = 3;

#[derive(Clone, Copy)]
pub struct WindowMessage {
    pub peer: u32,
    pub is_send: bool,
    /// The function that sends or receives it, or begins to.
    pub function: u16,
    pub bytes: u64,
    /// Begin and end of the call.
    pub begin: i64,
    pub end: i64,
    /// The request that completes it, if the call does not.
    pub request: Option<u64>,
    /// Time in MPI and calls so far.
    pub inside: (i64, i64),
}

/// Successive messages in one direction.
#[derive(Clone, Copy)]
struct Side {
    is_send: bool,
    of: WindowSide,
}

/// A window under way.
struct Open {
    first: Side,
    second: Option<Side>,
    begin: i64,
    /// Latest completion so far.
    end: i64,
    inside: (i64, i64),
}

#[derive(Default)]
pub struct WindowReader {
    peer: u32,
    open: Option<Open>,
    pending: FxHashSet<u64>,
    /// The current row, with the time in MPI and calls when it began.
    row: Option<(WindowStreak, (i64, i64))>,
    pub rows: Vec<WindowStreak>,
    /// Windows with something else between their calls, by partner and shape.
    pub parted: FxHashMap<(u32, WindowShape), u64>,
}

impl WindowReader {
    pub fn message(&mut self, message: &WindowMessage) {
        if self.peer != message.peer {
            self.end(message.inside);
            self.peer = message.peer;
        }
        let side = Side {
            is_send: message.is_send,
            of: WindowSide { function: message.function, bytes: message.bytes, count: 1 },
        };
        match self.open.as_mut().map(|open| open.take(side)) {
            Some(true) => {}
            Some(false) => {
                self.close(message.begin, message.inside);
                self.begin(side, message);
            }
            None => self.begin(side, message),
        }
        match message.request {
            Some(request) => drop(self.pending.insert(request)),
            None => self.reach(message.end),
        }
    }

    pub fn complete(&mut self, request: u64, end: i64) {
        if self.pending.remove(&request) {
            self.reach(end);
        }
    }

    /// Ends the current window and row: the thread does something else.
    pub fn end(&mut self, inside: (i64, i64)) {
        if let Some(end) = self.open.as_ref().map(|open| open.end) {
            self.close(end, inside);
        }
        self.open = None;
        self.pending.clear();
        self.end_row();
    }

    fn begin(&mut self, first: Side, message: &WindowMessage) {
        let WindowMessage { begin, inside, .. } = *message;
        self.open = Some(Open { first, second: None, begin, end: begin, inside });
    }

    fn reach(&mut self, end: i64) {
        if let Some(open) = &mut self.open {
            open.end = end;
        }
    }

    /// Ends the current window at `until`.
    fn close(&mut self, until: i64, inside: (i64, i64)) {
        let Some(open) = self.open.take() else { return };
        let shape = open.shape().filter(|_| self.pending.is_empty());
        let Some(shape) = shape else {
            self.pending.clear();
            return;
        };
        let time = until - open.begin;
        let goes_on = |row: &&mut (WindowStreak, (i64, i64))| {
            let (streak, before) = row;
            let (length, calls) = (until - streak.begin, inside.1 - before.1);
            let is_same = streak.shape == shape && streak.end == open.begin;
            is_same && is_little(length - (inside.0 - before.0), calls, length)
        };
        if let Some((row, _)) = self.row.as_mut().filter(goes_on) {
            row.add(until, time);
            return;
        }
        self.end_row();
        if is_little(time - (inside.0 - open.inside.0), inside.1 - open.inside.1, time) {
            let (peer, begin) = (self.peer, open.begin);
            let mut row = WindowStreak { peer, shape, begin, end: begin, count: 0, times: Batches::default() };
            row.add(until, time);
            self.row = Some((row, open.inside));
        } else {
            *self.parted.entry((self.peer, shape)).or_default() += 1;
        }
    }

    fn end_row(&mut self) {
        self.rows.extend(self.row.take().map(|(row, _)| row));
    }
}

impl Open {
    /// Adds a message to the window if it belongs there.
    fn take(&mut self, side: Side) -> bool {
        let has_second = self.second.is_some();
        let last = self.second.as_mut().unwrap_or(&mut self.first);
        let is_same =
            (last.is_send, last.of.bytes, last.of.function) == (side.is_send, side.of.bytes, side.of.function);
        match is_same {
            true => last.of.count += 1,
            false if !has_second && last.is_send != side.is_send => self.second = Some(side),
            false => return false,
        }
        true
    }

    fn shape(&self) -> Option<WindowShape> {
        let (first, second) = (self.first, self.second?);
        let (sends, receives) = if first.is_send { (first.of, second.of) } else { (second.of, first.of) };
        (sends.count.max(receives.count) >= LEAST).then_some(WindowShape { sends, receives })
    }
}
