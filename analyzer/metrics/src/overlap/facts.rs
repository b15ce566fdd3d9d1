//! The number of nonblocking requests, and notes on those left out.

use super::gathered::GatheredRequests;
use crate::words::plural;
use tables::{Fact, Value, facts};

facts! {
    REQUESTS = "requests", Count, always, "How many requests.";
    AT_ONCE = "complete_at_once", Count, always, "Requests that were complete when the call that posted them returned.";
    RIGHT_AFTER = "waited_right_after", Count, always,
        "Requests that were waited for right after they were posted: nothing could be hidden.";
    WITH_PROGRESS = "postponed_with_progress", Count, always,
        "Requests that were completed later, with an entry into the progress engine between.";
    WITHOUT_PROGRESS = "postponed_without_progress", Count, always,
        "Requests that were completed later, while nothing entered the progress engine: false overlap, unless \
         hardware moves messages.";
}

/// The number of requests, by how they were completed.
pub fn facts(all: &GatheredRequests) -> Vec<Fact> {
    let count = |figure| Value::Count(all.total(figure));
    let later = all.total(|lives| lives.progressed).saturating_add(all.total(|lives| lives.stalled));
    let note = format!(
        " nonblocking: {} complete at once, {} waited for right after, {later} later",
        count(|lives| lives.at_once),
        count(|lives| lives.direct)
    );
    vec![
        Fact::new(REQUESTS, "requests", count(|lives| lives.requests)).note(note),
        Fact::hidden(AT_ONCE, count(|lives| lives.at_once)),
        Fact::hidden(RIGHT_AFTER, count(|lives| lives.direct)),
        Fact::hidden(WITH_PROGRESS, count(|lives| lives.progressed)),
        Fact::hidden(WITHOUT_PROGRESS, count(|lives| lives.stalled)),
    ]
}

/// Notes on requests that the tables leave out, and on missing transfer times.
pub fn unseen(all: &GatheredRequests) -> Vec<String> {
    let mut said = Vec::new();
    if all.is_bounded() {
        said.push(
            "where no transfer time stands, no request of that size was waited for right after its post: least and \
             most are what was hidden, at all events and at best"
                .into(),
        );
    }
    if all.pending > 0 {
        said.push(format!("{} not completed: given up, or under way at the end", were(all.pending)));
    }
    if all.foreign > 0 {
        let them = if all.foreign == 1 { "it" } else { "them" };
        said.push(format!("{} completed by another thread than posted {them}: left out", were(all.foreign)));
    }
    if all.lives.is_empty() {
        said.push(format!("{} posted, none in what is asked about", were(all.posted)));
    }
    said
}

/// A number of requests and the verb: `1 request was`, `2 requests were`.
fn were(requests: u64) -> String {
    format!("{} {}", plural(requests, "request"), if requests == 1 { "was" } else { "were" })
}
