//! The settings of a recording, with their variables, flags, values and defaults.
//!
//! The command checks all of them before it starts anything, and the recorder checks them again when MPI is
//! initialized: a mistake must not cost a run, and both report it in the same words.

use std::ffi::{OsStr, OsString};

use crate::call_filter::Filter;
use crate::counters::{self, CounterEvent};
use crate::file::Mode;
use crate::node::FileForm;
use crate::progress::Depth;
use crate::suggest::instead;

/// A setting. Its flag belongs to `overhear record`; launchers hand on its variable.
pub struct Setting {
    /// The environment variable.
    pub variable: &'static str,
    /// The flag without dashes; empty if there is none.
    pub flag: &'static str,
    /// The name of its value in help texts.
    pub value: &'static str,
    /// The possible values, if they are few.
    pub values: &'static [&'static str],
    /// The value if it is not set; empty for none.
    pub default: &'static str,
    /// The purpose, for help texts.
    pub meaning: &'static str,
    parse: fn(&str) -> Result<(), String>,
}

/// All settings. Parsing, help texts, the variables that launchers hand on, and the table in docs/guide/recording.md
/// come from here.
pub const SETTINGS: [Setting; 17] = [
    Setting {
        variable: DIR,
        flag: "dir",
        value: "DIR",
        values: &[],
        default: "overhear-PROGRAM-DATE-TIME",
        meaning: "folder of the run",
        parse: |_| Ok(()),
    },
    Setting {
        variable: MODE,
        flag: "mode",
        value: "MODE",
        values: &MODES,
        default: MODES[0],
        meaning: "record every call, or only counts and times, or nothing (to measure overhead)",
        parse: |value| mode(value).map(drop),
    },
    Setting {
        variable: FILTER,
        flag: "filter",
        value: "FILTER",
        values: &[],
        default: "-query",
        meaning: "classes and functions to leave out or put back, as -io,+wtime",
        parse: |value| Filter::parse(value).map(drop),
    },
    Setting {
        variable: PROGRESS,
        flag: "progress",
        value: "HOW",
        values: &DEPTHS,
        default: DEPTHS[3],
        meaning: "what to record of the progress engine: nothing, counts, times, or every entry that achieved something",
        parse: |value| progress(value).map(drop),
    },
    Setting {
        variable: CHECKSUM,
        flag: "checksum",
        value: "HOW",
        values: &CHECKSUMS,
        default: CHECKSUMS[0],
        meaning: "what to record of the content of messages: nothing, or a CRC-32 of each",
        parse: |value| checksum(value).map(drop),
    },
    Setting {
        variable: CALL_PATH,
        flag: "call-path",
        value: "FRAMES",
        values: &[],
        default: "128",
        meaning: "how many functions of a call's path to record, the innermost first: up to 128, or off for the call site alone",
        parse: |value| call_path(value).map(drop),
    },
    Setting {
        variable: SAMPLE,
        flag: "sample",
        value: "PERIOD",
        values: &[],
        default: "off",
        meaning: "look where threads that call MPI are between their calls, each time they have computed for so long, as 10ms",
        parse: |value| sample(value).map(drop),
    },
    Setting {
        variable: COUNTERS,
        flag: "counters",
        value: "EVENTS",
        values: &[],
        default: "off",
        meaning: "count up to 8 of perf's events for the thread that initializes MPI, as instructions,cycles",
        parse: |value| counters(value).map(drop),
    },
    Setting {
        variable: OVERLAP,
        flag: "overlap",
        value: "HOW",
        values: &OVERLAPS,
        default: OVERLAPS[0],
        meaning: "how to find out when requests complete: by the calls that complete them, or ask MPI before and after every call",
        parse: |value| overlap(value).map(drop),
    },
    Setting {
        variable: SYNC,
        flag: "sync",
        value: "WHEN",
        values: &OCCASIONS,
        default: OCCASIONS[2],
        meaning: "when to compare the ranks' clocks: never, after MPI_Init, or then and in MPI_Finalize",
        parse: |value| sync(value).map(drop),
    },
    Setting {
        variable: MAX_BYTES,
        flag: "max-bytes",
        value: "SIZE",
        values: &[],
        default: "",
        meaning: "size limit of a rank's file, as 500M, 1.5G or 1e9, at least 1M; beyond it, recording continues as a profile with exact totals",
        parse: |value| max_bytes(value).map(drop),
    },
    Setting {
        variable: KEEP,
        flag: "keep",
        value: "last:HOW-MUCH",
        values: &[],
        default: "all",
        meaning: "keep only the newest records, as last:60s, last:2h or last:256M, at least 1s or 4M; totals stay exact for the whole run",
        parse: |value| keep(value).map(drop),
    },
    Setting {
        variable: FILES,
        flag: "files",
        value: "WHICH",
        values: &FileForm::NAMES,
        default: FileForm::NAMES[0],
        meaning: "a file for each rank (rank), or one for all ranks of a launch on a host (node): the default is node for more than 64 ranks there",
        parse: |value| files(value).map(drop),
    },
    Setting {
        variable: SHIP,
        flag: "ship",
        value: "WHETHER",
        values: &SWITCH,
        default: SWITCH[0],
        meaning: "copy liboverhear.so into the run's folder and preload that, so that every host sees it and the run has what recorded it",
        parse: |value| ship(value).map(drop),
    },
    Setting {
        variable: RUN,
        flag: "",
        value: "",
        values: &[],
        default: "",
        meaning: "set by `overhear record` in front of a launcher or program: identifies the run whose folder it made",
        parse: |value| run(value).map(drop),
    },
    Setting {
        variable: PID,
        flag: "",
        value: "",
        values: &[],
        default: "",
        meaning: "set by `overhear record` behind a launcher: the process that became the program",
        parse: |_| Ok(()),
    },
    Setting {
        variable: TEST_CLOCK,
        flag: "",
        value: "",
        values: &[],
        default: "",
        meaning: "for tests: SECONDS:PPM,... errors of the ranks' clocks, in the launcher's order",
        parse: |value| clocks(value).map(drop),
    },
];

