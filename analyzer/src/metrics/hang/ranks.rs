//! Where each rank stands, a row each.

use traces::calls::Call;
use traces::signature::{Signature, UNKNOWN_BYTES, peer, tag};

use super::Findings;
use crate::metrics::totals::world_rank;
use crate::metrics::words::{object, peer_in_words};
use crate::model::Run;
use crate::model::process::ProcessState;
use crate::model::rank::function;
use crate::model::standing::Position;
use crate::model::wait_for::Halt;
use crate::report::{Column, Label, Row, Table, WorldRank};

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

/// A state by its key and its name.
pub const fn label(key: &'static str, name: &'static str) -> Label {
    Label { key, name, depth: 0 }
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
    StandingRow {
        rank: world_rank(rank),
        host: rank.process.host.clone(),
        pid: rank.header.pid.into(),
        state: state(findings, at),
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

/// What a rank does, in a word.
fn state(findings: &Findings<'_>, at: usize) -> Label {
    let asleep = |state| state == ProcessState::Asleep;
    let process = findings.changes[at].and_then(|change| change.process);
    match (findings.halts[at], &findings.standing.ranks[at].position) {
        (Some(Halt::Dead), _) => label("dead", "dead in"),
        (Some(Halt::Stopped), _) => label("stopped", "stopped in"),
        (None, Position::Finalized) => label("finalized", "finished"),
        (None, Position::Inside(_)) => label("in_mpi", "in"),
        (None, Position::Asking(_)) => label("polling", "polls"),
        (None, Position::Outside { .. }) if process.is_some_and(|process| asleep(process.state)) => {
            label("asleep", "asleep after")
        }
        (None, Position::Outside { .. }) => label("outside", "outside, after"),
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

/// The ranks at the other end, as the program names them.
pub fn peer_of(call: &Signature) -> Option<String> {
    let partners = [call.peer, call.source].into_iter().filter(|rank| *rank != peer::NONE);
    let words: Vec<String> = partners.map(peer_in_words).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// The tags that a call was given.
pub fn tag_of(call: &Signature) -> Option<String> {
    let tags = [call.tag, call.source_tag];
    // Other calls keep something else there.
    let has_tags = Call::from_number(call.call).is_some_and(|call| {
        use traces::calls::ArgumentKind::{RecvTag, SendTag};
        call.has(SendTag) || call.has(RecvTag)
    });
    let in_words = |tag: i32| if tag == tag::ANY { "any".into() } else { tag.to_string() };
    let words: Vec<String> = tags.into_iter().filter(|tag| *tag != tag::NONE).map(in_words).collect();
    (has_tags && !words.is_empty()).then(|| words.join(", "))
}

/// Where a rank's call is made, in short.
pub fn site(run: &Run, at: usize, call: &Signature) -> Option<String> {
    (call.site != 0).then(|| run.sites.place(&run.ranks[at], call.site))
}
