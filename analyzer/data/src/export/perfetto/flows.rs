//! Writes messages between ranks as arrows, and the waits of calls.
//!
//! A call may have many messages, and the viewer freezes when it draws all of their arrows at once. So each end of a message is
//! an event of its own.

use std::io;

use rustc_hash::FxHashMap;

use super::proto::TrackEvent;
use super::trace_file::TraceFile;
use super::tracks::{Lanes, below};
use crate::DataSet;
use metrics::words::rank_in_words;
use model::matching::{RankSite, ReceivedMessage, WaitKey, WaitSpan};

/// Writes messages between ranks that have tracks. Returns their number.
pub fn messages(file: &mut TraceFile, set: &DataSet<'_>, tracks: &[Option<u64>]) -> io::Result<u64> {
    let mut rows: Vec<Option<u64>> = vec![None; tracks.len()];
    let mut row = |file: &mut TraceFile, rank: u32| -> io::Result<Option<u64>> {
        let rank = rank as usize;
        if let (None, Some(process)) = (rows[rank], tracks[rank]) {
            rows[rank] = Some(below(file, "messages", process)?);
        }
        Ok(rows[rank])
    };
    // Events of message ends, by call, other rank and direction: many messages share one.
    let mut ends: FxHashMap<(RankSite, u32, bool), TrackEvent> = FxHashMap::default();
    let end_of = |file: &mut TraceFile, (own, what): (RankSite, &str), other: RankSite, way: &str| {
        let mut event = file.event(&format!("{way} {}", name(set, other)), "message");
        place(file, set, &mut event, what, own);
        event
    };
    let mut written = 0;
    for message in (0..tracks.len()).flat_map(|rank| set.messages(rank)) {
        let ReceivedMessage { from, to, begin, end, .. } = *message;
        let (Some(sender), Some(receiver)) = (row(file, from.rank)?, row(file, to.rank)?) else { continue };
        written += 1;
        let mut sent =
            ends.entry((from, to.rank, true)).or_insert_with(|| end_of(file, (from, "sent"), to, "to")).clone();
        let mut received =
            ends.entry((to, from.rank, false)).or_insert_with(|| end_of(file, (to, "received"), from, "from")).clone();
        for event in [&mut sent, &mut received] {
            file.whole(event, "bytes", message.received);
            file.signed(event, "tag", message.tag.into());
            file.whole(event, "communicator", message.communicator.into());
        }
        // An arrow that ends before it begins would never end.
        sent.flow_ids.push(written);
        if end >= begin { &mut received.terminating_flow_ids } else { &mut received.flow_ids }.push(written);
        file.instant(sender, begin, sent)?;
        file.instant(receiver, end, received)?;
    }
    Ok(written)
}

/// Writes the waits of ranks that have tracks. Returns their number.
pub fn waits(file: &mut TraceFile, set: &DataSet<'_>, tracks: &[Option<u64>]) -> io::Result<u64> {
    let mut events: FxHashMap<WaitKey, TrackEvent> = FxHashMap::default();
    let event_of = |file: &mut TraceFile, key: WaitKey| {
        let mut event = file.event(key.state.name(), "wait state");
        place(file, set, &mut event, "waiting", key.waiter);
        // Without a cause, no single rank was late.
        if key.cause.rank != key.waiter.rank {
            file.text(&mut event, "for", &name(set, key.cause));
            place(file, set, &mut event, "late", key.cause);
        }
        event
    };
    let mut written = 0;
    for (at, track) in tracks.iter().enumerate() {
        let Some(process) = *track else { continue };
        let mut lanes = Lanes::new("wait states", process);
        for WaitSpan { from, until, key, .. } in set.waits(at).iter().copied() {
            let event = events.entry(key).or_insert_with(|| event_of(file, key)).clone();
            let until = until.max(from);
            let track = lanes.at(file, (from, until))?;
            file.slice(track, (from, until), event)?;
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
