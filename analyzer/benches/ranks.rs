//! Measures whole commands on runs of very many ranks: counts and times of each, and fewer with single calls. Prints seconds, memory, and
//! how much the command prints or writes.
//!
//! `cargo bench -p overhear --bench ranks [-- RANKS TRACED [COMMAND...]]`: default 100,000 and 10,000, on hosts of 64; 0 leaves one out.
//! Runs stay in `target/tmp/ranks-bench` for the next time.

mod measured;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use measured::{Taken, taken, words};
use synthetic::{Cluster, Shape, Topology};

const RANKS_PER_HOST: u32 = 64;
/// Calls of each rank.
const CALLS: u64 = 1000;
const TRACED_CALLS: u64 = 500;

/// Each command: its name, the words before the folder of the run, and those after it.
type Named = (&'static str, &'static [&'static str], &'static [&'static str]);

const OF_PROFILES: &[Named] = &[
    ("first screen", &[], &[]),
    ("report", &["report"], &[]),
    ("report --format json", &["report"], &["--format", "json"]),
    ("report --by rank", &["report"], &["--by", "rank"]),
    ("report --by behavior", &["report"], &["--by", "behavior"]),
    ("report --by host", &["report"], &["--by", "host"]),
    ("imbalance", &["imbalance"], &[]),
    ("matrix", &["matrix"], &[]),
    ("diff", &["diff"], &["RUN"]),
    ("report --html", &["report"], &["--html", "OUT", "--force"]),
];

const OF_TRACES: &[Named] = &[
    ("first screen", &[], &[]),
    ("report", &["report"], &[]),
    ("waits", &["waits"], &[]),
    ("check", &["check"], &[]),
    ("report --html", &["report"], &["--html", "OUT", "--force"]),
];

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let mut numbers = asked.iter().filter_map(|word| word.parse::<u32>().ok());
    let (profiled, traced) = (numbers.next().unwrap_or(100_000), numbers.next().unwrap_or(10_000));
    let is_chosen =
        |name: &str| asked.iter().all(|word| word.parse::<u32>().is_ok()) || asked.iter().any(|word| word == name);
    for (ranks, is_profile, calls, commands) in
        [(profiled, true, CALLS, OF_PROFILES), (traced, false, TRACED_CALLS, OF_TRACES)]
    {
        if ranks > 0 {
            measure(ranks, is_profile, calls, commands.iter().filter(|(name, ..)| is_chosen(name)));
        }
    }
}

fn measure(ranks: u32, is_profile: bool, calls: u64, commands: impl Iterator<Item = &'static Named>) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("ranks-bench");
    let kind = if is_profile { "profiles" } else { "traces" };
    let run = folder.join(format!("{ranks} {kind}"));
    written(&run, &Shape { ranks, calls, topology: Topology::Torus, seed: 1 }, is_profile);
    println!("{ranks} ranks, {kind} of {calls} calls each, {} MiB", bytes_in(&run) >> 20);
    println!("{:24}{:>8}{:>13}{:>9}{:>16}{:>14}", "", "wall s", "processor s", "MiB", "anonymous MiB", "KiB out");
    for (name, before, behind) in commands {
        let (printed, page) = (folder.join(format!("{kind} {name}.txt")), folder.join(format!("{kind}.html")));
        let _ = fs::remove_file(&page);
        let Taken { wall, processor, most, anonymous, status } = taken(&words(before, &run, behind, &page), &printed);
        let out = [&printed, &page].iter().map(|file| file.metadata().map_or(0, |file| file.len())).max().unwrap_or(0);
        let ended = if status == 0 { String::new() } else { format!("  exit status {status}") };
        let (most, anonymous) = (most >> 10, anonymous >> 10);
        println!("{name:24}{wall:8.1}{processor:13.1}{most:9}{anonymous:16}{:14}{ended}", out >> 10);
    }
}

/// Writes the run, if it is not there from the last time.
fn written(run: &Path, shape: &Shape, is_profile: bool) {
    let done = run.join("written");
    if done.exists() {
        return;
    }
    let _ = fs::remove_dir_all(run);
    fs::create_dir_all(run).expect("the target folder can be written");
    let began = Instant::now();
    let cluster = Cluster { ranks_per_host: RANKS_PER_HOST, is_profile };
    synthetic::run_on_cluster(run, shape, cluster).expect("the target folder has room");
    println!("written in {:.0} s", began.elapsed().as_secs_f64());
    fs::write(done, "").expect("the target folder can be written");
}

fn bytes_in(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).expect("the run was written").flatten();
    files.map(|file| file.metadata().map_or(0, |file| file.len())).sum()
}
