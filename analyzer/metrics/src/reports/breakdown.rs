//! `overhear report`: where the time of a run went, by function, rank, call site and so on.

use std::str::FromStr;

use super::empty_analysis::nothing;
use crate::behaviors::{self, BehaviorRow, Behaviors};
use crate::breakdown::{FunctionName, GroupRow, SingleRankRow};
use crate::groupings::{CommunicatorName, PeerName, SiteName, SizeName, ThreadName};
use crate::{breakdown, cost, counters, groupings, hosts, operations, overview, ranks, regions};
use model::error::Error;
use model::matching::{Follow, settled};
use model::site_naming::NamedBy;
use model::{Choice, Run};
use tables::schema::Schema;
use tables::{Named, Report, Sheet};

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
        (Breakdown::Behavior, _) => {
            let behaviors = Behaviors::of(run);
            let mut facts = overview::facts(run);
            facts.extend(behaviors::hidden_facts(&behaviors));
            let tables = vec![behaviors::table(run, &behaviors).into()];
            Ok(Report { facts, warnings: crate::warnings::of_run(run), tables })
        }
        _ => from_totals(run, by),
    }
}

pub fn schema() -> Schema {
    let schema = Schema::of("report").facts(overview::FACTS).facts(cost::FACTS);
    let schema = schema.facts(operations::FACTS).facts(behaviors::FACTS);
    let schema = schema.table::<GroupRow<FunctionName>>();
    let schema = schema.table::<ranks::RankTotalRow>().table::<ranks::RankFunctionRow>().table::<ranks::OneRankRow>();
    let schema = schema.table::<GroupRow<CommunicatorName>>().table::<GroupRow<SiteName>>();
    let schema = schema.table::<GroupRow<SizeName>>().table::<SingleRankRow<PeerName>>();
    schema
        .table::<SingleRankRow<ThreadName>>()
        .table::<BehaviorRow>()
        .table::<hosts::HostRow>()
        .table::<counters::CounterRow>()
        .table::<regions::RegionTotalRow>()
        .table::<operations::OperationRow>()
}

/// Collective operations with all ranks' parts together.
pub fn collective(run: &Run, all: &operations::GatheredOperations) -> Report {
    let mut facts = overview::facts(run);
    facts.extend(operations::facts(all));
    let table = operations::operations(all);
    let mut warnings = operations::unseen(all, &table.rows);
    warnings.extend(crate::warnings::of_run(run));
    warnings.extend(unresolved(run));
    Report { facts, warnings, tables: vec![table.into()] }
}

/// The collective operations of a run. Fails if there are none.
pub fn operations_of(run: &Run) -> Result<operations::GatheredOperations, Error> {
    run.needs_calls("report --by collective")?;
    let all = operations::GatheredOperations::of(run, &settled(run, Follow::OPERATIONS).account);
    if all.sums.is_empty() { Err(nothing(run, NEEDED)) } else { Ok(all) }
}

