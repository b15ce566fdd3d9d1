//! The finding on time in MPI that no late rank explains: data on its way, and the steps of collective calls.

use super::eager_limit::COPIED;
use super::file_advice::FileCalls;
use super::limits::limits;
use super::used_sites::UsedSite;
use super::{Evidence, Finding, FindingKind, MUCH_IN_MPI, file_advice, made_again};
use crate::scheduling::{by_host, most_shared};
use crate::words::plural;
use model::habits::EpochSums;
use model::matching::WaitState;
use model::matching::scenario::RunChange;
use model::roles::CallPart;
use model::sums::{Grow, Total};
use rustc_hash::FxHashMap;
use tables::Value;
use tables::number::whole;
use traces::calls::{Call, Class};

limits! {
    /// Moving data is what MPI is for: below a fifth of the run neither a faster network nor another algorithm repays the
    /// work. Fewer or larger accesses to files repay it earlier, and so do fewer small calls.
    LEAST_SHARE_OF_TRANSFER = 0.2, Least, "of the run", Convention;
    /// At 10 GB/s larger messages take longer for their bytes (6 us) than for the steps between ranks.
    LARGE = 64 * 1024, Least, "bytes", Derived;
    /// Calls that take longer than on a slow network by this factor wait for something else.
    SLOW = 2.0, Least, "times", Convention;
}

/// Copies of 2 MB took 0.35 to 0.38 times as long as at 10 GB/s under Open MPI and MPICH, and take twice as long on slower memory.
const AS_FAST: f64 = 1.0;
/// With fewer accesses an epoch costs its own synchronization.
const MANY_ACCESSES: u64 = 8;
/// A target that computes keeps accesses waiting for longer. Draws from a counter whose memory the library reaches itself, or whose target is in
/// MPI every half microsecond, took 0.2 and 1 us, and 9 us where the target computes for 24 us between two calls.
const ANSWERED_AT_ONCE: f64 = 3e-6;
/// With shorter rows most calls stand alone.
const SHORTEST_ROW: f64 = 2.0;
/// Larger accesses cost their bytes: at 10 GB/s, 4 KiB take 0.4 us, about what an access does.
const LARGE_ACCESS: u64 = 4096;

/// Leaves out what the cures of the `others` save.
pub fn finding(known: &Evidence, sites: &[UsedSite], others: &[Finding]) -> Option<Finding> {
    let has_made_again = others.iter().any(|other| other.kind == FindingKind::MadeAgain);
    let frees = |used: &UsedSite| has_made_again && used.call().is_some_and(made_again::frees);
    // The other end of those messages is another line.
    let has_messages = others.iter().any(|other| {
        let is_of_messages =
            matches!(other.kind, FindingKind::SmallMessages | FindingKind::CollectiveByHand | FindingKind::WrongOrder);
        is_of_messages && other.costs.is_some_and(|costs| costs >= LEAST_SHARE_OF_TRANSFER.get() / 2.0 * known.wall())
    });
    let is_end = |used: &UsedSite| {
        let is_completion = used.call().is_some_and(|call| call.class() == Class::Completion);
        is_completion || used.ranks.iter().any(|(_, habits)| matches!(habits.part, CallPart::Message { .. }))
    };
    // A rank that polls waits, or asks too often: neither is the network's time.
    let polls = |used: &UsedSite| used.call().is_some_and(Call::polls);
    let by_sockets = others.iter().any(|other| other.kind == FindingKind::Sockets);
    let is_left_out =
        |used: &UsedSite| polls(used) || frees(used) || has_messages && is_end(used) || by_sockets && used.moves_data();
    let sites: Vec<&UsedSite> = sites.iter().filter(|used| !is_left_out(used)).collect();
    let completion = completion(known);
    let whole = |used: &UsedSite| {
        let own = used.own() - used.total(|habits| habits.with_unseen);
        own.saturating_add(completion.get(&used.number).copied().unwrap_or(0))
    };
    let of_site = |used: &UsedSite| whole(used) - whole(used).min(cured(used, others));
    let time_in = |sites: &[&UsedSite]| known.mean(sites.iter().map(|used| of_site(used)).total());
    // Calls on files wait for these, whoever has the cores.
    let is_of_files = |used: &UsedSite| used.call().is_some_and(file_advice::is_of_files);
    let (of_files, others): (Vec<&UsedSite>, Vec<&UsedSite>) = sites.iter().partition(|used| is_of_files(used));
    let (in_files, ran) = (time_in(&of_files), known.running_in_mpi() * time_in(&others));
    let in_others = if known.shares_cores() { ran.min(copies(known, &others)) } else { ran };
    let costs = in_files + in_others;
    let small: Vec<&UsedSite> = others.iter().copied().filter(|used| is_small(used, whole(used))).collect();
    let in_small = if known.lacks_cores() { 0.0 } else { time_in(&small) };
    let (sites, costs) = if costs >= LEAST_SHARE_OF_TRANSFER.get() * known.wall() {
        (sites, costs)
    } else if in_files >= MUCH_IN_MPI.get() * known.wall() {
        (of_files, in_files)
    } else if in_small >= MUCH_IN_MPI.get() * known.wall() {
        (small, in_small)
    } else {
        return None;
    };
    let all = sites.iter().map(|used| of_site(used)).total();
    let most = sites.iter().max_by_key(|used| of_site(used))?;
    let most_of_it = if 2 * of_site(most) >= all { "most of it" } else { "the largest part of it" };
    let headline = format!("MPI itself takes time that no late rank explains, {most_of_it} in {}.", most.place());
    if of_site(most) <= 0 {
        return None;
    }
    let call = CallCost {
        used: most,
        seconds: crate::totals::seconds(whole(most)) / most.count().max(1) as f64,
        counted: if is_of_files(most) { 1.0 } else { in_others / time_in(&others).max(f64::MIN_POSITIVE) },
        counts_copies: in_others < ran,
    };
    let finding = Finding::new(FindingKind::Transfer, "functions", headline).detail(call.detail());
    let finding = match call.advice() {
        Some(next) => finding.next(next),
        None => finding,
    };
    Some(finding.costs(costs).sites(most.sites()))
}

