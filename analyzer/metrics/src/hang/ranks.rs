//! Lists the position of each rank: a row for each thread that has called MPI.

use traces::signature::{Signature, UNKNOWN_BYTES};

use super::object_names::object_of;
use super::{Findings, SeenRun, Verdict};
use crate::meaning;
use crate::totals::world_rank;
use crate::whereabouts::{CallWords, state};
use model::process::ProcessState;
use model::standing::{Position, ThreadStanding};
use tables::{Column, Label, Row, Table, WorldRank};

/// Maximum number of rows shown to people.
const ROWS: usize = 20;

/// The position of a rank or of one of its threads.
pub struct StandingRow {
    rank: WorldRank,
    thread: Option<u64>,
    host: String,
    pid: u64,
    state: Label,
    call: CallWords,
    bytes: Option<u64>,
    pending: u64,
    since: Option<f64>,
    is_stuck: bool,
}

impl Row for StandingRow {
    const TABLE: &'static str = "standing";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::rank("rank", "rank", |row: &Self| row.rank).means(meaning::RANK),
            Column::number("thread", "thread", |row: &Self| row.thread)
                .means(
                    "The thread, from 0, in the order in which they first called MPI; empty where one thread of the \
                     rank has.",
                )
                .silent_empty(),
            Column::text("host", "", |row: &Self| row.host.clone()).means("The host that the rank runs on."),
            Column::number("pid", "", |row: &Self| row.pid).means("Its process id there."),
            Column::label("state", "is", |row: &Self| row.state).means(
                "Where the rank is: in_mpi, in a call; polling, in calls that ask in vain; outside MPI; asleep there; \
                 stopped; dead; finalized.",
            ),
            CallWords::function_column(|row: &Self| &row.call),
            Column::text("peer", "peer", |row: &Self| row.call.partner.clone())
                .means(
                    "The rank at the other end as the program names it, or any; the source behind it, if there are \
                     two.",
                )
                .silent_empty(),
            CallWords::tag_column(|row: &Self| &row.call),
            CallWords::communicator_column(|row: &Self| &row.call),
            Column::bytes("bytes", "", |row: &Self| row.bytes).means("Bytes that the call sends or has room for."),
            Column::count("pending_requests", "pending", |row: &Self| row.pending)
                .means("Requests that have begun and of which the program was not told that they are complete.")
                .spare(2),
            Column::seconds("since_s", "since", |row: &Self| row.since).means("How long it has been there."),
            CallWords::site_column(|row: &Self| &row.call),
            Column::text("waits_for_ever", "", |row: &Self| if row.is_stuck { "yes" } else { "no" }.to_string())
                .means("Says if nothing can free the rank any more, as far as the verdict goes: yes or no."),
        ]
    }
}

/// One row for each rank, or for each thread if several threads of the rank have called MPI.
pub fn ranks(findings: &Findings<'_>) -> Table<StandingRow> {
    let mut rows = Vec::new();
    for (at, standing) in findings.seen.standing.ranks.iter().enumerate() {
        match &standing.threads[..] {
            [] | [_] => rows.push(row(findings, at, None, standing.position())),
            threads => {
                let thread = |thread: &ThreadStanding| row(findings, at, Some(thread), &thread.position);
                rows.extend(threads.iter().map(thread));
            }
        }
    }
    Table::new("where each rank stands", rows).most(ROWS)
}

fn row(findings: &Findings<'_>, at: usize, thread: Option<&ThreadStanding>, position: &Position) -> StandingRow {
    let seen = &findings.seen;
    let (run, rank, standing) = (seen.run, &seen.run.ranks[at], &seen.standing.ranks[at]);
    let call = call_of(position);
    StandingRow {
        rank: world_rank(rank),
        thread: thread.map(|thread| thread.number.into()),
        host: rank.process.host.clone(),
        pid: rank.header.pid.into(),
        state: state(seen.sightings[at].halt, &position.spot(), system_state(seen, at, thread)),
        call: CallWords {
            communicator: call.filter(|call| call.object != 0).map(|call| object_of(seen, at, call)),
            ..CallWords::of(rank, call, &run.sites)
        },
        bytes: call.map(|call| call.sent.max(call.received)).filter(|bytes| *bytes != UNKNOWN_BYTES),
        pending: standing.past.pending.len() as u64,
        since: seen.since_of(at, position),
        is_stuck: findings.judgement.verdict != Verdict::No && findings.waiting.contains(&at),
    }
}

/// The system's state for a thread, or for the process if the rank has one thread.
fn system_state(seen: &SeenRun<'_>, at: usize, thread: Option<&ThreadStanding>) -> Option<ProcessState> {
    let change = seen.changes[at].as_ref()?;
    match thread.and_then(|thread| change.task(thread.tid)) {
        Some(change) => Some(change.task.state),
        None => change.process.map(|process| process.state),
    }
}

/// The call that a thread is in, or its last call.
pub fn call_of(position: &Position) -> Option<&Signature> {
    match position {
        Position::Inside(entered) => Some(&entered.signature),
        Position::Asking(asked) => asked.first().map(|last| &last.signature),
        Position::Outside { last, .. } => last.as_ref(),
        Position::Finalized => None,
    }
}
