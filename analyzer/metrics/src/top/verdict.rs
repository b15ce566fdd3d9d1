//! Says in a sentence who waits for whom at the moment.
//!
//! The sentence names no reason: `overhear hang` finds out by a second look whether a run hangs.

use std::collections::BTreeSet;

use crate::launch_words::launch_in_words;
use crate::totals::world_rank;
use crate::words::{plural, rank_in_words, ranks_in_words, site_in_words, upper, verb};
use model::Rank;
use model::process::ProcessState;
use model::rank::function;
use model::roles::CallSite;
use model::sites::Sites;
use model::standing::Spot;
use model::wait_for::Halt;
use model::watch::{RankView, STAY, Watch};
use tables::{WorldRank, facts};

facts! {
    VERDICT = "verdict", Text, always,
        "Who waits for whom at the moment, in a sentence. Counted are ranks that have been in one call for half a second and whose \
         call names its partners.";
}

/// The sentence; empty without ranks.
pub fn verdict(watch: &Watch, sites: &Sites) -> String {
    let all = watch.ranks.len();
    if all == 0 {
        return String::new();
    }
    let count = |is_so: &dyn Fn(&RankView) -> bool| watch.views.iter().filter(|view| is_so(view)).count();
    let finished = count(&|view| matches!(view.spot, Spot::Finalized));
    if finished == all {
        return format!("{} finished.", have(all, all));
    }
    let dead = count(&is_dead);
    if dead + finished == all {
        let end = watch.ended_launch().map_or(String::new(), |launch| format!(" {}", launch_in_words(&launch)));
        return format!("{} ended without MPI_Finalize: overhear hang says where.{end}", have(dead, all));
    }
    if let Some(sentence) = waiting(watch, sites) {
        return sentence;
    }
    if dead > 0 {
        return format!("{} ended without MPI_Finalize.", have(dead, all));
    }
    let stay = count(&RankView::stays);
    if stay > 0 {
        return staying(watch, sites, stay);
    }
    let outside = count(&|view| matches!(view.spot, Spot::Outside(..)));
    let asleep = count(&|view| {
        let state = view.process.map(|process| process.state);
        matches!(view.spot, Spot::Outside(..)) && state == Some(ProcessState::Asleep)
    });
    let alive = all - finished;
    match (outside, asleep) {
        (outside, 0) if outside == alive => format!("{} outside MPI: nobody waits.", are(alive, all)),
        (outside, asleep) if outside == alive => {
            format!("{} outside MPI, {asleep} of them asleep: nobody waits in MPI.", are(alive, all))
        }
        (outside, _) => {
            let inside = alive - outside;
            format!("{} in MPI, and none has been in one call for {}.", are(inside, all), seconds(STAY))
        }
    }
}

/// Names the rank that most ranks wait for, directly or by way of others.
fn waiting(watch: &Watch, sites: &Sites) -> Option<String> {
    let waiters: Vec<usize> = (0..watch.views.len()).filter(|at| !watch.views[*at].waits_for.is_empty()).collect();
    let reached: Vec<BTreeSet<usize>> = waiters.iter().map(|at| reached(watch, *at)).collect();
    let goes_on = |at: &usize| watch.views[*at].waits_for.is_empty();
    let roots: BTreeSet<usize> = reached.iter().flatten().copied().filter(goes_on).collect();
    let behind = |root: usize| {
        let waits = waiters.iter().zip(&reached).filter(move |(_, reached)| reached.contains(&root));
        waits.map(|(at, _)| *at).collect::<Vec<usize>>()
    };
    let longest = |ranks: &[usize]| {
        let longest = ranks.iter().filter_map(|at| watch.views[*at].since()).fold(0.0, f64::max);
        seconds(longest)
    };
    let all = watch.ranks.len();
    let Some((root, behind)) =
        roots.into_iter().map(|root| (root, behind(root))).max_by_key(|(_, behind)| behind.len())
    else {
        // All wait for ranks that wait.
        let ranks = (!waiters.is_empty()).then(|| subject(watch, &waiters))?;
        let longest = longest(&waiters);
        return Some(format!("{ranks} for each other, up to {longest}: overhear hang says whether that can end."));
    };
    let one = rank_in_words(&watch.ranks[root]);
    let longest = longest(&behind);
    let who = if behind.len() == 1 { subject(watch, &behind) } else { format!("{} of {all} ranks wait", behind.len()) };
    Some(format!("{who} for {one}, up to {longest}. {}.", upper(&standing(watch, sites, root))))
}

