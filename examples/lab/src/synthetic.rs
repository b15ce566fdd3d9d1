//! Generates a run of any number of ranks and calls, without running anything.

use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use synthetic::{Cluster, KnownTotals, Shape};
use traces::folder;

/// Writes the run into a new or empty folder, or beside it with a number appended to the name.
pub fn run(wanted: &Path, shape: &Shape, cluster: Option<Cluster>, lines: Option<u32>) -> Result<(), String> {
    let io = |error: std::io::Error| format!("{}: {error}", wanted.display());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let folder = folder::claim(wanted, &now.as_nanos().to_be_bytes()).map_err(io)?;
    let began = Instant::now();
    let truth = match (cluster, lines) {
        (Some(cluster), _) => synthetic::run_on_cluster(&folder, shape, cluster),
        (None, Some(lines)) => synthetic::run_at_lines(&folder, shape, lines),
        (None, None) => synthetic::run(&folder, shape),
    };
    let total = truth.map_err(io)?.total;
    let KnownTotals { calls, messages, bytes, .. } = total;
    println!(
        "{}: {calls} calls, {messages} messages of {bytes} bytes, in {:.1} s",
        folder.display(),
        began.elapsed().as_secs_f64()
    );
    if let Some(cluster) = cluster {
        let slow = cluster.slow_host(shape.ranks);
        println!(
            "{} hosts; ranks {}-{} compute half as long again, rank {} twice as long; the first rank of each host polls",
            cluster.hosts(shape.ranks),
            slow.start,
            slow.end - 1,
            cluster.slow_rank(shape.ranks)
        );
    }
    let waits = [
        ("late sender", total.late_sender),
        ("wait at n x n", total.wait_at_nxn),
        ("late broadcast", total.late_broadcast),
        ("wait at barrier", total.wait_at_barrier),
    ];
    for (what, waiting) in waits {
        println!("{what:15}  {:.6} s in {} calls", waiting.ticks as f64 / 1e9, waiting.calls);
    }
    Ok(())
}
