//! `overhear report`: where the time of a run went, by function, rank, call site and so on.

use model::error::Error;
use model::matching::{Follow, settled};
use model::{Choice, Run};
use tables::schema::Schema;
use tables::{Report, Sheet};

use super::Breakdown;
use super::empty_analysis::nothing;
use crate::breakdown::{FunctionName, GroupRow, SingleRankRow};
use crate::groupings::{CommunicatorName, PeerName, SiteName, SizeName, ThreadName};
use crate::{breakdown, cost, groupings, hosts, operations, overview, ranks, regions};

/// The error if a run has no collective operations.
const NEEDED: &str = "no collective call that all its ranks completed: report --by collective needs MPI_Allreduce, \
                      MPI_Bcast and the like";

/// The report of a run, by one property of its calls.
pub fn analyze(run: &Run, by: Breakdown) -> Result<Report, Error> {
    match (by, &run.choice.ranks) {
        (Breakdown::OneRank(rank), Some(asked)) if !asked.contain(rank) => {
            Err(Error::RankLeftOut { rank, asked: asked.clone() })
        }
        (Breakdown::Collective, _) => Ok(collective(run, &operations_of(run)?)),
        (Breakdown::Region, _) => by_region(run),
        _ => from_totals(run, by),
    }
}

pub fn schema() -> Schema {
    let schema = Schema::of("report").facts(overview::FACTS).facts(cost::FACTS).facts(operations::FACTS);
    let schema = schema.table::<GroupRow<FunctionName>>();
    let schema = schema.table::<ranks::RankTotalRow>().table::<ranks::RankFunctionRow>().table::<ranks::OneRankRow>();
    let schema = schema.table::<GroupRow<CommunicatorName>>().table::<GroupRow<SiteName>>();
    let schema = schema.table::<GroupRow<SizeName>>().table::<SingleRankRow<PeerName>>();
    schema
        .table::<SingleRankRow<ThreadName>>()
        .table::<hosts::HostRow>()
        .table::<regions::RegionTotalRow>()
        .table::<operations::OperationRow>()
}

/// Collective operations with all ranks' parts together.
pub fn collective(run: &Run, all: &operations::GatheredOperations) -> Report {
    let mut facts = overview::facts(run);
    facts.extend(operations::facts(all));
    let table = operations::operations(all);
    let mut warnings = operations::unseen(all, &table.rows);
    warnings.extend(overview::warnings(run));
    warnings.extend(unresolved(run));
    Report { facts, warnings, tables: vec![table.into()] }
}

/// The collective operations of a run. Fails if there are none.
pub fn operations_of(run: &Run) -> Result<operations::GatheredOperations, Error> {
    run.has_calls("report --by collective")?;
    let all = operations::GatheredOperations::of(&settled(run, Follow::OPERATIONS).account);
    if all.sums.is_empty() { Err(nothing(run, NEEDED)) } else { Ok(all) }
}

/// A breakdown of the totals. Collective operations have none, since their ranks' parts must first be matched.
fn from_totals(run: &Run, by: Breakdown) -> Result<Report, Error> {
    let tables = match by {
        Breakdown::Function => vec![breakdown::functions(run).into()],
        Breakdown::Rank => {
            let mut tables = vec![ranks::overview(run).into()];
            tables.extend(ranks::side_by_side(run).into_iter().map(Sheet::from));
            tables.push(ranks::rank_functions(run).into());
            tables
        }
        Breakdown::OneRank(rank) => vec![ranks::alone(run, rank)?.into()],
        Breakdown::Communicator => vec![groupings::communicators(run).into()],
        Breakdown::Site => vec![groupings::sites(run).into()],
        Breakdown::Size => vec![groupings::sizes(run).into()],
        Breakdown::Peer => vec![groupings::peers(run).into()],
        Breakdown::Host => vec![hosts::table(run).into()],
        Breakdown::Thread => vec![groupings::threads(run).into()],
        Breakdown::Region => vec![regions::table(run).into()],
        Breakdown::Collective => Vec::new(),
    };
    let mut warnings = overview::warnings(run);
    if by == Breakdown::Site {
        warnings.extend(unresolved(run));
        warnings.extend(groupings::in_linked_binding(run));
    }
    Ok(Report { facts: overview::facts(run), warnings, tables })
}

/// Time by region. A run that was loaded without regions is loaded again with them.
fn by_region(run: &Run) -> Result<Report, Error> {
    if run.choice.by_region {
        return from_totals(run, Breakdown::Region);
    }
    let choice = Choice { by_region: true, ..run.choice.clone() };
    from_totals(&Run::select(&run.folder, &choice)?, Breakdown::Region)
}

/// The reasons why call sites have no names.
pub fn unresolved(run: &Run) -> impl Iterator<Item = String> {
    run.sites.unresolved.iter().map(|reason| format!("call sites stay numbers: {reason}"))
}