/// True of calls with so few bytes, each as short as on some network, that their number is what costs. `time` is what they take, nanoseconds.
fn is_small(used: &UsedSite, time: i64) -> bool {
    let moves = used.moves_data() && !used.completes() && !used.ranks.iter().any(|(_, habits)| habits.starts);
    let (count, bytes) = (used.count().max(1), used.bytes());
    let each = crate::totals::seconds(time) / count as f64;
    moves
        && bytes > 0
        && bytes < LARGE_ACCESS.saturating_mul(count)
        && each <= slowest(used.known.ranks(), bytes / count)
}

/// Nanoseconds that the calls would no longer take if the findings that name their line were cured; all of them if no replay can make the cure.
fn cured(used: &UsedSite, others: &[Finding]) -> i64 {
    let of_change = |change: &RunChange| match change {
        // What is left is the price of the calls that take their place.
        RunChange::Calls(sites, _) if sites.contains(&used.number) => i64::MAX,
        RunChange::Swift(ranks, sites) if sites.contains(&used.number) => {
            ranks.iter().map(|rank| used.own_of(*rank)).total()
        }
        _ => 0,
    };
    let is_of_calls = |change: &RunChange| matches!(change, RunChange::Calls(..) | RunChange::Swift(..));
    // One call takes the place of all that such a finding names, and has its price.
    let is_whole = |finding: &Finding| finding.kind == FindingKind::CollectiveByHand;
    let of_finding = |finding: &Finding| match finding.changes.iter().any(is_of_calls) && !is_whole(finding) {
        true => finding.changes.iter().map(of_change).total(),
        false => i64::MAX,
    };
    let lines = used.sites();
    let names =
        |finding: &&Finding| !finding.kind.is_of_work() && lines.iter().any(|line| finding.sites.contains(line));
    others.iter().filter(names).map(of_finding).total()
}

/// The calls at the line that takes most of the time.
struct CallCost<'a> {
    used: &'a UsedSite<'a>,
    /// Time of one call without the waits for others.
    seconds: f64,
    /// The part of the calls' time that the finding counts as cost.
    counted: f64,
    /// True if `counted` is the time to copy the calls' bytes; otherwise the rest is time in which a rank is kept from a core.
    counts_copies: bool,
}