/// The variable of the run's folder. Its value is a path, which need not be text.
pub const DIR: &str = "OVERHEAR_DIR";
pub const MODE: &str = "OVERHEAR_MODE";
pub const FILTER: &str = "OVERHEAR_FILTER";
pub const PROGRESS: &str = "OVERHEAR_PROGRESS";
pub const CHECKSUM: &str = "OVERHEAR_CHECKSUM";
pub const CALL_PATH: &str = "OVERHEAR_CALL_PATH";
pub const SAMPLE: &str = "OVERHEAR_SAMPLE";
pub const COUNTERS: &str = "OVERHEAR_COUNTERS";
pub const OVERLAP: &str = "OVERHEAR_OVERLAP";
pub const SYNC: &str = "OVERHEAR_SYNC";
pub const MAX_BYTES: &str = "OVERHEAR_MAX_BYTES";
pub const KEEP: &str = "OVERHEAR_KEEP";
pub const FILES: &str = "OVERHEAR_FILES";
pub const SHIP: &str = "OVERHEAR_SHIP";
pub const RUN: &str = "OVERHEAR_RUN";
pub const PID: &str = "OVERHEAR_PID";
pub const TEST_CLOCK: &str = "OVERHEAR_TEST_CLOCK";

/// Values of [`MODE`].
const MODES: [&str; 3] = ["trace", "profile", "null"];
/// Values of [`PROGRESS`].
pub const DEPTHS: [&str; 4] = ["off", "count", "time", "events"];
/// Values of [`CHECKSUM`].
const CHECKSUMS: [&str; 2] = ["off", "crc32"];
/// Values of a setting whose flag alone means on.
pub const SWITCH: [&str; 2] = ["off", "on"];
/// Values of [`OVERLAP`].
const OVERLAPS: [&str; 2] = ["calls", "ask"];
/// Values of [`SYNC`].
const OCCASIONS: [&str; 3] = ["off", "init", "both"];
/// The smallest limit of a file's size: with less there is no room for a profile.
const LEAST_BYTES: u64 = 1 << 20;

/// The variables in which launchers give a process its rank, standard interfaces first.
const RANKS: [&str; 8] = [
    "PMIX_RANK",
    "PMI_RANK",
    "OMPI_COMM_WORLD_RANK",
    "MPIRUN_RANK",
    "SLURM_PROCID",
    "PALS_RANKID",
    "FLUX_TASK_RANK",
    "ALPS_APP_PE",
];

/// Slurm's numbers of the steps that are a batch script or an interactive shell (slurm.h) begin here. Their processes have a
/// `SLURM_PROCID`, too, and are no ranks; a batch script's have no number.
const NO_STEP: u32 = 0xffff_fff0;

/// The rank that the launcher has given a process, from its variables, before MPI is initialized.
pub fn launcher_rank(variable: impl Fn(&str) -> Option<String>) -> Option<u32> {
    let number = |name: &str| variable(name)?.parse::<u32>().ok();
    let is_of_rank = |name: &str| name != "SLURM_PROCID" || number("SLURM_STEP_ID").is_some_and(|step| step < NO_STEP);
    RANKS.into_iter().filter(|name| is_of_rank(name)).find_map(number)
}

