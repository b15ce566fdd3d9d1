//! What calls depend on, as bytes.
//!
//! In: marks and notes in the order of a rank's calls. Out: bytes, and from these the same again. A mark is known by its rank and its
//! number there, so a message takes some nine bytes at each of its ends.

use std::num::NonZeroU32;

use super::collective_node::CollectiveNode;
use super::scenario::WayKind;

/// A position of a rank that others may wait for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotedMark {
    pub rank: u32,
    pub number: u32,
}

/// A node of the replay at which ranks meet, by its number in the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotedNode {
    pub number: u64,
    /// Ranks that must reach it.
    pub needed: u32,
    /// Parts of ranks in it, after which nobody needs it any more.
    pub parts: u32,
    /// The last of a rank's notes about its part.
    pub is_last: bool,
}

impl NotedNode {
    pub fn of(node: &CollectiveNode, parts: u32, is_last: bool) -> NotedNode {
        NotedNode { number: node.number(), needed: node.needed(), parts, is_last }
    }
}

/// A dependency of a call, or a contribution to a collective call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Note {
    /// Nothing that was recorded.
    Nothing,
    /// A message from its sender; `is_last` unless a probe found it, and `of_any` as in [`Post`](super::posted_receive::Post).
    Message {
        sent: NotedMark,
        bytes: u64,
        of_any: Option<NonZeroU32>,
        is_last: bool,
    },
    /// A send, and the position at which its receive was posted, if known. With `is_late` the send waited for it.
    Posted {
        posted: Option<NotedMark>,
        bytes: u64,
        is_late: bool,
    },
    /// The rank reaches a node at this time and site, or with the call.
    Comes(NotedNode, Option<(i64, u32)>),
    Awaits(NotedNode, WayKind, u64),
    /// Nobody waits for this position.
    Unneeded(NotedMark),
}

impl Note {
    pub fn is_of_send(&self) -> bool {
        matches!(self, Note::Posted { .. })
    }
}

/// Writes notes.
#[derive(Default)]
pub struct NoteBytes {
    pub bytes: Vec<u8>,
    /// The last note's call, and the last node.
    calls: u64,
    node: u64,
    /// The last mark's number.
    number: u32,
}

const KINDS: u64 = 16;

impl NoteBytes {
    pub fn put(&mut self, calls: u64, note: &Note) {
        let kind = match note {
            Note::Nothing => 0,
            Note::Message { of_any, is_last, .. } => 1 + u64::from(*is_last) + 2 * u64::from(of_any.is_some()),
            Note::Posted { posted, is_late, .. } => 5 + u64::from(*is_late) + 2 * u64::from(posted.is_some()),
            Note::Comes(_, elsewhere) => 9 + u64::from(elsewhere.is_some()),
            Note::Awaits(..) => 11,
            Note::Unneeded(_) => 12,
        };
        put(&mut self.bytes, (calls - self.calls) * KINDS + kind);
        self.calls = calls;
        match *note {
            Note::Nothing => {}
            Note::Message { sent, bytes, of_any, .. } => {
                self.mark(sent);
                put(&mut self.bytes, bytes);
                if let Some(answers) = of_any {
                    put(&mut self.bytes, answers.get().into());
                }
            }
            Note::Posted { posted, bytes, .. } => {
                if let Some(posted) = posted {
                    self.mark(posted);
                }
                put(&mut self.bytes, bytes);
            }
            Note::Comes(node, elsewhere) => {
                self.node(node);
                put_place(&mut self.bytes, elsewhere);
            }
            Note::Awaits(node, kind, bytes) => {
                self.node(node);
                let (kind, ranks) = match kind {
                    WayKind::Together(ranks) => (0, ranks),
                    WayKind::Through(ranks) => (1, ranks),
                    _ => (2, 0),
                };
                put(&mut self.bytes, u64::from(ranks) * 3 + kind);
                put(&mut self.bytes, bytes);
            }
            Note::Unneeded(mark) => self.mark(mark),
        }
    }

    fn mark(&mut self, mark: NotedMark) {
        put(&mut self.bytes, mark.rank.into());
        // Ranks mostly make about as many.
        put_signed(&mut self.bytes, i64::from(mark.number) - i64::from(self.number));
        self.number = mark.number;
    }

    fn node(&mut self, node: NotedNode) {
        put_signed(&mut self.bytes, node.number.wrapping_sub(self.node) as i64);
        self.node = node.number;
        put(&mut self.bytes, node.needed.into());
        put(&mut self.bytes, u64::from(node.parts) * 2 + u64::from(node.is_last));
    }
}

/// Writes marks.
#[derive(Default)]
pub struct MarkBytes {
    pub bytes: Vec<u8>,
    count: u32,
    calls: u64,
    notes: u64,
}

impl MarkBytes {
    /// Adds a mark. Returns its number.
    pub fn put(&mut self, calls: u64, notes: u64, elsewhere: Option<(i64, u32)>) -> u32 {
        put(&mut self.bytes, (calls - self.calls) * 2 + u64::from(elsewhere.is_some()));
        put(&mut self.bytes, notes - self.notes);
        put_place(&mut self.bytes, elsewhere);
        (self.calls, self.notes) = (calls, notes);
        let number = self.count;
        self.count = number.wrapping_add(1);
        number
    }
}

