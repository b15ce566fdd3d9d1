//! Hoefler, Viertel, Mehlan, Mietke, Rehm: from one rank to n others and back.

use examples::answer::{Answer, number};
use serde_json::{Value, json};

use super::page::Page;
use super::processor::machine;
use super::setting::{Setting, pair};

const RANKS: u32 = 4;
/// Functions whose whole rounds a trace shows, by the benchmark's name and MPI's.
const FUNCTIONS: [(&str, &str); 3] = [("isend", "MPI_Isend"), ("issend", "MPI_Issend"), ("bcast", "MPI_Bcast")];
/// Sizes in tables; figures have all.
const SHOWN: [(u64, &str); 3] = [(1, "1 B"), (4096, "4 KiB"), (1 << 20, "1 MiB")];

pub fn write(settings: &[Setting]) -> Result<(), String> {
    let mut page = Page::new("fan-out", "From one rank to n others and back");
    page.paragraph(
        "T. Hoefler, C. Viertel, T. Mehlan, F. Mietke and W. Rehm, *Assessing single-message and multi-node communication performance of \
         InfiniBand*, PARELEC 2006. Rank 0 sends to n - 1 others, each sends back, and rank 0 takes the time from its first send to the last \
         answer; half of that is the latency. Each round is timed by itself, so that minimum and mavericks are seen.",
    );
    page.paragraph(
        "The benchmark `fan_out` carries this out; `overhear fanout` finds such rounds in the trace of any program. Each cell has both: \
         program / trace, the median in µs. `cargo lab papers fan-out` makes this page anew.",
    );
    page.paragraph(&machine());
    let (mut rows, mut findings, mut figures) = (Vec::new(), Vec::new(), Page::new("fan-out", ""));
    for setting in settings.iter().filter(|setting| setting.can_run(RANKS)) {
        let recorded = setting.record("fan_out", RANKS, &["--factor", "16", "--rounds", "51"])?;
        let said = recorded.ask(&["fanout"]);
        let caption = format!("{}: latency and bandwidth over size, latency per message over n", setting.name());
        recorded.draw(&["fanout"], &figures.picture(&setting.name(), &caption))?;
        for (own, function) in FUNCTIONS {
            let cells = [2, u64::from(RANKS)].into_iter().flat_map(|ranks| {
                let cell = |(bytes, _): (u64, &str)| {
                    let measured = program(&recorded.measured, own, ranks, bytes);
                    pair(measured.map(|row| number(row, "half_s")), trace(&said, function, ranks, bytes), 1e6)
                };
                SHOWN.map(cell)
            });
            rows.push([setting.name(), function.to_string()].into_iter().chain(cells).collect());
        }
        findings.push(finding(setting, &recorded.measured));
    }
    page.heading("Latency: half of the round trip, µs");
    let sizes = |ranks: u32| SHOWN.map(|(_, size)| format!("1:{}, {size}", ranks - 1));
    let heads: Vec<String> = ["".into(), "function".into()].into_iter().chain(sizes(2)).chain(sizes(RANKS)).collect();
    page.table(&heads, &rows);
    page.heading("What the document finds, and what shows here");
    page.paragraph(
        "The document finds a message to each of 15 peers cheaper than one to a single peer: the card pipelines, and a model that charges \
         each message the same is wrong. Here, for 1 byte by MPI_Isend:",
    );
    page.list(findings);
    page.heading("Figures");
    page.append(figures);
    page.heading("What could not be done here");
    page.paragraph(
        "There is no InfiniBand: what its transport services do, MPI's functions stand in for. MPI_Put whose target polls the last byte stands \
         for RDMA write, MPI_Get for RDMA read, MPI_Bcast for multicast. Of one-sided rounds the trace shows what rank 0 calls, not when a \
         target's poll succeeds, so they are in the benchmark's table alone. Four ranks share two processors in place of 64 nodes, so a round \
         in which a peer is not running takes as long as the kernel lets another run. MPICH 4 over TCP is left out: with more than two \
         ranks over UCX it often hangs in MPI_Finalize, with or without a recorder.",
    );
    page.write()
}

fn program<'a>(measured: &'a Value, function: &str, ranks: u64, bytes: u64) -> Option<&'a Value> {
    let mut rows = measured["rows"].as_array()?.iter();
    rows.find(|row| row["function"] == function && row["ranks"] == ranks && row["bytes"] == bytes)
}

fn trace(said: &Answer, function: &str, ranks: u64, bytes: u64) -> Option<f64> {
    let wanted = [
        ("way", json!("round_trip")),
        ("function", json!(function)),
        ("size_bytes", json!(bytes)),
        ("ranks", json!(ranks)),
    ];
    said.matching("rounds", &wanted).first().and_then(|row| row["half_s"].as_f64())
}

fn finding(setting: &Setting, measured: &Value) -> String {
    let each =
        |ranks| program(measured, "isend", ranks, 1).map_or(f64::NAN, |row| number(row, "half_per_message_s") * 1e6);
    let (one, all) = (each(2), each(u64::from(RANKS)));
    let verdict =
        if all < one { "so a message costs less among several" } else { "so a message costs no less among several" };
    format!("{}: {one:.2} µs to one peer, {all:.2} µs for each of {}: {verdict}.", setting.name(), RANKS - 1)
}