/// Checks every variable that begins with `OVERHEAR_`. Fails with a sentence for the user.
pub fn check(variables: impl Iterator<Item = (OsString, OsString)>) -> Result<(), String> {
    for (name, value) in variables {
        let Some(name) = name.to_str().filter(|name| name.starts_with("OVERHEAR_")) else { continue };
        let Some(setting) = SETTINGS.iter().find(|setting| setting.variable == name) else {
            let names: Vec<&str> = SETTINGS.iter().map(|setting| setting.variable).collect();
            return Err(format!("there is no variable {name}; {}", instead(name, &names, &names)));
        };
        // An empty variable counts as not set.
        if !value.is_empty() {
            let told = |reason| {
                format!("{name}{}: {reason}", value.to_str().map(|text| format!("={text}")).unwrap_or_default())
            };
            setting.check(&value).map_err(told)?;
        }
    }
    Ok(())
}

impl Setting {
    /// Checks a value. Fails with the reason.
    pub fn check(&self, value: &OsStr) -> Result<(), String> {
        match value.to_str() {
            Some(text) => (self.parse)(text),
            None if self.variable == DIR => Ok(()),
            None => Err("not text".into()),
        }
    }
}

/// The mode; `None` to record nothing.
pub fn mode(value: &str) -> Result<Option<Mode>, String> {
    one_of(value, &MODES, "mode").map(|at| [Some(Mode::Trace), Some(Mode::Profile), None].get(at).copied().flatten())
}

pub fn progress(value: &str) -> Result<Depth, String> {
    one_of(value, &DEPTHS, "way to record the progress engine")
        .map(|at| Depth::ALL.get(at).copied().unwrap_or(Depth::Off))
}

pub fn checksum(value: &str) -> Result<bool, String> {
    one_of(value, &CHECKSUMS, "checksum").map(|at| at == 1)
}

/// Limit on the frames of a call path.
pub const MOST_FRAMES: u32 = 128;

/// Parses `--call-path`: the number of frames, 0 for off.
pub fn call_path(value: &str) -> Result<u32, String> {
    if value == "off" {
        return Ok(0);
    }
    let frames = value.parse().ok().filter(|frames| (1..=MOST_FRAMES).contains(frames));
    frames.ok_or_else(|| format!("not off, nor a number of frames from 1 to {MOST_FRAMES}"))
}

/// The shortest and the longest period of `--sample`, in nanoseconds. The system measures processor time some hundred times a second.
const PERIODS: std::ops::RangeInclusive<f64> = 1e6..=1e10;

/// Parses `--sample`: the period in nanoseconds, 0 for off.
pub fn sample(value: &str) -> Result<u64, String> {
    if value == "off" {
        return Ok(0);
    }
    let period = nanoseconds(value).filter(|period| PERIODS.contains(period));
    period.map(|period| period as u64).ok_or_else(|| "neither off nor a time from 1ms to 10s, such as 10ms".into())
}

/// Parses `--counters`: the events, none for off.
pub fn counters(value: &str) -> Result<Vec<&'static CounterEvent>, String> {
    if value == "off" { Ok(Vec::new()) } else { counters::parse(value) }
}

/// A time such as `10ms`, `60s`, `5min` or `2h`, in nanoseconds.
fn nanoseconds(value: &str) -> Option<f64> {
    let digits = value.find(|c: char| !matches!(c, '0'..='9' | '.')).unwrap_or(value.len());
    let (number, unit) = value.split_at(digits);
    let unit = match unit {
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        "min" => 60e9,
        "h" => 3600e9,
        _ => return None,
    };
    number.parse().ok().map(|number: f64| number * unit)
}

/// The records to keep.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Keep {
    /// The shortest time whose records are kept, nanoseconds; 0 if time does not matter.
    pub time: u64,
    /// The size of a rank's file in bytes; 0 if size does not matter.
    pub bytes: u64,
}

impl Keep {
    /// True if old records are dropped.
    pub fn drops(self) -> bool {
        self.time | self.bytes != 0
    }
}

/// The times that `--keep` takes, in nanoseconds: a second to a year.
const KEPT_TIMES: std::ops::RangeInclusive<f64> = 1e9..=3.2e16;
/// The smallest size that `--keep` takes: a quarter of it is for data that cannot be dropped.
const LEAST_KEPT: u64 = 4 << 20;

