//! The machine behind the figures.

use std::fs;

/// Describes the machine in words.
pub fn machine() -> String {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpus.lines().find_map(|line| line.strip_prefix("model name")).and_then(|line| line.split_once(": "));
    let model = model.map_or("a processor that does not say what it is", |(_, model)| model);
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let kernel = release.split(['-', '\n']).next().unwrap_or_default();
    format!("A virtual machine with {count} cores of {}, Linux {kernel}; all ranks are on it.", model.trim())
}
