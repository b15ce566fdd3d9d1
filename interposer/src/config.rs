//! The user's settings, from the environment, which no other file reads. `traces::settings` defines names and values.

use std::env;
use std::path::PathBuf;

use traces::call_filter::Filter;
use traces::counters::CounterEvent;
use traces::file::Mode;
use traces::mpi_settings::{OF_HYDRA, sets_up_mpi};
use traces::node::FileForm;
use traces::progress::Depth;
use traces::settings::{self, Keep, Occasions};

/// A clock that is wrong on purpose, for tests.
#[derive(Clone, Copy)]
pub struct FalseClock {
    /// Seconds ahead.
    pub offset: f64,
    /// Excess of the clock's rate, in parts per million.
    pub drift: f64,
}

pub struct Config {
    /// The run's folder, if the user named one.
    pub directory: Option<PathBuf>,
    /// The run's identity, if `overhear record` chose one; it has then made the folder.
    pub run: Option<[u8; 16]>,
    /// `None` forwards calls and records nothing.
    pub mode: Option<Mode>,
    pub progress: Depth,
    pub progress_asked: bool,
    pub checksum: bool,
    /// Limit on the frames of a call's path; 0 for the call site alone.
    pub call_path: u32,
    /// Processor time between two samples of a thread, in nanoseconds; 0 for none.
    pub sample: u64,
    /// Events to count.
    pub counters: Vec<&'static CounterEvent>,
    /// True to ask MPI which requests are complete.
    pub asks: bool,
    pub sync: Occasions,
    /// The clock that this process pretends to have.
    pub false_clock: Option<FalseClock>,
    pub filter: Filter,
    pub max_bytes: u64,
    pub keep: Keep,
    pub files: FileForm,
}

/// Reads the environment. An error is a sentence for the user.
pub fn read() -> Result<Config, String> {
    settings::check(env::vars_os())?;
    Ok(Config {
        directory: directory(),
        run: set(settings::RUN, settings::run)?,
        mode: set(settings::MODE, settings::mode)?.unwrap_or(Some(Mode::Trace)),
        progress_asked: text(settings::PROGRESS).is_some(),
        progress: set(settings::PROGRESS, settings::progress)?.unwrap_or(Depth::Events),
        call_path: set(settings::CALL_PATH, settings::call_path)?.unwrap_or(settings::MOST_FRAMES),
        sample: set(settings::SAMPLE, settings::sample)?.unwrap_or(0),
        counters: set(settings::COUNTERS, settings::counters)?.unwrap_or_default(),
        checksum: set(settings::CHECKSUM, settings::checksum)?.unwrap_or(false),
        asks: set(settings::OVERLAP, settings::overlap)?.unwrap_or(false),
        sync: set(settings::SYNC, settings::sync)?.unwrap_or(Occasions::Both),
        false_clock: set(settings::TEST_CLOCK, settings::clocks)?.and_then(false_clock),
        filter: Filter::parse(&text(settings::FILTER).unwrap_or_default())?,
        max_bytes: set(settings::MAX_BYTES, settings::max_bytes)?.unwrap_or(u64::MAX),
        keep: set(settings::KEEP, settings::keep)?.unwrap_or_default(),
        files: set(settings::FILES, settings::files)?.unwrap_or_default(),
    })
}

/// The run's folder, if the user or `overhear record` named one.
pub fn directory() -> Option<PathBuf> {
    env::var_os(settings::DIR).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The run's identity, if `overhear record` chose one and waits for the run's end.
pub fn run_in_front() -> Option<[u8; 16]> {
    set(settings::RUN, settings::run).ok().flatten()
}

/// True if this process must not write to stderr: `overhear record` in front speaks for its processes, whose stderr may
/// be read by the program that has started them, or the [launcher](OF_HYDRA) may end the job.
pub fn must_be_silent() -> bool {
    run_in_front().is_some() || is_under_hydra()
}

/// True under a launcher that ends the job if it cannot pass stderr on.
pub fn is_under_hydra() -> bool {
    text(OF_HYDRA).is_some()
}

/// Maximum number of settings of the MPI library, and of bytes of each.
const MOST_SETTINGS: usize = 32;
const MOST_OF_SETTING: usize = 200;

/// The variables by which users set up MPI and threads, each as `NAME=VALUE`, sorted.
pub fn mpi_settings() -> Vec<String> {
    let mut all = Vec::new();
    for (name, value) in env::vars_os() {
        let name = name.to_string_lossy();
        if sets_up_mpi(&name) {
            let mut setting = format!("{name}={}", value.to_string_lossy());
            setting.truncate(setting.floor_char_boundary(MOST_OF_SETTING));
            all.push(setting);
        }
    }
    all.sort();
    all.truncate(MOST_SETTINGS);
    all
}

/// True if the process was given a variable of this name, or set it.
pub fn is_in_environment(name: &str) -> bool {
    env::var_os(name).is_some()
}

/// The id of the process that `overhear record` became by exec: an ancestor of this one, or this one.
pub fn recorded_process() -> Option<u32> {
    env::var(settings::PID).ok()?.parse().ok()
}

/// Clears the variable that [`recorded_process`] reads: a program that this process becomes by exec is not the recorded
/// one.
pub fn forget_recorded_process() {
    // In place, since other threads may be reading the environment.
    // SAFETY: the value is terminated, so it has a first byte.
    unsafe { libc::getenv(c"OVERHEAR_PID".as_ptr()).as_mut().into_iter().for_each(|first| *first = 0) };
}

/// This process's rank according to the launcher, which is known before MPI_Init.
pub fn launcher_rank() -> Option<u32> {
    settings::launcher_rank(text)
}

/// This process's launch, according to the launcher.
pub struct Launch {
    /// The launch's name, the same on all hosts.
    pub name: Option<String>,
    /// Tells this launch from others on this host.
    pub server: Option<String>,
    /// Number of the launch's processes on this host.
    pub here: Option<u32>,
    /// The descriptor that is connected to the launcher's process on this host.
    pub descriptor: Option<i32>,
}

/// Reads the launch from the variables of PMIx, PMI or the launcher.
pub fn launch() -> Launch {
    let number = |name: &str| text(name)?.parse::<u32>().ok();
    let pmix = text("PMIX_NAMESPACE");
    // Hydra does not name its launches. A name from a scheduler around it may cover several of them, so it is not used.
    let hydra = number(OF_HYDRA).filter(|_| pmix.is_none());
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

/// A node's entry in Slurm's list of tasks: `2(x3),1` is two tasks on each of three nodes, and one on the next.
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

/// The parsed value of a variable, `None` if it is unset or empty.
fn set<T>(name: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, String> {
    text(name).map(|value| parse(&value)).transpose()
}

fn text(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// This process's clock: the list has one for each rank.
fn false_clock(clocks: Vec<(f64, f64)>) -> Option<FalseClock> {
    let (offset, drift) = *clocks.get(launcher_rank()? as usize)?;
    Some(FalseClock { offset, drift })
}
