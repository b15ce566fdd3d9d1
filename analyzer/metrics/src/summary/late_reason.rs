//! The reason why ranks computed longer than others: more work, the same work slower at times, or what they did instead of work.
//!
//! In: what the late ranks did while others waited for them, by the attribution, and the passes of all. Out: the reason, and its words.

use super::late_accesses::{AccessKind, AccessTimes};
use super::limits::limits;
use model::attribution::{RankTimes, Spent};
use model::origins::{ActivityTimes, DurationBins};
use model::rank::UsageBetween;
use model::sums::Total;
use tables::Value;
use tables::number::whole;
use traces::accesses::{Operation, Target};

use super::lateness::LateActivity;
use crate::totals::seconds;
use crate::words::{plural, upper, verb};

limits! {
    /// A kind of time is the reason if it makes up so much of the difference to the other ranks.
    MOST = 0.5, Least, "of the difference", Convention;
    /// Usual passes of even work differ by less, and so do fast ones: bins of passes are an eighth wide.
    EVEN = 1.15, Most, "times", Derived;
    /// Share of a rank's passes that are its fast ones.
    FAST = 0.1, Least, "of the passes", Convention;
    /// Seconds in the kernel for each page fault, at most. In a virtual machine it was 1.1 us for each fresh page of 4 KiB, of 740,000.
    LONGEST_FAULT = 5e-6, Most, "s", Measured;
}

/// Advice where the kernel's time goes into pages that are touched first.
pub const FRESH_PAGES: &str = "Allocate that memory once and use it again: what is freed and mapped again in each step comes as fresh pages, which the \
    kernel must clear (malloc gives large arrays back at once; see mallopt's M_TRIM_THRESHOLD and M_MMAP_THRESHOLD).";

/// Why ranks with more time at a place than others have it.
#[derive(Clone, PartialEq, Debug)]
pub enum LateReason {
    /// Even their usual passes take longer: they have more to do, or slower cores always.
    MoreWork,
    /// Their fast and their usual passes are as fast as the others'; some take longer.
    SlowerAtTimes,
    /// They access files there, for so many seconds each, longest in `most`.
    InFile { time: f64, most: AccessKind },
    /// They sleep there in a function that they call; `is_longer`: longer than the others, who do so, too.
    Sleeping { is_longer: bool, most: SleepCall },
    /// They sleep there, or wait for input or output.
    Asleep,
    /// They do so longer than the others, who do it, too: for a device, say.
    AsleepLonger,
    /// They are in the kernel, for so many seconds each.
    InKernel { time: f64, faults: Option<Faults> },
}

/// The calls in which the late ranks sleep longest.
#[derive(Clone, PartialEq, Debug)]
pub struct SleepCall {
    function: Operation,
    /// Where the program makes them: file and line.
    pub place: String,
    /// Seconds of each rank.
    time: f64,
}

/// Page faults of the mean late rank, and of the mean other one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Faults {
    own: u64,
    others: u64,
}

/// The reason of the culprits, which compute longer than others: what makes up most of the difference.
pub fn of(late: &LateActivity) -> LateReason {
    let others: Vec<(u32, &ActivityTimes)> = late.others_as_often().into_iter().copied().collect();
    let (own, theirs) = (mean(late.culprits(), |_| 1.0), mean(&others, |_| 1.0));
    // Readings know no place: the other ranks' kinds are as everywhere outside their calls.
    let usual = |rank: u32, spent: Spent| {
        late.known.walk.map_or(0.0, |walk| share_outside(&walk.attribution.ranks[rank as usize], spent))
    };
    let beyond = |spent: Spent| own * late.share_spent(spent) - mean(&others, |rank| usual(rank, spent));
    // What the lack of a core explains is charged to no rank.
    let rest = own - theirs - beyond(Spent::OffCore).max(0.0);
    let is_most = |more: f64| more > 0.0 && more >= MOST.get() * rest;
    let is_of_file = |operation: Operation| !operation.sleeps();
    let in_files = AccessTimes::of(late, &others, is_of_file);
    if is_most(in_files.beyond())
        && let Some((most, _)) = in_files.most()
    {
        return LateReason::InFile { time: in_files.own(), most };
    }
    let sleeping = AccessTimes::of(late, &others, Operation::sleeps);
    if is_most(sleeping.beyond())
        && let Some((AccessKind { operation: function, place, .. }, [time, of_others])) = sleeping.most()
    {
        let is_longer = !others.is_empty() && of_others >= MOST.get() * theirs;
        return LateReason::Sleeping { is_longer, most: SleepCall { function, place, time } };
    }
    if is_most(beyond(Spent::Asleep)) {
        let do_so = mean(&others, |rank| usual(rank, Spent::Asleep)) >= MOST.get() * theirs;
        return if do_so && !others.is_empty() { LateReason::AsleepLonger } else { LateReason::Asleep };
    }
    let in_kernel = beyond(Spent::InKernel);
    if is_most(in_kernel) {
        let time = own * late.share_spent(Spent::InKernel);
        return LateReason::InKernel { time, faults: faults(late, &others, in_kernel) };
    }
    if are_slower_at_times(&bins(late.culprits()), &bins(&others)) {
        return LateReason::SlowerAtTimes;
    }
    LateReason::MoreWork
}

