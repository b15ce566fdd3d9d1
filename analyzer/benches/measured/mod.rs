//! What a command of ours takes: seconds and memory, of which what is anonymous is its own; the rest is the page cache's, since files
//! are mapped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Between two looks at a command's memory.
const LOOKS: Duration = Duration::from_millis(5);

pub struct Taken {
    /// Seconds.
    pub wall: f64,
    /// Seconds of all processors.
    pub processor: f64,
    /// The most KiB in memory, and those of them that no file holds.
    pub most: i64,
    pub anonymous: i64,
    /// The exit status.
    pub status: i32,
}

/// Runs `overhear` with these words, and measures it. What it prints goes to a file.
pub fn taken(words: &[PathBuf], printed: &Path) -> Taken {
    let began = Instant::now();
    let file = fs::File::create(printed).expect("the target folder can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
    #[expect(clippy::zombie_processes, reason = "wait4 waits for it, and says what it used")]
    let child = command.args(words).stdout(Stdio::from(file)).spawn().expect("the command was built");
    // SAFETY: all bytes zero is one of its values.
    let mut used: libc::rusage = unsafe { std::mem::zeroed() };
    let (mut status, mut anonymous) = (0, 0);
    // SAFETY: it is this process's child, which nobody else waits for, and both are out parameters.
    while unsafe { libc::wait4(child.id() as i32, &mut status, libc::WNOHANG, &mut used) } == 0 {
        anonymous = anonymous.max(anonymous_memory(child.id()));
        thread::sleep(LOOKS);
    }
    let wall = began.elapsed().as_secs_f64();
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    let processor = seconds(used.ru_utime) + seconds(used.ru_stime);
    let status = if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { -1 };
    Taken { wall, processor, most: used.ru_maxrss, anonymous, status }
}

/// KiB that a process has in memory and that no file holds.
fn anonymous_memory(process: u32) -> i64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// The words before a run's folder, the folder, and those behind it, in which `OUT` is a file and `RUN` the run once more.
pub fn words(before: &[&str], run: &Path, behind: &[&str], out: &Path) -> Vec<PathBuf> {
    let behind = behind.iter().map(|word| match *word {
        "OUT" => out.to_path_buf(),
        "RUN" => run.to_path_buf(),
        word => word.into(),
    });
    before.iter().map(PathBuf::from).chain([run.to_path_buf()]).chain(behind).collect()
}
