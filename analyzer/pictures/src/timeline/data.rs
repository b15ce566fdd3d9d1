//! Bins and single calls as a page takes them. `page/timeline/decode.js` is the other half of each function here.

use rustc_hash::FxHashMap;
use traces::signature::{Signature, UNKNOWN_BYTES};

use super::kind::KindRow;
use super::sums::{CallSum, WaitKind, WaitTally, inside, overlap};
use super::{Bytes, MessageLine, PictureRow};
use model::levels::PlacedCall;
use model::matching::WaitSpan;

/// A wait's reasons by the numbers of the page's lists: state, rank and place that came late.
pub type PageWait = (u32, Option<(u32, u32)>);

/// What flags of a call say.
const WAITED: u64 = 1;
const ENGINE: u64 = 2;
const SEVERAL: u64 = 4;
const ARRIVED: u64 = 8;
const FAILED: u64 = 16;
const OPEN: u64 = 32;
const THREAD: u64 = 64;

/// A rank's part of a chunk.
#[derive(Default)]
pub struct RankSection {
    kinds: Vec<KindRow>,
    carried: u64,
    calls: u64,
    body: Bytes,
    /// What the calls of each kind come to in the chunk's time.
    sums: Vec<CallSum>,
    waits: FxHashMap<WaitKind, WaitTally>,
}

