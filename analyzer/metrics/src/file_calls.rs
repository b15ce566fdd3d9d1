//! Finds collective calls on files that ranks made differently: MPI_File_close, MPI_File_set_view, MPI_File_write_all and the
//! like, which matching leaves out since libraries differ in whom they wait for.

use std::collections::BTreeMap;

use super::totals::world_rank;
use super::words::{call_on, object, rank_in_words, ranks_in_words};
use model::rank::function_of;
use model::standing::{Reach, Standing};
use model::{Rank, Run};
use traces::definitions::ObjectKind;
use traces::signature::Signature;

/// The number of calls up to the last common one that are compared.
const COMPARED: u64 = 64;

/// A sentence for each file on which ranks made other calls than the first rank that made most.
pub fn differences(run: &Run) -> Vec<String> {
    if !run.ranks.iter().any(|rank| rank.objects.values().any(|object| object.kind == ObjectKind::File)) {
        return Vec::new();
    }
    let standing = Standing::of(run);
    files(run, &standing).into_iter().filter_map(|(file, members)| difference(run, &standing, file, &members)).collect()
}

/// Each file with its ranks that have all their calls recorded, and their own numbers for it.
fn files(run: &Run, standing: &Standing) -> BTreeMap<u32, Vec<(usize, u32)>> {
    let mut files: BTreeMap<u32, Vec<(usize, u32)>> = BTreeMap::new();
    for (at, rank) in run.ranks.iter().enumerate() {
        let is_partial = rank.is_profile() || rank.header.lost > 0 || !rank.damage.is_empty() || rank.has_stopped();
        if is_partial || !rank.records_all_calls() || standing.ranks[at].past.is_partial {
            continue;
        }
        for (own, object) in &rank.objects {
            if let Some(file) = standing.objects.number(at, *own).filter(|_| object.kind == ObjectKind::File) {
                files.entry(file).or_default().push((at, *own));
            }
        }
    }
    files
}

fn difference(run: &Run, standing: &Standing, file: u32, members: &[(usize, u32)]) -> Option<String> {
    let reach = |at: usize| standing.reach(at, file);
    let most = members.iter().map(|(at, _)| reach(*at).count()).max()?;
    let first = members.iter().find(|(at, _)| reach(*at).count() == most)?;
    for other in members {
        if let Some((ordinal, functions)) = other_function(&reach(first.0), &reach(other.0)) {
            let [one, another] = [(first, functions[0]), (other, functions[1])]
                .map(|((at, own), function)| call_in_words(run, &run.ranks[*at], function, *own));
            let [who, others] = [first, other].map(|(at, _)| rank_in_words(&run.ranks[*at]));
            let call = ordinal + 1;
            return Some(format!("{who} made {one} as collective call {call} on that file, and {others} {another}"));
        }
    }
    // Who goes on may still come.
    let is_over = |at: usize| {
        let standing = &standing.ranks[at];
        standing.is_finalized() || standing.entered().any(|(_, entered)| entered.finalizes())
    };
    let fewest = members.iter().map(|(at, _)| *at).filter(|at| is_over(*at)).map(|at| reach(at).count()).min()?;
    let function = reach(first.0).kind(fewest).filter(|_| fewest < most)?.function;
    let missing = members.iter().map(|(at, _)| *at).filter(|at| is_over(*at) && reach(*at).count() == fewest);
    let missing: Vec<_> = missing.map(|at| world_rank(&run.ranks[at])).collect();
    let call = call_in_words(run, &run.ranks[first.0], function, first.1);
    Some(format!(
        "{} did not join {} in {call}, collective call {} on that file",
        ranks_in_words(&missing),
        rank_in_words(&run.ranks[first.0]),
        fewest + 1
    ))
}

/// The first call, among the latest that both have come to, whose function differs, with both functions.
fn other_function(one: &Reach<'_>, other: &Reach<'_>) -> Option<(u64, [u16; 2])> {
    let both = one.count().min(other.count());
    for ordinal in both.saturating_sub(COMPARED)..both {
        if let (Some(one), Some(other)) = (one.kind(ordinal), other.kind(ordinal))
            && one.function != other.function
        {
            return Some((ordinal, [one.function, other.function]));
        }
    }
    None
}

/// A rank's call of a function on a file, with its call site if it made it at one alone.
fn call_in_words(run: &Run, rank: &Rank, function: u16, own: u32) -> String {
    let is_it = |signature: &Signature| signature.object == own && signature.call == function;
    let mut all: Vec<&Signature> = rank.entries().map(|entry| &entry.signature).filter(|of| is_it(of)).collect();
    all.dedup_by_key(|signature| signature.site);
    match all[..] {
        [one] => call_on(run, rank, one, object(rank, one).0),
        _ => function_of(function),
    }
}