/// Parses `--keep`: the records to keep.
pub fn keep(value: &str) -> Result<Keep, String> {
    if value == "all" {
        return Ok(Keep::default());
    }
    let wrong = || "not all, nor last: with a time or a size, as last:60s, last:5min, last:2h or last:256M".to_string();
    let last = value.strip_prefix("last:").ok_or_else(wrong)?;
    if let Some(time) = nanoseconds(last) {
        let is_known = KEPT_TIMES.contains(&time);
        return if is_known {
            Ok(Keep { time: time as u64, bytes: 0 })
        } else {
            Err("not a time from 1s to a year".into())
        };
    }
    // In `5m`, m may mean minutes.
    match size(last) {
        Ok(_) if last.ends_with('m') => Err(format!("{last} may be minutes or megabytes: write min or M")),
        Ok(bytes) if bytes < LEAST_KEPT => Err("too small: recording the newest needs at least 4M".into()),
        Ok(bytes) => Ok(Keep { time: 0, bytes }),
        Err(_) => Err(wrong()),
    }
}

/// Parses `--files`.
pub fn files(value: &str) -> Result<FileForm, String> {
    one_of(value, &FileForm::NAMES, "way to share files").map(FileForm::numbered)
}

/// Parses `--overlap`: true if MPI is asked at each call which pending requests are complete.
pub fn overlap(value: &str) -> Result<bool, String> {
    one_of(value, &OVERLAPS, "way to find out when requests complete").map(|at| at == 1)
}

/// Parses `--ship`: true if the recorder is copied into the run's folder.
pub fn ship(value: &str) -> Result<bool, String> {
    one_of(value, &SWITCH, "answer").map(|at| at == 1)
}

pub fn sync(value: &str) -> Result<Occasions, String> {
    one_of(value, &OCCASIONS, "occasion to compare clocks")
        .map(|at| Occasions::ALL.get(at).copied().unwrap_or(Occasions::None))
}

fn one_of(value: &str, among: &[&'static str], what: &str) -> Result<usize, String> {
    among
        .iter()
        .position(|name| *name == value)
        .ok_or_else(|| format!("there is no such {what}; there are {}", among.join(", ")))
}

/// The size limit of a rank's file, in bytes.
pub fn max_bytes(value: &str) -> Result<u64, String> {
    match size(value)? {
        bytes if bytes < LEAST_BYTES => Err("too small: recording needs at least 1M".into()),
        bytes => Ok(bytes),
    }
}

/// A size in bytes, such as `500M`, `1.5G`, `64KiB` or `1e6`; K, M, G and T are powers of 1024.
pub fn size(value: &str) -> Result<u64, String> {
    let wrong = || "not a size, as 500M, 1.5G, 64KiB or 1e6".to_string();
    let digits = value.find(|c: char| !matches!(c, '0'..='9' | '.' | 'e' | 'E' | '+' | '-')).unwrap_or(value.len());
    let (number, unit) = value.split_at(digits);
    let unit = match unit.to_ascii_uppercase().as_str() {
        "" | "B" => 1u64,
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => 1 << 30,
        "T" | "TB" | "TIB" => 1 << 40,
        _ => return Err(wrong()),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let bytes = number * unit as f64;
    if bytes >= 0.0 && bytes < u64::MAX as f64 { Ok(bytes as u64) } else { Err(wrong()) }
}

/// The identity of a run.
pub fn run(value: &str) -> Result<[u8; 16], String> {
    let number = u128::from_str_radix(value, 16);
    number.map(u128::to_be_bytes).map_err(|_| "not a run, which is 32 hexadecimal digits".into())
}

/// The error of each rank's clock, in seconds and millionths, for tests.
pub fn clocks(value: &str) -> Result<Vec<(f64, f64)>, String> {
    let parse = |clock: &str| {
        let (seconds, millionths) = clock.split_once(':')?;
        Some((seconds.parse().ok()?, millionths.parse().ok()?))
    };
    value.split(',').map(|clock| parse(clock).ok_or_else(|| format!("{clock} is not SECONDS:PPM"))).collect()
}

/// The occasions on which the ranks' clocks are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Occasions {
    /// Never.
    None,
    /// After MPI is initialized.
    Init,
    /// After MPI is initialized, and before it is finalized.
    Both,
}

impl Occasions {
    const ALL: [Occasions; 3] = [Occasions::None, Occasions::Init, Occasions::Both];

    pub fn from_number(number: u32) -> Occasions {
        Occasions::ALL.into_iter().find(|it| *it as u32 == number).unwrap_or(Occasions::None)
    }
}