impl RankSection {
    /// Of calls in order, with entries into the engine. The first calls, so many, began in an earlier chunk and are told again.
    /// `waits` are in the order of their calls.
    pub fn of(
        (calls, carried): (&[PlacedCall<'_>], usize),
        marks: &[(i64, i64, u64)],
        mut waits: &[WaitSpan],
        (from, to): (i64, i64),
        kind: impl Fn(&Signature) -> KindRow,
        wait: impl Fn(&WaitSpan) -> PageWait,
    ) -> RankSection {
        let mut section = RankSection { carried: carried as u64, ..RankSection::default() };
        let mut known: FxHashMap<*const Signature, u64> = FxHashMap::default();
        let mut last = from;
        for call in calls {
            let number = *known.entry(call.signature).or_insert_with(|| {
                section.kinds.push(kind(call.signature));
                section.sums.push(CallSum::default());
                section.kinds.len() as u64 - 1
            });
            waits = &waits[waits.iter().take_while(|wait| wait.call < call.start).count()..];
            let own = waits.iter().take_while(|wait| wait.call == call.start && wait.until <= call.end).count();
            let (own, rest) = waits.split_at(own);
            waits = rest;
            section.call(call, number, last, own, &wait);
            section.add_up(call, number as usize, own, (from, to), &wait);
            last = call.start;
        }
        section.body.number(marks.len() as u64);
        let mut last = from;
        for (start, end, count) in marks {
            section.body.signed(start - last);
            section.body.number((end - start) as u64);
            section.body.number(*count);
            last = *start;
        }
        section
    }

    /// What of a call and its waits is in the chunk's time. It counts where it begins.
    fn add_up(
        &mut self,
        call: &PlacedCall<'_>,
        kind: usize,
        waits: &[WaitSpan],
        time: (i64, i64),
        wait: &impl Fn(&WaitSpan) -> PageWait,
    ) {
        let own = &self.kinds[kind];
        self.sums[kind].add(call, own, inside(call, time), call.start >= time.0);
        for span in waits {
            let (state, cause) = wait(span);
            let kind = WaitKind { function: own.function, site: own.site, state, cause };
            let begins = span.from >= time.0 && span.from < time.1;
            self.waits.entry(kind).or_default().add(span, overlap((span.from, span.until), time), begins);
        }
    }

    /// What its calls come to, by kind.
    pub fn sums(&self) -> impl Iterator<Item = (&KindRow, &CallSum)> {
        self.kinds.iter().zip(&self.sums)
    }

    /// What its waits come to.
    pub fn waits(&self) -> impl Iterator<Item = (&WaitKind, &WaitTally)> {
        self.waits.iter()
    }

    fn call(
        &mut self,
        call: &PlacedCall<'_>,
        kind: u64,
        last: i64,
        waits: &[WaitSpan],
        wait: &impl Fn(&WaitSpan) -> PageWait,
    ) {
        let body = &mut self.body;
        self.calls += 1;
        let flag = |is: bool, flag: u64| if is { flag } else { 0 };
        let flags = flag(!waits.is_empty(), WAITED)
            | flag(call.engine.0 > 0, ENGINE)
            | flag(call.count > 1, SEVERAL)
            | flag(call.arrived.is_some(), ARRIVED)
            | flag(call.failed, FAILED)
            | flag(call.open, OPEN)
            | flag(call.thread > 0, THREAD);
        body.number(kind);
        body.number(flags);
        body.signed(call.start - last);
        body.number((call.end - call.start) as u64);
        if !waits.is_empty() {
            body.number(waits.len() as u64);
            for span in waits {
                let (state, cause) = wait(span);
                body.number(state.into());
                body.number((span.from - call.start).max(0) as u64);
                body.number((span.until - span.from).max(0) as u64);
                body.number(cause.map_or(0, |cause| u64::from(cause.0) + 1));
                body.number(cause.map_or(0, |cause| u64::from(cause.1)));
            }
        }
        if call.engine.0 > 0 {
            body.number(call.engine.0);
            body.number(call.engine.1);
        }
        if call.count > 1 {
            body.number(call.count);
            body.number(call.inside.max(0) as u64);
        }
        if let Some((source, bytes)) = call.arrived {
            body.signed(source.into());
            body.number(known_bytes(bytes));
        }
        if call.thread > 0 {
            body.number(call.thread as u64);
        }
    }
}

/// One more than they are; 0 where they are not known.
fn known_bytes(bytes: u64) -> u64 {
    if bytes == UNKNOWN_BYTES { 0 } else { bytes.saturating_add(1) }
}

/// A chunk: what its calls have in common, each rank's part, and messages that begin or end in its time.
pub fn chunk(sections: &[RankSection], messages: &[MessageLine], from: i64) -> Bytes {
    let mut kinds: FxHashMap<KindRow, u64> = FxHashMap::default();
    let mut list: Vec<KindRow> = Vec::new();
    for kind in sections.iter().flat_map(|section| &section.kinds) {
        kinds.entry(*kind).or_insert_with(|| {
            list.push(*kind);
            list.len() as u64 - 1
        });
    }
    let mut bytes = Bytes::default();
    bytes.number(list.len() as u64);
    for kind in &list {
        [kind.function, kind.site, kind.object].into_iter().for_each(|number| bytes.number(number.into()));
        let both = [kind.peer.0, kind.peer.1, kind.source.0, kind.source.1];
        both.into_iter().for_each(|number| bytes.signed(number.into()));
        bytes.number(known_bytes(kind.bytes.0));
        bytes.number(known_bytes(kind.bytes.1));
        bytes.number(kind.moves.0);
        bytes.number(kind.moves.1);
    }
    for section in sections {
        bytes.number(section.kinds.len() as u64);
        section.kinds.iter().for_each(|kind| bytes.number(kinds[kind]));
        bytes.number(section.carried);
        bytes.number(section.calls);
        bytes.append(&section.body);
    }
    bytes.number(messages.len() as u64);
    let mut last = from;
    for message in messages {
        bytes.signed(message.begin - last);
        bytes.signed(message.end - message.begin);
        bytes.number(message.from.into());
        bytes.number(message.to.into());
        bytes.number(message.bytes);
        last = message.begin;
    }
    bytes
}

/// Some bins of all rows: for each bin in which something was, the time of each function, nanoseconds.
pub fn bins(rows: &[PictureRow], (first, count): (usize, usize), functions: &FxHashMap<u16, u32>) -> Bytes {
    let mut bytes = Bytes::default();
    for row in rows {
        let begin = row.bins.cells.partition_point(|cell| (cell.bin as usize) < first);
        let end = row.bins.cells.partition_point(|cell| (cell.bin as usize) < first + count);
        let cells = row.bins.cells.get(begin..end).unwrap_or_default();
        bytes.number(cells.len() as u64);
        let mut next = first as u64;
        for cell in cells {
            let nanoseconds = |ticks: u64| (ticks as f64 * row.tick).round() as u64;
            let times = row.bins.times(cell);
            bytes.number(u64::from(cell.bin) - next);
            next = u64::from(cell.bin) + 1;
            bytes.number(times.len() as u64);
            for time in times {
                bytes.number(functions.get(&time.function).copied().unwrap_or(0).into());
                bytes.number(nanoseconds(time.ticks));
            }
            bytes.number(cell.waited.max(0) as u64);
            bytes.number(cell.productive);
            bytes.number(functions.get(&cell.longest_function).copied().unwrap_or(0).into());
            bytes.number(nanoseconds(cell.longest));
        }
    }
    bytes
}
