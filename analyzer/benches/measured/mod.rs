//! Measures a command of ours: seconds and memory. Anonymous memory is the command's own; the rest belongs to the page cache, since
//! files are mapped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use examples::used;

/// Between two looks at a command's memory.
const LOOKS: Duration = Duration::from_millis(5);

pub struct Taken {
    /// Seconds.
    pub wall: f64,
    /// Seconds of all processors.
    pub processor: f64,
    /// Peak KiB in memory, and those of them that no file holds.
    pub most: u64,
    pub anonymous: u64,
    /// The exit status.
    pub status: i32,
}

/// Runs `overhear` with these words, and measures it. Its output goes to a file.
pub fn taken(words: &[PathBuf], printed: &Path) -> Taken {
    let began = Instant::now();
    let file = fs::File::create(printed).expect("the target folder can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
    let child = command.args(words).stdout(Stdio::from(file)).spawn().expect("the command was built");
    let (process, mut anonymous) = (child.id(), 0);
    let used = used::wait_while(child, || {
        anonymous = anonymous.max(anonymous_memory(process));
        thread::sleep(LOOKS);
    });
    let (wall, processor) = (began.elapsed().as_secs_f64(), used.processor.as_secs_f64());
    Taken { wall, processor, most: used.memory, anonymous, status: used.status.code().unwrap_or(-1) }
}

/// KiB that a process has in memory and that no file holds.
fn anonymous_memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// The words before a run's folder, the folder, and those after it, in which `OUT` is a file and `RUN` the run once more.
pub fn words(before: &[&str], run: &Path, behind: &[&str], out: &Path) -> Vec<PathBuf> {
    let behind = behind.iter().map(|word| match *word {
        "OUT" => out.to_path_buf(),
        "RUN" => run.to_path_buf(),
        word => word.into(),
    });
    before.iter().map(PathBuf::from).chain([run.to_path_buf()]).chain(behind).collect()
}
