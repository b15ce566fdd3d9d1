//! Where each rank stands, a row each.

use traces::signature::{Signature, UNKNOWN_BYTES};

use super::Findings;
use crate::totals::world_rank;
use crate::whereabouts::{peer_of, state, tag_of};
use crate::words::object;
use model::Run;
use model::rank::function;
use model::standing::Position;
use tables::{Column, Label, Row, Table, WorldRank};

/// Rows that people are shown.
const ROWS: usize = 20;

/// One rank.
pub struct StandingRow {
    rank: WorldRank,
    host: String,
    pid: u64,
    state: Label,
    function: Option<String>,
    peer: Option<String>,
    tag: Option<String>,
    communicator: Option<String>,
    bytes: Option<u64>,
    pending: u64,
    since: Option<f64>,
    site: Option<String>,
    is_stuck: bool,
}

impl Row for StandingRow {
    const TABLE: &'static str = "standing";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::rank("rank", "rank", |row: &Self| row.rank),
            Column::text("host", "", |row: &Self| row.host.clone()),
            Column::number("pid", "", |row: &Self| row.pid),
            Column::label("state", "is", |row: &Self| row.state),
            Column::text("function", "function", |row: &Self| row.function.clone()),
            Column::text("peer", "peer", |row: &Self| row.peer.clone()).silent_empty(),
            Column::text("tag", "tag", |row: &Self| row.tag.clone()).silent_empty(),
            Column::text("communicator", "communicator", |row: &Self| row.communicator.clone()).spare(1),
            Column::bytes("bytes", "", |row: &Self| row.bytes),
            Column::count("pending_requests", "pending", |row: &Self| row.pending).spare(2),
            Column::seconds("since_s", "since", |row: &Self| row.since),
            Column::text("site", "call site", |row: &Self| row.site.clone()),
            Column::text("waits_for_ever", "", |row: &Self| if row.is_stuck { "yes" } else { "no" }.to_string()),
        ]
    }
}

/// One row for each rank.
pub fn ranks(findings: &Findings<'_>) -> Table<StandingRow> {
    let rows = (0..findings.run.ranks.len()).map(|at| row(findings, at)).collect();
    Table::new("where each rank stands", rows).most(ROWS)
}

fn row(findings: &Findings<'_>, at: usize) -> StandingRow {
    let (run, rank) = (findings.run, &findings.run.ranks[at]);
    let standing = &findings.standing.ranks[at];
    let call = call_of(&standing.position);
    let process = findings.changes[at].and_then(|change| change.process);
    StandingRow {
        rank: world_rank(rank),
        host: rank.process.host.clone(),
        pid: rank.header.pid.into(),
        state: state(findings.halts[at], &standing.position.spot(), process.map(|process| process.state)),
        function: call.map(function),
        peer: call.and_then(peer_of),
        tag: call.and_then(tag_of),
        communicator: call.filter(|call| call.object != 0).map(|call| object(rank, call).0),
        bytes: call.map(|call| call.sent.max(call.received)).filter(|bytes| *bytes != UNKNOWN_BYTES),
        pending: standing.past.pending.len() as u64,
        since: findings.since(at),
        site: call.and_then(|call| site(run, at, call)),
        is_stuck: findings.stuck[at],
    }
}

/// The call that a rank is in, or its last.
pub fn call_of(position: &Position) -> Option<&Signature> {
    match position {
        Position::Inside(entered) | Position::Asking(entered) => Some(&entered.signature),
        Position::Outside { last, .. } => last.as_ref(),
        Position::Finalized => None,
    }
}

/// Where a rank's call is made, in short.
pub fn site(run: &Run, at: usize, call: &Signature) -> Option<String> {
    (call.site != 0).then(|| run.sites.place(&run.ranks[at], call.site))
}
