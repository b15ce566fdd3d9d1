//! Measures whole commands on a long run: seconds, calls a second, and memory, of which what is anonymous is the command's own; the
//! rest is the page cache's, since files are mapped.
//!
//! `cargo bench -p overhear --bench commands [-- CALLS [COMMAND...]]`: so many million calls over 16 ranks, default 10; only the
//! named commands. With `--features overhear/polars`, Parquet and SQL too; OTF2 where its library is at hand.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use synthetic::{Shape, Topology};

const RANKS: u32 = 16;

/// Between two looks at a command's memory.
const LOOKS: Duration = Duration::from_millis(5);

/// Each command: its name, the words before the folder of the run, and those behind it. `OUT` is a file or folder that is not there,
/// `RUN` the run once more.
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
    #[cfg(feature = "polars")]
    ("export --to parquet, calls", &["export"], &["OUT", "--to", "parquet", "--tables", "calls"]),
    #[cfg(feature = "polars")]
    ("query, calls by function", &["query"], &["SELECT function, count(*) AS calls FROM calls GROUP BY function"]),
];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let millions: u64 = words.iter().find_map(|word| word.parse().ok()).unwrap_or(10);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("commands-bench");
    let (run, out) = (folder.join("run"), folder.join("out"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&run).expect("the target folder can be written");
    let shape =
        Shape { ranks: RANKS, calls: millions * 1_000_000 / u64::from(RANKS), topology: Topology::Torus, seed: 1 };
    let truth = synthetic::run(&run, &shape).expect("the target folder can be written");
    let is_named = |name: &str| words.iter().any(|word| word == name);
    let chosen = COMMANDS.iter().filter(|(name, ..)| is_named(name));
    let all = if chosen.clone().count() > 0 { chosen.collect() } else { Vec::from_iter(COMMANDS) };
    println!("{} calls of {RANKS} ranks in {} MiB", truth.total.calls, bytes_in(&run) >> 20);
    println!(
        "{:28}{:>10}{:>12}{:>16}{:>10}{:>15}",
        "", "wall s", "processor s", "million calls/s", "MiB", "anonymous MiB"
    );
    for (name, before, behind) in all {
        fs::create_dir(&out).expect("the target folder can be written");
        print(name, &before_and_behind(before, &run, behind, &out.join("of")), truth.total.calls);
        let _ = fs::remove_dir_all(&out);
    }
    let _ = fs::remove_dir_all(&folder);
}

fn bytes_in(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).expect("the run was written").flatten();
    files.map(|file| file.metadata().map_or(0, |file| file.len())).sum()
}

fn before_and_behind(before: &[&str], run: &Path, behind: &[&str], out: &Path) -> Vec<PathBuf> {
    let behind = behind.iter().map(|word| match *word {
        "OUT" => out.to_path_buf(),
        "RUN" => run.to_path_buf(),
        word => word.into(),
    });
    before.iter().map(PathBuf::from).chain([run.to_path_buf()]).chain(behind).collect()
}

/// Runs the command, and prints its time and memory.
fn print(name: &str, words: &[PathBuf], calls: u64) {
    let began = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
    #[expect(clippy::zombie_processes, reason = "wait4 waits for it, and says what it used")]
    let child = command.args(words).stdout(Stdio::null()).spawn().expect("the command was built");
    // SAFETY: all bytes zero is one of its values.
    let mut used: libc::rusage = unsafe { std::mem::zeroed() };
    let (mut status, mut anonymous) = (0, 0);
    // SAFETY: it is this process's child, which nobody else waits for, and both are out parameters.
    while unsafe { libc::wait4(child.id() as i32, &mut status, libc::WNOHANG, &mut used) } == 0 {
        anonymous = anonymous.max(anonymous_memory(child.id()));
        thread::sleep(LOOKS);
    }
    let wall = began.elapsed().as_secs_f64();
    if status != 0 {
        return println!("{name:28}does not work here");
    }
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    let processor = seconds(used.ru_utime) + seconds(used.ru_stime);
    let rate = calls as f64 / wall / 1e6;
    println!("{name:28}{wall:10.1}{processor:12.1}{rate:16.2}{:10}{:15}", used.ru_maxrss >> 10, anonymous >> 10);
}

/// KiB that a process has in memory and that no file holds.
fn anonymous_memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
