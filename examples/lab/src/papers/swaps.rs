//! Worley: point-to-point protocols.

use serde_json::Value;

use super::page::Page;
use super::processor::machine;
use super::setting::Setting;

/// Bytes in all: latencies come from the small volume, down to messages of 8 bytes, bandwidths from the large one.
const SMALL: u64 = 8 << 10;
const LARGE: u64 = 2 << 20;

pub fn write(settings: &[Setting]) -> Result<(), String> {
    let mut page = Page::new("swaps", "Latency and bandwidth by protocol");
    page.paragraph(
        "P. H. Worley, *COMMTEST* (Oak Ridge National Laboratory): a fixed volume is exchanged between two processors in 1 to 1024 messages, \
         by ten unordered (ping-ping) and eleven ordered (ping-pong) protocols. What one more message costs is the latency a, halved for \
         ordered protocols; 2/b is the bandwidth of the fastest way to move the volume.",
    );
    page.paragraph(
        "The benchmark `swap` carries this out; `overhear network` finds latencies, bandwidths and the sizes at which the protocol changes in \
         the trace of any program, and LogGP's parameters where the trace has what they need. `cargo lab papers swaps` makes this page \
         anew.",
    );
    page.paragraph(&machine());
    let words = ["--volumes", "8192", "2097152", "--forms", "basic", "--ways", "kept"];
    let (mut latencies, mut bandwidths, mut names): (Vec<Vec<String>>, Vec<Vec<String>>, Vec<String>) =
        Default::default();
    let mut figures = Page::new("swaps", "");
    for setting in settings {
        let recorded = setting.record("swap", 2, &words)?;
        let rows = |volume: u64| {
            let all = recorded.measured["rows"].as_array().into_iter().flatten();
            all.filter(move |row| row["volume_bytes"] == volume)
        };
        if latencies.is_empty() {
            let first = |row: &Value| vec![format!("({}) {}", text(row, "protocol"), text(row, "protocol_name"))];
            latencies = rows(SMALL).map(first).collect();
            bandwidths = latencies.clone();
        }
        let figure = |row: &Value, key: &str, times: f64, digits: usize| {
            row[key].as_f64().map_or("-".into(), |value| format!("{:.digits$}", value * times))
        };
        for (cells, row) in latencies.iter_mut().zip(rows(SMALL)) {
            cells.push(figure(row, "latency_s", 1e6, 2));
        }
        for (cells, row) in bandwidths.iter_mut().zip(rows(LARGE)) {
            cells.push(figure(row, "bandwidth_bytes_per_second", 1e-6, 0));
        }
        let caption =
            format!("{}: time over number of messages and bandwidth over size, from the trace", setting.name());
        recorded.draw(&["network"], &figures.picture(&setting.name(), &caption))?;
        figures.terminal(&recorded.print(&["network", "--top", "8"]));
        names.push(setting.name());
    }
    let heads: Vec<String> = std::iter::once("protocol".into()).chain(names).collect();
    page.heading("Latency, µs, as the benchmark measures it: 8 KiB, cache kept");
    page.table(&heads, &latencies);
    page.heading("Bandwidth 2/b, MB/s: 2 MiB, cache kept");
    page.table(&heads, &bandwidths);
    page.heading("From the traces");
    page.append(figures);
    page.heading("What could not be done here");
    page.paragraph(
        "The document compares machines of its time, within and between nodes, and pairs of processors that share a link. Here both ranks \
         share a machine. The benchmark has the other volumes, preposted receives, invalidated caches, repeated messages and simultaneous \
         pairs, too: `swap --help`.",
    );
    page.write()
}

fn text(row: &Value, key: &str) -> String {
    row[key].as_str().unwrap_or_default().into()
}
