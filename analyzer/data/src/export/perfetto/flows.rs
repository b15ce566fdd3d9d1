//! Writes messages between ranks as arrows, and the waits of calls.
//!
//! A call may have many messages, and the viewer freezes when it draws all of their arrows at once. So each end of a message is
//! an event of its own.

use std::io;

use rustc_hash::FxHashMap;

use super::encoded_event::{Arguments, EncodedEvent, OnTrack, flow};
use super::proto::{AnnotationValue, TrackEvent};
use super::trace_file::TraceFile;
use super::tracks::{Lanes, below};
use crate::DataSet;
use metrics::words::rank_in_words;
use model::matching::{RankSite, ReceivedMessage, WaitKey, WaitSpan};

/// Writes messages between ranks that have tracks. Returns their number.
pub fn messages(file: &mut TraceFile, set: &DataSet<'_>, tracks: &[Option<u64>]) -> io::Result<u64> {
    let mut rows: Vec<Option<OnTrack>> = tracks.iter().map(|_| None).collect();
    let has_row = |file: &mut TraceFile, rows: &mut Vec<Option<OnTrack>>, rank: u32| -> io::Result<bool> {
        let rank = rank as usize;
        if let (None, Some(process)) = (&rows[rank], tracks[rank]) {
            rows[rank] = Some(OnTrack::new(below(file, "messages", process)?));
        }
        Ok(rows[rank].is_some())
    };
    // Events of message ends, by call, other rank and direction: many messages share one.
    let mut ends: FxHashMap<(RankSite, u32, bool), EncodedEvent> = FxHashMap::default();
    let end_of = |file: &mut TraceFile, (own, what): (RankSite, &str), other: RankSite, way: &str| {
        let mut event = file.event(&format!("{way} {}", name(set, other)), "message");
        place(file, set, &mut event, what, own);
        EncodedEvent::new(&event)
    };
    let (mut keys, mut arguments, mut written) = (None, Arguments::default(), 0);
    for message in (0..tracks.len()).flat_map(|rank| set.messages(rank)) {
        let ReceivedMessage { from, to, begin, end, .. } = *message;
        let (sender, receiver) = (has_row(file, &mut rows, from.rank)?, has_row(file, &mut rows, to.rank)?);
        if !sender || !receiver {
            continue;
        }
        written += 1;
        let (sending, receiving) = ((from, to.rank, true), (to, from.rank, false));
        ends.entry(sending).or_insert_with(|| end_of(file, (from, "sent"), to, "to"));
        ends.entry(receiving).or_insert_with(|| end_of(file, (to, "received"), from, "from"));
        let [bytes, tag, communicator] =
            *keys.get_or_insert_with(|| ["bytes", "tag", "communicator"].map(|key| file.key(key)));
        arguments.0.clear();
        arguments.add(bytes, AnnotationValue::Whole(message.received));
        arguments.add(tag, AnnotationValue::Signed(message.tag.into()));
        arguments.add(communicator, AnnotationValue::Whole(message.communicator.into()));
        let sides = [(from, begin, sending, false), (to, end, receiving, end >= begin)];
        for (own, at, event, ends_here) in sides {
            let (Some(row), Some(event)) = (&rows[own.rank as usize], ends.get(&event)) else { continue };
            // An arrow that ends before it begins would never end.
            file.encoded_instant(row, at, event, (&arguments, &flow(written, ends_here)))?;
        }
    }
    Ok(written)
}

/// Writes the waits of ranks that have tracks. Returns their number.
pub fn waits(file: &mut TraceFile, set: &DataSet<'_>, tracks: &[Option<u64>]) -> io::Result<u64> {
    let mut events: FxHashMap<WaitKey, EncodedEvent> = FxHashMap::default();
    let none = Arguments::default();
    let event_of = |file: &mut TraceFile, key: WaitKey| {
        let mut event = file.event(key.state.name(), "wait state");
        place(file, set, &mut event, "waiting", key.waiter);
        // Without a cause, no single rank was late.
        if key.cause.rank != key.waiter.rank {
            file.text(&mut event, "for", &name(set, key.cause));
            place(file, set, &mut event, "late", key.cause);
        }
        EncodedEvent::new(&event)
    };
    let mut written = 0;
    for (at, track) in tracks.iter().enumerate() {
        let Some(process) = *track else { continue };
        let mut lanes = Lanes::new("wait states", process);
        for WaitSpan { from, until, key, .. } in set.waits(at).iter().copied() {
            let event = events.entry(key).or_insert_with(|| event_of(file, key));
            let until = until.max(from);
            let track = lanes.at(file, (from, until))?;
            file.encoded_slice(&OnTrack::new(track), (from, until), event, &none)?;
            written += 1;
        }
    }
    Ok(written)
}

fn name(set: &DataSet<'_>, of: RankSite) -> String {
    rank_in_words(&set.run.ranks[of.rank as usize])
}

/// Adds function and call site.
fn place(file: &mut TraceFile, set: &DataSet<'_>, event: &mut TrackEvent, what: &str, of: RankSite) {
    let (names, number) = (set.names(), of.place.number());
    if let (Some(function), Some(site)) = (names.functions.get(number), names.sites.get(number)) {
        file.text(event, &format!("{what}_by"), function);
        file.text(event, &format!("{what}_at"), site);
    }
}
