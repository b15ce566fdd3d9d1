//! Measures whole commands on a long run: seconds, calls per second, and memory. Anonymous memory is the command's own; the rest
//! belongs to the page cache, since files are mapped.
//!
//! `cargo bench -p overhear --bench commands [-- CALLS [COMMAND...]]`: CALLS million calls over 16 ranks, default 10; only the named
//! commands. With `--features overhear/polars`, SQL too; OTF2 if its library is at hand.

mod measured;

use std::fs;
use std::path::{Path, PathBuf};

use measured::{Taken, taken, words};
use synthetic::{Shape, Topology};

const RANKS: u32 = 16;

/// Each command: its name, the words before the folder of the run, and those after it. `OUT` is a file or folder that does not
/// exist, `RUN` the run once more.
const COMMANDS: &[(&str, &[&str], &[&str])] = &[
    ("report", &["report"], &[]),
    ("waits", &["waits"], &[]),
    ("pop", &["pop"], &[]),
    ("path", &["path"], &[]),
    ("first screen", &[], &[]),
    ("diff", &["diff"], &["RUN"]),
    ("report --html", &["report"], &["--html", "OUT"]),
    ("timeline --html", &["timeline"], &["--html", "OUT"]),
    ("export --to csv, calls", &["export"], &["OUT", "--to", "csv", "--tables", "calls"]),
    ("export --to perfetto", &["export"], &["OUT", "--to", "perfetto"]),
    ("export --to otf2", &["export"], &["OUT", "--to", "otf2"]),
    ("export --to parquet", &["export"], &["OUT", "--to", "parquet"]),
    ("export --to parquet, calls", &["export"], &["OUT", "--to", "parquet", "--tables", "calls"]),
    #[cfg(feature = "polars")]
    ("query, calls by function", &["query"], &["SELECT function, count(*) AS calls FROM calls GROUP BY function"]),
];

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let millions: u64 = asked.iter().find_map(|word| word.parse().ok()).unwrap_or(10);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("commands-bench");
    let (run, out) = (folder.join("run"), folder.join("out"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&run).expect("the target folder can be written");
    let shape =
        Shape { ranks: RANKS, calls: millions * 1_000_000 / u64::from(RANKS), topology: Topology::Torus, seed: 1 };
    let truth = synthetic::run(&run, &shape).expect("the target folder can be written");
    let is_named = |name: &str| asked.iter().any(|word| word == name);
    let chosen = COMMANDS.iter().filter(|(name, ..)| is_named(name));
    let all = if chosen.clone().count() > 0 { chosen.collect() } else { Vec::from_iter(COMMANDS) };
    println!("{} calls of {RANKS} ranks in {} MiB", truth.total.calls, bytes_in(&run) >> 20);
    println!(
        "{:28}{:>10}{:>12}{:>16}{:>10}{:>15}",
        "", "wall s", "processor s", "million calls/s", "MiB", "anonymous MiB"
    );
    for (name, before, behind) in all {
        fs::create_dir(&out).expect("the target folder can be written");
        print(name, &words(before, &run, behind, &out.join("of")), truth.total.calls);
        let _ = fs::remove_dir_all(&out);
    }
    let _ = fs::remove_dir_all(&folder);
}

fn bytes_in(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).expect("the run was written").flatten();
    files.map(|file| file.metadata().map_or(0, |file| file.len())).sum()
}

/// Runs the command, and prints its time and memory.
fn print(name: &str, words: &[PathBuf], calls: u64) {
    let Taken { wall, processor, most, anonymous, status } = taken(words, Path::new("/dev/null"));
    if status != 0 {
        return println!("{name:28}does not work here");
    }
    let rate = calls as f64 / wall / 1e6;
    println!("{name:28}{wall:10.1}{processor:12.1}{rate:16.2}{:10}{:15}", most >> 10, anonymous >> 10);
}
