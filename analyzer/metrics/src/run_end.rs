//! The end of a run that did not end well: what `overhear record` in front of its launcher saw, and where its ranks' files end.

use crate::endings::cut;
use crate::grouped_in_order::grouped_in_order;
use crate::totals::world_rank;
use crate::words::{plural, ranks_in_words, upper, verb};
use model::launch_log::{Launch, LaunchOutcome, LauncherEnd, ReceivedSignal};
use model::rank::function;
use model::{End, ProcessFate, Rank, Run};
use traces::signature::Signature;

/// The end of a run that did not end well, in front of whose launcher `overhear record` stood.
pub struct RunEnd<'r> {
    run: &'r Run,
    launch: &'r Launch,
}

impl<'r> RunEnd<'r> {
    /// `None` if the run goes on, if it ended well, or if no process in front of a launcher saw it.
    pub fn of(run: &'r Run) -> Option<RunEnd<'r>> {
        let launch = run.launches.last()?;
        if run.goes_on() || launch.front() == ProcessFate::Runs {
            return None;
        }
        let may_be_well = match &launch.outcome {
            LaunchOutcome::Ended(end) => end.status == Some(0),
            LaunchOutcome::FrontKilled(_) => false,
            // From another host, a launcher that has not ended looks the same.
            LaunchOutcome::Unknown => launch.front() == ProcessFate::Unknown,
        };
        (!may_be_well || cut(run).next().is_some()).then_some(RunEnd { run, launch })
    }

    /// The end in words: the launcher's, then where the ranks' files end.
    pub fn in_words(&self) -> String {
        format!("{} {}", self.of_launcher(), self.of_ranks())
    }

    /// True if the run was ended from outside: by a signal to the launcher or to the process in front of it.
    pub fn is_from_outside(&self) -> bool {
        match &self.launch.outcome {
            _ if self.signal().is_some() => true,
            LaunchOutcome::Ended(LauncherEnd { signal, .. }) => {
                signal.is_some_and(|signal| matches!(signal, libc::SIGKILL | libc::SIGTERM | libc::SIGINT))
            }
            LaunchOutcome::FrontKilled(_) | LaunchOutcome::Unknown => true,
        }
    }

    /// When the run was ended from outside, in seconds since 1970, as far as that is known.
    pub fn outside_at(&self) -> Option<f64> {
        let at = match (self.signal(), &self.launch.outcome) {
            (Some(received), _) => &received.at,
            (None, LaunchOutcome::Ended(end)) => &end.at,
            (None, LaunchOutcome::FrontKilled(at)) => at,
            (None, LaunchOutcome::Unknown) => return None,
        };
        Some(at.unix_us as f64 / 1e6)
    }

    /// The signal that came first of those that end a job, or the last one of others.
    fn signal(&self) -> Option<&'r ReceivedSignal> {
        let ends_a_job = |received: &&ReceivedSignal| {
            let signals = [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT, libc::SIGXCPU];
            signals.contains(&received.signal)
        };
        let all = &self.launch.signals;
        all.iter().find(ends_a_job).or(all.last())
    }

    /// How the launcher ended, and the signal before that, in a sentence.
    pub fn of_launcher(&self) -> String {
        let launcher = &self.launch.begin.launcher;
        if let Some(received) = self.signal() {
            return self.after_signal(received);
        }
        let after = |seconds| format!("{} after its start", in_words(seconds));
        match &self.launch.outcome {
            LaunchOutcome::Ended(end) => format!("{launcher} {}.", ended(end, &after(end.at.after()))),
            LaunchOutcome::FrontKilled(at) => format!(
                "{launcher} got {} {}, since overhear record in front of it was killed.",
                signal_in_words(libc::SIGTERM),
                after(at.after())
            ),
            LaunchOutcome::Unknown => format!("How {launcher} ended is not known: {}.", self.front_is_gone()),
        }
    }

    /// The signal, and how the launcher ended after that.
    fn after_signal(&self, received: &ReceivedSignal) -> String {
        let came = received.at.after();
        let later = |after: f64| format!("{} later", in_words((after - came).max(0.0)));
        let then = match &self.launch.outcome {
            LaunchOutcome::Ended(end) => format!("it {}", ended(end, &later(end.at.after()))),
            LaunchOutcome::FrontKilled(at) => {
                format!("overhear record in front of it was killed {}", later(at.after()))
            }
            LaunchOutcome::Unknown => format!("how it ended is not known: {}", self.front_is_gone()),
        };
        format!(
            "{} reached {} {} after its start{}; {then}.",
            upper(&signal_in_words(received.signal)),
            self.launch.begin.launcher,
            in_words(came),
            self.sender(received)
        )
    }

