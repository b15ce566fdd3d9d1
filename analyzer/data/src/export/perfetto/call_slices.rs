//! Writes a thread's calls as slices, with their arguments and call stacks, and its samples.

use std::io;

use rustc_hash::FxHashMap;
use traces::calls::Call;
use traces::read::ThreadPages;
use traces::signature::{Signature, peer};

use super::encoded_event::{Arguments, EncodedEvent, OnTrack};
use super::proto::{AnnotationValue, TrackEvent};
use super::trace_file::TraceFile;
use metrics::words::{object, peer_in_words, peer_role};
use model::common_clock::ClockLine;
use model::levels::{self, SingleCalls, TimeClass};
use model::rank::function;
use model::thread_calls::Extras;
use model::{Rank, Run};

/// Writes a thread's calls. Returns their number.
pub fn write(
    file: &mut TraceFile,
    run: &Run,
    rank: &Rank,
    thread: &ThreadPages<'_>,
    line: &ClockLine,
    track: u64,
) -> io::Result<u64> {
    let mut calls = SingleCalls::new(thread, rank, Extras::empty());
    let mut events: FxHashMap<u32, EncodedEvent> = FxHashMap::default();
    let (mut keys, mut arguments, on_track) = (CallKeys::default(), Arguments::default(), OnTrack::new(track));
    let mut written = 0;
    while let Some(call) = calls.peek() {
        let signature = call.signature;
        let of_open;
        let event = match call.open {
            // Its signature may have no number yet.
            true => {
                of_open = EncodedEvent::new(&event(file, run, rank, signature));
                &of_open
            }
            false => &*events
                .entry(signature.number)
                .or_insert_with(|| EncodedEvent::new(&event(file, run, rank, signature))),
        };
        arguments.0.clear();
        let mut add = |key: CallKey, value| arguments.add(keys.number(file, key), value);
        if !call.failed && !call.open {
            let (sent, received) = signature.moves();
            // A message of a completed request belongs to the request.
            let came = call.arrived.filter(|_| received > 0).map_or(received, |(_, bytes)| bytes);
            for (key, bytes) in [(CallKey::Sent, sent), (CallKey::Received, came)].into_iter().filter(|(_, n)| *n > 0) {
                add(key, AnnotationValue::Whole(bytes));
            }
        }
        if call.count > 1 {
            add(CallKey::Calls, AnnotationValue::Whole(call.count));
            add(CallKey::Inside, AnnotationValue::Signed(line.duration(call.inside)));
        }
        if call.engine.entries > 0 {
            add(CallKey::Entries, AnnotationValue::Whole(call.engine.entries));
            add(CallKey::ProductiveEntries, AnnotationValue::Whole(call.engine.productive));
        }
        if call.failed {
            add(CallKey::Failed, AnnotationValue::Flag(true));
        }
        if call.open {
            add(CallKey::Open, AnnotationValue::Flag(true));
        }
        let from = line.nanoseconds_at(call.start);
        let to = line.nanoseconds_at(call.end);
        file.encoded_slice(&on_track, (from, to.max(from)), event, &arguments)?;
        written += call.count;
        calls.advance();
    }
    Ok(written)
}

/// The arguments that calls of one signature do not share.
#[derive(Clone, Copy)]
enum CallKey {
    Sent,
    Received,
    Calls,
    Inside,
    Entries,
    ProductiveEntries,
    Failed,
    Open,
}

const CALL_KEYS: [&str; 8] = [
    "sent_bytes",
    "received_bytes",
    "calls",
    "inside_ns",
    "engine_entries",
    "engine_productive_entries",
    "failed",
    "open",
];

/// Numbers of those keys that were used.
#[derive(Default)]
struct CallKeys([Option<u64>; CALL_KEYS.len()]);

impl CallKeys {
    fn number(&mut self, file: &mut TraceFile, key: CallKey) -> u64 {
        *self.0[key as usize].get_or_insert_with(|| file.key(CALL_KEYS[key as usize]))
    }
}

/// Writes the places where a rank's threads, given by number and track, were sampled between calls. Returns the number
/// of samples.
pub fn samples(
    file: &mut TraceFile,
    run: &Run,
    rank: &Rank,
    line: &ClockLine,
    threads: &[(u32, u64)],
) -> io::Result<u64> {
    let mut callstacks: FxHashMap<u32, u64> = FxHashMap::default();
    let mut written = 0;
    for sample in levels::samples(rank, line) {
        let Some((_, track)) = threads.iter().find(|(number, _)| *number == sample.thread) else { continue };
        let mut event = file.event("sample", "sample");
        event.callstack_iid = *callstacks.entry(sample.site).or_insert_with(|| {
            let mut stack = run.sites.stack(rank, sample.site, String::new());
            // A sample calls nothing.
            stack.pop();
            file.callstack(stack.iter().map(|(function, _)| function.as_str()))
        });
        file.signed(&mut event, "processor_time_ns", sample.time);
        file.instant(*track, sample.at, event)?;
        written += 1;
    }
    Ok(written)
}

/// Event with the attributes that all calls of a signature share.
fn event(file: &mut TraceFile, run: &Run, rank: &Rank, signature: &Signature) -> TrackEvent {
    let mut event = file.event(&function(signature), TimeClass::of(signature.call).name());
    if signature.site != 0 {
        file.text(&mut event, "call_site", &run.sites.name(rank, signature.site));
    }
    if !rank.callers.is_empty() {
        let stack = run.sites.stack(rank, signature.site, function(signature));
        event.callstack_iid = file.callstack(stack.iter().map(|(function, _)| function.as_str()));
    }
    if signature.object != 0 {
        file.text(&mut event, "object", &object(rank, signature).0);
    }
    let role = Call::from_number(signature.call).map_or("peer", peer_role);
    let sources = [
        (role, "tag", signature.peer, signature.tag),
        ("source", "source_tag", signature.source, signature.source_tag),
    ];
    for (key, tag_key, partner, tag) in sources.into_iter().filter(|source| source.2 != peer::NONE) {
        match u64::try_from(partner) {
            Ok(number) => file.whole(&mut event, key, number),
            Err(_) => file.text(&mut event, key, &peer_in_words(partner)),
        }
        if tag >= 0 {
            file.signed(&mut event, tag_key, tag.into());
        }
    }
    event
}
