//! Bins and single calls in the page's encoding.

use rustc_hash::FxHashMap;
use traces::signature::{Signature, UNKNOWN_BYTES};

use super::records::{
    ArrivedExtra, BinRecord, BinTime, CallRecord, EngineExtra, Extra, KindRecord, MarkRecord, MessageRecord,
    MovedExtra, SeveralExtra, ThreadExtra, WaitRecord, known,
};
use super::time_sums::{CallSum, WaitKind, WaitTally, inside, overlap};
use super::{Bytes, MessageLine, PictureRow};
use model::levels::PlacedCall;
use model::matching::WaitSpan;

/// A wait's state, and the rank and place that came late, by numbers of the page's lists.
pub type PageWait = (u32, Option<(u32, u32)>);

/// Common properties of single calls.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CallKind {
    pub record: KindRecord,
    /// Bytes that a call sends and posts to receive; `None` if unknown, as for starts of persistent requests.
    pub moves: Option<(u64, u64)>,
}

impl CallKind {
    /// Bytes that a call or a record of several moves: received bytes replace the posted ones.
    fn moved(&self, call: &PlacedCall<'_>) -> Option<u64> {
        let (sent, posted) = self.moves?;
        let came = call.arrived.map(|(_, bytes)| bytes).filter(|bytes| posted > 0 && *bytes != UNKNOWN_BYTES);
        let each = if call.failed || call.open { 0 } else { sent.saturating_add(came.unwrap_or(posted)) };
        Some(each.saturating_mul(call.count))
    }
}

/// A rank's part of a chunk.
#[derive(Default)]
pub struct RankSection {
    kinds: Vec<CallKind>,
    carried: usize,
    calls: usize,
    body: Bytes,
    /// Sums by kind over the chunk's time.
    sums: Vec<CallSum>,
    waits: FxHashMap<WaitKind, WaitTally>,
}

