//! Writes a thread's calls as slices, with their arguments and call stacks, and its samples.

use std::io;

use rustc_hash::FxHashMap;
use traces::calls::Call;
use traces::read::ThreadPages;
use traces::signature::{Signature, peer};

use super::proto::TrackEvent;
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
    let mut events: FxHashMap<u32, TrackEvent> = FxHashMap::default();
    let mut written = 0;
    while let Some(call) = calls.peek() {
        let signature = call.signature;
        let mut event = match call.open {
            // Its signature may have no number yet.
            true => event(file, run, rank, signature),
            false => events.entry(signature.number).or_insert_with(|| event(file, run, rank, signature)).clone(),
        };
        let (sent, received) = signature.moves();
        // A message of a completed request belongs to the request.
        let came = call.arrived.filter(|_| received > 0).map_or(received, |(_, bytes)| bytes);
        if !call.failed && !call.open {
            for (key, bytes) in [("sent_bytes", sent), ("received_bytes", came)].into_iter().filter(|(_, n)| *n > 0) {
                file.whole(&mut event, key, bytes);
            }
        }
        if call.count > 1 {
            file.whole(&mut event, "calls", call.count);
            file.signed(&mut event, "inside_ns", line.duration(call.inside));
        }
        if call.engine.entries > 0 {
            file.whole(&mut event, "engine_entries", call.engine.entries);
            file.whole(&mut event, "engine_productive_entries", call.engine.productive);
        }
        if call.failed {
            file.flag(&mut event, "failed");
        }
        if call.open {
            file.flag(&mut event, "open");
        }
        let from = line.nanoseconds_at(call.start);
        let to = line.nanoseconds_at(call.end);
        file.slice(track, (from, to.max(from)), event)?;
        written += call.count;
        calls.advance();
    }
    Ok(written)
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