impl CallCost<'_> {
    /// Mean bytes of a call.
    fn size(&self) -> u64 {
        self.used.bytes() / self.used.count().max(1)
    }

    /// True if calls follow each other so closely that one could do for several.
    fn may_combine(&self) -> bool {
        self.used.row() >= SHORTEST_ROW && self.used.pays_to_combine(self.used.own())
    }

    /// True if no other rank takes part in a call.
    fn is_of_one_rank(&self) -> bool {
        let is_independent = |call: Call| file_advice::is_of_files(call) && !call.is_collective_on_file();
        self.used.call().is_some_and(|call| call.class().is_local() || is_independent(call))
    }

    /// True of sends, which return once the library has stored so few bytes.
    fn only_sends(&self) -> bool {
        let is_send = |part: CallPart| matches!(part, CallPart::Message { sends: true, receives: false, .. });
        self.used.ranks.iter().all(|(_, habits)| is_send(habits.part))
    }

    /// True if a call takes about as long as to copy its bytes into a buffer and out of it, between ranks of one host.
    fn is_as_fast_as_copies(&self) -> bool {
        by_host(self.used.known.run).len() == 1 && self.seconds <= AS_FAST * COPIED * self.size() as f64
    }

    fn detail(&self) -> String {
        let count = self.used.count() / self.used.ranks.len().max(1) as u64;
        let (calls, each) = (plural(count, "call"), if count == 1 { ", which" } else { "; each" });
        let of_size = if self.size() > 0 { format!(" of {}", Value::Bytes(self.size())) } else { String::new() };
        let since = if self.is_of_one_rank() { "" } else { " from when all ranks that it needs are there" };
        let time = Value::Seconds(self.seconds);
        let of_time = |share: f64| Value::Seconds(share * self.seconds);
        let part = match (self.counted < MOST_OF_A_CALL, self.counts_copies) {
            (false, _) => String::new(),
            (true, true) => format!(", about {} of that to copy its bytes", of_time(self.counted)),
            (true, false) => format!(", about {} of that without a core", of_time(1.0 - self.counted)),
        };
        format!("There a rank makes {calls}{of_size}{each} takes {time}{since}{part}.")
    }

    /// Advice on calls that end epochs of many small accesses, each of which has its price.
    fn epoch_advice(&self) -> Option<String> {
        let epochs = |of: fn(&EpochSums) -> u64| self.used.total(|habits| of(&habits.epochs));
        let [count, accesses, bytes] = [epochs(|of| of.count), epochs(|of| of.accesses), epochs(|of| of.bytes)];
        if 2 * count < self.used.count() || accesses < MANY_ACCESSES * count || bytes >= LARGE_ACCESS * accesses {
            return None;
        }
        let each = Value::Seconds(self.seconds * count as f64 / accesses.max(1) as f64);
        Some(format!(
            "Each completes {} of {}, which is {each} per access: let an access have what lies side by side at the target, or, by a \
             datatype, what does not.",
            format_args!("{} accesses", whole(accesses / count.max(1))),
            Value::Bytes(bytes / accesses.max(1))
        ))
    }

    fn advice(&self) -> Option<String> {
        let call = self.used.call();
        if let Some(call) = call.filter(|call| file_advice::is_of_files(*call)) {
            let count = self.used.count() / self.used.ranks.len().max(1) as u64;
            return file_advice::of(FileCalls { call, count, bytes: self.size() });
        }
        if let Some(next) = self.epoch_advice() {
            return Some(next);
        }
        if let Some(call) = call.filter(|call| call.class().is_local()) {
            return Some(local_advice(call));
        }
        let (ranks, size) = (self.used.known.ranks(), self.size());
        let moves_nothing = call.is_some_and(|call| call == Call::Barrier || call == Call::Win_fence);
        let next = if moves_nothing {
            "It moves no data and costs its steps from rank to rank: call it less often."
        } else if is_of_target(self.used) {
            target_advice(self.seconds)
        } else if size > 0 && self.seconds > SLOW.get() * slowest(ranks, size) {
            "No network is that slow: see if ranks get their cores (`report --by rank`), and which way MPI sends (`doctor`)."
        } else if size >= LARGE.count() && self.is_as_fast_as_copies() {
            "That is as fast as a core copies, so it can hardly be faster here: send fewer bytes, or begin earlier, by nonblocking calls, \
             and compute meanwhile."
        } else if size == 0 || size >= LARGE.count() {
            "Compare it with what the network allows (`network`); then send fewer bytes, or begin earlier, by nonblocking calls, \
             and compute meanwhile."
        } else if !self.may_combine() && self.used.is_collective() {
            "So few bytes cost their steps from rank to rank: call it less often, if not each result is needed at once, or begin it earlier, by \
             a nonblocking call, and compute meanwhile."
        } else if self.only_sends() {
            "So few bytes cost the call, whatever they are: collect what goes to the same rank in a buffer, and send it together."
        } else if !self.may_combine() {
            "So few bytes cost their steps from rank to rank: begin the calls earlier, by nonblocking ones, and compute meanwhile."
        } else {
            "So few bytes cost their steps from rank to rank: combine calls, or begin them earlier, by nonblocking ones, and compute \
             meanwhile."
        };
        Some(next.to_string())
    }
}

