//! Every environment variable: its name, its default, one sentence. The only reader of the environment.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use traces::calls::{Call, Class};
use traces::file::Mode;
use traces::progress::Depth;

use crate::clock::FalseClock;
use crate::clock::sync::Occasions;

/// All of them.
const VARIABLES: &[&str] = &[
    // Folder of the run. Default: overhear-PROGRAM-DATE-TIME.
    "OVERHEAR_DIR",
    // trace, profile or null: every call, counts and times only, nothing. Default: trace.
    "OVERHEAR_MODE",
    // Classes and functions to leave out or put back, as -io,+wtime. Default: -query.
    "OVERHEAR_FILTER",
    // off, count, time or events: how much is recorded of the progress engine. Default: events.
    "OVERHEAR_PROGRESS",
    // off, init or both: when the ranks' clocks are compared, at MPI_Init and MPI_Finalize. Default: both.
    "OVERHEAR_SYNC",
    // Limit of a rank's file, as 500M. Default: none.
    "OVERHEAR_MAX_BYTES",
    // Set by `overhear record` in front of a launcher: identifies the run, whose folder it has made.
    "OVERHEAR_RUN",
    // Set by `overhear record` behind a launcher: the process that became the program.
    "OVERHEAR_PID",
    // For tests: SECONDS:PPM,... by which ranks' clocks are to be wrong, in the launcher's order.
    "OVERHEAR_TEST_CLOCK",
];

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

/// Which calls are recorded.
pub struct Filter {
    /// In the words it was given.
    pub text: String,
    recorded: Vec<bool>,
}

/// The least that a file can do with: below this there is no room for a profile.
const LEAST_BYTES: u64 = 1 << 20;

