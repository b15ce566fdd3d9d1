//! What the environment says. Its only reader; what the variables are called and mean is in `traces::settings`.

use std::env;
use std::path::PathBuf;

use traces::file::Mode;
use traces::progress::Depth;
use traces::settings::{self, Filter, Occasions};

/// A clock that is wrong on purpose, for tests.
#[derive(Clone, Copy)]
pub struct FalseClock {
    /// By how many seconds.
    pub offset: f64,
    /// By how much it is too fast, millionths.
    pub drift: f64,
}

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
    /// Whether to record checksums of messages.
    pub checksum: bool,
    /// Whether to ask MPI which requests are complete.
    pub asks: bool,
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
        directory: env::var_os(settings::DIR).filter(|value| !value.is_empty()).map(PathBuf::from),
        run: set(settings::RUN, settings::run)?,
        mode: set(settings::MODE, settings::mode)?.unwrap_or(Some(Mode::Trace)),
        progress_asked: text(settings::PROGRESS).is_some(),
        progress: set(settings::PROGRESS, settings::progress)?.unwrap_or(Depth::Events),
        checksum: set(settings::CHECKSUM, settings::checksum)?.unwrap_or(false),
        asks: set(settings::OVERLAP, settings::overlap)?.unwrap_or(false),
        sync: set(settings::SYNC, settings::sync)?.unwrap_or(Occasions::Both),
        false_clock: set(settings::TEST_CLOCK, settings::clocks)?.and_then(false_clock),
        filter: Filter::parse(&text(settings::FILTER).unwrap_or_default())?,
        max_bytes: set(settings::MAX_BYTES, settings::max_bytes)?.unwrap_or(u64::MAX),
    })
}

/// The process that `overhear record` became, if it is this one's ancestor or itself.
pub fn recorded_process() -> Option<u32> {
    env::var(settings::PID).ok()?.parse().ok()
}

/// What this process becomes later by exec is not what `overhear record` became.
pub fn forget_recorded_process() {
    // In place, since other threads may be reading the environment.
    // SAFETY: the value is terminated, so it has a first byte.
    unsafe { libc::getenv(c"OVERHEAR_PID".as_ptr()).as_mut().into_iter().for_each(|first| *first = 0) };
}

/// The rank that the launcher says this process has, before MPI says so.
pub fn launcher_rank() -> Option<u32> {
    settings::launcher_rank(text)
}

/// What the launcher says of the launch that this process is of.
pub struct Launch {
    /// Its name, the same on all hosts.
    pub name: Option<String>,
    /// What tells this launch on this host from others.
    pub server: Option<String>,
    /// Its processes on this host.
    pub here: Option<u32>,
    /// The descriptor by which the launcher's process on this host is reached.
    pub descriptor: Option<i32>,
}

/// What the launcher says, by PMIx, PMI or variables of its own.
pub fn launch() -> Launch {
    let number = |name: &str| text(name)?.parse::<u32>().ok();
    let pmix = text("PMIX_NAMESPACE");
    // Hydra does not name its launches, which others may be around.
    let hydra = number("MPI_LOCALNRANKS").filter(|_| pmix.is_none());
    let step = || {
        Some(format!("{}.{}", text("SLURM_JOB_ID")?, text("SLURM_STEP_ID").filter(|_| text("SLURM_PROCID").is_some())?))
    };
    let others = || ["PALS_APID", "FLUX_JOB_ID", "ALPS_APP_ID"].iter().find_map(|name| text(name));
    let name = pmix.clone().or_else(|| if hydra.is_some() { None } else { step().or_else(others) });
    let servers =
        ["PMIX_SERVER_URI2", "PMIX_SERVER_URI3", "PMIX_SERVER_URI4"].map(|name| text(name).unwrap_or_default());
    let slurm = || tasks_of_node(&text("SLURM_STEP_TASKS_PER_NODE")?, number("SLURM_NODEID")?);
    Launch {
        name,
        server: pmix.map(|pmix| format!("{pmix} {}", servers.join(" "))),
        here: number("OMPI_COMM_WORLD_LOCAL_SIZE").or(hydra).or_else(slurm),
        descriptor: text("PMI_FD").and_then(|value| value.parse().ok()),
    }
}

/// `2(x3),1`: two on each of three nodes, one on the next.
fn tasks_of_node(list: &str, mut node: u32) -> Option<u32> {
    for part in list.split(',') {
        let (tasks, nodes) = part.split_once("(x").unwrap_or((part, "1"));
        let nodes: u32 = nodes.trim_end_matches(')').parse().ok()?;
        match node.checked_sub(nodes) {
            Some(rest) => node = rest,
            None => return tasks.parse().ok(),
        }
    }
    None
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
