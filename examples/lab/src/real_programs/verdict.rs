//! Checks that a run's report adds up.

use std::collections::BTreeMap;
use std::fs;

use examples::answer::number;
use examples::run::Run;
use serde_json::json;

use super::programs::PackagedProgram;

/// Figures of a recorded run in the table.
#[derive(Default)]
pub struct Figures {
    pub calls: u64,
    /// Share of the ranks' time.
    pub in_mpi_percent: f64,
    /// Share of sent messages whose receive was found; `None` if none was sent.
    pub matched_percent: Option<f64>,
    /// Size of all files of the run.
    pub trace_bytes: u64,
}

/// Reads a run's reports and check, and adds their errors to `faults`.
pub fn judge(program: &PackagedProgram, run: &Run, faults: &mut Vec<String>) -> Figures {
    let analyses = [("report", &[][..]), ("report", &["--by", "rank"]), ("check", &[])];
    let [report, ranks, check] = analyses.map(|(analysis, arguments)| {
        let answer = run.ask(analysis, arguments);
        if answer.status != 0 {
            faults.push(format!("overhear {analysis}: status {}: {}", answer.status, answer.warnings()));
        }
        answer
    });
    let mut holds = |holds: bool, otherwise: String| {
        if !holds {
            faults.push(otherwise);
        }
    };
    let about = &check.json["run"];
    let wall = check.fact("wall_time_s");
    holds(about["ranks"] == program.ranks, format!("{} ranks, not {}", about["ranks"], program.ranks));
    let bytes = (&about["sent_bytes"], &about["received_bytes"]);
    holds(bytes.0 == bytes.1, format!("{} bytes sent, {} received", bytes.0, bytes.1));
    holds(about["backwards"] == 0, format!("{} messages arrive before they are sent", about["backwards"]));

    let mut in_mpi = BTreeMap::new();
    for row in ranks.rows("rank_functions") {
        *in_mpi.entry(row["rank"].as_u64()).or_insert(0.0) += number(row, "time_s");
    }
    holds(in_mpi.len() == program.ranks as usize, format!("{} ranks have calls", in_mpi.len()));
    for (rank, seconds) in in_mpi {
        holds(seconds <= wall, format!("rank {rank:?} was in MPI for {seconds} s of {wall} s"));
    }
    let functions = report.rows("functions");
    for &name in program.calls {
        holds(functions.iter().any(|row| row["function"] == name), format!("no {name} in the report"));
    }
    let unmatched = check.sum("unmatched", "calls", &[]);
    holds(unmatched == 0, format!("{unmatched} calls without a partner"));

    let matched = check.fact("matched_messages");
    let sent = matched + check.total("unmatched", "calls", &[("what", json!("sent, not received"))]);
    Figures {
        calls: report.sum("functions", "calls", &[]),
        in_mpi_percent: 100.0 * check.fact("mpi_time_mean_s") / wall,
        matched_percent: (sent > 0.0).then(|| 100.0 * matched / sent),
        trace_bytes: run.files().iter().filter_map(|file| fs::metadata(file).ok()).map(|data| data.len()).sum(),
    }
}