/// A breakdown of the totals. Collective operations have none, since their ranks' parts must first be matched; groups of ranks have none
/// either.
fn from_totals(run: &Run, by: Breakdown) -> Result<Report, Error> {
    let tables = match by {
        Breakdown::Function => vec![breakdown::functions(run).into()],
        Breakdown::Rank if run.asked().count() > ranks::SHOWN => {
            let behaviors = Behaviors::of(run);
            let unlike = behaviors::unlike(&behaviors, ranks::SHOWN_OF_MANY);
            let mut tables = vec![
                behaviors::table(run, &behaviors).for_people().into(),
                ranks::unlike(run, &unlike).into(),
                ranks::overview(run).for_programs().into(),
                ranks::rank_functions(run).into(),
            ];
            tables.extend(counters::table(run).map(|table| table.for_programs().into()));
            tables
        }
        Breakdown::Rank => {
            let mut tables = vec![ranks::overview(run).into()];
            tables.extend(ranks::side_by_side(run).into_iter().map(Sheet::from));
            tables.push(ranks::rank_functions(run).into());
            tables.extend(counters::table(run).map(Sheet::from));
            tables
        }
        Breakdown::OneRank(rank) => vec![ranks::alone(run, rank)?.into()],
        Breakdown::Communicator => vec![groupings::communicators(run).into()],
        Breakdown::Site | Breakdown::Caller | Breakdown::Path => vec![groupings::sites(run).into()],
        Breakdown::Size => vec![groupings::sizes(run).into()],
        Breakdown::Peer => vec![groupings::peers(run).into()],
        Breakdown::Host => vec![hosts::table(run).into()],
        Breakdown::Thread => vec![groupings::threads(run).into()],
        Breakdown::Region => vec![regions::table(run).into()],
        Breakdown::Collective | Breakdown::Behavior => Vec::new(),
    };
    let mut warnings = crate::warnings::of_run(run);
    if by == Breakdown::Rank {
        warnings.extend(counters::problems(run));
    }
    if matches!(by, Breakdown::Site | Breakdown::Caller | Breakdown::Path) {
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

/// The property by which `report` breaks the time down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Breakdown {
    Function,
    /// All ranks side by side.
    Rank,
    /// By groups of ranks that behave alike.
    Behavior,
    /// One rank alone.
    OneRank(u32),
    /// By communicator, window or file.
    Communicator,
    Site,
    /// By the first place outside the program's communication layer.
    Caller,
    /// By call path.
    Path,
    /// By bytes of a call.
    Size,
    /// By the rank at the other end.
    Peer,
    Thread,
    /// By host: its cores and the ranks on them.
    Host,
    /// By innermost region of the program.
    Region,
    /// By collective operation, all its ranks together.
    Collective,
}

/// The property by which `progress` breaks the engine's figures down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ByEngine {
    Rank,
    Component,
    Function,
    Site,
    Caller,
    Path,
}

/// The property by which `imbalance` breaks the time down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ByPlace {
    Function,
    Site,
    Caller,
    Path,
}

impl Breakdown {
    pub fn named_by(self) -> NamedBy {
        match self {
            Breakdown::Caller => NamedBy::Caller,
            Breakdown::Path => NamedBy::Path,
            _ => NamedBy::Site,
        }
    }
}

impl ByEngine {
    pub fn named_by(self) -> NamedBy {
        match self {
            ByEngine::Caller => NamedBy::Caller,
            ByEngine::Path => NamedBy::Path,
            _ => NamedBy::Site,
        }
    }
}

impl ByPlace {
    pub fn named_by(self) -> NamedBy {
        match self {
            ByPlace::Caller => NamedBy::Caller,
            ByPlace::Path => NamedBy::Path,
            ByPlace::Site | ByPlace::Function => NamedBy::Site,
        }
    }
}

impl Named for ByEngine {
    const NAMES: &'static [(&'static str, &'static str, ByEngine)] = &[
        ("rank", "Rank", ByEngine::Rank),
        ("component", "Part of the engine", ByEngine::Component),
        ("function", "MPI function", ByEngine::Function),
        ("site", "Place in the program", ByEngine::Site),
        ("caller", "First place outside the program's communication layer", ByEngine::Caller),
        ("path", "All functions on the way to the call", ByEngine::Path),
    ];
}

impl Named for ByPlace {
    const NAMES: &'static [(&'static str, &'static str, ByPlace)] = &[
        ("function", "MPI function", ByPlace::Function),
        ("site", "Place in the program", ByPlace::Site),
        ("caller", "First place outside the program's communication layer", ByPlace::Caller),
        ("path", "All functions on the way to the call", ByPlace::Path),
    ];
}

impl FromStr for Breakdown {
    type Err = String;

    fn from_str(text: &str) -> Result<Breakdown, String> {
        Ok(match text {
            "function" => Breakdown::Function,
            "rank" => Breakdown::Rank,
            "behavior" => Breakdown::Behavior,
            "comm" => Breakdown::Communicator,
            "site" => Breakdown::Site,
            "caller" => Breakdown::Caller,
            "path" => Breakdown::Path,
            "size" => Breakdown::Size,
            "peer" => Breakdown::Peer,
            "thread" => Breakdown::Thread,
            "host" => Breakdown::Host,
            "region" => Breakdown::Region,
            "collective" => Breakdown::Collective,
            _ => match text.strip_prefix("rank=").map(str::parse) {
                Some(Ok(rank)) => Breakdown::OneRank(rank),
                _ => {
                    let names = "function, rank, rank=N, behavior, comm, site, caller, path, size, peer, thread, host, \
                                 region, collective";
                    return Err(format!("it is one of {names}"));
                }
            },
        })
    }
}
