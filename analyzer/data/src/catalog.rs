//! The tables of the data set, by name.

use super::matched::MatchedRows;
use super::per_rank::PerRank;
use super::table::{DataRow, RowSource, SourceTable};
use super::{
    calls, collectives, communicators, hosts, messages, progress, ranks, regions, requests, signatures, sites, waits,
};
use crate::{DataSet, DataTable, TableHead};
use model::matching::Follow;

/// Heads of all tables, the same for every run.
pub fn heads() -> Vec<TableHead> {
    vec![
        TableHead::of::<calls::CallRow>(),
        TableHead::of::<signatures::SignatureRow>(),
        TableHead::of::<sites::SiteRow>(),
        TableHead::of::<communicators::CommunicatorRow>(),
        TableHead::of::<requests::RequestRow>(),
        TableHead::of::<messages::MessageRow>(),
        TableHead::of::<collectives::CollectiveRow>(),
        TableHead::of::<waits::WaitRow>(),
        TableHead::of::<progress::EngineRow>(),
        TableHead::of::<regions::RegionRow>(),
        TableHead::of::<ranks::RankRow>(),
        TableHead::of::<hosts::HostRow>(),
    ]
}

/// The [`Follow`] flags that a data set with this table needs.
pub fn follow(name: &str) -> Follow {
    match name {
        messages::MessageRow::TABLE => Follow::MESSAGES,
        collectives::CollectiveRow::TABLE => Follow::JOINED,
        waits::WaitRow::TABLE => Follow::SPANS,
        _ => Follow::empty(),
    }
}

/// The table of this name; `None` if there is no such table.
pub fn table<'r>(set: &'r DataSet<'r>, name: &str) -> Option<Box<dyn DataTable + 'r>> {
    Some(match name {
        calls::CallRow::TABLE => boxed(calls::CallRows::new(set)),
        signatures::SignatureRow::TABLE => boxed(PerRank::new(set, signatures::rows)),
        sites::SiteRow::TABLE => boxed(PerRank::new(set, sites::rows)),
        communicators::CommunicatorRow::TABLE => boxed(PerRank::new(set, communicators::rows)),
        requests::RequestRow::TABLE => boxed(requests::RequestRows::new(set)),
        messages::MessageRow::TABLE => boxed(MatchedRows::new(set, DataSet::messages, messages::row)),
        collectives::CollectiveRow::TABLE => boxed(MatchedRows::new(set, DataSet::joined, collectives::row)),
        waits::WaitRow::TABLE => boxed(MatchedRows::new(set, DataSet::waits, waits::row)),
        progress::EngineRow::TABLE => boxed(progress::EngineEntries::new(set)),
        regions::RegionRow::TABLE => boxed(PerRank::new(set, regions::rows)),
        ranks::RankRow::TABLE => boxed(PerRank::new(set, ranks::rows)),
        hosts::HostRow::TABLE => boxed(PerRank::new(set, hosts::rows)),
        _ => return None,
    })
}

fn boxed<'r, R: DataRow>(source: impl RowSource<R> + 'r) -> Box<dyn DataTable + 'r> {
    Box::new(SourceTable::new(source))
}