/// The ranks that a rank waits for, and those that these wait for, and so on.
fn reached(watch: &Watch, from: usize) -> BTreeSet<usize> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(at) = open.pop() {
        for next in &watch.views[at].waits_for {
            if reached.insert(*next as usize) {
                open.push(*next as usize);
            }
        }
    }
    reached
}

/// Describes the position of a rank that others wait for.
fn standing(watch: &Watch, sites: &Sites, at: usize) -> String {
    let (rank, view) = (&watch.ranks[at], &watch.views[at]);
    let since = view.since().map_or(String::new(), |since| format!(" for {}", seconds(since)));
    let place = view.spot.call().map(|call| place(rank, call, sites)).unwrap_or_default();
    let after = if place.is_empty() { String::new() } else { format!(", after {place}") };
    let halt = view.process.and_then(|process| Halt::of(process.state));
    match (halt, &view.spot) {
        (_, Spot::Finalized) => "it has called MPI_Finalize".into(),
        (Some(Halt::Dead), _) => format!("it is dead{after}"),
        (Some(Halt::Stopped), _) => format!("it is stopped{after}"),
        (None, Spot::Outside(..)) => format!("it has been outside MPI{since}{after}"),
        (None, Spot::Asking(..)) => format!("it polls by {place}"),
        (None, Spot::Inside(..)) => format!("it is in {place}"),
    }
}

fn place(rank: &Rank, call: &traces::signature::Signature, sites: &Sites) -> String {
    let site = if call.site == 0 { String::new() } else { sites.place(rank, call.site) };
    site_in_words(&CallSite { function: function(call), site })
}

/// Describes ranks that have been for a while in one call that does not name the ranks it waits for.
fn staying(watch: &Watch, sites: &Sites, stay: usize) -> String {
    let those = watch.ranks.iter().zip(&watch.views).filter(|(_, view)| view.stays());
    let longest =
        those.max_by(|(_, one), (_, other)| one.since().unwrap_or(0.0).total_cmp(&other.since().unwrap_or(0.0)));
    let Some((rank, view)) = longest else { return String::new() };
    let since = seconds(view.since().unwrap_or(0.0));
    let call = view.spot.call().map(|call| place(rank, call, sites)).unwrap_or_default();
    format!(
        "{} been in one call for {} or longer: {} in {call} for {since}.",
        have(stay, watch.ranks.len()),
        seconds(STAY),
        rank_in_words(rank)
    )
}

/// `Rank 1 waits`, `Ranks 0-1 wait`, `3 of 8 ranks wait`.
fn subject(watch: &Watch, ranks: &[usize]) -> String {
    if ranks.len() > 2 {
        return format!("{} of {} ranks wait", ranks.len(), watch.ranks.len());
    }
    let names: Vec<WorldRank> = ranks.iter().map(|at| world_rank(&watch.ranks[*at])).collect();
    format!("{} {}", upper(&ranks_in_words(&names)), verb(ranks.len(), "waits", "wait"))
}

fn of_all(count: usize, all: usize) -> String {
    match (count, all) {
        (1, 1) => "The rank".into(),
        (count, all) if count == all => format!("All {all} ranks"),
        (count, all) => format!("{count} of {}", plural(all as u64, "rank")),
    }
}

fn have(count: usize, all: usize) -> String {
    format!("{} {}", of_all(count, all), verb(count, "has", "have"))
}

fn are(count: usize, all: usize) -> String {
    format!("{} {}", of_all(count, all), verb(count, "is", "are"))
}

/// One look per second cannot resolve more than a tenth of a second.
fn seconds(seconds: f64) -> String {
    format!("{seconds:.1} s")
}

fn is_dead(view: &RankView) -> bool {
    let is_over = matches!(view.spot, Spot::Finalized);
    !is_over && view.process.is_some_and(|process| process.state == ProcessState::Gone)
}
