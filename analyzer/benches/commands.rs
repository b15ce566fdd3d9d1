//! What whole commands take of a long run: seconds, calls a second, and memory.
//!
//! `cargo bench -p overhear --bench commands [-- CALLS]`: so many million calls over 16 ranks, default 10. With
//! `--features overhear/polars`, Parquet and SQL too; OTF2 where its library is at hand.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use synthetic::{Shape, Topology};

const RANKS: u32 = 16;

/// Each command: its name, the words before the folder of the run, and those behind it. `OUT` is a file or folder that is not there.
const COMMANDS: &[(&str, &[&str], &[&str])] = &[
    ("report", &["report"], &[]),
    ("report --html", &["report"], &["--html", "OUT"]),
    ("waits", &["waits"], &[]),
    ("timeline --html", &["timeline"], &["--html", "OUT"]),
    ("export --to csv, calls", &["export"], &["OUT", "--to", "csv", "--tables", "calls"]),
    ("export --to perfetto", &["export"], &["OUT", "--to", "perfetto"]),
    ("export --to otf2", &["export"], &["OUT", "--to", "otf2"]),
    #[cfg(feature = "polars")]
    ("export --to parquet, calls", &["export"], &["OUT", "--to", "parquet", "--tables", "calls"]),
    #[cfg(feature = "polars")]
    ("query, calls by function", &["query"], &["SELECT function, count(*) AS calls FROM calls GROUP BY function"]),
];

fn main() {
    let millions: u64 = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(10);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("commands-bench");
    let (run, out) = (folder.join("run"), folder.join("out"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&run).expect("the target folder can be written");
    let shape =
        Shape { ranks: RANKS, calls: millions * 1_000_000 / u64::from(RANKS), topology: Topology::Torus, seed: 1 };
    let truth = synthetic::run(&run, &shape).expect("the target folder can be written");
    println!("{} calls of {RANKS} ranks", truth.total.calls);
    println!("{:28}{:>10}{:>12}{:>16}{:>10}", "", "wall s", "processor s", "million calls/s", "MiB");
    for (name, before, behind) in COMMANDS {
        fs::create_dir(&out).expect("the target folder can be written");
        print(name, &before_and_behind(before, &run, behind, &out.join("of")), truth.total.calls);
        let _ = fs::remove_dir_all(&out);
    }
    let _ = fs::remove_dir_all(&folder);
}

fn before_and_behind(before: &[&str], run: &Path, behind: &[&str], out: &Path) -> Vec<PathBuf> {
    let behind = behind.iter().map(|word| if *word == "OUT" { out.to_path_buf() } else { word.into() });
    before.iter().map(PathBuf::from).chain([run.to_path_buf()]).chain(behind).collect()
}

/// Runs the command, and prints what it took.
fn print(name: &str, words: &[PathBuf], calls: u64) {
    let began = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
    #[expect(clippy::zombie_processes, reason = "wait4 waits for it, and says what it used")]
    let child = command.args(words).stdout(Stdio::null()).spawn().expect("the command was built");
    // SAFETY: all bytes zero is one of its values.
    let mut used: libc::rusage = unsafe { std::mem::zeroed() };
    let mut status = 0;
    // SAFETY: it is this process's child, which nobody else waits for, and both are out parameters.
    unsafe { libc::wait4(child.id() as i32, &mut status, 0, &mut used) };
    let wall = began.elapsed().as_secs_f64();
    if status != 0 {
        return println!("{name:28}does not work here");
    }
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    let processor = seconds(used.ru_utime) + seconds(used.ru_stime);
    println!("{name:28}{wall:10.1}{processor:12.1}{:16.2}{:10}", calls as f64 / wall / 1e6, used.ru_maxrss >> 10);
}
