//! A launch in words: the signals that reached the process in front of the launcher, and how the launcher ended.

use crate::words::upper;
use model::ProcessFate;
use model::launch_log::{Launch, LaunchOutcome, LauncherEnd, ReceivedSignal};

/// A program that a signal ends is gone within so many seconds. A signal that it handles, as one that asks for a checkpoint, does not end it.
const SOON: f64 = 10.0;

/// The signal that came first of those that end a job, or another one that the launcher ended soon after.
pub fn ending_signal(launch: &Launch) -> Option<&ReceivedSignal> {
    let ends_a_job = |received: &&ReceivedSignal| {
        let signals = [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT, libc::SIGXCPU];
        signals.contains(&received.signal)
    };
    let ended_soon = |received: &&ReceivedSignal| match &launch.outcome {
        LaunchOutcome::Ended(end) => end.at.after() - received.at.after() < SOON,
        LaunchOutcome::FrontKilled(_) | LaunchOutcome::Unknown => false,
    };
    launch.signals.iter().find(ends_a_job).or_else(|| launch.signals.last().filter(ended_soon))
}

/// Says in a sentence how the launcher ended, and which signal came before that.
pub fn launch_in_words(launch: &Launch) -> String {
    let launcher = &launch.begin.launcher;
    if let Some(received) = ending_signal(launch) {
        return after_signal(launch, received);
    }
    let after = |seconds| format!("{} after its start", in_words(seconds));
    match &launch.outcome {
        LaunchOutcome::Ended(end) => format!("{launcher} {}.", ended(end, &after(end.at.after()))),
        LaunchOutcome::FrontKilled(at) => format!(
            "{launcher} got {} {}, since overhear record in front of it was killed.",
            signal_in_words(libc::SIGTERM),
            after(at.after())
        ),
        LaunchOutcome::Unknown => format!("How {launcher} ended is not known: {}.", front_is_gone(launch)),
    }
}

/// The signal, and how the launcher ended after that.
fn after_signal(launch: &Launch, received: &ReceivedSignal) -> String {
    let came = received.at.after();
    let later = |after: f64| format!("{} later", in_words((after - came).max(0.0)));
    let then = match &launch.outcome {
        LaunchOutcome::Ended(end) => format!("it {}", ended(end, &later(end.at.after()))),
        LaunchOutcome::FrontKilled(at) => format!("overhear record in front of it was killed {}", later(at.after())),
        LaunchOutcome::Unknown => format!("how it ended is not known: {}", front_is_gone(launch)),
    };
    format!(
        "{} reached {} {} after its start{}; {then}.",
        upper(&signal_in_words(received.signal)),
        launch.begin.launcher,
        in_words(came),
        sender(launch, received)
    )
}

fn front_is_gone(launch: &Launch) -> &'static str {
    match launch.front() {
        ProcessFate::Ended => {
            "overhear record in front of it was killed as well (SIGKILL, as at a limit for time or memory), or its host \
             went down"
        }
        _ => "the log of overhear record in front of it breaks off",
    }
}

/// The sender of a signal, in words.
fn sender(launch: &Launch, received: &ReceivedSignal) -> String {
    let begin = &launch.begin;
    match (&received.from_program, received.from_pid) {
        (Some(program), _) if program == "slurmstepd" => {
            let job = begin.slurm_job.as_deref().map_or("the job".into(), |job| format!("job {job}"));
            let sent = received.at.unix_us / 1_000_000;
            let limit = match begin.slurm_limit_unix_s {
                Some(limit) if sent >= limit => ", whose time limit was over",
                Some(_) => ", before its time limit",
                None => ", as by scancel or at its time limit",
            };
            format!(", sent by Slurm for {job}{limit}")
        }
        (Some(program), Some(pid)) => format!(", sent by {program} (process {pid})"),
        (None, Some(pid)) => format!(", sent by process {pid}"),
        (_, None) if received.code == SI_KERNEL && received.signal == libc::SIGINT => ", from the terminal".into(),
        _ => String::new(),
    }
}

/// `si_code` of a signal that the system itself sends.
const SI_KERNEL: i32 = 0x80;

/// `ended 0.4 s later with status 143, which stands for signal 15 (SIGTERM)`
fn ended(end: &LauncherEnd, when: &str) -> String {
    match (end.status, end.signal) {
        (_, Some(signal)) => format!("was killed {when} by {}", signal_in_words(signal)),
        (status, None) => {
            let status = status.unwrap_or_default();
            let stands = of_signal(status).map(|signal| format!(", which stands for {}", signal_in_words(signal)));
            format!("ended {when} with status {status}{}", stands.unwrap_or_default())
        }
    }
}

/// The signal that ended a process, by the status with which shells and launchers tell so.
pub fn of_signal(status: i32) -> Option<i32> {
    (129..=192).contains(&status).then_some(status - 128)
}

/// A time as people tell it.
fn in_words(seconds: f64) -> String {
    match seconds {
        ..10.0 => format!("{seconds:.2} s"),
        ..120.0 => format!("{seconds:.1} s"),
        ..7200.0 => format!("{:.1} minutes", seconds / 60.0),
        _ => format!("{:.1} hours", seconds / 3600.0),
    }
}

/// `signal 15 (SIGTERM)`
fn signal_in_words(signal: i32) -> String {
    const NAMES: [(i32, &str); 18] = [
        (libc::SIGHUP, "SIGHUP"),
        (libc::SIGINT, "SIGINT"),
        (libc::SIGQUIT, "SIGQUIT"),
        (libc::SIGILL, "SIGILL"),
        (libc::SIGTRAP, "SIGTRAP"),
        (libc::SIGABRT, "SIGABRT"),
        (libc::SIGBUS, "SIGBUS"),
        (libc::SIGFPE, "SIGFPE"),
        (libc::SIGKILL, "SIGKILL"),
        (libc::SIGUSR1, "SIGUSR1"),
        (libc::SIGSEGV, "SIGSEGV"),
        (libc::SIGUSR2, "SIGUSR2"),
        (libc::SIGPIPE, "SIGPIPE"),
        (libc::SIGALRM, "SIGALRM"),
        (libc::SIGTERM, "SIGTERM"),
        (libc::SIGXCPU, "SIGXCPU"),
        (libc::SIGXFSZ, "SIGXFSZ"),
        (libc::SIGSYS, "SIGSYS"),
    ];
    match NAMES.iter().find(|(number, _)| *number == signal) {
        Some((_, name)) => format!("signal {signal} ({name})"),
        None => format!("signal {signal}"),
    }
}
