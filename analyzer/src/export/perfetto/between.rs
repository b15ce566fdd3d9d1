//! What lies between ranks: messages as arrows, and what calls waited for.
//!
//! A call may have many messages, and a viewer that draws all of their arrows at once stands still: each end of a message
//! is an event of its own.

use std::io;

use rustc_hash::FxHashMap;

use super::file::TraceFile;
use super::proto::TrackEvent;
use super::tracks::{Lanes, below};
use crate::metrics::words::rank_in_words;
use crate::model::Run;
use crate::model::matching::{Account, RankSite, ReceivedMessage, WaitKey, WaitSpan};

/// Writes messages between ranks that have tracks. Returns how many.
pub fn messages(file: &mut TraceFile, run: &Run, account: &mut Account, tracks: &[Option<u64>]) -> io::Result<u64> {
    account.messages.sort_unstable_by_key(|message| (message.begin, message.end, message.from, message.to));
    let mut rows: Vec<Option<u64>> = vec![None; tracks.len()];
    let mut row = |file: &mut TraceFile, rank: u32| -> io::Result<Option<u64>> {
        let rank = rank as usize;
        if let (None, Some(process)) = (rows[rank], tracks[rank]) {
            rows[rank] = Some(below(file, "messages", process)?);
        }
        Ok(rows[rank])
    };
    // What the ends of many messages have in common, by the call, the rank at the other end, and whether it was sent.
    let mut ends: FxHashMap<(RankSite, u32, bool), TrackEvent> = FxHashMap::default();
    let end_of = |file: &mut TraceFile, (own, what): (RankSite, &str), other: RankSite, way: &str| {
        let mut event = file.event(&format!("{way} {}", name(run, other)), "message");
        place(file, account, &mut event, what, own);
        event
    };
    let mut written = 0;
    for message in account.messages.iter().filter(|message| message.counts()) {
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

/// Writes what the ranks that have tracks waited for. Returns how often.
pub fn waits(file: &mut TraceFile, run: &Run, account: &mut Account, tracks: &[Option<u64>]) -> io::Result<u64> {
    let mut events: FxHashMap<WaitKey, TrackEvent> = FxHashMap::default();
    let event_of = |file: &mut TraceFile, account: &Account, key: WaitKey| {
        let mut event = file.event(key.state.name(), "wait state");
        place(file, account, &mut event, "waiting", key.waiter);
        // No single one was late.
        if key.cause.rank != key.waiter.rank {
            file.text(&mut event, "for", &name(run, key.cause));
            place(file, account, &mut event, "late", key.cause);
        }
        event
    };
    let mut written = 0;
    for (at, mut spans) in std::mem::take(&mut account.spans).into_iter().enumerate() {
        let Some(process) = tracks[at] else { continue };
        let mut lanes = Lanes::new("wait states", process);
        spans.sort_unstable_by_key(|span| (span.from, *span));
        for WaitSpan { from, until, key, .. } in spans {
            let event = events.entry(key).or_insert_with(|| event_of(file, account, key)).clone();
            let until = until.max(from);
            let track = lanes.at(file, (from, until))?;
            file.slice(track, (from, until), event)?;
            written += 1;
        }
    }
    Ok(written)
}

fn name(run: &Run, of: RankSite) -> String {
    rank_in_words(&run.ranks[of.rank as usize])
}

/// Adds which call it was, and where.
fn place(file: &mut TraceFile, account: &Account, event: &mut TrackEvent, what: &str, of: RankSite) {
    if let Some(place) = account.places.get(of.place.number()) {
        file.text(event, &format!("{what}_by"), &place.function);
        file.text(event, &format!("{what}_at"), &place.site);
    }
}