/// Reads the environment. Fails with a sentence for the user.
pub fn read() -> Result<Config, String> {
    unknown(env::vars_os().map(|(name, _)| name))?;
    Ok(Config {
        directory: env::var_os("OVERHEAR_DIR").filter(|value| !value.is_empty()).map(PathBuf::from),
        run: text("OVERHEAR_RUN")?.map(|value| run(&value)).transpose()?,
        mode: mode(&text("OVERHEAR_MODE")?.unwrap_or("trace".into()))?,
        progress_asked: text("OVERHEAR_PROGRESS")?.is_some(),
        progress: text("OVERHEAR_PROGRESS")?.map_or(Ok(Depth::Events), |value| progress(&value))?,
        sync: text("OVERHEAR_SYNC")?.map_or(Ok(Occasions::Both), |value| sync(&value))?,
        false_clock: text("OVERHEAR_TEST_CLOCK")?.map_or(Ok(None), |value| false_clock(&value))?,
        filter: Filter::parse(&text("OVERHEAR_FILTER")?.unwrap_or_default())?,
        max_bytes: text("OVERHEAR_MAX_BYTES")?.map_or(Ok(u64::MAX), |value| bytes(&value))?,
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

fn text(name: &str) -> Result<Option<String>, String> {
    match env::var(name) {
        Ok(value) if value.is_empty() => Ok(None),
        Ok(value) => Ok(Some(value)),
        Err(env::VarError::NotPresent) => Ok(None),
        Err(env::VarError::NotUnicode(_)) => Err(format!("{name} is not text")),
    }
}

fn unknown(names: impl Iterator<Item = OsString>) -> Result<(), String> {
    for name in names.filter_map(|name| name.into_string().ok()) {
        if name.starts_with("OVERHEAR_") && !VARIABLES.contains(&name.as_str()) {
            let nearest = nearest(&name, VARIABLES.iter().copied());
            return Err(format!("there is no variable {name}; the nearest one is {nearest}"));
        }
    }
    Ok(())
}

fn mode(value: &str) -> Result<Option<Mode>, String> {
    match value {
        "trace" => Ok(Some(Mode::Trace)),
        "profile" => Ok(Some(Mode::Profile)),
        "null" => Ok(None),
        _ => {
            let nearest = nearest(value, ["trace", "profile", "null"].into_iter());
            Err(format!("OVERHEAR_MODE={value} does not exist; the nearest one is {nearest}"))
        }
    }
}

fn progress(value: &str) -> Result<Depth, String> {
    Depth::ALL.into_iter().find(|depth| depth.name() == value).ok_or_else(|| {
        let nearest = nearest(value, Depth::ALL.iter().map(|depth| depth.name()));
        format!("OVERHEAR_PROGRESS={value} does not exist; the nearest one is {nearest}")
    })
}

fn sync(value: &str) -> Result<Occasions, String> {
    match value {
        "off" => Ok(Occasions::None),
        "init" => Ok(Occasions::Init),
        "both" => Ok(Occasions::Both),
        _ => {
            let nearest = nearest(value, ["off", "init", "both"].into_iter());
            Err(format!("OVERHEAR_SYNC={value} does not exist; the nearest one is {nearest}"))
        }
    }
}

/// This process's part of the list, if it has one.
fn false_clock(value: &str) -> Result<Option<FalseClock>, String> {
    let own = launcher_rank().and_then(|rank| value.split(',').nth(rank as usize));
    let parse = |clock: &str| {
        let (seconds, millionths) = clock.split_once(':')?;
        Some(FalseClock { offset: seconds.parse().ok()?, drift: millionths.parse().ok()? })
    };
    own.map(|clock| parse(clock).ok_or(format!("OVERHEAR_TEST_CLOCK={value}: {clock} is not SECONDS:PPM"))).transpose()
}

fn run(value: &str) -> Result<[u8; 16], String> {
    let number = u128::from_str_radix(value, 16);
    number.map(u128::to_be_bytes).map_err(|_| format!("OVERHEAR_RUN={value} is no run: 32 hexadecimal digits"))
}

fn bytes(value: &str) -> Result<u64, String> {
    let wrong = || format!("OVERHEAR_MAX_BYTES={value} is no size: a number, with K, M, G or T behind it");
    let number = value.trim_end_matches(['K', 'M', 'G', 'T', 'B', 'i']);
    let unit = match value[number.len()..].chars().next() {
        None | Some('B') => 1,
        Some('K') => 1 << 10,
        Some('M') => 1 << 20,
        Some('G') => 1 << 30,
        Some('T') => 1u64 << 40,
        Some(_) => return Err(wrong()),
    };
    let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit)).ok_or_else(wrong)?;
    if bytes < LEAST_BYTES {
        return Err(format!("OVERHEAR_MAX_BYTES={value} is too little: at least 1M, or nothing can be recorded"));
    }
    Ok(bytes)
}

impl Filter {
    /// Reads `+NAME,-NAME,...`; a name without a sign is recorded. Starts from everything but the queries.
    pub fn parse(text: &str) -> Result<Filter, String> {
        let mut recorded = vec![true; Call::LIMIT];
        let mut set = |matches: &dyn Fn(Call) -> bool, to: bool| {
            Call::all().filter(|call| matches(*call)).for_each(|call| recorded[call.number() as usize] = to);
        };
        set(&|call| call.class() == Class::Query, false);
        for word in text.split([',', ' ']).filter(|word| !word.is_empty()) {
            let (to, name) = match word.split_at(1) {
                ("+", name) => (true, name),
                ("-", name) => (false, name),
                _ => (true, word),
            };
            let name = name.to_lowercase();
            let name = name.strip_prefix("mpi_").unwrap_or(&name);
            if name == "all" {
                set(&|_| true, to);
            } else if let Some(class) = Class::ALL.iter().find(|class| class.filter_name() == name) {
                set(&|call| call.class() == *class, to);
            } else if Call::all().any(|call| call.name().to_lowercase() == name) {
                // A function's name stands for its large-count form too.
                set(&|call| call.name().to_lowercase() == name || call.row().name.to_lowercase() == name, to);
            } else {
                let functions: Vec<String> = Call::all().map(|call| call.name().to_lowercase()).collect();
                let classes: Vec<String> = Class::ALL.iter().map(|class| class.filter_name()).collect();
                let nearest = nearest(name, classes.iter().chain(&functions).map(String::as_str));
                return Err(format!(
                    "OVERHEAR_FILTER: no class or function is called {name}; the nearest one is {nearest}"
                ));
            }
        }
        // The start and the end of MPI are what everything else is measured by, and what the program asks of its profiler
        // concerns all calls.
        set(&|call| call.class() == Class::Lifecycle || call == Call::Pcontrol, true);
        let text = if text.is_empty() { "-query".into() } else { text.into() };
        Ok(Filter { text, recorded })
    }

    /// Whether calls of this function are recorded.
    pub fn records(&self, call: Call) -> bool {
        self.recorded[call.number() as usize]
    }
}

fn nearest<'a>(word: &str, among: impl Iterator<Item = &'a str>) -> &'a str {
    among.min_by_key(|candidate| strsim::levenshtein(word, candidate)).unwrap_or_default()
}
