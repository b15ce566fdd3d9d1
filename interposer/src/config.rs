//! What the environment says. Its only reader; what the variables are called and mean is in `traces::settings`.

use std::env;
use std::path::PathBuf;

use traces::file::Mode;
use traces::progress::Depth;
use traces::settings::{self, Filter, Occasions};

use crate::clock::FalseClock;

/// What the user asked for.
pub struct Config {
    /// Where to put the run, if it was said.
    pub directory: Option<PathBuf>,
    /// The run's identity, if `overhear record` chose one; it has made the folder then.
    pub run: Option<[u8; 16]>,
    /// `None` forwards calls and records nothing.
    pub mode: Option<Mode>,
    /// How much to record of the progress engine.
    pub progress: Depth,
    /// Whether that was said.
    pub progress_asked: bool,
    /// When to compare the ranks' clocks.
    pub sync: Occasions,
    /// What this process takes for the time instead.
    pub false_clock: Option<FalseClock>,
    /// What to record.
    pub filter: Filter,
    /// Bytes a rank's file may have.
    pub max_bytes: u64,
}

/// Reads the environment. Fails with a sentence for the user.
pub fn read() -> Result<Config, String> {
    settings::check(env::vars_os())?;
    Ok(Config {
        directory: env::var_os("OVERHEAR_DIR").filter(|value| !value.is_empty()).map(PathBuf::from),
        run: set("OVERHEAR_RUN", settings::run)?,
        mode: set("OVERHEAR_MODE", settings::mode)?.unwrap_or(Some(Mode::Trace)),
        progress_asked: text("OVERHEAR_PROGRESS").is_some(),
        progress: set("OVERHEAR_PROGRESS", settings::progress)?.unwrap_or(Depth::Events),
        sync: set("OVERHEAR_SYNC", settings::sync)?.unwrap_or(Occasions::Both),
        false_clock: set("OVERHEAR_TEST_CLOCK", settings::clocks)?.and_then(false_clock),
        filter: Filter::parse(&text("OVERHEAR_FILTER").unwrap_or_default())?,
        max_bytes: set("OVERHEAR_MAX_BYTES", settings::max_bytes)?.unwrap_or(u64::MAX),
    })
}

/// The process that `overhear record` became, if it is this one's ancestor or itself.
pub fn recorded_process() -> Option<u32> {
    env::var("OVERHEAR_PID").ok()?.parse().ok()
}

/// What this process becomes later by exec is not what `overhear record` became.
pub fn forget_recorded_process() {
    // In place, since other threads may be reading the environment.
    // SAFETY: the value is terminated, so it has a first byte.
    unsafe { libc::getenv(c"OVERHEAR_PID".as_ptr()).as_mut().into_iter().for_each(|first| *first = 0) };
}

/// The rank that the launcher says this process has, before MPI says so.
pub fn launcher_rank() -> Option<u32> {
    let names = [
        "PMIX_RANK",
        "PMI_RANK",
        "OMPI_COMM_WORLD_RANK",
        "MPIRUN_RANK",
        "SLURM_PROCID",
        "PALS_RANKID",
        "FLUX_TASK_RANK",
        "ALPS_APP_PE",
    ];
    names.iter().find_map(|name| env::var(name).ok()?.parse().ok())
}

/// The value of a variable that was checked, if it is set.
fn set<T>(name: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, String> {
    text(name).map(|value| parse(&value)).transpose()
}

fn text(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// This process's part of the list, if it has one.
fn false_clock(clocks: Vec<(f64, f64)>) -> Option<FalseClock> {
    let (offset, drift) = *clocks.get(launcher_rank()? as usize)?;
    Some(FalseClock { offset, drift })
}
