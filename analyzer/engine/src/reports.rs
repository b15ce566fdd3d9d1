//! The reports of the native analyses from an engine's sums.

use std::collections::{BTreeMap, BTreeSet};

use metrics::breakdown::{self, FunctionSum};
use metrics::engine as progress_engine;
use metrics::imbalance::{self, FunctionSpread};
use metrics::matrix::{Matrix, Traffic};
use metrics::totals::Totals;
use metrics::waits::{self, NamedWait, SiteOfRank, WaitTotals};
use metrics::words::plural;
use model::error::Error;
use model::matching::{WaitState, WaitSum};
use model::sums::Grow;
use tables::{Report, Sheet, WorldRank};

use crate::exported_set::{ExportedSet, rank};
use crate::rows::{EngineRow, each};

/// An analysis that an engine carries out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineAnalysis {
    Report,
    Waits,
    Matrix,
    Imbalance,
    Progress,
}

impl EngineAnalysis {
    pub fn report(self, set: &ExportedSet) -> Result<Report, Error> {
        match self {
            EngineAnalysis::Report => with(set, Vec::new(), vec![functions(set)?.into()]),
            EngineAnalysis::Waits => waits(set),
            EngineAnalysis::Matrix => matrix(set),
            EngineAnalysis::Imbalance => with(set, Vec::new(), vec![imbalance(set)?.into()]),
            EngineAnalysis::Progress => {
                let sums = sums(set)?.into_iter().map(|sum| (sum.function, sum.sum)).collect();
                with(set, Vec::new(), vec![progress_engine::functions_of(sums).into()])
            }
        }
    }
}

fn with(set: &ExportedSet, mut warnings: Vec<String>, tables: Vec<Sheet>) -> Result<Report, Error> {
    warnings.extend(set.warnings());
    Ok(Report { facts: set.facts(), warnings, tables })
}

/// The sums of functions, in the order of their names.
fn sums(set: &ExportedSet) -> Result<Vec<FunctionSum>, Error> {
    let batches = set.rows("functions")?;
    let sum = |row: EngineRow<'_>| {
        Ok(FunctionSum {
            function: row.text("function")?.unwrap_or_default(),
            max: row.real("time_max_s")?,
            max_rank: row.process("max_process")?,
            sum: Totals {
                calls: row.count("calls")?,
                open: row.count("open_calls")?,
                time: row.real("time_total_s")?,
                shortest: row.real("call_min_s")?,
                longest: row.real("call_max_s")?,
                sent: row.count("sent_bytes")?,
                received: row.count("received_bytes")?,
                pieces: row.count("pieces")?,
                failed: row.count("failed_calls")?,
                entries: row.count("engine_entries")?,
                productive: row.count("engine_productive_entries")?,
                engine: row.real("engine_s")?,
                ..Totals::default()
            },
        })
    };
    let mut sums: Vec<FunctionSum> = each(&batches).map(sum).collect::<Result<_, Error>>()?;
    sums.sort_by(|a, b| a.function.cmp(&b.function));
    Ok(sums)
}

fn functions(set: &ExportedSet) -> Result<tables::Table<breakdown::GroupRow<breakdown::FunctionName>>, Error> {
    Ok(breakdown::functions_of(sums(set)?, set.figures.ranks, set.figures.in_mpi_total))
}

fn imbalance(set: &ExportedSet) -> Result<tables::Table<imbalance::SpreadRow<breakdown::FunctionName>>, Error> {
    let batches = set.rows("time_spread")?;
    let spread = |row: EngineRow<'_>| {
        Ok(FunctionSpread {
            function: row.text("function")?,
            ranks: row.count("processes")? as usize,
            total: row.real("time_total_s")?,
            most: (row.real("max_s")?, rank(&row, "max_process")?),
            least: (row.real("min_s")?, rank(&row, "min_process")?),
            open: row.count("open_calls")?,
        })
    };
    Ok(imbalance::functions_of(each(&batches).map(spread).collect::<Result<_, Error>>()?))
}