/// If the finding counts a smaller part of the calls' time, it says so.
const MOST_OF_A_CALL: f64 = 0.9;

/// Advice on a call that is local by the MPI standard.
fn local_advice(call: Call) -> String {
    let packs = [Call::Pack, Call::Pack_external, Call::Unpack, Call::Unpack_external];
    let next = match call.class() {
        Class::Datatype if packs.contains(&call) => {
            "copies on one core: copy larger contiguous pieces, or fewer of them."
        }
        Class::Datatype => "builds what can be kept: call it once, before the loop, if the datatype stays the same.",
        Class::Environment => "gives what can be kept: call it once, before the loop.",
        Class::Query => "answers from the process itself: call it once and keep the answer, or call it less often.",
        _ => "needs no other rank and no network: call it less often.",
    };
    format!("{} {next}", call.mpi_name())
}

/// True if the call waits until a target has taken part in one-sided accesses.
fn is_of_target(used: &UsedSite) -> bool {
    let calls = [
        Call::Win_lock,
        Call::Win_unlock,
        Call::Win_unlock_all,
        Call::Win_flush,
        Call::Win_flush_all,
        Call::Fetch_and_op,
        Call::Get_accumulate,
        Call::Compare_and_swap,
    ];
    used.call().is_some_and(|call| calls.contains(&call))
}

/// Advice on calls that wait for a target, which take so many seconds each.
fn target_advice(seconds: f64) -> &'static str {
    if seconds <= ANSWERED_AT_ONCE {
        return "Each access has its price, however few bytes it has, and the target answers at once: make fewer and larger ones, such as \
                several tasks from one draw of a shared counter.";
    }
    "The target may have to be in MPI for that: some libraries carry out accesses and grant locks only there. Let it call MPI more often, \
     such as MPI_Iprobe, start the library's progress thread, or use MPI_Win_fence."
}

/// Seconds in which the ranks' cores copy all bytes into buffers and out of them. Ranks that share cores run in MPI for longer, since they
/// poll.
fn copies(known: &Evidence, sites: &[&UsedSite]) -> f64 {
    let bytes: u64 = sites.iter().map(|used| used.bytes()).total();
    let usable =
        by_host(known.run).iter().filter_map(|(host, ranks)| Some(most_shared(host, ranks)?.usable)).sum::<f64>();
    COPIED * bytes as f64 / usable.max(1.0)
}

/// Time of all ranks in collective calls that another rank had already left, nanoseconds by call site: it counts as waiting, but for no rank.
pub fn completion(known: &Evidence) -> FxHashMap<u32, i64> {
    let mut times = FxHashMap::default();
    let Some(account) = known.account() else { return times };
    for (key, sum) in &account.waits.sums {
        if matches!(key.state, WaitState::NxnCompletion | WaitState::BarrierCompletion) {
            times.entry(key.waiter.place.number() as u32).or_insert(0i64).grow(sum.time);
        }
    }
    times
}

/// Seconds that a call takes on a slow network, whose steps take 100 us and whose links carry 1 Gbit/s: as many steps as
/// a tree over all ranks has, and each rank's bytes through one link.
pub fn slowest(ranks: usize, bytes: u64) -> f64 {
    let ranks = ranks as f64;
    1e-4 * (1.0 + ranks.log2()) + bytes as f64 * ranks / 1.25e8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_asked_to_enter_mpi_only_if_it_keeps_accesses_waiting() {
        assert!(target_advice(1.0e-6).contains("fewer and larger"));
        assert!(target_advice(9.3e-6).contains("MPI_Iprobe"));
    }
}
