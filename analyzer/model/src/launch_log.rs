//! The log of a launch: its begin, the signals that reached the process in front of the launcher, and how the launcher ended.
//!
//! `overhear record` writes it into the run's folder, a line of JSON for each event, and never changes a line. A log that breaks
//! off tells that the process in front was killed, too. `traces/FORMAT.md` describes the lines.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};
use traces::folder::{is_launch_log, launch_log_name};
use traces::{definitions, regular};

use crate::process::{ProcessFate, THIS_HOST};

/// The version of the log. It rises when a reader of the last one would misread a line.
const FORMAT: u32 = 1;
/// Lines for signals of one number: programs may send signals by the thousand.
const MOST_OF_SIGNAL: u8 = 8;
/// A log is not longer; what lies behind that is no line of ours.
const LONGEST: u64 = 1 << 20;

#[derive(Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum LaunchEvent {
    Begin(LaunchBegin),
    Signal(ReceivedSignal),
    End(LauncherEnd),
    /// The process in front was killed before the launcher had ended, as the process beside it noticed.
    FrontKilled(Moment),
}

/// The process in front of a launcher, and the launcher that it starts.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct LaunchBegin {
    format: u32,
    /// The run's identity in 32 hexadecimal digits.
    run: String,
    unix_us: u64,
    host: String,
    boot: String,
    pid: u32,
    /// The executable of the process in front.
    program: String,
    pub launcher: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slurm_job: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    slurm_step: Option<String>,
    /// The time at which the limit of the Slurm job is over, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slurm_limit_unix_s: Option<u64>,
}

#[derive(Serialize, Deserialize, Clone, Copy, Debug)]
pub struct Moment {
    pub unix_us: u64,
    /// Time since the launch began, by a clock that nobody sets.
    after_us: u64,
}

/// A signal that the process in front got.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct ReceivedSignal {
    #[serde(flatten)]
    pub at: Moment,
    pub signal: i32,
    /// `si_code` of sigaction(2).
    pub code: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_pid: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_uid: Option<u32>,
    /// The sender's command name, if it still was there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_program: Option<String>,
    /// True if the signal was sent to the process group, and so to the launcher itself; false if it was passed on.
    to_group: bool,
}

/// The end of the launcher: with a status, or by a signal.
#[derive(Serialize, Deserialize, Clone, Copy, Debug)]
pub struct LauncherEnd {
    #[serde(flatten)]
    pub at: Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
}

/// A launch as its log tells it.
#[derive(Clone, Debug)]
pub struct Launch {
    pub begin: LaunchBegin,
    pub signals: Vec<ReceivedSignal>,
    pub outcome: LaunchOutcome,
}

/// The end of a launch, as far as the process in front saw it.
#[derive(Clone, Copy, Debug)]
pub enum LaunchOutcome {
    Ended(LauncherEnd),
    /// The process in front was killed at this moment, and the launcher got SIGTERM.
    FrontKilled(Moment),
    /// The log breaks off.
    Unknown,
}

impl Moment {
    /// Seconds since the launch began.
    pub fn after(&self) -> f64 {
        self.after_us as f64 / 1e6
    }
}

impl Launch {
    /// The launches of a run by the logs in its folder, in order. A log of another run, or under another name than its own, is
    /// none of the run's.
    pub fn all_of(folder: &Path, run: &[u8; 16]) -> Vec<Launch> {
        let run = run_in_words(run);
        let mut launches = Vec::new();
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if !is_launch_log(&name) {
                continue;
            }
            let launch = read(&entry.path()).ok().and_then(|text| Launch::parse(&text));
            let is_own = |launch: &Launch| {
                let begin = &launch.begin;
                begin.run == run && name == launch_log_name(&begin.host, begin.pid)
            };
            launches.extend(launch.filter(is_own));
        }
        launches.sort_by_key(|launch| launch.begin.unix_us);
        launches
    }

    /// Reads the lines of a log. One that is cut or damaged is left out, and so is one of a later version's event.
    fn parse(text: &[u8]) -> Option<Launch> {
        let events = text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
        let (mut begin, mut signals, mut outcome) = (None, Vec::new(), LaunchOutcome::Unknown);
        for event in events {
            match event {
                LaunchEvent::Begin(found) if found.format == FORMAT => begin = Some(found),
                LaunchEvent::Begin(_) => return None,
                LaunchEvent::Signal(signal) => signals.push(signal),
                LaunchEvent::End(end) => outcome = LaunchOutcome::Ended(end),
                LaunchEvent::FrontKilled(at) => outcome = LaunchOutcome::FrontKilled(at),
            }
        }
        Some(Launch { begin: begin?, signals, outcome })
    }

    /// The process in front, as far as this machine can tell, unless it has seen the launcher's end.
    pub fn front(&self) -> ProcessFate {
        if !matches!(self.outcome, LaunchOutcome::Unknown) {
            return ProcessFate::Ended;
        }
        let LaunchBegin { host, boot, program, pid, .. } = self.begin.clone();
        ProcessFate::of(&definitions::Process { host, boot, program, ..definitions::Process::default() }, pid)
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    regular::open(path)?.take(LONGEST).read_to_end(&mut text)?;
    Ok(text)
}