    fn front_is_gone(&self) -> &'static str {
        match self.launch.front() {
            ProcessFate::Ended => {
                "overhear record in front of it was killed as well (SIGKILL, as at a limit for time or memory), or its \
                 host went down"
            }
            _ => "the log of overhear record in front of it breaks off",
        }
    }

    /// The sender of a signal, in words.
    fn sender(&self, received: &ReceivedSignal) -> String {
        let begin = &self.launch.begin;
        match (&received.from_program, received.from_pid) {
            (Some(program), _) if program == "slurmstepd" => {
                let job = begin.slurm_job.as_deref().map_or(String::new(), |job| format!(" for job {job}"));
                let sent = received.at.unix_us / 1_000_000;
                let limit = match begin.slurm_limit_unix_s {
                    Some(limit) if sent >= limit => ", whose time limit was over",
                    Some(_) => ", before its time limit",
                    None => "",
                };
                format!(", sent by Slurm{job}{limit}")
            }
            (Some(program), Some(pid)) => format!(", sent by {program} (process {pid})"),
            (None, Some(pid)) => format!(", sent by process {pid}"),
            (_, None) if received.code == SI_KERNEL && received.signal == libc::SIGINT => ", from the terminal".into(),
            _ => String::new(),
        }
    }

    /// The ranks' part in a sentence: all had finalized MPI, or where those ended that had not.
    pub fn of_ranks(&self) -> String {
        let all = plural(self.run.ranks.len() as u64, "rank");
        let groups = grouped_in_order(cut(self.run).map(|rank| (place(self.run, rank), rank)));
        let cut = groups.iter().map(|(_, ranks)| ranks.len()).sum::<usize>();
        if cut == 0 {
            let are_here = if self.run.missing.is_empty() { "" } else { " whose files are here" };
            return format!("All ranks{are_here} had finalized MPI.");
        }
        let places = match groups.as_slice() {
            [(place, _)] => format!("{} last {place}", if cut == 1 { "it was" } else { "they were" }),
            groups if groups.len() <= MOST_PLACES => {
                let one = |(place, ranks): &(String, Vec<&Rank>)| {
                    let numbers: Vec<_> = ranks.iter().map(|rank| world_rank(rank)).collect();
                    format!("{} {} last {place}", ranks_in_words(&numbers), verb(numbers.len(), "was", "were"))
                };
                groups.iter().map(one).collect::<Vec<_>>().join(", ")
            }
            _ => "`hang` says where each was".into(),
        };
        format!("{cut} of {all} did not finalize MPI: {places}.")
    }
}

/// Maximum number of places that a sentence names.
const MOST_PLACES: usize = 3;

/// `si_code` of a signal that the system itself sends.
const SI_KERNEL: i32 = 0x80;

/// Place of a rank in short: `in MPI_Recv at main (p.c:14)`.
fn place(run: &Run, rank: &Rank) -> String {
    let call = |call: &Signature| match call.site {
        0 => function(call),
        site => format!("{} at {}", function(call), run.sites.name(rank, site)),
    };
    match &rank.end {
        End::Inside { call: inside, .. } => format!("in {}", call(inside)),
        End::Outside { last: Some(last), .. } => format!("outside MPI, after {}", call(last)),
        End::Outside { last: None, .. } | End::Finalized => "outside MPI, with no call recorded".into(),
    }
}

/// `ended 0.4 s later with status 143, which stands for signal 15 (SIGTERM)`
fn ended(end: &LauncherEnd, when: &str) -> String {
    match (end.status, end.signal) {
        (_, Some(signal)) => format!("was killed {when} by {}", signal_in_words(signal)),
        // Shells and launchers tell so that a signal ended a process.
        (Some(status), None) if (129..=192).contains(&status) => {
            format!("ended {when} with status {status}, which stands for {}", signal_in_words(status - 128))
        }
        (status, None) => format!("ended {when} with status {}", status.unwrap_or_default()),
    }
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
