//! Hoefler, Schneider, Lumsdaine: collective operations.

use examples::answer::{Answer, number};
use serde_json::{Value, json};

use super::page::Page;
use super::processor::machine;
use super::setting::{Setting, pair};

/// Functions in tables.
const BLOCKING: [&str; 4] = ["MPI_Barrier", "MPI_Bcast", "MPI_Allreduce", "MPI_Alltoall"];
const NONBLOCKING: [&str; 2] = ["MPI_Iallreduce", "MPI_Ialltoall"];

pub fn write(settings: &[Setting]) -> Result<(), String> {
    let mut page = Page::new("collectives", "Collective operations");
    page.paragraph(
        "T. Hoefler, T. Schneider and A. Lumsdaine, *Accurately measuring overhead, communication time and progression of blocking and \
         nonblocking collective operations at massive scale*, IJPEDS 2010. Ranks synchronize their clocks in log2 P steps and begin each \
         operation in a window of its own, at the same time. Nonblocking operations are overlapped with computation of a fixed time or a fixed \
         amount, with and without MPI_Test.",
    );
    page.paragraph(
        "The benchmark `timed_collectives` carries this out; `overhear report --by collective` and `overhear overlap` find the same in the \
         trace of any program. Each cell has both: program / trace. `cargo lab papers collectives` makes this page anew.",
    );
    page.paragraph(&machine());
    let (mut blocking, mut nonblocking, mut traces) = (Vec::new(), Vec::new(), Page::new("collectives", ""));
    for setting in settings {
        let functions = "barrier,bcast,allreduce,alltoall";
        let recorded = setting.record("timed_collectives", 2, &["--functions", functions, "--max-bytes", "131072"])?;
        let by_collective = ["report", "--by", "collective"];
        let said = recorded.ask(&by_collective);
        traces.heading(&setting.name());
        traces.terminal(&recorded.print(&by_collective));
        blocking.extend(blocking_rows(setting, &recorded.measured, &said));
        for every in ["0", "1024"] {
            let words = ["--functions", "iallreduce,ialltoall", "--scheme", "time", "--test-every", every];
            let recorded =
                setting.record("timed_collectives", 2, &[&words[..], &["--max-bytes", "131072"]].concat())?;
            nonblocking.extend(nonblocking_rows(setting, every, &recorded.measured, &recorded.ask(&["overlap"])));
        }
    }
    page.heading("Blocking: from the first start to the last end, µs");
    page.table(&["", "function", "message", "first to last", "slowest rank"], &blocking);
    page.heading("Nonblocking, overlapped with computation of the operation's own time");
    page.table(&["", "function", "message", "tests", "overhead, µs", "hidden, %"], &nonblocking);
    page.append(traces);
    page.heading("What could not be done here");
    page.paragraph(
        "The document synchronizes 128 processes of a cluster; here two ranks share a machine and, mostly, a clock. Its comparison with \
         SKaMPI's synchronization is left out for that.",
    );
    page.write()
}

fn blocking_rows(setting: &Setting, measured: &Value, said: &Answer) -> Vec<Vec<String>> {
    let shown = |function: &&str| {
        let rows: Vec<&Value> = rows(measured, "blocking").filter(|row| row["function"] == *function).collect();
        [rows.first().copied(), rows.last().copied().filter(|_| rows.len() > 1)]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
    };
    let line = |row: &Value| {
        let wanted = [("function", row["function"].clone()), ("size_bytes", row["buffer_bytes"].clone())];
        // The benchmark warms up with four operations; its set-up calls collectives, too.
        let count = row["windows"]["missed"].as_array().map_or(0, Vec::len) as u64 + 4;
        let found = said.matching("operations", &wanted).into_iter().find(|found| found["operations"] == count);
        let both = |key: &str| pair(row[key].as_f64(), found.and_then(|found| found[key].as_f64()), 1e6);
        let slowest = pair(row["rank_max_s"].as_f64(), found.and_then(|found| found["rank_max_s"].as_f64()), 1e6);
        vec![setting.name(), name(row), message(row), both("first_to_last_s"), slowest]
    };
    BLOCKING.iter().flat_map(shown).map(line).collect()
}

fn nonblocking_rows(setting: &Setting, every: &str, measured: &Value, said: &Answer) -> Vec<Vec<String>> {
    let shown = |function: &&str| rows(measured, "nonblocking").filter(|row| row["function"] == *function).last();
    let line = |row: &Value| {
        let wanted = [("function", row["function"].clone()), ("size_bytes", row["buffer_bytes"].clone())];
        let found = said.matching("collectives", &wanted);
        let trace = |key: &str| found.iter().find_map(|found| found[key].as_f64());
        let tests = if every == "0" { "none".into() } else { format!("every {every} B") };
        vec![
            setting.name(),
            name(row),
            message(row),
            tests,
            pair(Some(number(row, "overhead_s")), trace("overhead_s"), 1e6),
            pair(row["hidden_percent"].as_f64(), trace("overlap_percent"), 1.0),
        ]
    };
    NONBLOCKING.iter().filter_map(shown).map(line).collect()
}

fn rows<'a>(measured: &'a Value, table: &str) -> impl Iterator<Item = &'a Value> {
    measured[table].as_array().into_iter().flatten()
}

fn name(row: &Value) -> String {
    row["function"].as_str().unwrap_or_default().into()
}

fn message(row: &Value) -> String {
    match &row["message_bytes"] {
        bytes if *bytes == json!(0) => "-".into(),
        bytes => format!("{bytes} B"),
    }
}
