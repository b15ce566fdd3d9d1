//! The hosts of a run: their cores, the ranks on them, and the time that other processes took.

use super::scheduling::{by_host, limit, most_shared, online, others, scheduled, throttled};
use super::totals::percent;
use model::rank::{ThrottledBetween, cores};
use model::{Rank, Run};
use tables::{Column, Row, Table};

/// A host and its ranks. Empty fields are unknown: older recorders did not read them, or the system does not report
/// them.
pub struct HostRow {
    host: String,
    ranks: u64,
    online: Option<u64>,
    allowed: Option<u64>,
    limit: Option<f64>,
    throttled: Option<ThrottledBetween>,
    ranks_a_core: Option<f64>,
    computation: f64,
    longest: f64,
    mpi: f64,
    sockets: Option<u64>,
    nodes: Option<u64>,
    threads_a_core: Option<u64>,
    governor: String,
    delay_percent: Option<f64>,
    others_percent: Option<f64>,
    stolen_percent: Option<f64>,
}

impl Row for HostRow {
    const TABLE: &'static str = "hosts";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("host", "host", |row: &Self| row.host.clone()).means("The host's name."),
            Column::count("ranks", "ranks", |row: &Self| row.ranks).means("How many ranks ran on it."),
            Column::count("cores_online", "cores", |row: &Self| row.online)
                .means("Its cores that are online. Each hardware thread counts as one."),
            Column::count("cores_allowed", "allowed", |row: &Self| row.allowed)
                .means("Cores that its ranks may use, by their affinity."),
            Column::ratio("limit_cores", "limit", |row: &Self| row.limit)
                .means("Cores' worth of processor time that the control groups allow; empty for no limit.")
                .silent_empty(),
            Column::percent("throttled_percent", "throttled %", |row: &Self| {
                row.throttled.and_then(|one| percent(one.throttled as f64, one.periods as f64))
            })
            .means("Share of the periods in which that limit stopped the processes of the control group; empty for no limit.")
            .silent_empty(),
            Column::seconds("throttled_s", "", |row: &Self| row.throttled.map(|one| one.time))
                .means("How long they were stopped, summed over the cores that they were stopped on."),
            Column::ratio("ranks_a_core", "ranks a core", |row: &Self| row.ranks_a_core)
                .means("Ranks for each core that they may use, where they share cores the most."),
            Column::seconds("computation_mean_s", "computing", |row: &Self| row.computation)
                .means("Time outside MPI, mean of its ranks."),
            Column::seconds("computation_max_s", "", |row: &Self| row.longest)
                .means("Time outside MPI of its rank with the most."),
            Column::seconds("mpi_time_mean_s", "in MPI", |row: &Self| row.mpi)
                .means("Time in MPI, mean of its ranks.")
                .spare(3),
            Column::percent("run_delay_mean_percent", "delay %", |row: &Self| row.delay_percent)
                .means("How long the ranks' main threads were ready to run but did not, mean share of the time."),
            Column::percent("other_processes_percent", "others %", |row: &Self| row.others_percent).means(
                "Share of the host's cores that other processes kept busy, at least; empty of runs below half a \
                     second, which the system's counts are too coarse for.",
            ),
            Column::percent("stolen_percent", "", |row: &Self| row.stolen_percent)
                .means("Share of the cores' time that a hypervisor gave to others."),
            Column::count("sockets", "sockets", |row: &Self| row.sockets).means("How many sockets it has.").spare(4),
            Column::count("numa_nodes", "", |row: &Self| row.nodes).means("How many NUMA nodes it has."),
            Column::count("threads_a_core", "", |row: &Self| row.threads_a_core)
                .means("Hardware threads of a physical core."),
            Column::text("governor", "", |row: &Self| row.governor.clone())
                .means("The governor of the cores' frequency; empty if there is none or it is unknown."),
        ]
    }
}

/// Maximum number of hosts that people are all shown; of more hosts, they are shown `SHOWN_OF_MANY`.
const SHOWN: usize = 32;
const SHOWN_OF_MANY: usize = 20;

