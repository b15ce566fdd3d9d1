//! `hosts`: the machines of the run.

use super::set::{DataSet, RankOfRows};
use super::table::DataRow;
use metrics::hosts::HostRow as Figures;
use tables::{Column, Shared};

pub struct HostRow(Figures);

impl DataRow for HostRow {
    type Common = RankOfRows;
    const TABLE: &'static str = "hosts";
    const MEANING: &'static str = "A host that ranks ran on. Null is unknown.";

    fn columns() -> Vec<Column<HostRow, RankOfRows>> {
        vec![
            Shared::text("host", |row: &HostRow, _| row.0.host.clone()).means("its name"),
            Shared::count("ranks", |row: &HostRow, _| row.0.ranks).means("ranks that ran on it"),
            Shared::count("cores_online", |row: &HostRow, _| row.0.online)
                .means("its cores that are online, each hardware thread counted as one"),
            Shared::count("cores_allowed", |row: &HostRow, _| row.0.allowed)
                .means("those that its ranks may use, by their affinity"),
            Shared::ratio("limit_cores", |row: &HostRow, _| row.0.limit)
                .means("cores' worth of processor time that the control groups allow, null for no limit"),
            Shared::ratio("ranks_a_core", |row: &HostRow, _| row.0.ranks_a_core)
                .means("ranks for each core that they may use, where they share cores the most"),
            Shared::percent("run_delay_percent", |row: &HostRow, _| row.0.delay_percent)
                .means("share of the time in which the ranks' main threads were ready to run but did not"),
            Shared::percent("other_processes_percent", |row: &HostRow, _| row.0.others_percent)
                .means("share of its cores that other processes kept busy, at least"),
            Shared::percent("stolen_percent", |row: &HostRow, _| row.0.stolen_percent)
                .means("share of the cores' time that a hypervisor gave to others"),
            Shared::count("sockets", |row: &HostRow, _| row.0.sockets).means("its sockets"),
            Shared::count("numa_nodes", |row: &HostRow, _| row.0.nodes).means("its NUMA nodes"),
            Shared::count("threads_a_core", |row: &HostRow, _| row.0.threads_a_core)
                .means("hardware threads of a physical core"),
            Shared::text("governor", |row: &HostRow, _| row.0.governor.clone())
                .means("governor of the cores' frequency, empty if there is none or it is unknown"),
        ]
    }
}

/// All hosts, with the first rank that is asked about.
pub fn rows(set: &DataSet<'_>, at: usize) -> Vec<HostRow> {
    match set.asked().next() {
        Some(first) if first == at => metrics::hosts::rows(set.run).into_iter().map(HostRow).collect(),
        _ => Vec::new(),
    }
}