fn run_in_words(run: &[u8; 16]) -> String {
    format!("{:032x}", u128::from_be_bytes(*run))
}

/// Writes the log of a launch. If a line cannot be written, the launch goes on without it.
pub struct LaunchLog {
    file: Option<File>,
    began: Instant,
    told: [u8; 65],
    /// A part of the last line was written.
    is_cut: bool,
}

impl LaunchLog {
    /// A log that nothing is written to.
    pub fn none() -> LaunchLog {
        LaunchLog { file: None, began: Instant::now(), told: [0; 65], is_cut: false }
    }

    /// Begins the log of this process in front of a launcher.
    pub fn begin(folder: &Path, run: &[u8; 16], launcher: &str) -> LaunchLog {
        let (host, pid) = (THIS_HOST.name.clone(), std::process::id());
        let variable = |name| std::env::var(name).ok();
        let path = folder.join(launch_log_name(&host, pid));
        let mut log =
            LaunchLog { file: File::options().append(true).create_new(true).open(path).ok(), ..LaunchLog::none() };
        log.write(&LaunchEvent::Begin(LaunchBegin {
            format: FORMAT,
            run: run_in_words(run),
            unix_us: log.now().unix_us,
            host,
            boot: THIS_HOST.boot.clone(),
            pid,
            program: std::env::current_exe().unwrap_or_default().to_string_lossy().into_owned(),
            launcher: launcher.into(),
            slurm_job: variable("SLURM_JOB_ID"),
            slurm_step: variable("SLURM_STEP_ID"),
            slurm_limit_unix_s: variable("SLURM_JOB_END_TIME").and_then(|time| time.parse().ok()),
        }));
        log
    }

    /// Adds a signal. `sender` is the process that sent it, and its user, if it was a process.
    pub fn signal(&mut self, signal: i32, code: i32, sender: Option<(u32, u32)>, to_group: bool) {
        let Some(told) = self.told.get_mut(signal as usize).filter(|told| **told < MOST_OF_SIGNAL) else { return };
        *told += 1;
        let name = |pid| fs::read_to_string(format!("/proc/{pid}/comm")).ok().map(|name| name.trim_end().to_string());
        self.write(&LaunchEvent::Signal(ReceivedSignal {
            at: self.now(),
            signal,
            code,
            from_pid: sender.map(|(pid, _)| pid),
            from_uid: sender.map(|(_, uid)| uid),
            from_program: sender.and_then(|(pid, _)| name(pid)),
            to_group,
        }));
    }

    pub fn end(&mut self, status: ExitStatus) {
        self.write(&LaunchEvent::End(LauncherEnd { at: self.now(), status: status.code(), signal: status.signal() }));
    }

    /// Adds that the process in front was killed; a process that it has forked writes that.
    pub fn front_killed(&mut self) {
        self.write(&LaunchEvent::FrontKilled(self.now()));
    }

    fn now(&self) -> Moment {
        let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        Moment { unix_us: unix.as_micros() as u64, after_us: self.began.elapsed().as_micros() as u64 }
    }

    /// Appends the line by one call, so that it is whole or cut. A line that was cut, on a full disk, is ended first.
    fn write(&mut self, event: &LaunchEvent) {
        let (Some(file), Ok(event)) = (&mut self.file, serde_json::to_vec(event)) else { return };
        let before: &[u8] = if self.is_cut { b"\n" } else { b"" };
        let line = [before, &event, b"\n"].concat();
        if let Ok(written) = file.write(&line) {
            self.is_cut = written < line.len();
        }
    }
}
