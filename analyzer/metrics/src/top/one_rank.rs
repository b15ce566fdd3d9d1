//! The threads and the pending requests of one rank.

use crate::whereabouts::{self, CallWords};
use crate::words::plural;
use model::Rank;
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

impl Row for ThreadRow {
    const TABLE: &'static str = "top_threads";
    fn columns() -> Vec<Column<Self>> {
        let mut columns = vec![
            Column::number("thread", "thread", |row: &Self| row.thread)
                .means("The thread, in the order of first calls."),
            Column::label("state", "is", |row: &Self| row.state).means("Where the thread is."),
            Column::seconds("since_s", "since", |row: &Self| row.since).means("How long it has been there."),
        ];
        columns.extend(call_columns(|row: &Self| &row.call));
        columns
    }
}

impl Row for RequestRow {
    const TABLE: &'static str = "top_requests";
    fn columns() -> Vec<Column<Self>> {
        let mut columns = vec![Column::seconds("age_s", "age", |row: &Self| row.begun).means("Time since its begin.")];
        columns.extend(call_columns(|row: &Self| &row.call));
        columns
    }
}

/// The columns of a thread's or request's call.
fn call_columns<R: 'static>(call: fn(&R) -> &CallWords) -> Vec<Column<R>> {
    vec![
        Column::text("function", "function", move |row: &R| call(row).function.clone())
            .means("The MPI function it is in, or the last one; of a request, the one that began it."),
        Column::text("partner", "with", move |row: &R| call(row).partner.clone())
            .means("The rank at the other end, as the program names it.")
            .silent_empty(),
        CallWords::tag_column(call),
        CallWords::communicator_column(call),
        CallWords::site_column(call),
    ]
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
        count => plural(count, "pending request"),
    };
    Table::new(title, rows.collect()).silent_empty()
}
