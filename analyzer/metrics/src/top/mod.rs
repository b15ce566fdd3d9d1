//! The position of each rank of a running program, the longest stay first.

mod one_rank;
mod open_metrics;
mod verdict;

pub use one_rank::{requests, threads};
pub use open_metrics::open_metrics;
pub use verdict::{FACTS, VERDICT, verdict};

use super::totals::world_rank;
use super::whereabouts::{self, CallWords};
use crate::meaning;
use model::Rank;
use model::process::ProcessState;
use model::sites::Sites;
use model::wait_for::Halt;
use model::watch::{RankView, Watch};
use tables::{Column, Label, Row, Table, WorldRank};

pub struct TopRow {
    rank: WorldRank,
    host: String,
    core: Option<u64>,
    state: Label,
    /// For a collective call, the partner is the number of ranks that have reached it.
    call: CallWords,
    since: Option<f64>,
    in_mpi: Option<f64>,
    sent: Option<f64>,
    empty: Option<f64>,
    pending: u64,
    oldest: Option<f64>,
    data_age: f64,
}

impl Row for TopRow {
    const TABLE: &'static str = "top";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::rank("rank", "rank", |row: &Self| row.rank).means(meaning::RANK),
            Column::text("host", "host", |row: &Self| row.host.clone())
                .means("The host that the rank runs on.")
                .spare(6),
            Column::number("core", "core", |row: &Self| row.core)
                .means("The core that its first thread last ran on, if the rank is of this host.")
                .spare(5),
            Column::label("state", "is", |row: &Self| row.state).means(
                "Where the rank is: in_mpi, in a call; polling, in calls that ask in vain; outside MPI; asleep there; \
                 stopped; dead; finalized.",
            ),
            CallWords::function_column(|row: &Self| &row.call),
            Column::text("partner", "with", |row: &Self| row.call.partner.clone())
                .means(
                    "The rank at the other end as the program names it; of a collective call, how many ranks have come \
                     to it.",
                )
                .silent_empty(),
            CallWords::tag_column(|row: &Self| &row.call).spare(1),
            CallWords::communicator_column(|row: &Self| &row.call).spare(7),
            Column::seconds("since_s", "since", |row: &Self| row.since).means("How long it has been there."),
            Column::percent("mpi_share_percent", "MPI %", |row: &Self| row.in_mpi)
                .means(
                    "The share of its threads' time in MPI, of the last seconds: at most five, with --once a fifth of \
                     one.",
                )
                .spare(1),
            Column::ratio("sent_byte_rate", "B/s", |row: &Self| row.sent)
                .means("Bytes handed out a second, of the same time.")
                .spare(3),
            Column::ratio("empty_entry_rate", "empty/s", |row: &Self| row.empty)
                .means("Entries into the progress engine a second that achieved nothing, of the same time.")
                .spare(4),
            Column::count("pending_requests", "pending", |row: &Self| row.pending)
                .means("Requests that have begun and of which the program was not told that they are complete.")
                .spare(2),
            Column::seconds("oldest_request_s", "oldest", |row: &Self| row.oldest)
                .means("How long ago the oldest of them was begun.")
                .silent_empty()
                .spare(3),
            Column::seconds("data_age_s", "data", |row: &Self| row.data_age)
                .means(
                    "How long ago the rank's file last changed, as seen from here: a rank that computes writes \
                     nothing, and what another host writes may be seen late, unless --launcher reads it there.",
                )
                .spare(4),
            CallWords::site_column(|row: &Self| &row.call),
        ]
    }
}

/// One row for each rank.
pub fn table(watch: &Watch, sites: &Sites) -> Table<TopRow> {
    let mut rows: Vec<TopRow> =
        watch.ranks.iter().zip(&watch.views).map(|(rank, view)| row(rank, view, sites)).collect();
    rows.sort_by(|one, other| other.since.unwrap_or(-1.0).total_cmp(&one.since.unwrap_or(-1.0)));
    Table::new("", rows)
}

fn row(rank: &Rank, view: &RankView, sites: &Sites) -> TopRow {
    let mut call = CallWords::of(rank, view.spot.call(), sites);
    if call.partner.is_none() {
        call.partner = view.came.map(|(came, of)| format!("{came} of {of} came"));
    }
    TopRow {
        rank: world_rank(rank),
        host: rank.process.host.clone(),
        core: view.process.filter(|process| process.state != ProcessState::Gone).map(|process| process.core.into()),
        state: state(view),
        call,
        since: view.since(),
        in_mpi: view.rates.map(|rates| 100.0 * rates.in_mpi),
        sent: view.rates.map(|rates| rates.sent),
        empty: view.rates.map(|rates| rates.empty_entries),
        pending: view.pending,
        oldest: view.oldest(),
        data_age: view.data_age,
    }
}

fn state(view: &RankView) -> Label {
    let process = view.process.map(|process| process.state);
    whereabouts::state(process.and_then(Halt::of), &view.spot, process)
}
