//! Where each rank of a running program is at the moment, those longest there first.

mod open_metrics;

pub use open_metrics::open_metrics;

use super::totals::world_rank;
use super::whereabouts::{self, peer_of, tag_of};
use super::words::object;
use crate::model::Rank;
use crate::model::process::ProcessState;
use crate::model::rank::function;
use crate::model::sites::Sites;
use crate::model::standing::{Frame, RankFrame, Spot};
use crate::model::wait_for::Halt;
use crate::report::{Column, Label, Row, Table, WorldRank};

/// One rank.
pub struct TopRow {
    rank: WorldRank,
    host: String,
    core: Option<u64>,
    state: Label,
    function: Option<String>,
    partner: Option<String>,
    tag: Option<String>,
    communicator: Option<String>,
    since: Option<f64>,
    empty: Option<f64>,
    site: Option<String>,
}

impl Row for TopRow {
    const TABLE: &'static str = "top";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::rank("rank", "rank", |row: &Self| row.rank),
            Column::text("host", "host", |row: &Self| row.host.clone()).spare(4),
            Column::number("core", "core", |row: &Self| row.core).spare(3),
            Column::label("state", "is", |row: &Self| row.state),
            Column::text("function", "function", |row: &Self| row.function.clone()),
            Column::text("partner", "with", |row: &Self| row.partner.clone()).silent_empty(),
            Column::text("tag", "tag", |row: &Self| row.tag.clone()).silent_empty().spare(1),
            Column::text("communicator", "communicator", |row: &Self| row.communicator.clone()).spare(5),
            Column::seconds("since_s", "since", |row: &Self| row.since),
            Column::ratio("empty_entry_rate", "empty/s", |row: &Self| row.empty).spare(2),
            Column::text("site", "call site", |row: &Self| row.site.clone()),
        ]
    }
}

/// One row for each rank, from two moments: rates are of the time between.
pub fn table(before: &Frame, now: &Frame, sites: &Sites) -> Table<TopRow> {
    let mut rows: Vec<TopRow> = (0..now.ranks.len()).map(|at| row(before, now, at, sites)).collect();
    rows.sort_by(|one, other| other.since.unwrap_or(-1.0).total_cmp(&one.since.unwrap_or(-1.0)));
    Table::new("", rows)
}

fn row(before: &Frame, now: &Frame, at: usize, sites: &Sites) -> TopRow {
    let (rank, of) = (&now.ranks[at], &now.seen[at]);
    let call = of.spot.call();
    let seconds = (now.at - before.at) as f64 / 1e9;
    let is_same = |other: &Rank| (&other.file, other.header.pid) == (&rank.file, rank.header.pid);
    let was = before.ranks.iter().position(is_same).map(|at| &before.seen[at]);
    let entries = was.filter(|_| seconds > 0.0).map(|was| of.empty_entries.saturating_sub(was.empty_entries));
    TopRow {
        rank: world_rank(rank),
        host: rank.process.host.clone(),
        core: of.process.filter(|process| process.state != ProcessState::Gone).map(|process| process.core.into()),
        state: state(of),
        function: call.map(function),
        partner: call.and_then(peer_of).or_else(|| came(now, at)),
        tag: call.and_then(tag_of),
        communicator: call.filter(|call| call.object != 0).map(|call| object(rank, call).0),
        since: of.since(),
        empty: entries.map(|entries| entries as f64 / seconds),
        site: call.filter(|call| call.site != 0).map(|call| sites.place(rank, call.site)),
    }
}

/// How many ranks of a communicator are in the collective call that a rank is in, by function and communicator: `7 of 64 came`.
fn came(now: &Frame, at: usize) -> Option<String> {
    let key = |at: usize| match &now.seen[at].spot {
        Spot::Inside(call, _) if call.object != 0 => Some((call.call, object(&now.ranks[at], call))),
        _ => None,
    };
    let own = key(at).filter(|(_, (_, size))| *size > 1)?;
    let came = (0..now.ranks.len()).filter(|other| key(*other).as_ref() == Some(&own)).count();
    Some(format!("{} of {} came", came, own.1.1))
}

/// What a rank does, in a word.
fn state(of: &RankFrame) -> Label {
    let process = of.process.map(|process| process.state);
    whereabouts::state(process.and_then(Halt::of), &of.spot, process)
}