/// Bytes of one rank, in pieces of whole entries.
pub struct Pieces<'a> {
    piece: &'a [u8],
    rest: Box<dyn Iterator<Item = &'a [u8]> + Send + 'a>,
}

impl<'a> Pieces<'a> {
    pub fn of(rest: impl Iterator<Item = &'a [u8]> + Send + 'a) -> Pieces<'a> {
        Pieces { piece: &[], rest: Box::new(rest) }
    }

    /// The first number of the next entry; `None` behind the last one.
    fn begin(&mut self) -> Option<u64> {
        while self.piece.is_empty() {
            self.piece = self.rest.next()?;
        }
        Some(self.take())
    }

    #[inline]
    fn take(&mut self) -> u64 {
        let (mut value, mut shift) = (0, 0);
        while let Some((byte, rest)) = self.piece.split_first() {
            self.piece = rest;
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if *byte < 0x80 {
                break;
            }
        }
        value
    }

    fn take_signed(&mut self) -> i64 {
        let value = self.take();
        (value >> 1) as i64 ^ -((value & 1) as i64)
    }

    fn take_place(&mut self) -> (i64, u32) {
        (self.take_signed(), self.take() as u32)
    }
}

/// Reads a rank's notes.
pub struct Notes<'a> {
    bytes: Pieces<'a>,
    calls: u64,
    node: u64,
    number: u32,
    /// The next note with the number of its call.
    pub next: Option<(u64, Note)>,
}

impl<'a> Notes<'a> {
    pub fn of(bytes: Pieces<'a>) -> Notes<'a> {
        let mut notes = Notes { bytes, calls: 0, node: 0, number: 0, next: None };
        notes.advance();
        notes
    }

    pub fn advance(&mut self) {
        let Some(first) = self.bytes.begin() else {
            self.next = None;
            return;
        };
        self.calls += first / KINDS;
        let note = match first % KINDS {
            0 => Note::Nothing,
            kind @ 1..5 => {
                let (sent, bytes) = (self.mark(), self.bytes.take());
                let of_any = if kind > 2 { NonZeroU32::new(self.bytes.take() as u32) } else { None };
                Note::Message { sent, bytes, of_any, is_last: kind % 2 == 0 }
            }
            kind @ 5..9 => {
                let posted = (kind > 6).then(|| self.mark());
                Note::Posted { posted, bytes: self.bytes.take(), is_late: kind % 2 == 0 }
            }
            9 => Note::Comes(self.node(), None),
            10 => Note::Comes(self.node(), Some(self.bytes.take_place())),
            11 => {
                let (node, kind) = (self.node(), self.bytes.take());
                let ranks = (kind / 3) as u32;
                let kind = [WayKind::Together(ranks), WayKind::Through(ranks), WayKind::Step][(kind % 3) as usize];
                Note::Awaits(node, kind, self.bytes.take())
            }
            _ => Note::Unneeded(self.mark()),
        };
        self.next = Some((self.calls, note));
    }

    fn mark(&mut self) -> NotedMark {
        let rank = self.bytes.take() as u32;
        self.number = self.number.wrapping_add(self.bytes.take_signed() as u32);
        NotedMark { rank, number: self.number }
    }

    fn node(&mut self) -> NotedNode {
        self.node = self.node.wrapping_add_signed(self.bytes.take_signed());
        let (needed, parts) = (self.bytes.take() as u32, self.bytes.take());
        NotedNode { number: self.node, needed, parts: (parts / 2) as u32, is_last: parts % 2 == 1 }
    }
}

/// Reads a rank's marks.
pub struct NotedMarks<'a> {
    bytes: Pieces<'a>,
    pub next: Option<MarkPlace>,
}

/// Where a rank has a mark.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MarkPlace {
    /// Calls and notes before it.
    pub calls: u64,
    pub notes: u64,
    /// Its time and site, if they are not the last call's.
    pub elsewhere: Option<(i64, u32)>,
}

impl<'a> NotedMarks<'a> {
    pub fn of(bytes: Pieces<'a>) -> NotedMarks<'a> {
        let mut marks = NotedMarks { bytes, next: Some(MarkPlace::default()) };
        marks.advance();
        marks
    }

    pub fn advance(&mut self) {
        let MarkPlace { calls, notes, .. } = self.next.unwrap_or_default();
        let first = self.bytes.begin();
        self.next = first.map(|first| {
            let (calls, notes) = (calls + first / 2, notes + self.bytes.take());
            MarkPlace { calls, notes, elsewhere: (first % 2 == 1).then(|| self.bytes.take_place()) }
        });
    }
}

#[inline]
fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn put_signed(bytes: &mut Vec<u8>, value: i64) {
    put(bytes, (value << 1 ^ value >> 63) as u64);
}

fn put_place(bytes: &mut Vec<u8>, place: Option<(i64, u32)>) {
    if let Some((at, site)) = place {
        put_signed(bytes, at);
        put(bytes, site.into());
    }
}
