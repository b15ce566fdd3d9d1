//! Finds one-sided accesses that last until their target calls MPI again.
//!
//! In: a run on its common clock. Out: for each call site and target its [`DelayedAccesses`]. By the standard a target is passive; but some
//! libraries carry out accesses, and grant locks, only while it is inside MPI. There an access lasts while the target computes, and ends soon after
//! it has come back. Only first threads count.

use std::collections::{BTreeMap, VecDeque};

use traces::calls::{ArgumentKind, Call, Class};
use traces::signature::{NESTED, Signature};

use super::common_clock::CommonClock;
use super::objects::Objects;
use super::roles::{Peer, Roles};
use super::stream::Stream;
use super::sums::Grow;
use super::{Run, parallel};

/// Nanoseconds: shorter accesses wait for nobody. A target that is inside MPI answers within 0.2 to 1 us, one that computes for 24 us between two
/// calls within 9 us.
pub const AT_ONCE: i64 = 3_000;

/// Accesses of a rank that are looked at; of more, every second, every fourth and so on.
const MOST_OF_RANK: usize = 1 << 16;

/// Accesses of all ranks at one call site to one target that was outside MPI meanwhile, each longer than [`AT_ONCE`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct DelayedAccesses {
    pub count: u64,
    /// Accesses during which the target came back into MPI.
    pub until_inside: u64,
    /// The longest time outside in each of these that ended with a call of the target, added up. Nanoseconds.
    pub outside: i64,
    /// The rest of their time.
    pub inside: i64,
}

impl Grow for DelayedAccesses {
    fn grow(&mut self, more: DelayedAccesses) {
        self.count.grow(more.count);
        self.until_inside.grow(more.until_inside);
        self.outside.grow(more.outside);
        self.inside.grow(more.inside);
    }
}

/// Call site and target, by its place in [`Run::ranks`].
pub type AccessPlace = (u32, u32);

/// A call that waits for a target. Nanoseconds on the common clock.
#[derive(Clone, Copy)]
struct Access {
    begin: i64,
    end: i64,
    origin: u32,
    target: u32,
    site: u32,
}

/// Accesses of one rank, of which some stand for all.
struct KeptAccesses {
    kept: Vec<Access>,
    seen: u64,
    /// Number of accesses for which each one that is kept stands.
    each: u64,
}

pub fn of(run: &Run, clock: &CommonClock) -> BTreeMap<AccessPlace, DelayedAccesses> {
    let objects = Objects::of(run);
    let of_ranks = parallel::map(run.ranks.len(), |at| accesses(run, clock, &objects, at));
    let mut to: BTreeMap<u32, Vec<(Access, u64)>> = BTreeMap::new();
    for of_rank in of_ranks {
        for access in of_rank.kept {
            to.entry(access.target).or_default().push((access, of_rank.each));
        }
    }
    let targets: Vec<(u32, Vec<(Access, u64)>)> = to.into_iter().collect();
    let found = parallel::map(targets.len(), |at| {
        let (target, accesses) = &targets[at];
        delayed(run, clock, &objects, *target as usize, accesses)
    });
    let mut all: BTreeMap<AccessPlace, DelayedAccesses> = BTreeMap::new();
    for (place, delayed) in found.into_iter().flatten() {
        all.entry(place).or_default().grow(delayed);
    }
    all
}

/// The accesses of a rank that take longer than [`AT_ONCE`].
fn accesses(run: &Run, clock: &CommonClock, objects: &Objects, at: usize) -> KeptAccesses {
    let mut found = KeptAccesses { kept: Vec::new(), seen: 0, each: 1 };
    let roles = Roles::of(run, objects, run.call_sites(), at);
    let contents = run.ranks[at].contents();
    let Some(thread) = contents.threads.first() else { return found };
    let targets = thread.signatures.by_number(None, |signature, _| target(&roles, objects, at, signature));
    let mut calls = Stream::new(thread, &run.ranks[at], &clock.lines[at], roles);
    while let Some(call) = calls.peek() {
        let place = calls.role(call).place;
        if let Some(target) =
            targets[calls.signature(call)].filter(|_| place.counts() && call.end - call.start > AT_ONCE)
        {
            let (origin, site) = (at as u32, place.number() as u32);
            found.add(Access { begin: call.start, end: call.end, origin, target, site });
        }
        calls.advance();
    }
    found
}

