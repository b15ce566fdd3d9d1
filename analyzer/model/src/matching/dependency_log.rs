//! What a rank's calls depend on, noted while the rank is matched, so that replays need not match again.
//!
//! In: the rank's marks, which are its positions that others may wait for, and its dependencies, which become known in any order. Out:
//! both as [bytes](super::dependency_bytes), in the order of the calls of its first thread.

use std::collections::VecDeque;

use super::dependency_bytes::{MarkBytes, Note, NoteBytes, NotedMark, NotedNode};
use super::scenario::WayKind;

/// A dependency that may not be known yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpenNote {
    Receive,
    /// Of a send of so many bytes.
    Send(u64),
    Known(Note),
}

/// The notes of one rank that are not written yet, and the bytes of others.
#[derive(Default)]
pub struct DependencyLog {
    is_wanted: bool,
    /// Calls of the first thread so far, and begin and site of the last one.
    calls: u64,
    call: (i64, u32),
    notes: VecDeque<(u64, OpenNote)>,
    /// Number of the first of `notes`.
    first: u64,
    written: NoteBytes,
    marks: MarkBytes,
    /// Time at which the rank's records begin, if the oldest were dropped.
    pub begin: Option<i64>,
}

impl DependencyLog {
    pub fn new(is_wanted: bool) -> DependencyLog {
        DependencyLog { is_wanted, ..DependencyLog::default() }
    }

    pub fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    /// Forgets all, since the run is matched again.
    pub fn stop(&mut self) {
        *self = DependencyLog::default();
    }

    /// Adds the next call of the first thread.
    #[inline]
    pub fn call(&mut self, at: i64, site: u32) {
        self.calls += 1;
        self.call = (at, site);
    }

    /// Adds a position at a time and a site. Returns its number.
    #[inline]
    pub fn mark(&mut self, at: i64, site: u32) -> u32 {
        if !self.is_wanted {
            return 0;
        }
        let elsewhere = Some((at, site)).filter(|here| *here != self.call);
        let notes = self.first + self.notes.len() as u64;
        self.marks.put(self.calls, notes, elsewhere)
    }

    /// Adds a note. Returns its number.
    #[inline]
    pub fn add(&mut self, note: OpenNote) -> u64 {
        let number = self.first + self.notes.len() as u64;
        if self.is_wanted {
            self.notes.push_back((self.calls, note));
        }
        number
    }

    /// Fills the first open note of its kind at or after `expected`. Returns the number to pass for the
    /// next one of its kind and call.
    #[inline]
    pub fn known(&mut self, expected: u64, note: Note) -> u64 {
        let is_send = note.is_of_send();
        let from = (expected.saturating_sub(self.first) as usize).min(self.notes.len());
        for ((_, open), at) in self.notes.range_mut(from..).zip(from..) {
            let fits = match open {
                OpenNote::Receive => !is_send,
                OpenNote::Send(_) => is_send,
                OpenNote::Known(_) => false,
            };
            if fits {
                *open = OpenNote::Known(note);
                return self.first + at as u64 + 1;
            }
        }
        if let Note::Message { sent: mark, is_last: true, .. } | Note::Posted { posted: Some(mark), .. } = note {
            self.forget(Some(mark));
        }
        expected
    }

    /// Notes that nobody waits for a position.
    pub fn forget(&mut self, mark: Option<NotedMark>) {
        if let Some(mark) = mark {
            self.add(OpenNote::Known(Note::Unneeded(mark)));
        }
    }

    /// Notes that the rank reaches a node, at a time and a site.
    pub fn comes(&mut self, node: NotedNode, (at, site): (i64, u32)) {
        let elsewhere = Some((at, site)).filter(|here| *here != self.call);
        self.add(OpenNote::Known(Note::Comes(node, elsewhere)));
    }

    /// Notes that the rank waits at a node, how, and the bytes that it gets.
    pub fn awaits(&mut self, (node, kind, bytes): (NotedNode, WayKind, u64)) {
        self.add(OpenNote::Known(Note::Awaits(node, kind, bytes)));
    }

    /// Writes the notes before the first one that is open.
    pub fn write_known(&mut self) {
        while let Some((calls, OpenNote::Known(note))) = self.notes.front() {
            self.written.put(*calls, note);
            self.notes.pop_front();
            self.first += 1;
        }
    }

    /// Writes all notes. One that is still open depends on nothing that was recorded.
    pub fn write_all(&mut self) {
        for (calls, note) in self.notes.drain(..) {
            let note = match note {
                OpenNote::Known(note) => note,
                OpenNote::Receive => Note::Nothing,
                OpenNote::Send(bytes) => Note::Posted { posted: None, bytes, is_late: false },
            };
            self.written.put(calls, &note);
        }
    }

    /// Bytes of notes and of marks that were written.
    pub fn bytes(&mut self) -> [&mut Vec<u8>; 2] {
        [&mut self.written.bytes, &mut self.marks.bytes]
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::super::dependency_bytes::{MarkPlace, NotedMarks, Notes, Pieces};
    use super::*;

    #[test]
    fn notes_and_marks_come_back_in_the_order_of_their_calls_however_late_they_are_known() {
        let mut log = DependencyLog::new(true);
        let mark = |number| NotedMark { rank: 300, number };
        let node = NotedNode { number: 1 << 40, needed: 3, parts: 4, is_last: true };
        log.call(100, 7);
        assert_eq!((log.mark(100, 7), log.mark(-90, 8)), (0, 1));
        let sends = log.add(OpenNote::Send(64));
        let receives = log.add(OpenNote::Receive);
        log.write_known();
        log.call(200, 9);
        log.comes(node, (200, 9));
        log.comes(NotedNode { number: 5, ..node }, (150, 9));
        log.add(OpenNote::Known(Note::Awaits(node, WayKind::Through(6), 1 << 33)));
        assert_eq!(log.mark(200, 9), 2);
        let message = Note::Message { sent: mark(1 << 20), bytes: 8, of_any: NonZeroU32::new(77), is_last: true };
        assert_eq!(log.known(sends, message), receives + 1);
        let posted = Note::Posted { posted: Some(mark(3)), bytes: 64, is_late: true };
        log.known(sends, posted);
        assert_eq!(log.known(sends, Note::Posted { posted: Some(mark(4)), bytes: 1, is_late: false }), sends);
        log.add(OpenNote::Send(9));
        log.write_all();
        let [notes, marks] = log.bytes();
        let (mut notes, mut marks) =
            (Notes::of(Pieces::of([&notes[..]].into_iter())), NotedMarks::of(Pieces::of([&marks[..]].into_iter())));
        let expected = [
            (1, posted),
            (1, message),
            (2, Note::Comes(node, None)),
            (2, Note::Comes(NotedNode { number: 5, ..node }, Some((150, 9)))),
            (2, Note::Awaits(node, WayKind::Through(6), 1 << 33)),
            (2, Note::Unneeded(mark(4))),
            (2, Note::Posted { posted: None, bytes: 9, is_late: false }),
        ];
        for note in expected {
            assert_eq!(notes.next, Some(note));
            notes.advance();
        }
        assert_eq!(notes.next, None);
        for (calls, notes, elsewhere) in [(1, 0, None), (1, 0, Some((-90, 8))), (2, 5, None)] {
            assert_eq!(marks.next, Some(MarkPlace { calls, notes, elsewhere }));
            marks.advance();
        }
        assert_eq!(marks.next, None);
    }
}
