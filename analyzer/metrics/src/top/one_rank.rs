//! The threads and the pending requests of one rank.

use traces::signature::Signature;

use super::super::whereabouts::{self, peer_of, tag_of};
use super::super::words::object;
use crate::meaning;
use model::Rank;
use model::rank::function;
use model::sites::Sites;
use model::wait_for::Halt;
use model::watch::{MOST_REQUESTS, RankView};
use tables::{Column, Label, Row, Table};

pub struct ThreadRow {
    thread: u64,
    state: Label,
    call: CallWords,
    since: Option<f64>,
}

pub struct RequestRow {
    begun: f64,
    call: CallWords,
}

/// A call in words.
struct CallWords {
    function: Option<String>,
    partner: Option<String>,
    tag: Option<String>,
    communicator: Option<String>,
    site: Option<String>,
}

impl CallWords {
    fn of(rank: &Rank, call: Option<&Signature>, sites: &Sites) -> CallWords {
        CallWords {
            function: call.map(function),
            partner: call.and_then(peer_of),
            tag: call.and_then(tag_of),
            communicator: call.filter(|call| call.object != 0).map(|call| object(rank, call).0),
            site: call.filter(|call| call.site != 0).map(|call| sites.place(rank, call.site)),
        }
    }

    fn columns<R: 'static>(of: fn(&R) -> &CallWords) -> Vec<Column<R>> {
        vec![
            Column::text("function", "function", move |row: &R| of(row).function.clone())
                .means("The MPI function it is in, or the last one; of a request, the one that began it."),
            Column::text("partner", "with", move |row: &R| of(row).partner.clone())
                .means("The rank at the other end, as the program names it.")
                .silent_empty(),
            Column::text("tag", "tag", move |row: &R| of(row).tag.clone())
                .means("The tag it was given, or any.")
                .silent_empty(),
            Column::text("communicator", "communicator", move |row: &R| of(row).communicator.clone())
                .means(meaning::COMMUNICATOR)
                .spare(1),
            Column::text("site", "call site", move |row: &R| of(row).site.clone()).means(meaning::SITE),
        ]
    }
}

impl Row for ThreadRow {
    const TABLE: &'static str = "top_threads";
    fn columns() -> Vec<Column<Self>> {
        let mut columns = vec![
            Column::number("thread", "thread", |row: &Self| row.thread)
                .means("The thread, in the order of first calls."),
            Column::label("state", "is", |row: &Self| row.state).means("Where the thread is."),
            Column::seconds("since_s", "since", |row: &Self| row.since).means("How long it has been there."),
        ];
        columns.extend(CallWords::columns(|row: &Self| &row.call));
        columns
    }
}

impl Row for RequestRow {
    const TABLE: &'static str = "top_requests";
    fn columns() -> Vec<Column<Self>> {
        let mut columns =
            vec![Column::seconds("age_s", "age", |row: &Self| row.begun).means("How long ago it was begun.")];
        columns.extend(CallWords::columns(|row: &Self| &row.call));
        columns
    }
}

/// One row for each thread of a rank.
pub fn threads(rank: &Rank, view: &RankView, sites: &Sites) -> Table<ThreadRow> {
    let process = view.process.map(|process| process.state);
    let rows = view.threads.iter().map(|thread| ThreadRow {
        thread: thread.number.into(),
        state: whereabouts::state(process.and_then(Halt::of), &thread.spot, process),
        call: CallWords::of(rank, thread.spot.call(), sites),
        since: view.since_spot(&thread.spot),
    });
    Table::new("threads", rows.collect())
}

/// One row for each pending request of a rank, the oldest first.
pub fn requests(rank: &Rank, view: &RankView, sites: &Sites) -> Table<RequestRow> {
    let rows = view.requests.iter().map(|request| RequestRow {
        begun: (view.age - request.begun).max(0.0),
        call: CallWords::of(rank, Some(&request.call), sites),
    });
    let title = match view.pending {
        0 => "no pending requests".into(),
        count if count > MOST_REQUESTS as u64 => format!("the oldest {MOST_REQUESTS} of {count} pending requests"),
        count => format!("{count} pending request{}", if count == 1 { "" } else { "s" }),
    };
    Table::new(title, rows.collect()).silent_empty()
}