/// Seconds of the mean rank at a place, of each the `part`; 0 without ranks.
fn mean(ranks: &[(u32, &ActivityTimes)], part: impl Fn(u32) -> f64) -> f64 {
    ranks.iter().map(|(rank, times)| seconds(times.total) * part(*rank)).sum::<f64>() / ranks.len().max(1) as f64
}

/// The share of a rank's time outside calls that it spent in one way.
fn share_outside(times: &RankTimes, spent: Spent) -> f64 {
    times.of(|key| key.spent == spent) as f64 / times.of(|key| key.spent.is_work()).max(1) as f64
}

/// The page faults, if those beyond the ones of others explain so many seconds in the kernel.
fn faults(late: &LateActivity, others: &[(u32, &ActivityTimes)], more: f64) -> Option<Faults> {
    let mean = |ranks: &[(u32, &ActivityTimes)]| {
        let of_rank = |rank: u32| {
            let counters =
                late.run().ranks[rank as usize].main_usage().and_then(|usage: UsageBetween| usage.counters)?;
            Some(counters.minor_faults)
        };
        let all: Option<Vec<u64>> = ranks.iter().map(|(rank, _)| of_rank(*rank)).collect();
        all.map(|all| all.iter().copied().total() / (all.len() as u64).max(1))
    };
    let faults = Faults { own: mean(late.culprits())?, others: mean(others)? };
    let beyond = faults.own.saturating_sub(faults.others);
    (more <= LONGEST_FAULT.get() * beyond as f64).then_some(faults)
}

/// True if fast and usual passes take as long as the others', so that only some take longer.
fn are_slower_at_times(own: &DurationBins, others: &DurationBins) -> bool {
    let is_even = |share: f64| {
        let both = own.quantile(share).zip(others.quantile(share));
        both.is_some_and(|(own, others)| {
            own as f64 <= EVEN.get() * others as f64 && others as f64 <= EVEN.get() * own as f64
        })
    };
    is_even(FAST.get()) && is_even(0.5)
}

/// The cases of these ranks together.
pub fn bins(ranks: &[(u32, &ActivityTimes)]) -> DurationBins {
    let mut bins = DurationBins::default();
    for (_, times) in ranks {
        bins.merge(&times.bins);
    }
    bins
}

impl LateReason {
    /// `it sleeps, or waits for input or output,`: what so many late ranks do longest at a place.
    pub fn does(&self, ranks: usize) -> String {
        let they = verb(ranks, "it", "they");
        let does = match self {
            LateReason::MoreWork | LateReason::SlowerAtTimes => {
                verb(ranks, "computes longest", "compute longest").into()
            }
            LateReason::InFile { time, most } => {
                let (spends, each) = (verb(ranks, "spends", "spend"), verb(ranks, "", " each"));
                let (time, file) = (Value::Seconds(*time), most.file_name());
                format!("{spends} {time}{each} in files, most in {} {file} at {},", doing(most.operation), most.place)
            }
            LateReason::Sleeping { most, .. } => {
                let function = most.function.name();
                let each = verb(ranks, "", " each");
                let sleeps = match most.function.target() {
                    Target::Time => verb(ranks, "sleeps", "sleep"),
                    _ => verb(ranks, "waits", "wait"),
                };
                format!("{sleeps} {}{each} in {function} at {},", Value::Seconds(most.time), most.place)
            }
            LateReason::Asleep => {
                verb(ranks, "sleeps, or waits for input or output,", "sleep, or wait for input or output,").into()
            }
            LateReason::AsleepLonger => {
                let [sleeps, waits] = [["sleeps", "waits"], ["sleep", "wait"]][usize::from(ranks > 1)];
                format!("{sleeps}, or {waits} for input, output or a device, longer than the others do")
            }
            LateReason::InKernel { time, .. } => {
                let each = verb(ranks, "", " each");
                format!("{} {}{each} in the kernel", verb(ranks, "spends", "spend"), Value::Seconds(*time))
            }
        };
        format!("{they} {does}")
    }