/// One row for each host; of many, those first whose ranks compute longest.
pub fn table(run: &Run) -> Table<HostRow> {
    let mut rows = rows(run);
    if rows.len() <= SHOWN {
        return Table::new("by host", rows);
    }
    rows.sort_by(|a, b| b.computation.total_cmp(&a.computation));
    Table::new("by host, those first whose ranks compute longest", rows).most(SHOWN_OF_MANY)
}

/// The hosts in the order of their first ranks.
pub fn rows(run: &Run) -> Vec<HostRow> {
    let row = |(host, ranks): (&str, Vec<&Rank>)| {
        let machine = ranks.iter().find_map(|rank| rank.machine.as_ref());
        let known = |count: usize| (count > 0).then_some(count as u64);
        let mut allowed: Vec<u32> =
            ranks.iter().filter_map(|rank| rank.process_usage()).flat_map(|usage| usage.allowed).collect();
        allowed.sort_unstable();
        allowed.dedup();
        let delays: Vec<_> = ranks.iter().filter_map(|rank| scheduled(rank)).collect();
        let sum = |figure: fn(&super::scheduling::Scheduled) -> f64| delays.iter().map(figure).sum::<f64>();
        let load = others(&ranks);
        let mean =
            |figure: &dyn Fn(&Rank) -> f64| ranks.iter().map(|rank| figure(rank)).sum::<f64>() / ranks.len() as f64;
        HostRow {
            host: host.to_string(),
            ranks: ranks.len() as u64,
            online: machine.and_then(|machine| known(cores(&machine.online).len())),
            allowed: known(allowed.len()),
            limit: ranks.iter().find_map(|rank| limit(rank)),
            throttled: throttled(&ranks),
            ranks_a_core: most_shared(host, &ranks).map(|shared| shared.ranks_a_core()),
            computation: mean(&Rank::computation),
            longest: ranks.iter().map(|rank| rank.computation()).fold(0.0, f64::max),
            mpi: mean(&Rank::time_in_mpi),
            sockets: machine.and_then(|machine| known(machine.sockets.len())),
            nodes: machine.and_then(|machine| known(machine.nodes.len())),
            threads_a_core: machine.and_then(|machine| known(machine.threads_a_core as usize)),
            governor: machine.map(|machine| machine.governor.clone()).unwrap_or_default(),
            delay_percent: percent(sum(|delay| delay.delay), sum(|delay| delay.wall)),
            others_percent: load.as_ref().and_then(|load| percent(load.busy, load.cores)),
            stolen_percent: load.as_ref().and_then(|load| percent(load.stolen, load.cores)),
        }
    };
    by_host(run).into_iter().map(row).collect()
}

/// Describes how the ranks share each host's cores, in a line for people who are about to measure.
pub fn in_words(run: &Run) -> String {
    let of_host = |(host, ranks): (&str, Vec<&Rank>)| match most_shared(host, &ranks) {
        None => format!("{host}: the cores of its ranks are unknown"),
        Some(shared) => {
            let (count, cores) = (shared.ranks.len(), shared.usable);
            let cores_in_words = if cores == 1.0 { "1 core".to_string() } else { format!("{cores} cores") };
            let turns = if shared.ranks_a_core() > 1.0 { ": they take turns" } else { "" };
            let all = ranks.iter().find_map(|rank| online(rank)).map(|all| format!(" of {all}")).unwrap_or_default();
            let of_all = if shared.cores.len() < shared.online { all } else { String::new() };
            let ranks_in_words = super::words::plural(count as u64, "rank");
            format!("{ranks_in_words} on {cores_in_words}{of_all}{turns}")
        }
    };
    let mut said: Vec<(String, u64)> = Vec::new();
    for words in by_host(run).into_iter().map(of_host) {
        match said.iter_mut().find(|(other, _)| *other == words) {
            Some((_, hosts)) => *hosts += 1,
            None => said.push((words, 1)),
        }
    }
    let together = |(words, hosts): (String, u64)| match hosts {
        1 => words,
        hosts => format!("on each of {hosts} hosts {words}"),
    };
    said.into_iter().map(together).collect::<Vec<_>>().join("; ")
}
