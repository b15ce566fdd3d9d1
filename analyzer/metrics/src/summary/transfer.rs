//! The finding on time in MPI that no late rank explains: data on its way, and the steps of collective calls.

use super::eager_limit::COPIED;
use super::used_sites::UsedSite;
use super::{Evidence, Finding, FindingKind};
use crate::scheduling::{by_host, most_shared};
use crate::words::plural;
use model::matching::WaitState;
use model::roles::{CallPart, CallSite};
use model::sums::{Grow, Total};
use rustc_hash::FxHashMap;
use tables::Value;
use traces::calls::{Call, Class};

/// Moving data is what MPI is for: below a fifth of the run neither a faster network nor another algorithm repays the
/// work.
const LEAST_SHARE: f64 = 0.2;
/// At 10 GB/s larger messages take longer for their bytes (6 us) than for the steps between ranks.
const LARGE: u64 = 64 * 1024;
/// Calls that take longer than on a slow network by this factor wait for something else.
const SLOW: f64 = 2.0;

/// Leaves out call sites that the `others` are about.
pub fn finding(known: &Evidence, sites: &[UsedSite], others: &[Finding]) -> Option<Finding> {
    let of_calls = others.iter().filter(|other| !other.kind.is_of_work());
    let theirs: Vec<&String> = of_calls.flat_map(|other| &other.sites).collect();
    let is_named = |used: &UsedSite| used.sites().iter().any(|site| theirs.contains(&site));
    // The other end of those messages is another line.
    let has_messages = others.iter().any(|other| {
        let is_of_messages =
            matches!(other.kind, FindingKind::SmallMessages | FindingKind::CollectiveByHand | FindingKind::WrongOrder);
        is_of_messages && other.costs.is_some_and(|costs| costs >= LEAST_SHARE / 2.0 * known.wall())
    });
    let is_end = |used: &UsedSite| {
        let is_completion = used.call().is_some_and(|call| call.class() == Class::Completion);
        is_completion || used.ranks.iter().any(|(_, habits)| matches!(habits.part, CallPart::Message { .. }))
    };
    let sites: Vec<&UsedSite> = sites.iter().filter(|used| !(is_named(used) || has_messages && is_end(used))).collect();
    let completion = completion(known);
    let of_site = |used: &UsedSite| used.own().saturating_add(completion.get(used.site).copied().unwrap_or(0));
    let time = known.running_in_mpi() * known.mean(sites.iter().map(|used| of_site(used)).total());
    let costs = if known.shares_cores() { time.min(copies(known, &sites)) } else { time };
    if costs < LEAST_SHARE * known.wall() {
        return None;
    }
    let most = sites.iter().max_by_key(|used| of_site(used))?;
    let headline = format!("MPI itself takes {}, most of it in {}.", known.cost(costs), most.place());
    let per_call = crate::totals::seconds(of_site(most)) / most.count().max(1) as f64;
    let calls = plural(most.count() / most.ranks.len().max(1) as u64, "call");
    let size = most.bytes() / most.count().max(1);
    let of_size = if size > 0 { format!(" of {}", Value::Bytes(size)) } else { String::new() };
    let detail = format!(
        "There a rank makes {calls}{of_size}; each takes {} from when all ranks that it needs are there.",
        Value::Seconds(per_call)
    );
    let next = if most.site.function.starts_with("MPI_File") {
        "Access the file in larger pieces, by all ranks together (MPI_File_..._all), or while they compute (MPI_File_i...)."
    } else if is_of_target(most) {
        "The target may have to be in MPI for that: some libraries carry out accesses and grant locks only there. Let it call MPI more \
         often, such as MPI_Iprobe, start the library's progress thread, or use MPI_Win_fence."
    } else if size > 0 && per_call > SLOW * slowest(known.ranks(), size) {
        "No network is that slow: see if ranks get their cores (`overhear report --by rank`), and which way MPI sends (`overhear \
         doctor`)."
    } else if size == 0 || size >= LARGE {
        "Compare it with what the network allows (`overhear network`); then send fewer bytes, or begin earlier, by nonblocking calls, \
         and compute meanwhile."
    } else {
        "So few bytes cost their steps from rank to rank: combine calls, or begin them earlier, by nonblocking ones, and compute \
         meanwhile."
    };
    let finding = Finding::new(FindingKind::Transfer, "functions", headline).detail(detail).next(next);
    Some(finding.costs(costs).sites(most.sites()))
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

/// Seconds in which the ranks' cores copy all bytes into buffers and out of them. Ranks that share cores run in MPI for longer, since they
/// poll.
fn copies(known: &Evidence, sites: &[&UsedSite]) -> f64 {
    let bytes: u64 = sites.iter().map(|used| used.bytes()).total();
    let usable =
        by_host(known.run).iter().filter_map(|(host, ranks)| Some(most_shared(host, ranks)?.usable)).sum::<f64>();
    COPIED * bytes as f64 / usable.max(1.0)
}

/// Time of all ranks in collective calls that another rank had already left, nanoseconds: it counts as waiting, but for no rank.
fn completion<'a>(known: &Evidence<'a>) -> FxHashMap<&'a CallSite, i64> {
    let mut times = FxHashMap::default();
    let Some(account) = known.account else { return times };
    for (key, sum) in &account.waits.sums {
        if matches!(key.state, WaitState::NxnCompletion | WaitState::BarrierCompletion) {
            times.entry(&account.places[key.waiter.place.number()]).or_insert(0i64).grow(sum.time);
        }
    }
    times
}

/// Seconds that a call takes on a slow network, whose steps take 100 us and whose links carry 1 Gbit/s: as many steps as
/// a tree over all ranks has, and each rank's bytes through one link.
fn slowest(ranks: usize, bytes: u64) -> f64 {
    let ranks = ranks as f64;
    1e-4 * (1.0 + ranks.log2()) + bytes as f64 * ranks / 1.25e8
}