    /// A sentence on what else is known of it; empty if nothing is.
    pub fn detail(&self, ranks: usize) -> String {
        let (it, its) = (upper(verb(ranks, "it", "they")), upper(verb(ranks, "its", "their")));
        match self {
            LateReason::InKernel { faults: Some(Faults { own, others }), .. } => {
                let (has, each) = (verb(ranks, "has", "have"), verb(ranks, "", " each"));
                let own = plural(*own, "page fault");
                format!(
                    "{it} {has} {own}{each}, the others {}: the kernel clears each page that is touched first.",
                    whole(*others)
                )
            }
            LateReason::InFile { most, .. } => format!("The file is {}.", most.file),
            LateReason::SlowerAtTimes => format!("{its} fast and usual passes take as long as the others'."),
            _ => String::new(),
        }
    }

    /// The advice for ranks called `who`; `None` if they have more work.
    pub fn advice(&self, who: &str) -> Option<String> {
        Some(match self {
            LateReason::MoreWork => return None,
            LateReason::SlowerAtTimes => format!(
                "If {who} has the same to do in each pass, look for what slows its core now and then (other processes, memory, the \
                 system); if not, make the longer passes even."
            ),
            LateReason::InFile { most, .. } => advice_on_file(most.operation, who),
            LateReason::Sleeping { is_longer: true, .. } | LateReason::AsleepLonger => {
                format!("Give {who} a smaller share of what is waited for there, or see why it takes {who} longer.")
            }
            LateReason::Sleeping { most, .. } => advice_on_sleep(most.function, who),
            LateReason::Asleep => {
                "Look there for a sleep, for input or output, or for a lock: a smaller share of the work does not help."
                    .into()
            }
            LateReason::InKernel { faults: Some(_), .. } => FRESH_PAGES.into(),
            LateReason::InKernel { faults: None, .. } => {
                format!("See which system calls {who} makes there, by strace -c or perf trace.")
            }
        })
    }
}

/// `writing`, as in "most in writing state".
pub fn doing(operation: Operation) -> &'static str {
    match operation {
        Operation::Open => "opening",
        Operation::Close => "closing",
        Operation::Read => "reading",
        Operation::Write => "writing",
        Operation::Sync => "syncing",
        Operation::Flush => "flushing",
        Operation::Truncate => "truncating",
        sleep => sleep.name(),
    }
}

fn advice_on_file(operation: Operation, who: &str) -> String {
    match operation {
        Operation::Read => format!(
            "Let all ranks read parts of it (MPI_File_read_all), or let {who} read ahead in larger pieces while the others work."
        ),
        Operation::Sync => format!(
            "Let {who} sync less often, or after the others have what they wait for; or let all ranks write parts of the file (MPI_File_write_all)."
        ),
        Operation::Write | Operation::Flush => format!(
            "Let all ranks write parts of it (MPI_File_write_all), or let {who} write in larger pieces, or after the others have what they wait \
             for."
        ),
        _ => {
            format!(
                "Let {who} keep the file open from step to step, or do this after the others have what they wait for."
            )
        }
    }
}

fn advice_on_sleep(function: Operation, who: &str) -> String {
    match function.target() {
        Target::Lock => format!(
            "Another thread of {who} has that lock: hold it for less time, or take it after the others have what they wait for."
        ),
        Target::Semaphore | Target::Condition | Target::Threads => format!(
            "Another thread of {who} comes late to that: give it less to do, or let {who} wait after the others have what they wait for."
        ),
        Target::Process => {
            format!("Let {who} start that process earlier, or wait for it after the others have what they wait for.")
        }
        Target::File | Target::Time | Target::Descriptors => format!(
            "Take that wait out, or let {who} wait after the others have what they wait for: a smaller share of the work does not help."
        ),
    }
}

/// Bins of so many passes of each time, for tests.
#[cfg(test)]
pub fn bins_of(cases: &[(usize, i64)]) -> DurationBins {
    let mut bins = DurationBins::default();
    for (count, time) in cases {
        for _ in 0..*count {
            bins.add(*time);
        }
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::bins_of as bins;
    use super::*;

    #[test]
    fn passes_of_which_most_are_as_fast_as_the_others_are_slower_at_times_and_no_more_work() {
        let even = bins(&[(100, 2_000_000)]);
        let of = |cases: &[(usize, i64)]| are_slower_at_times(&bins(cases), &even);
        assert!(of(&[(60, 2_000_000), (40, 6_000_000)]));
        assert!(!of(&[(40, 2_000_000), (60, 6_000_000)]), "its usual pass is longer");
        assert!(!of(&[(20, 500_000), (40, 2_000_000), (40, 6_000_000)]), "its passes are of several kinds");
        assert!(!are_slower_at_times(&even, &DurationBins::default()), "no other rank comes there");
    }
}
