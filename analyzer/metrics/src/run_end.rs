//! The end of a run that did not end well: what `overhear record` in front of its launcher saw, and where its ranks' files end.

use crate::endings::cut;
use crate::grouped_in_order::grouped_in_order;
use crate::launch_words::{ending_signal, launch_in_words, of_signal};
use crate::totals::world_rank;
use crate::words::{plural, ranks_in_words, verb};
use model::launch_log::{Launch, LaunchOutcome, LauncherEnd};
use model::rank::function;
use model::{End, ProcessFate, Rank, Run};
use traces::signature::Signature;

/// The status of timeout(1) where the program did not end in time.
const TIMED_OUT: i32 = 124;

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
        let is_known = match &launch.outcome {
            LaunchOutcome::Ended(end) => end.status != Some(0) || cut(run).next().is_some(),
            LaunchOutcome::FrontKilled(_) => true,
            // From another host, a run that goes on looks like one whose process in front was killed.
            LaunchOutcome::Unknown => {
                let is_over = ending_signal(launch).is_some() && cut(run).next().is_some();
                launch.front() == ProcessFate::Ended || is_over
            }
        };
        is_known.then_some(RunEnd { run, launch })
    }

    /// The end in words: the launcher's, then where the ranks' files end.
    pub fn in_words(&self) -> String {
        format!("{} {}", self.of_launcher(), self.of_ranks())
    }

    /// True if the run was ended from outside: by a signal to the launcher or to the process in front of it.
    pub fn is_from_outside(&self) -> bool {
        let is_killed = match &self.launch.outcome {
            LaunchOutcome::Ended(LauncherEnd { signal, status, .. }) => {
                let is_of_timeout = self.launch.begin.launcher == "timeout" && *status == Some(TIMED_OUT);
                is_of_timeout || signal.is_some_and(ends_a_process)
            }
            LaunchOutcome::FrontKilled(_) | LaunchOutcome::Unknown => true,
        };
        is_killed || ending_signal(self.launch).is_some()
    }

    /// The time at which the launcher ended of its own accord, in seconds since 1970; `None` if the run was ended from outside, or may
    /// have been: srun ends with the status of ranks that it or somebody else has killed.
    pub fn by_itself_at(&self) -> Option<f64> {
        let is_of_signal = |status: i32| of_signal(status).is_some_and(ends_a_process);
        match &self.launch.outcome {
            LaunchOutcome::Ended(end) if !self.is_from_outside() && !end.status.is_some_and(is_of_signal) => {
                Some(end.at.unix_us as f64 / 1e6)
            }
            _ => None,
        }
    }

    /// The time at which the run was ended from outside, in seconds since 1970, as far as that is known.
    pub fn outside_at(&self) -> Option<f64> {
        let at = match (ending_signal(self.launch), &self.launch.outcome) {
            (Some(received), _) => &received.at,
            (None, LaunchOutcome::Ended(end)) => &end.at,
            (None, LaunchOutcome::FrontKilled(at)) => at,
            (None, LaunchOutcome::Unknown) => return None,
        };
        Some(at.unix_us as f64 / 1e6)
    }

    /// Says in a sentence how the launcher ended, and which signal came before that.
    pub fn of_launcher(&self) -> String {
        launch_in_words(self.launch)
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

/// True for the signals by which people and schedulers end a process.
fn ends_a_process(signal: i32) -> bool {
    matches!(signal, libc::SIGKILL | libc::SIGTERM | libc::SIGINT)
}

/// Maximum number of places that a sentence names.
const MOST_PLACES: usize = 3;

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
