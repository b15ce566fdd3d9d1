//! `overhear report`: where the time of a run went.

use super::breakdown::{self, unresolved};
use super::nothing::nothing;
use super::open::choose;
use super::page;
use super::print::print;
use crate::cli::{self, Breakdown};
use model::error::{Error, OK, PARTIAL};
use metrics::breakdown::{FunctionName, GroupRow, SingleRankRow};
use metrics::groupings::{CommunicatorName, PeerName, SiteName, SizeName, ThreadName};
use metrics::{cost, operations, overview, ranks, regions};
use model::matching::{Follow, settled};
use model::{Choice, Run};
use pictures::plot::PlotFile;
use tables::schema::Schema;
use tables::{Report, plot};

/// What it needs, and has none of.
const NEEDED: &str = "no collective call that all its ranks completed: report --by collective needs MPI_Allreduce, MPI_Bcast and the like";

/// Prints the report. Returns the exit status.
pub fn run(arguments: &cli::ReportArgs) -> Result<u8, Error> {
    if let Some(file) = &arguments.html {
        return page::run(file, arguments.force, &arguments.of);
    }
    let choice = Choice { by_region: arguments.by == Breakdown::Region, ..arguments.of.select.choice() };
    if arguments.plot.is_some() && arguments.by != Breakdown::Collective {
        return Err(Error::Setting(
            "report --plot draws collective calls over message size: add --by collective".into(),
        ));
    }
    let run = choose(&arguments.of, choice)?;
    print(found(&run, arguments.by, arguments.plot.as_ref())?, "report", &arguments.of.print)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}

/// Where the time of a run went, and of collective calls where asked for a plot.
pub fn found(run: &Run, by: Breakdown, plotted: Option<&PlotFile>) -> Result<Report, Error> {
    match (by, &run.choice.ranks) {
        (Breakdown::OneRank(rank), Some(asked)) if !asked.contain(rank) => {
            Err(Error::RankLeftOut { rank, asked: asked.clone() })
        }
        (Breakdown::Collective, _) => collective(run, plotted),
        _ => breakdown::report(run, by),
    }
}

/// What its JSON looks like.
pub fn schema() -> Schema {
    let schema = Schema::of("report").facts(overview::FACTS).facts(cost::FACTS).facts(operations::FACTS);
    let schema = schema.table::<GroupRow<FunctionName>>();
    let schema = schema.table::<ranks::RankTotalRow>().table::<ranks::RankFunctionRow>().table::<ranks::OneRankRow>();
    let schema = schema.table::<GroupRow<CommunicatorName>>().table::<GroupRow<SiteName>>();
    let schema = schema.table::<GroupRow<SizeName>>().table::<SingleRankRow<PeerName>>();
    schema.table::<SingleRankRow<ThreadName>>().table::<regions::RegionTotalRow>().table::<operations::OperationRow>()
}

/// Collective calls, of which all ranks' parts are put together first.
fn collective(run: &Run, plotted: Option<&PlotFile>) -> Result<Report, Error> {
    let all = operations_of(run)?;
    let mut facts = overview::facts(run);
    facts.extend(operations::facts(&all));
    let table = operations::operations(&all);
    if let Some(file) = plotted {
        plot::write(operations::figures(&table), file)?;
    }
    let mut warnings = operations::unseen(&all, &table.rows);
    warnings.extend(overview::warnings(run));
    warnings.extend(unresolved(run));
    Ok(Report { facts, warnings, tables: vec![table.into()] })
}

/// The collective operations of a run that has some.
pub fn operations_of(run: &Run) -> Result<operations::GatheredOperations, Error> {
    run.has_calls("report --by collective")?;
    let all = operations::GatheredOperations::of(&settled(run, Follow::OPERATIONS).account);
    if all.sums.is_empty() { Err(nothing(run, NEEDED)) } else { Ok(all) }
}