impl RankSection {
    /// Encodes calls in order, with entries into the engine. The first `carried` calls began in an earlier chunk and
    /// are repeated. `waits` are in the order of their calls.
    pub fn of(
        (calls, carried): (&[PlacedCall<'_>], usize),
        marks: &[(i64, i64, u64)],
        mut waits: &[WaitSpan],
        (from, to): (i64, i64),
        kind: impl Fn(&Signature) -> CallKind,
        wait: impl Fn(&WaitSpan) -> PageWait,
    ) -> RankSection {
        let mut section = RankSection { carried, calls: calls.len(), ..RankSection::default() };
        let mut known: FxHashMap<*const Signature, usize> = FxHashMap::default();
        let mut last = CallRecord { start: from, ..CallRecord::default() };
        for call in calls {
            let number = *known.entry(call.signature).or_insert_with(|| {
                section.kinds.push(kind(call.signature));
                section.sums.push(CallSum::default());
                section.kinds.len() - 1
            });
            waits = &waits[waits.iter().take_while(|wait| wait.call < call.start).count()..];
            let own = waits.iter().take_while(|wait| wait.call == call.start && wait.until <= call.end).count();
            let (own, rest) = waits.split_at(own);
            waits = rest;
            last = section.write(call, number, &last, own, &wait);
            section.add_up(call, number, own, (from, to), &wait);
        }
        section.body.length(marks.len());
        let mut last = MarkRecord { start: from, ..MarkRecord::default() };
        for (start, end, count) in marks {
            let mark = MarkRecord { start: *start, length: (end - start) as u64, count: *count };
            mark.write(&last, &mut section.body);
            last = mark;
        }
        section
    }

    /// Adds the part of a call and its waits that lies in the chunk's time. A call counts at its begin.
    fn add_up(
        &mut self,
        call: &PlacedCall<'_>,
        kind: usize,
        waits: &[WaitSpan],
        time: (i64, i64),
        wait: &impl Fn(&WaitSpan) -> PageWait,
    ) {
        let own = &self.kinds[kind];
        self.sums[kind].add(call, own.moved(call), inside(call, time), call.start >= time.0);
        for span in waits {
            let (state, cause) = wait(span);
            let kind = WaitKind { function: own.record.function, site: own.record.site, state, cause };
            let begins = span.from >= time.0 && span.from < time.1;
            self.waits.entry(kind).or_default().add(span, overlap((span.from, span.until), time), begins);
        }
    }

    pub fn sums(&self) -> impl Iterator<Item = (&KindRecord, &CallSum)> {
        self.kinds.iter().map(|kind| &kind.record).zip(&self.sums)
    }

    pub fn waits(&self) -> impl Iterator<Item = (&WaitKind, &WaitTally)> {
        self.waits.iter()
    }

    /// Appends a call.
    fn write(
        &mut self,
        call: &PlacedCall<'_>,
        kind: usize,
        last: &CallRecord,
        waits: &[WaitSpan],
        wait: &impl Fn(&WaitSpan) -> PageWait,
    ) -> CallRecord {
        let moved = self.kinds[kind].moved(call);
        let has_moved = moved != self.kinds[kind].record.bytes;
        let flags = Extra::Waits.flag(!waits.is_empty())
            | Extra::Engine.flag(call.engine.0 > 0)
            | Extra::Several.flag(call.count > 1)
            | Extra::Arrived.flag(call.arrived.is_some())
            | Extra::Moved.flag(has_moved)
            | Extra::Thread.flag(call.thread > 0)
            | Extra::Failed.flag(call.failed)
            | Extra::Open.flag(call.open);
        let record = CallRecord { kind: kind as u64, flags, start: call.start, length: (call.end - call.start) as u64 };
        let body = &mut self.body;
        record.write(last, body);
        if !waits.is_empty() {
            body.length(waits.len());
            for span in waits {
                let (state, cause) = wait(span);
                let (cause, place) = cause.map(|(rank, place)| (rank.into(), place.into())).unzip();
                let after = (span.from - call.start).max(0) as u64;
                let length = (span.until - span.from).max(0) as u64;
                WaitRecord { state: state.into(), after, length, cause, place }.write(&WaitRecord::default(), body);
            }
        }
        if call.engine.0 > 0 {
            let (entries, productive) = call.engine;
            EngineExtra { entries, productive }.write(&EngineExtra::default(), body);
        }
        if call.count > 1 {
            let inside = call.inside.max(0) as u64;
            SeveralExtra { calls: call.count, inside }.write(&SeveralExtra::default(), body);
        }
        if let Some((source, bytes)) = call.arrived {
            ArrivedExtra { source: source.into(), bytes: known(bytes) }.write(&ArrivedExtra::default(), body);
        }
        if has_moved {
            MovedExtra { bytes: moved }.write(&MovedExtra::default(), body);
        }
        if call.thread > 0 {
            ThreadExtra { thread: call.thread as u64 }.write(&ThreadExtra::default(), body);
        }
        record
    }
}

/// Encodes a chunk: kinds of calls, each rank's part, and messages that begin or end in its time.
pub fn chunk(sections: &[RankSection], messages: &[MessageLine], from: i64) -> Bytes {
    let mut kinds: FxHashMap<KindRecord, u64> = FxHashMap::default();
    let mut list: Vec<KindRecord> = Vec::new();
    for kind in sections.iter().flat_map(|section| &section.kinds) {
        kinds.entry(kind.record).or_insert_with(|| {
            list.push(kind.record);
            list.len() as u64 - 1
        });
    }
    let mut bytes = Bytes::default();
    bytes.length(list.len());
    for kind in &list {
        kind.write(&KindRecord::default(), &mut bytes);
    }
    for section in sections {
        bytes.length(section.kinds.len());
        for kind in &section.kinds {
            bytes.number(kinds[&kind.record], 0);
        }
        bytes.length(section.carried);
        bytes.length(section.calls);
        bytes.append(&section.body);
    }
    bytes.length(messages.len());
    let mut last = MessageRecord { begin: from, ..MessageRecord::default() };
    for message in messages {
        let record = MessageRecord {
            begin: message.begin,
            length: message.end - message.begin,
            from: message.from.into(),
            to: message.to.into(),
            bytes: message.bytes,
        };
        record.write(&last, &mut bytes);
        last = record;
    }
    bytes
}

/// Encodes some bins of all rows, without empty ones, each with the time in every function.
pub fn bins(rows: &[PictureRow], (first, count): (usize, usize), functions: &FxHashMap<u16, u32>) -> Bytes {
    let mut bytes = Bytes::default();
    for row in rows {
        let begin = row.bins.cells.partition_point(|cell| (cell.bin as usize) < first);
        let end = row.bins.cells.partition_point(|cell| (cell.bin as usize) < first + count);
        let cells = row.bins.cells.get(begin..end).unwrap_or_default();
        bytes.length(cells.len());
        let mut last = BinRecord { bin: first as i64, waited: 0 };
        for cell in cells {
            let bin = BinRecord { bin: cell.bin.into(), waited: cell.waited.max(0) as u64 };
            bin.write(&last, &mut bytes);
            last = bin;
            let times = row.bins.times(cell);
            bytes.length(times.len());
            for time in times {
                let function = functions.get(&time.function).copied().unwrap_or(0).into();
                let time = (time.ticks as f64 * row.tick).round() as u64;
                BinTime { function, time }.write(&BinTime::default(), &mut bytes);
            }
        }
    }
    bytes
}