fn matrix(set: &ExportedSet) -> Result<Report, Error> {
    let batches = set.rows("traffic_pairs")?;
    let mut matrix = Matrix::default();
    let mut pairs: Vec<(WorldRank, WorldRank, Traffic)> = Vec::new();
    for row in each(&batches) {
        let traffic = Traffic {
            messages: row.count("messages")?,
            bytes: row.count("bytes")?,
            collective: row.count("collective_bytes")?,
        };
        match row.text("ends")?.as_deref() {
            Some("pair") => pairs.push((rank(&row, "from_process")?, rank(&row, "to_process")?, traffic)),
            Some("elsewhere") => matrix.elsewhere = traffic,
            Some("spread") => matrix.spread = traffic.collective,
            Some("wide") => matrix.wide = traffic.collective,
            _ => matrix.nowhere = traffic.collective,
        }
    }
    let batches = set.rows("processes")?;
    let processes = each(&batches).map(|row| rank(&row, "process")).collect::<Result<Vec<WorldRank>, Error>>()?;
    let known = processes.into_iter().filter(|rank| rank.number.is_some());
    let ranks: BTreeSet<WorldRank> = known.chain(pairs.iter().flat_map(|(from, to, _)| [*from, *to])).collect();
    let places: BTreeMap<WorldRank, u32> = ranks.iter().copied().zip(0..).collect();
    matrix.ranks = ranks.into_iter().collect();
    matrix.traffic = pairs.into_iter().map(|(from, to, traffic)| ((places[&from], places[&to]), traffic)).collect();
    let square = matrix.square().map(Sheet::from);
    let mut report = with(set, matrix.warnings(), square.into_iter().chain([matrix.pairs().into()]).collect())?;
    report.facts.extend(matrix.facts());
    Ok(report)
}

fn waits(set: &ExportedSet) -> Result<Report, Error> {
    if set.figures.profiles == set.figures.ranks {
        return Err(Error::Other(
            "waits needs single calls, but this run was recorded as a profile, which holds only counts and times"
                .into(),
        ));
    }
    let mut totals = WaitTotals { all: set.figures.wall_total, ..WaitTotals::default() };
    let (mut states, mut unresolved, mut named) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    let batches = set.rows("wait_sums")?;
    for row in each(&batches) {
        let state = state(&row)?;
        let sum = WaitSum {
            time: row.whole("wait_ns")?.unwrap_or(0),
            count: row.count("waits")?,
            longest: row.whole("longest_ns")?.unwrap_or(0),
            error: row.whole("error_ns")?.unwrap_or(0),
            open: 0,
        };
        if !row.flag("is_resolved")? {
            merge(&mut unresolved, state, &sum);
            continue;
        }
        merge(&mut states, state, &sum);
        totals.add(&sum);
        named.push(NamedWait {
            state,
            waiter: site(&row, ["process", "function", "call_site"])?,
            cause: site(&row, ["waited_process", "waited_function", "waited_site"])?,
            waited: sum,
        });
    }
    let batches = set.rows("message_counts")?;
    let counts = each(&batches).next().ok_or_else(|| Error::Other("the engine counted no messages".into()))?;
    totals.matched = counts.count("matched_messages")?;
    totals.unmatched = counts.count("unreceived_messages")?;
    totals.unmatched.grow(counts.count("messages_elsewhere")?);
    totals.uncertain = counts.count("uncertain_messages")?;
    totals.collectives = counts.count("matched_collectives")?;
    let tables =
        vec![waits::states_of(&states, &unresolved, totals.all).into(), waits::places_of(named).asked().into()];
    let mut report = with(set, not_looked_at(&counts)?, tables)?;
    report.facts.extend(waits::facts_of(&totals));
    Ok(report)
}

fn merge(sums: &mut BTreeMap<WaitState, WaitSum>, state: WaitState, more: &WaitSum) {
    sums.entry(state).or_default().merge(more);
}

fn state(row: &EngineRow<'_>) -> Result<WaitState, Error> {
    let name = row.text("state")?.unwrap_or_default();
    let found = WaitState::ALL.iter().find(|state| state.name() == name).copied();
    found.ok_or_else(|| Error::Other(format!("the engine's answer has a wait state {name}, which is none")))
}

fn site(row: &EngineRow<'_>, [process, function, site]: [&str; 3]) -> Result<SiteOfRank, Error> {
    Ok(SiteOfRank {
        rank: rank(row, process)?,
        function: row.text(function)?.unwrap_or_default(),
        site: row.text(site)?.unwrap_or_default(),
    })
}

/// Warns of data that the SQL cannot see, or that only the traces hold in full.
fn not_looked_at(counts: &EngineRow<'_>) -> Result<Vec<String>, Error> {
    let kinds = [
        ("unreceived_messages", "message", "sent and not received"),
        ("unsent_messages", "receive", "whose message is unknown"),
        ("messages_elsewhere", "message", "to processes that are unknown or not in this data set"),
        ("unrecorded_messages", "message", "to or from ranks that were not recorded: their waits are unknown"),
        ("confused_collectives", "collective operation", "in which ranks called different functions: left out"),
        (
            "backward_messages",
            "message",
            "received before it was sent, by the clocks: export all tables, which moves the clocks",
        ),
        ("epochs", "call", "of one-sided epochs: for whom these waited, only overhear waits on the traces says"),
        (
            "open_calls",
            "call",
            "that had not returned: for whom these wait, only overhear hang and waits on the traces say",
        ),
    ];
    let mut said = Vec::new();
    for (column, what, why) in kinds {
        let count = counts.count(column)?;
        if count > 0 {
            said.push(format!("{} {why}", plural(count, what)));
        }
    }
    Ok(said)
}