impl KeptAccesses {
    fn add(&mut self, access: Access) {
        if self.seen.is_multiple_of(self.each) {
            self.kept.push(access);
        }
        self.seen += 1;
        if self.kept.len() > MOST_OF_RANK {
            let mut number = 0;
            self.kept.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.each *= 2;
        }
    }
}

/// The other rank without which the call may not end.
fn target(roles: &Roles, objects: &Objects, at: usize, signature: &Signature) -> Option<u32> {
    let call = Call::from_number(signature.call).filter(|call| call.class() == Class::Rma)?;
    let completes = matches!(call, Call::Win_lock | Call::Win_unlock | Call::Win_flush | Call::Win_flush_local);
    if signature.flags & NESTED != 0 || !(completes || call.has(ArgumentKind::Target)) {
        return None;
    }
    match roles.peer(objects.number(at, signature.object), signature.peer) {
        Peer::Rank(target) if target as usize != at => Some(target),
        _ => None,
    }
}

/// Compares accesses to one target with its calls.
fn delayed(
    run: &Run,
    clock: &CommonClock,
    objects: &Objects,
    target: usize,
    accesses: &[(Access, u64)],
) -> BTreeMap<AccessPlace, DelayedAccesses> {
    let mut found: BTreeMap<AccessPlace, DelayedAccesses> = BTreeMap::new();
    let contents = run.ranks[target].contents();
    let Some(thread) = contents.threads.first() else { return found };
    let roles = Roles::of(run, objects, run.call_sites(), target);
    let mut calls = Stream::new(thread, &run.ranks[target], &clock.lines[target], roles);
    let mut in_order = accesses.to_vec();
    in_order.sort_by_key(|(access, _)| access.begin);
    // Times outside MPI that may lie within the next accesses.
    let mut gaps: VecDeque<(i64, i64)> = VecDeque::new();
    let mut left = calls.start().unwrap_or(i64::MAX);
    for (access, each) in in_order {
        let error = clock.error_between(access.origin, target as u32, access.end);
        let until = access.end.saturating_add(error);
        while let Some(call) = calls.peek().filter(|call| call.start <= until) {
            if left < call.start {
                gaps.push_back((left, call.start));
            }
            left = left.max(call.end);
            calls.advance();
        }
        while gaps.pop_front_if(|(_, comes)| *comes <= access.begin).is_some() {}
        let within = |(leaves, comes): &(i64, i64)| access.end.min(*comes) - access.begin.max(*leaves);
        let ended = gaps.iter().filter(|(leaves, comes)| *leaves < access.end && *comes <= until);
        let longest = ended.map(within).max();
        if longest.is_none() && left >= access.end {
            continue;
        }
        let outside = longest.unwrap_or(0);
        let inside = longest.map_or(0, |outside| access.end - access.begin - outside);
        let [outside, inside] = [outside, inside].map(|time| time.saturating_mul(each as i64));
        let until_inside = if longest.is_some() { each } else { 0 };
        let delayed = DelayedAccesses { count: each, until_inside, outside, inside };
        found.entry((access.site, target as u32)).or_default().grow(delayed);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_accesses_some_stand_for_all() {
        let mut found = KeptAccesses { kept: Vec::new(), seen: 0, each: 1 };
        for begin in 0..5 * MOST_OF_RANK as i64 {
            found.add(Access { begin, end: begin + 1, origin: 0, target: 1, site: 0 });
        }
        assert_eq!(found.each, 8);
        assert!(found.kept.iter().all(|access| access.begin % 8 == 0));
        assert_eq!(found.kept.len() as u64, found.seen.div_ceil(8));
    }
}
